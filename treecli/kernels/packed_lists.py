"""Packed lists: the cases sorted by each attribute, partitioned as nodes are split.

An entry is one 32-bit number: the row, its class, and in the lowest bit whether the value differs from that of the
previous entry. A list is thus scanned and partitioned without reading values or classes elsewhere in memory. A numeric
target needs one more list: the cases in the order of the file.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import DEVIANCE, MEAN, SKLEARN
    from treecli.kernels.packed_args import Lists, Search, Subtree
    from treecli.kernels.score_sklearn import parted

    # The columns of Subtree.sums.
    _CENTER, _SUM, _SQUARES = range(3)

INFINITY = cython.declare(cython.double, float("inf"))
_BUCKET = cython.declare(cython.int, 32)
_ENTRY = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_STEPS_PER_CASE = cython.declare(cython.longlong, 8)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_constant(lists: Lists, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Return whether all values of the entries from `begin` to `end` are equal."""
    i: cython.Py_ssize_t
    for i in range(begin + 1, end):
        if lists.entry[i] & 1:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_apart(lists: Lists, close: cython.Py_ssize_t, i: cython.Py_ssize_t, value_gap: cython.double) -> cython.bint:
    """Return whether a cut may separate entry i from the next; the values of the attribute are in row `close`."""
    lower: cython.double = lists.values[close, lists.entry[i] >> lists.row_shift]
    upper: cython.double = lists.values[close, lists.entry[i + 1] >> lists.row_shift]
    return parted(lower, upper, value_gap, lists.is_single)


def set_keys(
    column: cython.double[::1],
    low: cython.double,
    scale: cython.double,
    entry_of_row: cython.uint[::1],
    key: cython.ulonglong[::1],
) -> None:
    """Fill `key` with numbers to sort by: the entry of a row and, above it, how far its value lies from the lowest."""
    row: cython.Py_ssize_t
    bucket: cython.ulonglong
    with cython.nogil:
        for row in range(column.shape[0]):
            bucket = cython.cast(cython.ulonglong, (column[row] - low) * scale)
            key[row] = (bucket << _BUCKET) | cython.cast(cython.ulonglong, entry_of_row[row])


def arrange(
    key: cython.ulonglong[::1],
    column: cython.double[::1],
    row_shift: cython.int,
    begin: cython.Py_ssize_t,
    entry: cython.uint[::1],
) -> bool:
    """Fill `entry` from `begin` on with the cases in the order of their values, equal ones in the order of the file.

    The keys are sorted. Their upper half is monotonic in the value, and the lower half is the entry. Cases with equal
    upper halves are sorted by value. Returns False if that would take long.
    """
    n: cython.Py_ssize_t = key.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    steps: cython.longlong = 0
    bucket: cython.ulonglong
    bucket_before: cython.ulonglong = key[0] >> _BUCKET
    own: cython.uint
    is_looked_up: cython.bint = False
    value: cython.double
    value_before: cython.double = 0.0
    with cython.nogil:
        entry[begin] = cython.cast(cython.uint, key[0] & _ENTRY)
        for i in range(1, n):
            bucket = key[i] >> _BUCKET
            own = cython.cast(cython.uint, key[i] & _ENTRY)
            if bucket != bucket_before:
                entry[begin + i] = own | 1
                bucket_before = bucket
                first = i
                is_looked_up = False
                continue
            if not is_looked_up:
                value_before = column[entry[begin + i - 1] >> row_shift]
                is_looked_up = True
            value = column[own >> row_shift]
            if value >= value_before:
                entry[begin + i] = own | (value > value_before)
                value_before = value
                continue
            j = begin + i
            while j > begin + first and column[entry[j - 1] >> row_shift] > value:
                entry[j] = entry[j - 1]
                j -= 1
                steps += 1
            entry[j] = own
            if steps > _STEPS_PER_CASE * n:
                break
        if 0 < steps <= _STEPS_PER_CASE * n:
            # Moved entries still have their old lowest bit.
            for i in range(1, n):
                own = entry[begin + i]
                value = column[own >> row_shift]
                value_before = column[entry[begin + i - 1] >> row_shift]
                entry[begin + i] = (own >> 1 << 1) | (value > value_before)
    return steps <= _STEPS_PER_CASE * n


