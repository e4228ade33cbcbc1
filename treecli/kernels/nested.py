"""The nested prunings of a tree: critical prices per leaf, and sums over the trees of the sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    from array import array

_NONE = cython.declare(cython.int, -1)


@cython.cclass
class Heaps:
    """The result and the scratch of `critical_alphas`, with an entry per node.

    `alpha` is the result; `risk` and `n_leaves` are those of the best pruning below a node. The nodes below it wait in
    a pairing heap, because that merges the children's heaps quickly: `first` and `following` link the members, `pairs`
    has room for those that are being merged.
    """

    alpha: array[float]
    risk: array[float]
    n_leaves: array[int]
    first: array[int]
    following: array[int]
    pairs: array[int]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _joined(one: cython.int, other: cython.int, heaps: Heaps) -> cython.int:
    """Return the top of the merged heap."""
    if one == _NONE:
        return other
    if other == _NONE:
        return one
    if heaps.alpha[one] < heaps.alpha[other]:
        one, other = other, one
    heaps.following[other] = heaps.first[one]
    heaps.first[one] = other
    return one


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _without_top(top: cython.int, heaps: Heaps) -> cython.int:
    """Return the new top of a heap after removing the old one."""
    n_pairs: cython.Py_ssize_t = 0
    node: cython.int = heaps.first[top]
    other: cython.int
    after: cython.int
    while node != _NONE:
        other = heaps.following[node]
        after = _NONE if other == _NONE else heaps.following[other]
        heaps.following[node] = _NONE
        if other != _NONE:
            heaps.following[other] = _NONE
        heaps.pairs[n_pairs] = _joined(node, other, heaps)
        n_pairs += 1
        node = after
    top = _NONE
    while n_pairs > 0:
        n_pairs -= 1
        top = _joined(heaps.pairs[n_pairs], top, heaps)
    return top


def critical_alphas(
    first_child: cython.int[::1],
    n_branches: cython.int[::1],
    risk: cython.double[::1],
    heaps: Heaps,
) -> None:
    """Fill `heaps.alpha` with the least price at which each inner node is better as a leaf than pruned best below.

    As alpha falls from infinity, the best pruning below a node is first its children as leaves, then it expands one
    node after another, each at its own critical alpha. So the nodes below wait in a heap with the largest alpha on top.
    A node that has not expanded before its ancestor becomes better as a leaf never does.
    """
    node: cython.int
    child: cython.int
    top: cython.int
    n_leaves: cython.int
    below: cython.double
    n_nodes: cython.int = len(risk)
    with cython.nogil:
        for node in range(n_nodes):
            heaps.risk[node] = risk[node]
            heaps.n_leaves[node] = 1
            heaps.first[node] = _NONE
            heaps.following[node] = _NONE
            heaps.alpha[node] = 0.0
        for node in range(n_nodes - 1, -1, -1):
            if first_child[node] == 0:
                continue
            below = 0.0
            n_leaves = 0
            top = _NONE
            for child in range(first_child[node], first_child[node] + n_branches[node]):
                below += risk[child]
                n_leaves += 1
                if first_child[child] != 0:
                    top = _joined(top, child, heaps)
            while True:
                # A split with one branch saves no leaf; counting it as one keeps every alpha finite.
                heaps.alpha[node] = (risk[node] - below) / (n_leaves - 1 if n_leaves > 2 else 1)
                if top == _NONE or heaps.alpha[node] >= heaps.alpha[top]:
                    break
                below += heaps.risk[top] - risk[top]
                n_leaves += heaps.n_leaves[top] - 1
                top = _without_top(top, heaps)
            heaps.risk[node] = below
            heaps.n_leaves[node] = n_leaves
            heaps.first[node] = top


def bound_by_parents(first_child: cython.int[::1], n_branches: cython.int[::1], alpha: cython.double[::1]) -> None:
    """Lower the alpha of every node to that of its parent, from the root on."""
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    n_nodes: cython.Py_ssize_t = len(alpha)
    with cython.nogil:
        for node in range(n_nodes):
            if first_child[node] == 0:
                continue
            for child in range(first_child[node], first_child[node] + n_branches[node]):
                if alpha[node] < alpha[child]:
                    alpha[child] = alpha[node]


def pass_to_children(
    first_child: cython.int[::1], n_branches: cython.int[::1], own: cython.int[::1], of_child: cython.int[::1]
) -> None:
    """Set the number of every child to the own number of its parent."""
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    n_nodes: cython.Py_ssize_t = len(own)
    with cython.nogil:
        for node in range(n_nodes):
            if first_child[node] == 0:
                continue
            for child in range(first_child[node], first_child[node] + n_branches[node]):
                of_child[child] = own[node]


def add_changes(
    leaf_from: cython.int[::1],
    gone_from: cython.int[::1],
    of_leaf: cython.double[::1],
    of_inner: cython.double[::1],
    change: cython.double[::1],
) -> None:
    """Add to `change`, at each stage, how the sum over the nodes of the tree differs from the stage before."""
    node: cython.Py_ssize_t
    n_nodes: cython.Py_ssize_t = len(leaf_from)
    with cython.nogil:
        for node in range(n_nodes):
            change[0] += of_inner[node]
            change[leaf_from[node]] += of_leaf[node] - of_inner[node]
            change[gone_from[node]] -= of_leaf[node]
