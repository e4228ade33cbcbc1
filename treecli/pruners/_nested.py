"""The nested prunings of a tree that trade risk against leaves (Breiman, Friedman, Olshen and Stone 1984).

For a price alpha per leaf, the best pruning minimizes risk + alpha · leaves, and has the fewest leaves among equals. As
alpha rises, one node after another becomes a leaf and stays one: every node has a critical alpha, and the best pruning
cuts at all nodes whose critical alpha is at most alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from treecli.records import dataclass
from treecli.tree import Tree

ROUNDING = 1e-12
"""Alphas with a smaller relative difference are equal, and one below this share of the root's risk is 0."""

NONE = -1
"""No node."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The trees of the sequence, from the original tree to its root.

    `alpha[i]` is the least price at which tree i is the best. It is increasing, except that a tree with splits that do
    not lower the risk comes first, with the same price 0 as the tree without them. A node is a leaf from stage
    `leaf_from` and removed from stage `gone_from`; if the two are equal, it is never a leaf.
    """

    alpha: list[float]
    leaf_from: list[int]
    gone_from: list[int]

    def __len__(self) -> int:
        return len(self.alpha)

    def totals(self, of_leaf: Sequence[float], of_inner: Sequence[float]) -> list[float]:
        """For each tree the sum over its nodes of one number per leaf and another per inner node."""
        change = [0.0] * (len(self) + 1)
        for leaf_from, gone_from, as_leaf, as_inner in zip(
            self.leaf_from, self.gone_from, of_leaf, of_inner, strict=True
        ):
            change[0] += as_inner
            change[leaf_from] += as_leaf - as_inner
            change[gone_from] -= as_leaf
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
    alpha = _rpart_alphas(tree, risk) if is_rpart else _critical_alphas(tree, risk)
    for node in tree.inner_nodes():
        for child in tree.children(node):
            alpha[child] = min(alpha[child], alpha[node])
    nothing = ROUNDING * risk[0]
    alpha_of_stage = [0.0]
    stage_of_alpha = {}
    for value in sorted({alpha[node] for node in tree.inner_nodes()}):
        is_nothing = value <= nothing
        if len(alpha_of_stage) == 1 or not (is_nothing or value <= alpha_of_stage[-1] * (1 + ROUNDING)):
            alpha_of_stage.append(0.0 if is_nothing else value)
        stage_of_alpha[value] = len(alpha_of_stage) - 1
    leaf_from = [0] * tree.n_nodes
    gone_from = [len(alpha_of_stage)] * tree.n_nodes
    for node in tree.inner_nodes():
        leaf_from[node] = stage_of_alpha[alpha[node]]
        for child in tree.children(node):
            gone_from[child] = leaf_from[node]
    return Stages(alpha_of_stage, leaf_from, gone_from)


def _critical_alphas(tree: Tree, risk: Sequence[float]) -> list[float]:
    """The least price at which each inner node is better as a leaf than with the best pruning below it.

    As alpha falls from infinity, the best pruning below a node is first its children as leaves, then it expands one
    node after another, each at its own critical alpha. So the nodes below wait in a heap with the largest alpha on top
    (a pairing heap, because it merges the children's heaps quickly). A node that has not expanded before its ancestor
    becomes better as a leaf never does.
    """
    n_nodes = tree.n_nodes
    alpha = [0.0] * n_nodes
    risk_below, leaves_below = list(risk), [1] * n_nodes
    first, following = [NONE] * n_nodes, [NONE] * n_nodes
    for node in reversed(range(n_nodes)):
        if tree.is_leaf(node):
            continue
        below, n_leaves, top = 0.0, 0, NONE
        for child in tree.children(node):
            below += risk[child]
            n_leaves += 1
            if not tree.is_leaf(child):
                top = _joined(top, child, alpha, first, following)
        while True:
            # A split with one branch saves no leaf; counting it as one keeps every alpha finite.
            alpha[node] = (risk[node] - below) / max(n_leaves - 1, 1)
            if top == NONE or alpha[node] >= alpha[top]:
                break
            below += risk_below[top] - risk[top]
            n_leaves += leaves_below[top] - 1
            top = _without_top(top, alpha, first, following)
        risk_below[node], leaves_below[node] = below, n_leaves
        first[node] = top
    return alpha


def _joined(one: int, other: int, alpha: list[float], first: list[int], following: list[int]) -> int:
    """The top of the merged heap."""
    if one == NONE or other == NONE:
        return max(one, other)
    if alpha[one] < alpha[other]:
        one, other = other, one
    following[other] = first[one]
    first[one] = other
    return one


def _without_top(top: int, alpha: list[float], first: list[int], following: list[int]) -> int:
    """The new top of a heap after removing the old one."""
    pairs = []
    node = first[top]
    while node != NONE:
        other = following[node]
        after = NONE if other == NONE else following[other]
        following[node] = NONE
        if other != NONE:
            following[other] = NONE
        pairs.append(_joined(node, other, alpha, first, following))
        node = after
    top = NONE
    while pairs:
        top = _joined(pairs.pop(), top, alpha, first, following)
    return top


def _rpart_alphas(tree: Tree, risk: Sequence[float]) -> list[float]:
    """The complexity that rpart assigns to each inner node (rpart 4.1).

    A node sees the pruning below each child only in its state just before that child is cut.
    """
    alpha = [0.0] * tree.n_nodes
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
