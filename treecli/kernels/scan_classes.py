"""The best cut of each attribute among the cases of one node by their classes, from packed lists.

The results are those of score_sums and score_sklearn. Most cuts need no division: a comparison of products shows that
they cannot be the best. Only the others are scored in full.
"""

import cython
from cython.cimports.libc.math import log2

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.codes import BY_GAIN, BY_RATIO, CONSTANT, ENTROPY, NO_CUT, SKLEARN
    from treecli.kernels.packed_args import Lists, Search, Subtree
    from treecli.kernels.packed_lists import is_apart, is_constant
    from treecli.kernels.scan_few import best_of_few, set_terms
    from treecli.kernels.score_classes import (
        bar_between,
        score_of,
        score_of_two,
        score_scale,
        set_before,
        sklearn_gain,
        split_info_of,
    )

    # The rows of Search.counts.
    _LEFT, _RIGHT = range(2)

INFINITY = cython.declare(cython.double, float("inf"))

# More than rounding changes of a score, as a share of the cases.
_ROUNDING = cython.declare(cython.double, 1e-12)

# Cuts are passed over in groups of this many cases.
_GROUP = cython.declare(cython.Py_ssize_t, 16)

# With so many cases, some cuts are tried before all; not with more than stay in the cache.
_MANY = cython.declare(cython.longlong, 128)
_TOO_MANY = cython.declare(cython.longlong, 1 << 16)

