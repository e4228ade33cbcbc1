"""What is taken off a tree that was grown in full, because it costs more than it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from treecli.grow.candidates import Floats
from treecli.tree import Tree, risks


def best_first(tree: Tree, improvement: Floats, max_leaves: int, may_split: Sequence[bool] | None = None) -> Tree:
    """The tree that always splits the leaf that gains most, up to a number of leaves, of those that may be split.

    A node's split does not depend on when it is made, so the full tree holds all that best-first growth can choose
    from. Of equal gains, the node that comes first in level order wins.
    """
    kept: set[int] = set()
    heap: list[tuple[float, int]] = []
    n_leaves = 1
    heappush(heap, (-float(improvement[0]), 0))
    while heap:
        _, node = heappop(heap)
        if tree.is_leaf(node) or n_leaves + tree.n_branches[node] - 1 > max_leaves:
            continue
        if may_split is not None and not may_split[node]:
            continue
        kept.add(node)
        n_leaves += tree.n_branches[node] - 1
        for child in tree.children(node):
            heappush(heap, (-float(improvement[child]), child))
    return tree.collapsed(lambda node: node not in kept)


COLLAPSE_SLACK = 1e-3
"""C4.5's: leaves below a node must save at least this much of an error."""


def collapsed_where_idle(tree: Tree) -> Tree:
    """The tree without subtrees whose leaves make no fewer training errors than their root would, as in C4.5."""
    outcomes = np.frombuffer(tree.outcomes).reshape(-1, tree.n_outcomes)
    as_leaf: list[float] = (outcomes.sum(axis=1) - outcomes.max(axis=1)).tolist()
    if tree.class_scale or tree.costs is not None:
        as_leaf = risks(tree, is_classification=True)
    below = list(as_leaf)
    for node in reversed(range(tree.n_nodes)):
        if not tree.is_leaf(node):
            below[node] = sum(below[child] for child in tree.children(node))
    return tree.collapsed(lambda node: below[node] >= as_leaf[node] - COLLAPSE_SLACK)


class Leaves(NamedTuple):
    """The leaves of a subtree: their risk together, and the number of two-way splits that make that many leaves."""

    risk: float
    n_splits: int


class _Visit:
    """A node whose children are grown one after the other; `bound`: no split below it can save more risk."""

    def __init__(self, node: int, bound: float, children: range) -> None:
        self.node = node
        self.bound = bound
        self.children = children
        self.n_grown = 0
        self._grown = Leaves(0.0, 0)
        self._as_leaves = 0.0

    def add(self, risk: float, leaves: Leaves) -> None:
        """Takes in a grown child: its risk as a leaf, and the leaves that it has now."""
        self._grown = Leaves(self._grown.risk + leaves.risk, self._grown.n_splits + leaves.n_splits)
        self._as_leaves += risk

    def bound_of_next(self, risk: float) -> float:
        """The most that a split below the next child can save, where the node has this risk as a leaf.

        As if the children to come had no risk: the mean of the node's split and all below the grown children or, if
        that is more, the saving of the node's split alone.
        """
        if not self.n_grown:
            return min(risk, self.bound)
        mean = (risk - self._grown.risk) / (self._grown.n_splits + 1)
        return min(max(mean, risk - self._as_leaves), self.bound)


def split_as_grown(tree: Tree, risk: Sequence[float], first: Sequence[int], alpha: float) -> list[bool]:
    """Whether each node is split if rpart grows the tree and each split must save more risk than `alpha`.

    `tree` is grown without that condition. With R(t) = risk[t] the risk of node t as a leaf, R(T) that of the leaves of
    its subtree T, and |T| the number of two-way splits in T, the complexity g(t) = (R(t) - R(T)) / |T| is what each of
    them saves, and t is split if g(t) > alpha. Its children are decided before it, branch `first` before the others.

    rpart does not grow a child whose risk, or whose bound, is at most alpha. The bound is what a split below the child
    can save, less alpha for the node's own split. At times it is too low, and a subtree goes that was worth its leaves.
    """
    complexity, leaves = [alpha] * tree.n_nodes, [Leaves(of_node, 0) for of_node in risk]
    is_split = [False] * tree.n_nodes
    visits: list[_Visit] = []

    def visit(node: int, bound: float) -> None:
        if not tree.is_leaf(node) and min(risk[node], bound) > alpha:
            visits.append(_Visit(node, bound, tree.children(node)[:: -1 if first[node] else 1]))

    visit(0, risk[0])
    while visits:
        last = visits[-1]
        node, children = last.node, last.children
        if last.n_grown:
            grown = children[last.n_grown - 1]
            last.add(risk[grown], leaves[grown])
        if last.n_grown < len(children):
            bound = last.bound_of_next(risk[node]) - alpha
            last.n_grown += 1
            visit(children[last.n_grown - 1], bound)
            continue
        visits.pop()
        complexity[node], left = _complexity(node, children, risk, complexity, leaves)
        if complexity[node] > alpha:
            is_split[node], leaves[node] = True, left
    return is_split


def _complexity(
    node: int, children: range, risk: Sequence[float], complexity: Sequence[float], leaves: Sequence[Leaves]
) -> tuple[float, Leaves]:
    """The complexity of a node, and the leaves of its subtree when weakest-link pruning comes to the node.

    A child whose complexity is smaller has become a leaf by then; children of least complexity first. Those children
    stay leaves even if the node's own complexity falls below theirs.
    """
    left = {child: leaves[child] for child in children}
    found = _per_split(risk[node], left)
    for child in sorted(children, key=lambda child: complexity[child]):
        if found[0] <= complexity[child]:
            break
        left[child] = Leaves(risk[child], 0)
        found = _per_split(risk[node], left)
    return found


def _per_split(risk: float, leaves_of_child: dict[int, Leaves]) -> tuple[float, Leaves]:
    """(R(t) - R(T)) / |T|, and the leaves of T."""
    total, n_splits = 0.0, max(len(leaves_of_child) - 1, 1)
    for leaves in leaves_of_child.values():
        total += leaves.risk
        n_splits += leaves.n_splits
    return (risk - total) / n_splits, Leaves(total, n_splits)
