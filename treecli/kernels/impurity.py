"""How mixed the outcomes of some cases are, times their weight.

Outcomes are a row of numbers that add up over cases: the weight of each class or, for a numeric target, weight,
sum and sum of squares. Times the weight, because then a split's gain is a plain difference.
"""

import cython
from cython.cimports.libc.math import log2

_ENTROPY = cython.declare(cython.int, 0)
_GINI = cython.declare(cython.int, 1)
_ERROR = cython.declare(cython.int, 2)
_VARIANCE = cython.declare(cython.int, 3)

CODES = {"entropy": 0, "gini": 1, "error": 2, "variance": 3, "absolute": 4}
"""The numbers by which the kernels know the measures; absolute error is not to be had from sums, see medians."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def xlog2(x: cython.double) -> cython.double:
    """x times log2 x, and 0 where rounding has left next to nothing."""
    if x <= 0.0:
        return 0.0
    return x * log2(x)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def spread(outcomes: cython.double[:, ::1], row: cython.Py_ssize_t, impurity: cython.int) -> cython.double:
    """Weight times impurity of one row of outcomes."""
    n: cython.Py_ssize_t = outcomes.shape[1]
    i: cython.Py_ssize_t
    total: cython.double = 0.0
    inner: cython.double = 0.0
    count: cython.double
    if impurity == _VARIANCE:
        if outcomes[row, 0] <= 0.0:
            return 0.0
        inner = outcomes[row, 2] - outcomes[row, 1] * outcomes[row, 1] / outcomes[row, 0]
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
    """The weight of one row of outcomes."""
    i: cython.Py_ssize_t
    added: cython.double = 0.0
    if is_numeric:
        return outcomes[row, 0]
    for i in range(outcomes.shape[1]):
        added += outcomes[row, i]
    return added


def totals(outcomes: cython.double[:, ::1], is_numeric: cython.bint, out: cython.double[::1]) -> None:
    """Fills `out` with the weight of every row of outcomes, added up class by class, as numpy's sum is not."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(outcomes.shape[0]):
            out[row] = total(outcomes, row, is_numeric)


def spreads(outcomes: cython.double[:, ::1], impurity: cython.int, out: cython.double[::1]) -> None:
    """Fills `out` with weight times impurity of every row of outcomes."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(outcomes.shape[0]):
            out[row] = spread(outcomes, row, impurity)


def fill_xlog2(out: cython.double[::1]) -> None:
    """Fills out[n] with n log2 n, in every bit what xlog2 gives."""
    n: cython.Py_ssize_t
    with cython.nogil:
        for n in range(out.shape[0]):
            out[n] = xlog2(n)
