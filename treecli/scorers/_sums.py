"""The best cuts by sums of weights, for scorers that differ only in how they rank attributes."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Cuts, Floats, room_for_cuts
from treecli.grow.level import MemoryLevel, SortedCases, scaled
from treecli.kernels import codes, score_sums
from treecli.kernels.args import At, Plan, Scratch

LEAST_TOLERANCE = 1e-10
"""Cuts that are passed over differ from the best by more than a tolerance of this size, which is more than rounding."""


def cuts(level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
    """Return the best cut of every node in the order of a column; `only_at` allows one threshold per node."""
    n = level.n_nodes
    found = room_for_cuts(n)
    if only_at is None and are_counted(level, order, plan):
        # Only now: most small data need none of it.
        from treecli.kernels import score_two

        score_two.best_cuts_of_two(level.cases, order.args, plan, found.args())
        return found
    scratch, at = Scratch(), At()
    scratch.sides, scratch.counted, scratch.terms = np.zeros((3, score_sums.SCRATCH_ROWS, level.totals.shape[1]))
    at.is_whole = level.is_whole and not plan.is_scaled
    allowed = np.full(n, np.nan) if only_at is None else only_at
    score_sums.best_cuts(scaled(level, plan), order.args, allowed, at, plan, found.args(), scratch)
    return found


def are_counted(level: MemoryLevel, order: SortedCases, plan: Plan) -> bool:
    """Return whether cuts are scored by counts: cases of two classes and weight 1, all of whose values are known."""
    return (
        level.totals.shape[1] == 2
        and plan.impurity in (codes.ENTROPY, codes.GINI)
        and not (plan.is_scaled or plan.wants_chi2 or plan.cut_cost or plan.branch_share)
        and plan.tolerance >= LEAST_TOLERANCE
        and level.has_unit_weights
        and int(order.n_known.sum()) == level.n_cases
    )