def has_close_values(
    lists: Lists, column: cython.double[::1], begin: cython.Py_ssize_t, value_gap: cython.double
) -> bool:
    """Return whether some neighbouring values of the list at `begin` differ, but by too little for a cut."""
    i: cython.Py_ssize_t
    lower: cython.double
    upper: cython.double
    is_close: cython.bint = False
    with cython.nogil:
        for i in range(begin + 1, begin + lists.stride):
            if lists.entry[i] & 1:
                lower = column[lists.entry[i - 1] >> lists.row_shift]
                upper = column[lists.entry[i] >> lists.row_shift]
                if not parted(lower, upper, value_gap, lists.is_single):
                    is_close = True
                    break
    return is_close


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mark(
    entry: cython.uint[::1],
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    row_shift: cython.int,
    is_left: cython.uchar,
    goes_left: cython.uchar[::1],
) -> cython.void:
    """Set goes_left for the rows of the entries from `begin` to `end`."""
    i: cython.Py_ssize_t
    for i in range(begin, end):
        goes_left[entry[i] >> row_shift] = is_left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def send_cases(lists: Lists, search: Search, attribute: cython.Py_ssize_t, middle: cython.Py_ssize_t) -> cython.void:
    """Set goes_left for all cases of the node: those before `middle` in the list of the attribute go left."""
    start: cython.Py_ssize_t = attribute * lists.stride
    # Bytes may alias every field: the views are arguments, which stay in registers.
    _mark(lists.entry, start + search.lo, start + middle, lists.row_shift, 1, lists.goes_left)
    _mark(lists.entry, start + middle, start + search.hi, lists.row_shift, 0, lists.goes_left)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    lists: Lists,
    search: Search,
    attribute: cython.Py_ssize_t,
    middle: cython.Py_ssize_t,
    subtree: Subtree,
    child: cython.Py_ssize_t,
) -> cython.void:
    """Set the class counts of the two children of a node: count the smaller child, subtract for the other."""
    class_mask: cython.uint = (cython.cast(cython.uint, 1) << (lists.row_shift - 1)) - 1
    start: cython.Py_ssize_t = attribute * lists.stride
    node: cython.Py_ssize_t = search.node
    n_classes: cython.Py_ssize_t = subtree.outcomes.shape[1]
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    smaller: cython.Py_ssize_t = child
    larger: cython.Py_ssize_t = child + 1
    begin: cython.Py_ssize_t = start + search.lo
    end: cython.Py_ssize_t = start + middle
    if 2 * (middle - search.lo) > search.hi - search.lo:
        smaller = child + 1
        larger = child
        begin = end
        end = start + search.hi
    for c in range(n_classes):
        subtree.outcomes[smaller, c] = 0.0
    for i in range(begin, end):
        subtree.outcomes[smaller, (lists.entry[i] >> 1) & class_mask] += 1.0
    for c in range(n_classes):
        subtree.outcomes[larger, c] = subtree.outcomes[node, c] - subtree.outcomes[smaller, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _only_target(
    lists: Lists, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, is_left: cython.uchar
) -> cython.double:
    """Return the target that all cases of one side among the entries from `begin` to `end` have; inf if they differ."""
    i: cython.Py_ssize_t
    row: cython.uint
    row_shift: cython.int = lists.row_shift
    first: cython.double = INFINITY
    for i in range(begin, end):
        row = lists.entry[i] >> row_shift
        if lists.goes_left[row] != is_left:
            continue
        if first == INFINITY:
            first = lists.target_of_row[row]
        elif lists.target_of_row[row] != first:
            return INFINITY
    return first


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_up(lists: Lists, search: Search, subtree: Subtree, child: cython.Py_ssize_t, plan: Plan) -> cython.void:
    """Set the outcomes and the sums of the two children of a node; cases are summed in the order of the file."""
    begin: cython.Py_ssize_t = lists.n_attributes * lists.stride + search.lo
    end: cython.Py_ssize_t = begin + search.hi - search.lo
    center: cython.double = subtree.sums[search.node, _CENTER]
    row_shift: cython.int = lists.row_shift
    i: cython.Py_ssize_t
    side: cython.Py_ssize_t
    row: cython.uint
    y: cython.double
    n: cython.double
    shift: cython.double
    mean: cython.double
    rest: cython.double
    only: cython.double
    for side in range(child, child + 2):
        subtree.outcomes[side, 0] = 0.0
        subtree.sums[side, _SUM] = 0.0
        subtree.sums[side, _SQUARES] = 0.0
    for i in range(begin, end):
        row = lists.entry[i] >> row_shift
        y = lists.target_of_row[row] - center
        side = child + 1 - cython.cast(cython.Py_ssize_t, lists.goes_left[row])
        subtree.outcomes[side, 0] += 1.0
        subtree.sums[side, _SUM] += y
        subtree.sums[side, _SQUARES] += y * y
    for side in range(child, child + 2):
        n = subtree.outcomes[side, 0]
        shift = subtree.sums[side, _SUM] / n
        mean = center + shift
        rest = subtree.sums[side, _SUM] - n * (mean - center)
        subtree.outcomes[side, MEAN] = mean
        subtree.outcomes[side, DEVIANCE] = subtree.sums[side, _SQUARES] - shift * subtree.sums[side, _SUM]
        if not subtree.outcomes[side, DEVIANCE] > 0.0:
            subtree.outcomes[side, DEVIANCE] = 0.0
        subtree.sums[side, _CENTER] = center
        if plan.arithmetic != SKLEARN:
            subtree.sums[side, _CENTER] = mean
            subtree.sums[side, _SUM] = rest
            subtree.sums[side, _SQUARES] = subtree.outcomes[side, DEVIANCE] + rest * rest / n
            continue
        # With sums about 0, rounding may hide that all targets of a side are equal.
        only = _only_target(lists, begin, end, 1 if side == child else 0)
        if only < INFINITY:
            subtree.outcomes[side, MEAN] = only
            subtree.outcomes[side, DEVIANCE] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_children(
    lists: Lists,
    search: Search,
    attribute: cython.Py_ssize_t,
    middle: cython.Py_ssize_t,
    subtree: Subtree,
    child: cython.Py_ssize_t,
    plan: Plan,
) -> cython.void:
    """Set the outcomes of the two children of a node, `child` and the next.

    For a numeric target, send_cases comes first.
    """
    if plan.is_numeric:
        _add_up(lists, search, subtree, child, plan)
    else:
        _count(lists, search, attribute, middle, subtree, child)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _part(
    entry: cython.uint[::1],
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    row_shift: cython.int,
    goes_left: cython.uchar[::1],
    spare: cython.uint[::1],
) -> cython.void:
    """Put the entries from `begin` to `end` that go left before the others, which wait in `spare` meanwhile."""
    i: cython.Py_ssize_t
    left: cython.Py_ssize_t = begin
    right: cython.Py_ssize_t = 0
    is_left: cython.Py_ssize_t
    own: cython.Py_ssize_t
    new_on_left: cython.Py_ssize_t = 0
    new_on_right: cython.Py_ssize_t = 0
    # No jumps, which would be mispredicted: an entry is written to both sides, and one of them goes on. The left side
    # never passes the place that is read.
    for i in range(begin, end):
        own = cython.cast(cython.Py_ssize_t, entry[i])
        is_left = cython.cast(cython.Py_ssize_t, goes_left[own >> row_shift])
        new_on_left |= own & 1
        new_on_right |= own & 1
        entry[left] = own | new_on_left
        spare[right] = own | new_on_right
        new_on_left &= is_left - 1
        new_on_right &= -is_left
        left += is_left
        right += 1 - is_left
    for i in range(right):
        entry[left + i] = spare[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def part_list(lists: Lists, search: Search, number: cython.Py_ssize_t) -> cython.void:
    """Partition one list of the node: the cases that go left first, each side in its order."""
    begin: cython.Py_ssize_t = number * lists.stride
    # Bytes may alias every field: the views are arguments, which stay in registers.
    _part(lists.entry, begin + search.lo, begin + search.hi, lists.row_shift, lists.goes_left, search.spare)


def part(lists: Lists, search: Search, number: cython.Py_ssize_t) -> None:
    """Partition one list of the node: the cases that go left before the others."""
    with cython.nogil:
        part_list(lists, search, number)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _renumber_list(
    lists: Lists, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, number_of_row: cython.int[::1]
) -> cython.void:
    """Replace the rows of the entries from `begin` to `end` by their numbers."""
    i: cython.Py_ssize_t
    own: cython.uint
    row_shift: cython.int = lists.row_shift
    kept: cython.uint = (cython.cast(cython.uint, 1) << row_shift) - 1
    for i in range(begin, end):
        own = lists.entry[i]
        lists.entry[i] = (cython.cast(cython.uint, number_of_row[own >> row_shift]) << row_shift) | (own & kept)


def renumber(lists: Lists, search: Search, number_of_row: cython.int[::1], row_of_number: cython.int[::1]) -> None:
    """Number the rows of the node's cases from 0 on, and put the numbers in place of the rows in its lists.

    `row_of_number` is filled; `number_of_row` has room for all rows.
    """
    n: cython.Py_ssize_t = search.hi - search.lo
    first: cython.Py_ssize_t = search.live[0] * lists.stride + search.lo
    in_order_of_file: cython.Py_ssize_t = lists.n_attributes * lists.stride
    begin: cython.Py_ssize_t
    i: cython.Py_ssize_t
    row: cython.int
    with cython.nogil:
        for i in range(n):
            row = cython.cast(cython.int, lists.entry[first + i] >> lists.row_shift)
            row_of_number[i] = row
            number_of_row[row] = cython.cast(cython.int, i)
        for i in range(search.live.shape[0]):
            begin = search.live[i] * lists.stride + search.lo
            _renumber_list(lists, begin, begin + n, number_of_row)
        if in_order_of_file < lists.entry.shape[0]:
            _renumber_list(lists, in_order_of_file + search.lo, in_order_of_file + search.hi, number_of_row)
