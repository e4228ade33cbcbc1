"""Route rows through many trees.

A value and a threshold are first compared as 32-bit keys in the same order: floats, seen as whole numbers. Where the
keys are equal or the value is missing, the test is made in full, so that the result is that of doubles. The key of a
label is its code, which the node looks up in a table of bytes. A node takes 8 bytes: the key of its threshold or the
place of its table, and its first child beside its attribute. A leaf leads to itself.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.route import ALL_BRANCHES, branch_of
    from treecli.kernels.route_args import ManyNodes, Nodes

    _KEY_BITS = 32
    _LINK = 0x7FFFFFFF
    _LANES = 16
    _STEPS = 4
    _UNKNOWN = -(1 << 31)
    _NOWHERE = 255
    _LEAF_KEY = (1 << 31) - 1

UNKNOWN = -(1 << 31)
"""The key of a missing number."""

NOWHERE = 255
"""A byte of a table, where the branch must be found by a test in full."""

LEAF_KEY = (1 << 31) - 1
"""The key of a leaf: no value is above it. A leaf asks about the last column, which is 0 for all rows."""

ALWAYS = 0
"""The key of a node that has to be tested in full: it asks about the last column, where it finds its own key."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tested(
    nodes: Nodes, packed: ManyNodes, block: cython.double[:, ::1], row: cython.Py_ssize_t, node: cython.int
) -> cython.int:
    """Return the node that follows by a test in full; where the row ends at an inner node, a place after all nodes."""
    parking: cython.int = cython.cast(cython.int, packed.node.shape[0] // 2)
    own: cython.int = packed.number[node]
    branch: cython.int = branch_of(nodes, block, row, own)
    if branch >= 0:
        return packed.place[nodes.first_child[own] + branch]
    return parking if branch == ALL_BRANCHES else parking + 1 + node


def find_leaves(
    nodes: Nodes,
    packed: ManyNodes,
    keys: cython.int[::1],
    block: cython.double[:, ::1],
    are_numbers: cython.bint,
    leaf_of_row: cython.int[::1],
) -> None:
    """Fill in the place of the node where each row ends; -1 where it reaches several leaves.

    `keys` has the keys of each row, one row after the other: numbers, then labels, and a 0; block[column, row] is a
    value. `are_numbers`: there are no labels and no missing values. Several rows go down side by side, so that their
    memory accesses overlap. A row that needs a test in full waits until some steps are done: a call in the loop of the
    steps would make all of them slower.
    """
    # Local names, which the compiler does not load again.
    packed_node: cython.longlong[::1] = packed.node
    table: cython.uchar[::1] = packed.table
    n_slots: cython.Py_ssize_t = packed.n_slots
    first_coded: cython.int = cython.cast(cython.int, packed.first_coded)
    last: cython.int = cython.cast(cython.int, n_slots) - 1
    link_bits: cython.int = packed.link_bits
    in_slot: cython.int = (1 << link_bits) - 1
    parking: cython.int = cython.cast(cython.int, packed_node.shape[0] // 2)
    n_rows: cython.Py_ssize_t = leaf_of_row.shape[0]
    n_lanes: cython.Py_ssize_t = _LANES if _LANES < n_rows else n_rows
    n_begun: cython.Py_ssize_t = n_lanes
    lane: cython.Py_ssize_t
    _step: cython.int
    node: cython.int
    both: cython.longlong
    key: cython.int
    link: cython.int
    slot: cython.int
    own: cython.int
    branch: cython.int
    of_label: cython.int
    is_coded: cython.bint
    waits: cython.bint
    any_waits: cython.bint
    first_of_lane: cython.Py_ssize_t[_LANES]
    node_of_lane: cython.int[_LANES]
    if not cython.compiled:
        first_of_lane, node_of_lane = [0] * _LANES, [0] * _LANES
    with cython.nogil:
        for lane in range(n_lanes):
            first_of_lane[lane] = lane * n_slots
            node_of_lane[lane] = 0
        while n_lanes > 0:
            any_waits = False
            if are_numbers:
                for _step in range(_STEPS):
                    for lane in range(n_lanes):
                        node = node_of_lane[lane]
                        both = packed_node[node]
                        key = cython.cast(cython.int, both >> _KEY_BITS)
                        link = cython.cast(cython.int, both & _LINK)
                        own = keys[first_of_lane[lane] + (link & in_slot)]
                        waits = own == key
                        any_waits |= waits
                        link = (link >> link_bits) + (own > key)
                        node_of_lane[lane] = node if waits else link
            else:
                for _step in range(_STEPS):
                    for lane in range(n_lanes):
                        node = node_of_lane[lane]
                        both = packed_node[node]
                        key = cython.cast(cython.int, both >> _KEY_BITS)
                        link = cython.cast(cython.int, both & _LINK)
                        slot = link & in_slot
                        own = cython.cast(cython.int, keys[first_of_lane[lane] + slot])
                        branch = own > key
                        waits = (own == key) | (own == _UNKNOWN)
                        # Without branches: which kind of attribute is asked about cannot be predicted.
                        is_coded = (slot >= first_coded) & (slot < last)
                        of_label = cython.cast(cython.int, table[(key & -is_coded) + (own & -is_coded)])
                        branch = of_label if is_coded else branch
                        waits = of_label == _NOWHERE if is_coded else waits
                        any_waits |= waits
                        link = (link >> link_bits) + branch
                        node_of_lane[lane] = node if waits else link
            # Rows that have arrived make room for others.
            lane = 0
            while lane < n_lanes:
                node = node_of_lane[lane]
                both = packed_node[node]
                key = cython.cast(cython.int, both >> _KEY_BITS)
                if key != _LEAF_KEY:
                    if any_waits:
                        slot = cython.cast(cython.int, both & _LINK) & in_slot
                        own = cython.cast(cython.int, keys[first_of_lane[lane] + slot])
                        is_coded = (slot >= first_coded) & (slot < last)
                        of_label = cython.cast(cython.int, table[(key & -is_coded) + (own & -is_coded)])
                        waits = (own == key) | (own == _UNKNOWN)
                        if of_label == _NOWHERE if is_coded else waits:
                            node_of_lane[lane] = _tested(nodes, packed, block, first_of_lane[lane] // n_slots, node)
                    lane += 1
                    continue
                leaf_of_row[first_of_lane[lane] // n_slots] = node if node < parking else node - parking - 1
                if n_begun < n_rows:
                    first_of_lane[lane] = n_begun * n_slots
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
