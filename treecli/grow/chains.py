"""Room for peeling in packed lists: chains of splits that each send few cases away (kernels/peel_packed.py)."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Codes
from treecli.kernels import codes, peel_packed
from treecli.kernels.args import Plan
from treecli.kernels.packed_args import Lists, Peeling

MOST_CHILDREN = 1024
"""The limit on open nodes that cases of a chain have left for."""

NEVER = 1 << 62

MANY_PEELS = {codes.BY_RATIO: 1}
MANY_OTHER_PEELS = 8
"""A chain begins with the last of so many splits in a row that peel, by the rank of splits.

Gain ratio prefers splits that send few cases away, so that chains of them are longer.
"""


def room_for_peels(lists: Lists, plan: Plan, n_outcomes: int, state: Codes, n: int) -> Peeling:
    """Allocate the state of peeling nodes of at most n cases; `state` has an entry for each row of the data."""
    peeling = Peeling()
    peeling.least = peel_packed.LEAST_PEELED if can_peel(plan, n_outcomes) else NEVER
    peeling.many = many_peels(plan)
    n_rows = lists.n_attributes if n >= peeling.least else 0
    n_blocks = min(n // 8 + 1, peel_packed.MOST_BLOCKS)
    peeling.state = state
    peeling.block = np.empty(n_rows * n, np.uint16)
    peeling.block_size, peeling.block_first, peeling.block_known = np.empty((3, n_rows, n_blocks), np.int32)
    peeling.block_top, peeling.block_bottom = np.empty((2, n_rows, n_blocks))
    n_stretches = n_blocks // 8 + 1
    peeling.stretch_size, peeling.stretch_first, peeling.stretch_known = np.empty((3, n_rows, n_stretches), np.int32)
    peeling.stretch_top, peeling.stretch_bottom, peeling.stretch_share = np.empty((3, n_rows, n_stretches))
    peeling.begin, peeling.end, peeling.n_left, peeling.last = np.empty((4, n_rows), np.int64)
    peeling.neighbour = np.empty((n_rows, 2), np.int32)
    peeling.child = np.empty((MOST_CHILDREN if n_rows else 0, peel_packed.CHILD_COLUMNS), np.int32)
    peeling.place, peeling.group = np.empty((2, len(peeling.child)), np.int64)
    return peeling


def can_peel(plan: Plan, n_outcomes: int) -> bool:
    """Return whether chains of splits are found block by block: for two classes and sums that are exact."""
    return not plan.is_numeric and n_outcomes == 2 and plan.arithmetic == codes.SUMS and not plan.cut_cost


def many_peels(plan: Plan) -> int:
    """Return with which split in a row that peels a chain begins."""
    return MANY_PEELS.get(plan.rank, MANY_OTHER_PEELS)
