"""The best grouping of labels, compared with scoring every grouping."""

from __future__ import annotations

from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.growing import (
    FRACTIONS,
    LETTERS,
    UNIT_WEIGHTS,
    AtRoot,
    candidates_at_root,
    datasets,
    information,
    spread_of_rows,
)
from tests.plain import PlainGrower
from treecli.data import Attribute, Dataset, Schema
from treecli.kernels import order_labels
from treecli.settings import Settings

WEIGHTS = st.sampled_from([UNIT_WEIGHTS, FRACTIONS])
IMPURITIES = {"gain": "entropy", "gini": "gini", "error": "error", "variance": "variance"}


def dataset_of_counts(counts: dict[str, tuple[int, ...]]) -> Dataset:
    """Rows with one nominal attribute, from how often each label meets each class."""
    labels, n_classes = tuple(counts), len(next(iter(counts.values())))
    pairs = [(a, c) for a, label in enumerate(labels) for c in range(n_classes) for _ in range(counts[label][c])]
    codes, classes = (np.array(part, np.int32) for part in zip(*pairs, strict=True))
    target = Attribute("y", "nominal", tuple(f"class {c}" for c in range(n_classes)))
    return Dataset(Schema((Attribute("x", "nominal", labels),), target), [codes], classes, np.ones(len(codes)))


def gain_of(dataset: Dataset, left: np.ndarray, impurity: str) -> float:
    """The gain of splitting these rows (flags) from the other rows with a known label."""
    known = dataset.columns[0] >= 0
    parts = (spread_of_rows(dataset, rows, impurity) for rows in (left, known & ~left))
    return (spread_of_rows(dataset, known, impurity) - sum(parts)) / float(dataset.weights.sum())


