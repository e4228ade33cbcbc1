"""C4.5's error-based pruning with subtree raising: bottom-up, replace a node by a leaf or by its largest branch.

The rows that reach a node are a range of a stack, with their weights; the rows of all its children are put on top of
them before the children are visited. The tree is pruned in place: a node that is replaced by its branch takes over the
branch's test and children, and nodes that are no longer reached stay in the arrays.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.estimate import Estimate, added_errors
    from treecli.kernels.raise_args import Nodes, Room, Rows
    from treecli.kernels.row_stack import count, gathered, lay_out

SLACK = 0.1
"""Errors by which the smaller tree may be expected to be worse (C4.5)."""

_SLACK = cython.declare(cython.double, 0.1)
_ROUNDING = cython.declare(cython.double, 1e-6)
_NO_ROOM = cython.declare(cython.longlong, -1)

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
    count(rows, room.begin[node], room.end[node], room.scratch, 0)
    for c in range(room.scratch.shape[1]):
        if room.scratch[0, c] != nodes.counts[node, c]:
            return False
    return True


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
    end: cython.longlong = gathered(nodes, rows, room, node, largest)
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
            count(rows, room.begin[below], room.end[below], room.scratch, 0)
            for c in range(room.scratch.shape[1]):
                room.scratch[0, c] += nodes.counts[below, c]
            as_branch += _expected(room.scratch, 0, estimate) - room.expected[below]
            continue
        # What is above a node's own rows belongs to nodes that are done.
        top = end
        if room.end[below] > top:
            top = room.end[below]
        top = lay_out(nodes, rows, room, below, top)
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
                top = lay_out(nodes, rows, room, node, top)
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
                        count(rows, rows_begin[below], rows_end[below], counts, below)
                    if first_child[below] == 0:
                        if not stores:
                            count(rows, rows_begin[below], rows_end[below], scratch, 0)
                            as_branch += _expected(scratch, 0, estimate)
                            # Errors only add up: once the branch is worse than the tree, the rest changes nothing.
                            if as_branch - as_tree - _SLACK >= _ROUNDING:
                                break
                        continue
                    # What is above a node's own rows belongs to nodes that are done.
                    if rows_end[below] > top_before[level]:
                        top = rows_end[below]
                    top = lay_out(nodes, rows, room, below, top)
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
