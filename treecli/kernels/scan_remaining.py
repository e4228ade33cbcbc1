"""The best cuts among the cases that remain at a node which is peeled: two classes, whole blocks passed over by bounds.

The score of a cut is at most a factor times D * D / (left * right), see score_classes.score_scale. Within a block, D
moves up with each case of the first class and down with each other case, and left * right is least at one of its ends.
So the extremes of D in a block bound the scores of its cuts, and only blocks that may hold the best cut are scanned.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.best_packed import least_side
    from treecli.kernels.bound_blocks import bar_for, bar_of, bound_block, bound_stretch, may_hold, set_bars
    from treecli.kernels.codes import BY_RATIO
    from treecli.kernels.packed_args import Lists, Peeling, Search, Subtree
    from treecli.kernels.score_classes import score_of_two, score_scale, set_before
    from treecli.kernels.score_sklearn import parted

INFINITY = cython.declare(cython.double, float("inf"))

# Scores within this many slacks of the best are looked at; those within the second number of the least of them may
# depend on a score that was passed over.
_NEAR = cython.declare(cython.double, 8.0)
_AMBIGUOUS = cython.declare(cython.double, 2.0)


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
def _scan_block(
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    n_left: cython.longlong,
    surplus: cython.longlong,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Compare the cuts before each remaining entry of a block with the best so far: search.most, peeling.n_left.

    There are n_left cases and a D of `surplus` before the block. A cut counts from peeling.floor on, and must exceed
    the best by more than the slack.
    """
    start: cython.Py_ssize_t = a * lists.stride + peeling.lo
    begin: cython.Py_ssize_t = start + (b << peeling.block_bits)
    end: cython.Py_ssize_t = start + ((b + 1) << peeling.block_bits)
    n: cython.longlong = peeling.n
    size: cython.double = cython.cast(cython.double, n)
    n_first: cython.longlong = peeling.n_first
    scale: cython.double = score_scale(n, n_first, plan)
    least: cython.double = peeling.floor
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
    if search.most + search.slack > least:
        least = search.most + search.slack
    low = n_left if n_left > search.min_side else search.min_side
    high = n_left + peeling.block_size[a, b] - 1
    if high > n - search.min_side:
        high = n - search.min_side
    if low > high:
        return
    bar = bar_for(low, high, peeling) if least == peeling.least_score else bar_of(least, scale, size)
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
                    search.most = score
                    peeling.n_left[a] = n_left
                    peeling.last[a] = i
                    peeling.neighbour[a, 0] = cython.cast(cython.int, _row_before(i, lists))
                    peeling.neighbour[a, 1] = cython.cast(cython.int, lists.entry[i] >> row_shift)
                    # A closer bar, as in bound_blocks, would take longer than to score the cuts that it excludes.
                    if bar_of(score + search.slack, scale, size) > bar:
                        bar = bar_of(score + search.slack, scale, size)
        surplus += (up - (n & -((own >> 1) & 1))) & -remains
        n_left += remains
        is_new &= remains - 1
    if peeling.block_known[a, b] != peeling.block_size[a, b]:
        bound_block(a, b, begin, end, lists, peeling)


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
        if may_hold(n_left, surplus, own, top, bottom, peeling.first_share, lists, peeling):
            _scan_block(a, b, n_left, surplus, lists, search, peeling, plan)
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
        if may_hold(n_left, surplus, own, top, bottom, peeling.stretch_share[a, s], lists, peeling):
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
    _scan_block(a, last, n_left, peeling.n * n_first - peeling.n_first * n_left, lists, search, peeling, plan)


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
        if peeling.n_left[a] > 0 and search.most > (_NEAR + _AMBIGUOUS) * search.slack:
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