def best_gain_of_all(dataset: Dataset, impurity: str, min_leaf: float) -> float:
    """The most that any grouping of the labels into two gains."""
    codes = dataset.columns[0]
    present = sorted(set(codes[codes >= 0].tolist()))
    best = -inf
    for size in range(1, len(present) // 2 + 1):
        for group in combinations(present, size):
            left = np.isin(codes, group)
            weights = [dataset.weights[rows].sum() for rows in (left, (codes >= 0) & ~left)]
            if min(weights) >= min_leaf - 1e-9:
                best = max(best, gain_of(dataset, left, impurity))
    return best


def assert_consistent(dataset: Dataset, learner: Settings, impurity: str) -> float:
    """The gain of the best grouping, after a look whether the branches it names gain just that; -inf for none."""
    growth = AtRoot(dataset, learner)
    if not growth.is_open:
        return -inf
    found = growth.candidates(0)
    assert found.table is not None
    if found.gain[0] == -inf:
        return -inf
    codes = dataset.columns[0]
    known = codes >= 0
    branch = np.where(known, found.table[0][np.maximum(codes, 0)], -1)
    assert set(branch[known].tolist()) == {0, 1}
    assert found.gain[0] == pytest.approx(gain_of(dataset, branch == 0, impurity), abs=1e-9)
    weights = [float(dataset.weights[branch == b].sum()) for b in (0, 1, -1)]
    assert min(weights[:2]) >= learner.stopping.min_leaf - 1e-9
    assert found.split_info[0] == pytest.approx(information(weights), abs=1e-9)
    return float(found.gain[0])


# Counts of (positive, negative): a 1 of 10, b 6, c 3, d 9. Sorted by share: a c b d; gini gains of the three cuts
# 0.09375, 0.15125, 0.120417; in bits {a, c} gains 0.231593. All by hand, and no other grouping gains more.
@pytest.mark.parametrize(("criterion", "gain"), [("gini", 0.15125), ("gain", 0.231593)])
def test_two_classes_are_grouped_by_their_share(criterion: str, gain: float) -> None:
    dataset = dataset_of_counts({"a": (1, 9), "b": (6, 4), "c": (3, 7), "d": (9, 1)})
    found = candidates_at_root(dataset, 0, Settings.of(criterion=criterion, nominal="subset"))
    assert found.gain[0] == pytest.approx(gain, abs=1e-6)
    assert found.table is not None
    assert found.table[0].tolist() == [0, 1, 0, 1]


def test_three_classes_are_grouped_by_trying_all() -> None:
    # The best of the 15 groupings gain 0.1396, by enumeration: {a, b} against {c, e}, with d on either side.
    dataset = dataset_of_counts({"a": (8, 1, 1), "b": (7, 2, 1), "c": (1, 8, 1), "d": (1, 1, 8), "e": (2, 7, 1)})
    found = candidates_at_root(dataset, 0, Settings.of(criterion="gini", nominal="subset"))
    assert found.gain[0] == pytest.approx(0.1396, abs=1e-6)
    assert found.table is not None
    assert found.table[0][[0, 1, 2, 4]].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("criterion", ["gain", "gini", "error"])
@settings(deadline=None, max_examples=25)
@given(data=st.data(), n_classes=st.integers(2, 10))
def test_no_grouping_of_classes_gains_more(criterion: str, data: st.DataObject, n_classes: int) -> None:
    dataset = data.draw(
        datasets(["nominal"], n_classes=st.just(n_classes), weights=data.draw(WEIGHTS), with_missing=True)
    )
    learner = Settings.of(criterion=criterion, nominal="subset", min_leaf=0.25)
    found = assert_consistent(dataset, learner, IMPURITIES[criterion])
    if found > -inf:
        assert found == pytest.approx(best_gain_of_all(dataset, IMPURITIES[criterion], 0.25), abs=1e-9)


@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_no_grouping_by_means_gains_more(data: st.DataObject) -> None:
    dataset = data.draw(datasets(["nominal"], weights=data.draw(WEIGHTS), with_missing=True))
    found = assert_consistent(dataset, Settings.of(nominal="subset", min_leaf=0.25), "variance")
    if found > -inf:
        assert found == pytest.approx(best_gain_of_all(dataset, "variance", 0.25), abs=1e-9)


@settings(deadline=None, max_examples=25)
@given(data=st.data(), min_leaf=st.sampled_from([2.0, 4.0]))
def test_groups_hold_enough_cases(data: st.DataObject, min_leaf: float) -> None:
    dataset = data.draw(datasets(["nominal"], n_classes=st.just(3), weights=data.draw(WEIGHTS), with_missing=True))
    learner = Settings.of(criterion="gini", nominal="subset", min_leaf=min_leaf)
    found = assert_consistent(dataset, learner, "gini")
    if AtRoot(dataset, learner).is_open:
        assert found == pytest.approx(best_gain_of_all(dataset, "gini", min_leaf), abs=1e-9)


def principal_component(dataset: Dataset) -> np.ndarray:
    """Each present label's place along the first principal component of the class shares, by numpy's eigenvectors."""
    codes, target = dataset.columns[0], np.asarray(dataset.target)
    n_labels, n_classes = len(dataset.schema.attributes[0].labels), len(dataset.schema.target.labels)
    counts = np.zeros((n_labels, n_classes))
    np.add.at(counts, (codes, target), dataset.weights)
    weight = counts.sum(axis=1)
    shares = counts / weight[:, None]
    centered = shares - np.average(shares, axis=0, weights=weight)
    values, vectors = np.linalg.eigh((centered * weight[:, None]).T @ centered)
    assume(values[-1] - values[-2] > 0.1 * values[-1])
    return np.asarray(shares @ vectors[:, -1])


@settings(deadline=None, max_examples=4)
@given(st.integers(0, 10_000))
def test_many_labels_of_three_classes_are_cut_along_the_first_principal_component(seed: int) -> None:
    random = np.random.default_rng(seed)
    n_labels = Settings().splitting.most_exhaustive + 2
    codes = np.repeat(np.arange(n_labels), 9).astype(np.int32)
    classes = random.integers(0, 3, len(codes)).astype(np.int32)
    schema = Schema((Attribute("x", "nominal", tuple(LETTERS[:n_labels])),), Attribute("y", "nominal", tuple("abc")))
    dataset = Dataset(schema, [codes], classes, np.ones(len(codes)))
    place = principal_component(dataset)
    found = candidates_at_root(dataset, 0, Settings.of(criterion="gini", nominal="subset"))
    assert found.gain[0] <= best_gain_of_all(dataset, "gini", 1.0) + 1e-9
    assert found.table is not None
    sides = [place[found.table[0] == branch] for branch in (0, 1)]
    assert sides[0].max() <= sides[1].min() + 1e-9 or sides[1].max() <= sides[0].min() + 1e-9
    by_place = np.argsort(place)
    is_tie = np.diff(place[by_place]) < 1e-9
    # Labels with other counts may lie at the same place, and the order of those is anybody's.
    counts = np.array([np.bincount(classes[codes == code], minlength=3) for code in by_place])
    assume(not np.any(is_tie & np.any(np.diff(counts, axis=0) != 0, axis=1)))
    cuts = [gain_of(dataset, np.isin(codes, by_place[:n]), "gini") for n in range(1, n_labels)]
    assert found.gain[0] == pytest.approx(max(cuts), abs=1e-9)


@pytest.mark.parametrize("nominal", ["multiway", "binary", "subset"])
@pytest.mark.parametrize("n_classes", [2, 5, None])
def test_a_thousand_labels_are_grouped(nominal: str, n_classes: int | None) -> None:
    random = np.random.default_rng(1)
    codes = np.concatenate([np.arange(1000), random.integers(0, 1000, 4000)]).astype(np.int32)
    attribute = Attribute("x", "nominal", tuple(f"label {code}" for code in range(1000)))
    # Only whether a label is below 500 is related to the target.
    if n_classes is None:
        target, values = Attribute("y", "numeric"), (codes >= 500) * 10.0 + random.random(5000)
    else:
        target = Attribute("y", "nominal", tuple(LETTERS[:n_classes]))
        values = np.where(codes < 500, 0, random.integers(1, n_classes, 5000)).astype(np.int32)
    dataset = Dataset(Schema((attribute,), target), [codes], values, np.ones(5000))
    criterion = "variance" if n_classes is None else "gini"
    found = candidates_at_root(dataset, 0, Settings.of(criterion=criterion, nominal=nominal))
    assert found.gain[0] > 0
    assert found.table is not None
    if nominal == "subset":
        assert found.table[0].tolist() == [0] * 500 + [1] * 500


def test_entries_are_ordered_by_score_within_their_node_equal_ones_as_they_stand() -> None:
    # Nodes of 5, 0, 1, 3 and 2 entries; by hand, with the ties 2.0 at 1 and 3, and 0.0 at 6 to 8.
    start = np.array([0, 5, 5, 6, 9, 11], np.int64)
    score = np.array([3.0, 2.0, 5.0, 2.0, 1.0, 9.0, 0.0, 0.0, 0.0, 2.0, 1.0])
    order = np.empty(11, np.int64)
    order_labels.order_by(start, score, np.empty(11, np.int64), order)
    assert order.tolist() == [4, 1, 3, 0, 2, 5, 6, 7, 8, 10, 9]


def test_the_scores_of_many_classes_are_the_first_principal_component() -> None:
    # Labels a(8,1,1) b(7,2,1) c(1,8,1) d(1,1,8) e(2,7,1), ten cases each: the leading vector is (1, -1, 0)/√2, so
    # that the shares give 0.7, 0.5, -0.7, 0, -0.5 in units of its largest part: the order is c e d b a.
    outcomes = np.array([[8, 1, 1], [7, 2, 1], [1, 8, 1], [1, 1, 8], [2, 7, 1]], np.float64)
    score, scratch = np.empty(5), np.empty((3, 3))
    order_labels.principal_scores(np.array([0, 5], np.int64), outcomes, 4, *scratch, score)
    np.testing.assert_allclose(score, [0.7, 0.5, -0.7, 0.0, -0.5], atol=1e-6)


@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@pytest.mark.parametrize("nominal", ["multiway", "binary"])
@pytest.mark.parametrize("criterion", ["gain", "gini", "error", "variance"])
@settings(deadline=None, max_examples=12)
@given(data=st.data(), min_leaf=st.sampled_from([0.5, 1.0, 2.0]))
def test_one_branch_a_label_or_one_label_against_the_rest(
    criterion: str, nominal: str, missing: str, data: st.DataObject, min_leaf: float
) -> None:
    n_classes = None if criterion == "variance" else st.integers(2, 4)
    weights = data.draw(WEIGHTS)
    dataset = data.draw(datasets(["nominal"], n_classes=n_classes, weights=weights, with_missing=True))
    learner = Settings.of(criterion=criterion, nominal=nominal, missing=missing, min_leaf=min_leaf)
    growth = AtRoot(dataset, learner)
    if not growth.is_open:
        return
    found = growth.candidates(0)
    plain = PlainGrower(dataset, learner)
    expected = plain.best(plain.nodes[0].cases, 0)
    if expected is None:
        assert found.gain[0] == -inf
        return
    assert found.gain[0] == pytest.approx(expected.gain, abs=1e-9)
    assert found.split_info[0] == pytest.approx(expected.split_info, abs=1e-9)
    assert found.parts_missing[0] == (expected.kind == "known")
    assert found.n_branches[0] == expected.n_branches
    assert found.missing_to[0] == (-1 if expected.missing_to is None else expected.missing_to)
    if expected.kind != "known":
        assert found.table is not None
        assert found.table[0].tolist() == [expected.branch(code) for code in range(found.table.shape[1])]


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_missing_values_join_the_group_where_they_fit_best(data: st.DataObject) -> None:
    dataset = data.draw(datasets(["nominal"], n_classes=st.integers(2, 3), weights=FRACTIONS, with_missing=True))
    found = AtRoot(dataset, Settings.of(criterion="gini", nominal="subset", missing="branch", min_leaf=0.25))
    if not found.is_open:
        return
    # The same as a label more.
    attribute = dataset.schema.attributes[0]
    labelled = Attribute("x", "nominal", (*attribute.labels, "missing"))
    codes = np.where(dataset.columns[0] < 0, len(attribute.labels), dataset.columns[0]).astype(np.int32)
    schema = Schema((labelled,), dataset.schema.target)
    as_label = Dataset(schema, [codes], dataset.target, dataset.weights)
    with_label = candidates_at_root(as_label, 0, Settings.of(criterion="gini", nominal="subset", min_leaf=0.25))
    candidates = found.candidates(0)
    assert candidates.gain[0] == pytest.approx(with_label.gain[0], abs=1e-12)
    assert with_label.table is not None
    assert candidates.table is not None
    if np.isfinite(candidates.gain[0]) and not candidates.parts_missing[0]:
        branches = [*candidates.table[0].tolist(), candidates.missing_to[0]]
        assert branches == with_label.table[0].tolist()
