"""The scores of the splits of a grown tree."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Floats
from treecli.grow.choose import weights
from treecli.grow.nodes import Nodes
from treecli.kernels import codes, decrease
from treecli.kernels.args import Plan
from treecli.outcomes.counts import NUMBERS_AT_ONCE, SparseCounts


def set_scores(nodes: Nodes, plan: Plan) -> None:
    """Set the score and the improvement of every split, from the outcomes of the node and its children.

    Where the tested value of some cases is missing, the children do not tell which cases were known; there the nodes
    already have the decrease among known values. Ranks by a test or by a criterion's own function keep their merit.
    """
    if isinstance(nodes.outcomes, SparseCounts):
        weight, weight_of_all = _set_decreases(nodes, nodes.outcomes, plan), np.array(nodes.outcomes.totals())
    else:
        weight, n_branches = np.empty(len(nodes)), np.ascontiguousarray(nodes.n_branches, np.int32)
        first_child, outcomes = np.ascontiguousarray(nodes.first_child, np.int64), np.ascontiguousarray(nodes.outcomes)
        decrease.of_splits(first_child, n_branches, outcomes, plan, weight, nodes.decrease, nodes.information)
        weight_of_all = weights(outcomes, plan)
    is_inner = nodes.is_inner
    saved = np.where(is_inner, np.maximum(nodes.decrease, 0.0), 0.0)
    if not plan.is_numeric:
        saved[saved < plan.tolerance] = 0.0
    saved -= nodes.cost
    gain = saved / np.where(is_inner, weight, 1.0)
    nodes.improvement = gain * weight_of_all
    if plan.rank == codes.BY_RATIO:
        nodes.score = saved / np.where(is_inner, nodes.information, 1.0)
    elif plan.rank == codes.BY_GAIN:
        nodes.score = gain


def _set_decreases(nodes: Nodes, counts: SparseCounts, plan: Plan) -> Floats:
    """Set the decrease and the information of the splits of some nodes at a time; return the weights of inner nodes.

    Nodes are in level order, so the children of consecutive inner nodes follow each other.
    """
    weight, inner = np.zeros(len(nodes)), np.flatnonzero(nodes.is_inner)
    room = max(NUMBERS_AT_ONCE // counts.n_outcomes, 1)
    portion = np.cumsum(1 + nodes.n_branches[inner]) // room
    for own in np.split(inner, np.flatnonzero(np.diff(portion)) + 1):
        if not len(own):
            continue
        n_branches = np.ascontiguousarray(nodes.n_branches[own], np.int32)
        begin = nodes.first_child[own[0]]
        rows = np.concatenate([own, begin + np.arange(n_branches.sum())])
        n_of_row = np.zeros(len(rows), np.int32)
        n_of_row[: len(own)] = n_branches
        first_child = np.zeros(len(rows), np.int64)
        first_child[: len(own)] = len(own) + nodes.first_child[own] - begin
        found, gone, info = np.empty(len(rows)), nodes.decrease[rows], nodes.information[rows]
        decrease.of_splits(first_child, n_of_row, counts.matrix(rows), plan, found, gone, info)
        weight[own], nodes.decrease[own], nodes.information[own] = (each[: len(own)] for each in (found, gone, info))
    return weight
