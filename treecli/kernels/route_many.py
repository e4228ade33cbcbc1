"""Route rows through many trees.

A value and a threshold are first compared as 32-bit keys in the same order: floats, seen as whole numbers. Where the
keys are equal, the value is missing or the test is not a plain threshold, the test is made in full, so that the result
is that of doubles. A node takes 8 bytes: the key of its threshold, and its left child beside its attribute.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.route import ALL_BRANCHES, Nodes, branch_of

    _KEY, _LINK = range(2)
    _SIDE_BY_SIDE = 16

UNKNOWN = -(1 << 31)
"""The key of a missing value, and of all values of a column that stands for tests to be made in full."""

_UNKNOWN = cython.declare(cython.int, -(1 << 31))

NEVER = (1 << 31) - 1
"""The key of a leaf: no value is above it, and none is equal."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tested(
    nodes: Nodes, block: cython.double[:, ::1], row: cython.Py_ssize_t, node: cython.int, parking: cython.int
) -> cython.int:
    """Return the node that follows by a test in full; where the row ends at an inner node, a place after `parking`."""
    branch: cython.int
    if node >= parking or nodes.first_child[node] == 0:
        return node
    branch = branch_of(nodes, block, row, node)
    if branch >= 0:
        return nodes.first_child[node] + branch
    return parking if branch == ALL_BRANCHES else parking + 1 + node


def find_leaves(
    nodes: Nodes,
    packed: cython.int[:, ::1],
    link_bits: cython.int,
    keys: cython.int[:, ::1],
    block: cython.double[:, ::1],
    leaf_of_row: cython.int[::1],
) -> None:
    """Fill in the node where each row ends; -1 where it reaches several leaves.

    `packed` has twice as many entries as there are nodes, and one more: rows that end early are moved to the second
    half. keys[row, slot] is the key of a value, block[slot, row] the value.
    """
    parking: cython.int = cython.cast(cython.int, packed.shape[0] // 2)
    n_rows: cython.Py_ssize_t = leaf_of_row.shape[0]
    in_slot: cython.int = (1 << link_bits) - 1
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    row: cython.Py_ssize_t
    node: cython.int
    following: cython.int
    link: cython.int
    own: cython.int
    key: cython.int
    moved: cython.int
    with cython.nogil:
        while begin < n_rows:
            end = begin + _SIDE_BY_SIDE
            if end > n_rows:
                end = n_rows
            for row in range(begin, end):
                leaf_of_row[row] = 0
            moved = 1
            while moved != 0:
                moved = 0
                for row in range(begin, end):
                    node = leaf_of_row[row]
                    key = packed[node, _KEY]
                    link = packed[node, _LINK]
                    own = keys[row, link & in_slot]
                    if own == key or own == _UNKNOWN:
                        following = _tested(nodes, block, row, node, parking)
                    else:
                        following = (link >> link_bits) + (own > key)
                    moved |= following ^ node
                    leaf_of_row[row] = following
            for row in range(begin, end):
                if leaf_of_row[row] >= parking:
                    leaf_of_row[row] -= parking + 1  # the node where it ended, or -1
            begin = end


def add_values(leaf_of_row: cython.int[::1], value: cython.double[:, ::1], sums: cython.double[:, ::1]) -> int:
    """Add the values of each row's leaf to its sums; return how many rows reach several leaves and are left out."""
    row: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_values: cython.Py_ssize_t = sums.shape[1]
    n_left: cython.Py_ssize_t = 0
    leaf: cython.int
    with cython.nogil:
        for row in range(leaf_of_row.shape[0]):
            leaf = leaf_of_row[row]
            if leaf < 0:
                n_left += 1
                continue
            for c in range(n_values):
                sums[row, c] += value[leaf, c]
    return n_left


def add_labels(leaf_of_row: cython.int[::1], label: cython.int[::1], sums: cython.double[:, ::1]) -> int:
    """Add 1 for the label of each row's leaf; return how many rows reach several leaves and are left out."""
    row: cython.Py_ssize_t
    n_left: cython.Py_ssize_t = 0
    with cython.nogil:
        for row in range(leaf_of_row.shape[0]):
            if leaf_of_row[row] < 0:
                n_left += 1
            else:
                sums[row, label[leaf_of_row[row]]] += 1.0
    return n_left
