"""C4.5's error-based pruning with subtree raising: bottom-up, a node becomes a leaf, or its largest branch.

The rows that reach a node stand in a row on a stack, with their weights; those of its children are laid on top of
them, all at once, before the children are looked at. The tree is pruned where it stands: a node that is raised takes
over its child's test and children, and what is no longer reached is left behind.
"""

import cython

if not cython.compiled:  # compiled, this comes through the .pxd file beside this one
    from treecli.kernels.estimate import added_errors

SLACK = 0.1
"""Errors by which the smaller tree may be expected to be worse (C4.5)."""

NO_ROOM = -1

_SLACK = cython.declare(cython.double, 0.1)
_ROUNDING = cython.declare(cython.double, 1e-6)
_NO_ROOM = cython.declare(cython.longlong, -1)
_OTHERWISE = cython.declare(cython.longlong, -2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _branch(
    node: cython.Py_ssize_t,
    value: cython.double,
    number: cython.double[::1],
    further_start: cython.longlong[::1],
    further_size: cython.longlong[::1],
    further: cython.double[::1],
    table_start: cython.longlong[::1],
    table_size: cython.longlong[::1],
    table: cython.int[::1],
    missing_to: cython.int[::1],
) -> cython.int:
    """The branch of a value, negative if it goes down all of them."""
    low: cython.longlong
    high: cython.longlong
    middle: cython.longlong
    if value != value:
        return missing_to[node]
    if table_size[node] > 0:
        if table[table_start[node] + cython.cast(cython.Py_ssize_t, value)] < 0:
            return missing_to[node]
        return table[table_start[node] + cython.cast(cython.Py_ssize_t, value)]
    if value <= number[node]:
        return 0
    low = further_start[node]
    high = low + further_size[node]
    while low < high:
        middle = (low + high) // 2
        if value <= further[middle]:
            high = middle
        else:
            low = middle + 1
    return cython.cast(cython.int, 1 + low - further_start[node])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part_in_two(
    node: cython.Py_ssize_t,
    begin: cython.longlong,
    end: cython.longlong,
    top: cython.longlong,
    block: cython.double[:, ::1],
    slot: cython.int[::1],
    number: cython.double[::1],
    first: cython.Py_ssize_t,
    row: cython.int[::1],
    weight: cython.double[::1],
    branch_of: cython.int[::1],
    rows_begin: cython.longlong[::1],
    rows_end: cython.longlong[::1],
) -> cython.longlong:
    """As _lay_out for a node with one threshold; gives OTHERWISE, having done nothing, where a value is missing.

    Without a jump that depends on a value, so that the processor fetches many of them at once.
    """
    column: cython.Py_ssize_t = slot[node]
    cut: cython.double = number[node]
    value: cython.double
    is_above: cython.int
    i: cython.longlong
    below: cython.longlong = top
    above: cython.longlong
    place: cython.longlong
    n_above: cython.longlong = 0
    n_missing: cython.longlong = 0
    for i in range(begin, end):
        value = block[column, row[i]]
        is_above = value > cut
        branch_of[i - begin] = is_above
        n_above += is_above
        n_missing += value != value
    if n_missing > 0:
        return _OTHERWISE
    if top + (end - begin) > row.shape[0]:
        return _NO_ROOM
    above = top + (end - begin) - n_above
    rows_begin[first] = below
    rows_end[first] = above
    rows_begin[first + 1] = above
    rows_end[first + 1] = above + n_above
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
def _lay_out(
    node: cython.Py_ssize_t,
    begin: cython.longlong,
    end: cython.longlong,
    top: cython.longlong,
    block: cython.double[:, ::1],
    slot: cython.int[::1],
    number: cython.double[::1],
    further_start: cython.longlong[::1],
    further_size: cython.longlong[::1],
    further: cython.double[::1],
    table_start: cython.longlong[::1],
    table_size: cython.longlong[::1],
    table: cython.int[::1],
    missing_to: cython.int[::1],
    first_child: cython.int[::1],
    n_branches: cython.int[::1],
    row: cython.int[::1],
    weight: cython.double[::1],
    branch_of: cython.int[::1],
    share: cython.double[::1],
    rows_begin: cython.longlong[::1],
    rows_end: cython.longlong[::1],
) -> cython.longlong:
    """Lays the rows of a node's children on top of the stack; gives the new top, or NO_ROOM."""
    first: cython.Py_ssize_t = first_child[node]
    last: cython.Py_ssize_t = first + n_branches[node]
    child: cython.Py_ssize_t
    i: cython.longlong
    branch: cython.int
    known: cython.double = 0.0
    n_spread: cython.longlong = 0
    if table_size[node] == 0 and further_size[node] == 0 and last - first == 2:
        i = _part_in_two(
            node, begin, end, top, block, slot, number, first, row, weight, branch_of, rows_begin, rows_end
        )
        if i != _OTHERWISE:
            return i
    for child in range(first, last):
        share[child] = 0.0
        rows_end[child] = 0
    for i in range(begin, end):
        branch = _branch(
            node,
            block[slot[node], row[i]],
            number,
            further_start,
            further_size,
            further,
            table_start,
            table_size,
            table,
            missing_to,
        )
        branch_of[i - begin] = branch
        if branch < 0:
            n_spread += 1
        else:
            share[first + branch] += weight[i]
            rows_end[first + branch] += 1
            known += weight[i]
    for child in range(first, last):
        share[child] = share[child] / known if known > 0.0 else 1.0 / (last - first)
        if share[child] <= _ROUNDING:
            share[child] = 0.0
        rows_begin[child] = top
        top += rows_end[child] + (n_spread if share[child] > 0.0 else 0)
        rows_end[child] = rows_begin[child]
    if top > row.shape[0]:
        return _NO_ROOM
    for i in range(begin, end):
        branch = branch_of[i - begin]
        if branch >= 0:
            child = first + branch
            row[rows_end[child]] = row[i]
            weight[rows_end[child]] = weight[i]
            rows_end[child] += 1
            continue
        for child in range(first, last):
            if share[child] > 0.0:
                row[rows_end[child]] = row[i]
                weight[rows_end[child]] = weight[i] * share[child]
                rows_end[child] += 1
    return top


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    begin: cython.longlong,
    end: cython.longlong,
    row: cython.int[::1],
    weight: cython.double[::1],
    class_of_row: cython.int[::1],
    counts: cython.double[:, ::1],
    place: cython.Py_ssize_t,
) -> cython.void:
    i: cython.longlong
    c: cython.Py_ssize_t
    for c in range(counts.shape[1]):
        counts[place, c] = 0.0
    for i in range(begin, end):
        counts[place, class_of_row[row[i]]] += weight[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _expected(
    counts: cython.double[:, ::1],
    place: cython.Py_ssize_t,
    confidence: cython.double,
    z: cython.double,
    is_c45: cython.bint,
) -> cython.double:
    c: cython.Py_ssize_t
    total: cython.double = 0.0
    most: cython.double = 0.0
    for c in range(counts.shape[1]):
        total += counts[place, c]
        if counts[place, c] > most:
            most = counts[place, c]
    return total - most + added_errors(total, total - most, confidence, z, is_c45)


def prune(
    block: cython.double[:, ::1],
    class_of_row: cython.int[::1],
    slot: cython.int[::1],
    attribute: cython.int[::1],
    kind: cython.schar[::1],
    number: cython.double[::1],
    further_start: cython.longlong[::1],
    further_size: cython.longlong[::1],
    further: cython.double[::1],
    table_start: cython.longlong[::1],
    table_size: cython.longlong[::1],
    table: cython.int[::1],
    missing_to: cython.int[::1],
    first_child: cython.int[::1],
    n_branches: cython.int[::1],
    score: cython.double[::1],
    counts: cython.double[:, ::1],
    source: cython.longlong[::1],
    confidence: cython.double,
    z: cython.double,
    is_c45: cython.bint,
    n_rows: cython.longlong,
    row: cython.int[::1],
    weight: cython.double[::1],
    scratch: cython.double[:, ::1],
    branch_of: cython.int[::1],
    share: cython.double[::1],
    rows_begin: cython.longlong[::1],
    rows_end: cython.longlong[::1],
    expected: cython.double[::1],
    path: cython.longlong[::1],
    next_child: cython.longlong[::1],
    top_before: cython.longlong[::1],
    pending: cython.longlong[::1],
) -> bool:
    """Prunes the tree in place; false where the stack had no room, and all must begin anew with a larger one.

    The first n_rows of `row` and `weight` are the training rows with their weights; `source[node]` says from which
    node of the original tree a node's test came. `branch_of` has a place for each row, the arrays after it for each
    node.
    """
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
    with cython.nogil:
        rows_begin[0] = 0
        rows_end[0] = n_rows
        path[0] = 0
        next_child[0] = 0
        top_before[0] = n_rows
        while level >= 0:
            node = path[level]
            top = top_before[level]
            if first_child[node] == 0:
                expected[node] = _expected(counts, node, confidence, z, is_c45)
                level -= 1
                continue
            if next_child[level] == 0:
                top = _lay_out(
                    node,
                    rows_begin[node],
                    rows_end[node],
                    top,
                    block,
                    slot,
                    number,
                    further_start,
                    further_size,
                    further,
                    table_start,
                    table_size,
                    table,
                    missing_to,
                    first_child,
                    n_branches,
                    row,
                    weight,
                    branch_of,
                    share,
                    rows_begin,
                    rows_end,
                )
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
            # The children are done: the node as a leaf, as it is, or as its largest branch, the last of equals.
            as_leaf = _expected(counts, node, confidence, z, is_c45)
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
            # All rows of the node, sent down its largest branch: first only to estimate, then to stay.
            stores = False
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
                        _count(rows_begin[below], rows_end[below], row, weight, class_of_row, counts, below)
                    if first_child[below] == 0:
                        if not stores:
                            _count(rows_begin[below], rows_end[below], row, weight, class_of_row, scratch, 0)
                            as_branch += _expected(scratch, 0, confidence, z, is_c45)
                            # Errors only add up: once the branch is worse than the tree, the rest says nothing new.
                            if as_branch - as_tree - _SLACK >= _ROUNDING:
                                break
                        continue
                    # What lies above a node's own rows belongs to nodes that are done.
                    if rows_end[below] > top_before[level]:
                        top = rows_end[below]
                    top = _lay_out(
                        below,
                        rows_begin[below],
                        rows_end[below],
                        top,
                        block,
                        slot,
                        number,
                        further_start,
                        further_size,
                        further,
                        table_start,
                        table_size,
                        table,
                        missing_to,
                        first_child,
                        n_branches,
                        row,
                        weight,
                        branch_of,
                        share,
                        rows_begin,
                        rows_end,
                    )
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
                continue
            attribute[node] = attribute[largest]
            kind[node] = kind[largest]
            slot[node] = slot[largest]
            number[node] = number[largest]
            further_start[node] = further_start[largest]
            further_size[node] = further_size[largest]
            table_start[node] = table_start[largest]
            table_size[node] = table_size[largest]
            missing_to[node] = missing_to[largest]
            first_child[node] = first_child[largest]
            n_branches[node] = n_branches[largest]
            score[node] = score[largest]
            source[node] = source[largest]
            next_child[level] = 0
    return has_room
