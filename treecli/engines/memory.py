"""The engine for data in memory: the cases of each open node are contiguous, numeric attributes are sorted once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from treecli.data import MISSING, Dataset
from treecli.errors import DataError
from treecli.grow import bins, thresholds
from treecli.grow.candidates import Candidates, Codes, CountTables, Flags, Floats, Indices
from treecli.grow.level import (
    TARGET,
    MemoryLevel,
    SentCases,
    SortedCases,
    are_whole,
    scaled,
    sorted_cases,
    to_mean_and_deviance,
    with_weight,
)
from treecli.grow.plan import open_root
from treecli.kernels import codes, count_labels, drawing, impurity, partition
from treecli.kernels.args import Cases, Labels, Moves, Sent
from treecli.threads import FEW_CASES, MANY_ROWS, Shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.grow.choose import Chosen, Decision
    from treecli.kernels.args import Plan

ROOM_FOR_TABLES = 1 << 23
"""The largest number of outcomes counted at a time; larger levels are processed in portions of nodes."""

LEAST_RETURNED = 1 << 20
"""Arrays of this many bytes return to the system when they are freed, if there are MANY_ROWS."""

Result = TypeVar("Result")


class Engine:
    """The data set, its columns prepared for growing, and the threads."""

    def __init__(self, dataset: Dataset, plan: Plan, jobs: int | None) -> None:
        assert dataset.target is not None
        if plan.is_single:
            dataset = dataset.in_single_precision()
        if dataset.n_rows >= MANY_ROWS:
            from treecli.grow.allocation import return_freed_memory

            return_freed_memory(LEAST_RETURNED)
        self.plan = plan
        self.schema = dataset.schema
        self.shared = Shared(jobs)
        self._dataset = dataset
        self.weights = dataset.weights
        self.columns = [
            _positions(column) if attribute.kind == "ordinal" else column
            for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True)
        ]
        self.label_of_row: Codes = np.zeros(dataset.n_rows, np.int32)
        self.target_of_row: Floats = np.zeros(dataset.n_rows)
        if plan.is_numeric:
            self.target_of_row = np.asarray(dataset.target, np.float64)
        else:
            self.label_of_row = np.asarray(dataset.target, np.int32)
        self._occurring: dict[int, Floats] = {}
        self._least_gap: dict[int, float] = {}
        self.bounds: bins.Bounds = {}
        self._bin_of_row: dict[int, Codes] = {}

    def close(self) -> None:
        self.shared.close()

    def map(self, work: Callable[[int], Result], attributes: Iterable[int], n_cases: int) -> list[Result]:
        """Return the results for all attributes, computed by several threads if the level is large enough.

        The results do not depend on the number of threads.
        """
        if n_cases < FEW_CASES:
            return [work(a) for a in attributes]
        return list(self.shared.map(work, attributes))

    def root(self) -> MemoryLevel:
        """Return the level of the root: all rows with a target and a weight."""
        return self._root([a for a, attribute in enumerate(self.schema.attributes) if attribute.kind != "nominal"])

    def unsorted_root(self) -> MemoryLevel:
        """Return the level of the root without sorted attributes, for searches that need none."""
        return self._root([])

    def _root(self, ordered: list[int]) -> MemoryLevel:
        """Return the level of the root with these attributes sorted."""
        plan, dataset = self.plan, self._dataset
        row = self._rows()
        weight = np.array(dataset.weights[row], np.float64)
        label, target = self._targets(row)
        totals, center = plan.scorer.root(label, target, weight, dataset.schema.n_outcomes, plan)
        outcomes = totals.copy()
        if plan.is_numeric:
            to_mean_and_deviance(outcomes, center)

        def sort(attribute: int) -> SortedCases:
            order: SortedCases = plan.scorer.order(self.column(attribute)[row], plan.value_gap)
            return order

        orders = dict(zip(ordered, self.map(sort, ordered, len(row)), strict=True))
        if plan.impurity == codes.ABSOLUTE:
            orders[TARGET] = sorted_cases(target)
        start = np.array([0, len(row)], np.int64)
        of_cases = start, row, label, target, weight, center, totals
        key = np.array([plan.tree_key], np.uint64)
        level = MemoryLevel(np.zeros(1, np.int64), outcomes, 0, *of_cases, orders, are_whole(weight), key)
        plan.scorer.settle_root(level, outcomes, plan)
        open_root(plan, outcomes, level.n_cases, self.schema)
        self.bounds = bins.bounds_at(level, self.schema, plan.settings)
        for attribute, bounds in self.bounds.items():
            column = self.column(attribute)
            bin_of_row = np.where(column == column, np.searchsorted(bounds, column), MISSING)
            self._bin_of_row[attribute] = bin_of_row.astype(np.int32)
        return level

    def _targets(self, row: Codes) -> tuple[Codes, Floats]:
        """Return the class and the numeric target of each of these rows; one of them is zeros, which take no memory."""
        if self.plan.is_numeric:
            return np.zeros(len(row), np.int32), self.target_of_row[row]
        return self.label_of_row[row], np.zeros(len(row))

    def begin_level(self, level: MemoryLevel) -> None:
        """Do nothing: the cases are at hand."""

    def accept(self, level: MemoryLevel, chosen: Chosen) -> None:
        """Do nothing: every split can be made here."""

    def _rows(self) -> Codes:
        """Return the rows that are training cases."""
        dataset, name = self._dataset, self.schema.target.name
        has_target = self.target_of_row == self.target_of_row if self.plan.is_numeric else self.label_of_row >= 0
        if not self.plan.settings.missing.blank_rows and self.columns:
            has_target = has_target & _holds_a_value(self.columns)
        row = with_weight(has_target, dataset.weights)
        if not len(row):
            raise DataError(
                f"no row can be learned from: each lacks a value of the target '{name}', a weight above 0 or any value "
                "of an attribute"
            )
        return row

    def column(self, attribute: int) -> Floats:
        """Return a numeric attribute's values in file order; includes rows without a target."""
        return cast("Floats", self.columns[attribute])

    def occurring(self, attribute: int) -> Floats:
        """Return the sorted distinct values of a numeric attribute in all rows."""
        if attribute not in self._occurring:
            column = self.column(attribute)
            self._occurring[attribute] = np.unique(column[column == column])
        return self._occurring[attribute]

    def least_gap(self, attribute: int) -> float:
        """Return the least difference of two distinct values of a numeric attribute in all rows; infinite without."""
        if attribute not in self._least_gap:
            with np.errstate(over="ignore", invalid="ignore"):
                # Missing values come last, and a difference from them is not a number.
                gap = np.diff(np.sort(self.column(attribute)))
            self._least_gap[attribute] = float(gap.min(where=gap > 0, initial=np.inf))
        return self._least_gap[attribute]

    def labels(self, attribute: int) -> tuple[int, Codes]:
        """Return the number of labels or bins of an attribute, and the code of each row."""
        if attribute in self._bin_of_row:
            return len(self.bounds[attribute]) + 1, self._bin_of_row[attribute]
        return len(self.schema.columns[attribute].labels), cast("Codes", self.columns[attribute])

    def candidates(self, level: MemoryLevel, attribute: int) -> Candidates:
        """Return the best split on an attribute at every open node."""
        plan = self.plan
        if attribute in self.bounds:
            return bins.best(self.tables(level, attribute), self.bounds[attribute], plan)
        if self.schema.columns[attribute].kind == "nominal":
            found: Candidates = plan.scorer.groups(self, level, attribute)
            return found
        return thresholds.best(self, level, attribute)

    def tables(self, level: MemoryLevel, attribute: int, center: Floats | None = None) -> Iterable[CountTables]:
        """Yield the count tables of an attribute at every open node, in portions of nodes that fit into memory.

        A numeric target is summed about `center`, or by default about the nodes' means.
        """
        plan = self.plan
        if attribute in level.orders and attribute not in self.bounds:
            yield _tables_of_numbers(level, level.orders[attribute], plan)
            return
        n_labels, code_of_row = self.labels(attribute)
        n_codes = n_labels + plan.missing_is_value
        n_entries = np.minimum(np.diff(level.start), n_codes)
        n_outcomes = level.totals.shape[1]
        room = max(ROOM_FOR_TABLES // n_outcomes, n_codes)
        portion = (np.cumsum(n_entries) - 1) // room
        limits = [0, *(np.flatnonzero(np.diff(portion)) + 1), level.n_nodes]
        counted = scaled(level, plan)
        totals, around = np.asarray(counted.totals), level.center if center is None else center
        weights = np.empty(level.n_nodes)
        impurity.totals(totals, plan.is_numeric, weights)
        missing_code = n_labels if plan.missing_is_value else -1
        for first, last in pairwise(limits):
            most = int(n_entries[first:last].sum())
            start, code = np.empty(last - first + 1, np.int64), np.empty(most, np.int32)
            outcomes, n_rows = np.zeros((most, n_outcomes)), np.zeros(most, np.int64)
            found = CountTables(n_labels, start, code, outcomes, n_rows, weights[first:last])
            of_portion = level.start[first : last + 1], level.row, level.label, level.target, counted.weight
            cases = Cases(*of_portion, around[first:last], totals[first:last])
            labels = _labels(code_of_row, n_codes, missing_code)
            count_labels.count_labels(cases, labels, found.args(), plan)
            if plan.min_rows > 0:
                count_labels.count_rows(cases, labels, found.args())
            n = start[-1]
            yield CountTables(n_labels, start, code[:n], outcomes[:n], n_rows[:n], weights[first:last])

    def send(self, level: MemoryLevel, decision: Decision) -> SentCases:
        """Return the cases with the branches that they take; surrogates route cases with missing values."""
        branch = np.full(level.n_cases, codes.SPREAD, np.int32)
        if decision.values is not None:
            is_known, node = decision.values == decision.values, level.node_of_case
            branch[:] = np.where(is_known, decision.values > decision.number[node], decision.missing_to[node])
        n_attributes = len(self.columns)
        is_asked = (decision.attribute >= 0) & (decision.attribute < n_attributes)
        for a in sorted(set(decision.attribute[is_asked].tolist())):
            nodes = np.flatnonzero(decision.attribute == a)
            if a in decision.tables:
                table = decision.tables[a]
                partition.send_by_label(nodes, level.cases, self.labels(a)[1], table, decision.missing_to, branch)
            else:
                column = self.column(a)
                partition.send_by_number(nodes, level.cases, column, decision.number, decision.missing_to, branch)
        n_children = int(decision.first_child[-1])
        of_splits = np.full(level.n_nodes, np.nan), np.zeros(level.n_nodes)
        sent = SentCases(level, decision, branch, np.zeros(n_children), np.empty((0, 3)), np.empty(0), *of_splits)
        if self.plan.by_surrogates:
            from treecli.grow import surrogates  # small data are not grown level by level

            # Afterwards, cases with missing values have a branch like all others.
            self._sum_children(sent, branch.copy(), np.zeros(n_children), decision.missing_to.copy())
            sent.surrogates = surrogates.resolve(self, sent)
        return sent

    def outcomes(self, sent: SentCases) -> Floats:
        """Return the outcomes of every child, in the tree's format.

        Sets `decision.missing_to` if missing values do not spread and the split does not define their branch.
        """
        plan, level, decision = self.plan, sent.level, sent.decision
        outcomes = self._sum_children(sent, sent.branch, sent.share, decision.missing_to)
        if plan.is_numeric:
            center = np.repeat(level.center, np.diff(decision.first_child))
            sent.sums = outcomes.copy()
            sent.rest = to_mean_and_deviance(outcomes, center)
        if plan.by_surrogates:
            from treecli.grow import surrogates  # as in send

            decision.missing_to[:] = surrogates.fuller_branch(decision, sent.n_rows())
        plan.scorer.settle(sent, outcomes, plan)
        return outcomes

    def _sum_children(self, sent: SentCases, branch: Codes, share: Floats, missing_to: Codes) -> Floats:
        """Return the additive outcomes of every child about its parent's centre; set shares and missing branches."""
        outcomes = np.zeros((len(share), sent.level.totals.shape[1]))
        args = Sent(sent.decision.first_child, branch, share, missing_to, outcomes)
        args.decrease, args.information = sent.decrease, sent.information
        partition.child_outcomes(sent.level.cases, args, self.plan)
        return outcomes

    def open(
        self, sent: SentCases, outcomes: Floats, is_open: Flags, first_number: int, *, is_consumed: bool = False
    ) -> MemoryLevel:
        """Return the level of the open children; if the level that was sent is consumed, it loses its cases."""
        from treecli.kernels import ordering  # small data are not grown level by level

        plan, level, decision = self.plan, sent.level, sent.decision
        open_children = np.flatnonzero(is_open)
        n_open = len(open_children)
        open_number = np.full(len(is_open), -1, np.int64)
        open_number[open_children] = np.arange(n_open)
        n_in_child = np.zeros(n_open, np.int64)
        args = Sent(decision.first_child, sent.branch, sent.share, decision.missing_to, outcomes)
        args.open_number = open_number
        moves = Moves()
        moves.start = np.empty(level.n_cases + 1, np.int32)
        partition.count_moves(level.cases, args, moves, n_in_child)
        start = np.concatenate([[0], np.cumsum(n_in_child)])
        n_moves = int(start[-1])
        moves.to, moves.branch, row = (np.empty(n_moves, np.int32) for _ in range(3))
        moves.number = weight = np.empty(n_moves)
        moves.spare = row
        partition.make_moves(level.cases, args, moves, start[:-1].copy())
        place_of_case, n_cases = _places(moves), level.n_cases
        if is_consumed:
            level.forget_cases()

        def keep_order(attribute: int) -> SortedCases:
            old = level.orders[attribute]
            new = SortedCases(np.empty(n_moves, np.int32), np.empty(n_moves), np.zeros(n_open, np.int64), old.gap)
            if place_of_case is None:
                ordering.keep_order(old.args, moves, start[:-1].copy(), new.args)
            else:
                ordering.keep_order_of_whole(old.args, place_of_case, start[:-1].copy(), new.args)
            if is_consumed:
                del level.orders[attribute]
            return new

        ordered = list(level.orders)
        orders = dict(zip(ordered, self.map(keep_order, ordered, n_cases), strict=True))
        totals, center = outcomes[open_children], np.zeros(n_open)
        if plan.is_numeric:
            totals, center = plan.scorer.open(
                outcomes[open_children], sent.sums[open_children], sent.rest[open_children], plan
            )
        return MemoryLevel(
            first_number + open_children,
            outcomes[open_children],
            level.depth + 1,
            start,
            row,
            *self._targets(row),
            weight,
            center,
            totals,
            orders,
            are_whole(weight) if plan.spreads and n_moves else level.is_whole,
            _child_keys(level.key, decision.first_child, open_children),
        )


def _places(moves: Moves) -> Indices | None:
    """Return the open child and the place of each case for keep_order_of_whole; None if cases are divided."""
    from treecli.kernels.ordering import PLACE_BITS

    n_moves, to = np.diff(moves.start), np.asarray(moves.to)
    if (n_moves > 1).any():
        return None
    place = np.asarray(moves.branch)[to].astype(np.int64)
    place <<= PLACE_BITS
    place |= to
    found = np.full(len(n_moves), -1, np.int64)
    found[n_moves == 1] = place
    return found


def _child_keys(key: NDArray[np.uint64], first_child: Indices, children: Indices) -> NDArray[np.uint64]:
    """Return the keys of some children of the nodes of a level."""
    parent = np.searchsorted(first_child, children, side="right") - 1
    out = np.empty(len(children), np.uint64)
    drawing.child_keys(key, parent, children - first_child[parent], out)
    return out


def _tables_of_numbers(level: MemoryLevel, order: SortedCases, plan: Plan) -> CountTables:
    """Return the count tables of an ordered attribute, with one entry per distinct value."""
    cases, value = scaled(level, plan), order.value
    is_known = value == value
    is_counted = np.full(len(value), True) if plan.missing_is_value else is_known
    is_new = np.ones(len(value), bool)
    is_new[1:] = (value[1:] != value[:-1]) & (is_known[1:] | is_known[:-1])
    is_new[level.start[:-1][np.diff(level.start) > 0]] = True
    is_new &= is_counted
    entry = (np.cumsum(is_new) - 1)[is_counted]
    case, n_entries = order.case[is_counted], int(np.count_nonzero(is_new))
    weight = np.asarray(cases.weight)[case]
    outcomes = np.zeros((n_entries, level.totals.shape[1]))
    if plan.is_numeric:
        y = level.target[case] - level.center[level.node_of_case[is_counted]]
        for column, part in enumerate((weight, weight * y, weight * y * y)):
            np.add.at(outcomes[:, column], entry, part)
    else:
        np.add.at(outcomes, (entry, level.label[case]), weight)
    n_of_node = np.bincount(level.node_of_case[is_new], minlength=level.n_nodes)
    start = np.concatenate([[0], np.cumsum(n_of_node)])
    weights = np.empty(level.n_nodes)
    impurity.totals(np.asarray(cases.totals), plan.is_numeric, weights)
    no_codes, n_rows = np.empty(0, np.int32), np.bincount(entry, minlength=n_entries)
    return CountTables(0, start, no_codes, outcomes, n_rows, weights, value[is_new])


def _labels(code_of_row: Codes, n_codes: int, missing_code: int) -> Labels:
    labels = Labels()
    labels.code_of_row, labels.first, labels.step = code_of_row, 0, 1
    labels.n_codes, labels.missing_code = n_codes, missing_code
    labels.entry = np.full(n_codes, -1, np.int64)
    return labels


def _holds_a_value(columns: list[Floats | Codes]) -> Flags:
    """Return whether each row has a known value in at least one column."""
    known = [column == column if column.dtype == np.float64 else column >= 0 for column in columns]
    return np.asarray(np.any(known, axis=0))


def _positions(codes: Floats | Codes) -> Floats:
    """Return codes as floats, with NaN for missing values."""
    return np.where(codes < 0, np.nan, codes)
