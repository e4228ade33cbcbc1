"""Whether an attribute cannot win by gain ratio at a node which is peeled, told without its best cut: two classes.

The cut that was best at the node before is a cut here too, and its gain a lower bound on that of the best cut. That one
need not be found if no cut has both a higher gain and a ratio that might win: near the middle of a list, where the
split information is high, a cut would need a much higher gain. So there are two limits on scores, a low one near the
ends of the list and a high one from an edge on, and blocks are looked at only if they may hold a cut beyond.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.bound_blocks import (
        bound_stretch,
        count_before,
        may_hold,
        own_bar,
        set_bars,
        set_excess,
        set_excess_within,
        smaller_side,
    )
    from treecli.kernels.packed_args import Lists, Peeling, Search
    from treecli.kernels.scan_block import scan_block
    from treecli.kernels.scan_remaining import set_found
    from treecli.kernels.score_classes import score_of_two, split_info_of

INFINITY = cython.declare(cython.double, float("inf"))

# More than rounding changes of a score, as a share of the cases, and by how many slacks scores differ clearly.
_ROUNDING = cython.declare(cython.double, 1e-9)
_CLEARLY = cython.declare(cython.double, 16.0)

# Less than the split information of cuts in the middle.
_NEARLY_ALL = cython.declare(cython.double, 0.9)

# The high limit is at least so many times the low one.
_LEAST_TIMES = cython.declare(cython.double, 1.01)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_known(
    a: cython.Py_ssize_t, lists: Lists, search: Search, found: Found, peeling: Peeling, plan: Plan
) -> cython.bint:
    """Set gain and split information of the cut that was best at the node before; return whether it is still a cut."""
    start: cython.Py_ssize_t = a * lists.stride + peeling.lo
    place: cython.Py_ssize_t = peeling.last[a]
    n_left: cython.longlong
    in_left: cython.longlong
    remains: cython.longlong
    score: cython.double
    own: cython.uint
    block: cython.Py_ssize_t
    i: cython.Py_ssize_t
    if place < 0 or not lists.goes_left[lists.entry[place] >> lists.row_shift]:
        return False
    block = (place - start) >> peeling.block_bits
    count_before(a, block, peeling)
    n_left = peeling.n_before
    in_left = peeling.first_before
    peeling.least_side[a] = smaller_side(n_left, peeling.blocks.size[a, block], peeling)
    for i in range(start + (block << peeling.block_bits), place):
        own = lists.entry[i]
        remains = cython.cast(cython.longlong, lists.goes_left[own >> lists.row_shift])
        n_left += remains
        in_left += remains & ~cython.cast(cython.longlong, own >> 1)
    if n_left < search.min_side or peeling.n - n_left < search.min_side:
        return False
    score = score_of_two(n_left, in_left, peeling.n, peeling.n_first, lists, search, plan)
    peeling.n_left[a] = n_left
    set_found(a, n_left, score, lists, found, peeling, plan)
    return found.gain[a] > _CLEARLY * plan.tolerance + _ROUNDING


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _edge_of(least: cython.double, most: cython.longlong, lists: Lists, peeling: Peeling) -> cython.longlong:
    """Return a number of cases, at most `most`, on both sides with which the split information is at least `least`."""
    while most > 1 and split_info_of(most >> 1, peeling.n, lists) >= least:
        most >>= 1
    return most


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _set_limit(n_left: cython.longlong, own: cython.longlong, peeling: Peeling) -> cython.void:
    """Set the limit on the scores of the cuts among `own` cases in a row with n_left cases before them."""
    peeling.floor = peeling.low if smaller_side(n_left, own, peeling) < peeling.edge else peeling.high
    peeling.least_of_corners = peeling.floor


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_below(
    a: cython.Py_ssize_t,
    s: cython.Py_ssize_t,
    n_left: cython.longlong,
    in_left: cython.longlong,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.bint:
    """Return whether no cut of a stretch reaches its limit.

    There are n_left cases before the stretch, in_left of the first class.
    """
    begin: cython.Py_ssize_t = s << peeling.stretch_bits
    excess: cython.double
    b: cython.Py_ssize_t
    for b in range(set_excess_within(a, s, n_left, in_left, peeling)):
        excess = peeling.blocks.excess[b]
        if excess < 0.0:
            continue
        n_left = peeling.blocks.n_before[b]
        in_left = peeling.blocks.first_before[b]
        _set_limit(n_left, peeling.blocks.size[a, begin + b], peeling)
        if may_hold(n_left, in_left, a, begin + b, excess, peeling.blocks, lists, peeling):
            peeling.own_bar = own_bar(n_left, peeling.blocks.size[a, begin + b], peeling)
            scan_block(a, begin + b, n_left, in_left, lists, search, peeling, plan)
            if search.most > -INFINITY:
                return False
    if peeling.stretches.known[a, s] != peeling.stretches.size[a, s]:
        bound_stretch(a, s, peeling)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_ruled_out(
    a: cython.Py_ssize_t,
    times: cython.double,
    ratio: cython.double,
    lists: Lists,
    search: Search,
    found: Found,
    peeling: Peeling,
    plan: Plan,
) -> cython.bint:
    """Return whether an attribute cannot win: not by its ratio against this one, or not by its gain.

    Its gain is then at most `times` that of the cut of set_known, and below peeling.most, which is set here.
    """
    size: cython.double = cython.cast(cython.double, peeling.n)
    gain: cython.double = found.gain[a]
    most: cython.double = gain * times
    least: cython.double = peeling.least_gain
    side: cython.longlong = peeling.n >> 1
    information: cython.double = _NEARLY_ALL
    n_left: cython.longlong
    in_left: cython.longlong
    n_stretches: cython.Py_ssize_t = ((peeling.n_opened - 1) >> (peeling.block_bits + peeling.stretch_bits)) + 1
    excess: cython.double
    s: cython.Py_ssize_t
    search.most = -INFINITY
    if least < _LEAST_TIMES * gain:
        # The known cut reaches the low limit: it must lie beyond the edge.
        least = gain
        side = peeling.least_side[a]
        information = split_info_of(side, peeling.n, lists)
        if information * ratio < _LEAST_TIMES * gain:
            return False
    least = least if least < most else most
    if most > information * ratio:
        most = information * ratio if information * ratio > least else least
    peeling.most[a] = most
    peeling.edge = _edge_of(most / ratio, side, lists, peeling) if most > least else 0
    peeling.low = (least - _ROUNDING) * size - _CLEARLY * search.slack
    peeling.high = (most - _ROUNDING) * size - _CLEARLY * search.slack
    set_bars(peeling.low, peeling.high, peeling.edge, peeling, plan)
    peeling.skipped = -1
    set_excess(a, 0, n_stretches, 0, 0, peeling.stretches, peeling)
    for s in range(n_stretches):
        excess = peeling.stretches.excess[s]
        if excess < 0.0:
            continue
        n_left = peeling.stretches.n_before[s]
        in_left = peeling.stretches.first_before[s]
        if smaller_side(n_left, peeling.stretches.size[a, s], peeling) >= peeling.edge:
            peeling.least_of_corners = peeling.high
            if not may_hold(n_left, in_left, a, s, excess, peeling.stretches, lists, peeling):
                continue
        # Near the ends nearly all stretches may hold a cut beyond the low limit.
        if not _is_below(a, s, n_left, in_left, lists, search, peeling, plan):
            return False
    return True
