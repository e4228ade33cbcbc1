"""The open nodes of one level. A level is immutable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from treecli.grow.candidates import Codes, Flags, Floats, Indices
from treecli.kernels import codes, sorting
from treecli.kernels.args import Cases, Order, Plan
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.grow.choose import Decision
    from treecli.splits._surrogate import Surrogate

MOST_SORTED_STABLY = 4096
"""Up to so many values, one call of numpy's stable sort is faster than several calls with its fastest one."""

MOST_WHOLE = 2.0**26
"""Squares of integers below this number are exact in a double, and so are their partial sums."""

VANISHING_SHARE = 2.0**-46
"""Rows with at most this share of the total weight are ignored: rounding would lose their weight in sums."""

Array = TypeVar("Array", bound=NDArray[Any])

TARGET = -1
"""Key of the order of a numeric target, in place of an attribute."""


@dataclass(frozen=True)
class SortedCases:
    """The cases of each node sorted by one column, missing values last; node i has n_known[i] known values.

    Two neighbouring values are cut only if they differ by more than `gap`.
    """

    case: Codes
    value: Floats
    n_known: Indices
    gap: float = 0.0

    @cached_property
    def args(self) -> Order:
        """Return the order as the object that kernels read."""
        return Order(self.case, self.value, self.n_known, self.gap)


