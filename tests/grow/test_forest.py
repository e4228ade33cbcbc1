"""Trees grown from shared ranks are those that are grown level by level."""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import assert_same_tree, continuous, datasets, sample
from treecli.data import MISSING, Attribute, Dataset, Schema
from treecli.grow.grow import fast_way, grow
from treecli.kernels import UNCOMPILED_VARIABLE
from treecli.settings import Settings
from treecli.tree import Tree


def drawn(dataset: Dataset, seed: int) -> np.ndarray:
    """How often each row is drawn in a bootstrap."""
    picked = np.random.default_rng(seed).integers(dataset.n_rows, size=dataset.n_rows)
    return np.bincount(picked, minlength=dataset.n_rows)


def fast(dataset: Dataset, chosen: Settings, n_drawn: np.ndarray) -> Tree:
    remarks: list[str] = []
    way = fast_way(dataset, chosen, remarks.append)
    assert way is not None, remarks
    tree = way(chosen, n_drawn)
    assert tree is not None, remarks
    bare_way = fast_way(dataset, chosen, with_scores=False)
    assert bare_way is not None
    assert bare_way(chosen, n_drawn) == replace(tree, score=array("d", bytes(8 * tree.n_nodes)))
    return tree


def by_levels(dataset: Dataset, chosen: Settings, n_drawn: np.ndarray) -> Tree:
    rows = np.flatnonzero(n_drawn)
    own = dataset.take(rows)
    return grow(replace(own, weights=own.weights * n_drawn[rows]), chosen)


RULES = st.fixed_dictionaries(
    {
        "nominal": st.sampled_from(["multiway", "binary", "subset"]),
        "missing": st.sampled_from(["fractional", "majority", "branch", "stay"]),
        "min_leaf": st.sampled_from([1.0, 2.0, 3.0]),
        "max_depth": st.sampled_from([None, 2]),
        "min_gain": st.sampled_from([None, 0.01]),
        "zero_gain": st.booleans(),
        "features": st.sampled_from(["1", "2", "all"]),
        "seed": st.integers(0, 9),
    }
)
WEIGHTS = st.integers(1, 3).map(float) | st.sampled_from([0.3, 1.25])
KINDS = st.lists(st.sampled_from(["numeric", "numeric", "nominal", "ordinal"]), min_size=2, max_size=5)


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), RULES, st.sampled_from(["gini", "gain", "gainratio"]), KINDS, st.booleans())
def test_classes_give_the_same_tree(
    data: st.DataObject, rules: dict[str, Any], criterion: str, kinds: list[str], with_missing: bool
) -> None:
    dataset = data.draw(
        datasets(kinds, n_classes=st.integers(2, 6), weights=WEIGHTS, with_missing=with_missing, rows=(2, 40))
    )
    chosen = Settings.of(criterion=criterion, **rules)
    n_drawn = drawn(dataset, rules["seed"])
    assert_same_tree(fast(dataset, chosen, n_drawn), by_levels(dataset, chosen, n_drawn))


@settings(max_examples=examples(100), deadline=None)
@given(st.data(), RULES, KINDS, st.booleans())
def test_numbers_give_the_same_tree(
    data: st.DataObject, rules: dict[str, Any], kinds: list[str], with_missing: bool
) -> None:
    weights = st.integers(1, 12).map(lambda quarters: quarters / 4)
    dataset = data.draw(datasets(kinds, weights=weights, with_missing=with_missing, rows=(2, 40)))
    # Where all cases with a value have one target, no split gains anything, and rounding decides between them.
    chosen = Settings.of(criterion="variance", **rules | ({"zero_gain": False} if with_missing else {}))
    n_drawn = drawn(dataset, rules["seed"])
    assert_same_tree(fast(dataset, chosen, n_drawn), by_levels(dataset, chosen, n_drawn))


def mixed_rows(n_rows: int, seed: int, n_classes: int | None, n_values: int | None, missing: float) -> Dataset:
    """Numbers with few or many ties, labels of few and many values, and missing values."""
    random = np.random.default_rng(seed)
    attributes: list[Attribute] = []
    columns: list[np.ndarray] = []
    for a in range(4):
        own = random.normal(size=n_rows)
        own = own if n_values is None else np.floor(own * n_values)
        own[random.random(n_rows) < missing] = np.nan
        attributes.append(Attribute(f"x{a}", "numeric"))
        columns.append(own)
    for n_labels in (2, 5, 40):
        own = random.integers(n_labels, size=n_rows).astype(np.int32)
        own[random.random(n_rows) < missing] = MISSING
        attributes.append(Attribute(f"n{n_labels}", "nominal", tuple(f"v{i}" for i in range(n_labels))))
        columns.append(own)
    signal = np.nan_to_num(columns[0]) + np.sin(columns[5]) + random.normal(size=n_rows)
    weights = random.integers(1, 4, n_rows).astype(float)
    if n_classes is None:
        return Dataset(Schema(tuple(attributes), Attribute("y", "numeric")), columns, signal, weights)
    bounds = np.quantile(signal, np.arange(1, n_classes) / n_classes)
    target = Attribute("y", "nominal", tuple(f"c{i}" for i in range(n_classes)))
    labels = np.searchsorted(bounds, signal).astype(np.int32)
    return Dataset(Schema(tuple(attributes), target), columns, labels, weights)


