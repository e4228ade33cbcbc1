"""Growing on data in memory: the cases of every open node side by side, numeric attributes sorted once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar, cast

import numpy as np

from treecli.candidates import Codes, CountTables, Cuts, Flags, Floats, Indices, Terms, empty_test
from treecli.data import MISSING, Dataset
from treecli.errors import DataError
from treecli.kernels import cases, impurity, score_sums
from treecli.opennodes import OpenNodes
from treecli.ordering import SortedCases, sorted_cases, sorted_like_rpart
from treecli.threads import FEW_CASES, Shared

TARGET = -1
"""In the place of an attribute: the order of a numeric target."""

ROOM_FOR_TABLES = 1 << 23
"""The largest number of outcomes that are counted in one go; nodes are taken in portions beyond it."""

MOST_KEPT = 1 << 16
"""n·log n is kept for whole numbers up to this one: more would not stay in the cache."""

MOST_WHOLE = 2.0**26
"""The square of a whole number below this one, and what is added up to make it, is exact."""

VANISHING_SHARE = 2.0**-46
"""A row with this share of all weight or less is no case: its weight would get lost in the rounding of sums."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Decision:
    """The splits of a level: the children of open node i are numbered first_child[i] and on, none for a leaf."""

    attribute: Codes
    first_child: Indices
    number: Floats
    missing_to: Codes
    tables: dict[int, Codes]
    """For each attribute split by label: the branch of each label, one row for each node that it splits."""
    bounds: dict[int, Floats]
    """For each of them whose labels are bins: the largest value of each but the last."""


@dataclass(frozen=True, slots=True)
class Bins:
    """The bin of each row by one ordered attribute, negative where the value is missing."""

    n_bins: int
    bin_of_row: Codes


