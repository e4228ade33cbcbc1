"""Splits compared by the impurity after the split in scikit-learn's arithmetic, so that ties are broken as there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.candidates import Candidates, Cuts, Floats, room_for_cuts
from treecli.grow.level import MemoryLevel, SentCases, SortedCases, scaled
from treecli.kernels import codes, impurity, score_sklearn
from treecli.kernels.args import At, Plan, Scratch, Sent
from treecli.scorers import Ranking
from treecli.scorers._usual import at_data_values as at_data_values
from treecli.scorers._usual import groups as groups
from treecli.scorers._usual import open_about_0, rank_exactly, root_about_0
from treecli.scorers._usual import order as order
from treecli.scorers._usual import settle_root as settle_root
from treecli.scorers._usual import worth as worth

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.missing import Policy
    from treecli.settings import Settings

root = root_about_0
open = open_about_0


def refuses(settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
    """Return why scikit-learn's arithmetic does not support these settings; None if it does."""
    reasons = {
        "gain ratio is not computed in scikit-learn's arithmetic": criterion.is_ratio,
        "p-values are not computed in scikit-learn's arithmetic": criterion.is_test,
        "scikit-learn's arithmetic has no standard deviations": criterion.impurity == "deviation",
        "scikit-learn's arithmetic ranks by improvement, not by the criterion's own merit": criterion.merit is not None,
        "in scikit-learn's arithmetic branches need no share of the cases": settings.splitting.branch_share != 0,
        "in scikit-learn's arithmetic a threshold costs nothing": settings.splitting.cut_cost,
    }
    return next((reason for reason, is_given in reasons.items() if is_given), None)


def cuts(level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
    """Return the best cut of every node in the order of a column; `only_at` allows one threshold per node.

    The level's sums must be about 0, as scikit-learn's are.
    """
    n = level.n_nodes
    found, scratch = room_for_cuts(n, is_exact=True), Scratch()
    assert found.improvement is not None
    scratch.sides = np.empty((score_sklearn.SCRATCH_ROWS, level.totals.shape[1]))
    allowed = np.full(n, np.nan) if only_at is None else only_at
    score_sklearn.best_cuts(scaled(level, plan), order.args, allowed, At(), plan, found.args(), scratch)
    if not plan.missing_is_value:
        # Impurities of fewer cases are smaller, so they are not comparable.
        found.improvement[order.n_known < np.diff(level.start)] = np.nan
    return found


def settle(sent: SentCases, outcomes: Floats, plan: Plan) -> None:
    """Set the deviance of children with a constant target to exactly 0; sums about 0 may be off by rounding."""
    if not plan.is_numeric:
        return
    lowest, highest = np.full(len(outcomes), np.inf), np.full(len(outcomes), -np.inf)
    decision = sent.decision
    args = Sent(decision.first_child, sent.branch, sent.share, decision.missing_to, outcomes)
    score_sklearn.ranges(sent.level.cases, args, lowest, highest)
    is_even = lowest == highest
    outcomes[is_even, codes.MEAN] = lowest[is_even]
    outcomes[is_even, codes.DEVIANCE] = 0.0


def rank(candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Ranking:
    """Rank by the impurity after the split, compared exactly; the tree stores the gain."""
    return rank_exactly(candidates, gain, level, plan, _unsplit(level, plan))


def _unsplit(level: MemoryLevel, plan: Plan) -> Floats:
    """Return the value of every node without a split, on the scale of its cuts' improvements."""
    totals = np.asarray(scaled(level, plan).totals)
    if plan.impurity == codes.VARIANCE:
        return np.asarray(totals[:, 1] ** 2 / totals[:, 0])
    spread = np.empty(len(totals))
    impurity.spreads(totals, plan.impurity, plan.least_variance, spread)
    return -spread
