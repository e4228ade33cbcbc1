"""The two children of a node: which cases go where, what is known of them, and their places in the lists.

The lists are those of the kernel lists, as the kernel subtree keeps them.
"""

import cython

INFINITY = cython.declare(cython.double, float("inf"))
_CENTER = cython.declare(cython.Py_ssize_t, 0)
_SUM = cython.declare(cython.Py_ssize_t, 1)
_SQUARES = cython.declare(cython.Py_ssize_t, 2)
_MEAN = cython.declare(cython.Py_ssize_t, 1)
_DEVIANCE = cython.declare(cython.Py_ssize_t, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def send_cases(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    row_shift: cython.int,
    best: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    last_left: cython.longlong,
    goes_left: cython.uchar[::1],
) -> cython.void:
    """Notes which cases go left: those up to a place in the list of one attribute."""
    i: cython.Py_ssize_t
    start: cython.Py_ssize_t = source + best * stride
    for i in range(start + lo, start + last_left + 1):
        goes_left[entry[i] >> row_shift] = 1
    for i in range(start + last_left + 1, start + hi):
        goes_left[entry[i] >> row_shift] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    entry: cython.uint[::1],
    start: cython.Py_ssize_t,
    row_shift: cython.int,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    last_left: cython.longlong,
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    child: cython.Py_ssize_t,
) -> cython.void:
    """Sets the class counts of the two children of a node."""
    class_mask: cython.uint = (cython.cast(cython.uint, 1) << (row_shift - 1)) - 1
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    smaller: cython.Py_ssize_t = child
    larger: cython.Py_ssize_t = child + 1
    begin: cython.Py_ssize_t = start + lo
    end: cython.Py_ssize_t = start + last_left + 1
    if 2 * (last_left + 1 - lo) > hi - lo:
        smaller = child + 1
        larger = child
        begin = end
        end = start + hi
    for c in range(outcomes.shape[1]):
        outcomes[smaller, c] = 0.0
    for i in range(begin, end):
        outcomes[smaller, (entry[i] >> 1) & class_mask] += 1.0
    for c in range(outcomes.shape[1]):
        outcomes[larger, c] = outcomes[node, c] - outcomes[smaller, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_up(
    entry: cython.uint[::1],
    start: cython.Py_ssize_t,
    row_shift: cython.int,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    goes_left: cython.uchar[::1],
    target_of_row: cython.double[::1],
    by_remainders: cython.bint,
    sums: cython.double[:, ::1],
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    child: cython.Py_ssize_t,
) -> cython.void:
    """Sets the outcomes and the sums of the two children of a node; cases are added up in the order of the file."""
    center: cython.double = sums[node, _CENTER]
    i: cython.Py_ssize_t
    side: cython.Py_ssize_t
    row: cython.uint
    y: cython.double
    shift: cython.double
    mean: cython.double
    rest: cython.double
    first: cython.double
    is_even: cython.bint
    for side in range(child, child + 2):
        outcomes[side, 0] = 0.0
        sums[side, _SUM] = 0.0
        sums[side, _SQUARES] = 0.0
    for i in range(start + lo, start + hi):
        row = entry[i] >> row_shift
        y = target_of_row[row] - center
        side = child + 1 - cython.cast(cython.Py_ssize_t, goes_left[row])
        outcomes[side, 0] += 1.0
        sums[side, _SUM] += y
        sums[side, _SQUARES] += y * y
    for side in range(child, child + 2):
        shift = sums[side, _SUM] / outcomes[side, 0]
        mean = center + shift
        rest = sums[side, _SUM] - outcomes[side, 0] * (mean - center)
        outcomes[side, _MEAN] = mean
        outcomes[side, _DEVIANCE] = sums[side, _SQUARES] - shift * sums[side, _SUM]
        if not outcomes[side, _DEVIANCE] > 0.0:
            outcomes[side, _DEVIANCE] = 0.0
        sums[side, _CENTER] = center
        if not by_remainders:
            sums[side, _CENTER] = mean
            sums[side, _SUM] = rest
            sums[side, _SQUARES] = outcomes[side, _DEVIANCE] + rest * rest / outcomes[side, 0]
            continue
        # Sums about 0 may miss that all targets of a side are one.
        is_even = True
        first = INFINITY
        for i in range(start + lo, start + hi):
            row = entry[i] >> row_shift
            if child + 1 - cython.cast(cython.Py_ssize_t, goes_left[row]) != side:
                continue
            if first == INFINITY:
                first = target_of_row[row]
            if target_of_row[row] != first:
                is_even = False
                break
        if is_even:
            outcomes[side, _MEAN] = first
            outcomes[side, _DEVIANCE] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_children(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    row_shift: cython.int,
    best: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    last_left: cython.longlong,
    goes_left: cython.uchar[::1],
    is_numeric: cython.bint,
    by_remainders: cython.bint,
    target_of_row: cython.double[::1],
    sums: cython.double[:, ::1],
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    child: cython.Py_ssize_t,
) -> cython.void:
    if is_numeric:
        _add_up(
            entry,
            source + (entry.shape[0] // 2 // stride - 1) * stride,
            row_shift,
            lo,
            hi,
            goes_left,
            target_of_row,
            by_remainders,
            sums,
            outcomes,
            node,
            child,
        )
    else:
        _count(entry, source + best * stride, row_shift, lo, hi, last_left, outcomes, node, child)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def part_list(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    target: cython.Py_ssize_t,
    row_shift: cython.int,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    last_left: cython.longlong,
    goes_left: cython.uchar[::1],
) -> cython.void:
    """Copies one list with the cases that go left before the others, each side in the order in which they stood."""
    i: cython.Py_ssize_t
    left: cython.Py_ssize_t = target + lo
    right: cython.Py_ssize_t = target + last_left + 1
    is_left: cython.Py_ssize_t
    own: cython.Py_ssize_t
    new_on_left: cython.Py_ssize_t = 0
    new_on_right: cython.Py_ssize_t = 0
    # No branches: they would go either way at random, and be mispredicted. -is_left is a mask of ones, or nothing.
    for i in range(source + lo, source + hi):
        own = cython.cast(cython.Py_ssize_t, entry[i])
        is_left = cython.cast(cython.Py_ssize_t, goes_left[own >> row_shift])
        new_on_left |= own & 1
        new_on_right |= own & 1
        entry[right ^ ((left ^ right) & -is_left)] = own | (new_on_right ^ ((new_on_left ^ new_on_right) & -is_left))
        new_on_left &= is_left - 1
        new_on_right &= -is_left
        left += is_left
        right += 1 - is_left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def may_split(
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    size: cython.double,
    is_numeric: cython.bint,
    least_deviance: cython.double,
    least: cython.double,
) -> cython.bint:
    """Whether a node is neither too small nor pure."""
    c: cython.Py_ssize_t
    if size < least:
        return False
    if is_numeric:
        return outcomes[node, _DEVIANCE] > least_deviance * size
    for c in range(outcomes.shape[1]):
        if outcomes[node, c] == size:
            return False
    return True


def split(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    row_shift: cython.int,
    best: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    last_left: cython.longlong,
    goes_left: cython.uchar[::1],
    is_numeric: cython.bint,
    by_remainders: cython.bint,
    target_of_row: cython.double[::1],
    sums: cython.double[:, ::1],
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    child: cython.Py_ssize_t,
) -> None:
    """Notes which cases of a node go left, and sets the outcomes of its children: `child` and the next."""
    with cython.nogil:
        send_cases(entry, source, stride, row_shift, best, lo, hi, last_left, goes_left)
        set_children(
            entry,
            source,
            stride,
            row_shift,
            best,
            lo,
            hi,
            last_left,
            goes_left,
            is_numeric,
            by_remainders,
            target_of_row,
            sums,
            outcomes,
            node,
            child,
        )


def is_open(
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    size: cython.double,
    is_numeric: cython.bint,
    least_deviance: cython.double,
    least: cython.double,
) -> bool:
    """Whether a node is neither too small nor pure."""
    return may_split(outcomes, node, size, is_numeric, least_deviance, least)


def part(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    target: cython.Py_ssize_t,
    row_shift: cython.int,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    last_left: cython.longlong,
    goes_left: cython.uchar[::1],
) -> None:
    """Copies the list at `source` to `target`, the cases that go left before the others."""
    with cython.nogil:
        part_list(entry, source, target, row_shift, lo, hi, last_left, goes_left)
