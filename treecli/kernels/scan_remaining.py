"""The best cuts among the cases that remain at a node which is peeled: two classes, whole blocks passed over by bounds.

The score of a cut is at most a factor times D * D / (left * right), see score_classes.score_scale. Within a block, D
moves up with each case of the first class and down with each other case, and left * right is least at one of its ends.
So the extremes of D in a block bound the scores of its cuts, and only blocks that may hold the best cut are scanned.
"""

import cython
from cython.cimports.libc.math import log2

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.best_packed import least_side
    from treecli.kernels.codes import ENTROPY
    from treecli.kernels.packed_args import Lists, Peeling, Search, Subtree
    from treecli.kernels.score_classes import bar_between, score_of_two, score_scale, set_before
    from treecli.kernels.score_sklearn import parted

INFINITY = cython.declare(cython.double, float("inf"))

# More than rounding changes of a score, as a share of the cases, and of a product.
_ROUNDING = cython.declare(cython.double, 1e-12)
_LESS = cython.declare(cython.double, 1.0 - 1e-12)

# In cases: more than rounding changes of the bounds of a block.
_MARGIN = cython.declare(cython.double, 1e-6)

_OUTER_BITS = cython.declare(cython.int, 5)
_INNER_BITS = cython.declare(cython.int, 3)

