"""Impurities from sums of weights; scores that differ by at most the tolerance tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.candidates import Cuts, Floats, room_for_cuts
from treecli.grow.level import MemoryLevel, SortedCases, scaled
from treecli.kernels import score_sums
from treecli.kernels.args import At, Plan, Scratch
from treecli.scorers._from_tables import cuts_of as cuts_of
from treecli.scorers._usual import at_data_values as at_data_values
from treecli.scorers._usual import groups as groups
from treecli.scorers._usual import open as open
from treecli.scorers._usual import order as order
from treecli.scorers._usual import rank as rank
from treecli.scorers._usual import root as root
from treecli.scorers._usual import settle as settle
from treecli.scorers._usual import settle_root as settle_root
from treecli.scorers._usual import worth as worth

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.missing import Policy
    from treecli.settings import Settings


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
