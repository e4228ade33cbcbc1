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
    from treecli.kernels.bound_blocks import MARGIN, bound_stretch, may_hold, set_bars
    from treecli.kernels.codes import BY_RATIO
    from treecli.kernels.packed_args import Lists, Peeling, Search, Spans, Subtree
    from treecli.kernels.scan_block import CLOSE, scan_block
    from treecli.kernels.score_classes import set_before

INFINITY = cython.declare(cython.double, float("inf"))

# Scores within this many slacks of the best are looked at.
_NEAR = cython.declare(cython.double, 8.0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _set_excess(
    a: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    n_spans: cython.Py_ssize_t,
    n_left: cython.longlong,
    in_left: cython.longlong,
    spans: Spans,
    peeling: Peeling,
) -> cython.void:
    """Set by how much D * D may exceed the bar, times left * right, at the cuts of each span from `begin` on.

    There are n_left cases before the first span, in_left of the first class.
    """
    size: cython.double = cython.cast(cython.double, peeling.n)
    n_first: cython.double = cython.cast(cython.double, peeling.n_first)
    share: cython.double = peeling.share
    outer: cython.double = cython.cast(cython.double, peeling.outer)
    inner: cython.double = cython.cast(cython.double, peeling.inner)
    bar: cython.double = peeling.bar
    outer_bar: cython.double = peeling.outer_bar
    inner_bar: cython.double = peeling.inner_bar
    own_bar: cython.double
    n_before: cython.double = cython.cast(cython.double, n_left)
    first_before: cython.double = cython.cast(cython.double, in_left)
    last: cython.double
    least_side: cython.double
    drift: cython.double
    up: cython.double
    down: cython.double
    room: cython.double
    room_of_last: cython.double
    s: cython.Py_ssize_t
    for s in range(n_spans):
        spans.n_before[s] = n_before
        spans.first_before[s] = first_before
        spans.d_before[s] = size * first_before - n_first * n_before
        n_before += spans.size[a, begin + s]
        first_before += spans.first[a, begin + s]
    # No jumps and no calls: the compiler does several spans at once.
    for s in range(n_spans):
        n_before = spans.n_before[s]
        last = n_before + spans.size[a, begin + s] - 1.0
        drift = (spans.share[a, begin + s] - share) * spans.size[a, begin + s]
        up = spans.top[a, begin + s] + (drift if drift > 0.0 else 0.0) + MARGIN
        down = spans.bottom[a, begin + s] + (drift if drift < 0.0 else 0.0) - MARGIN
        up = spans.d_before[s] + size * up
        down = spans.d_before[s] + size * down
        up = up if up > -down else -down
        room = n_before * (size - n_before)
        room_of_last = last * (size - last)
        room = room if room < room_of_last else room_of_last
        least_side = n_before if n_before < size - last else size - last
        own_bar = outer_bar if least_side >= outer else bar
        own_bar = inner_bar if least_side >= inner else own_bar
        spans.excess[s] = up * up - own_bar * room


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _own_bar(n_left: cython.longlong, own: cython.longlong, peeling: Peeling) -> cython.double:
    """Return the bar of the cuts among `own` cases in a row with n_left cases before them."""
    n_right: cython.longlong = peeling.n - n_left - own + 1
    least_side: cython.longlong = n_left if n_left < n_right else n_right
    if least_side >= peeling.inner:
        return peeling.inner_bar
    return peeling.outer_bar if least_side >= peeling.outer else peeling.bar


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _raise_bars(search: Search, peeling: Peeling, plan: Plan) -> cython.void:
    """Set the bars for cuts that are better than the best so far, if that has clearly changed."""
    least: cython.double = search.most + search.slack
    if least > peeling.least_score + 2.0 * _NEAR * search.slack:
        set_bars(least, peeling, plan)


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
    n_blocks: cython.Py_ssize_t = ((peeling.n_opened - 1) >> peeling.block_bits) + 1
    begin: cython.Py_ssize_t = s << peeling.stretch_bits
    n_own: cython.Py_ssize_t = n_blocks - begin
    excess: cython.double
    b: cython.Py_ssize_t
    if n_own > 1 << peeling.stretch_bits:
        n_own = 1 << peeling.stretch_bits
    _set_excess(a, begin, n_own, n_left, in_left, peeling.blocks, peeling)
    for b in range(n_own):
        excess = peeling.blocks.excess[b]
        if excess >= 0.0 and begin + b != peeling.skipped:
            n_left = cython.cast(cython.longlong, peeling.blocks.n_before[b])
            in_left = cython.cast(cython.longlong, peeling.blocks.first_before[b])
            if may_hold(n_left, in_left, a, begin + b, excess, peeling.blocks, lists, peeling):
                peeling.own_bar = _own_bar(n_left, peeling.blocks.size[a, begin + b], peeling)
                scan_block(a, begin + b, n_left, in_left, lists, search, peeling, plan)
                _raise_bars(search, peeling, plan)
    if peeling.stretches.known[a, s] != peeling.stretches.size[a, s]:
        bound_stretch(a, s, peeling.share, n_blocks, peeling)


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
    _set_excess(a, 0, n_stretches, 0, 0, peeling.stretches, peeling)
    for s in range(n_stretches):
        excess = peeling.stretches.excess[s]
        if excess >= 0.0:
            n_left = cython.cast(cython.longlong, peeling.stretches.n_before[s])
            in_left = cython.cast(cython.longlong, peeling.stretches.first_before[s])
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
    bits: cython.int = peeling.stretch_bits
    b: cython.Py_ssize_t
    s: cython.Py_ssize_t
    n_left: cython.longlong = 0
    in_left: cython.longlong = 0
    if peeling.last[a] >= 0:
        peeling.skipped = (peeling.last[a] - a * lists.stride - peeling.lo) >> peeling.block_bits
    else:
        peeling.skipped = _highest_stretch(a, peeling) << bits
    for s in range(peeling.skipped >> bits):
        n_left += peeling.stretches.size[a, s]
        in_left += peeling.stretches.first[a, s]
    for b in range(peeling.skipped >> bits << bits, peeling.skipped):
        n_left += peeling.blocks.size[a, b]
        in_left += peeling.blocks.first[a, b]
    peeling.own_bar = -1.0
    scan_block(a, peeling.skipped, n_left, in_left, lists, search, peeling, plan)


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
    set_bars(peeling.floor if peeling.floor > least else least, peeling, plan)
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
    for j in range(search.first, search.last):
        a = search.live[j]
        found.gain[a] = -INFINITY
        found.split_info[a] = 0.0
        found.cost[a] = 0.0
        found.improvement[a] = -INFINITY
        _find_best(a, least, lists, search, peeling, plan)
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