@pytest.mark.parametrize("n_values", [None, 2, 30])
@pytest.mark.parametrize("n_classes", [2, 4, None])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("nominal", ["binary", "subset"])
def test_large_nodes_give_the_same_tree(
    n_values: int | None, n_classes: int | None, missing: float, nominal: str
) -> None:
    """With nodes of all sizes: in the order of a column, sorted by digits, in a block, by counting."""
    dataset = mixed_rows(1500, 3, n_classes, n_values, missing)
    for criterion in ("gini", "gain") if n_classes else ("variance",):
        chosen = Settings.of(criterion=criterion, features="2", missing="majority", nominal=nominal)
        n_drawn = drawn(dataset, 1)
        assert_same_tree(fast(dataset, chosen, n_drawn), by_levels(dataset, chosen, n_drawn), 1e-7)


@pytest.mark.parametrize("n_classes", [2, 4, None])
@pytest.mark.parametrize("policy", ["fractional", "branch", "stay"])
@pytest.mark.parametrize("nominal", ["multiway", "subset"])
def test_large_nodes_with_fractions_of_cases_give_the_same_tree(
    n_classes: int | None, policy: str, nominal: str
) -> None:
    for n_values in (None, 2):
        dataset = mixed_rows(600, 3, n_classes, n_values, 0.1)
        chosen = Settings.of(
            criterion="gini" if n_classes else "variance", features="2", missing=policy, nominal=nominal
        )
        n_drawn = drawn(dataset, 1)
        assert_same_tree(fast(dataset, chosen, n_drawn), by_levels(dataset, chosen, n_drawn), 1e-7)


@settings(max_examples=examples(60), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_labels=st.integers(3, 140),
    cases_per_label=st.sampled_from([1.5, 4.0, 40.0]),
    criterion=st.sampled_from(["gini", "gain"]),
)
def test_labels_of_three_classes_have_the_same_order(
    seed: int, n_labels: int, cases_per_label: float, criterion: str
) -> None:
    """Labels with few cases have equal class shares; where classes are alike, no direction is clear."""
    random = np.random.default_rng(seed)
    n_rows = int(n_labels * cases_per_label)
    codes, shares = random.integers(n_labels, size=n_rows), random.dirichlet(random.choice([0.3, 1, 5], 3), n_labels)
    classes = (random.random(n_rows)[:, None] > shares.cumsum(axis=1)[codes][:, :2]).sum(axis=1)
    labels = tuple(f"v{code}" for code in range(n_labels))
    schema = Schema((Attribute("a", "nominal", labels),), Attribute("t", "nominal", ("x", "y", "z")))
    dataset = Dataset(schema, [codes.astype(np.int32)], classes.astype(np.int32), np.ones(n_rows))
    chosen = Settings.of(criterion=criterion, nominal="subset", most_exhaustive=0, missing="majority")
    n_drawn = drawn(dataset, seed)
    assert_same_tree(fast(dataset, chosen, n_drawn), by_levels(dataset, chosen, n_drawn))


@pytest.mark.parametrize("criterion", ["gini", "gain", "gainratio"])
def test_all_attributes_and_rows_give_the_tree(criterion: str) -> None:
    for dataset in (sample("iris.csv"), continuous(3000, 4, 6, noise=0.2)):
        chosen = Settings.of(criterion=criterion)
        assert_same_tree(fast(dataset, chosen, np.ones(dataset.n_rows, np.int64)), grow(dataset, chosen))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"threshold": "random"}, "thresholds do not lie halfway"),
        ({"criterion": "error"}, "neither entropy, Gini index nor variance"),
        ({"priors": "equal"}, "classes have priors or costs"),
        ({"missing": "surrogate"}, "surrogates"),
        ({"max_leaves": 5}, "--max-leaves"),
        ({"arithmetic": "remainders", "criterion": "gini"}, "another program's arithmetic"),
    ],
)
def test_what_it_does_not_grow_is_refused_with_a_reason(changes: dict[str, Any], reason: str) -> None:
    remarks: list[str] = []
    assert fast_way(sample("iris.csv"), Settings.of(**changes), remarks.append) is None
    assert reason in remarks[0]


def test_labels_and_weights_that_it_does_not_grow_are_refused_with_a_reason() -> None:
    dataset = mixed_rows(50, 1, 2, None, 0.1)
    weightless = replace(dataset, weights=np.where(np.arange(50) == 3, 0.0, dataset.weights))
    for own, changes, reason in (
        (dataset, {"nominal": "merged", "criterion": "gain"}, "merged"),
        (weightless, {}, "no weight"),
    ):
        remarks: list[str] = []
        assert fast_way(own, Settings.of(**changes), remarks.append) is None
        assert reason in remarks[0]


GROW_SOME = """
import numpy as np

from tests.grow.test_forest import drawn, fast
from tests.growing import sample
from treecli.settings import Settings

for name in ("iris.csv", "titanic.csv", "cpu.csv"):
    dataset = sample(name)
    criterion = "gini" if dataset.schema.is_classification else "variance"
    for features, nominal, missing in (("all", "subset", "majority"), ("2", "multiway", "fractional")):
        chosen = Settings.of(criterion=criterion, features=features, nominal=nominal, missing=missing, min_leaf=5)
        tree = fast(dataset, chosen, drawn(dataset, 1))
        assert tree.n_nodes > 1
        print(tree.kind, tree.number, tree.missing_to, tree.first_child, tree.outcomes, tree.table)
"""


def test_compiled_and_uncompiled_kernels_grow_the_same_forests() -> None:
    def trees(form: str) -> bytes:
        environment = {**os.environ, UNCOMPILED_VARIABLE: form}
        command = [sys.executable, "-W", "error", "-c", GROW_SOME]
        root = Path(__file__).parents[2]
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True).stdout

    assert trees("") == trees("1")
