"""Scores of cuts by the classes of the cases on both sides, from packed lists, and bounds on them.

The scores are those of score_sums and score_sklearn.
"""

import cython
from cython.cimports.libc.math import log, sqrt

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import ENTROPY, SKLEARN
    from treecli.kernels.packed_args import Lists, Search, Subtree

    # The rows of Search.counts.
    _LEFT, _RIGHT = range(2)

_LOG2_E = cython.declare(cython.double, 1.4426950408889634)

# Less than rounding makes of a product.
_LESS = cython.declare(cython.double, 1.0 - 1e-12)

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
def _entropy_decrease(
    left: cython.longlong,
    right: cython.longlong,
    left_terms: cython.double,
    right_terms: cython.double,
    before: cython.double,
    lists: Lists,
) -> cython.double:
    """Return the decrease of weight times entropy by a cut."""
    return before - (lists.xlog2_of[left] - left_terms + lists.xlog2_of[right] - right_terms)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_of(
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
        return _entropy_decrease(left, right, left_terms, right_terms, before, lists)
    if plan.arithmetic == SKLEARN:
        return -n_right * (1.0 - right_terms / (n_right * n_right)) - n_left * (1.0 - left_terms / (n_left * n_left))
    return before - (n_left + n_right - left_terms / n_left - right_terms / n_right)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sklearn_gain(
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
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _halves(far: cython.double, share: cython.double) -> cython.double:
    """Return at most how many halves of chi-square the divergence of a share from that of the node is.

    `share` is that of the rarer class in the node, from which the other differs by at most `far`. The bound is that of
    ln(1 + u) <= u * (6 + u) / (6 + 4 * u) for u > -1; it is largest at the end towards 0.
    """
    down: cython.double
    up: cython.double
    if far > share:
        far = share
    down = far / share
    up = far / (1.0 - share)
    return (1.0 - share) * (3.0 - down) / (3.0 - 2.0 * down) + share * (3.0 + up) / (3.0 + 2.0 * up)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bar_between(
    bar: cython.double,
    low: cython.longlong,
    high: cython.longlong,
    n: cython.longlong,
    n_first: cython.longlong,
    plan: Plan,
) -> cython.double:
    """Return a higher bar than `bar` for cuts with `low` to `high` cases on the left: no cut below it scores as much.

    `bar` is a score divided by score_scale. Shares that differ little from that of the node score half of chi-square.
    """
    size: cython.double = cython.cast(cython.double, n)
    share: cython.double = (n_first if n_first * 2 <= n else n - n_first) / size
    twice: cython.double = 2.0 * bar
    from_left: cython.double
    from_right: cython.double
    few: cython.double
    many: cython.double
    if plan.impurity != ENTROPY or not bar > 0.0 or not share > 0.0:
        return bar
    # How far the shares of both sides are from that of the node where D * D is twice the bar times left * right.
    from_left = sqrt(twice * (n - low) / low) / size
    from_right = sqrt(twice * high / (n - high)) / size
    from_left = _halves(from_left, share)
    from_right = _halves(from_right, share)
    few = (n - low) * from_left + low * from_right
    many = (n - high) * from_left + high * from_right
    twice *= _LESS * size / (few if few > many else many)
    return twice if twice > bar else bar


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def split_info_of(n_left: cython.longlong, n: cython.longlong, lists: Lists) -> cython.double:
    """Return the split information of a cut of n cases."""
    return (lists.xlog2_of[n] - lists.xlog2_of[n_left] - lists.xlog2_of[n - n_left]) / cython.cast(cython.double, n)


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
    in_right: cython.longlong = n_first - in_left
    left_terms: cython.double
    right_terms: cython.double
    if plan.impurity == ENTROPY and plan.arithmetic != SKLEARN:
        left_terms = lists.xlog2_of[in_left] + lists.xlog2_of[n_left - in_left]
        right_terms = lists.xlog2_of[in_right] + lists.xlog2_of[n_right - in_right]
        return _entropy_decrease(n_left, n_right, left_terms, right_terms, search.before, lists)
    left_terms = _pair(in_left, n_left - in_left, lists, plan.impurity)
    right_terms = _pair(in_right, n_right - in_right, lists, plan.impurity)
    search.counts[_LEFT, 0] = in_left
    search.counts[_LEFT, 1] = n_left - in_left
    search.counts[_RIGHT, 0] = in_right
    search.counts[_RIGHT, 1] = n_right - in_right
    return score_of(n_left, n_right, left_terms, right_terms, search.before, lists, search, plan)


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
