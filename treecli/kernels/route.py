"""Route rows through a tree: find the leaf or leaves that they reach, and the nodes that they pass.

A block holds the values of some rows: block[slot, row] is a value, NaN where it is missing. A nominal value is its code
as a float, below 0 where the label is unseen.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.route_args import Leaves, Nodes, Room

ALL_BRANCHES = cython.declare(cython.int, -1)

_LISTS_SOME = cython.declare(cython.int, 2)  # SPARSE

FIRST_SURROGATE = cython.declare(cython.int, 1 << 28)  # SURROGATES_FROM

_SIDE_BY_SIDE = cython.declare(cython.Py_ssize_t, 16)

_END_OF_BRANCHES = cython.declare(cython.longlong, -1)
"""Among the pending nodes: all branches of a node are done."""

# While rows go down, -2 marks one that ended at node 0, -3 at node 1, …, although that is not a leaf.
_ENDS_AT_ROOT = cython.declare(cython.int, -2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _listed(nodes: Nodes, node: cython.Py_ssize_t, code: cython.int) -> cython.int:
    """Return the branch of a code by a sparse table: the number of all codes, the branch of most, codes, branches."""
    first: cython.longlong = nodes.table_start[node] + 2
    n_codes: cython.longlong = (nodes.table_start[node + 1] - first) // 2
    low: cython.longlong = 0
    high: cython.longlong = n_codes
    middle: cython.longlong
    while low < high:
        middle = (low + high) // 2
        if nodes.table[first + middle] < code:
            low = middle + 1
        else:
            high = middle
    if low < n_codes and nodes.table[first + low] == code:
        return nodes.table[first + n_codes + low]
    return nodes.table[first - 1]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def branch_of(
    nodes: Nodes, block: cython.double[:, ::1], row: cython.Py_ssize_t, node: cython.Py_ssize_t
) -> cython.int:
    value: cython.double
    branch: cython.int
    low: cython.longlong
    high: cython.longlong
    middle: cython.longlong
    while True:
        value = block[nodes.slot[node], row]
        if value != value:
            branch = nodes.missing_route[node]
        elif nodes.is_coded[node] and value < 0:
            branch = nodes.unseen_route[node]
        elif nodes.is_coded[node] and nodes.table_start[node] != nodes.table_start[node + 1]:
            if nodes.is_coded[node] == _LISTS_SOME:
                branch = _listed(nodes, node, cython.cast(cython.int, value))
            else:
                branch = nodes.table[nodes.table_start[node] + cython.cast(cython.Py_ssize_t, value)]
        else:
            branch = 0
            if not value <= nodes.number[node]:
                low = nodes.further_start[node]
                high = nodes.further_start[node + 1]
                while low < high:
                    middle = (low + high) // 2
                    if value <= nodes.further[middle]:
                        high = middle
                    else:
                        low = middle + 1
                branch = cython.cast(cython.int, 1 + low - nodes.further_start[node])
            if node < nodes.first_child.shape[0]:
                return branch
            branch = nodes.table[nodes.table_start[node] + branch]
        if branch >= FIRST_SURROGATE:
            node = branch - FIRST_SURROGATE
            continue
        return branch


def find_leaves(nodes: Nodes, block: cython.double[:, ::1], leaf_of_row: cython.int[::1]):
    """Fill in the node where each row ends; -1 where it reaches several leaves.

    Several rows are routed in turns, one test each, so that memory accesses of different rows overlap.
    """
    slot: cython.int[::1] = nodes.slot
    is_plain: cython.uchar[::1] = nodes.is_plain
    number: cython.double[::1] = nodes.number
    first_child: cython.int[::1] = nodes.first_child
    row: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n_rows: cython.Py_ssize_t = leaf_of_row.shape[0]
    node: cython.int
    branch: cython.int
    n_moving: cython.int
    value: cython.double
    with cython.nogil:
        begin = 0
        while begin < n_rows:
            end = begin + _SIDE_BY_SIDE
            if end > n_rows:
                end = n_rows
            for row in range(begin, end):
                leaf_of_row[row] = 0
            n_moving = 1
            while n_moving > 0:
                n_moving = 0
                for row in range(begin, end):
                    node = leaf_of_row[row]
                    if node < 0 or first_child[node] == 0:
                        continue
                    n_moving += 1
                    value = block[slot[node], row]
                    if is_plain[node] and value == value:
                        branch = value > number[node]
                    else:
                        branch = branch_of(nodes, block, row, node)
                        if branch < 0:
                            leaf_of_row[row] = ALL_BRANCHES if branch == ALL_BRANCHES else _ENDS_AT_ROOT - node
                            continue
                    leaf_of_row[row] = first_child[node] + branch
            for row in range(begin, end):
                if leaf_of_row[row] <= _ENDS_AT_ROOT:
                    leaf_of_row[row] = _ENDS_AT_ROOT - leaf_of_row[row]
            begin = end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_kept(
    leaves: Leaves, node: cython.Py_ssize_t, weight: cython.double, sums: cython.double[:, ::1], row: cython.Py_ssize_t
) -> cython.void:
    """Add weight times the prediction of a node of which only some classes are kept."""
    outcome: cython.Py_ssize_t
    place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, leaves.start[node])
    end: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, leaves.start[node + 1])
    if leaves.rest == 0.0:
        while place < end:
            sums[row, leaves.code[place]] += weight * (leaves.kept[place] / leaves.scale[node])
            place += 1
        return
    for outcome in range(sums.shape[1]):
        if place < end and leaves.code[place] == outcome:
            sums[row, outcome] += weight * (leaves.kept[place] / leaves.scale[node])
            place += 1
        else:
            sums[row, outcome] += weight * (leaves.rest / leaves.scale[node])


def mix_leaves(
    nodes: Nodes,
    block: cython.double[:, ::1],
    rows: cython.longlong[::1],
    leaves: Leaves,
    room: Room,
    mixed: cython.double[:, ::1],
):
    """Fill `mixed` with the mean prediction of the leaves that each of `rows` reaches, weighted by its shares.

    The branches of a node are summed in order, each of them complete
    before it is added, as J48 sums them: (a + b) + (c + d), where a flat sum might break a tie in another way.
    """
    first_child: cython.int[::1] = nodes.first_child
    n_branches: cython.int[::1] = nodes.n_branches
    share: cython.double[::1] = nodes.share
    pending: cython.longlong[::1] = room.pending
    pending_weight: cython.double[::1] = room.pending_weight
    sums: cython.double[:, ::1] = room.sums
    prediction: cython.double[:, ::1] = leaves.prediction
    scale: cython.double[::1] = leaves.scale
    source: cython.int[::1] = leaves.source
    index: cython.Py_ssize_t
    row: cython.Py_ssize_t
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    outcome: cython.Py_ssize_t
    n_pending: cython.Py_ssize_t
    n_open: cython.Py_ssize_t
    n_outcomes: cython.Py_ssize_t = mixed.shape[1]
    branch: cython.int
    weight: cython.double
    with cython.nogil:
        for index in range(rows.shape[0]):
            row = rows[index]
            pending[0] = 0
            pending_weight[0] = 1.0
            n_pending = 1
            n_open = 0
            for outcome in range(n_outcomes):
                sums[0, outcome] = 0.0
            while n_pending > 0:
                n_pending -= 1
                if pending[n_pending] < 0:  # all branches are summed
                    n_open -= 1
                    for outcome in range(n_outcomes):
                        sums[n_open, outcome] += sums[n_open + 1, outcome]
                    continue
                node = pending[n_pending]
                weight = pending_weight[n_pending]
                branch = 0
                while first_child[node] != 0:
                    branch = branch_of(nodes, block, row, node)
                    if branch < 0:
                        break
                    node = first_child[node] + branch
                if branch == ALL_BRANCHES:
                    pending[n_pending] = _END_OF_BRANCHES
                    n_pending += 1
                    n_open += 1
                    for outcome in range(n_outcomes):
                        sums[n_open, outcome] = 0.0
                    # The last branch first, so that the first is on top and branches are added in order.
                    child = first_child[node] + n_branches[node] - 1
                    while child >= first_child[node]:
                        if share[child] > 0:
                            pending[n_pending] = child
                            pending_weight[n_pending] = weight * share[child]
                            n_pending += 1
                        child -= 1
                else:
                    node = source[node]
                    if leaves.is_sparse:
                        _add_kept(leaves, node, weight, sums, n_open)
                        continue
                    for outcome in range(n_outcomes):
                        sums[n_open, outcome] += weight * (prediction[node, outcome] / scale[node])
            for outcome in range(n_outcomes):
                mixed[index, outcome] = sums[0, outcome]


def count_arrivals(
    nodes: Nodes,
    block: cython.double[:, ::1],
    target: cython.double[::1],
    weight_of_row: cython.double[::1],
    is_numeric: cython.bint,
    room: Room,
    arrived: cython.double[:, ::1],
):
    """Add every row to all nodes that it passes: its weight to its class, or to weight, mean and deviance.

    A row counts if its weight is above 0 and its target, a code as a float or a number, is known: not NaN,
    and for a code not below 0.
    """
    first_child: cython.int[::1] = nodes.first_child
    n_branches: cython.int[::1] = nodes.n_branches
    share: cython.double[::1] = nodes.share
    pending: cython.longlong[::1] = room.pending
    pending_weight: cython.double[::1] = room.pending_weight
    row: cython.Py_ssize_t
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    label: cython.Py_ssize_t
    n_pending: cython.Py_ssize_t
    branch: cython.int
    weight: cython.double
    difference: cython.double
    with cython.nogil:
        for row in range(target.shape[0]):
            if not weight_of_row[row] > 0 or target[row] != target[row] or (target[row] < 0 and not is_numeric):
                continue
            label = 0 if is_numeric else cython.cast(cython.Py_ssize_t, target[row])
            pending[0] = 0
            pending_weight[0] = weight_of_row[row]
            n_pending = 1
            while n_pending > 0:
                n_pending -= 1
                node = pending[n_pending]
                weight = pending_weight[n_pending]
                while True:
                    if is_numeric:
                        # West (1979): mean and deviance in one pass, without large sums that cancel.
                        arrived[node, 0] += weight
                        difference = target[row] - arrived[node, 1]
                        arrived[node, 1] += difference * (weight / arrived[node, 0])
                        arrived[node, 2] += weight * difference * (target[row] - arrived[node, 1])
                    else:
                        arrived[node, label] += weight
                    if first_child[node] == 0:
                        break
                    branch = branch_of(nodes, block, row, node)
                    if branch < 0:
                        if branch == ALL_BRANCHES:
                            child = first_child[node] + n_branches[node] - 1
                            while child >= first_child[node]:
                                if weight * share[child] > 0:
                                    pending[n_pending] = child
                                    pending_weight[n_pending] = weight * share[child]
                                    n_pending += 1
                                child -= 1
                        break
                    node = first_child[node] + branch
