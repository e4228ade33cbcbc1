"""Look one level ahead from the thresholds of a level in compiled loops, not by trying each on a copy of its node."""

from __future__ import annotations

from functools import cached_property
from math import ceil, log2, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow import mixed
from treecli.grow.alternatives import Alternatives
from treecli.grow.candidates import NO_GAIN, Floats, Indices
from treecli.kernels import ahead_bounds, codes, follow_ups
from treecli.kernels.ahead_args import Ahead, Blocks
from treecli.kernels.args import At, Cases, Order, Plan
from treecli.settings.growing import ONE_PLACE

if TYPE_CHECKING:
    from treecli.grow.level import MemoryLevel

ENDLESS = np.iinfo(np.int64).max
"""Stands for no limit on the steps."""

FREE_OF = ("impurity", "is_numeric", "tolerance", "missing_is_value", "xlog2_of")
"""The rules that a plan without limits on branches shares with the usual one."""

MOST_COUNTED = 1 << 22
"""The most outcomes of blocks that are kept for one node."""

IMPURITIES = (codes.ENTROPY, codes.GINI, codes.ERROR, codes.VARIANCE)
"""Those whose rounding errors are much less than the tolerance; a root of one is not."""


class FollowUps:
    """The nodes of a level, whose thresholds are worth their gain with the best further splits of both sides."""

    def __init__(self, engine: Any, level: MemoryLevel, slack: Floats, most_steps: int = ENDLESS) -> None:
        self._engine, self._level, self.slack, self.most_steps = engine, level, slack, most_steps
        self._plan: Plan = engine.plan
        self._shared = mixed.Shared(engine)
        self.progress: list[tuple[int, int]] = []
        """How many cases were passed and how many thresholds were decided, by call of `worth`."""

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
        return np.asarray(ahead.worth)

    def information(self, own: Alternatives, node: Indices, place: Indices) -> Floats:
        """Return the split information below one threshold of each of these nodes, as shares of the node."""
        threshold, found = np.full(self._level.n_nodes, -1, np.int64), np.empty(self._level.n_nodes)
        threshold[node] = place
        follow_ups.information(self._ahead(own), self._level.cases, threshold, found, self._plan)
        return found[node]

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
        ahead_bounds.divide(blocks, level.cases, mixed.columns_of(self._shared, level.totals.shape[1]))
        return blocks

    def _ahead(self, own: Alternatives) -> Ahead:
        level, plan, n_attributes = self._level, self._plan, len(self._engine.columns)
        n_cases, n_outcomes = level.n_cases, level.totals.shape[1]
        ahead = Ahead()
        ahead.attribute, ahead.blocks = own.attribute, self._blocks
        ahead.start = np.searchsorted(own.node, np.arange(level.n_nodes + 1))
        assert own.splits.number is not None
        ahead.number, ahead.own, ahead.slack = own.splits.number, own.splits.gain, self.slack
        ahead.worth = np.full(len(own), NO_GAIN)
        ahead.is_limited, ahead.progress = self._is_limited, np.zeros(2, np.int64)
        ahead.first_left, ahead.place = np.empty((2, n_cases), np.int32)
        ahead.n_left = np.empty(len(own), np.int32)
        n_counted = (self._blocks.most + 1) * n_outcomes
        n_rows = int(np.clip(MOST_COUNTED // n_counted, 2, 1 + ceil(sqrt(np.diff(level.start).max(initial=1)))))
        ahead.counted = np.empty((n_rows, n_counted))
        ahead.counted_begin = np.zeros(n_attributes + 1, np.int64)
        most_blocks = int(np.asarray(self._blocks.n_blocks).max(initial=1))
        ahead.count, ahead.sums = np.empty((most_blocks, n_outcomes)), np.empty((ahead_bounds.SUMS, n_outcomes))
        ahead.below, ahead.above = np.empty((2, most_blocks))
        row, label = np.empty((2, n_cases), np.int32)
        target, weight = np.empty((2, n_cases))
        ahead.side = Cases(level.start, row, label, target, weight, np.zeros(1), np.zeros((1, n_outcomes)))
        ahead.outcomes = np.zeros((1, n_outcomes))
        # One more: the place after the last case of a side is written too.
        ahead.part = Order(np.empty(n_cases + 1, np.int32), np.empty(n_cases + 1), level.start, plan.value_gap)
        ahead.columns, ahead.free = mixed.columns_of(self._shared, n_outcomes), self._free
        n_ranges = ceil(log2(len(own) + 1)) + 3
        ahead.bound, ahead.is_done = (
            np.zeros((2 * n_ranges + follow_ups.SPARE_BOUNDS, n_attributes)),
            np.zeros(n_attributes, np.uint8),
        )
        ahead.pending = np.zeros((n_ranges, follow_ups.PENDING_COLUMNS), np.int64)
        ahead.found, ahead.scratch, ahead.at = mixed.found_of(n_attributes), mixed.scratch_of(n_outcomes), At()
        ahead.at.only_at, ahead.at.is_whole = np.nan, level.is_whole
        return ahead
