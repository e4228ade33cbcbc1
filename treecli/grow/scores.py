"""The scores of the splits of a grown tree."""

from __future__ import annotations

import numpy as np

from treecli.grow.choose import weights
from treecli.grow.nodes import Nodes
from treecli.kernels import codes, decrease
from treecli.kernels.args import Plan


def set_scores(nodes: Nodes, plan: Plan) -> None:
    """Set the score and the improvement of every split, from the outcomes of the node and its children.

    Where the tested value of some cases is missing, the children do not tell which cases were known; there the nodes
    already have the decrease among known values. Ranks by a test or by a criterion's own function keep their merit.
    """
    weight, n_branches = np.empty(len(nodes)), np.ascontiguousarray(nodes.n_branches, np.int32)
    first_child, outcomes = np.ascontiguousarray(nodes.first_child, np.int64), np.ascontiguousarray(nodes.outcomes)
    decrease.of_splits(first_child, n_branches, outcomes, plan, weight, nodes.decrease, nodes.information)
    is_inner = nodes.is_inner
    saved = np.where(is_inner, np.maximum(nodes.decrease, 0.0), 0.0)
    if not plan.is_numeric:
        saved[saved < plan.tolerance] = 0.0
    saved -= nodes.cost
    gain = saved / np.where(is_inner, weight, 1.0)
    nodes.improvement = gain * weights(outcomes, plan)
    if plan.rank == codes.BY_RATIO:
        nodes.score = saved / np.where(is_inner, nodes.information, 1.0)
    elif plan.rank == codes.BY_GAIN:
        nodes.score = gain
