"""The best cuts among the cases that remain at a node which is peeled: two classes, whole blocks passed over by bounds.

The score of a cut is at most a factor times D * D / (left * right), see scan_classes.score_scale. Within a block, D
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
    from treecli.kernels.scan_classes import score_of_two, score_scale, set_before
    from treecli.kernels.score_sklearn import parted

INFINITY = cython.declare(cython.double, float("inf"))

# More than rounding changes of a score, as a share of the cases, and of a product.
_ROUNDING = cython.declare(cython.double, 1e-12)
_LESS = cython.declare(cython.double, 1.0 - 1e-12)

# In cases: more than rounding changes of the bounds of a block.
_MARGIN = cython.declare(cython.double, 1e-6)

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
    slack: cython.double = search.slack
    least: cython.double = peeling.floor
    bar: cython.double
    height: cython.double
    score: cython.double
    row: cython.int
    before: cython.int = -1
    own: cython.uint
    is_new: cython.uint = 0
    share: cython.double = peeling.first_share
    place: cython.double = 0.0
    top: cython.double = 0.0
    bottom: cython.double = 0.0
    i: cython.Py_ssize_t
    if end > start + peeling.n_opened:
        end = start + peeling.n_opened
    if search.most + slack > least:
        least = search.most + slack
    bar = _bar(least, scale, size)
    i = begin
    while n_left > 0 and i > start:  # the last remaining entry before the block
        is_new |= lists.entry[i] & 1
        i -= 1
        row = cython.cast(cython.int, lists.entry[i] >> lists.row_shift)
        if lists.goes_left[row]:
            before = row
            break
    for i in range(begin, end):
        own = lists.entry[i]
        is_new |= own & 1
        row = cython.cast(cython.int, own >> lists.row_shift)
        if not lists.goes_left[row]:
            continue
        height = cython.cast(cython.double, surplus)
        if (
            is_new
            and before >= 0
            and height * height >= bar * cython.cast(cython.double, n_left * (n - n_left))
            and n_left >= search.min_side
            and n - n_left >= search.min_side
            and (
                lists.close[a] < 0
                or parted(
                    lists.values[lists.close[a], before],
                    lists.values[lists.close[a], row],
                    plan.value_gap,
                    lists.is_single,
                )
            )
        ):
            score = score_of_two(n_left, (surplus + n_left * n_first) // n, n, n_first, lists, search, plan)
            if score >= peeling.floor:
                if score < peeling.floor + _AMBIGUOUS * slack:
                    peeling.is_ambiguous = True
                if score > search.most + slack:
                    search.most = score
                    peeling.n_left[a] = n_left
                    peeling.neighbour[a, 0] = before
                    peeling.neighbour[a, 1] = row
                    bar = _bar(score + slack, scale, size)
        surplus += n - n_first - n * cython.cast(cython.longlong, (own >> 1) & 1)
        n_left += 1
        before = row
        is_new = 0
        top = place if place > top else top
        bottom = place if place < bottom else bottom
        place += (0.0 if (own >> 1) & 1 else 1.0) - share
    peeling.block_top[a, b] = top
    peeling.block_bottom[a, b] = bottom


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
    is_entropy: cython.bint = plan.impurity == ENTROPY
    height: cython.double
    up: cython.double
    down: cython.double
    low: cython.longlong
    high: cython.longlong
    own: cython.longlong
    b: cython.Py_ssize_t
    for b in range(n_blocks):
        least = search.most + search.slack
        if peeling.floor > least:
            least = peeling.floor
        if least != seen:
            seen = least
            bar = _bar(least, scale, size)
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
        low *= n - low
        high *= n - high
        up = peeling.surplus[b] + size * (peeling.block_top[a, b] + own * less + _MARGIN)
        down = peeling.surplus[b] + size * (peeling.block_bottom[a, b] - own * more - _MARGIN)
        height = up * up if up * up > down * down else down * down
        if height < bar * cython.cast(cython.double, low if low < high else high):
            continue
        if not is_entropy or _may_score(least - _ROUNDING * size, b, own, up, down, n_first, search, peeling):
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
