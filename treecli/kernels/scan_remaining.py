"""The best cuts among the cases that remain at a node which is peeled: two classes, whole blocks passed over by bounds.

The score of a cut is at most a factor times D * D / (left * right), see score_classes.score_scale. Within a block, D
moves up with each case of the first class and down with each other case, and left * right is least at one of its ends.
So the extremes of D in a block bound the scores of its cuts, and only blocks that may hold the best cut are scanned.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.best_packed import least_side
    from treecli.kernels.bound_blocks import bound_stretch, set_bars
    from treecli.kernels.codes import BY_RATIO
    from treecli.kernels.packed_args import Lists, Peeling, Search, Subtree
    from treecli.kernels.scan_block import scan_block
    from treecli.kernels.score_classes import set_before

INFINITY = cython.declare(cython.double, float("inf"))

# Scores within this many slacks of the best are looked at.
_NEAR = cython.declare(cython.double, 8.0)

# In cases: more than rounding changes of the bounds of a block.
_MARGIN = cython.declare(cython.double, 1e-6)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _may_score(
    n_left: cython.longlong, first: cython.longlong, score: cython.double, lists: Lists, peeling: Peeling
) -> cython.bint:
    """Return whether n_left cases on the left, `first` of them of the first class, score as much by entropy.

    Numbers below 0 are no cuts: they are said to.
    """
    second: cython.longlong = n_left - first
    n_right: cython.longlong = peeling.n - n_left
    rest: cython.longlong = peeling.n_first - first
    if first <= 0 or second <= 0 or rest <= 0 or n_right <= rest:
        return True
    return not (
        peeling.before
        - (lists.xlog2_of[n_left] - lists.xlog2_of[first] - lists.xlog2_of[second])
        - (lists.xlog2_of[n_right] - lists.xlog2_of[rest] - lists.xlog2_of[n_right - rest])
        < score
    )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _may_hold(
    n_left: cython.longlong,
    surplus: cython.longlong,
    own: cython.longlong,
    top: cython.double,
    bottom: cython.double,
    own_share: cython.double,
    lists: Lists,
    peeling: Peeling,
) -> cython.bint:
    """Return whether a cut among `own` cases in a row may score peeling.least_score; sets their bar.

    There are n_left cases and a D of `surplus` before them. `top` and `bottom` bound the heights of their cuts, for a
    share of the first class that was theirs. The score is convex in the counts of the left side, so it is largest at a
    corner of the region where they are.
    """
    n: cython.longlong = peeling.n
    size: cython.double = cython.cast(cython.double, n)
    share: cython.double = peeling.share
    drift: cython.double = own_share - share
    up: cython.double = surplus + size * (top + own * (drift if drift > 0.0 else 0.0) + _MARGIN)
    down: cython.double = surplus + size * (bottom + own * (drift if drift < 0.0 else 0.0) - _MARGIN)
    low: cython.longlong = n_left if n_left > peeling.min_side else peeling.min_side
    high: cython.longlong = n_left + own - 1
    room: cython.longlong
    most: cython.double = up * up if up * up > down * down else down * down
    bar: cython.double = peeling.bar
    score: cython.double
    first: cython.double
    if high > n - peeling.min_side:
        high = n - peeling.min_side
    if low > high:
        return False
    room = low * (n - low)
    if high * (n - high) < room:
        room = high * (n - high)
    if low >= peeling.inner and high <= n - peeling.inner:
        bar = peeling.inner_bar
    elif low >= peeling.outer and high <= n - peeling.outer:
        bar = peeling.outer_bar
    peeling.own_bar = bar
    if most < bar * cython.cast(cython.double, room):
        return False
    if not peeling.is_entropy:
        return True
    # Whole numbers of cases, less than one case further out.
    score = peeling.least_of_corners
    up /= size
    down /= size
    first = low * share + up
    if first >= low or _may_score(low, cython.cast(cython.longlong, first) + 1, score, lists, peeling):
        return True
    first = high * share + up
    if first >= high or _may_score(high, cython.cast(cython.longlong, first) + 1, score, lists, peeling):
        return True
    first = low * share + down
    if first <= 0.0 or _may_score(low, cython.cast(cython.longlong, first), score, lists, peeling):
        return True
    first = high * share + down
    return first <= 0.0 or _may_score(high, cython.cast(cython.longlong, first), score, lists, peeling)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _raise_bars(search: Search, peeling: Peeling, plan: Plan) -> cython.void:
    """Set the bars for cuts that are better than the best so far, if that has changed."""
    least: cython.double = search.most + search.slack
    if peeling.floor > least:
        least = peeling.floor
    if least != peeling.least_score:
        set_bars(least, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_stretch(
    a: cython.Py_ssize_t,
    s: cython.Py_ssize_t,
    n_left: cython.longlong,
    surplus: cython.longlong,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Scan the blocks of a stretch that may hold a cut better than the best so far, in their order."""
    n_blocks: cython.Py_ssize_t = ((peeling.n_opened - 1) >> peeling.block_bits) + 1
    end: cython.Py_ssize_t = (s + 1) << peeling.block_bits
    own: cython.longlong
    top: cython.double
    bottom: cython.double
    b: cython.Py_ssize_t
    if end > n_blocks:
        end = n_blocks
    for b in range(s << peeling.block_bits, end):
        own = peeling.block_size[a, b]
        if own == 0:
            continue
        top = peeling.block_top[a, b]
        bottom = peeling.block_bottom[a, b]
        if _may_hold(n_left, surplus, own, top, bottom, peeling.first_share, lists, peeling):
            scan_block(a, b, n_left, surplus, lists, search, peeling, plan)
            _raise_bars(search, peeling, plan)
        n_left += own
        surplus += peeling.n * peeling.block_first[a, b] - peeling.n_first * own
    if peeling.stretch_known[a, s] != peeling.stretch_size[a, s]:
        bound_stretch(a, s, peeling.share, n_blocks, peeling)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_stretches(a: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling, plan: Plan) -> cython.void:
    """Scan the stretches of an attribute that may hold a cut better than the best so far, in their order."""
    n_left: cython.longlong = 0
    surplus: cython.longlong = 0
    own: cython.longlong
    first: cython.longlong
    top: cython.double
    bottom: cython.double
    s: cython.Py_ssize_t
    _raise_bars(search, peeling, plan)
    for s in range(((peeling.n_opened - 1) >> (2 * peeling.block_bits)) + 1):
        own = peeling.stretch_size[a, s]
        if own == 0:
            continue
        first = peeling.stretch_first[a, s]
        top = peeling.stretch_top[a, s]
        bottom = peeling.stretch_bottom[a, s]
        if _may_hold(n_left, surplus, own, top, bottom, peeling.stretch_share[a, s], lists, peeling):
            _scan_stretch(a, s, n_left, surplus, lists, search, peeling, plan)
        n_left += own
        surplus += peeling.n * first - peeling.n_first * own


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
    for s in range(((peeling.n_opened - 1) >> (2 * peeling.block_bits)) + 1):
        height = cython.cast(cython.double, surplus)
        height *= height
        room = cython.cast(cython.double, n_left * (n - n_left))
        if height * most_room > most * room:
            most = height
            most_room = room
            best = s
        own = peeling.stretch_size[a, s]
        n_left += own
        surplus += n * peeling.stretch_first[a, s] - peeling.n_first * own
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_likely(a: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling, plan: Plan) -> cython.void:
    """Scan the block that had the best cut of the node before; without one, where D is most significant."""
    bits: cython.int = peeling.block_bits
    b: cython.Py_ssize_t
    s: cython.Py_ssize_t
    last: cython.Py_ssize_t
    n_left: cython.longlong = 0
    n_first: cython.longlong = 0
    if peeling.last[a] >= 0:
        last = (peeling.last[a] - a * lists.stride - peeling.lo) >> bits
    else:
        last = _highest_stretch(a, peeling) << bits
    for s in range(last >> bits):
        n_left += peeling.stretch_size[a, s]
        n_first += peeling.stretch_first[a, s]
    for b in range(last >> bits << bits, last):
        n_left += peeling.block_size[a, b]
        n_first += peeling.block_first[a, b]
    peeling.own_bar = peeling.bar
    scan_block(a, last, n_left, peeling.n * n_first - peeling.n_first * n_left, lists, search, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_remaining(
    lists: Lists,
    search: Search,
    subtree: Subtree,
    found: Found,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Set gain, split information and improvement of the live attributes for the remaining cases, as scan_classes does.

    The cuts are in `peeling`.
    """
    n: cython.longlong = peeling.n
    size: cython.double = cython.cast(cython.double, n)
    n_first: cython.longlong = cython.cast(cython.longlong, subtree.outcomes[search.node, 0])
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    gain: cython.double
    least: cython.double = -INFINITY if plan.zero_gain else 0.0
    n_left: cython.longlong
    search.min_side = least_side(n, 2, lists.min_side, plan)
    set_before(n, lists, search, subtree, plan)
    peeling.n_first = n_first
    peeling.share = n_first / size
    peeling.before = search.before
    peeling.min_side = search.min_side
    set_bars(least, peeling, plan)
    for j in range(search.first, search.last):
        a = search.live[j]
        found.gain[a] = -INFINITY
        found.split_info[a] = 0.0
        found.cost[a] = 0.0
        found.improvement[a] = -INFINITY
        # A cut that is nearly the best gives a floor under which blocks are passed over.
        peeling.floor = -INFINITY
        peeling.is_ambiguous = False
        peeling.n_left[a] = 0
        search.most = least
        _scan_likely(a, lists, search, peeling, plan)
        if peeling.n_left[a] > 0 and search.most > 2.0 * _NEAR * search.slack:
            peeling.floor = search.most - _NEAR * search.slack
        search.most = least
        peeling.n_left[a] = 0
        _scan_stretches(a, lists, search, peeling, plan)
        if peeling.is_ambiguous and peeling.floor > -INFINITY:
            peeling.floor = -INFINITY
            search.most = least
            peeling.n_left[a] = 0
            _scan_stretches(a, lists, search, peeling, plan)
        n_left = peeling.n_left[a]
        if n_left == 0:
            continue
        gain = search.most / size
        if search.most < plan.tolerance:
            gain = 0.0
        if not plan.zero_gain and gain < plan.tolerance:
            continue
        found.gain[a] = gain
        if plan.rank == BY_RATIO:
            found.split_info[a] = (lists.xlog2_of[n] - lists.xlog2_of[n_left] - lists.xlog2_of[n - n_left]) / size
        found.improvement[a] = search.most