@dataclass(frozen=True)
class Level:
    """Open nodes: their numbers in the tree, their outcomes in the tree's format, and their depth."""

    numbers: Indices
    outcomes: Floats
    depth: int

    @property
    def n_nodes(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class MemoryLevel(Level):
    """Open nodes with their cases in memory.

    Node i has the cases start[i] to start[i + 1] (exclusive), and the same range in each order. `totals` are additive
    outcomes: class weights or, for a numeric target, weight, sum and sum of squares of the differences from `center`.
    """

    start: Indices
    row: Codes
    label: Codes
    """The class of each case."""
    target: Floats
    weight: Floats
    center: Floats
    totals: Floats
    orders: dict[int, SortedCases]
    """By attribute."""
    is_whole: bool
    """Whether all weights are integers with sums small enough that their squares are exact."""
    key: NDArray[np.uint64]
    """By node: the random choices at a node follow from its key."""

    @property
    def n_cases(self) -> int:
        return len(self.row)

    @property
    def size(self) -> Indices:
        """The number of cases of each node."""
        return np.diff(self.start)

    @cached_property
    def node_of_case(self) -> Indices:
        return np.repeat(np.arange(self.n_nodes), np.diff(self.start))

    @cached_property
    def target_rank(self) -> Codes:
        """The rank of each case's target among those of its node; the cases are sorted by target."""
        rank = np.empty(self.n_cases, np.int32)
        rank[self.orders[TARGET].case] = np.arange(self.n_cases, dtype=np.int32)
        rank -= self.start[self.node_of_case].astype(np.int32)
        return rank

    @cached_property
    def has_unit_weights(self) -> bool:
        return bool((self.weight == 1.0).all())

    @cached_property
    def cases(self) -> Cases:
        """Return the cases as the object that kernels read."""
        return Cases(self.start, self.row, self.label, self.target, self.weight, self.center, self.totals)

    def weights(self, plan: Plan) -> Floats:
        """Return the weight of each node, with each class multiplied by its scale."""
        return self.totals[:, 0].copy() if plan.is_numeric else self.totals @ np.asarray(plan.class_scale)

    def without_attribute_orders(self) -> MemoryLevel:
        """Return the level for numbers that are no attribute; the order by target stays, which medians need."""
        return replace(self, orders={TARGET: self.orders[TARGET]} if TARGET in self.orders else {})

    def part(self, is_taken: Flags) -> MemoryLevel:
        """Return a level of the selected nodes, with copies of their cases."""
        if is_taken.all():
            return self
        return self.taken(np.flatnonzero(is_taken)) if is_taken.any() else self._empty()

    def taken(self, nodes: Indices) -> MemoryLevel:
        """Return a level of these nodes, each with a copy of its cases; a node may be taken several times."""
        return next(iter(self._copied([nodes], list(self.orders))))

    def forget_cases(self) -> None:
        """Free the room of the cases of a level that is not used again, except that of its orders."""
        for name in ("row", "label", "target", "weight"):
            object.__setattr__(self, name, getattr(self, name)[:0].copy())
        for name in ("cases", "node_of_case", "target_rank"):
            self.__dict__.pop(name, None)

    def divided(self, parts: Sequence[Indices]) -> list[MemoryLevel]:
        """Return a level for each of these groups of nodes. This level loses its orders, which are freed one by one."""
        return self._copied(parts, [])

    def _copied(self, parts: Sequence[Indices], kept: Sequence[int]) -> list[MemoryLevel]:
        """Return a level for each of these groups of nodes, with copies of their cases; only these orders are kept."""
        copies, places = [], []
        for nodes in parts:
            size = np.diff(self.start)[nodes]
            start = np.concatenate([[0], np.cumsum(size)])
            moved = np.repeat((self.start[:-1][nodes] - start[:-1]).astype(np.int32), size)
            cases = np.arange(len(moved), dtype=np.int32) + moved
            places.append((nodes, cases, moved))
            copies.append(
                MemoryLevel(
                    self.numbers[nodes],
                    self.outcomes[nodes],
                    self.depth,
                    start,
                    _taken(self.row, cases),
                    _taken(self.label, cases),
                    _taken(self.target, cases),
                    _taken(self.weight, cases),
                    self.center[nodes],
                    self.totals[nodes],
                    {},
                    self.is_whole,
                    self.key[nodes],
                )
            )
        for attribute in list(self.orders):
            own = self.orders[attribute]
            if attribute not in kept:
                del self.orders[attribute]
            for copy, (nodes, cases, moved) in zip(copies, places, strict=True):
                case, value = own.case[cases], own.value[cases]
                case -= moved
                copy.orders[attribute] = SortedCases(case, value, own.n_known[nodes], own.gap)
        return copies

    def _empty(self) -> MemoryLevel:
        """Return a level without nodes."""
        no_cases = np.zeros(1, np.int64)
        row, label, target, weight = self.row[:0], self.label[:0], self.target[:0], self.weight[:0]
        of_cases = no_cases, row, label, target, weight, self.center[:0], self.totals[:0]
        return MemoryLevel(self.numbers[:0], self.outcomes[:0], self.depth, *of_cases, {}, self.is_whole, self.key[:0])


@dataclass(slots=True)
class SentCases:
    """The cases of a level with their branches; the engine's `outcomes` sets the other fields."""

    level: MemoryLevel
    decision: Decision
    branch: Codes
    share: Floats
    """Each child's share of its parent's known weight."""
    sums: Floats
    """For a numeric target: the additive outcomes of each child about the parent's centre."""
    rest: Floats
    """The sums about the children's means; not exactly 0, because means are rounded."""
    decrease: Floats
    """The decrease of impurity times weight by each split among known values; NaN if no value is missing."""
    information: Floats
    """The split information times the node's weight, if `decrease` is given."""
    surrogates: dict[int, Sequence[Surrogate]] = field(default_factory=dict)
    """By index of the node in its level."""

    def n_rows(self) -> Indices:
        """Return the number of cases of each child."""
        level, first_child = self.level, self.decision.first_child
        is_split = self.decision.attribute[level.node_of_case] >= 0
        is_sent = is_split & (self.branch >= 0)
        child_of_case = first_child[level.node_of_case[is_sent]] + self.branch[is_sent]
        n_rows = np.bincount(child_of_case, minlength=int(first_child[-1]))
        is_spread = is_split & (self.branch == codes.SPREAD)
        n_spread = np.bincount(level.node_of_case[is_spread], minlength=level.n_nodes)
        return n_rows + np.where(self.share > 0, np.repeat(n_spread, np.diff(first_child)), 0)


def _taken(values: Array, cases: Codes) -> Array:
    """Return the values of some cases; zeros that are never written take no memory."""
    return cast("Array", values[cases] if values.any() else np.zeros(len(cases), values.dtype))


def are_whole(weights: Floats) -> bool:
    """Return whether all weights are integers and the square of their sum fits 53 bits."""
    return bool((weights == np.floor(weights)).all()) and float(weights.sum()) < MOST_WHOLE


def with_weight(has_target: Flags, weights: Floats) -> Codes:
    """Return the rows with a target whose weight is not next to nothing.

    Rows without weight are ignored, because their values would move thresholds and medians.
    """
    least_weight = VANISHING_SHARE * float(weights.sum(where=has_target))
    return np.flatnonzero(has_target & (weights > least_weight)).astype(np.int32)


def scaled(level: MemoryLevel, plan: Plan) -> Cases:
    """Return the cases for impurity computations: weights and totals multiplied by the class scales."""
    if not plan.is_scaled:
        return level.cases
    scale = np.asarray(plan.class_scale)
    return Cases(
        level.start,
        level.row,
        level.label,
        level.target,
        level.weight * scale[level.label],
        level.center,
        level.totals * scale,
    )


def sorted_cases(values: Floats, gap: float = 0.0) -> SortedCases:
    """Return the cases of the root sorted by value; equal values keep the order of the file.

    Floating-point sums depend on the order: with an unstable sort, results could differ between machines.
    """
    if len(values) <= MOST_SORTED_STABLY:
        case = np.argsort(values, kind="stable").astype(np.int32)  # NaN comes last
        value = values[case]
        return SortedCases(case, value, np.array([np.count_nonzero(value == value)], np.int64), gap)
    # Only now: small data need none of it.
    from treecli.grow.lists import set_order

    is_known = values == values
    known = np.flatnonzero(is_known).astype(np.int32)
    case, entry = np.empty(len(values), np.int32), np.empty(len(known), np.uint32)
    if len(known):
        set_order(values[known], np.arange(len(known), dtype=np.uint32) << np.uint32(1), 1, entry)
    case[: len(known)], case[len(known) :] = known[entry >> np.uint32(1)], np.flatnonzero(~is_known)
    return SortedCases(case, values[case], np.array([len(known)], np.int64), gap)


def sorted_like_rpart(values: Floats, gap: float = 0.0) -> SortedCases:
    """Return the cases of the root sorted by value; equal values are in the order that rpart's sort gives."""
    n = len(values)
    is_missing = values != values
    value, order = np.where(is_missing, 0.0, values), np.arange(n, dtype=np.int32)  # rpart sorts missing values as 0
    sorting.sort_with_rows(value, order, np.empty(2 * n + 2, np.int64))
    order = np.concatenate([order[~is_missing[order]], order[is_missing[order]]])
    return SortedCases(order, values[order], np.array([n - np.count_nonzero(is_missing)], np.int64), gap)


def to_mean_and_deviance(sums: Floats, center: Floats) -> Floats:
    """Convert weight, sum and sum of squares about a centre to weight, mean and deviance, in place.

    Returns the sums about the means, which are not exactly 0 because means are rounded. Without this correction, equal
    gains would differ for numbers as large as 1e9.
    """
    weight = np.where(sums[:, 0] > 0, sums[:, 0], 1.0)
    shift = sums[:, 1] / weight
    mean = np.where(sums[:, 0] > 0, center + shift, 0.0)
    rest = np.where(sums[:, 0] > 0, sums[:, 1] - weight * (mean - center), 0.0)
    sums[:, 2] = np.maximum(sums[:, 2] - shift * sums[:, 1], 0.0)
    sums[:, 1] = mean
    return rest
