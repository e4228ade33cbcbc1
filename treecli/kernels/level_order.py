"""Nodes in the order of a tree: level by level."""

import cython


def level_order(first_child: cython.longlong[::1], n_branches: cython.int[::1], order: cython.int[::1]) -> int:
    """Fill `order` with the nodes level by level, each level in the order of its parents; node 0 is the root.

    Returns the number of nodes that the root leads to.
    """
    n_met: cython.int = 1
    i: cython.Py_ssize_t = 0
    b: cython.int
    with cython.nogil:
        order[0] = 0
        while i < n_met:
            for b in range(n_branches[order[i]]):
                order[n_met] = cython.cast(cython.int, first_child[order[i]] + b)
                n_met += 1
            i += 1
    return n_met


def join_runs(
    start: cython.longlong[::1], size: cython.longlong[::1], values: cython.int[::1], out: cython.int[::1]
) -> None:
    """Fill `out` with the runs of values that begin at `start`, one after the other."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    with cython.nogil:
        for i in range(start.shape[0]):
            begin = start[i]
            for j in range(size[i]):
                out[n + j] = values[begin + j]
            n += size[i]


def sum_upwards(
    first_child: cython.const[cython.int][::1],
    n_branches: cython.const[cython.int][::1],
    outcomes: cython.double[:, ::1],
) -> None:
    """Set the class weights of each inner node of a tree in level order to the sum of its children's, in order."""
    node: cython.Py_ssize_t
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    total: cython.double
    with cython.nogil:
        for node in range(first_child.shape[0] - 1, -1, -1):
            if n_branches[node] == 0:
                continue
            for c in range(outcomes.shape[1]):
                total = outcomes[first_child[node], c]
                for b in range(1, n_branches[node]):
                    total += outcomes[first_child[node] + b, c]
                outcomes[node, c] = total