# Scores within this many slacks of the best are looked at; those within the second number of the least of them may
# depend on a score that was passed over.
_NEAR = cython.declare(cython.double, 8.0)
_AMBIGUOUS = cython.declare(cython.double, 2.0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _bar(score: cython.double, scale: cython.double, size: cython.double) -> cython.double:
    """Return the least D * D / (left * right) of a cut that may score more; negative if every cut may."""
    return (score - _ROUNDING * size) / scale * _LESS if score > 0.0 else -1.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _entropy_of(first: cython.double, size: cython.double) -> cython.double:
    """Return size times entropy of a side; -inf if a class has no cases there, or fewer than none."""
    second: cython.double = size - first
    if first <= 0.0 or second <= 0.0:
        return -INFINITY
    return size * log2(size) - first * log2(first) - second * log2(second)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_score(
    score: cython.double,
    b: cython.Py_ssize_t,
    own: cython.longlong,
    up: cython.double,
    down: cython.double,
    n_first: cython.longlong,
    search: Search,
    peeling: Peeling,
) -> cython.bint:
    """Return whether a cut of a block may score that much by entropy; D is between `down` and `up` there.

    The score is convex in the counts of the left side, so it is largest at a corner of the region where they are.
    """
    size: cython.double = cython.cast(cython.double, peeling.n)
    share: cython.double = n_first / size
    n_left: cython.double
    first: cython.double
    corner: cython.int
    for corner in range(4):
        n_left = peeling.n_before[b] + (own if corner & 1 else 0)
        first = n_left * share + (up if corner & 2 else down) / size
        # Corners with a negative count are no cuts: such blocks are scanned.
        if not search.before - _entropy_of(first, n_left) - _entropy_of(n_first - first, size - n_left) < score:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_blocks(
    a: cython.Py_ssize_t, n_blocks: cython.Py_ssize_t, n_first: cython.longlong, peeling: Peeling
) -> cython.Py_ssize_t:
    """Set n_before and surplus of the blocks of an attribute; return the block before which D is most significant."""
    n: cython.longlong = peeling.n
    n_left: cython.longlong = 0
    surplus: cython.longlong = 0
    own: cython.longlong
    height: cython.double
    room: cython.double
    most: cython.double = 0.0
    most_room: cython.double = 1.0
    best: cython.Py_ssize_t = 0
    b: cython.Py_ssize_t
    for b in range(n_blocks):
        peeling.n_before[b] = n_left
        peeling.surplus[b] = surplus
        height = cython.cast(cython.double, surplus)
        height *= height
        room = cython.cast(cython.double, n_left * (n - n_left))
        if height * most_room > most * room:
            most = height
            most_room = room
            best = b
        own = peeling.block_size[a, b]
        n_left += own
        surplus += n * peeling.block_first[a, b] - n_first * own
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bound_block(
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    lists: Lists,
    peeling: Peeling,
) -> cython.void:
    """Set the bounds of a block from its remaining cases, which are among the entries from `begin` to `end`."""
    share: cython.double = peeling.first_share
    height: cython.double = 0.0
    top: cython.double = 0.0
    bottom: cython.double = 0.0
    own: cython.uint
    i: cython.Py_ssize_t
    for i in range(begin, end):
        own = lists.entry[i]
        if lists.goes_left[own >> lists.row_shift]:
            top = height if height > top else top
            bottom = height if height < bottom else bottom
            height += (0.0 if (own >> 1) & 1 else 1.0) - share
    peeling.block_top[a, b] = top
    peeling.block_bottom[a, b] = bottom
    peeling.block_known[a, b] = peeling.block_size[a, b]


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
    n_first: cython.longlong,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Compare the cuts before each remaining entry of a block with the best so far: search.most, peeling.n_left.

    A cut counts from peeling.floor on, and must exceed the best by more than the slack.
    """
    start: cython.Py_ssize_t = a * lists.stride + peeling.lo
    begin: cython.Py_ssize_t = start + (b << peeling.block_bits)
    end: cython.Py_ssize_t = start + ((b + 1) << peeling.block_bits)
    n: cython.longlong = peeling.n
    size: cython.double = cython.cast(cython.double, n)
    n_left: cython.longlong = peeling.n_before[b]
    surplus: cython.longlong = peeling.surplus[b]
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
    bar = bar_between(_bar(least, scale, size), low, high, n, n_first, plan)
    i = begin
    while n_left > 0:  # since the last remaining entry before the block
        is_new |= lists.entry[i] & 1
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
                    peeling.neighbour[a, 0] = cython.cast(cython.int, _row_before(i, lists))
                    peeling.neighbour[a, 1] = cython.cast(cython.int, lists.entry[i] >> row_shift)
                    bar = bar_between(_bar(score + search.slack, scale, size), low, high, n, n_first, plan)
        surplus += (up - (n & -((own >> 1) & 1))) & -remains
        n_left += remains
        is_new &= remains - 1
    if peeling.block_known[a, b] != peeling.block_size[a, b]:
        _bound_block(a, b, begin, end, lists, peeling)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_blocks(
    a: cython.Py_ssize_t,
    n_blocks: cython.Py_ssize_t,
    n_first: cython.longlong,
    lists: Lists,
    search: Search,
    peeling: Peeling,
    plan: Plan,
) -> cython.void:
    """Scan the blocks of an attribute that may hold a cut better than the best so far, in their order."""
    n: cython.longlong = peeling.n
    size: cython.double = cython.cast(cython.double, n)
    scale: cython.double = score_scale(n, n_first, plan)
    least: cython.double
    seen: cython.double = -INFINITY
    bar: cython.double = -1.0
    share: cython.double = n_first / size
    less: cython.double = peeling.first_share - share if peeling.first_share > share else 0.0
    more: cython.double = share - peeling.first_share if share > peeling.first_share else 0.0
    # The fewer cases a side has, the more its share of a class may differ from that of the node, and the lower is the
    # bar: cuts with at least so many cases on both sides have one bar, and all others the lowest.
    outer: cython.longlong = (n >> _OUTER_BITS) + 1
    inner: cython.longlong = (n >> _INNER_BITS) + 1
    outer_bar: cython.double = -1.0
    inner_bar: cython.double = -1.0
    own_bar: cython.double
    is_entropy: cython.bint = plan.impurity == ENTROPY
    height: cython.double
    up: cython.double
    down: cython.double
    low: cython.longlong
    high: cython.longlong
    room: cython.longlong
    own: cython.longlong
    b: cython.Py_ssize_t
    for b in range(n_blocks):
        least = search.most + search.slack
        if peeling.floor > least:
            least = peeling.floor
        if least != seen:
            seen = least
            bar = _bar(least, scale, size)
            outer_bar = bar_between(bar, outer, n - outer, n, n_first, plan)
            inner_bar = bar_between(bar, inner, n - inner, n, n_first, plan)
        own = peeling.block_size[a, b]
        if own == 0:
            continue
        low = peeling.n_before[b]
        high = low + own - 1
        if low < search.min_side:
            low = search.min_side
        if high > n - search.min_side:
            high = n - search.min_side
        if low > high:
            continue
        room = low * (n - low)
        if high * (n - high) < room:
            room = high * (n - high)
        up = peeling.surplus[b] + size * (peeling.block_top[a, b] + own * less + _MARGIN)
        down = peeling.surplus[b] + size * (peeling.block_bottom[a, b] - own * more - _MARGIN)
        height = up * up if up * up > down * down else down * down
        own_bar = bar
        if low >= inner and high <= n - inner:
            own_bar = inner_bar
        elif low >= outer and high <= n - outer:
            own_bar = outer_bar
        if height < own_bar * cython.cast(cython.double, room):
            continue
        if is_entropy and not _may_score(least - _ROUNDING * size, b, own, up, down, n_first, search, peeling):
            continue
        _scan_block(a, b, n_first, lists, search, peeling, plan)


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
    n_blocks: cython.Py_ssize_t = ((peeling.n_opened - 1) >> peeling.block_bits) + 1
    best: cython.Py_ssize_t
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    gain: cython.double
    least: cython.double = -INFINITY if plan.zero_gain else 0.0
    n_left: cython.longlong
    search.min_side = least_side(n, 2, lists.min_side, plan)
    set_before(n, lists, search, subtree, plan)
    for j in range(search.first, search.last):
        a = search.live[j]
        found.gain[a] = -INFINITY
        found.split_info[a] = 0.0
        found.cost[a] = 0.0
        found.improvement[a] = -INFINITY
        best = _set_blocks(a, n_blocks, n_first, peeling)
        # A cut that is nearly the best gives a floor under which blocks are passed over.
        peeling.floor = -INFINITY
        peeling.is_ambiguous = False
        peeling.n_left[a] = 0
        search.most = least
        _scan_block(a, best, n_first, lists, search, peeling, plan)
        if peeling.n_left[a] > 0 and search.most > (_NEAR + _AMBIGUOUS) * search.slack:
            peeling.floor = search.most - _NEAR * search.slack
        search.most = least
        peeling.n_left[a] = 0
        _scan_blocks(a, n_blocks, n_first, lists, search, peeling, plan)
        if peeling.is_ambiguous and peeling.floor > -INFINITY:
            peeling.floor = -INFINITY
            search.most = least
            peeling.n_left[a] = 0
            _scan_blocks(a, n_blocks, n_first, lists, search, peeling, plan)
        n_left = peeling.n_left[a]
        if n_left == 0:
            continue
        gain = search.most / size
        if search.most < plan.tolerance:
            gain = 0.0
        if not plan.zero_gain and gain < plan.tolerance:
            continue
        found.gain[a] = gain
        found.split_info[a] = (lists.xlog2_of[n] - lists.xlog2_of[n_left] - lists.xlog2_of[n - n_left]) / size
        found.improvement[a] = search.most
