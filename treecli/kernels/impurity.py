"""Impurity times weight.

Outcomes are a row of additive numbers: the weight of each class or, for a numeric target, weight, sum and sum of
squares. Impurities are multiplied by the weight so that a split's gain is a difference.
"""

import cython
from cython.cimports.libc.math import log2, sqrt

_ENTROPY = cython.declare(cython.int, 0)
_GINI = cython.declare(cython.int, 1)
_ERROR = cython.declare(cython.int, 2)
_VARIANCE = cython.declare(cython.int, 3)
_DEVIATION = cython.declare(cython.int, 5)

CODES = {"entropy": 0, "gini": 1, "error": 2, "variance": 3, "absolute": 4, "deviation": 5}
"""The codes of the impurities; absolute error cannot be computed from sums, see score_medians."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def xlog2(x: cython.double) -> cython.double:
    """Return x log2 x; 0 if x is 0 up to rounding."""
    if x <= 0.0:
        return 0.0
    return x * log2(x)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def deviation(weight: cython.double, squares: cython.double, least: cython.double) -> cython.double:
    """Return weight times standard deviation from the squared deviations; 0 if the variance is at most `least`."""
    return sqrt(weight * squares) if squares > least * weight else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def spread(
    outcomes: cython.double[:, ::1], row: cython.Py_ssize_t, impurity: cython.int, least: cython.double
) -> cython.double:
    """Return weight times impurity of one row of outcomes; a variance of at most `least` has no standard deviation."""
    n: cython.Py_ssize_t = outcomes.shape[1]
    i: cython.Py_ssize_t
    total: cython.double = 0.0
    inner: cython.double = 0.0
    count: cython.double
    if impurity == _VARIANCE or impurity == _DEVIATION:
        if outcomes[row, 0] <= 0.0:
            return 0.0
        inner = outcomes[row, 2] - outcomes[row, 1] * outcomes[row, 1] / outcomes[row, 0]
        if impurity == _DEVIATION:
            return deviation(outcomes[row, 0], inner, least)
        return inner if inner > 0.0 else 0.0
    for i in range(n):
        count = outcomes[row, i]
        total += count
        if impurity == _ENTROPY:
            inner += xlog2(count)
        elif impurity == _GINI:
            inner += count * count
        elif impurity == _ERROR and count > inner:
            inner = count
    if total <= 0.0:
        return 0.0
    if impurity == _ENTROPY:
        return xlog2(total) - inner
    if impurity == _GINI:
        return total - inner / total
    return total - inner


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def total(outcomes: cython.double[:, ::1], row: cython.Py_ssize_t, is_numeric: cython.bint) -> cython.double:
    """Return the weight of one row of outcomes."""
    i: cython.Py_ssize_t
    added: cython.double = 0.0
    if is_numeric:
        return outcomes[row, 0]
    for i in range(outcomes.shape[1]):
        added += outcomes[row, i]
    return added


def totals(outcomes: cython.double[:, ::1], is_numeric: cython.bint, out: cython.double[::1]) -> None:
    """Fill `out` with the weight of every row of outcomes, summed class by class; numpy's sum rounds differently."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(outcomes.shape[0]):
            out[row] = total(outcomes, row, is_numeric)


def spreads(
    outcomes: cython.double[:, ::1], impurity: cython.int, least: cython.double, out: cython.double[::1]
) -> None:
    """Fill `out` with weight times impurity of every row of outcomes."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(outcomes.shape[0]):
            out[row] = spread(outcomes, row, impurity, least)


def fill_xlog2(out: cython.double[::1]) -> None:
    """Fill out[n] with n log2 n, bit-identical to xlog2."""
    n: cython.Py_ssize_t
    with cython.nogil:
        for n in range(out.shape[0]):
            out[n] = xlog2(n)
