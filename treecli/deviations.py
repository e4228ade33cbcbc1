"""Splits that lower the absolute error about the median.

Medians do not add up as counts do, so no table of counts tells them: the cases of each node are kept in the order of
their target, and kernels go through them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treecli.candidates import NO_GAIN, Candidates, Codes, CountTables, Cuts, Floats, Indices, Terms, empty_test, joined
from treecli.kernels import middles, score_medians
from treecli.kernels.score_sums import KNOWN_OR_NOT
from treecli.memory import TARGET, Decision, MemoryEngine
from treecli.ordering import SortedCases
from treecli.splits import NO_BRANCH, multiway
from treecli.tree import DEVIANCE, MEAN, WEIGHT

NO_GROUP = -2
"""The group of a case that belongs to none."""


def cuts(engine: MemoryEngine, ordered: SortedCases, only_at: Floats | None, terms: Terms) -> Cuts:
    """The best cut of every open node, its cases in the order of some value; `only_at` leaves one threshold to each."""
    n, room = engine.n_nodes, int(np.diff(engine.start).max(initial=0)) + 1
    worth = np.empty(n)
    found = Cuts(np.empty(n), np.zeros(n), np.zeros(n), np.ones(n), np.empty(n, np.int32), empty_test(n), worth)
    score_medians.best_cuts(
        engine.start,
        ordered.n_known,
        ordered.case,
        ordered.value,
        _ranks(engine),
        engine.ordered[TARGET].value,
        engine.weight_of_case,
        engine.center,
        np.full(n, np.nan) if only_at is None else only_at,
        terms.missing_is_value,
        terms.min_leaf - terms.tolerance,
        terms.min_rows,
        0.0 if terms.by_remainders else terms.tolerance,
        terms.value_gap,
        terms.is_single,
        terms.by_remainders,
        bool((engine.weight_of_case == 1.0).all()),
        np.empty(room, np.uint8),
        np.empty((room, 2)),
        np.empty((room, 2), np.int32),
        np.empty((score_medians.DEVIATION_ROWS, room)),
        worth,
        found.gain,
        found.lower,
        found.upper,
        found.missing_side,
    )
    if not terms.missing_is_value:
        # Among fewer cases there is less error, which says nothing of the cut.
        worth[ordered.n_known < np.diff(engine.start)] = np.nan
    return found


def groups(engine: MemoryEngine, attribute: int, nominal: str, terms: Terms) -> Candidates:
    """The best split of this kind on a nominal attribute, at every open node.

    Two groups of labels: cuts of the labels in the order of their medians, which is a heuristic, for unlike means
    medians have no order in which the best grouping is a cut.
    """
    if nominal == "subset":
        return _subsets(engine, attribute, terms)
    find = _one_against_rest if nominal == "binary" else _each_label
    portions, first = [], 0
    for tables in engine.count(attribute):
        portions.append(find(_Labels.of(engine, attribute, tables, first, terms), tables, terms))
        first += len(tables.weights)
    return joined(portions)


def take_medians(engine: MemoryEngine, decision: Decision | None, outcomes: Floats) -> None:
    """Puts medians and absolute errors in the place of means and deviances: of the children, or of the root."""
    if decision is None:
        group_start, group_of_case, share = np.array([0, 1]), np.zeros(engine.n_cases, np.int32), np.ones(1)
    else:
        is_split = np.diff(decision.first_child) > 0
        group_start, share = decision.first_child, engine.share_of_child
        group_of_case = np.where(np.repeat(is_split, np.diff(engine.start)), engine.branch_of_case, NO_GROUP)
    found = _group_medians(
        engine, engine.start, group_start, group_of_case.astype(np.int32), share, outcomes[:, WEIGHT]
    )
    outcomes[:, MEAN], outcomes[:, DEVIANCE] = found


def _group_medians(
    engine: MemoryEngine, start: Indices, group_start: Indices, group_of_case: Codes, share: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """The median of each group of cases, and its absolute error."""
    n, by_target = len(weight), engine.ordered[TARGET]
    median, error = np.empty(n), np.empty(n)
    middles.group_medians(
        start,
        group_start,
        group_of_case,
        share,
        by_target.case,
        by_target.value,
        engine.weight_of_case,
        np.ascontiguousarray(weight),
        np.empty(n),
        median,
        error,
    )
    return median, error


def _ranks(engine: MemoryEngine) -> Codes:
    """The place of each case among those of its node, by its target."""
    by_target, sizes = engine.ordered[TARGET], np.diff(engine.start)
    rank = np.empty(engine.n_cases, np.int32)
    rank[by_target.case] = np.arange(engine.n_cases) - np.repeat(engine.start[:-1], sizes)
    return rank


@dataclass(frozen=True, slots=True)
class _Labels:
    """The cases of some open nodes by their label: group g of a node is the g-th label that occurs there."""

    engine: MemoryEngine
    start: Indices
    center: Floats
    group_of_case: Codes
    node_of_group: Indices
    median: Floats
    error: Floats
    before: Floats
    """The absolute error of all cases of a node whose value counts."""

    @classmethod
    def of(cls, engine: MemoryEngine, attribute: int, tables: CountTables, first: int, terms: Terms) -> _Labels:
        """Those of a portion of the open nodes that begins with node `first`."""
        n = len(tables.weights)
        start = engine.start[first : first + n + 1]
        within = slice(start[0], start[-1])
        node = np.repeat(np.arange(n), np.diff(start))
        node_of_group = np.repeat(np.arange(n), np.diff(tables.start))
        code = engine.columns[attribute][engine.row_of_case[within]].astype(np.int64)
        if terms.missing_is_value:
            code = np.where(code < 0, tables.n_labels, code)
        n_codes = tables.n_labels + 1
        group = np.searchsorted(node_of_group * n_codes + tables.code, node * n_codes + code)
        group_of_case = np.full(engine.n_cases, NO_GROUP, np.int32)
        group_of_case[within] = np.where(code < 0, NO_GROUP, group - tables.start[node])
        all_of_case = np.where(group_of_case >= 0, 0, NO_GROUP).astype(np.int32)
        weight = tables.outcomes[:, WEIGHT]
        known = np.bincount(node_of_group, weight, n).astype(np.float64)
        _, before = _group_medians(engine, start, np.arange(n + 1), all_of_case, np.zeros(n), known)
        median, error = _group_medians(engine, start, tables.start, group_of_case, np.zeros(len(weight)), weight)
        center = engine.center[first : first + n]
        return cls(engine, start, center, group_of_case, node_of_group, median, error, before)

    def rest(self, tables: CountTables) -> Floats:
        """The absolute error of all cases of a node but those of one label, for each label."""
        engine, n_groups = self.engine, len(self.error)
        node = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        group = np.full(engine.n_cases, n_groups)
        within = slice(self.start[0], self.start[-1])
        of_node = self.group_of_case[within]
        group[within] = np.where(of_node >= 0, tables.start[node] + of_node, n_groups)
        error = np.empty(n_groups)
        score_medians.rest_deviations(
            self.start,
            tables.start,
            self.group_of_case,
            np.argsort(group, kind="stable").astype(np.int32),
            np.cumsum(np.bincount(group, minlength=n_groups)[:n_groups]),
            _ranks(engine),
            engine.ordered[TARGET].value,
            engine.weight_of_case,
            self.center,
            np.empty((int(np.diff(self.start).max(initial=0)) + 1, 2)),
            error,
        )
        return error


def _each_label(labels: _Labels, tables: CountTables, terms: Terms) -> Candidates:
    """A branch for each label."""
    left = np.bincount(labels.node_of_group, labels.error, len(tables.weights))
    # All but the gain is known from weights alone.
    found = multiway.best(tables, terms)
    return replace(found, gain=np.where(np.isfinite(found.gain), (labels.before - left) / tables.weights, NO_GAIN))


def _one_against_rest(labels: _Labels, tables: CountTables, terms: Terms) -> Candidates:
    """The label that is best told from all others; the first of equals."""
    n, node = len(tables.weights), labels.node_of_group
    weight = tables.outcomes[:, WEIGHT]
    others = np.bincount(node, weight, n)[node] - weight
    other_rows = np.bincount(node, tables.n_rows, n)[node] - tables.n_rows
    least = max(terms.min_leaf - terms.tolerance, 0.0)
    may_be = (np.minimum(weight, others) >= least) & (np.minimum(tables.n_rows, other_rows) >= terms.min_rows)
    gain = (labels.before[node] - labels.error - labels.rest(tables)) / tables.weights[node]
    gain[~(may_be & (weight > 0) & (others > 0))] = NO_GAIN
    best = np.full(n, NO_GAIN)
    np.maximum.at(best, node, gain)
    slack = terms.tolerance * labels.before / tables.weights
    # Backwards, so that of equals the first is written last.
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
        missing_to=np.where(tables.holds_missing(), 1, NO_BRANCH).astype(np.int32),
        parts_missing=is_alone,
        table=table,
    )


def _subsets(engine: MemoryEngine, attribute: int, terms: Terms) -> Candidates:
    """The best cut of the labels in the order of their medians."""
    n, n_cases = engine.n_nodes, engine.n_cases
    place_of_case = np.full(n_cases, np.nan)
    places: list[tuple[Indices, Codes, Indices]] = []
    n_labels, first = 0, 0
    for tables in engine.count(attribute):
        labels = _Labels.of(engine, attribute, tables, first, terms)
        n_labels = tables.n_labels
        order = np.lexsort((tables.code, labels.median, labels.node_of_group))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order)) - tables.start[labels.node_of_group]
        within = slice(labels.start[0], labels.start[-1])
        node = np.repeat(np.arange(len(tables.weights)), np.diff(labels.start))
        is_known = engine.columns[attribute][engine.row_of_case[within]] >= 0
        group = (tables.start[node] + labels.group_of_case[within])[is_known]
        place_of_case[np.arange(n_cases)[within][is_known]] = place[group]
        is_label = tables.code < n_labels
        places.append((first + labels.node_of_group[is_label], tables.code[is_label], place[is_label]))
        first += len(tables.weights)
    node_of_case = np.repeat(np.arange(n), np.diff(engine.start))
    case = np.lexsort((place_of_case, node_of_case)).astype(np.int32)
    n_known = np.bincount(node_of_case[place_of_case == place_of_case], minlength=n)
    found = cuts(engine, SortedCases(case, place_of_case[case], n_known), None, replace(terms, value_gap=0.0))
    node, code, place = (np.concatenate(parts) for parts in zip(*places, strict=True))
    table = np.full((n, n_labels), NO_BRANCH, np.int32)
    table[node, code] = place > found.lower[node]
    # Branch 0 is the group with the first label.
    with_labels, first_label = np.unique(node, return_index=True)
    is_swapped = np.zeros(n, bool)
    is_swapped[with_labels] = table[with_labels, code[first_label]] == 1
    table[is_swapped] = np.where(table[is_swapped] == NO_BRANCH, NO_BRANCH, 1 - table[is_swapped])
    is_sided = (found.missing_side == 0) | (found.missing_side == 1)
    side = np.where(is_swapped & is_sided, 1 - found.missing_side, found.missing_side)
    return Candidates(
        "subset",
        found.gain,
        found.split_info,
        found.test,
        n_branches=np.full(n, 2, np.int32),
        missing_to=np.where(found.missing_side == KNOWN_OR_NOT, 1, side).astype(np.int32),
        parts_missing=found.missing_side == KNOWN_OR_NOT,
        table=table,
        improvement=found.improvement,
    )
