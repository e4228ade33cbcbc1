"""Attributes of thousands of labels: tables from labels to branches take the room of the labels that occur."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from treecli.data import MISSING, Attribute, Dataset, Schema
from treecli.grow import mixed
from treecli.grow.grow import grow
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.predict.predict import leaves, predictions
from treecli.settings import Settings
from treecli.splits import MANY_LABELS, NO_BRANCH, binary, packed, unpacked

N_LABELS = 300


def data(n_labels: int, n_rows: int = 2 * N_LABELS, *, missing: bool = False, seed: int = 1) -> Dataset:
    """Rows with N_LABELS labels of an attribute that may have further ones, a number, and two classes."""
    random = np.random.default_rng(seed)
    schema = Schema(
        (Attribute("a", "nominal", tuple(f"L{i}" for i in range(n_labels))), Attribute("x", "numeric")),
        Attribute("y", "nominal", ("p", "q")),
    )
    codes = np.arange(n_rows, dtype=np.int32) % N_LABELS
    if missing:
        codes[random.random(n_rows) < 0.2] = MISSING
    y = random.integers(0, 2, n_rows).astype(np.int32)
    return Dataset(schema, [codes, random.normal(size=n_rows)], y, np.ones(n_rows))


def model_of(dataset: Dataset, nominal: str, **options: object) -> TreeModel:
    settings = Settings.of(criterion="gini", nominal=nominal, **options)
    return TreeModel(dataset.schema, settings, (), grow(dataset, settings, jobs=1))


@pytest.mark.parametrize(
    ("table", "size"),
    [
        ([0, 1] * (MANY_LABELS // 2), MANY_LABELS),
        ([0, 1] * MANY_LABELS, 2 * MANY_LABELS),
        ([1] * 40 + [0] + [1] * 60, 4),
        ([NO_BRANCH] * 98 + [1, 0], 6),
        ([0] * 70 + [1] * 10 + [NO_BRANCH] * 10, 42),
    ],
)
def test_a_table_where_most_labels_have_one_branch_is_kept_sparsely(table: list[int], size: int) -> None:
    kept = packed(table)
    assert (kept is None) == (size == len(table))
    if kept is not None:
        assert len(kept) == size
        assert unpacked(kept) == tuple(table)


def test_one_label_against_the_rest_is_kept_without_its_table() -> None:
    split = binary.Split(0, 7, 2 * MANY_LABELS)
    kept = split.packed
    assert kept is not None
    assert list(kept) == packed(split.table)
    assert binary.Split.load_packed(0, kept) == split


@pytest.mark.parametrize("nominal", ["subset", "binary"])
def test_tables_have_few_entries_for_labels_that_do_not_occur(nominal: str) -> None:
    tree = model_of(data(20 * N_LABELS), nominal).tree
    n_inner = tree.n_nodes - tree.n_leaves
    assert n_inner > 20
    # A branch for each label at each node; and at most two numbers for each label that occurs.
    assert len(tree.table) < n_inner * (2 + 2 * N_LABELS)
    assert len(tree.table) < n_inner * len(tree.split(0).table) / 10 or tree.attribute[0] != 0


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("nominal", ["subset", "binary"])
def test_a_model_with_sparse_tables_predicts_and_reads_back_the_same(nominal: str, missing: bool) -> None:
    dataset = data(20 * N_LABELS, missing=missing)
    model = model_of(dataset, nominal)
    assert any(model.tree.is_packed(node) for node in model.tree.inner_nodes() if model.tree.attribute[node] == 0)
    # The same tree on the labels that occur has tables with a branch for each of most labels.
    narrow = replace(dataset, schema=data(N_LABELS).schema)
    small = model_of(narrow, nominal)
    assert small.tree.first_child == model.tree.first_child
    for node in small.tree.inner_nodes():
        if small.tree.attribute[node] == 0:
            assert small.tree.split(node).table == model.tree.split(node).table[:N_LABELS]
    np.testing.assert_array_equal(leaves(model, dataset), leaves(small, narrow))
    np.testing.assert_array_equal(predictions(model, dataset), predictions(small, narrow))
    text = b"".join(encode(model))
    assert decode(text, "m.json").tree == model.tree
    assert [node.get("split") for node in json.loads(text)["nodes"]] == [
        node.get("split") for node in json.loads(b"".join(encode(small)))["nodes"]
    ]


@pytest.mark.parametrize("nominal", ["subset", "binary"])
def test_subtrees_whose_tables_do_not_fit_are_grown_in_parts(nominal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = data(20 * N_LABELS, missing=True)
    whole = model_of(dataset, nominal).tree
    monkeypatch.setattr(mixed, "MOST_NUMBERS", 1)
    assert model_of(dataset, nominal).tree == whole
