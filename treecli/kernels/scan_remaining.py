"""The best cuts among the cases that remain at a node which is peeled: two classes, whole blocks passed over by bounds.

The score of a cut is at most a factor times D * D / (left * right), see score_classes.score_scale. Within a block, D
moves up with each case of the first class and down with each other case, and left * right is least at one of its ends.
So the extremes of D in a block bound the scores of its cuts, and only blocks that may hold the best cut are scanned.
A block that had the best cut of the node before is scanned first; mostly no other block may hold a better one.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.best_packed import least_side
    from treecli.kernels.bound_blocks import (
        bound_stretch,
        count_before,
        may_hold,
        own_bar,
        set_bars,
        set_excess,
        set_excess_within,
    )
    from treecli.kernels.codes import BY_RATIO
    from treecli.kernels.packed_args import Lists, Peeling, Search, Subtree
    from treecli.kernels.scan_block import CLOSE, scan_block
    from treecli.kernels.score_classes import score_scale, set_before, split_info_of

INFINITY = cython.declare(cython.double, float("inf"))

# Scores within this many slacks of the best are looked at.
_NEAR = cython.declare(cython.double, 8.0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _raise_bars(search: Search, peeling: Peeling, plan: Plan) -> cython.void:
    """Set the bars for cuts that are better than the best so far, if that has clearly changed."""
    least: cython.double = search.most + search.slack
    if least > peeling.least_score + 2.0 * _NEAR * search.slack:
        set_bars(least, least, 0, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_stretch(
    a: cython.Py_ssize_t,
    s: cython.Py_ssize_t,
    n_left: cython.longlong,
    in_left: cython.longlong,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Scan the blocks of a stretch that may hold a cut better than the best so far, in their order.

    There are n_left cases before the stretch, in_left of the first class.
    """
    begin: cython.Py_ssize_t = s << peeling.stretch_bits
    excess: cython.double
    b: cython.Py_ssize_t
    for b in range(set_excess_within(a, s, n_left, in_left, peeling)):
        excess = peeling.blocks.excess[b]
        if excess >= 0.0 and begin + b != peeling.skipped:
            n_left = peeling.blocks.n_before[b]
            in_left = peeling.blocks.first_before[b]
            if may_hold(n_left, in_left, a, begin + b, excess, peeling.blocks, lists, peeling):
                peeling.own_bar = own_bar(n_left, peeling.blocks.size[a, begin + b], peeling)
                scan_block(a, begin + b, n_left, in_left, lists, search, peeling, plan)
                _raise_bars(search, peeling, plan)
    if peeling.stretches.known[a, s] != peeling.stretches.size[a, s]:
        bound_stretch(a, s, peeling)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_stretches(a: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling, plan: Plan) -> cython.void:
    """Scan the stretches of an attribute that may hold a cut better than the best so far, in their order."""
    n_stretches: cython.Py_ssize_t = ((peeling.n_opened - 1) >> (peeling.block_bits + peeling.stretch_bits)) + 1
    n_left: cython.longlong
    in_left: cython.longlong
    excess: cython.double
    s: cython.Py_ssize_t
    set_excess(a, 0, n_stretches, 0, 0, peeling.stretches, peeling)
    for s in range(n_stretches):
        excess = peeling.stretches.excess[s]
        if excess >= 0.0:
            n_left = peeling.stretches.n_before[s]
            in_left = peeling.stretches.first_before[s]
            if may_hold(n_left, in_left, a, s, excess, peeling.stretches, lists, peeling):
                _scan_stretch(a, s, n_left, in_left, lists, search, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _highest_stretch(a: cython.Py_ssize_t, peeling: Peeling) -> cython.Py_ssize_t:
    """Return the stretch of an attribute before which D is most significant."""
    n: cython.longlong = peeling.n
    n_left: cython.longlong = 0
    surplus: cython.longlong = 0
    own: cython.longlong
    height: cython.double
    room: cython.double
    most: cython.double = 0.0
    most_room: cython.double = 1.0
    best: cython.Py_ssize_t = 0
    s: cython.Py_ssize_t
    for s in range(((peeling.n_opened - 1) >> (peeling.block_bits + peeling.stretch_bits)) + 1):
        height = cython.cast(cython.double, surplus)
        height *= height
        room = cython.cast(cython.double, n_left * (n - n_left))
        if height * most_room > most * room:
            most = height
            most_room = room
            best = s
        own = peeling.stretches.size[a, s]
        n_left += own
        surplus += n * peeling.stretches.first[a, s] - peeling.n_first * own
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_likely(a: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling, plan: Plan) -> cython.void:
    """Scan the block that had the best cut of the node before; without one, where D is most significant."""
    if peeling.last[a] >= 0:
        peeling.skipped = (peeling.last[a] - a * lists.stride - peeling.lo) >> peeling.block_bits
    else:
        peeling.skipped = _highest_stretch(a, peeling) << peeling.stretch_bits
    count_before(a, peeling.skipped, peeling)
    peeling.own_bar = -1.0
    scan_block(a, peeling.skipped, peeling.n_before, peeling.first_before, lists, search, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_all(
    a: cython.Py_ssize_t,
    least: cython.double,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Find the first best cut of an attribute among those that score more than `least` and at least peeling.floor."""
    search.most = least
    peeling.n_left[a] = 0
    peeling.is_ambiguous = False
    least = peeling.floor if peeling.floor > least else least
    set_bars(least, least, 0, peeling, plan)
    _scan_stretches(a, lists, search, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_best(
    a: cython.Py_ssize_t,
    least: cython.double,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Find the best cut of an attribute among those that score more than `least`; ties as in a scan of all cuts."""
    n_left: cython.longlong
    last: cython.longlong
    lower: cython.int
    upper: cython.int
    most: cython.double
    peeling.floor = -INFINITY
    peeling.is_close = False
    peeling.n_left[a] = 0
    search.most = least
    _scan_likely(a, lists, search, peeling, plan)
    if peeling.n_left[a] > 0 and search.most > 2.0 * _NEAR * search.slack:
        # A cut that is nearly the best gives a floor under which blocks are passed over.
        most = search.most
        peeling.floor = most - _NEAR * search.slack
        if not peeling.is_close:
            n_left = peeling.n_left[a]
            last = peeling.last[a]
            lower = peeling.neighbour[a, 0]
            upper = peeling.neighbour[a, 1]
            _scan_all(a, least, lists, search, peeling, plan)
            if peeling.n_left[a] == 0:
                search.most = most
                peeling.n_left[a] = n_left
                peeling.last[a] = last
                peeling.neighbour[a, 0] = lower
                peeling.neighbour[a, 1] = upper
                return
            if search.most > most + CLOSE * search.slack and not peeling.is_close:
                return
            if search.most > most:
                peeling.floor = search.most - _NEAR * search.slack
    # Cuts are compared in their order: of nearly equal ones the first counts.
    peeling.skipped = -1
    _scan_all(a, least, lists, search, peeling, plan)
    if peeling.is_ambiguous and peeling.floor > -INFINITY:
        peeling.floor = -INFINITY
        _scan_all(a, least, lists, search, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_remaining(lists: Lists, search: Search, subtree: Subtree, peeling: Peeling, plan: Plan) -> cython.void:
    """Set what the scores at the node have in common."""
    search.min_side = least_side(peeling.n, 2, lists.min_side, plan)
    set_before(peeling.n, lists, search, subtree, plan)
    peeling.n_first = cython.cast(cython.longlong, subtree.outcomes[search.node, 0])
    peeling.share = peeling.n_first / cython.cast(cython.double, peeling.n)
    peeling.per_pair = 1.0 / (cython.cast(cython.double, peeling.n) * peeling.n)
    peeling.per_first = 1.0 / (1.0 - peeling.share)
    peeling.per_second = 1.0 / peeling.share
    peeling.scale = score_scale(peeling.n, peeling.n_first, plan)
    peeling.before = search.before
    peeling.min_side = search.min_side


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_found(
    a: cython.Py_ssize_t,
    n_left: cython.longlong,
    score: cython.double,
    lists: Lists,
    found: Found,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Set gain, split information and improvement of an attribute; there is no cut if n_left is 0."""
    gain: cython.double = score / cython.cast(cython.double, peeling.n) if score >= plan.tolerance else 0.0
    found.gain[a] = -INFINITY
    found.split_info[a] = 0.0
    found.cost[a] = 0.0
    found.improvement[a] = -INFINITY
    if n_left == 0 or (not plan.zero_gain and gain < plan.tolerance):
        return
    found.gain[a] = gain
    if plan.rank == BY_RATIO:
        found.split_info[a] = split_info_of(n_left, peeling.n, lists)
    found.improvement[a] = score


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_remaining(
    a: cython.Py_ssize_t, lists: Lists, search: Search, found: Found, peeling: Peeling, plan: Plan
) -> cython.void:
    """Find the best cut of an attribute for the remaining cases, as scan_classes does; the cut is in `peeling`."""
    _find_best(a, -INFINITY if plan.zero_gain else 0.0, lists, search, peeling, plan)
    set_found(a, peeling.n_left[a], search.most, lists, found, peeling, plan)
