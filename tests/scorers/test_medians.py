"""Trees of medians: --criterion absolute."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Runner, examples
from tests.growing import (
    FRACTIONS,
    candidates_at_root,
    continuous,
    datasets,
    model_from,
    numeric_table,
    outline,
    sample,
)
from treecli.data import Dataset
from treecli.errors import UsageError
from treecli.grow.grow import grow
from treecli.predict.predict import distributions
from treecli.settings import Settings
from treecli.tree import DEVIANCE, MEAN, WEIGHT

ABSOLUTE = Settings.of(criterion="absolute")


def deviation(dataset: Dataset, rows: np.ndarray) -> float:
    """The least sum of absolute differences of some rows (flags) that any of their targets has."""
    target, weights = np.asarray(dataset.target)[rows], dataset.weights[rows]
    return min((float((weights * np.abs(target - m)).sum()) for m in target), default=0.0)


def gain_of(dataset: Dataset, branches: Sequence[np.ndarray]) -> float:
    """By how much the mean absolute error falls, times the share of the rows that have a branch."""
    known = np.logical_or.reduce(branches)
    left = sum(deviation(dataset, rows) for rows in branches)
    return (deviation(dataset, known) - left) / float(dataset.weights.sum())


def test_splits_lower_the_absolute_error_and_leaves_hold_medians() -> None:
    # The error about the median 12.5 is 36 + 42; cut at 4.5 it falls to 4 about 3.5 and 8 about 23. These medians lie
    # halfway between the two cases in the middle.
    dataset = numeric_table([range(1, 9)], [2.0, 3, 4, 5, 20, 22, 24, 26])
    assert outline(model_from(dataset, ABSOLUTE.changed(max_depth=1))) == [
        "all",
        "| x0 <= 4.5: 4 3.5 4",
        "| x0 > 4.5: 4 23 8",
    ]
    found = candidates_at_root(dataset, 0, ABSOLUTE)
    assert found.gain[0] == pytest.approx((78 - 12) / 8)


def test_one_large_number_does_not_outweigh_many_differences() -> None:
    # Cut at 8.5, 8 · 50 absolute and 8 · 50² squared errors are left on the left; at 4.5, with the median 100 and the
    # mean 140 on the right, 200 absolute and 4 · 40² + 160² = 32000 squared ones.
    dataset = numeric_table([range(1, 10)], [0.0] * 4 + [100.0] * 4 + [300.0])
    by_squares, by_absolute = (model_from(dataset, s.changed(max_depth=1)).tree for s in (Settings(), ABSOLUTE))
    assert by_squares.number[0] == 8.5
    assert (by_absolute.number[0], by_absolute.outcomes_of(2)[MEAN]) == (4.5, 100.0)


@pytest.mark.parametrize(
    ("targets", "weights", "median"),
    [
        ([1.0, 2, 3], [1.0, 1, 1], 2.0),
        ([1.0, 2, 3, 100], [1.0, 1, 1, 1], 2.5),
        ([1.0, 2, 3], [1.0, 1, 5], 3.0),
        ([1.0, 2, 3], [1.0, 1, 2], 2.5),  # just half of the weight lies at 1 and 2
        ([1.0, 2, 3], [0.1, 0.2, 0.3], 2.5),  # 0.1 + 0.2 is not quite 0.3
        ([7.0], [0.5], 7.0),
    ],
)
def test_the_median_is_that_of_the_weights(targets: list[float], weights: list[float], median: float) -> None:
    dataset = numeric_table([[0.0] * len(targets)], targets, weights)
    weight, middle, error = grow(dataset, ABSOLUTE).outcomes_of(0)
    assert (weight, middle) == (pytest.approx(sum(weights)), median)
    assert error == pytest.approx(sum(w * abs(y - median) for y, w in zip(targets, weights, strict=True)))


@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from(["multiway", "binary", "subset"]))
def test_the_split_of_labels_gains_what_it_says(data: st.DataObject, nominal: str) -> None:
    weights = data.draw(st.sampled_from([st.just(1.0), FRACTIONS]))
    dataset = data.draw(datasets(("nominal",), weights=weights, with_missing=data.draw(st.booleans())))
    learner = ABSOLUTE.changed(nominal=nominal, missing="majority", min_leaf=0.25)
    codes, n_labels = dataset.columns[0], len(dataset.schema.attributes[0].labels)
    found = candidates_at_root(dataset, 0, learner)
    assert found.table is not None
    present = sorted(set(codes[codes >= 0].tolist()))
    if len(present) < 2:
        assert found.gain[0] == -inf
        return
    table = found.table[0]
    branches = [(codes >= 0) & np.isin(codes, np.flatnonzero(table == b)) for b in range(table.max() + 1)]
    assert found.gain[0] == pytest.approx(gain_of(dataset, branches), abs=1e-9)
    if nominal == "multiway":
        assert table.tolist() == list(range(n_labels))
    if nominal == "binary":
        gains = [gain_of(dataset, [codes == label, (codes >= 0) & (codes != label)]) for label in present]
        assert found.gain[0] == pytest.approx(max(gains), abs=1e-9)
        assert table.tolist().count(0) == 1
    if nominal == "subset":
        assert table[present[0]] == 0
        assert set(table.tolist()) <= {-1, 0, 1}
        subsets = chain.from_iterable(combinations(present[1:], k) for k in range(1, len(present)))
        every = [gain_of(dataset, [np.isin(codes, s), (codes >= 0) & ~np.isin(codes, s)]) for s in subsets]
        assert found.gain[0] <= max(every) + 1e-9


def test_two_groups_of_labels_are_cut_in_the_order_of_their_medians() -> None:
    # Medians: a 10, b 1, c 11, d 2.
    rows = {"a": [9.0, 10, 10], "b": [1.0, 1, 1], "c": [11.0, 11, 30], "d": [2.0, 2, 2]}
    codes = np.repeat(np.arange(4, dtype=np.int32), 3)
    plain = numeric_table([[0.0] * 12], list(chain(*rows.values())))
    attribute = replace(plain.schema.attributes[0], kind="nominal", labels=tuple(rows))
    dataset = replace(plain, schema=replace(plain.schema, attributes=(attribute,)), columns=[codes])
    found = candidates_at_root(dataset, 0, ABSOLUTE.changed(nominal="subset"))
    assert found.table is not None
    assert found.table[0].tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@pytest.mark.parametrize("nominal", ["multiway", "binary", "subset"])
@settings(max_examples=25)
@given(data=st.data())
def test_each_node_keeps_the_median_of_its_cases(missing: str, nominal: str, data: st.DataObject) -> None:
    kinds = ("numeric", "nominal", "ordinal")
    weights = data.draw(st.sampled_from([st.just(1.0), FRACTIONS]))
    dataset = data.draw(datasets(kinds, weights=weights, with_missing=data.draw(st.booleans()), rows=(2, 16)))
    learner = ABSOLUTE.changed(missing=missing, nominal=nominal, max_depth=data.draw(st.integers(0, 4)))
    tree = model_from(dataset, learner).tree
    outcomes = np.array(tree.outcomes).reshape(-1, 3)
    assert outcomes[0, WEIGHT] == pytest.approx(dataset.weights.sum())
    assert outcomes[0, DEVIANCE] == pytest.approx(deviation(dataset, np.ones(dataset.n_rows, bool)), abs=1e-9)
    for node in tree.inner_nodes():
        children = list(tree.children(node))
        # Nothing is lost on the way down, and no split makes the error larger.
        assert outcomes[children, WEIGHT].sum() == pytest.approx(outcomes[node, WEIGHT])
        assert outcomes[children, DEVIANCE].sum() <= outcomes[node, DEVIANCE] + 1e-9


def test_the_gain_is_what_the_children_save() -> None:
    tree = model_from(continuous(400, 3, seed=5, n_classes=None, noise=0.5), ABSOLUTE).tree
    outcomes = np.array(tree.outcomes).reshape(-1, 3)
    for node in tree.inner_nodes():
        saved = outcomes[node, DEVIANCE] - outcomes[list(tree.children(node)), DEVIANCE].sum()
        assert tree.score[node] * outcomes[node, WEIGHT] == pytest.approx(saved, abs=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, -1e12])
def test_a_large_offset_of_the_target_changes_no_gain(offset: float) -> None:
    dataset = numeric_table([range(1, 9)], [offset + y for y in (2, 3, 4, 5, 20, 22, 24, 26)])
    found = candidates_at_root(dataset, 0, ABSOLUTE)
    assert found.number is not None
    assert (found.number[0], found.gain[0]) == (4.5, pytest.approx(8.25))


@pytest.mark.parametrize("threshold", ["mean", "median", "datavalue"])
def test_thresholds_may_lie_at_the_mean_or_median_or_at_a_value(threshold: str) -> None:
    # x has the mean 4 and the median 2.5.
    dataset = numeric_table([[1.0, 2, 3, 10]], [1.0, 1, 5, 5])
    found = candidates_at_root(dataset, 0, ABSOLUTE.changed(threshold=threshold))
    assert found.number is not None
    assert found.number[0] == {"mean": 4.0, "median": 2.5, "datavalue": 2.0}[threshold]


def test_missing_values_take_the_side_where_they_fit() -> None:
    dataset = numeric_table([[1.0, 2, 3, 4, nan, nan]], [0.0, 0, 9, 9, 9, 9])
    tree = model_from(dataset, ABSOLUTE.changed(missing="branch")).tree
    assert (tree.number[0], tree.missing_to[0]) == (2.5, 1)
    assert [tree.outcomes_of(node)[MEAN] for node in (1, 2)] == [0.0, 9.0]


def test_several_threads_grow_the_same_tree() -> None:
    dataset = continuous(30_000, 3, seed=1, n_classes=None, noise=1.0)
    learner = ABSOLUTE.changed(max_depth=5)
    one, two = grow(dataset, learner, jobs=1), grow(dataset, learner, jobs=2)
    assert (one.number, one.outcomes) == (two.number, two.outcomes)


def test_a_row_is_predicted_the_median_of_its_leaf() -> None:
    dataset = sample("cpu.csv")
    model = model_from(dataset, ABSOLUTE.changed(min_leaf=20))
    error = np.abs(distributions(model, dataset)[:, 0] - dataset.target).sum()
    leaves = [node for node in range(model.tree.n_nodes) if model.tree.is_leaf(node)]
    assert error == pytest.approx(sum(model.tree.outcomes_of(node)[DEVIANCE] for node in leaves))


def test_bins_and_absolute_errors_exclude_each_other() -> None:
    dataset = numeric_table([range(1, 9)], [2.0, 3, 4, 5, 20, 22, 24, 26])
    with pytest.raises(UsageError, match="--criterion absolute"):
        grow(dataset, ABSOLUTE.changed(discretize="width:3"))


@pytest.fixture
def trained(treecli: Runner, tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n2,3\n3,4\n4,5\n5,20\n6,22\n7,24\n8,26\n")
    code, _, err = treecli("train", "rows.csv", "--criterion", "absolute", "--max-depth", "1", "-o", "model.json")
    assert code == 0, err
    return tmp_path


def test_a_model_file_says_median_and_deviation(trained: Path, treecli: Runner) -> None:
    model = json.loads((trained / "model.json").read_text())
    assert model["nodes"][1] == {"id": 1, "weight": 4.0, "median": 3.5, "deviation": 4.0}
    model["nodes"][1] = {"id": 1, "weight": 4.0, "mean": 3.5, "deviance": 5.0}
    (trained / "mixed.json").write_text(json.dumps(model))
    code, _, err = treecli("show", "mixed.json")
    assert code == 4
    assert "mixed.json: node 1: needs 'weight', 'median' and 'deviation'" in err


def test_what_is_shown_are_mean_absolute_errors(trained: Path, treecli: Runner) -> None:
    assert treecli("show", "model.json")[1] == "x <= 4.5: 3.5 (4.0, mae 1)\nx > 4.5: 23 (4.0, mae 2)\n"
    assert "median: 3.5, weight: 4.0, mae: 1" in treecli("show", "model.json", "--counts")[1]
    assert treecli("rules", "model.json")[1].startswith("IF x <= 4.5 THEN 3.5 (covered 4, mae 1)\n")
    assert json.loads(treecli("rules", "model.json", "-f", "json")[1])["rules"][1]["mae"] == 2.0
    assert json.loads(treecli("show", "model.json", "-f", "json")[1])["nodes"][1]["deviation"] == 4.0
