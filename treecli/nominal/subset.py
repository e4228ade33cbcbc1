"""Two groups of labels."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Candidates, CountTables
from treecli.kernels import order_labels
from treecli.kernels.args import Plan
from treecli.kernels.codes import GROUPS
from treecli.nominal._two_way import two_way


def best(tables: CountTables, plan: Plan) -> Candidates:
    """Return the best grouping of the labels into two branches at every node.

    With two classes or a numeric target, the best grouping is a cut of the labels in the order of the share of one
    class, or of the mean (Breiman et al. 1984). With more classes, all 2^(n-1) - 1 groupings of few labels are tried;
    for many labels, cuts in the order of the first principal component, which is a heuristic.
    """
    outcomes = tables.outcomes
    n_outcomes = outcomes.shape[1]
    if plan.is_numeric or n_outcomes <= 2:
        weight, part = (outcomes[:, 0], outcomes[:, 1]) if plan.is_numeric else (outcomes.sum(axis=1), outcomes[:, -1])
        return two_way("subset", tables, GROUPS, plan, score=part / np.where(weight > 0, weight, 1.0))
    score = np.empty(len(tables.code))
    mean, direction, following = np.empty((3, n_outcomes))
    order_labels.principal_scores(tables.start, outcomes, plan.n_exhaustive, mean, direction, following, score)
    return two_way("subset", tables, GROUPS, plan, n_exhaustive=plan.n_exhaustive, score=score)
