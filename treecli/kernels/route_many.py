"""Route rows through many trees.

The thresholds of all trees on an attribute are numbered in ascending order, and a value is represented by the number of
thresholds below it: a 32-bit number, with which a node compares that of its threshold. The key of a label is its code,
which the node looks up in a table of bytes. A node takes 8 bytes: the number of its threshold or the place of its
table, its first child, the branch of missing values, and its attribute. A leaf leads to itself.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.codes import SPREAD
    from treecli.kernels.route_args import Cuts, ManyNodes, Nodes, Room

    _KEY_BITS = 32
    _LINK = 0xFFFFFFFF
    _LANES = 16
    _MORE_STEPS = 3
    _MISSING_BITS = 2
    _IN_MISSING = 3
    _NOWHERE = 255
    _SPREADS = 254
    _END_OF_BRANCHES = -1
    _UNKNOWN = -1
    _SIGN = 31

MISSING_BITS = 2
"""The bits of the branch of missing values."""

ELSEWHERE = 3
"""In place of that branch: the row is left out."""

BITS = 64
"""The most labels of a node without a table, with missing and unseen values."""

SPREADS = 254
"""A byte of a table, where rows with this label go down all branches."""

NOWHERE = 255
"""A byte of a table, where rows with this label are left out."""


def number_values(
    values: cython.double[::1], cuts: Cuts, slot: cython.Py_ssize_t, keys: cython.int[:, ::1]
) -> cython.bint:
    """Set the keys of the values of an attribute; return whether none is missing.

    A table leads from a value to the few thresholds near it. The place in it is a monotone function of the value, so
    rounding does no harm.
    """
    number: cython.double[::1] = cuts.number
    first: cython.int[::1] = cuts.first
    lowest: cython.double = cuts.lowest
    scale: cython.double = cuts.scale
    n_places: cython.Py_ssize_t = first.shape[0] - 1
    n_cuts: cython.Py_ssize_t = number.shape[0]
    is_complete: cython.bint = True
    row: cython.Py_ssize_t
    place: cython.Py_ssize_t
    low: cython.int
    high: cython.int
    middle: cython.int
    value: cython.double
    scaled: cython.double
    with cython.nogil:
        for row in range(values.shape[0]):
            value = values[row]
            if value != value:
                keys[row, slot] = _UNKNOWN
                is_complete = False
                continue
            scaled = (value - lowest) * scale
            place = 0
            if scaled >= n_places:
                place = n_places - 1
            elif scaled > 0:
                place = cython.cast(cython.Py_ssize_t, scaled)
            low = first[place]
            high = first[place + 1]
            if high - low <= 1:  # mostly: without a branch, which could not be predicted
                low += (low < high) & (number[low if low < n_cuts else 0] < value)
                high = low
            while low < high:
                middle = (low + high) // 2
                if number[middle] < value:
                    low = middle + 1
                else:
                    high = middle
            keys[row, slot] = low
    return is_complete


def fill_tables(
    nodes: cython.longlong[::1],
    begin: cython.longlong[::1],
    n_labels: cython.longlong[::1],
    tree: Nodes,
    table: cython.uchar[::1],
) -> None:
    """Fill in the tables of nodes: the branches of their labels, of missing values and of unseen labels.

    A node without a table in `tree` has a threshold on the codes of its labels.
    """
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t
    label: cython.Py_ssize_t
    first: cython.Py_ssize_t
    branch: cython.int
    is_listed: cython.bint
    with cython.nogil:
        for i in range(nodes.shape[0]):
            node = nodes[i]
            first = tree.table_start[node]
            is_listed = tree.table_start[node + 1] > first
            for label in range(n_labels[i] + 2):
                if label == n_labels[i]:
                    branch = tree.missing_route[node]
                elif label > n_labels[i]:
                    branch = tree.unseen_route[node]
                elif is_listed:
                    branch = tree.table[first + label]
                else:
                    branch = label > tree.number[node]
                if branch == SPREAD:
                    branch = _SPREADS
                table[begin[i] + label] = branch if 0 <= branch < _NOWHERE else _NOWHERE


def find_leaves(
    packed: ManyNodes, keys: cython.int[::1], are_numbers: cython.bint, leaf_of_row: cython.int[::1]
) -> None:
    """Fill in the leaf of each row, as `packed` numbers them; the number of leaves for rows that are left out.

    `keys` has the keys of each row, one row after the other: numbers, a 0, then labels. `are_numbers`: there are no
    labels and no missing values. Several rows go down side by side, so that their memory accesses overlap.
    """
    # Local names, which the compiler does not load again.
    packed_node: cython.longlong[::1] = packed.node
    table: cython.uchar[::1] = packed.table
    n_slots: cython.Py_ssize_t = packed.n_slots
    last: cython.uint = cython.cast(cython.uint, packed.leaf_slot)
    slot_bits: cython.int = packed.slot_bits
    link_bits: cython.int = slot_bits + _MISSING_BITS
    in_slot: cython.uint = (1 << slot_bits) - 1
    left_out: cython.uint = cython.cast(cython.uint, packed_node.shape[0] - 1)
    n_rows: cython.Py_ssize_t = leaf_of_row.shape[0]
    n_lanes: cython.Py_ssize_t = _LANES if _LANES < n_rows else n_rows
    n_begun: cython.Py_ssize_t = n_lanes
    lane: cython.Py_ssize_t
    n_steps: cython.int = 0
    both: cython.longlong
    key: cython.int
    link: cython.uint
    slot: cython.uint
    own: cython.int
    branch: cython.int
    of_label: cython.int
    of_missing: cython.int
    is_coded: cython.bint
    is_left_out: cython.bint
    is_leaf: cython.int
    row: cython.Py_ssize_t
    row_of_lane: cython.Py_ssize_t[_LANES]
    first_of_lane: cython.Py_ssize_t[_LANES]
    node_of_lane: cython.uint[_LANES]
    if not cython.compiled:
        row_of_lane, first_of_lane, node_of_lane = [0] * _LANES, [0] * _LANES, [0] * _LANES
    with cython.nogil:
        for lane in range(n_lanes):
            row_of_lane[lane] = lane
            first_of_lane[lane] = lane * n_slots
            node_of_lane[lane] = 0
        while n_lanes > 0:
            # Not a loop within this one: compilers would take all steps of one row before those of the next.
            n_steps += 1
            if are_numbers:
                for lane in range(n_lanes):
                    both = packed_node[node_of_lane[lane]]
                    link = cython.cast(cython.uint, both & _LINK)
                    own = keys[first_of_lane[lane] + (link & in_slot)]
                    node_of_lane[lane] = (link >> link_bits) + (own > cython.cast(cython.int, both >> _KEY_BITS))
            else:
                for lane in range(n_lanes):
                    both = packed_node[node_of_lane[lane]]
                    key = cython.cast(cython.int, both >> _KEY_BITS)
                    link = cython.cast(cython.uint, both & _LINK)
                    slot = link & in_slot
                    own = keys[first_of_lane[lane] + slot]
                    # Without branches: which kind of attribute is asked about cannot be predicted.
                    of_missing = cython.cast(cython.int, (link >> slot_bits) & _IN_MISSING)
                    branch = own > key
                    branch = of_missing if own < 0 else branch
                    is_left_out = (own < 0) & (of_missing == _IN_MISSING)
                    is_coded = slot > last
                    of_label = cython.cast(cython.int, table[(key & -is_coded) + (own & -is_coded)])
                    branch = of_label if is_coded else branch
                    is_left_out = of_label >= _SPREADS if is_coded else is_left_out
                    link = (link >> link_bits) + branch
                    node_of_lane[lane] = left_out if is_left_out else link
            if n_steps & _MORE_STEPS:
                continue
            # Rows that have arrived make room for others; without branches, which could not be predicted.
            if n_begun + _LANES <= n_rows:
                for lane in range(_LANES):
                    both = packed_node[node_of_lane[lane]]
                    row = row_of_lane[lane]
                    leaf_of_row[row] = cython.cast(cython.int, both >> _KEY_BITS)
                    # All bits are set at a leaf.
                    is_leaf = cython.cast(cython.int, (both & in_slot) ^ last) - 1 >> _SIGN
                    row ^= (row ^ n_begun) & is_leaf
                    row_of_lane[lane] = row
                    first_of_lane[lane] = row * n_slots
                    node_of_lane[lane] &= cython.cast(cython.uint, ~is_leaf & _LINK)
                    n_begun -= is_leaf
                continue
            lane = 0
            while lane < n_lanes:
                both = packed_node[node_of_lane[lane]]
                if (cython.cast(cython.uint, both & _LINK) & in_slot) != last:
                    lane += 1
                    continue
                leaf_of_row[row_of_lane[lane]] = cython.cast(cython.int, both >> _KEY_BITS)
                node_of_lane[lane] = 0
                if n_begun < n_rows:
                    row_of_lane[lane] = n_begun
                    n_begun += 1
                else:
                    n_lanes -= 1
                    row_of_lane[lane] = row_of_lane[n_lanes]
                    node_of_lane[lane] = node_of_lane[n_lanes]
                first_of_lane[lane] = row_of_lane[lane] * n_slots


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _branch(packed: ManyNodes, both: cython.longlong, own: cython.int) -> cython.int:
    """Return the branch that a key takes at an inner node; SPREADS if it takes all."""
    key: cython.int = cython.cast(cython.int, both >> _KEY_BITS)
    slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, both & ((1 << packed.slot_bits) - 1))
    of_missing: cython.int
    if slot > packed.leaf_slot:
        return cython.cast(cython.int, packed.table[key + own])
    if own >= 0:
        return own > key
    of_missing = cython.cast(cython.int, (both >> packed.slot_bits) & _IN_MISSING)
    return _SPREADS if of_missing == _IN_MISSING else of_missing


def mix_leaves(
    packed: ManyNodes,
    keys: cython.int[::1],
    rows: cython.longlong[::1],
    value: cython.double[:, ::1],
    room: Room,
    mixed: cython.double[:, ::1],
):
    """Fill `mixed` with the mean of the values of the leaves that each of `rows` reaches, weighted by its shares.

    All nodes that leave rows out send them down all branches. Sums are added as in route.mix_leaves.
    """
    node: cython.longlong[::1] = packed.node
    n_branches: cython.uchar[::1] = packed.n_branches
    share: cython.double[::1] = packed.share
    pending: cython.longlong[::1] = room.pending
    pending_weight: cython.double[::1] = room.pending_weight
    sums: cython.double[:, ::1] = room.sums
    n_slots: cython.Py_ssize_t = packed.n_slots
    link_bits: cython.int = packed.slot_bits + _MISSING_BITS
    in_slot: cython.longlong = (1 << packed.slot_bits) - 1
    last: cython.longlong = packed.leaf_slot
    index: cython.Py_ssize_t
    first: cython.Py_ssize_t
    place: cython.Py_ssize_t
    child: cython.Py_ssize_t
    first_child: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    outcome: cython.Py_ssize_t
    n_pending: cython.Py_ssize_t
    n_open: cython.Py_ssize_t
    n_outcomes: cython.Py_ssize_t = mixed.shape[1]
    both: cython.longlong
    slot: cython.longlong
    branch: cython.int
    weight: cython.double
    with cython.nogil:
        for index in range(rows.shape[0]):
            first = rows[index] * n_slots
            pending[0] = 0
            pending_weight[0] = 1.0
            n_pending = 1
            n_open = 0
            for outcome in range(n_outcomes):
                sums[0, outcome] = 0.0
            while n_pending > 0:
                n_pending -= 1
                if pending[n_pending] == _END_OF_BRANCHES:
                    n_open -= 1
                    for outcome in range(n_outcomes):
                        sums[n_open, outcome] += sums[n_open + 1, outcome]
                    continue
                place = pending[n_pending]
                weight = pending_weight[n_pending]
                while True:
                    both = node[place]
                    slot = both & in_slot
                    if slot == last:
                        leaf = cython.cast(cython.Py_ssize_t, both >> _KEY_BITS)
                        for outcome in range(n_outcomes):
                            sums[n_open, outcome] += weight * value[leaf, outcome]
                        break
                    branch = _branch(packed, both, keys[first + slot])
                    first_child = cython.cast(cython.Py_ssize_t, (both & _LINK) >> link_bits)
                    if branch != _SPREADS:
                        place = first_child + branch
                        continue
                    pending[n_pending] = _END_OF_BRANCHES
                    n_pending += 1
                    n_open += 1
                    for outcome in range(n_outcomes):
                        sums[n_open, outcome] = 0.0
                    # The last branch first, so that the first is on top and branches are added in order.
                    child = first_child + cython.cast(cython.Py_ssize_t, n_branches[place]) - 1
                    while child >= first_child:
                        if share[child] > 0:
                            pending[n_pending] = child
                            pending_weight[n_pending] = weight * share[child]
                            n_pending += 1
                        child -= 1
                    break
            for outcome in range(n_outcomes):
                mixed[index, outcome] = sums[0, outcome]


def add_values(leaf_of_row: cython.int[::1], value: cython.double[:, ::1], sums: cython.double[:, ::1]) -> int:
    """Add the values of each row's leaf to its sums; return how many rows are left out."""
    row: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_values: cython.Py_ssize_t = sums.shape[1]
    n_leaves: cython.Py_ssize_t = value.shape[0]
    n_left: cython.Py_ssize_t = 0
    leaf: cython.int
    with cython.nogil:
        for row in range(leaf_of_row.shape[0]):
            leaf = leaf_of_row[row]
            if leaf >= n_leaves:
                n_left += 1
                continue
            sums[row, 0] += value[leaf, 0]
            if n_values == 3:  # unrolled: the loop would take longer than the sums
                sums[row, 1] += value[leaf, 1]
                sums[row, 2] += value[leaf, 2]
                continue
            for c in range(1, n_values):
                sums[row, c] += value[leaf, c]
    return n_left


def add_labels(leaf_of_row: cython.int[::1], label: cython.int[::1], sums: cython.double[:, ::1]) -> int:
    """Add 1 for the label of each row's leaf; return how many rows are left out."""
    row: cython.Py_ssize_t
    n_left: cython.Py_ssize_t = 0
    n_leaves: cython.Py_ssize_t = label.shape[0]
    with cython.nogil:
        for row in range(leaf_of_row.shape[0]):
            if leaf_of_row[row] >= n_leaves:
                n_left += 1
            else:
                sums[row, label[leaf_of_row[row]]] += 1.0
    return n_left
