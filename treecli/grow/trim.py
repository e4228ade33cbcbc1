"""Trim a fully grown tree: limit its leaves, apply rpart's cp, and collapse subtrees that save no errors."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from treecli.grow.candidates import Codes, Flags, Floats, Indices
from treecli.kernels import samples
from treecli.outcomes.counts import SparseCounts
from treecli.tree import Tree, risks


def best_first(tree: Tree, improvement: Floats, max_leaves: int, may_split: Sequence[bool] | None = None) -> Tree:
    """Return the tree that best-first growth with at most `max_leaves` leaves gives.

    Best-first growth always splits the leaf with the largest improvement, among those that `may_split` allows. A
    node's split does not depend on when it is made, so the full tree contains the result. Ties go to the first node
    in level order.
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
"""C4.5's constant: a subtree must save more than this many errors."""


def collapsed_where_idle(tree: Tree) -> Tree:
    """Return the tree with each subtree collapsed that makes no fewer training errors than a leaf, as in C4.5."""
    if tree.class_scale or tree.costs is not None or isinstance(tree.outcomes, SparseCounts):
        as_leaf = np.array(risks(tree, is_classification=True))
    else:
        as_leaf = wrong_weights(np.frombuffer(tree.outcomes).reshape(-1, tree.n_outcomes))
    first_child, n_branches = np.array(tree.first_child, np.int64), np.array(tree.n_branches, np.int32)
    becomes_leaf = are_idle(first_child, n_branches, as_leaf)
    return tree.collapsed(becomes_leaf.tolist().__getitem__) if becomes_leaf.any() else tree


def wrong_weights(outcomes: Floats) -> Floats:
    """Return the misclassified weight of each node as a leaf."""
    return np.asarray(outcomes.sum(axis=1) - outcomes.max(axis=1))


def are_idle(first_child: Indices, n_branches: Codes, as_leaf: Floats) -> Flags:
    """Return whether each node is an inner one that makes no fewer errors than a leaf, `as_leaf`."""
    below = as_leaf.copy()
    samples.sum_leaves(first_child, n_branches, below)
    return (n_branches > 0) & (below >= as_leaf - COLLAPSE_SLACK)


class Leaves(NamedTuple):
    """The leaves of a subtree: their total risk, and the number of two-way splits that give as many leaves."""

    risk: float
    n_splits: int


class _Visit:
    """A node whose children are grown in turn; `bound` is an upper bound on the risk that a split below it saves."""

    def __init__(self, node: int, bound: float, children: range) -> None:
        self.node = node
        self.bound = bound
        self.children = children
        self.n_grown = 0
        self._grown = Leaves(0.0, 0)
        self._as_leaves = 0.0

    def add(self, risk: float, leaves: Leaves) -> None:
        """Add a grown child: its risk as a leaf, and the leaves of its subtree."""
        self._grown = Leaves(self._grown.risk + leaves.risk, self._grown.n_splits + leaves.n_splits)
        self._as_leaves += risk

    def bound_of_next(self, risk: float) -> float:
        """Return the bound on what a split below the next child can save; `risk` is the node's risk as a leaf.

        The children not yet grown count as having no risk. The bound is the mean saving of the node's split and all
        splits below the grown children or, if larger, the saving of the node's split alone.
        """
        if not self.n_grown:
            return min(risk, self.bound)
        mean = (risk - self._grown.risk) / (self._grown.n_splits + 1)
        return min(max(mean, risk - self._as_leaves), self.bound)


def split_as_grown(tree: Tree, risk: Sequence[float], first: Sequence[int], alpha: float) -> list[bool]:
    """Return whether rpart would split each node if every split must save more risk than `alpha`.

    `tree` is grown without that condition. Let R(t) = risk[t] be the risk of node t as a leaf, R(T) the risk of the
    leaves of its subtree T, and |T| the number of two-way splits in T. The complexity g(t) = (R(t) - R(T)) / |T| is the
    saving per split, and t is split if g(t) > alpha. Children are decided before their parent, branch `first` first.

    rpart does not grow a child whose risk or bound is at most alpha. The bound is what a split below the child can
    save, less alpha for the node's own split. It is sometimes too low; then rpart drops a subtree with g(t) > alpha, as
    runs of rpart 4.1.19 show: in 21 random cases where the bound mattered, rpart made as many splits as are kept here.
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
    """Return the complexity of a node, and the leaves of its subtree when weakest-link pruning reaches the node.

    Children of smaller complexity have become leaves by then, in ascending order of complexity. They stay leaves even
    if the node's own complexity falls below theirs.
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
    """Return (R(t) - R(T)) / |T|, and the leaves of T."""
    total, n_splits = 0.0, max(len(leaves_of_child) - 1, 1)
    for leaves in leaves_of_child.values():
        total += leaves.risk
        n_splits += leaves.n_splits
    return (risk - total) / n_splits, Leaves(total, n_splits)
