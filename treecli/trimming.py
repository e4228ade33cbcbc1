"""What is taken off a tree that was grown in full, because it costs more than it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from treecli.candidates import Floats
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


class Below(NamedTuple):
    """The leaves below a node: their risk, and how many two-way splits make so many."""

    risk: float
    n_splits: int


def split_as_grown(tree: Tree, risk: Sequence[float], first: Sequence[int], alpha: float) -> list[bool]:
    """Whether rpart splits each node where a leaf must save more risk than `alpha`; the tree is grown without that bar.

    `risk` is what each node costs as a leaf. rpart grows the branch `first` of a node before the others, and leaves the
    next alone where a bound on what the node's subtree could save says that it is in vain. The bound is not always
    right, so a subtree may go that was worth its leaves.
    """
    complexity, bound = [alpha] * tree.n_nodes, [risk[0]] * tree.n_nodes
    below = [Below(of_node, 0) for of_node in risk]
    is_split = [False] * tree.n_nodes
    # A node comes back after each of its children, with what those that are grown have below them, and cost as leaves.
    pending = [(0, 0, Below(0.0, 0), 0.0)]
    while pending:
        node, n_grown, grown, as_leaves = pending.pop()
        most = min(risk[node], bound[node])
        if tree.is_leaf(node) or most <= alpha:
            continue
        children = tree.children(node)[:: -1 if first[node] else 1]
        if n_grown:
            last = children[n_grown - 1]
            grown = Below(grown.risk + below[last].risk, grown.n_splits + below[last].n_splits)
            as_leaves += risk[last]
            saved = max((risk[node] - grown.risk) / (grown.n_splits + 1), risk[node] - as_leaves)
            most = min(saved, bound[node])
        if n_grown < len(children):
            bound[children[n_grown]] = most - alpha
            pending += [(node, n_grown + 1, grown, as_leaves), (children[n_grown], 0, Below(0.0, 0), 0.0)]
            continue
        complexity[node], reached = _reckoned(risk, node, children, complexity, below)
        if complexity[node] > alpha:
            is_split[node], below[node] = True, reached
    return is_split


def _reckoned(
    risk: Sequence[float], node: int, children: range, complexity: Sequence[float], below: Sequence[Below]
) -> tuple[float, Below]:
    """What each split below a node saves, and what is below it by the time it would be cut.

    A child that saves less goes first. Below one that stays, all that would have gone before the child is gone, even if
    the node itself goes sooner.
    """
    kept = {child: below[child] for child in children}
    price, left = _price(risk[node], kept)
    for child in sorted(children, key=lambda child: complexity[child]):
        if price <= complexity[child]:
            break
        kept[child] = Below(risk[child], 0)
        price, left = _price(risk[node], kept)
    return price, left


def _price(risk: float, kept: dict[int, Below]) -> tuple[float, Below]:
    total, n_splits = 0.0, max(len(kept) - 1, 1)
    for part in kept.values():
        total += part.risk
        n_splits += part.n_splits
    return (risk - total) / n_splits, Below(total, n_splits)
