"""The cases of one node on their way to its children: their branches, their places there, and their order.

The cases of the node are those from `lo` to `hi`, the last that there are; those of its open children take their
places, child after child. A case that goes down several branches is several cases there, so there may be more of them.
"""

import cython

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.best_mixed import first_unknown

_SPREAD = cython.declare(cython.int, -1)
_NO_PLACE = cython.declare(cython.longlong, -1)
_KNOWN_OR_NOT = cython.declare(cython.int, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def branches_by_value(
    begin: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    case: cython.int[::1],
    value: cython.double[::1],
    lower: cython.double,
    missing_side: cython.int,
    missing_to: cython.int,
    branch_of_case: cython.int[::1],
) -> cython.void:
    """Sets the branch of every case: 0 up to the value below the cut, 1 above it; the list starts at `begin`."""
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t = first_unknown(value, begin + lo, begin + hi)
    for i in range(begin + lo, end):
        branch_of_case[case[i]] = 0 if missing_side == _KNOWN_OR_NOT or value[i] <= lower else 1
    for i in range(end, begin + hi):
        branch_of_case[case[i]] = missing_to


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def branches_by_table(
    slot: cython.Py_ssize_t,
    n_slots: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    row_of_case: cython.int[::1],
    code_of_row: cython.int[::1],
    first: cython.Py_ssize_t,
    table: cython.int[::1],
    missing_to: cython.int,
    branch_of_case: cython.int[::1],
) -> cython.void:
    """Sets the branch of every case by its label; the table of the node starts at `first`."""
    i: cython.Py_ssize_t
    label: cython.int
    for i in range(lo, hi):
        label = code_of_row[slot + n_slots * row_of_case[i]]
        branch_of_case[i] = missing_to if label < 0 else table[first + label]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_moved(
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    branch_of_case: cython.int[::1],
    first: cython.Py_ssize_t,
    n_branches: cython.Py_ssize_t,
    share: cython.double[::1],
    place: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Sets where the cases of each open child begin, and gives where those of the last one end.

    place[b] is 0 for the open ones among the children, and negative for the others; place[n_branches] is set too.
    """
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    n_spread: cython.longlong = 0
    n: cython.longlong
    next_place: cython.longlong = lo
    for i in range(lo, hi):
        b = branch_of_case[i]
        if b == _SPREAD:
            n_spread += 1
        elif b >= 0 and place[b] >= 0:
            place[b] += 1
    for b in range(n_branches):
        if place[b] == _NO_PLACE:
            continue
        n = place[b]
        if share[first + b] > 0.0:
            n += n_spread
        place[b] = next_place
        next_place += n
    place[n_branches] = n_spread
    return next_place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_cases(
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    after: cython.Py_ssize_t,
    branch_of_case: cython.int[::1],
    first: cython.Py_ssize_t,
    n_branches: cython.Py_ssize_t,
    share: cython.double[::1],
    is_numeric: cython.bint,
    place: cython.longlong[::1],
    move_start: cython.int[::1],
    moved_to: cython.int[::1],
    branch_of_moved: cython.int[::1],
    spare: cython.int[::1],
    spare_number: cython.double[::1],
    row_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
) -> cython.void:
    """Moves every case to its place, or places, in the open children; `place` is used up.

    move_start, moved_to and branch_of_moved are filled in for move_list: the moves of case i are those from
    move_start[i - lo] on.
    """
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    m: cython.Py_ssize_t
    n_moves: cython.int = 0
    for i in range(lo, hi):
        move_start[i - lo] = n_moves
        begin = branch_of_case[i]
        if begin < _SPREAD:
            continue
        end = begin + 1
        if begin == _SPREAD:
            begin = 0
            end = n_branches
        for b in range(begin, end):
            if place[b] < 0 or (branch_of_case[i] == _SPREAD and share[first + b] <= 0.0):
                continue
            moved_to[n_moves] = cython.cast(cython.int, place[b])
            branch_of_moved[n_moves] = cython.cast(cython.int, b)
            spare_number[place[b] - lo] = weight_of_case[i]
            if branch_of_case[i] == _SPREAD:
                spare_number[place[b] - lo] = weight_of_case[i] * share[first + b]
            spare[place[b] - lo] = row_of_case[i]
            place[b] += 1
            n_moves += 1
    move_start[hi - lo] = n_moves
    for i in range(hi - lo):
        for m in range(move_start[i], move_start[i + 1]):
            branch_of_case[moved_to[m]] = class_of_case[lo + i]
    # The branches are known by their moves now, and their array serves as room for the classes.
    for i in range(after - lo):
        row_of_case[lo + i] = spare[i]
        weight_of_case[lo + i] = spare_number[i]
        class_of_case[lo + i] = branch_of_case[lo + i]
    if not is_numeric:
        return
    for i in range(hi - lo):
        for m in range(move_start[i], move_start[i + 1]):
            spare_number[moved_to[m] - lo] = target_of_case[lo + i]
    for i in range(after - lo):
        target_of_case[lo + i] = spare_number[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_list(
    begin: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    after: cython.Py_ssize_t,
    place: cython.longlong[::1],
    move_start: cython.int[::1],
    moved_to: cython.int[::1],
    branch_of_moved: cython.int[::1],
    spare: cython.int[::1],
    spare_number: cython.double[::1],
    case: cython.int[::1],
    value: cython.double[::1],
) -> cython.void:
    """Moves the entries of one sorted list as move_cases has moved the cases: a stable partition, never a sort.

    `place` is where those of each open child begin, and is used up.
    """
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t
    b: cython.int
    own: cython.Py_ssize_t
    for i in range(begin + lo, begin + hi):
        own = case[i] - lo
        for m in range(move_start[own], move_start[own + 1]):
            b = branch_of_moved[m]
            spare[place[b] - lo] = moved_to[m]
            spare_number[place[b] - lo] = value[i]
            place[b] += 1
    for i in range(after - lo):
        case[begin + lo + i] = spare[i]
        value[begin + lo + i] = spare_number[i]
