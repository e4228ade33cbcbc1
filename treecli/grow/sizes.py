"""C5.0's limits on the size of a tree, applied to the fully grown tree: no split depends on those below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli.kernels import samples
from treecli.tree import Tree, risks

if TYPE_CHECKING:
    from treecli.grow.candidates import Flags, Floats, Indices
    from treecli.settings.growing import Stopping


def sized(tree: Tree, stopping: Stopping) -> Tree:
    """Return the tree with leaves where C5.0 does not grow further."""
    if stopping.pure_share < 1:
        tree = _collapsed(tree, np.array(risks(tree, is_classification=True)) <= _slack(tree, stopping.pure_share))
    if stopping.leaf_rate is not None:
        tree = within_rate(tree, stopping.leaf_rate)
    if stopping.collapse_share is not None:
        errors = np.array(risks(tree, is_classification=True))
        tree = _collapsed(tree, _sum_of_leaves(tree, errors) >= stopping.collapse_share * errors)
    return tree


def _slack(tree: Tree, pure_share: float) -> Floats:
    return (1 - pure_share) * np.array(tree.weights(is_classification=True))


def within_rate(tree: Tree, rate: float) -> Tree:
    """Return the tree in which no subtree has more leaves than `rate` times its weight, rounded, or than one.

    In a subtree with too many leaves, the inner nodes above leaves alone become leaves that cost the fewest training
    errors per leaf removed; ties: the last node.
    """
    weights = np.array(tree.weights(is_classification=True))
    limit = np.floor(rate * weights + 0.5)
    tree = _collapsed(tree, limit < 2)
    limit = np.floor(rate * np.array(tree.weights(is_classification=True)) + 0.5)
    errors = risks(tree, is_classification=True)
    is_leaf = [tree.is_leaf(node) for node in range(tree.n_nodes)]
    n_leaves = [1] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        if is_leaf[node]:
            continue
        n_leaves[node] = sum(n_leaves[child] for child in tree.children(node))
        while n_leaves[node] > limit[node]:
            _cut_cheapest(tree, node, is_leaf, n_leaves, errors)
    return tree.collapsed(is_leaf.__getitem__)


def _cut_cheapest(tree: Tree, root: int, is_leaf: list[bool], n_leaves: list[int], errors: list[float]) -> None:
    """Turn the node below `root` whose leaves save the fewest errors per leaf into a leaf, and count leaves again."""
    inner: list[int] = [root]
    for node in inner:  # grows during the loop: a queue
        inner.extend(child for child in tree.children(node) if not is_leaf[child])
    lowest = [node for node in inner if all(is_leaf[child] for child in tree.children(node))]

    def price(node: int) -> tuple[float, int]:
        saved = errors[node] - sum(errors[child] for child in tree.children(node))
        return saved / max(n_leaves[node] - 1, 1), -node

    is_leaf[min(lowest, key=price)] = True
    for node in reversed(inner):
        n_leaves[node] = 1 if is_leaf[node] else sum(n_leaves[child] for child in tree.children(node))


def _sum_of_leaves(tree: Tree, values: Floats) -> Floats:
    """Return the sum over the leaves of each node's subtree."""
    below = values.copy()
    first_child: Indices = np.array(tree.first_child, np.int64)
    samples.sum_leaves(first_child, np.array(tree.n_branches, np.int32), below)
    return below


def _collapsed(tree: Tree, becomes_leaf: Flags) -> Tree:
    is_inner = np.array(tree.first_child) > 0
    return tree.collapsed(becomes_leaf.tolist().__getitem__) if (becomes_leaf & is_inner).any() else tree
