"""A stack of rows with their weights, for a tree that is pruned depth first.

The rows that reach a node are a range of the stack. The rows of all its children are put on top of
them before the children are visited.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.raise_args import Nodes, Room, Rows

_ROUNDING = cython.declare(cython.double, 1e-6)
_NO_ROOM = cython.declare(cython.longlong, -1)
_OTHERWISE = cython.declare(cython.longlong, -2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _branch(nodes: Nodes, node: cython.Py_ssize_t, value: cython.double) -> cython.int:
    """Return the branch of a value, negative if it takes all branches."""
    low: cython.longlong
    high: cython.longlong
    middle: cython.longlong
    if value != value:
        return nodes.missing_to[node]
    if nodes.table_size[node] > 0:
        if nodes.table[nodes.table_start[node] + cython.cast(cython.Py_ssize_t, value)] < 0:
            return nodes.missing_to[node]
        return nodes.table[nodes.table_start[node] + cython.cast(cython.Py_ssize_t, value)]
    if value <= nodes.number[node]:
        return 0
    low = nodes.further_start[node]
    high = low + nodes.further_size[node]
    while low < high:
        middle = (low + high) // 2
        if value <= nodes.further[middle]:
            high = middle
        else:
            low = middle + 1
    return cython.cast(cython.int, 1 + low - nodes.further_start[node])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part_in_two(
    nodes: Nodes, rows: Rows, room: Room, node: cython.Py_ssize_t, top: cython.longlong
) -> cython.longlong:
    """Like lay_out for a node with one threshold; returns _OTHERWISE and changes nothing where a value is missing.

    No jump depends on a value, so the processor can load many values in parallel.
    """
    row: cython.int[::1] = rows.row
    weight: cython.double[::1] = rows.weight
    branch_of: cython.int[::1] = rows.branch_of
    column: cython.Py_ssize_t = nodes.slot[node]
    cut: cython.double = nodes.number[node]
    first: cython.Py_ssize_t = nodes.first_child[node]
    begin: cython.longlong = room.begin[node]
    end: cython.longlong = room.end[node]
    value: cython.double
    is_above: cython.int
    i: cython.longlong
    below: cython.longlong = top
    above: cython.longlong
    place: cython.longlong
    n_above: cython.longlong = 0
    n_missing: cython.longlong = 0
    for i in range(begin, end):
        value = rows.block[column, row[i]]
        is_above = value > cut
        branch_of[i - begin] = is_above
        n_above += is_above
        n_missing += value != value
    if n_missing > 0:
        return _OTHERWISE
    if top + (end - begin) > row.shape[0]:
        return _NO_ROOM
    above = top + (end - begin) - n_above
    room.begin[first] = below
    room.end[first] = above
    room.begin[first + 1] = above
    room.end[first + 1] = above + n_above
    for i in range(begin, end):
        is_above = branch_of[i - begin]
        place = above if is_above else below
        row[place] = row[i]
        weight[place] = weight[i]
        above += is_above
        below += 1 - is_above
    return above


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lay_out(nodes: Nodes, rows: Rows, room: Room, node: cython.Py_ssize_t, top: cython.longlong) -> cython.longlong:
    """Put the rows of a node's children on top of the stack; return the new top, or NO_ROOM."""
    begin: cython.longlong = room.begin[node]
    end: cython.longlong = room.end[node]
    first: cython.Py_ssize_t = nodes.first_child[node]
    last: cython.Py_ssize_t = first + nodes.n_branches[node]
    child: cython.Py_ssize_t
    i: cython.longlong
    branch: cython.int
    known: cython.double = 0.0
    n_spread: cython.longlong = 0
    if nodes.table_size[node] == 0 and nodes.further_size[node] == 0 and last - first == 2:
        i = _part_in_two(nodes, rows, room, node, top)
        if i != _OTHERWISE:
            return i
    for child in range(first, last):
        room.share[child] = 0.0
        room.end[child] = 0
    for i in range(begin, end):
        branch = _branch(nodes, node, rows.block[nodes.slot[node], rows.row[i]])
        rows.branch_of[i - begin] = branch
        if branch < 0:
            n_spread += 1
        else:
            room.share[first + branch] += rows.weight[i]
            room.end[first + branch] += 1
            known += rows.weight[i]
    room.n_spread += n_spread
    for child in range(first, last):
        room.share[child] = room.share[child] / known if known > 0.0 else 1.0 / (last - first)
        if room.share[child] <= _ROUNDING:
            room.share[child] = 0.0
        room.begin[child] = top
        top += room.end[child] + (n_spread if room.share[child] > 0.0 else 0)
        room.end[child] = room.begin[child]
    if top > rows.row.shape[0]:
        return _NO_ROOM
    for i in range(begin, end):
        branch = rows.branch_of[i - begin]
        if branch >= 0:
            child = first + branch
            rows.row[room.end[child]] = rows.row[i]
            rows.weight[room.end[child]] = rows.weight[i]
            room.end[child] += 1
            continue
        for child in range(first, last):
            if room.share[child] > 0.0:
                rows.row[room.end[child]] = rows.row[i]
                rows.weight[room.end[child]] = rows.weight[i] * room.share[child]
                room.end[child] += 1
    return top


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count(
    rows: Rows,
    begin: cython.longlong,
    end: cython.longlong,
    counts: cython.double[:, ::1],
    place: cython.Py_ssize_t,
) -> cython.void:
    """Fill counts[place] with the weights of the classes of a range of the stack."""
    i: cython.longlong
    c: cython.Py_ssize_t
    for c in range(counts.shape[1]):
        counts[place, c] = 0.0
    for i in range(begin, end):
        counts[place, rows.class_[rows.row[i]]] += rows.weight[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gathered(
    nodes: Nodes, rows: Rows, room: Room, node: cython.Py_ssize_t, largest: cython.Py_ssize_t
) -> cython.longlong:
    """Make the rows of a node's other branches those of its largest branch; return where the stack ends, or NO_ROOM.

    The rows of the branches are one after the other.
    """
    first: cython.Py_ssize_t = nodes.first_child[node]
    last: cython.Py_ssize_t = first + nodes.n_branches[node] - 1
    top: cython.longlong = room.end[last]
    i: cython.longlong
    begin: cython.longlong = room.begin[largest]
    end: cython.longlong = room.end[largest]
    if largest == last:
        room.begin[largest] = room.begin[first]
        room.end[largest] = begin
        return top
    if largest == first:
        room.begin[largest] = end
        room.end[largest] = top
        return top
    if top + (top - room.begin[first]) - (end - begin) > rows.row.shape[0]:
        return _NO_ROOM
    room.begin[largest] = top
    for i in range(room.begin[first], begin):
        rows.row[top] = rows.row[i]
        rows.weight[top] = rows.weight[i]
        top += 1
    for i in range(end, room.end[last]):
        rows.row[top] = rows.row[i]
        rows.weight[top] = rows.weight[i]
        top += 1
    room.end[largest] = top
    return top


def stack_size(nodes: Nodes, room: Room, root: cython.Py_ssize_t) -> cython.longlong:
    """Return the most rows on the stack on the way to any node below `root`, if each row weighs 1."""
    first_child: cython.int[::1] = nodes.first_child
    n_branches: cython.int[::1] = nodes.n_branches
    above: cython.double[::1] = room.share
    size: cython.double
    most: cython.double = 0.0
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    c: cython.Py_ssize_t
    with cython.nogil:
        for node in range(first_child.shape[0]):
            above[node] = 0.0
        for node in range(root, first_child.shape[0]):
            size = above[node]
            for c in range(nodes.counts.shape[1]):
                size += nodes.counts[node, c]
            if size > most:
                most = size
            for child in range(first_child[node], first_child[node] + n_branches[node]):
                above[child] = size
    return cython.cast(cython.longlong, most)
