"""The best cuts by sums of weights, for scorers that differ only in how they rank attributes."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Cuts, Floats, room_for_cuts
from treecli.grow.level import MemoryLevel, SortedCases, scaled
from treecli.kernels import score_sums
from treecli.kernels.args import At, Plan, Scratch


def cuts(level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
    """Return the best cut of every node in the order of a column; `only_at` allows one threshold per node."""
    n = level.n_nodes
    found, scratch, at = room_for_cuts(n), Scratch(), At()
    scratch.sides, scratch.counted, scratch.terms = np.zeros((3, score_sums.SCRATCH_ROWS, level.totals.shape[1]))
    at.is_whole = level.is_whole and not plan.is_scaled
    allowed = np.full(n, np.nan) if only_at is None else only_at
    score_sums.best_cuts(scaled(level, plan), order.args, allowed, at, plan, found.args(), scratch)
    return found
