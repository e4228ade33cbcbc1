"""Route rows through many trees.

A value and a threshold are first compared as 32-bit keys in the same order: floats, seen as whole numbers. Where the
keys are equal, the value is missing or the test is not a plain threshold, the test is made in full, so that the result
is that of doubles. A node takes 8 bytes: the key of its threshold, and its left child beside its attribute.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.route import ALL_BRANCHES, Nodes, branch_of

    _KEY, _LINK = range(2)
    _LANES = 16

UNKNOWN = -(1 << 31)
"""The key of a missing value, of all values in the last column, and of nodes that have no plain threshold.

Such a node, or a leaf, tests the last column, where it finds its own key.
"""

_UNKNOWN = cython.declare(cython.int, -(1 << 31))


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
    keys: cython.int[::1],
    block: cython.double[:, ::1],
    rows: cython.int[::1],
    are_complete: cython.bint,
    leaf_of_row: cython.int[::1],
) -> None:
    """Fill in the node where each of `rows` ends; -1 where it reaches several leaves.

    block[slot, row] is a value, and `keys` has the keys of each row, one after the other, with one more. `packed` has
    the key of each node, and its left child above as many bits as the number of keys of a row has. It has twice as many
    entries as there are nodes, and one more: rows that end early are moved to the second half. `are_complete`: no value
    of these rows is missing.
    """
    parking: cython.int = cython.cast(cython.int, packed.shape[0] // 2)
    n_rows: cython.Py_ssize_t = rows.shape[0]
    n_lanes: cython.Py_ssize_t = _LANES if _LANES < n_rows else n_rows
    n_slots: cython.Py_ssize_t = block.shape[0] + 1
    link_bits: cython.int = 0
    in_slot: cython.int
    n_begun: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    row: cython.Py_ssize_t
    node: cython.int
    following: cython.int
    link: cython.int
    own: cython.int
    key: cython.int
    first_of_lane: cython.Py_ssize_t[_LANES]
    node_of_lane: cython.int[_LANES]
    if not cython.compiled:
        first_of_lane, node_of_lane = [0] * _LANES, [0] * _LANES
    while n_slots >> link_bits > 0:
        link_bits += 1
    in_slot = (1 << link_bits) - 1
    with cython.nogil:
        for lane in range(n_lanes):
            first_of_lane[lane] = rows[lane] * n_slots
            node_of_lane[lane] = 0
        n_begun = n_lanes
        while n_lanes > 0:
            lane = 0
            while lane < n_lanes:
                node = node_of_lane[lane]
                key = packed[node, _KEY]
                link = packed[node, _LINK]
                own = keys[first_of_lane[lane] + (link & in_slot)]
                if own != key and (are_complete or own != _UNKNOWN):
                    node_of_lane[lane] = (link >> link_bits) + (own > key)
                    lane += 1
                    continue
                row = first_of_lane[lane] // n_slots
                following = _tested(nodes, block, row, node, parking)
                if following != node:
                    node_of_lane[lane] = following
                    lane += 1
                    continue
                # The row has arrived: its lane takes another one, or goes.
                leaf_of_row[row] = node if node < parking else node - parking - 1
                if n_begun < n_rows:
                    first_of_lane[lane] = rows[n_begun] * n_slots
                    node_of_lane[lane] = 0
                    n_begun += 1
                    lane += 1
                else:
                    n_lanes -= 1
                    first_of_lane[lane] = first_of_lane[n_lanes]
                    node_of_lane[lane] = node_of_lane[n_lanes]


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
