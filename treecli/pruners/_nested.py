"""The nested prunings of a tree that trade risk against leaves (Breiman, Friedman, Olshen and Stone 1984).

For a price alpha per leaf, the best pruning minimizes risk + alpha · leaves, and has the fewest leaves among equals. As
alpha rises, one node after another becomes a leaf and stays one: every node has a critical alpha, and the best pruning
cuts at all nodes whose critical alpha is at most alpha.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, compress
from typing import Any

from treecli.kernels import nested
from treecli.records import dataclass
from treecli.tree import Tree

ROUNDING = 1e-12
"""Alphas with a smaller relative difference are equal, and one below this share of the root's risk is 0."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The trees of the sequence, from the original tree to its root.

    `alpha[i]` is the least price at which tree i is the best. It is increasing, except that a tree with splits that do
    not lower the risk comes first, with the same price 0 as the tree without them. A node is a leaf from stage
    `leaf_from` and removed from stage `gone_from`; if the two are equal, it is never a leaf.
    """

    alpha: list[float]
    leaf_from: Sequence[int]
    gone_from: Sequence[int]

    def __len__(self) -> int:
        return len(self.alpha)

    def totals(self, of_leaf: Sequence[float], of_inner: Sequence[float]) -> list[float]:
        """For each tree the sum over its nodes of one number per leaf and another per inner node."""
        change: Any = _zeros("d", len(self) + 1)
        stages_of_node: tuple[Any, Any] = self.leaf_from, self.gone_from
        of_node: tuple[Any, Any] = array("d", of_leaf), array("d", of_inner)
        nested.add_changes(*stages_of_node, *of_node, change)
        return list(accumulate(change[:-1]))

    def depths(self, depth_of_node: Sequence[int]) -> list[int]:
        """For each tree its depth, given the depth of each node of the original tree."""
        deepest = [0] * len(self)
        for gone_from, depth in zip(self.gone_from, depth_of_node, strict=True):
            if gone_from:
                deepest[gone_from - 1] = max(deepest[gone_from - 1], depth)
        return list(accumulate(reversed(deepest), max))[::-1]


def stages(tree: Tree, risk: Sequence[float], *, is_rpart: bool) -> Stages:
    """The nested prunings; `risk` is the cost of each node as a leaf, in the unit of alpha. The risk of a tree is the
    sum over its leaves.

    `is_rpart`: use the alphas that rpart assigns. They are too small if a branch of a node would be cut later than the
    node itself, and something inside that branch between the two.
    """
    links: tuple[Any, Any] = tree.first_child, tree.n_branches
    alpha: Any = _rpart_alphas(tree, risk) if is_rpart else _critical_alphas(tree, risk)
    nested.bound_by_parents(*links, alpha)
    nothing = ROUNDING * risk[0]
    alpha_of_stage = [0.0]
    stage_of_alpha = {}
    for value in sorted(set(compress(alpha, tree.first_child))):
        is_nothing = value <= nothing
        if len(alpha_of_stage) == 1 or not (is_nothing or value <= alpha_of_stage[-1] * (1 + ROUNDING)):
            alpha_of_stage.append(0.0 if is_nothing else value)
        stage_of_alpha[value] = len(alpha_of_stage) - 1
    leaf_from: Any = array(
        "i", [first and stage_of_alpha[own] for first, own in zip(tree.first_child, alpha, strict=True)]
    )
    gone_from: Any = array("i", [len(alpha_of_stage)]) * tree.n_nodes
    nested.pass_to_children(*links, leaf_from, gone_from)
    return Stages(alpha_of_stage, leaf_from, gone_from)


def _critical_alphas(tree: Tree, risk: Sequence[float]) -> array[float]:
    """The least price at which each inner node is better as a leaf than with the best pruning below it."""
    heaps, n = nested.Heaps(), tree.n_nodes
    alpha, heaps.risk = _zeros("d", n), _zeros("d", n)
    heaps.alpha = alpha
    heaps.n_leaves, heaps.first, heaps.following, heaps.pairs = (_zeros("i", n) for _ in range(4))
    of_node: tuple[Any, Any, Any] = tree.first_child, tree.n_branches, array("d", risk)
    nested.critical_alphas(*of_node, heaps)
    return alpha


def _zeros(typecode: str, n: int) -> array[Any]:
    return array(typecode, [0]) * n


def _rpart_alphas(tree: Tree, risk: Sequence[float]) -> array[float]:
    """The complexity that rpart assigns to each inner node (rpart 4.1).

    A node sees the pruning below each child only in its state just before that child is cut.
    """
    alpha = _zeros("d", tree.n_nodes)
    risk_below, splits_below = list(risk), [0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        if tree.is_leaf(node):
            continue
        children = tree.children(node)
        below = sum(risk_below[child] for child in children)
        n_splits = sum(splits_below[child] for child in children) + 1
        # rpart's trees are binary; with more branches each split still counts as one.
        for child in sorted((child for child in children if splits_below[child]), key=alpha.__getitem__):
            if (risk[node] - below) / n_splits <= alpha[child]:
                break
            below += risk[child] - risk_below[child]
            n_splits -= splits_below[child]
        alpha[node] = (risk[node] - below) / n_splits
        risk_below[node], splits_below[node] = below, n_splits
    return alpha
