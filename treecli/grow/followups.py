"""Look one level ahead from the thresholds of a level in compiled loops, not by trying each on a copy of its node."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import ceil, log2, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.alternatives import Alternatives
from treecli.grow.candidates import NO_GAIN, Floats, Indices
from treecli.grow.mixed_columns import Shared, columns_of, found_of, scratch_of
from treecli.kernels import ahead_blocks, ahead_bounds, codes, follow_ups
from treecli.kernels.ahead_args import Ahead, Blocks, Short
from treecli.kernels.args import At, Cases, Order, Plan
from treecli.settings.growing import ONE_PLACE

if TYPE_CHECKING:
    from treecli.grow.level import MemoryLevel

ENDLESS = np.iinfo(np.int64).max
"""Stands for no limit on the steps."""

FREE_OF = ("impurity", "is_numeric", "tolerance", "missing_is_value", "xlog2_of", "least_variance")
"""The rules that a plan without limits on branches shares with the usual one."""

LEAST_MASS = 0.001
"""The least spread that a case adds to a branch of other cases of its class."""

FIRST = 1e-6
"""Bounds of 0 are lowered by so much times a gain, to put attributes in order."""

LEAST_RANGES = 20
"""Short ranges are divided so often, at most."""

MOST_COUNTED = 1 << 22
"""The most outcomes of blocks that are kept for one node."""

MOST_AT_ONCE = 512
"""The most cases between two thresholds whose range is tried at once."""

MOST_CUTS = 48
"""The most cuts of a side in such a range."""

IMPURITIES = (codes.ENTROPY, codes.GINI, codes.ERROR, codes.VARIANCE)
"""Those whose rounding errors are much less than the tolerance; a root of one is not."""


def most_of(own: Alternatives) -> tuple[Indices, Indices]:
    """Return the nodes that have splits, and the place of the first one with the largest gain at each."""
    if not len(own):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    start = np.flatnonzero(np.concatenate([[True], own.node[1:] != own.node[:-1]]))
    most = np.maximum.reduceat(own.splits.gain, start)
    is_most = own.splits.gain >= np.repeat(most, np.diff(np.concatenate([start, [len(own)]])))
    return own.node[start], np.minimum.reduceat(np.where(is_most, np.arange(len(own)), len(own)), start)


def _short(most_runs: int, n_outcomes: int) -> Short:
    """Return scratch for a short range of thresholds."""
    short = Short()
    short.attribute, short.run = np.empty((2, MOST_CUTS), np.int32)
    short.count, short.spread = np.empty((2 * MOST_CUTS, n_outcomes)), np.empty(2 * MOST_CUTS)
    short.reached = np.empty(most_runs)
    short.left, short.gained = np.empty((2, MOST_AT_ONCE))
    return short


class FollowUps:
    """The nodes of a level, whose thresholds are worth their gain with the best further splits of both sides."""

    def __init__(self, engine: Any, level: MemoryLevel, slack: Floats, most_steps: int = ENDLESS) -> None:
        self._engine, self._level, self.slack, self.most_steps = engine, level, slack, most_steps
        self._plan: Plan = engine.plan
        self._shared = Shared(engine)
        self._mass = np.asarray(level.weight, float)
        self.progress: list[tuple[int, int]] = []
        """How many cases were passed and how many thresholds were decided, by call of `worth`."""
        self._first_bound = np.zeros((level.n_nodes, len(engine.columns)))
        self._kept: dict[int, tuple[Floats, Floats]] = {}
        """By attribute: the threshold with the largest worth of every node, and the bounds of its sides."""
        self._spare: list[Ahead] = []

    @staticmethod
    def refuses(engine: Any, level: MemoryLevel) -> bool:
        """Return whether the thresholds of a level must be tried one by one.

        Sides of a threshold are sets of cases only if no value is missing: otherwise cases are divided.
        """
        plan: Plan = engine.plan
        splitting = plan.settings.splitting
        if (
            plan.impurity not in IMPURITIES
            or plan.is_scaled
            or plan.counts_rows
            or plan.nominal in (codes.MERGED, codes.OTHER_GROUPS)
            or splitting.threshold in ONE_PLACE
            or engine.bounds
        ):
            return True
        size = np.diff(level.start)
        nominal = [a for a in range(len(engine.columns)) if a not in level.orders]
        return any((order.n_known < size).any() for order in level.orders.values()) or any(
            (engine.labels(a)[1][level.row] < 0).any() for a in nominal
        )

    def takes(self, attribute: int) -> bool:
        """Return whether an attribute has thresholds."""
        return attribute in self._level.orders

    def worth(self, own: Alternatives, floor: Floats) -> Floats:
        """Return the gain of every threshold that may be the best of its node, and -inf for the others.

        `floor` is the worth of some split of each node, below which nothing is of interest; it is raised to the best.
        The search ends early after `most_steps`.
        """
        ahead = self._ahead(own)
        ahead.floor, ahead.most_steps = floor, self.most_steps
        follow_ups.search(ahead, self._level.cases, self._plan)
        self.progress.append((int(ahead.progress[0]), int(ahead.progress[1])))
        self._keep(own, np.asarray(ahead.kept_at), np.asarray(ahead.kept_bound))
        self._spare.append(ahead)
        return np.asarray(ahead.worth)

    def information(self, own: Alternatives, node: Indices, place: Indices) -> Floats:
        """Return the split information below one threshold of each of these nodes, as shares of the node."""
        threshold, found = np.full(self._level.n_nodes, -1, np.int64), np.empty(self._level.n_nodes)
        threshold[node] = place
        ahead = self._ahead(own)
        kept = self._kept.get(own.attribute)
        if kept is not None:
            assert own.splits.number is not None
            is_same = np.zeros(self._level.n_nodes, bool)
            is_same[node] = kept[0][node] == own.splits.number[place]
            np.asarray(ahead.kept_bound)[:] = np.where(np.repeat(is_same, 2)[:, None], kept[1], 0.0)
        follow_ups.information(ahead, self._level.cases, threshold, found, self._plan)
        self._spare.append(ahead)
        return found[node]

    def _keep(self, own: Alternatives, place: Indices, bound: Floats) -> None:
        """Keep the bounds of the best thresholds so far; a negative place stands for none."""
        number, kept = self._kept.get(own.attribute, (np.full(len(place), np.nan), np.zeros_like(bound)))
        is_new = place >= 0
        assert own.splits.number is not None
        number[is_new] = own.splits.number[place[is_new]]
        self._kept[own.attribute] = number, np.where(np.repeat(is_new, 2)[:, None], bound, kept)

    def expect(self, every: Sequence[Alternatives]) -> None:
        """Expect the best of these splits below every threshold: its errors are where the worth changes most.

        Attributes are then tried in the order of their gain at the node. This changes the order in which
        thresholds and further splits are tried, and nothing else.
        """
        level, plan = self._level, self._plan
        gain, number = np.full(level.n_nodes, NO_GAIN), np.zeros(level.n_nodes)
        best = np.full(level.n_nodes, -1)
        for own in every:
            node, place = most_of(own)
            self._first_bound[node, own.attribute] = -FIRST * own.splits.gain[place]
            is_more = own.splits.gain[place] > gain[node]
            node, place = node[is_more], place[is_more]
            assert own.splits.number is not None
            gain[node], number[node], best[node] = own.splits.gain[place], own.splits.number[place], own.attribute
        if plan.is_numeric:
            return
        cell = np.repeat(2 * np.arange(level.n_nodes), np.diff(level.start))
        for a in np.unique(best[best >= 0]).tolist():
            order = level.orders[a]
            node = cell[order.case] // 2
            case = order.case[(best[node] == a) & (order.value > number[node])]
            cell[case] += 1
        n_classes = level.totals.shape[1]
        label = np.asarray(level.cases.label)
        weight = np.bincount(cell * n_classes + label, level.weight, 2 * level.n_nodes * n_classes)
        share = weight.reshape(-1, n_classes) / np.maximum(weight.reshape(-1, n_classes).sum(axis=1), 1e-300)[:, None]
        self._mass = np.asarray(level.weight * (LEAST_MASS - np.log2(share[cell, label])))

    @cached_property
    def _free(self) -> Plan:
        """The plan without limits on branches."""
        free = Plan()
        for name in FREE_OF:
            setattr(free, name, getattr(self._plan, name))
        free.zero_gain, free.cut_cost, free.wants_chi2 = True, False, False
        free.min_leaf, free.min_rows, free.branch_share = 0.0, 0.0, 0.0
        return free

    @cached_property
    def _is_limited(self) -> bool:
        plan, level = self._plan, self._level
        is_grouped = plan.nominal != codes.MULTIWAY and len(level.orders) < len(self._engine.columns)
        is_small = float(level.weight.min(initial=np.inf)) < plan.min_leaf - plan.tolerance
        return is_grouped or is_small or plan.branch_share > 0 or plan.cut_cost

    @cached_property
    def _blocks(self) -> Blocks:
        """The cases in the order of every attribute, in blocks."""
        level, n_attributes = self._level, len(self._engine.columns)
        shape = n_attributes, level.n_cases
        blocks = Blocks()
        blocks.case, blocks.value = np.zeros(shape, np.int32), np.zeros(shape)
        for a, order in level.orders.items():
            np.asarray(blocks.case)[a], np.asarray(blocks.value)[a] = order.case, order.value
        blocks.block_of = np.zeros(shape, np.int32)
        blocks.begin = np.zeros((n_attributes, level.n_cases + level.n_nodes), np.int32)
        blocks.n_blocks = np.zeros((n_attributes, level.n_nodes), np.int32)
        blocks.run, blocks.run_of = np.zeros_like(blocks.begin), np.zeros(shape, np.int32)
        blocks.n_runs, blocks.in_runs = np.zeros_like(blocks.n_blocks), np.zeros(blocks.n_blocks.shape, np.uint8)
        n_outcomes = level.totals.shape[1]
        columns = columns_of(self._shared, n_outcomes)
        ahead_blocks.divide(blocks, level.cases, columns, np.empty(n_outcomes, np.int64), self._plan)
        return blocks

    def _ahead(self, own: Alternatives) -> Ahead:
        """Return the thresholds of an attribute, with the scratch of an earlier call if there is one."""
        ahead = self._spare.pop() if self._spare else self._scratch()
        ahead.attribute, n_nodes = own.attribute, self._level.n_nodes
        ahead.start = np.searchsorted(own.node, np.arange(n_nodes + 1))
        assert own.splits.number is not None
        ahead.number, ahead.own = own.splits.number, own.splits.gain
        ahead.worth = np.full(len(own), NO_GAIN)
        ahead.progress = np.zeros(2, np.int64)
        ahead.n_left, ahead.mass = np.empty(len(own), np.int32), np.empty(len(own))
        ahead.kept_at = np.full(n_nodes, -1, np.int64)
        ahead.kept_bound = np.zeros((2 * n_nodes, len(self._engine.columns)))
        return ahead

    def _scratch(self) -> Ahead:
        """Return all but the thresholds."""
        level, plan, n_attributes = self._level, self._plan, len(self._engine.columns)
        n_cases, n_outcomes = level.n_cases, level.totals.shape[1]
        most_cases = int(np.diff(level.start).max(initial=1))
        ahead = Ahead()
        ahead.blocks, ahead.slack, ahead.is_limited = self._blocks, self.slack, self._is_limited
        ahead.first_left, ahead.place = np.empty((2, n_cases), np.int32)
        ahead.mass_of_case, ahead.first_bound = self._mass, self._first_bound
        ahead.is_looked_up = (
            plan.impurity == codes.ENTROPY
            and level.is_whole
            and float(level.weights(plan).max(initial=0.0)) < len(plan.xlog2_of)
        )
        n_counted = self._blocks.most
        n_rows = int(np.clip(MOST_COUNTED // n_counted, 2, 1 + ceil(sqrt(most_cases))))
        ahead.counted = np.empty((n_rows, n_counted))
        ahead.counted_begin = np.zeros(n_attributes + 1, np.int64)
        most_blocks = int(np.asarray(self._blocks.n_blocks).max(initial=1))
        ahead.count, ahead.sums = np.empty((most_blocks, n_outcomes)), np.empty((ahead_bounds.SUMS, n_outcomes))
        ahead.below, ahead.above, ahead.inside = np.empty((3, most_blocks))
        ahead.run_weight = np.empty(int(np.asarray(self._blocks.n_runs).max(initial=1)))
        ahead.short = _short(len(ahead.run_weight), n_outcomes)
        row, label = np.empty((2, n_cases), np.int32)
        target, weight = np.empty((2, n_cases))
        ahead.side = Cases(level.start, row, label, target, weight, np.zeros(1), np.zeros((1, n_outcomes)))
        ahead.outcomes = np.zeros((1, n_outcomes))
        # One more: the place after the last case of a side is written too.
        ahead.part = Order(np.empty(n_cases + 1, np.int32), np.empty(n_cases + 1), level.start, plan.value_gap)
        ahead.columns, ahead.free = columns_of(self._shared, n_outcomes), self._free
        n_ranges = follow_ups.RANGES_BY_BIT * ceil(log2(most_cases + 2)) + LEAST_RANGES
        ahead.bound, ahead.is_done = (
            np.zeros((2 * n_ranges + follow_ups.SPARE_BOUNDS, n_attributes)),
            np.zeros(n_attributes, np.uint8),
        )
        ahead.pending = np.zeros((n_ranges, follow_ups.PENDING_COLUMNS), np.int64)
        ahead.found, ahead.scratch, ahead.at = found_of(n_attributes), scratch_of(n_outcomes), At()
        ahead.at.only_at, ahead.at.is_whole = np.nan, level.is_whole
        return ahead
