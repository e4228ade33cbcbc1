"""C4.5's error-based pruning with subtree raising: bottom-up, replace a node by a leaf or by its largest branch.

The rows that reach a node are a range of a stack, with their weights; the rows of all its children are put on top of
them before the children are visited. The tree is pruned in place: a node that is replaced by its branch takes over the
branch's test and children, and nodes that are no longer reached stay in the arrays.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.estimate import Estimate, added_errors
    from treecli.kernels.raise_args import Nodes, Room, Rows

SLACK = 0.1
"""Errors by which the smaller tree may be expected to be worse (C4.5)."""

NO_ROOM = -1

_SLACK = cython.declare(cython.double, 0.1)
_ROUNDING = cython.declare(cython.double, 1e-6)
_NO_ROOM = cython.declare(cython.longlong, -1)
_OTHERWISE = cython.declare(cython.longlong, -2)

# Sums of estimates in another order differ by less than this, relative to 1 plus the sum.
_REORDERED = cython.declare(cython.double, 1e-7)

# What a node is compared as; UNDECIDED: rounding may matter.
_UNDECIDED = cython.declare(cython.int, 0)
_AS_LEAF = cython.declare(cython.int, 1)
_AS_TREE = cython.declare(cython.int, 2)
_AS_BRANCH = cython.declare(cython.int, 3)
_STACK_FULL = cython.declare(cython.int, 4)


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
    """Like _lay_out for a node with one threshold; returns _OTHERWISE and changes nothing where a value is missing.

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
def _lay_out(nodes: Nodes, rows: Rows, room: Room, node: cython.Py_ssize_t, top: cython.longlong) -> cython.longlong:
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
def _count(
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
def _expected(counts: cython.double[:, ::1], place: cython.Py_ssize_t, estimate: Estimate) -> cython.double:
    """Return the errors expected of a leaf with the class weights counts[place]."""
    c: cython.Py_ssize_t
    total: cython.double = 0.0
    most: cython.double = 0.0
    for c in range(counts.shape[1]):
        total += counts[place, c]
        if counts[place, c] > most:
            most = counts[place, c]
    return total - most + added_errors(total, total - most, estimate)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_counts(nodes: Nodes, rows: Rows, room: Room, node: cython.Py_ssize_t) -> cython.bint:
    """Return whether the class weights of a node are those of its rows."""
    c: cython.Py_ssize_t
    _count(rows, room.begin[node], room.end[node], room.scratch, 0)
    for c in range(room.scratch.shape[1]):
        if room.scratch[0, c] != nodes.counts[node, c]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gathered(
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _decided(
    nodes: Nodes,
    rows: Rows,
    room: Room,
    estimate: Estimate,
    node: cython.Py_ssize_t,
    largest: cython.Py_ssize_t,
    as_leaf: cython.double,
    as_tree: cython.double,
) -> cython.int:
    """Return what replaces a node: only the rows of its other branches are sent down the largest one.

    For whole weights and counts that are those of the rows. The sum of the estimates begins with that of the branch as
    it is. More cases never lower the estimate of a leaf, so the sum only grows, as far as rounding does not matter.
    """
    margin: cython.double = _REORDERED * (1.0 + as_tree)
    as_branch: cython.double = room.expected[largest]
    is_leaf_possible: cython.bint = as_leaf - as_tree - _SLACK < _ROUNDING
    end: cython.longlong = _gathered(nodes, rows, room, node, largest)
    top: cython.longlong
    n_pending: cython.Py_ssize_t = 1
    below: cython.Py_ssize_t
    child: cython.Py_ssize_t
    c: cython.Py_ssize_t
    if end == _NO_ROOM:
        return _STACK_FULL
    room.pending[0] = largest
    while n_pending > 0:
        if as_branch - as_tree - _SLACK >= _ROUNDING + margin:
            return _AS_LEAF if is_leaf_possible else _AS_TREE
        if is_leaf_possible and as_leaf - as_branch - _SLACK < _ROUNDING - margin:
            return _AS_LEAF
        n_pending -= 1
        below = room.pending[n_pending]
        if room.begin[below] == room.end[below]:
            continue
        if nodes.first_child[below] == 0:
            _count(rows, room.begin[below], room.end[below], room.scratch, 0)
            for c in range(room.scratch.shape[1]):
                room.scratch[0, c] += nodes.counts[below, c]
            as_branch += _expected(room.scratch, 0, estimate) - room.expected[below]
            continue
        # What is above a node's own rows belongs to nodes that are done.
        top = end
        if room.end[below] > top:
            top = room.end[below]
        top = _lay_out(nodes, rows, room, below, top)
        if room.n_spread > 0:
            room.n_spread = 0
            return _UNDECIDED
        if top == _NO_ROOM:
            return _STACK_FULL
        for child in range(nodes.first_child[below], nodes.first_child[below] + nodes.n_branches[below]):
            room.pending[n_pending] = child
            n_pending += 1
    if as_branch - as_tree - _SLACK >= _ROUNDING + margin:
        return _AS_LEAF if is_leaf_possible else _AS_TREE
    if is_leaf_possible and as_leaf - as_branch - _SLACK < _ROUNDING - margin:
        return _AS_LEAF
    if as_branch - as_tree - _SLACK >= _ROUNDING - margin:
        return _UNDECIDED
    if is_leaf_possible and as_leaf - as_branch - _SLACK < _ROUNDING + margin:
        return _UNDECIDED
    return _AS_BRANCH


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


def prune(
    nodes: Nodes,
    rows: Rows,
    n_rows: cython.longlong,
    room: Room,
    estimate: Estimate,
    root: cython.Py_ssize_t = 0,
    are_sums_exact: cython.bint = False,
) -> bool:
    """Prune the tree below `root` in place; return false if the stack was too small, and the caller must start again.

    The first n_rows of the stack are the training rows with their weights. `are_sums_exact`: the weights are whole, so
    that counts are the same whatever the order of the rows, until one goes down several branches.
    """
    first_child: cython.int[::1] = nodes.first_child
    n_branches: cython.int[::1] = nodes.n_branches
    counts: cython.double[:, ::1] = nodes.counts
    rows_begin: cython.longlong[::1] = room.begin
    rows_end: cython.longlong[::1] = room.end
    expected: cython.double[::1] = room.expected
    path: cython.longlong[::1] = room.path
    next_child: cython.longlong[::1] = room.next_child
    top_before: cython.longlong[::1] = room.top_before
    pending: cython.longlong[::1] = room.pending
    scratch: cython.double[:, ::1] = room.scratch
    level: cython.Py_ssize_t = 0
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    largest: cython.Py_ssize_t
    below: cython.Py_ssize_t
    n_pending: cython.Py_ssize_t
    c: cython.Py_ssize_t
    top: cython.longlong
    in_child: cython.double
    most: cython.double
    as_leaf: cython.double
    as_tree: cython.double
    as_branch: cython.double
    stores: cython.bint
    has_room: cython.bint = True
    decision: cython.int
    with cython.nogil:
        rows_begin[root] = 0
        rows_end[root] = n_rows
        path[0] = root
        next_child[0] = 0
        top_before[0] = n_rows
        while level >= 0:
            node = path[level]
            top = top_before[level]
            if first_child[node] == 0:
                are_sums_exact = are_sums_exact and _has_counts(nodes, rows, room, node)
                expected[node] = _expected(counts, node, estimate)
                level -= 1
                continue
            if next_child[level] == 0:
                are_sums_exact = are_sums_exact and _has_counts(nodes, rows, room, node)
                top = _lay_out(nodes, rows, room, node, top)
                are_sums_exact = are_sums_exact and room.n_spread == 0
                if top == _NO_ROOM:
                    has_room = False
                    break
            if next_child[level] < n_branches[node]:
                path[level + 1] = first_child[node] + next_child[level]
                next_child[level] += 1
                top_before[level + 1] = rows_end[first_child[node] + n_branches[node] - 1]
                next_child[level + 1] = 0
                level += 1
                continue
            # The children are done: compare the node as a leaf, unchanged, or as its largest branch (ties: the last).
            as_leaf = _expected(counts, node, estimate)
            as_tree = 0.0
            largest = first_child[node]
            most = -1.0
            for child in range(first_child[node], first_child[node] + n_branches[node]):
                as_tree += expected[child]
                in_child = 0.0
                for c in range(counts.shape[1]):
                    in_child += counts[child, c]
                if in_child > most - _ROUNDING:
                    most = in_child
                    largest = child
            decision = _UNDECIDED
            if are_sums_exact:
                decision = _decided(nodes, rows, room, estimate, node, largest, as_leaf, as_tree)
                if decision == _STACK_FULL:
                    has_room = False
                    break
                if decision == _AS_LEAF:
                    first_child[node] = 0
                    n_branches[node] = 0
                    expected[node] = as_leaf
                    level -= 1
                    continue
                if decision == _AS_TREE:
                    expected[node] = as_tree
                    level -= 1
                    continue
            # All rows of the node go down its largest branch: first only for the estimate, then to stay.
            stores = decision == _AS_BRANCH
            as_branch = 0.0
            while True:
                rows_begin[largest] = rows_begin[node]
                rows_end[largest] = rows_end[node]
                n_pending = 1
                pending[0] = largest
                top = top_before[level]
                while n_pending > 0:
                    n_pending -= 1
                    below = pending[n_pending]
                    if stores:
                        _count(rows, rows_begin[below], rows_end[below], counts, below)
                    if first_child[below] == 0:
                        if not stores:
                            _count(rows, rows_begin[below], rows_end[below], scratch, 0)
                            as_branch += _expected(scratch, 0, estimate)
                            # Errors only add up: once the branch is worse than the tree, the rest changes nothing.
                            if as_branch - as_tree - _SLACK >= _ROUNDING:
                                break
                        continue
                    # What is above a node's own rows belongs to nodes that are done.
                    if rows_end[below] > top_before[level]:
                        top = rows_end[below]
                    top = _lay_out(nodes, rows, room, below, top)
                    if top == _NO_ROOM:
                        has_room = False
                        break
                    for child in range(first_child[below], first_child[below] + n_branches[below]):
                        pending[n_pending] = child
                        n_pending += 1
                if stores or not has_room:
                    break
                if as_leaf - as_tree - _SLACK < _ROUNDING and as_leaf - as_branch - _SLACK < _ROUNDING:
                    first_child[node] = 0
                    n_branches[node] = 0
                    expected[node] = as_leaf
                    level -= 1
                    break
                if as_branch - as_tree - _SLACK >= _ROUNDING:
                    expected[node] = as_tree
                    level -= 1
                    break
                stores = True
            if not has_room:
                break
            if not stores:
                room.n_spread = 0
                continue
            are_sums_exact = are_sums_exact and room.n_spread == 0
            nodes.slot[node] = nodes.slot[largest]
            nodes.number[node] = nodes.number[largest]
            nodes.further_start[node] = nodes.further_start[largest]
            nodes.further_size[node] = nodes.further_size[largest]
            nodes.table_start[node] = nodes.table_start[largest]
            nodes.table_size[node] = nodes.table_size[largest]
            nodes.missing_to[node] = nodes.missing_to[largest]
            first_child[node] = first_child[largest]
            n_branches[node] = n_branches[largest]
            nodes.source[node] = nodes.source[largest]
            next_child[level] = 0
    return has_room
