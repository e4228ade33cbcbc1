"""Room for peeling in packed lists: chains of splits that each send few cases away (kernels/peel_packed.py)."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Codes
from treecli.kernels import codes, open_blocks, peel_packed
from treecli.kernels.args import Plan
from treecli.kernels.packed_args import Lists, Peeling, Spans

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
    # As many as the lists of the largest node have (open_blocks): at most 2 ** (1 / 3) of the power.
    n_blocks = min(n // 8 + 1, int(1.3 * n ** (2 / 3)) + 2, open_blocks.MOST_BLOCKS)
    peeling.state = state
    peeling.block = np.empty(n_rows * n, np.uint16)
    peeling.blocks, peeling.stretches = _spans(n_rows, n_blocks), _spans(n_rows, n_blocks // 4 + 1)
    peeling.begin, peeling.end, peeling.n_left, peeling.last = np.empty((4, n_rows), np.int64)
    peeling.neighbour = np.empty((n_rows, 2), np.int32)
    peeling.is_scanned, peeling.most = np.empty(n_rows, np.int32), np.empty(n_rows)
    peeling.least_side = np.empty(n_rows, np.int64)
    peeling.child = np.empty((MOST_CHILDREN if n_rows else 0, peel_packed.CHILD_COLUMNS), np.int32)
    return peeling


def _spans(n_attributes: int, n_spans: int) -> Spans:
    """Allocate the counts and bounds of spans of lists."""
    spans = Spans()
    spans.size, spans.first, spans.known = np.empty((3, n_attributes, n_spans), np.int32)
    spans.top, spans.bottom, spans.share = np.empty((3, n_attributes, n_spans))
    spans.n_before, spans.first_before = np.empty((2, n_spans), np.int32)
    spans.excess = np.empty(n_spans, np.float32)
    return spans


def can_peel(plan: Plan, n_outcomes: int) -> bool:
    """Return whether chains of splits are found block by block: for two classes and sums that are exact."""
    return not plan.is_numeric and n_outcomes == 2 and plan.arithmetic == codes.SUMS and not plan.cut_cost


def many_peels(plan: Plan) -> int:
    """Return with which split in a row that peels a chain begins."""
    return MANY_PEELS.get(plan.rank, MANY_OTHER_PEELS)
