"""Error-based pruning without training data (Quinlan 1993): the estimated errors of nodes, bottom-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.outcomes.counts import SparseCounts
from treecli.tree import Tree

if TYPE_CHECKING:
    from treecli.kernels.estimate import Estimate

SLACK = 0.1
"""A leaf is preferred if its estimated errors exceed the subtree's by at most this much (C4.5)."""

ROUNDING = 1e-6
"""Estimated errors that differ by less are equal (Weka's J48)."""


def becomes_leaf(tree: Tree, estimate: Estimate) -> list[bool]:
    """A flag per node: whether it becomes a leaf."""
    as_leaf = expected_errors(tree, estimate)
    expected = list(as_leaf)
    found = [False] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        if tree.is_leaf(node):
            continue
        subtree = sum(expected[child] for child in tree.children(node))
        found[node] = as_leaf[node] - (subtree + SLACK) < ROUNDING
        expected[node] = as_leaf[node] if found[node] else subtree
    return found


def expected_errors(tree: Tree, estimate: Estimate) -> list[float]:
    """The estimated errors of each node as a leaf."""
    import numpy as np

    from treecli.kernels import estimate as kernel

    out = np.empty(tree.n_nodes)
    if isinstance(tree.outcomes, SparseCounts):
        weights = np.array(tree.outcomes.totals())
        kernel.with_added(weights, weights - np.array(tree.outcomes.most()), estimate, out)
    else:
        kernel.expected_errors(np.array(tree.outcomes).reshape(-1, tree.n_outcomes), estimate, out)
    expected: list[float] = out.tolist()
    return expected
