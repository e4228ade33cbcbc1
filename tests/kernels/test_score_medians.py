"""Absolute errors about medians, against a computation of every cut and group."""

from __future__ import annotations

from itertools import chain, pairwise
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.grow.candidates import Cuts, room_for_cuts
from treecli.kernels import codes, group_medians, score_medians
from treecli.kernels.args import At, Cases, Order, Plan
from treecli.kernels.codes import KNOWN_OR_NOT
from treecli.kernels.codes import SPREAD as ALL_GROUPS
from treecli.kernels.group_medians import NO_GROUP, Groups
from treecli.kernels.linked_medians import Ranked

TARGETS = st.integers(-6, 6).map(float)
WEIGHTS = st.sampled_from([1.0, 1.0, 1.0, 2.0, 0.25])
VALUES = st.integers(0, 4).map(float) | st.just(nan)
Row = tuple[float, float, float]
"""Value, target and weight."""

ROWS = st.lists(st.tuples(VALUES, TARGETS, WEIGHTS), min_size=1, max_size=12)
ROWS_ALIKE = st.lists(st.tuples(VALUES, TARGETS, st.just(1.0)), min_size=1, max_size=12)
NODES = st.lists(ROWS, min_size=1, max_size=3) | st.lists(ROWS_ALIKE, min_size=1, max_size=3)


def deviation(rows: list[tuple[float, float]]) -> float:
    """The least sum of absolute differences that any value has; a target always is one of the best."""
    return min((sum(w * abs(y - m) for y, w in rows) for m, _ in rows), default=0.0)


def middle(rows: list[tuple[float, float]]) -> float:
    """The weighted median: halfway between the two in the middle where just half the weight lies below."""
    rows, half, passed = sorted(rows), sum(w for _, w in rows) / 2, 0.0
    for (y, w), (following, _) in zip(rows, [*rows[1:], rows[-1]], strict=True):
        passed += w
        if passed == half:
            return (y + following) / 2
        if passed > half:
            return y
    raise AssertionError("weights are positive")


class Level:
    """Nodes one after the other, in the form that the kernels take."""

    def __init__(self, nodes: list[list[Row]]) -> None:
        sizes = [len(rows) for rows in nodes]
        self.start = np.concatenate([[0], np.cumsum(sizes)])
        values, self.target, self.weight = (np.array(column) for column in zip(*chain(*nodes), strict=True))
        node = np.repeat(np.arange(len(nodes)), sizes)
        self.case = np.lexsort((values, node)).astype(np.int32)
        self.value = values[self.case]
        self.n_known = np.bincount(node[~np.isnan(values)], minlength=len(nodes))
        self.case_by_rank = np.lexsort((self.target, node)).astype(np.int32)
        self.target_by_rank = self.target[self.case_by_rank]
        self.rank = np.empty(len(values), np.int32)
        self.rank[self.case_by_rank] = np.arange(len(values)) - self.start[node]
        self.room = max(sizes) + 1

    def cases(self, center: float = 0.0) -> Cases:
        n, n_nodes = len(self.target), len(self.start) - 1
        codes_of_case = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
        of_nodes = np.full(n_nodes, center), np.zeros((n_nodes, 3))
        return Cases(self.start, *codes_of_case, self.target, self.weight, *of_nodes)

    def by_target(self) -> Order:
        return Order(self.case_by_rank, self.target_by_rank, np.diff(self.start), 0.0)

    def ranked(self) -> Ranked:
        ranked = Ranked()
        ranked.rank, ranked.target, ranked.is_alike = self.rank, self.target_by_rank, bool((self.weight == 1.0).all())
        ranked.is_cut, ranked.fenwick = np.empty(self.room, np.uint8), np.empty((self.room, 2))
        ranked.link = np.empty((self.room, 2), np.int32)
        ranked.place_rank, ranked.place_target = np.empty(self.room, np.int32), np.empty(self.room)
        ranked.deviation = np.empty((score_medians.DEVIATION_ROWS, self.room))
        return ranked

    def cuts(self, plan: Plan, *, only_at: float = nan, center: float = 0.0) -> Cuts:
        n = len(self.start) - 1
        found = room_for_cuts(n, is_exact=True)
        order = Order(self.case, self.value, self.n_known, 0.0)
        allowed = np.full(n, only_at)
        score_medians.best_cuts(self.cases(center), order, allowed, At(), plan, found.args(), self.ranked())
        return found