# Scores more than this many slacks below the best of another attribute are passed over; those within the second number
# of that limit may depend on a score that was passed over.
_NEAR = cython.declare(cython.double, 8.0)
_AMBIGUOUS = cython.declare(cython.double, 2.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _n_cuts(start: cython.Py_ssize_t, close: cython.int, lists: Lists, search: Search, plan: Plan) -> cython.longlong:
    """Return the number of cuts of a list that are allowed."""
    i: cython.Py_ssize_t
    n_cuts: cython.longlong = 0
    for i in range(start + search.lo + search.min_side - 1, start + search.hi - search.min_side):
        if lists.entry[i + 1] & 1 and (close < 0 or is_apart(lists, close, i, plan.value_gap)):
            n_cuts += 1
    return n_cuts


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _n_second(entry: cython.uint[::1], begin: cython.Py_ssize_t) -> cython.longlong:
    """Return how many of the _GROUP entries from `begin` on are of the second of two classes."""
    i: cython.Py_ssize_t
    twice: cython.uint = 0
    for i in range(begin, begin + _GROUP):
        twice += entry[i] & 2
    return cython.cast(cython.longlong, twice >> 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_of_two(
    start: cython.Py_ssize_t, close: cython.int, lists: Lists, search: Search, subtree: Subtree, plan: Plan
) -> cython.Py_ssize_t:
    """Return the last entry on the left of the best cut for two classes, or -1; set its score in search.most.

    Scores below search.floor are passed over; search.is_ambiguous tells whether that may change the choice.
    """
    min_side: cython.longlong = search.min_side
    begin: cython.Py_ssize_t = start + search.lo
    end: cython.Py_ssize_t = start + search.hi - min_side
    n: cython.longlong = search.hi - search.lo
    slack: cython.double = search.slack
    floor: cython.double = search.floor
    # Of a score, to get what is compared with the bar.
    more: cython.double = (search.before if plan.arithmetic == SKLEARN else 0.0) - _ROUNDING * n
    i: cython.Py_ssize_t = begin
    best: cython.Py_ssize_t = -1
    n_first: cython.longlong = cython.cast(cython.longlong, subtree.outcomes[search.node, 0])
    n_left: cython.longlong = 0
    in_left: cython.longlong = 0
    surplus: cython.longlong
    up: cython.longlong
    down: cython.longlong
    n_second: cython.longlong
    last: cython.longlong
    height: cython.double
    room: cython.double
    score: cython.double
    scale: cython.double = score_scale(n, n_first, plan)
    most: cython.double = -INFINITY if plan.zero_gain else 0.0
    least: cython.double = floor if floor > most + slack else most + slack
    bar: cython.double = (least + more) / scale if least > -INFINITY else -1.0
    high: cython.double
    stop: cython.Py_ssize_t
    after: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n_scored: cython.Py_ssize_t
    scored = cython.declare(cython.Py_ssize_t[16])
    first_of = cython.declare(cython.longlong[16])
    while i < begin + min_side - 1:
        in_left += 1 - cython.cast(cython.longlong, (lists.entry[i] >> 1) & 1)
        n_left += 1
        i += 1
    while i < end:
        # Cuts with similar numbers of cases on their sides have one bar.
        stop = i + 4 * _GROUP + (n_left if n_left * 3 < n else (n - n_left) >> 1)
        if stop > end:
            stop = end
        last = n_left + stop - i
        high = bar
        if last - n_left > 2 * _GROUP:
            high = bar_between(bar, n_left + 1, last, n, n_first, plan)
        while i < stop:
            if i + _GROUP <= stop:
                n_second = _n_second(lists.entry, i)
                surplus = in_left * n - n_left * n_first
                up = surplus + (_GROUP - n_second) * (n - n_first)
                down = surplus - n_second * n_first
                height = cython.cast(cython.double, up if up > -down else down)
                room = cython.cast(cython.double, (n_left + 1) * (n - n_left - 1))
                if (n_left + _GROUP) * (n - n_left - _GROUP) < room:
                    room = cython.cast(cython.double, (n_left + _GROUP) * (n - n_left - _GROUP))
                if height * height < high * room:
                    in_left += _GROUP - n_second
                    n_left += _GROUP
                    i += _GROUP
                    continue
            after = i + _GROUP if i + _GROUP < stop else stop
            # No jumps, which would be mispredicted: a cut that is not scored is overwritten by the next.
            n_scored = 0
            for j in range(i, after):
                in_left += 1 - cython.cast(cython.longlong, (lists.entry[j] >> 1) & 1)
                n_left += 1
                height = cython.cast(cython.double, in_left * n - n_left * n_first)
                room = cython.cast(cython.double, n_left * (n - n_left))
                scored[n_scored] = j
                first_of[n_scored] = in_left
                n_scored += cython.cast(cython.Py_ssize_t, (height * height > high * room) & (lists.entry[j + 1] & 1))
            for k in range(n_scored):
                j = scored[k]
                if close >= 0 and not is_apart(lists, close, j, plan.value_gap):
                    continue
                score = score_of_two(j + 1 - begin, first_of[k], n, n_first, lists, search, plan)
                if score >= floor and score < floor + _AMBIGUOUS * slack:
                    search.is_ambiguous = True
                if score >= floor and score > most + slack:
                    most = score
                    best = j
                    bar = (most + slack + more) / scale
                    if bar > high:
                        high = bar
            i = after
    search.most = most
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_of_many(
    start: cython.Py_ssize_t, close: cython.int, lists: Lists, search: Search, subtree: Subtree, plan: Plan
) -> cython.Py_ssize_t:
    """Like _best_of_two, for any number of classes."""
    class_mask: cython.uint = (cython.cast(cython.uint, 1) << (lists.row_shift - 1)) - 1
    min_side: cython.longlong = search.min_side
    n: cython.longlong = search.hi - search.lo
    size: cython.double = cython.cast(cython.double, n)
    before: cython.double = search.before
    slack: cython.double = search.slack
    rounding: cython.double = _ROUNDING * size
    impurity: cython.int = plan.impurity
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    n_left: cython.longlong = 0
    n_right: cython.longlong
    in_left: cython.longlong
    in_right: cython.longlong
    left_squares: cython.longlong = 0
    right_squares: cython.longlong = 0
    left_terms: cython.double = 0.0
    right_terms: cython.double = 0.0
    height: cython.double
    score: cython.double
    most: cython.double = -INFINITY if plan.zero_gain else 0.0
    bar: cython.double = most if plan.zero_gain else slack - rounding - before
    for c in range(subtree.outcomes.shape[1]):
        search.counts[_LEFT, c] = 0
        in_right = cython.cast(cython.longlong, subtree.outcomes[search.node, c])
        search.counts[_RIGHT, c] = in_right
        right_squares += in_right * in_right
        if impurity == ENTROPY:
            right_terms += lists.xlog2_of[in_right]
    for i in range(start + search.lo, start + search.hi - min_side):
        c = (lists.entry[i] >> 1) & class_mask
        in_left = search.counts[_LEFT, c]
        in_right = search.counts[_RIGHT, c]
        search.counts[_LEFT, c] = in_left + 1
        search.counts[_RIGHT, c] = in_right - 1
        n_left += 1
        if impurity == ENTROPY:
            left_terms += lists.xlog2_of[in_left + 1] - lists.xlog2_of[in_left]
            right_terms += lists.xlog2_of[in_right - 1] - lists.xlog2_of[in_right]
        else:
            left_squares += 2 * in_left + 1
            right_squares -= 2 * in_right - 1
        if n_left < min_side or not lists.entry[i + 1] & 1:
            continue
        n_right = n - n_left
        if impurity == ENTROPY:
            if not left_terms + right_terms - lists.xlog2_of[n_left] - lists.xlog2_of[n_right] > bar:
                continue
        else:
            height = cython.cast(cython.double, left_squares) * cython.cast(cython.double, n_right)
            height += cython.cast(cython.double, right_squares) * cython.cast(cython.double, n_left)
            if not height > (bar + size) * cython.cast(cython.double, n_left * n_right):
                continue
        if close >= 0 and not is_apart(lists, close, i, plan.value_gap):
            continue
        if impurity != ENTROPY:
            left_terms = cython.cast(cython.double, left_squares)
            right_terms = cython.cast(cython.double, right_squares)
        score = score_of(n_left, n_right, left_terms, right_terms, before, lists, search, plan)
        if score > most + slack:
            most = score
            best = i
            bar = most + slack - rounding - (0.0 if plan.arithmetic == SKLEARN else before)
    search.most = most
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _likely_floor(
    start: cython.Py_ssize_t, lists: Lists, search: Search, subtree: Subtree, plan: Plan
) -> cython.double:
    """Return a score that the best cut for two classes exceeds clearly, from one cut in _GROUP; -inf without one."""
    n: cython.longlong = search.hi - search.lo
    n_first: cython.longlong = cython.cast(cython.longlong, subtree.outcomes[search.node, 0])
    i: cython.Py_ssize_t = start + search.lo
    end: cython.Py_ssize_t = start + search.hi - search.min_side
    n_left: cython.longlong = 0
    n_second: cython.longlong
    surplus: cython.longlong = 0
    best: cython.longlong = 0
    best_surplus: cython.longlong = 0
    height: cython.double
    room: cython.double
    most: cython.double = 0.0
    most_room: cython.double = 1.0
    while i + _GROUP <= end:
        n_second = _n_second(lists.entry, i)
        surplus += _GROUP * (n - n_first) - n_second * n
        n_left += _GROUP
        i += _GROUP
        height = cython.cast(cython.double, surplus)
        height *= height
        room = cython.cast(cython.double, n_left * (n - n_left))
        if (height * most_room > most * room) & (lists.entry[i] & 1):
            most = height
            most_room = room
            best = n_left
            best_surplus = surplus
    if best < search.min_side or best == 0:
        return -INFINITY
    most = score_of_two(best, (best_surplus + best * n_first) // n, n, n_first, lists, search, plan)
    return most - _NEAR * search.slack if most > (_NEAR + _AMBIGUOUS) * search.slack else -INFINITY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut(a: cython.Py_ssize_t, lists: Lists, search: Search, subtree: Subtree, plan: Plan) -> cython.Py_ssize_t:
    """Return the last entry on the left of the best cut of an attribute, or -1; set its score in search.most."""
    best: cython.Py_ssize_t
    floor: cython.double = search.floor
    n: cython.longlong = search.hi - search.lo
    if subtree.outcomes.shape[1] != 2:
        return _best_of_many(a * lists.stride, lists.close[a], lists, search, subtree, plan)
    search.is_ambiguous = False
    if floor == -INFINITY and lists.close[a] < 0 and _MANY <= n < _TOO_MANY and plan.arithmetic != SKLEARN:
        search.floor = _likely_floor(a * lists.stride, lists, search, subtree, plan)
    best = _best_of_two(a * lists.stride, lists.close[a], lists, search, subtree, plan)
    if search.is_ambiguous:
        search.floor = -INFINITY
        best = _best_of_two(a * lists.stride, lists.close[a], lists, search, subtree, plan)
    search.floor = floor
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan(
    has_floor: cython.bint, lists: Lists, search: Search, subtree: Subtree, found: Found, plan: Plan
) -> cython.void:
    """Set the cut, gain, split information and improvement of the live attributes from search.first to search.last.

    With a floor, cuts that are clearly worse than one of another attribute are passed over.
    """
    n: cython.longlong = search.hi - search.lo
    n_left: cython.longlong
    size: cython.double = cython.cast(cython.double, n)
    is_sklearn: cython.bint = plan.arithmetic == SKLEARN
    stops: cython.bint = plan.rank == BY_GAIN and not plan.cut_cost
    perfect: cython.Py_ssize_t = lists.n_attributes
    least: cython.double = -INFINITY if plan.zero_gain else _AMBIGUOUS * search.slack
    gain: cython.double
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    start: cython.Py_ssize_t
    best: cython.Py_ssize_t
    are_few: cython.bint = set_terms(lists, search, subtree, plan)
    search.floor = -INFINITY
    for j in range(search.first, search.last):
        a = search.live[j]
        start = a * lists.stride
        found.gain[a] = -INFINITY
        found.split_info[a] = 0.0
        found.cost[a] = 0.0
        found.improvement[a] = -INFINITY
        search.cut[a] = NO_CUT
        if a > perfect:
            continue
        if is_constant(lists, start + search.lo, start + search.hi):
            search.cut[a] = CONSTANT
            continue
        if are_few:
            best = best_of_few(start, lists.close[a], lists, search, subtree, plan)
        else:
            best = _best_cut(a, lists, search, subtree, plan)
        if best < 0:
            continue
        if stops and a < perfect and search.most - (0.0 if is_sklearn else search.before) >= -search.slack / 2.0:
            perfect = a
        gain = search.most / size
        if is_sklearn:
            gain = sklearn_gain(start + search.lo, best + 1, lists, search, subtree, plan)
        elif search.most < plan.tolerance:
            gain = 0.0
        if plan.cut_cost:
            found.cost[a] = log2(cython.cast(cython.double, _n_cuts(start, lists.close[a], lists, search, plan)))
            gain -= found.cost[a] / size
        if not plan.zero_gain and gain < plan.tolerance:
            continue
        n_left = best + 1 - start - search.lo
        search.cut[a] = best - start
        found.gain[a] = gain
        if plan.rank == BY_RATIO:
            found.split_info[a] = split_info_of(n_left, n, lists)
        found.improvement[a] = search.most
        gain = search.most - _NEAR * search.slack
        if has_floor and gain > least and gain > search.floor:
            search.floor = gain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_classes(lists: Lists, search: Search, subtree: Subtree, found: Found, plan: Plan) -> cython.void:
    """Set the cut, gain, split information and improvement of the live attributes from search.first to search.last.

    Where gain ranks attributes, some are left without a cut that are not chosen: those after one whose cut leaves only
    pure sides, and for two classes those that are clearly worse than another one.
    """
    has_floor: cython.bint = plan.rank == BY_GAIN and not plan.cut_cost and plan.min_gain <= 0.0
    j: cython.Py_ssize_t
    score: cython.double
    set_before(search.hi - search.lo, lists, search, subtree, plan)
    _scan(has_floor, lists, search, subtree, found, plan)
    if search.floor == -INFINITY:
        return
    for j in range(search.first, search.last):
        score = found.improvement[search.live[j]]
        if score >= search.floor and score < search.floor + _AMBIGUOUS * search.slack:
            _scan(False, lists, search, subtree, found, plan)
            return
