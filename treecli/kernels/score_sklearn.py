"""The best threshold of a numeric attribute by what it leaves of the impurity, reckoned as scikit-learn reckons it.

scikit-learn 1.9 compares cuts without any tolerance, so which of two equally good ones wins is a matter of rounding.
Here sums are taken in the same order and impurities by the same formulas (its _criterion.pyx and _splitter.pyx).
"""

import cython
from cython.cimports.libc.math import log

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from numpy import float32

    from treecli.kernels.impurity import xlog2
    from treecli.kernels.pearson import degrees_of_freedom, statistic

LEFT_AND_RIGHT = 2

INFINITY = cython.declare(cython.double, float("inf"))
_ENTROPY = cython.declare(cython.int, 0)
_GINI = cython.declare(cython.int, 1)
_VARIANCE = cython.declare(cython.int, 3)
_NO_SIDE = cython.declare(cython.int, -1)
_KNOWN_OR_NOT = cython.declare(cython.int, 2)
_ALL_BRANCHES = cython.declare(cython.int, -1)

# The rows of the scratch table, and what they hold of a numeric target.
_LEFT = cython.declare(cython.Py_ssize_t, 0)
_RIGHT = cython.declare(cython.Py_ssize_t, 1)
_SUM = cython.declare(cython.Py_ssize_t, 1)
_SQUARES = cython.declare(cython.Py_ssize_t, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def parted(lower: cython.double, upper: cython.double, value_gap: cython.double, is_single: cython.bint) -> cython.bint:
    """Whether two neighbouring values are further apart than the gap; added in 32 bits where values have no more."""
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
def _impurity(
    sides: cython.double[:, ::1], row: cython.Py_ssize_t, weight: cython.double, impurity: cython.int
) -> cython.double:
    c: cython.Py_ssize_t
    share: cython.double
    total: cython.double = 0.0
    if impurity == _VARIANCE:
        share = sides[row, _SUM] / weight
        return sides[row, _SQUARES] / weight - share * share
    for c in range(sides.shape[1]):
        if impurity == _ENTROPY:
            if sides[row, c] > 0.0:
                share = sides[row, c] / weight
                total -= share * (log(share) / log(2.0))
        elif impurity == _GINI:
            total += sides[row, c] * sides[row, c]
        elif sides[row, c] > total:
            total = sides[row, c]
    if impurity == _ENTROPY:
        return total
    if impurity == _GINI:
        return 1.0 - total / (weight * weight)
    return 1.0 - total / weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _worth(
    sides: cython.double[:, ::1], left: cython.double, right: cython.double, impurity: cython.int
) -> cython.double:
    """What is to be largest: minus the impurity that is left or, for the same end, the squared sums per weight."""
    if impurity == _VARIANCE:
        return sides[_LEFT, _SUM] * sides[_LEFT, _SUM] / left + sides[_RIGHT, _SUM] * sides[_RIGHT, _SUM] / right
    return -right * _impurity(sides, _RIGHT, right, impurity) - left * _impurity(sides, _LEFT, left, impurity)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add(
    sides: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    is_numeric: cython.bint,
    class_code: cython.int,
    y: cython.double,
    w: cython.double,
) -> cython.void:
    if is_numeric:
        sides[row, 0] += w
        sides[row, _SUM] += w * y
        sides[row, _SQUARES] += w * y * y
    else:
        sides[row, class_code] += w


def best_cuts(
    start: cython.longlong[::1],
    n_known: cython.longlong[::1],
    case: cython.int[::1],
    value: cython.double[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    impurity: cython.int,
    is_numeric: cython.bint,
    only_at: cython.double[::1],
    missing_is_value: cython.bint,
    min_leaf: cython.double,
    min_rows: cython.double,
    value_gap: cython.double,
    is_single: cython.bint,
    wants_chi2: cython.bint,
    totals: cython.double[:, ::1],
    sides: cython.double[:, ::1],
    worth: cython.double[::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    missing_side: cython.int[::1],
    chi2: cython.double[::1],
    freedom: cython.longlong[::1],
) -> None:
    """Fills the last eight arrays with the best cut of every node; gain and worth are -inf where there is none.

    Arguments are those of kernels.cuts.best_cuts, but totals[i] are the sums of node i about 0, of which those without
    a value are taken away unless they count. `worth` ranks the cuts of all attributes at a node. Of equal cuts the
    first wins: those with missing values on the right from the lowest on, then known values against missing ones, then
    those with missing values on the left. Where no value is missing, later ones are to take the side with more cases,
    the right one of equals.
    """
    node: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n: cython.Py_ssize_t
    n_missing: cython.Py_ssize_t
    shift: cython.Py_ssize_t
    moved: cython.Py_ssize_t
    place: cython.Py_ssize_t
    p: cython.Py_ssize_t
    q: cython.Py_ssize_t
    c: cython.Py_ssize_t
    best_place: cython.Py_ssize_t
    best_shift: cython.Py_ssize_t
    is_cut: cython.bint
    w: cython.double
    weight: cython.double
    known: cython.double
    left: cython.double
    found: cython.double
    before: cython.double
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            begin = start[node]
            end = begin + n_known[node]
            worth[node] = -INFINITY
            gain[node] = -INFINITY
            split_info[node] = 0.0
            missing_side[node] = _NO_SIDE
            chi2[node] = 0.0
            freedom[node] = 0
            n_missing = start[node + 1] - end
            n = start[node + 1] - begin
            weight = 0.0
            for c in range(1 if is_numeric else totals.shape[1]):
                weight += totals[node, c]
            known = weight
            if n_missing > 0 and not missing_is_value:
                for q in range(end, start[node + 1]):
                    w = -weight_of_case[case[q]]
                    known += w
                    _add(totals, node, is_numeric, class_of_case[case[q]], target_of_case[case[q]], w)
                n -= n_missing
                n_missing = 0
            best_place = 0
            best_shift = 0
            shift = 0
            while True:
                moved = 0
                left = 0.0
                for c in range(totals.shape[1]):
                    sides[_LEFT, c] = 0.0
                for p in range(shift + 1, n):
                    is_cut = True
                    place = begin + p - shift
                    if place < end:
                        if not parted(value[place - 1], value[place], value_gap, is_single):
                            continue
                        if only_at[node] == only_at[node] and not (value[place - 1] <= only_at[node] < value[place]):
                            continue
                    elif place == end:
                        is_cut = False
                    else:
                        break
                    if p < min_rows or n - p < min_rows:
                        continue
                    if p - moved <= n - p:
                        for q in range(moved, p):
                            place = begin + q - shift if q >= shift else end + q
                            w = weight_of_case[case[place]]
                            left += w
                            _add(sides, _LEFT, is_numeric, class_of_case[case[place]], target_of_case[case[place]], w)
                    else:
                        left = known
                        for c in range(totals.shape[1]):
                            sides[_LEFT, c] = totals[node, c]
                        for q in range(n - 1, p - 1, -1):
                            place = begin + q - shift if q >= shift else end + q
                            w = -weight_of_case[case[place]]
                            left += w
                            _add(sides, _LEFT, is_numeric, class_of_case[case[place]], target_of_case[case[place]], w)
                    for c in range(totals.shape[1]):
                        sides[_RIGHT, c] = totals[node, c] - sides[_LEFT, c]
                    moved = p
                    if left < min_leaf or known - left < min_leaf or left <= 0.0 or known - left <= 0.0:
                        continue
                    found = _worth(sides, left, known - left, impurity)
                    if found > worth[node]:
                        worth[node] = found
                        best_place = p
                        best_shift = shift
                        if not is_cut:
                            missing_side[node] = _KNOWN_OR_NOT
                            continue
                        lower[node] = value[begin + p - shift - 1]
                        upper[node] = value[begin + p - shift]
                        if missing_is_value:
                            missing_side[node] = 0 if shift > 0 or (n_missing == 0 and p > n - p) else 1
                if shift > 0 or n_missing == 0:
                    break
                shift = n_missing
            if best_place == 0:
                continue
            before = _impurity(totals, node, known, impurity)
            left = 0.0
            for c in range(totals.shape[1]):
                sides[_LEFT, c] = 0.0
            for q in range(best_place):
                place = begin + q - best_shift if q >= best_shift else end + q
                w = weight_of_case[case[place]]
                left += w
                _add(sides, _LEFT, is_numeric, class_of_case[case[place]], target_of_case[case[place]], w)
            for c in range(totals.shape[1]):
                sides[_RIGHT, c] = totals[node, c] - sides[_LEFT, c]
            gain[node] = (
                before
                - (known - left) / known * _impurity(sides, _RIGHT, known - left, impurity)
                - left / known * _impurity(sides, _LEFT, left, impurity)
            )
            if known < weight:
                gain[node] *= known / weight
            split_info[node] = (xlog2(weight) - xlog2(left) - xlog2(known - left) - xlog2(weight - known)) / weight
            if wants_chi2:
                chi2[node] = statistic(sides, _LEFT, 2)
                freedom[node] = degrees_of_freedom(sides, _LEFT, 2)


def ranges(
    start: cython.longlong[::1],
    first_child: cython.longlong[::1],
    branch_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    lowest: cython.double[::1],
    highest: cython.double[::1],
) -> None:
    """Widens the last two arrays to hold the targets of every child; a case on its way down all branches is in each."""
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            if first_child[node] == first_child[node + 1]:
                continue
            for case in range(start[node], start[node + 1]):
                if branch_of_case[case] < _ALL_BRANCHES:
                    continue
                begin = first_child[node]
                end = first_child[node + 1]
                if branch_of_case[case] != _ALL_BRANCHES:
                    begin += branch_of_case[case]
                    end = begin + 1
                for child in range(begin, end):
                    if target_of_case[case] < lowest[child]:
                        lowest[child] = target_of_case[case]
                    if target_of_case[case] > highest[child]:
                        highest[child] = target_of_case[case]
