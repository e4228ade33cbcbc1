"""Splits that lower the absolute error about the median.

Medians are not additive, so they cannot be computed from count tables: the cases of each node are kept sorted by
target, and kernels scan them. In scikit-learn's arithmetic, errors are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.candidates import (
    NO_GAIN,
    Candidates,
    Codes,
    CountTables,
    Cuts,
    Floats,
    Indices,
    empty_test,
    joined,
    room_for_cuts,
)
from treecli.grow.level import TARGET, MemoryLevel, SentCases, SortedCases
from treecli.kernels import codes, group_medians, score_medians
from treecli.kernels.args import At, Cases, Plan
from treecli.kernels.group_medians import NO_GROUP, Groups
from treecli.kernels.linked_medians import Ranked
from treecli.records import dataclass
from treecli.scorers import Ranking, _usual
from treecli.scorers._usual import at_data_values as at_data_values
from treecli.scorers._usual import order as order
from treecli.scorers._usual import worth as worth

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.missing import Policy
    from treecli.settings import Settings


def refuses(settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
    """Return why medians do not support these settings; None if they do."""
    return None if criterion.impurity == "absolute" else f"medians have no impurity '{criterion.impurity}'"


def root(label: Codes, target: Floats, weight: Floats, n_outcomes: int, plan: Plan) -> tuple[Floats, Floats]:
    """Return the additive outcomes of all cases, as one row, and the centre of the target."""
    find = _usual.root_about_0 if plan.arithmetic == codes.SKLEARN else _usual.root
    return find(label, target, weight, n_outcomes, plan)


def open(outcomes: Floats, sums: Floats, rest: Floats, plan: Plan) -> tuple[Floats, Floats]:
    """Return the additive outcomes of open children, and their centres."""
    find = _usual.open_about_0 if plan.arithmetic == codes.SKLEARN else _usual.open
    return find(outcomes, sums, rest, plan)


def cuts(level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
    """Return the best cut of every node in the order of a column; `only_at` allows one threshold per node."""
    n = level.n_nodes
    found = room_for_cuts(n, is_exact=True)
    assert found.improvement is not None
    allowed = np.full(n, np.nan) if only_at is None else only_at
    score_medians.best_cuts(level.cases, order.args, allowed, At(), plan, found.args(), _ranked(level))
    if not plan.missing_is_value:
        # Errors of fewer cases are smaller, so they are not comparable.
        found.improvement[order.n_known < np.diff(level.start)] = np.nan
    return found


def groups(engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
    """Return the best split on a nominal attribute at every node.

    Two groups of labels are found by cutting the labels in the order of their medians. This is a heuristic: unlike for
    means, the best grouping need not be a cut in that order.
    """
    plan = engine.plan
    if plan.nominal == codes.GROUPS:
        return _subsets(engine, level, attribute)
    find = _one_against_rest if plan.nominal == codes.ONE_AGAINST_REST else _each_label
    portions, first = [], 0
    for tables in engine.tables(level, attribute):
        portions.append(find(_Labels.of(engine, level, attribute, tables, first), tables, plan))
        first += len(tables.weights)
    return joined(portions)


def settle_root(level: MemoryLevel, outcomes: Floats, plan: Plan) -> None:
    """Replace the mean and deviance of the root by the median and the absolute error."""
    all_cases = np.zeros(level.n_cases, np.int32)
    _take_medians(level, np.array([0, 1], np.int64), all_cases, np.ones(1), outcomes)


def settle(sent: SentCases, outcomes: Floats, plan: Plan) -> None:
    """Replace the means and deviances of children by medians and absolute errors.

    The decrease among known values cannot be computed from sums, so it is the one that the search found.
    """
    level, first_child = sent.level, sent.decision.first_child
    decrease = (sent.decision.gain * level.weights(plan))[np.isfinite(sent.decrease)]
    sent.decrease[np.isfinite(sent.decrease)] = decrease
    is_split = np.diff(first_child) > 0
    group_of_case = np.where(np.repeat(is_split, np.diff(level.start)), sent.branch, NO_GROUP).astype(np.int32)
    _take_medians(level, first_child, group_of_case, sent.share, outcomes)


def rank(candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Ranking:
    """Rank by gain or, in scikit-learn's arithmetic, by the absolute error after the split."""
    if plan.arithmetic == codes.SKLEARN:
        return _usual.rank_exactly(candidates, gain, level, plan, -level.outcomes[:, codes.DEVIANCE])
    return _usual.rank(candidates, gain, level, plan)


def _take_medians(
    level: MemoryLevel, group_start: Indices, group_of_case: Codes, share: Floats, outcomes: Floats
) -> None:
    weight = outcomes[:, codes.WEIGHT]
    found = _group_medians(level.cases, level.orders[TARGET], group_start, group_of_case, weight, share)
    outcomes[:, codes.MEAN], outcomes[:, codes.DEVIANCE] = found


