"""Impurities from sums of weights; scores that differ by at most the tolerance tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.candidates import Cuts, Floats, room_for_cuts
from treecli.grow.level import MemoryLevel, SortedCases, scaled
from treecli.kernels import score_sums
from treecli.kernels.args import At, Plan, Scratch
from treecli.scorers._from_tables import cuts_of
from treecli.scorers._usual import (
    at_data_values,
    groups,
    open,
    order,
    rank,
    root,
    settle,
    settle_root,
    worth,
)

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.missing import Policy
    from treecli.settings import Settings

__all__ = [
    "at_data_values",
    "cuts",
    "cuts_of",
    "groups",
    "open",
    "order",
    "rank",
    "refuses",
    "root",
    "settle",
    "settle_root",
    "worth",
]


def refuses(settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
    """Return None: sums support all settings."""
    return None


def cuts(level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
    """Return the best cut of every node in the order of a column; `only_at` allows one threshold per node."""
    n = level.n_nodes
    found, scratch, at = room_for_cuts(n), Scratch(), At()
    scratch.sides, scratch.counted, scratch.terms = np.zeros((3, score_sums.SCRATCH_ROWS, level.totals.shape[1]))
    at.is_whole = level.is_whole and not plan.is_scaled
    allowed = np.full(n, np.nan) if only_at is None else only_at
    score_sums.best_cuts(scaled(level, plan), order.args, allowed, at, plan, found.args(), scratch)
    return found