class MemoryEngine:
    """The open nodes of one level, with their cases."""

    scale: Floats | None = None
    """What a case of each class counts in an impurity, where that is not 1."""

    def __init__(
        self, dataset: Dataset, terms: Terms, *, spreads: bool, jobs: int | None, blank_rows: bool = True
    ) -> None:
        assert dataset.target is not None
        self._terms = terms
        self._spreads = spreads
        self._schema = dataset.schema
        self.shared = Shared(jobs)
        self.columns = [
            _positions(column) if attribute.kind == "ordinal" else column
            for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True)
        ]
        if terms.is_numeric:
            self._class_of_row = np.zeros(dataset.n_rows, np.int32)
            self._target_of_row = np.asarray(dataset.target, np.float64)
            has_target = self._target_of_row == self._target_of_row
        else:
            self._class_of_row = np.asarray(dataset.target, np.int32)
            self._target_of_row = np.zeros(dataset.n_rows)
            has_target = self._class_of_row >= 0
        if not blank_rows and self.columns:
            has_target = has_target & _holds_a_value(self.columns)
        # A row without weight is no case: else thresholds and medians would lie beside its value.
        least_weight = VANISHING_SHARE * float(dataset.weights.sum(where=has_target))
        self.row_of_case: Codes = np.flatnonzero(has_target & (dataset.weights > least_weight)).astype(np.int32)
        if not self.n_cases:
            raise DataError(
                f"no row can be learned from: each lacks a value of the target '{dataset.schema.target.name}', "
                "a weight above 0 or any value of an attribute"
            )
        self.start: Indices = np.array([0, self.n_cases], np.int64)
        self.weight_of_case: Floats = np.array(dataset.weights[self.row_of_case], np.float64)
        self.class_of_case = self._class_of_row[self.row_of_case]
        self.target_of_case = self._target_of_row[self.row_of_case]
        numeric = [a for a, attribute in enumerate(dataset.schema.attributes) if attribute.kind != "nominal"]
        self.ordered: dict[int, SortedCases] = dict(zip(numeric, self.map(self._sort, numeric), strict=True))
        if terms.impurity == impurity.CODES["absolute"]:
            self.ordered[TARGET] = sorted_cases(self.target_of_case)
        self._is_whole = _are_whole(self.weight_of_case)
        self.xlog2_of = np.empty(min(self.n_cases, MOST_KEPT) + 1)
        impurity.fill_xlog2(self.xlog2_of)
        self._occurring: dict[int, Floats] = {}
        self._bins: dict[int, Bins] = {}
        self.outcomes, self.center = self._root()
        self.decision: Decision | None = None

    def close(self) -> None:
        self.shared.close()

    @property
    def n_cases(self) -> int:
        return len(self.row_of_case)

    @property
    def n_nodes(self) -> int:
        return len(self.start) - 1

    def map(self, function: Callable[[int], Result], attributes: Iterable[int]) -> list[Result]:
        """The results for all attributes, by several threads where that pays; the same with any number of them."""
        if self.n_cases < FEW_CASES:
            return [function(a) for a in attributes]
        return list(self.shared.map(function, attributes))

    def nodes(self) -> OpenNodes:
        """The open nodes."""
        cases = self.row_of_case, self.class_of_case, self.target_of_case, self.weight_of_case
        return OpenNodes(self.start, *cases, self.ordered, self.outcomes, self.center, self._is_whole)

    def keep(self, is_kept: Flags) -> None:
        """Leaves only some of the nodes open, without their having split."""
        kept = self.nodes().part(is_kept)
        self.start, self.ordered, self.outcomes, self.center = kept.start, kept.ordered, kept.outcomes, kept.center
        self.row_of_case, self.class_of_case = kept.row_of_case, kept.class_of_case
        self.target_of_case, self.weight_of_case = kept.target_of_case, kept.weight_of_case

    def column(self, attribute: int) -> Floats:
        """A numeric attribute's values in all rows, those without a target included, in the order of the file."""
        return cast("Floats", self.columns[attribute])

    def occurring(self, attribute: int) -> Floats:
        """The different values of a numeric attribute in all rows, sorted."""
        if attribute not in self._occurring:
            column = self.column(attribute)
            self._occurring[attribute] = np.unique(column[column == column])
        return self._occurring[attribute]

    def cut(self, attribute: int, bounds: Floats) -> None:
        """Makes an ordered attribute one of labels: its bins, each with the values up to and including a bound."""
        column = self.column(attribute)
        bin_of_row = np.where(column == column, np.searchsorted(bounds, column), MISSING).astype(np.int32)
        self._bins[attribute] = Bins(len(bounds) + 1, bin_of_row)

    def labels(self, attribute: int) -> tuple[int, Codes]:
        """How many labels an attribute has, and the code of each row's."""
        if attribute in self._bins:
            return self._bins[attribute].n_bins, self._bins[attribute].bin_of_row
        return len(self._schema.attributes[attribute].labels), cast("Codes", self.columns[attribute])

    def middles(self, attribute: int, *, is_median: bool) -> Floats:
        """The mean or the median of a numeric attribute at every open node."""
        ordered, out = self.ordered[attribute], np.empty(self.n_nodes)
        with np.errstate(over="ignore", invalid="ignore"):
            score_sums.middles(
                self.start, ordered.n_known, ordered.case, ordered.value, self.weight_of_case, is_median, out
            )
        return out

    def cuts(self, attribute: int, only_at: Floats | None) -> Cuts:
        """The best cut of a numeric attribute at every open node; `only_at` leaves one threshold to each."""
        n, terms, ordered = self.n_nodes, self._terms, self.ordered[attribute]
        found = Cuts(np.empty(n), np.empty(n), np.zeros(n), np.ones(n), np.empty(n, np.int32), empty_test(n))
        score_sums.best_cuts(
            self.start,
            ordered.n_known,
            ordered.case,
            ordered.value,
            self.class_of_case,
            self.target_of_case,
            self._counted_weights(),
            self.center,
            self._counted_outcomes(),
            terms.impurity,
            terms.is_numeric,
            np.full(n, np.nan) if only_at is None else only_at,
            terms.missing_is_value,
            terms.min_leaf,
            terms.min_rows,
            terms.tolerance,
            terms.zero_gain,
            terms.value_gap,
            terms.branch_share,
            terms.most_branch_share,
            terms.cut_cost,
            terms.wants_chi2,
            self._is_whole and self.scale is None,
            self.xlog2_of,
            *np.zeros((3, score_sums.SCRATCH_ROWS, self.outcomes.shape[1])),
            found.gain,
            found.split_info,
            found.lower,
            found.upper,
            found.missing_side,
            found.test.chi2,
            found.test.freedom,
        )
        return found

    def count(self, attribute: int, center: Floats | None = None) -> Iterable[CountTables]:
        """The count tables of a nominal attribute at every open node, in portions of nodes that fit into memory.

        Of a numeric target, differences are from `center`, or from the nodes' means.
        """
        n_labels, codes = self.labels(attribute)
        n_codes = n_labels + self._terms.missing_is_value
        n_entries = np.minimum(np.diff(self.start), n_codes)
        room = max(ROOM_FOR_TABLES // self.outcomes.shape[1], n_codes)
        portion = (np.cumsum(n_entries) - 1) // room
        bounds = [0, *(np.flatnonzero(np.diff(portion)) + 1), self.n_nodes]
        counted, center = self._counted_weights(), self.center if center is None else center
        outcomes_of_node = self._counted_outcomes()
        weights = np.empty(self.n_nodes)
        impurity.totals(outcomes_of_node, self._terms.is_numeric, weights)
        for first, last in pairwise(bounds):
            most = int(n_entries[first:last].sum())
            start, code = np.empty(last - first + 1, np.int64), np.empty(most, np.int32)
            outcomes = np.zeros((most, self.outcomes.shape[1]))
            cases.count_labels(
                self.start[first : last + 1],
                self.row_of_case,
                self.class_of_case,
                self.target_of_case,
                counted,
                center[first:last],
                self._terms.is_numeric,
                codes,
                n_labels if self._terms.missing_is_value else -1,
                np.empty(n_codes, np.int64),
                start,
                code,
                outcomes,
            )
            n_rows = np.zeros(start[-1], np.int64)
            if self._terms.min_rows > 0:
                cases.count_rows(
                    self.start[first : last + 1],
                    self.row_of_case,
                    codes,
                    n_labels if self._terms.missing_is_value else -1,
                    np.empty(n_codes, np.int64),
                    start,
                    code,
                    n_rows,
                )
            yield CountTables(n_labels, start, code[: start[-1]], outcomes[: start[-1]], n_rows, weights[first:last])

    def send(self, decision: Decision) -> None:
        """Finds the branch of every case."""
        self.decision = decision
        self.branch_of_case = np.full(self.n_cases, cases.SPREAD, np.int32)
        for a in sorted(set(decision.attribute[decision.attribute >= 0].tolist())):
            nodes = np.flatnonzero(decision.attribute == a)
            if a in decision.tables:
                by_label = decision.tables[a], decision.missing_to, self.branch_of_case
                cases.branches_by_label(nodes, self.start, self.row_of_case, self.labels(a)[1], *by_label)
            else:
                by_number = decision.number, decision.missing_to, self.branch_of_case
                cases.branches_by_number(nodes, self.start, self.row_of_case, self.columns[a], *by_number)

    def children(self, decision: Decision) -> Floats:
        """The outcomes of every child, as a tree keeps them, after the cases have been sent.

        Where missing values don't spread and the split did not say where they go, `decision.missing_to` is set.
        """
        n_children = int(decision.first_child[-1])
        self.share_of_child = np.zeros(n_children)
        outcomes = np.zeros((n_children, self.outcomes.shape[1]))
        cases.child_outcomes(
            self.start,
            decision.first_child,
            self.branch_of_case,
            self.class_of_case,
            self.target_of_case,
            self.weight_of_case,
            self.center,
            self._terms.is_numeric,
            self._spreads,
            decision.missing_to,
            self._terms.tolerance,
            self.share_of_child,
            outcomes,
        )
        if self._terms.is_numeric:
            center = np.repeat(self.center, np.diff(decision.first_child))
            self._sums = outcomes.copy()
            self._rest = _to_mean_and_deviance(outcomes, center)
        return outcomes

    def n_rows_of_child(self) -> Indices:
        """How many cases each child holds; before there are any, how many there are."""
        if self.decision is None:
            return np.diff(self.start)
        node_of_case = np.repeat(np.arange(self.n_nodes), np.diff(self.start))
        is_split = self.decision.attribute[node_of_case] >= 0
        is_sent, first_child = is_split & (self.branch_of_case >= 0), self.decision.first_child
        child_of_case = first_child[node_of_case[is_sent]] + self.branch_of_case[is_sent]
        n_rows = np.bincount(child_of_case, minlength=int(first_child[-1]))
        is_spread = is_split & (self.branch_of_case == cases.SPREAD)
        n_spread = np.bincount(node_of_case[is_spread], minlength=self.n_nodes)
        return n_rows + np.where(self.share_of_child > 0, np.repeat(n_spread, np.diff(first_child)), 0)

    def descend(self, decision: Decision, is_open: np.ndarray, outcomes: Floats) -> None:
        """Makes the open ones among the children the nodes of the next level."""
        open_children = np.flatnonzero(is_open)
        open_number = np.full(len(is_open), -1, np.int64)
        open_number[open_children] = np.arange(len(open_children))
        n_in_child = np.zeros(len(open_children), np.int64)
        move_start = np.empty(self.n_cases + 1, np.int64)
        decided = self.start, decision.first_child, self.branch_of_case, self.share_of_child, open_number
        cases.count_moves(*decided, n_in_child, move_start)
        start = np.concatenate([[0], np.cumsum(n_in_child)])
        n_moves = int(start[-1])
        moved_to, node_of_moved, row_of_moved = (np.empty(n_moves, np.int32) for _ in range(3))
        weight_of_moved = np.empty(n_moves)
        moved = moved_to, node_of_moved, row_of_moved, weight_of_moved
        cases.make_moves(*decided, move_start, start[:-1].copy(), self.row_of_case, self.weight_of_case, *moved)

        def keep_order(attribute: int) -> SortedCases:
            old = self.ordered[attribute]
            new = SortedCases(np.empty(n_moves, np.int32), np.empty(n_moves), np.zeros(len(open_children), np.int64))
            places = moved_to, node_of_moved, start[:-1].copy()
            cases.keep_order(old.case, old.value, move_start, *places, new.n_known, new.case, new.value)
            return new

        if self._spreads and n_moves:
            self._is_whole = _are_whole(weight_of_moved)
        self.ordered = dict(zip(self.ordered, self.map(keep_order, list(self.ordered)), strict=True))
        self.start = start
        self.row_of_case, self.weight_of_case = row_of_moved, weight_of_moved
        self.class_of_case = self._class_of_row[row_of_moved]
        self.target_of_case = self._target_of_row[row_of_moved]
        self.outcomes = outcomes[open_children]
        self.center = np.zeros(self.n_nodes)
        if self._terms.by_remainders and self._terms.is_numeric:
            self.outcomes = self._sums[open_children]
        elif self._terms.is_numeric:
            self.center, self.outcomes = _to_sums(self.outcomes, self._rest[open_children])

    def _sort(self, attribute: int) -> SortedCases:
        values = self.column(attribute)[self.row_of_case]
        return sorted_like_rpart(values) if self._terms.by_shares else sorted_cases(values)

    def _root(self) -> tuple[Floats, Floats]:
        weights = self.weight_of_case
        if not self._terms.is_numeric:
            n_classes = len(self._schema.target.labels)
            counts = np.bincount(self.class_of_case, weights, minlength=n_classes)
            return counts.astype(np.float64)[None, :], np.zeros(1)
        center = 0.0 if self._terms.by_remainders else np.average(self.target_of_case, weights=weights)
        differences = self.target_of_case - center
        total = _one_by_one if self._terms.by_remainders else np.sum
        sums = [total(weights), total(weights * differences), total(weights * differences**2)]
        return np.array([sums]), np.array([center])

    def root_outcomes(self) -> Floats:
        """The outcomes of all cases, as a tree keeps them."""
        outcomes = self.outcomes.copy()
        if self._terms.is_numeric:
            _to_mean_and_deviance(outcomes, self.center)
        return outcomes

    def weights(self, scale: Floats) -> Floats:
        """The weight of the cases of each open node, each class by its scale."""
        return self.outcomes[:, 0].copy() if self._terms.is_numeric else self.outcomes @ scale

    def _counted_weights(self) -> Floats:
        """The weights of the cases as impurities count them."""
        if self.scale is None:
            return self.weight_of_case
        return self.weight_of_case * self.scale[self.class_of_case]

    def _counted_outcomes(self) -> Floats:
        return self.outcomes if self.scale is None else self.outcomes * self.scale


def _holds_a_value(columns: list[Floats | Codes]) -> Flags:
    """Whether a row has a known value in some column."""
    known = [column == column if column.dtype == np.float64 else column >= 0 for column in columns]
    return np.asarray(np.any(known, axis=0))


def _are_whole(weights: Floats) -> bool:
    """Whether weights are whole numbers, so few that the square of their sum has no more than 53 bits."""
    return bool((weights == np.floor(weights)).all()) and float(weights.sum()) < MOST_WHOLE


def _one_by_one(values: Floats) -> float:
    """The sum with the rounding of a plain loop, which is not that of numpy's sums."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _positions(codes: Floats | Codes) -> Floats:
    """Codes as numbers, with NaN where the value is missing."""
    return np.where(codes < 0, np.nan, codes)


def _to_mean_and_deviance(sums: Floats, center: Floats) -> Floats:
    """Turns weight, sum and sum of squares about a centre into weight, mean and deviance, in place.

    Gives back the sums about the means: not quite 0, because a mean is rounded, and where numbers are as large as 1e9
    by so much that equal gains would come out different.
    """
    weight = np.where(sums[:, 0] > 0, sums[:, 0], 1.0)
    shift = sums[:, 1] / weight
    mean = np.where(sums[:, 0] > 0, center + shift, 0.0)
    rest = np.where(sums[:, 0] > 0, sums[:, 1] - weight * (mean - center), 0.0)
    sums[:, 2] = np.maximum(sums[:, 2] - shift * sums[:, 1], 0.0)
    sums[:, 1] = mean
    return rest


def _to_sums(outcomes: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """The means, and weight, sum (`rest`) and sum of squares about them."""
    sums = outcomes.copy()
    sums[:, 1] = rest
    sums[:, 2] += rest**2 / outcomes[:, 0]
    return outcomes[:, 1].copy(), sums