def _group_medians(
    cases: Cases,
    by_target: SortedCases,
    group_start: Indices,
    group_of_case: Codes,
    weight: Floats,
    share: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return each group's median and absolute error; `share` is None if no case belongs to several groups."""
    n, groups = len(weight), Groups()
    median, deviation = np.empty(n), np.empty(n)
    groups.start, groups.of_case, groups.weight = group_start, group_of_case, np.ascontiguousarray(weight)
    groups.share = np.zeros(n) if share is None else share
    groups.median, groups.deviation, groups.passed = median, deviation, np.empty(n)
    group_medians.group_medians(cases, by_target.args, groups)
    return median, deviation


def _ranked(level: MemoryLevel) -> Ranked:
    """Return the cases of each node by the rank of their target."""
    ranked, room = Ranked(), int(level.size.max(initial=0)) + 1
    ranked.rank, ranked.target = level.target_rank, level.orders[TARGET].value
    ranked.is_alike = level.has_unit_weights
    ranked.is_cut, ranked.deviation = np.empty(room, np.uint8), np.empty((score_medians.DEVIATION_ROWS, room))
    ranked.fenwick, ranked.link = np.empty((room, 2)), np.empty((room, 2), np.int32)
    ranked.place_rank, ranked.place_target = np.empty(room, np.int32), np.empty(room)
    return ranked


@dataclass(frozen=True, slots=True)
class _Labels:
    """The cases of some nodes grouped by label: group g of a node is the g-th label that occurs there."""

    level: MemoryLevel
    cases: Cases
    group_of_case: Codes
    node_of_group: Indices
    median: Floats
    error: Floats
    before: Floats
    """The absolute error of all cases of a node whose value counts, before the split."""

    @classmethod
    def of(cls, engine: Any, level: MemoryLevel, attribute: int, tables: CountTables, first: int) -> _Labels:
        """Return the labels of the portion of nodes that begins with node `first`."""
        n, by_target = len(tables.weights), level.orders[TARGET]
        start = level.start[first : first + n + 1]
        within = slice(start[0], start[-1])
        node = np.repeat(np.arange(n), np.diff(start))
        node_of_group = np.repeat(np.arange(n), np.diff(tables.start))
        code = engine.labels(attribute)[1][level.row[within]].astype(np.int64)
        if engine.plan.missing_is_value:
            code = np.where(code < 0, tables.n_labels, code)
        n_codes = tables.n_labels + 1
        group = np.searchsorted(node_of_group * n_codes + tables.code, node * n_codes + code)
        group_of_case = np.full(level.n_cases, NO_GROUP, np.int32)
        group_of_case[within] = np.where(code < 0, NO_GROUP, group - tables.start[node])
        all_of_case = np.where(group_of_case >= 0, 0, NO_GROUP).astype(np.int32)
        weight = tables.outcomes[:, codes.WEIGHT]
        known = np.bincount(node_of_group, weight, n).astype(np.float64)
        of_nodes = level.center[first : first + n], level.totals[first : first + n]
        cases = Cases(start, level.row, level.label, level.target, level.weight, *of_nodes)
        _, before = _group_medians(cases, by_target, np.arange(n + 1), all_of_case, known)
        median, error = _group_medians(cases, by_target, tables.start, group_of_case, weight)
        return cls(level, cases, group_of_case, node_of_group, median, error, before)

    def rest(self, tables: CountTables) -> Floats:
        """Return, for each label, the absolute error of the node's cases with other labels."""
        n_groups, start = len(self.error), np.asarray(self.cases.start)
        node = np.repeat(np.arange(len(start) - 1), np.diff(start))
        group = np.full(self.level.n_cases, n_groups)
        within = slice(start[0], start[-1])
        of_node = self.group_of_case[within]
        group[within] = np.where(of_node >= 0, tables.start[node] + of_node, n_groups)
        groups, error = Groups(), np.empty(n_groups)
        groups.start, groups.of_case, groups.deviation = tables.start, self.group_of_case, error
        groups.case = np.argsort(group, kind="stable").astype(np.int32)
        groups.end = np.cumsum(np.bincount(group, minlength=n_groups)[:n_groups])
        score_medians.rest_deviations(self.cases, At(), groups, _ranked(self.level))
        return error


def _each_label(labels: _Labels, tables: CountTables, plan: Plan) -> Candidates:
    """Return the split with one branch per label."""
    left = np.bincount(labels.node_of_group, labels.error, len(tables.weights))
    # Everything except the gain depends only on weights.
    found: Candidates = plan.grouping.best(tables, plan)
    return replace(found, gain=np.where(np.isfinite(found.gain), (labels.before - left) / tables.weights, NO_GAIN))


def _one_against_rest(labels: _Labels, tables: CountTables, plan: Plan) -> Candidates:
    """Return the best split of one label against the rest; ties go to the first label."""
    n, node = len(tables.weights), labels.node_of_group
    weight = tables.outcomes[:, codes.WEIGHT]
    others = np.bincount(node, weight, n)[node] - weight
    other_rows = np.bincount(node, tables.n_rows, n)[node] - tables.n_rows
    least = max(plan.min_leaf - plan.tolerance, 0.0)
    may_be = (np.minimum(weight, others) >= least) & (np.minimum(tables.n_rows, other_rows) >= plan.min_rows)
    gain = (labels.before[node] - labels.error - labels.rest(tables)) / tables.weights[node]
    gain[~(may_be & (weight > 0) & (others > 0))] = NO_GAIN
    best = np.full(n, NO_GAIN)
    np.maximum.at(best, node, gain)
    slack = plan.tolerance * labels.before / tables.weights
    # In reverse order, so that the first of several ties is written last.
    ties = np.flatnonzero(np.isfinite(gain) & (gain >= (best - slack)[node]))[::-1]
    chosen = np.full(n, -1, np.int64)
    chosen[node[ties]] = ties
    is_found = chosen >= 0
    label = tables.code[np.maximum(chosen, 0)] if len(tables.code) else np.zeros(n, np.int32)
    is_alone = is_found & (label == tables.n_labels)
    table = np.ones((n, tables.n_labels), np.int32)
    is_label = is_found & ~is_alone
    table[np.flatnonzero(is_label), label[is_label]] = 0
    return Candidates(
        "binary",
        np.where(is_found, gain[np.maximum(chosen, 0)] if len(gain) else NO_GAIN, NO_GAIN),
        np.zeros(n),
        empty_test(n),
        n_branches=np.full(n, 2, np.int32),
        missing_to=np.where(tables.holds_missing(), 1, codes.NO_BRANCH).astype(np.int32),
        parts_missing=is_alone,
        table=table,
    )


def _subsets(engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
    """Return the best cut of the labels in the order of their medians."""
    n, code_of_row = level.n_nodes, engine.labels(attribute)[1]
    place_of_case = np.full(level.n_cases, np.nan)
    places: list[tuple[Indices, Codes, Indices]] = []
    n_labels, first = 0, 0
    for tables in engine.tables(level, attribute):
        labels = _Labels.of(engine, level, attribute, tables, first)
        n_labels, start = tables.n_labels, np.asarray(labels.cases.start)
        order = np.lexsort((tables.code, labels.median, labels.node_of_group))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order)) - tables.start[labels.node_of_group]
        within = slice(start[0], start[-1])
        node = np.repeat(np.arange(len(tables.weights)), np.diff(start))
        is_known = code_of_row[level.row[within]] >= 0
        group = (tables.start[node] + labels.group_of_case[within])[is_known]
        place_of_case[np.arange(level.n_cases)[within][is_known]] = place[group]
        is_label = tables.code < n_labels
        places.append((first + labels.node_of_group[is_label], tables.code[is_label], place[is_label]))
        first += len(tables.weights)
    case = np.lexsort((place_of_case, level.node_of_case)).astype(np.int32)
    n_known = np.bincount(level.node_of_case[place_of_case == place_of_case], minlength=n)
    found = cuts(level, SortedCases(case, place_of_case[case], n_known), None, plan=engine.plan)
    node, code, place = (np.concatenate(parts) for parts in zip(*places, strict=True))
    table = np.full((n, n_labels), codes.NO_BRANCH, np.int32)
    table[node, code] = place > found.lower[node]
    # Branch 0 is the group with the first label.
    with_labels, first_label = np.unique(node, return_index=True)
    is_swapped = np.zeros(n, bool)
    is_swapped[with_labels] = table[with_labels, code[first_label]] == 1
    table[is_swapped] = np.where(table[is_swapped] == codes.NO_BRANCH, codes.NO_BRANCH, 1 - table[is_swapped])
    is_sided = (found.missing_side == 0) | (found.missing_side == 1)
    side = np.where(is_swapped & is_sided, 1 - found.missing_side, found.missing_side)
    is_alone = found.missing_side == codes.KNOWN_OR_NOT
    return Candidates(
        "subset",
        found.gain,
        found.split_info,
        found.test,
        n_branches=np.full(n, 2, np.int32),
        missing_to=np.where(is_alone, 1, side).astype(np.int32),
        parts_missing=is_alone,
        table=table,
        improvement=found.improvement,
    )
