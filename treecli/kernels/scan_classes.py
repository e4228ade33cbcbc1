"""The best cut of each attribute among the cases of one node by their classes, from packed lists.

The results are those of score_sums and score_sklearn. Most cuts need no division: a comparison of products shows that
they cannot be the best. Only the others are scored in full.
"""

import cython
from cython.cimports.libc.math import log, log2

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.codes import BY_GAIN, CONSTANT, ENTROPY, NO_CUT, SKLEARN
    from treecli.kernels.packed_args import Lists, Search, Subtree
    from treecli.kernels.packed_lists import is_apart, is_constant

    # The rows of Search.counts.
    _LEFT, _RIGHT = range(2)

INFINITY = cython.declare(cython.double, float("inf"))
_LOG2_E = cython.declare(cython.double, 1.4426950408889634)

# More than rounding changes of a score, as a share of the cases.
_ROUNDING = cython.declare(cython.double, 1e-12)

N_SIDES = 2
"""The rows of Search.counts, with a column for each class."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _entropy(search: Search, side: cython.Py_ssize_t, weight: cython.double) -> cython.double:
    """Return the entropy of one side, added up as in score_sklearn."""
    c: cython.Py_ssize_t
    share: cython.double
    total: cython.double = 0.0
    for c in range(search.counts.shape[1]):
        if search.counts[side, c] > 0:
            share = cython.cast(cython.double, search.counts[side, c]) / weight
            total -= share * (log(share) / log(2.0))
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _impurity(search: Search, side: cython.Py_ssize_t, weight: cython.double, impurity: cython.int) -> cython.double:
    """Return the impurity of one side, as in score_sklearn."""
    c: cython.Py_ssize_t
    count: cython.double
    total: cython.double = 0.0
    if impurity == ENTROPY:
        return _entropy(search, side, weight)
    for c in range(search.counts.shape[1]):
        count = cython.cast(cython.double, search.counts[side, c])
        total += count * count
    return 1.0 - total / (weight * weight)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _pair(first: cython.longlong, second: cython.longlong, lists: Lists, impurity: cython.int) -> cython.double:
    """Return the sum of the terms of two classes."""
    if impurity == ENTROPY:
        return lists.xlog2_of[first] + lists.xlog2_of[second]
    return cython.cast(cython.double, first * first + second * second)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _score(
    left: cython.longlong,
    right: cython.longlong,
    left_terms: cython.double,
    right_terms: cython.double,
    before: cython.double,
    lists: Lists,
    search: Search,
    plan: Plan,
) -> cython.double:
    """Return the decrease of weight times impurity by a cut; in scikit-learn's arithmetic, minus its value afterwards.

    Terms are the sums over classes of count * count or count * log2(count).
    """
    n_left: cython.double = cython.cast(cython.double, left)
    n_right: cython.double = cython.cast(cython.double, right)
    if plan.impurity == ENTROPY:
        if plan.arithmetic == SKLEARN:
            return -n_right * _entropy(search, _RIGHT, n_right) - n_left * _entropy(search, _LEFT, n_left)
        return before - (lists.xlog2_of[left] - left_terms + lists.xlog2_of[right] - right_terms)
    if plan.arithmetic == SKLEARN:
        return -n_right * (1.0 - right_terms / (n_right * n_right)) - n_left * (1.0 - left_terms / (n_left * n_left))
    return before - (n_left + n_right - left_terms / n_left - right_terms / n_right)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sklearn_gain(
    begin: cython.Py_ssize_t, end: cython.Py_ssize_t, lists: Lists, search: Search, subtree: Subtree, plan: Plan
) -> cython.double:
    """Return the gain of the cut that has the entries from `begin` to `end` on its left."""
    class_mask: cython.uint = (cython.cast(cython.uint, 1) << (lists.row_shift - 1)) - 1
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    before: cython.double
    size: cython.double = cython.cast(cython.double, search.hi - search.lo)
    left: cython.double = cython.cast(cython.double, end - begin)
    for c in range(search.counts.shape[1]):
        search.counts[_LEFT, c] = 0
        search.counts[_RIGHT, c] = cython.cast(cython.longlong, subtree.outcomes[search.node, c])
    before = _impurity(search, _RIGHT, size, plan.impurity)
    for i in range(begin, end):
        c = (lists.entry[i] >> 1) & class_mask
        search.counts[_LEFT, c] += 1
        search.counts[_RIGHT, c] -= 1
    return (
        before
        - (size - left) / size * _impurity(search, _RIGHT, size - left, plan.impurity)
        - left / size * _impurity(search, _LEFT, left, plan.impurity)
    )


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
@cython.nogil
@cython.exceptval(check=False)
def score_scale(n: cython.longlong, n_first: cython.longlong, plan: Plan) -> cython.double:
    """Return a factor c such that no score of a cut of two classes exceeds c * D * D / (left * right).

    D is by how many cases of the first class, times n, the left side has more than its share. For gini, that is the
    score itself; for entropy, a divergence is at most chi-square (in nats).
    """
    size: cython.double = cython.cast(cython.double, n)
    if plan.impurity == ENTROPY and n_first > 0 and n_first < n:
        return _LOG2_E * size / (n_first * (size - n_first))
    return 2.0 / size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_of_two(
    n_left: cython.longlong,
    in_left: cython.longlong,
    n: cython.longlong,
    n_first: cython.longlong,
    lists: Lists,
    search: Search,
    plan: Plan,
) -> cython.double:
    """Return the score of a cut of n cases of two classes; n_first are of the first class, in_left of these go left."""
    n_right: cython.longlong = n - n_left
    left_terms: cython.double = _pair(in_left, n_left - in_left, lists, plan.impurity)
    right_terms: cython.double = _pair(n_first - in_left, n_right - (n_first - in_left), lists, plan.impurity)
    search.counts[_LEFT, 0] = in_left
    search.counts[_LEFT, 1] = n_left - in_left
    search.counts[_RIGHT, 0] = n_first - in_left
    search.counts[_RIGHT, 1] = n_right - (n_first - in_left)
    return _score(n_left, n_right, left_terms, right_terms, search.before, lists, search, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_of_two(
    start: cython.Py_ssize_t, close: cython.int, lists: Lists, search: Search, subtree: Subtree, plan: Plan
) -> cython.Py_ssize_t:
    """Return the last entry on the left of the best cut for two classes, or -1; set its score in search.most."""
    min_side: cython.longlong = search.min_side
    begin: cython.Py_ssize_t = start + search.lo
    end: cython.Py_ssize_t = start + search.hi - min_side
    n: cython.longlong = search.hi - search.lo
    size: cython.double = cython.cast(cython.double, n)
    before: cython.double = search.before
    slack: cython.double = search.slack
    rounding: cython.double = _ROUNDING * size
    i: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    n_first: cython.longlong = cython.cast(cython.longlong, subtree.outcomes[search.node, 0])
    n_left: cython.longlong = 0
    surplus: cython.longlong = 0
    height: cython.double
    room: cython.double
    score: cython.double
    scale: cython.double = score_scale(n, n_first, plan)
    most: cython.double = -INFINITY if plan.zero_gain else 0.0
    bar: cython.double
    bar = -1.0 if plan.zero_gain else (slack - rounding) / scale
    for i in range(begin, begin + min_side - 1):
        surplus += n - n_first - n * cython.cast(cython.longlong, (lists.entry[i] >> 1) & 1)
        n_left += 1
    for i in range(begin + min_side - 1, end):
        surplus += n - n_first - n * cython.cast(cython.longlong, (lists.entry[i] >> 1) & 1)
        n_left += 1
        height = cython.cast(cython.double, surplus)
        room = cython.cast(cython.double, n_left * (n - n_left))
        if (height * height > bar * room) & (lists.entry[i + 1] & 1):
            if close >= 0 and not is_apart(lists, close, i, plan.value_gap):
                continue
            score = score_of_two(n_left, (surplus + n_left * n_first) // n, n, n_first, lists, search, plan)
            if score > most + slack:
                most = score
                best = i
                bar = (most + slack - rounding + (before if plan.arithmetic == SKLEARN else 0.0)) / scale
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
        score = _score(n_left, n_right, left_terms, right_terms, before, lists, search, plan)
        if score > most + slack:
            most = score
            best = i
            bar = most + slack - rounding - (0.0 if plan.arithmetic == SKLEARN else before)
    search.most = most
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_before(n: cython.longlong, lists: Lists, search: Search, subtree: Subtree, plan: Plan) -> cython.void:
    """Set search.before and search.slack for the node, which has n cases."""
    size: cython.double = cython.cast(cython.double, n)
    terms: cython.double = 0.0
    count: cython.double
    c: cython.Py_ssize_t
    for c in range(subtree.outcomes.shape[1]):
        count = subtree.outcomes[search.node, c]
        terms += lists.xlog2_of[cython.cast(cython.longlong, count)] if plan.impurity == ENTROPY else count * count
    search.before = lists.xlog2_of[n] - terms if plan.impurity == ENTROPY else size - terms / size
    search.slack = 0.0 if plan.arithmetic == SKLEARN else plan.tolerance * size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_classes(lists: Lists, search: Search, subtree: Subtree, found: Found, plan: Plan) -> cython.void:
    """Set the cut, gain, split information and improvement of the live attributes from search.first to search.last.

    Where gain ranks attributes, those after one whose cut leaves only pure sides are not searched: none is better.
    """
    n_classes: cython.Py_ssize_t = subtree.outcomes.shape[1]
    n: cython.longlong = search.hi - search.lo
    n_left: cython.longlong
    size: cython.double = cython.cast(cython.double, n)
    is_sklearn: cython.bint = plan.arithmetic == SKLEARN
    stops: cython.bint = plan.rank == BY_GAIN and not plan.cut_cost
    perfect: cython.Py_ssize_t = lists.n_attributes
    gain: cython.double
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    start: cython.Py_ssize_t
    best: cython.Py_ssize_t
    set_before(n, lists, search, subtree, plan)
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
        if n_classes == 2:
            best = _best_of_two(start, lists.close[a], lists, search, subtree, plan)
        else:
            best = _best_of_many(start, lists.close[a], lists, search, subtree, plan)
        if best < 0:
            continue
        if stops and a < perfect and search.most - (0.0 if is_sklearn else search.before) >= -search.slack / 2.0:
            perfect = a
        gain = search.most / size
        if is_sklearn:
            gain = _sklearn_gain(start + search.lo, best + 1, lists, search, subtree, plan)
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
        found.split_info[a] = (lists.xlog2_of[n] - lists.xlog2_of[n_left] - lists.xlog2_of[n - n_left]) / size
        found.improvement[a] = search.most
