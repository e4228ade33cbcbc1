"""The best threshold of a numeric column by the impurity after the split, computed as in scikit-learn.

scikit-learn 1.9 compares cuts without a tolerance, so rounding decides between equally good cuts. This module uses the
same summation order and the same formulas (its _criterion.pyx and _splitter.pyx).
"""

import cython
from cython.cimports.libc.math import log

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from numpy import float32

    from treecli.kernels.args import At, Cases, Found, Order, Plan, Scratch, Sent
    from treecli.kernels.codes import ENTROPY, GINI, KNOWN_OR_NOT, NO_SIDE, SPREAD, VARIANCE
    from treecli.kernels.impurity import xlog2
    from treecli.kernels.pearson import degrees_of_freedom, statistic

    # The rows of Scratch.sides: each side of a cut, and all cases that count.
    _LEFT, _RIGHT, _ALL = range(3)
    # Its columns, where the target is numeric.
    _SUM, _SQUARES = 1, 2

INFINITY = cython.declare(cython.double, float("inf"))

SCRATCH_ROWS = 3
"""The rows of Scratch.sides, with a column for each outcome."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def parted(lower: cython.double, upper: cython.double, value_gap: cython.double, is_single: cython.bint) -> cython.bint:
    """Return whether two neighbouring values differ by more than the gap; computed in 32 bits if `is_single`."""
    reach: cython.float
    if not is_single:
        return lower + value_gap < upper
    reach = lower + value_gap
    if not cython.compiled:
        reach = float32(reach)
    return reach < upper


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _impurity(row: cython.Py_ssize_t, weight: cython.double, impurity: cython.int, scratch: Scratch) -> cython.double:
    """Return the impurity of one row of outcomes, which has this weight."""
    c: cython.Py_ssize_t
    share: cython.double
    total: cython.double = 0.0
    if impurity == VARIANCE:
        share = scratch.sides[row, _SUM] / weight
        return scratch.sides[row, _SQUARES] / weight - share * share
    for c in range(scratch.sides.shape[1]):
        if impurity == ENTROPY:
            if scratch.sides[row, c] > 0.0:
                share = scratch.sides[row, c] / weight
                total -= share * (log(share) / log(2.0))
        elif impurity == GINI:
            total += scratch.sides[row, c] * scratch.sides[row, c]
        elif scratch.sides[row, c] > total:
            total = scratch.sides[row, c]
    if impurity == ENTROPY:
        return total
    if impurity == GINI:
        return 1.0 - total / (weight * weight)
    return 1.0 - total / weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _improvement(left: cython.double, right: cython.double, impurity: cython.int, scratch: Scratch) -> cython.double:
    """Return minus the impurity after the cut or, for a numeric target, the squared sums per weight."""
    left_sum: cython.double
    right_sum: cython.double
    if impurity == VARIANCE:
        left_sum = scratch.sides[_LEFT, _SUM]
        right_sum = scratch.sides[_RIGHT, _SUM]
        return left_sum * left_sum / left + right_sum * right_sum / right
    return -right * _impurity(_RIGHT, right, impurity, scratch) - left * _impurity(_LEFT, left, impurity, scratch)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(
    row: cython.Py_ssize_t,
    case: cython.Py_ssize_t,
    w: cython.double,
    cases: Cases,
    is_numeric: cython.bint,
    scratch: Scratch,
) -> cython.void:
    """Add a case with the weight w to a row of outcomes."""
    y: cython.double
    if is_numeric:
        y = cases.target[case]
        scratch.sides[row, 0] += w
        scratch.sides[row, _SUM] += w * y
        scratch.sides[row, _SQUARES] += w * y * y
    else:
        scratch.sides[row, cases.label[case]] += w


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _case(q: cython.Py_ssize_t, n_before: cython.Py_ssize_t, at: At, order: Order) -> cython.Py_ssize_t:
    """Return the q-th case of a node, with `n_before` cases with missing values placed before the known ones."""
    return order.case[at.begin + q - n_before if q >= n_before else at.end + q]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear(row: cython.Py_ssize_t, scratch: Scratch) -> cython.void:
    c: cython.Py_ssize_t
    for c in range(scratch.sides.shape[1]):
        scratch.sides[row, c] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_right(scratch: Scratch) -> cython.void:
    """Set the right side to all cases less those on the left."""
    c: cython.Py_ssize_t
    for c in range(scratch.sides.shape[1]):
        scratch.sides[_RIGHT, c] = scratch.sides[_ALL, c] - scratch.sides[_LEFT, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut(at: At, cases: Cases, order: Order, plan: Plan, found: Found, scratch: Scratch) -> cython.void:
    """Set entry at.node of `found` to the best cut of one node, as best_cuts does.

    Its cases are at.begin to at.last (exclusive) in the order; missing values start at at.end.
    """
    node: cython.Py_ssize_t = at.node
    is_numeric: cython.bint = plan.is_numeric
    impurity: cython.int = plan.impurity
    min_leaf: cython.double = plan.min_leaf - plan.tolerance
    min_rows: cython.double = plan.min_rows
    only_at: cython.double = at.only_at
    n: cython.Py_ssize_t = at.last - at.begin
    n_missing: cython.Py_ssize_t = at.last - at.end
    shift: cython.Py_ssize_t = 0
    moved: cython.Py_ssize_t
    place: cython.Py_ssize_t
    p: cython.Py_ssize_t
    q: cython.Py_ssize_t
    c: cython.Py_ssize_t
    best_place: cython.Py_ssize_t = 0
    best_shift: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    is_cut: cython.bint
    w: cython.double
    weight: cython.double = 0.0
    known: cython.double
    left: cython.double
    improvement: cython.double
    for c in range(scratch.sides.shape[1]):
        scratch.sides[_ALL, c] = cases.totals[node, c]
    for c in range(1 if is_numeric else scratch.sides.shape[1]):
        weight += scratch.sides[_ALL, c]
    known = weight
    if n_missing > 0 and not plan.missing_is_value:
        for q in range(at.end, at.last):
            k = order.case[q]
            w = -cases.weight[k]
            known += w
            _add(_ALL, k, w, cases, is_numeric, scratch)
        n -= n_missing
        n_missing = 0
    while True:
        moved = 0
        left = 0.0
        _clear(_LEFT, scratch)
        for p in range(shift + 1, n):
            is_cut = True
            place = at.begin + p - shift
            if place < at.end:
                if not parted(order.value[place - 1], order.value[place], order.gap, plan.is_single):
                    continue
                if only_at == only_at and not (order.value[place - 1] <= only_at < order.value[place]):
                    continue
            elif place == at.end:
                is_cut = False
            else:
                break
            if p < min_rows or n - p < min_rows:
                continue
            # scikit-learn adds cases to the left, or subtracts from the total, whichever takes fewer steps.
            if p - moved <= n - p:
                for q in range(moved, p):
                    k = _case(q, shift, at, order)
                    w = cases.weight[k]
                    left += w
                    _add(_LEFT, k, w, cases, is_numeric, scratch)
            else:
                left = known
                for c in range(scratch.sides.shape[1]):
                    scratch.sides[_LEFT, c] = scratch.sides[_ALL, c]
                for q in range(n - 1, p - 1, -1):
                    k = _case(q, shift, at, order)
                    w = -cases.weight[k]
                    left += w
                    _add(_LEFT, k, w, cases, is_numeric, scratch)
            _set_right(scratch)
            moved = p
            if left < min_leaf or known - left < min_leaf or left <= 0.0 or known - left <= 0.0:
                continue
            improvement = _improvement(left, known - left, impurity, scratch)
            if improvement > found.improvement[node]:
                found.improvement[node] = improvement
                best_place = p
                best_shift = shift
                if not is_cut:
                    found.missing_side[node] = KNOWN_OR_NOT
                    continue
                found.lower[node] = order.value[place - 1]
                found.upper[node] = order.value[place]
                if plan.missing_is_value:
                    found.missing_side[node] = 0 if shift > 0 or (n_missing == 0 and p > n - p) else 1
        if shift > 0 or n_missing == 0:
            break
        shift = n_missing
    if best_place == 0:
        return
    left = 0.0
    _clear(_LEFT, scratch)
    for q in range(best_place):
        k = _case(q, best_shift, at, order)
        w = cases.weight[k]
        left += w
        _add(_LEFT, k, w, cases, is_numeric, scratch)
    _set_right(scratch)
    _set_gain(weight, known, left, at, plan, found, scratch)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_gain(
    weight: cython.double,
    known: cython.double,
    left: cython.double,
    at: At,
    plan: Plan,
    found: Found,
    scratch: Scratch,
) -> cython.void:
    """Set gain, split information and chi-square of the best cut, whose sides are in `scratch`."""
    node: cython.Py_ssize_t = at.node
    impurity: cython.int = plan.impurity
    found.gain[node] = (
        _impurity(_ALL, known, impurity, scratch)
        - (known - left) / known * _impurity(_RIGHT, known - left, impurity, scratch)
        - left / known * _impurity(_LEFT, left, impurity, scratch)
    )
    if known < weight:
        found.gain[node] *= known / weight
    found.split_info[node] = (xlog2(weight) - xlog2(left) - xlog2(known - left) - xlog2(weight - known)) / weight
    if plan.wants_chi2:
        found.chi2[node] = statistic(scratch.sides, _LEFT, 2)
        found.freedom[node] = degrees_of_freedom(scratch.sides, _LEFT, 2)


def best_cuts(
    cases: Cases, order: Order, only_at: cython.double[::1], at: At, plan: Plan, found: Found, scratch: Scratch
) -> None:
    """Fill `found` with the best cut of every node; gain and improvement are -inf where there is none.

    cases.totals[i] are the sums of node i about 0; cases with missing values are subtracted unless these count.
    only_at[i], unless NaN, is the only allowed threshold. The improvement ranks the cuts of all columns at a node. Ties
    go to the first cut: those with missing values on the right in ascending order, then known values against missing
    ones, then those with missing values on the left. If no training value is missing, missing values in prediction take
    the side with more cases (ties: the right).
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            at.node = node
            at.begin = cases.start[node]
            at.end = at.begin + order.n_known[node]
            at.last = cases.start[node + 1]
            at.only_at = only_at[node]
            found.improvement[node] = -INFINITY
            found.gain[node] = -INFINITY
            found.split_info[node] = 0.0
            found.missing_side[node] = NO_SIDE
            found.chi2[node] = 0.0
            found.freedom[node] = 0
            _best_cut(at, cases, order, plan, found, scratch)


def ranges(cases: Cases, sent: Sent, lowest: cython.double[::1], highest: cython.double[::1]) -> None:
    """Widen lowest and highest to hold the targets of every child; a case that takes all branches is in each child."""
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            if sent.first_child[node] == sent.first_child[node + 1]:
                continue
            for case in range(cases.start[node], cases.start[node + 1]):
                if sent.branch[case] < SPREAD:
                    continue
                begin = sent.first_child[node]
                end = sent.first_child[node + 1]
                if sent.branch[case] != SPREAD:
                    begin += sent.branch[case]
                    end = begin + 1
                for child in range(begin, end):
                    if cases.target[case] < lowest[child]:
                        lowest[child] = cases.target[case]
                    if cases.target[case] > highest[child]:
                        highest[child] = cases.target[case]
