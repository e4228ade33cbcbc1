"""The scores of the splits of a grown tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from treecli.grow.candidates import Indices
from treecli.grow.choose import weights
from treecli.grow.nodes import Nodes
from treecli.kernels import codes, decrease
from treecli.kernels.args import Plan
from treecli.outcomes.counts import NUMBERS_AT_ONCE, SparseCounts


def set_scores(nodes: Nodes, plan: Plan) -> None:
    """Set the score and the improvement of every split, from the outcomes of the node and its children.

    Where the tested value of some cases is missing, the children do not tell which cases were known; there the nodes
    already have the decrease among known values. Ranks by a test or by a criterion's own function keep their merit.
    Nodes are in level order. They are scored some at a time, so that this takes little memory beside them.
    """
    score, nodes.improvement = np.zeros((2, len(nodes)))
    sparse = nodes.outcomes if isinstance(nodes.outcomes, SparseCounts) else None
    weight_of_all = None if sparse is None else np.array(sparse.totals())
    for own, rows, first_child, n_branches in _families(nodes):
        dense: Any = nodes.outcomes
        outcomes = np.ascontiguousarray(dense[rows] if sparse is None else sparse.matrix(rows))
        weight, saved, information = np.empty(len(rows)), nodes.decrease[rows], nodes.information[rows]
        decrease.of_splits(first_child, n_branches, outcomes, plan, weight, saved, information)
        n = len(own)
        saved = np.maximum(saved[:n], 0.0)
        if not plan.is_numeric:
            saved[saved < plan.tolerance] = 0.0
        saved -= nodes.cost[own]
        gain = saved / weight[:n]
        nodes.improvement[own] = gain * (weights(outcomes[:n], plan) if weight_of_all is None else weight_of_all[own])
        score[own] = saved / information[:n] if plan.rank == codes.BY_RATIO else gain
    if plan.rank in (codes.BY_RATIO, codes.BY_GAIN):
        nodes.score = score


def _families(nodes: Nodes) -> Iterator[tuple[Indices, Indices, Indices, np.ndarray]]:
    """Yield some inner nodes at a time, these and their children, and where the children of each are among those.

    Nodes are in level order, so the children of consecutive inner nodes follow each other.
    """
    inner = np.flatnonzero(nodes.is_inner)
    outcomes = nodes.outcomes
    n_outcomes = outcomes.n_outcomes if isinstance(outcomes, SparseCounts) else outcomes.shape[1]
    room = max(NUMBERS_AT_ONCE // n_outcomes, 1)
    portion = np.cumsum(1 + nodes.n_branches[inner]) // room
    limits = [0, *(np.flatnonzero(np.diff(portion)) + 1).tolist(), len(inner)]
    for begin, end in pairwise(limits):
        own = inner[begin:end]
        if not len(own):
            continue
        n_branches = nodes.n_branches[own]
        first = nodes.first_child[own[0]]
        rows = np.concatenate([own, first + np.arange(n_branches.sum())])
        n_of_row, first_child = np.zeros(len(rows), np.int32), np.zeros(len(rows), np.int64)
        n_of_row[: len(own)] = n_branches
        first_child[: len(own)] = len(own) + nodes.first_child[own] - first
        yield own, rows, first_child, n_of_row