def plan_of(
    *, missing_is_value: bool = False, min_leaf: float = 0.0, tolerance: float = 1e-9, arithmetic: int = codes.SUMS
) -> Plan:
    plan = Plan()
    plan.missing_is_value, plan.min_leaf, plan.min_rows, plan.tolerance = missing_is_value, min_leaf, 0.0, tolerance
    plan.arithmetic, plan.is_single = arithmetic, False
    return plan


def expected_cut(rows: list[Row], missing_is_value: bool, min_leaf: float, only_at: float) -> tuple[float, float, int]:
    """Gain, lower value and the side of missing values of the best cut, the first of equals."""
    known = [row for row in rows if row[0] == row[0]]
    missing = [row for row in rows if row[0] != row[0]] if missing_is_value else []
    splits: list[tuple[float, int, list[Row], list[Row]]] = []
    if missing:
        splits.append((inf, KNOWN_OR_NOT, known, missing))
    present = sorted({row[0] for row in known})
    for lower, upper in pairwise(present):
        if only_at == only_at and not lower <= only_at < upper:
            continue
        left, right = [r for r in known if r[0] <= lower], [r for r in known if r[0] > lower]
        if missing:
            splits += [(lower, 0, left + missing, right), (lower, 1, left, right + missing)]
        else:
            splits.append((lower, -1, left, right))
    before = deviation([row[1:] for row in known + missing])
    best = (-inf, inf, -1)
    for lower, side, left, right in splits:
        if not left or not right or min(sum(r[2] for r in part) for part in (left, right)) < min_leaf:
            continue
        gain = before - sum(deviation([row[1:] for row in part]) for part in (left, right))
        gain /= sum(row[2] for row in rows)
        if gain > best[0] + 1e-9:
            best = gain, lower, side
    return best


@pytest.mark.parametrize("missing_is_value", [False, True])
@given(NODES, st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([nan, 1.5]), st.sampled_from([0.0, 1e6]))
def test_the_best_cut_leaves_the_least_absolute_error(
    missing_is_value: bool,
    nodes: list[list[Row]],
    min_leaf: float,
    only_at: float,
    center: float,
) -> None:
    plan = plan_of(missing_is_value=missing_is_value, min_leaf=min_leaf)
    found = Level(nodes).cuts(plan, only_at=only_at, center=center)
    for node, rows in enumerate(nodes):
        gain, lower, side = expected_cut(rows, missing_is_value, min_leaf, only_at)
        assert found.gain[node] == pytest.approx(gain, abs=1e-8)
        if gain > -inf:
            assert found.missing_side[node] == side
            assert side == KNOWN_OR_NOT or found.lower[node] == lower


@given(NODES, st.sampled_from([0.0, 1.0]))
def test_in_scikit_learns_arithmetic_the_cut_is_as_good(nodes: list[list[Row]], min_leaf: float) -> None:
    found = Level(nodes).cuts(plan_of(min_leaf=min_leaf, tolerance=0.0, arithmetic=codes.SKLEARN))
    for node, rows in enumerate(nodes):
        known = sum(row[2] for row in rows if row[0] == row[0])
        gain, _, _ = expected_cut(rows, missing_is_value=False, min_leaf=min_leaf, only_at=nan)
        assert found.gain[node] == pytest.approx(gain, abs=1e-8)
        if gain > -inf and known == sum(row[2] for row in rows):
            before = deviation([row[1:] for row in rows])
            assert found.improvement is not None
            assert (before + found.improvement[node]) / known == pytest.approx(gain, abs=1e-8)


