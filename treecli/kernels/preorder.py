"""Trees in preorder: a node, then its descendants, branch by branch."""

import cython


def preorder(
    first_child: cython.int[::1], n_branches: cython.int[::1], pending: cython.int[::1], order: cython.int[::1]
) -> None:
    """Fill `order` with the nodes of a tree in preorder; `pending` has room for as many nodes."""
    n_pending: cython.Py_ssize_t = 1
    n_met: cython.Py_ssize_t = 0
    b: cython.int
    node: cython.int
    with cython.nogil:
        pending[0] = 0
        while n_pending > 0:
            n_pending -= 1
            node = pending[n_pending]
            order[n_met] = node
            n_met += 1
            for b in range(n_branches[node]):
                pending[n_pending] = first_child[node] + n_branches[node] - 1 - b
                n_pending += 1


def depths(n_branches: cython.int[::1], pending: cython.int[::1], depth: cython.int[::1]) -> cython.Py_ssize_t:
    """Fill `depth` with the depths of the nodes of a tree in preorder; `pending` has room for as many levels.

    Returns the number of nodes that the tree has, which is smaller than the array if there are more nodes than belong
    to it, and -1 if nodes are lacking.
    """
    n_nodes: cython.Py_ssize_t = n_branches.shape[0]
    level: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t = 0
    met: cython.Py_ssize_t = -1
    with cython.nogil:
        while i < n_nodes and met < 0:
            depth[i] = cython.cast(cython.int, level)
            if n_branches[i] > 0:
                pending[level] = n_branches[i]
                level += 1
            else:
                while level > 0:
                    pending[level - 1] -= 1
                    if pending[level - 1] > 0:
                        break
                    level -= 1
                if level == 0:
                    met = i + 1
            i += 1
    return met


def level_places(depth: cython.int[::1], begin: cython.int[::1], place: cython.longlong[::1]) -> None:
    """Fill `place` with the numbers that nodes in preorder have level by level, given their depths.

    Nodes of one depth have the same order in both. `begin` has room for two more than the largest depth.
    """
    i: cython.Py_ssize_t
    level: cython.Py_ssize_t
    with cython.nogil:
        for level in range(begin.shape[0]):
            begin[level] = 0
        for i in range(depth.shape[0]):
            begin[depth[i] + 1] += 1
        for level in range(1, begin.shape[0]):
            begin[level] += begin[level - 1]
        for i in range(depth.shape[0]):
            place[i] = begin[depth[i]]
            begin[depth[i]] += 1
