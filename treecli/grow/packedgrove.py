"""Grow the trees of several samples from packed lists, all in one call of the kernel.

As in grow/packed.py, all attributes are numeric, no value is missing and all weights are 1. An entry of a list holds
the number of a case among those of all samples, in place of a row.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow import thresholds
from treecli.grow.candidates import Cuts, empty_test
from treecli.grow.chains import room_for_peels
from treecli.grow.lists import CLEARLY, ENTRY_BITS, row_shift, xlog2_table
from treecli.grow.nodes import Nodes
from treecli.grow.packed import fuller_branches, refuses_plan
from treecli.grow.parts import Arrays, args_of
from treecli.grow.tasks import room_for_cuts, room_for_search
from treecli.kernels import codes, grow_packed
from treecli.kernels.packed_args import Lists
from treecli.splits._registry import kinds
from treecli.tree import LEAF

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.candidates import Codes, Flags, Floats
    from treecli.grow.level import MemoryLevel
    from treecli.grow.mixed_columns import Move
    from treecli.kernels.args import Plan


def refuses(plan: Plan, dataset: Dataset) -> bool:
    """Return whether packed lists cannot grow trees on samples of the data set."""
    if not dataset.schema.attributes or not all(attribute.is_numeric for attribute in dataset.schema.attributes):
        return True
    if refuses_plan(plan, dataset.n_rows) or not (dataset.weights == 1.0).all():
        return True
    return any(np.isnan(column).any() for column in dataset.columns)


def most_cases(dataset: Dataset) -> int:
    """Return the number of cases that an entry has room for."""
    return 1 << (ENTRY_BITS - row_shift(dataset))


class PackedGrower:
    """A data set whose samples give packed lists; `column` and `value` have its values, as they are and in order."""

    def __init__(self, dataset: Dataset, plan: Plan, column: Floats, value: Floats, move: Move) -> None:
        self._plan = plan
        self._column = column
        self._move = move
        self._shift = row_shift(dataset)
        self._xlog2_of = xlog2_table(dataset.n_rows + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            gap = np.diff(value, axis=1)
        self._close = np.flatnonzero(((gap > 0) & (gap <= CLEARLY * plan.value_gap)).any(axis=1))

    def grow(self, level: MemoryLevel, is_open: Flags) -> Nodes:
        """Return the trees of the roots that are open; the roots come first."""
        plan, n_roots = self._plan, level.n_nodes
        n_attributes, n_outcomes = len(self._column), level.outcomes.shape[1]
        lists = self._lists(level)
        # Each leaf has at least min_side cases, so there are fewer nodes than this.
        n_nodes = n_roots + 2 * (level.n_cases // lists.min_side)
        arrays: Arrays = {
            "attribute": np.full(n_nodes, LEAF, np.int32),
            "first_child": np.zeros(n_nodes, np.int64),
            "neighbour": np.zeros((n_nodes, 2), np.int32),
            "cost": np.zeros(n_nodes),
            "outcomes": np.empty((n_nodes, n_outcomes)),
            "sums": np.empty((1, 3)),
        }
        arrays["outcomes"][:n_roots] = level.outcomes
        roots = np.flatnonzero(is_open)
        pending = np.empty((n_nodes + 1, grow_packed.PENDING_COLUMNS), np.int32)
        pending[: len(roots), 0], pending[: len(roots), 3:] = roots, (0, n_attributes, 0)
        pending[: len(roots), 1], pending[: len(roots), 2] = level.start[roots], level.start[roots + 1]
        progress = np.array([len(roots), n_roots], np.int64)
        found, cut = room_for_cuts(n_attributes)
        search = room_for_search(np.arange(n_attributes, dtype=np.int32), cut, n_outcomes)
        search.spare = np.empty(level.n_cases + 1, np.uint32)
        state = np.empty(level.n_cases, np.int32)
        peeling = room_for_peels(lists, plan, n_outcomes, state, int(np.diff(level.start).max(initial=0)))
        is_done = grow_packed.grow(lists, search, args_of(arrays), found, pending, progress, peeling, plan)
        assert is_done
        return self._nodes({name: values[: int(progress[1])] for name, values in arrays.items()}, level.row)

    def _lists(self, level: MemoryLevel) -> Lists:
        n, n_attributes = level.n_cases, len(self._column)
        lists = Lists()
        lists.stride, lists.n_attributes, lists.row_shift = n, n_attributes, self._shift
        entry_of_case = np.arange(n, dtype=np.uint32) << np.uint32(self._shift)
        entry_of_case |= level.label.astype(np.uint32) << np.uint32(1)
        entry = np.empty((n_attributes, n), np.uint32)
        for own, order in zip(entry, level.orders.values(), strict=True):
            own[:] = entry_of_case[order.case]
            own[1:] |= order.value[1:] != order.value[:-1]
            own[level.start[:-1]] &= ~np.uint32(1)
        lists.entry = entry.ravel()
        lists.goes_left = np.empty(n, np.uint8)
        lists.target_of_row, lists.xlog2_of, lists.is_single = np.empty(0), self._xlog2_of, False
        plan, n_least = self._plan, int(np.diff(level.start).min())
        lists.min_side = min(max(ceil(max(plan.min_leaf - plan.tolerance, plan.min_rows)), 1), n_least)
        close = np.full(n_attributes, -1, np.int32)
        close[self._close] = np.arange(len(self._close))
        lists.close = close
        lists.values = self._column[self._close][:, level.row]
        return lists

    def _nodes(self, arrays: Arrays, row: Codes) -> Nodes:
        """Return the nodes with their thresholds."""
        plan, nodes = self._plan, Nodes.leaves(arrays["outcomes"])
        nodes.attribute, nodes.first_child = arrays["attribute"], arrays["first_child"]
        inner = np.flatnonzero(nodes.first_child)
        nodes.kind[inner], nodes.n_branches[inner] = kinds().index("threshold"), 2
        if not plan.spreads:
            nodes.missing_to[inner] = fuller_branches(arrays["outcomes"].sum(axis=1), nodes.first_child[inner], plan)
        lower, upper = self._column[nodes.attribute[inner][:, None], row[arrays["neighbour"][inner]]].T
        n = len(inner)
        sides, gain = np.full(n, codes.NO_SIDE, np.int32), np.zeros(n)
        number = thresholds.halfway(Cuts(gain, gain, lower, upper, sides, empty_test(n)), None, is_ordinal=False).number
        assert number is not None
        is_moved = plan.settings.splitting.threshold == "datavalue"
        nodes.number[inner] = self._move(nodes, inner, number) if is_moved else number
        return nodes