def test_errors_about_the_median_are_those_worked_out_by_hand() -> None:
    # y = 1 2 3 100 over x = 1 2 3 4: the error about any value from 2 to 3 is 100. Cut after 1: 0 + 98; after 2:
    # 1 + 97; after 3: 2 + 0, which gains 98/4 a case.
    level = Level([[(1.0, 1.0, 1.0), (2.0, 2.0, 1.0), (3.0, 3.0, 1.0), (4.0, 100.0, 1.0)]])
    found = level.cuts(plan_of())
    assert (found.gain[0], found.lower[0], found.upper[0]) == (24.5, 3.0, 4.0)
    assert found.improvement is not None
    assert found.improvement[0] == -2.0


@given(NODES, st.data())
def test_each_group_has_its_median_and_its_error(nodes: list[list[Row]], data: st.DataObject) -> None:
    level = Level(nodes)
    n_groups = [data.draw(st.integers(1, 3)) for _ in nodes]
    group_start = np.concatenate([[0], np.cumsum(n_groups)])
    group_of_case = np.array(
        [data.draw(st.integers(NO_GROUP, n - 1)) for n, rows in zip(n_groups, nodes, strict=True) for _ in rows],
        np.int32,
    )
    share = np.array([data.draw(st.sampled_from([0.0, 0.5, 0.25])) for _ in range(sum(n_groups))])
    members: list[list[tuple[float, float]]] = [[] for _ in share]
    for node, (begin, end) in enumerate(pairwise(level.start)):
        for case in range(begin, end):
            y, w = float(level.target[case]), float(level.weight[case])
            for group in range(group_start[node], group_start[node + 1]):
                if group_of_case[case] == ALL_GROUPS and share[group] > 0:
                    members[group].append((y, w * share[group]))
                elif group_of_case[case] == group - group_start[node]:
                    members[group].append((y, w))
    median, error = np.empty(len(share)), np.empty(len(share))
    groups = Groups()
    groups.start, groups.of_case, groups.share = group_start, group_of_case, share
    groups.weight = np.array([sum(w for _, w in rows) for rows in members], float)
    groups.median, groups.deviation, groups.passed = median, error, np.empty(len(share))
    group_medians.group_medians(level.cases(), level.by_target(), groups)
    assert median.tolist() == [middle(rows) if rows else 0.0 for rows in members]
    assert error == pytest.approx([deviation(rows) for rows in members], abs=1e-12)


@given(NODES, st.data())
def test_the_rest_of_a_node_has_the_error_of_all_but_the_group(nodes: list[list[Row]], data: st.DataObject) -> None:
    level = Level(nodes)
    n_groups = 3
    group_start = np.arange(len(nodes) + 1) * n_groups
    group_of_case = np.array([data.draw(st.sampled_from([NO_GROUP, 0, 1, 2])) for _ in level.target], np.int32)
    node = np.repeat(np.arange(len(nodes)), np.diff(level.start))
    counted = np.flatnonzero(group_of_case >= 0)
    group = node * n_groups + group_of_case
    case_by_group = counted[np.argsort(group[counted], kind="stable")].astype(np.int32)
    end_of_group = np.cumsum(np.bincount(group[counted], minlength=group_start[-1]))
    rest = np.empty(group_start[-1])
    groups = Groups()
    groups.start, groups.of_case, groups.deviation = group_start, group_of_case, rest
    groups.case, groups.end = case_by_group, end_of_group
    score_medians.rest_deviations(level.cases(), At(), groups, level.ranked())
    expected = [
        deviation([(level.target[c], level.weight[c]) for c in counted if node[c] == i // n_groups and group[c] != i])
        for i in range(group_start[-1])
    ]
    assert rest == pytest.approx(expected, abs=1e-9)
