"""Every kind of split keeps its word: in arrays, in model files, and in what its branches take."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from hypothesis import given, settings

from tests.conftest import examples
from tests.example_models import models
from treecli.data import Attribute, Schema
from treecli.model import TreeModel
from treecli.splits import NO_BRANCH, Split, binary, bins, known, multiway, subset, threshold
from treecli.splits._registry import kinds, split_type

SCHEMA = Schema(
    (
        Attribute("size", "numeric"),
        Attribute("colour", "nominal", ("red", "green", "blue")),
        Attribute("grade", "ordinal", ("low", "mid", "high")),
    ),
    Attribute("y", "nominal", ("a", "b")),
)
SIZE, COLOUR, GRADE = range(3)

SPLITS: list[tuple[Split, dict[str, Any]]] = [
    (threshold.Split(SIZE, 2.5), {"at_most": 2.5}),
    (threshold.Split(GRADE, 1.0), {"at_most": "mid"}),
    (bins.Split(SIZE, (-1.5, 2.5, 4.0)), {"bounds": [-1.5, 2.5, 4.0]}),
    (bins.Split(GRADE, (0.0, 1.0)), {"bounds": ["low", "mid"]}),
    (multiway.Split(COLOUR, 3), {}),
    (multiway.Split(GRADE, 3), {}),
    (binary.Split(COLOUR, 1, 3), {"label": "green"}),
    (subset.Split(COLOUR, (0, 1, 0)), {"groups": [["red", "blue"], ["green"]]}),
    (subset.Split(COLOUR, (NO_BRANCH, 0, 1)), {"groups": [["green"], ["blue"]]}),
    (known.Split(SIZE), {}),
    (known.Split(COLOUR), {}),
]


def splits_of(model: TreeModel) -> list[Split]:
    return [model.tree.split(node) for node in model.tree.inner_nodes()]


def test_the_table_above_has_every_kind() -> None:
    assert {split.KIND for split, _ in SPLITS} == set(kinds())


@pytest.mark.parametrize(("split", "record"), SPLITS)
def test_a_split_is_written_in_words_and_read_back(split: Split, record: dict[str, Any]) -> None:
    assert split.to_json(SCHEMA) == record
    assert split_type(split.KIND).from_json(split.attribute, record, SCHEMA) == split


@pytest.mark.parametrize(("split", "record"), SPLITS)
def test_a_split_is_stored_as_numbers_and_a_table(split: Split, record: dict[str, Any]) -> None:
    assert split_type(split.KIND).load(split.attribute, split.number, split.table, split.further) == split


@settings(max_examples=examples(60))
@given(models())
def test_any_split_survives_its_record(model: TreeModel) -> None:
    for split in splits_of(model):
        assert split_type(split.KIND).from_json(split.attribute, split.to_json(model.schema), model.schema) == split


@settings(max_examples=examples(60))
@given(models())
def test_a_known_value_takes_one_branch_at_most(model: TreeModel) -> None:
    for split in splits_of(model):
        attribute = model.schema.attributes[split.attribute]
        edges = (-inf, split.number, *split.further, 0.5, inf)
        values = edges if attribute.is_numeric else tuple(float(code) for code in range(len(attribute.labels)))
        for value in values:
            takers = [b for b in range(split.n_branches()) if split.condition(b, model.schema).holds(value)]
            # Only a grouping leaves labels out: those that no training case had.
            is_left_out = split.KIND == "subset" and split.table[int(value)] == NO_BRANCH
            assert len(takers) == (0 if is_left_out else 1)
            if split.table and not is_left_out:
                assert takers == [split.table[int(value)]]


@pytest.mark.parametrize(
    ("kind", "attribute", "record"),
    [
        ("threshold", SIZE, {}),
        ("threshold", SIZE, {"at_most": "2"}),
        ("threshold", SIZE, {"at_most": True}),
        ("threshold", SIZE, {"at_most": float("nan")}),
        ("threshold", SIZE, {"at_most": inf}),
        ("threshold", COLOUR, {"at_most": 1}),
        ("threshold", GRADE, {"at_most": 1}),
        ("threshold", GRADE, {"at_most": "lowest"}),
        ("bins", SIZE, {}),
        ("bins", SIZE, {"bounds": []}),
        ("bins", SIZE, {"bounds": 2}),
        ("bins", SIZE, {"bounds": [1, "2"]}),
        ("bins", SIZE, {"bounds": [1, True]}),
        ("bins", SIZE, {"bounds": [1, float("nan")]}),
        ("bins", SIZE, {"bounds": [1, 10**400]}),
        ("bins", SIZE, {"bounds": [1, 1]}),
        ("bins", SIZE, {"bounds": [2, 1]}),
        ("bins", GRADE, {"bounds": ["mid", "low"]}),
        ("bins", GRADE, {"bounds": [["low"]]}),
        ("bins", GRADE, {"bounds": [0]}),
        ("bins", COLOUR, {"bounds": ["red"]}),
        ("multiway", SIZE, {}),
        ("binary", COLOUR, {"label": "pink"}),
        ("binary", COLOUR, {}),
        ("binary", SIZE, {"label": "red"}),
        ("subset", COLOUR, {}),
        ("subset", COLOUR, {"groups": "red"}),
        ("subset", COLOUR, {"groups": []}),
        ("subset", COLOUR, {"groups": [["red"], []]}),
        ("subset", COLOUR, {"groups": [["red"], ["pink"]]}),
        ("subset", COLOUR, {"groups": [["red"], ["red"]]}),
        ("subset", SIZE, {"groups": [["red"], ["green"]]}),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(kind: str, attribute: int, record: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|has no|is in|numeric"):
        split_type(kind).from_json(attribute, record, SCHEMA)


def test_a_split_of_200000_labels_is_read_at_once() -> None:
    # To look up each label among all others would take 2 × 10^10 steps: many minutes.
    n_labels = 200_000
    schema = Schema(
        (Attribute("a", "nominal", tuple(f"L{i}" for i in range(n_labels))),), Attribute("y", "nominal", ("p", "q"))
    )
    split = split_type("subset").load(0, 0.0, tuple(i % 2 for i in range(n_labels)))
    assert split_type("subset").from_json(0, split.to_json(schema), schema) == split
