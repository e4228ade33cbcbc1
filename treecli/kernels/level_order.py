"""Nodes in the order of a tree: level by level."""

import cython


def level_order(first_child: cython.longlong[::1], n_branches: cython.int[::1], order: cython.int[::1]) -> None:
    """Fill `order` with the nodes level by level, each level in the order of its parents; node 0 is the root."""
    n_met: cython.int = 1
    i: cython.Py_ssize_t
    b: cython.int
    with cython.nogil:
        order[0] = 0
        for i in range(order.shape[0]):
            for b in range(n_branches[order[i]]):
                order[n_met] = cython.cast(cython.int, first_child[order[i]] + b)
                n_met += 1
