"""The best cut within one block of a list whose cases leave little by little: two classes."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.bound_blocks import bar_of, bound_block
    from treecli.kernels.packed_args import Lists, Peeling, Search
    from treecli.kernels.score_classes import score_of_two
    from treecli.kernels.score_sklearn import parted

# Scores within this many slacks of the least that counts may depend on a score that was passed over.
_AMBIGUOUS = cython.declare(cython.double, 2.0)

# A best score that exceeds the one before it by less may depend on the cuts before the block.
CLOSE = cython.declare(cython.double, 16.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _row_before(i: cython.Py_ssize_t, lists: Lists) -> cython.Py_ssize_t:
    """Return the row of the last remaining entry before entry i; there is one."""
    row: cython.Py_ssize_t
    while True:
        i -= 1
        row = lists.entry[i] >> lists.row_shift
        if lists.goes_left[row]:
            return row


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_apart(i: cython.Py_ssize_t, a: cython.Py_ssize_t, lists: Lists, plan: Plan) -> cython.bint:
    """Return whether a cut may separate entry i, whose value is new, from the one that remains before it."""
    close: cython.Py_ssize_t = lists.close[a]
    lower: cython.double
    upper: cython.double
    if close < 0:
        return True
    lower = lists.values[close, _row_before(i, lists)]
    upper = lists.values[close, lists.entry[i] >> lists.row_shift]
    return parted(lower, upper, plan.value_gap, lists.is_single)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_block(
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    n_left: cython.longlong,
    in_left: cython.longlong,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Compare the cuts before each remaining entry of a block with the best so far: search.most, peeling.n_left.

    There are n_left cases before the block, in_left of the first class, and its bar is peeling.own_bar. A cut counts
    from peeling.floor on, and must exceed the best by more than the slack.
    """
    start: cython.Py_ssize_t = a * lists.stride + peeling.lo
    begin: cython.Py_ssize_t = start + (b << peeling.block_bits)
    end: cython.Py_ssize_t = start + ((b + 1) << peeling.block_bits)
    n: cython.longlong = peeling.n
    size: cython.double = cython.cast(cython.double, n)
    n_first: cython.longlong = peeling.n_first
    surplus: cython.longlong = n * in_left - n_first * n_left
    bar: cython.double
    height: cython.double
    score: cython.double
    up: cython.longlong = n - n_first
    own: cython.longlong
    is_new: cython.longlong = 0
    remains: cython.longlong
    row_shift: cython.int = lists.row_shift
    low: cython.longlong
    high: cython.longlong
    i: cython.Py_ssize_t
    if end > start + peeling.n_opened:
        end = start + peeling.n_opened
    low = n_left if n_left > search.min_side else search.min_side
    high = n_left + peeling.blocks.size[a, b] - 1
    if high > n - search.min_side:
        high = n - search.min_side
    if low > high:
        return
    bar = peeling.own_bar
    i = begin
    while n_left > 0:  # since the last remaining entry before the block
        is_new |= cython.cast(cython.longlong, lists.entry[i] & 1)
        i -= 1
        if lists.goes_left[lists.entry[i] >> row_shift]:
            break
    # Hardly any jumps, which would be mispredicted, and few variables: cases that have left count 0 times.
    for i in range(begin, end):
        own = cython.cast(cython.longlong, lists.entry[i])
        remains = cython.cast(cython.longlong, lists.goes_left[own >> row_shift])
        is_new |= own & 1
        height = cython.cast(cython.double, surplus)
        if (height * height >= bar * cython.cast(cython.double, n_left * (n - n_left))) & (is_new & remains):
            if n_left >= search.min_side and n - n_left >= search.min_side and _is_apart(i, a, lists, plan):
                score = score_of_two(n_left, (surplus + n_left * n_first) // n, n, n_first, lists, search, plan)
                if score >= peeling.floor and score < peeling.floor + _AMBIGUOUS * search.slack:
                    peeling.is_ambiguous = True
                if score >= peeling.floor and score > search.most + search.slack:
                    peeling.is_close |= score < search.most + CLOSE * search.slack
                    search.most = score
                    peeling.n_left[a] = n_left
                    peeling.last[a] = i
                    peeling.neighbour[a, 0] = cython.cast(cython.int, _row_before(i, lists))
                    peeling.neighbour[a, 1] = cython.cast(cython.int, lists.entry[i] >> row_shift)
                    # A closer bar, as in bound_blocks, would take longer than to score the cuts that it excludes.
                    if bar_of(score + search.slack, peeling.scale, size) > bar:
                        bar = bar_of(score + search.slack, peeling.scale, size)
        surplus += (up - (n & -((own >> 1) & 1))) & -remains
        n_left += remains
        is_new &= remains - 1
    if peeling.blocks.known[a, b] != peeling.blocks.size[a, b]:
        bound_block(a, b, begin, end, lists, peeling)
