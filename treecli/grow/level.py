"""The open nodes of one level. A level is a value: nothing changes it in place."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.candidates import Codes, Flags, Floats, Indices
from treecli.kernels import codes, sorting
from treecli.kernels.args import Cases, Order, Plan

if TYPE_CHECKING:
    from treecli.grow.choose import Decision
    from treecli.tree import Surrogate

TARGET = -1
"""In the place of an attribute: the order of a numeric target."""


@dataclass(frozen=True)
class SortedCases:
    """The cases of each node in the order of one column, the missing values last; n_known[i] are known at node i.

    Two neighbouring values are cut only if they differ by more than `gap`.
    """

    case: Codes
    value: Floats
    n_known: Indices
    gap: float = 0.0

    @cached_property
    def args(self) -> Order:
        """The order as kernels read it."""
        return Order(self.case, self.value, self.n_known, self.gap)


@dataclass(frozen=True)
class Level:
    """Open nodes: their numbers in the tree, their outcomes as a tree keeps them, and their depth."""

    numbers: Indices
    outcomes: Floats
    depth: int

    @property
    def n_nodes(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class MemoryLevel(Level):
    """Open nodes with their cases in memory: node i has the cases from start[i] to start[i + 1], and as many places in
    each order.

    `totals` are outcomes as they add up: class weights or, for a numeric target, weight, sum and sum of squares of the
    differences from `center`.
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
    """Whether all weights are whole numbers, so few that squares of their sums are exact."""

    @property
    def n_cases(self) -> int:
        return len(self.row)

    @cached_property
    def node_of_case(self) -> Indices:
        return np.repeat(np.arange(self.n_nodes), np.diff(self.start))

    @cached_property
    def cases(self) -> Cases:
        """The cases as kernels read them."""
        return Cases(self.start, self.row, self.label, self.target, self.weight, self.center, self.totals)

    def weights(self, plan: Plan) -> Floats:
        """The weight of each node's cases, each class by its scale."""
        return self.totals[:, 0].copy() if plan.is_numeric else self.totals @ np.asarray(plan.class_scale)

    def part(self, is_taken: Flags) -> MemoryLevel:
        """Some of the nodes, with copies of their cases."""
        if is_taken.all():
            return self
        size = np.diff(self.start)
        start = np.concatenate([[0], np.cumsum(size[is_taken])])
        cases = np.flatnonzero(np.repeat(is_taken, size))
        shift = np.repeat(self.start[:-1][is_taken] - start[:-1], size[is_taken]).astype(np.int32)
        return MemoryLevel(
            self.numbers[is_taken],
            self.outcomes[is_taken],
            self.depth,
            start,
            self.row[cases],
            self.label[cases],
            self.target[cases],
            self.weight[cases],
            self.center[is_taken],
            self.totals[is_taken],
            {
                attribute: SortedCases(own.case[cases] - shift, own.value[cases], own.n_known[is_taken], own.gap)
                for attribute, own in self.orders.items()
            },
            self.is_whole,
        )


@dataclass(slots=True)
class SentCases:
    """The cases of a level with the branches that they take; `outcomes` sets the rest."""

    level: MemoryLevel
    decision: Decision
    branch: Codes
    share: Floats
    """The share of each child in the known weight of its parent."""
    sums: Floats
    """Of a numeric target: the outcomes of each child as they add up about the parent's centre."""
    rest: Floats
    """The sums about the children's means: not quite 0, because a mean is rounded."""
    surrogates: dict[int, tuple[Surrogate, ...]] = field(default_factory=dict)
    """By place of the node in its level."""

    def n_rows(self) -> Indices:
        """The number of cases of each child."""
        level, first_child = self.level, self.decision.first_child
        is_split = self.decision.attribute[level.node_of_case] >= 0
        is_sent = is_split & (self.branch >= 0)
        child_of_case = first_child[level.node_of_case[is_sent]] + self.branch[is_sent]
        n_rows = np.bincount(child_of_case, minlength=int(first_child[-1]))
        is_spread = is_split & (self.branch == codes.SPREAD)
        n_spread = np.bincount(level.node_of_case[is_spread], minlength=level.n_nodes)
        return n_rows + np.where(self.share > 0, np.repeat(n_spread, np.diff(first_child)), 0)


def scaled(level: MemoryLevel, plan: Plan) -> Cases:
    """The cases as impurities count them: weights and totals of each class by its scale."""
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
    """The cases of the root in the order of their values, equal ones as in the file.

    Sums of fractions depend on their order: with an unstable sort their last digits might differ between machines.
    """
    is_known = values == values
    known = np.flatnonzero(is_known)
    order = np.argsort(values[known])
    value = values[known[order]]
    is_new = value[1:] != value[:-1]
    if not is_new.all():
        # Faster than a stable sort: numpy sorts values at full speed, but not pairs.
        place = np.concatenate([[0], np.cumsum(is_new)]) * len(known)
        order = np.sort(place + order) - place
    case = np.concatenate([known[order], np.flatnonzero(~is_known)]).astype(np.int32)
    return SortedCases(case, values[case], np.array([len(known)], np.int64), gap)


def sorted_like_rpart(values: Floats, gap: float = 0.0) -> SortedCases:
    """The cases of the root in the order of their values, and of equal values as rpart's sort leaves them."""
    n = len(values)
    is_missing = values != values
    value, order = np.where(is_missing, 0.0, values), np.arange(n, dtype=np.int32)  # rpart sorts missing values as 0
    sorting.sort_with_rows(value, order, np.empty(2 * n + 2, np.int64))
    order = np.concatenate([order[~is_missing[order]], order[is_missing[order]]])
    return SortedCases(order, values[order], np.array([n - np.count_nonzero(is_missing)], np.int64), gap)
