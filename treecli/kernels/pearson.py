"""Pearson's chi-square test of independence of branches and classes."""

import cython
from cython.cimports.libc.math import exp, fabs, log, log1p

_PRECISION = cython.declare(cython.double, 1e-15)
_TINY = cython.declare(cython.double, 1e-300)
_MOST_STEPS = cython.declare(cython.int, 100000)
_LARGE = cython.declare(cython.double, 20.0)
_HALF_LOG_2_PI = cython.declare(cython.double, 0.9189385332046727)
_ROOT_OF_PI = cython.declare(cython.double, 1.7724538509055159)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _row_total(table: cython.double[:, ::1], row: cython.Py_ssize_t) -> cython.double:
    c: cython.Py_ssize_t
    total: cython.double = 0.0
    for c in range(table.shape[1]):
        total += table[row, c]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _column_total(
    table: cython.double[:, ::1], first: cython.Py_ssize_t, n_rows: cython.Py_ssize_t, column: cython.Py_ssize_t
) -> cython.double:
    row: cython.Py_ssize_t
    total: cython.double = 0.0
    for row in range(first, first + n_rows):
        total += table[row, column]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def statistic(table: cython.double[:, ::1], first: cython.Py_ssize_t, n_rows: cython.Py_ssize_t) -> cython.double:
    """Return the sum of (observed - expected)² / expected over a run of rows of branch × class weights."""
    row: cython.Py_ssize_t
    c: cython.Py_ssize_t
    total: cython.double = 0.0
    found: cython.double = 0.0
    in_column: cython.double
    expected: cython.double
    for row in range(first, first + n_rows):
        total += _row_total(table, row)
    for c in range(table.shape[1]):
        in_column = _column_total(table, first, n_rows, c)
        if in_column <= 0.0:
            continue
        for row in range(first, first + n_rows):
            expected = _row_total(table, row) * in_column / total
            if expected > 0.0:
                found += (table[row, c] - expected) * (table[row, c] - expected) / expected
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def degrees_of_freedom(
    table: cython.double[:, ::1], first: cython.Py_ssize_t, n_rows: cython.Py_ssize_t
) -> cython.longlong:
    """(branches that hold cases - 1) times (classes that occur - 1)."""
    row: cython.Py_ssize_t
    c: cython.Py_ssize_t
    branches: cython.longlong = 0
    classes: cython.longlong = 0
    for row in range(first, first + n_rows):
        if _row_total(table, row) > 0.0:
            branches += 1
    for c in range(table.shape[1]):
        if _column_total(table, first, n_rows, c) > 0.0:
            classes += 1
    return (branches - 1) * (classes - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _log_gamma(a: cython.double) -> cython.double:
    """Return the logarithm of the gamma function of a multiple of one half.

    lgamma is not used: C's and Python's differ in the last digits, and compiled and uncompiled kernels must agree.
    """
    product: cython.double = 1.0
    if a >= _LARGE:  # Stirling's series
        return (
            (a - 0.5) * log(a)
            - a
            + _HALF_LOG_2_PI
            + (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * a * a)) / (a * a)) / (a * a)) / a
        )
    while a > 1.0:
        a -= 1.0
        product *= a
    return log(product) if a == 1.0 else log(product * _ROOT_OF_PI)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _series(a: cython.double, x: cython.double) -> cython.double:
    """Return the lower incomplete gamma function over x^a e^-x, by a series; good below x = a + 1."""
    term: cython.double = 1.0 / a
    total: cython.double = term
    step: cython.int
    for step in range(1, _MOST_STEPS):
        term *= x / (a + step)
        total += term
        if term < total * _PRECISION:
            break
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fraction(a: cython.double, x: cython.double) -> cython.double:
    """Return the upper incomplete gamma function over x^a e^-x, by Lentz's continued fraction; good from x = a + 1."""
    term: cython.double
    b: cython.double = x + 1.0 - a
    c: cython.double = 1.0 / _TINY
    d: cython.double = 1.0 / b
    total: cython.double = d
    factor: cython.double
    step: cython.int
    for step in range(1, _MOST_STEPS):
        factor = -step * (step - a)
        b += 2.0
        d = factor * d + b
        if fabs(d) < _TINY:
            d = _TINY
        c = b + factor / c
        if fabs(c) < _TINY:
            c = _TINY
        d = 1.0 / d
        term = d * c
        total *= term
        if fabs(term - 1.0) < _PRECISION:
            break
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _upper_gamma(a: cython.double, x: cython.double) -> cython.double:
    """Return the regularised upper incomplete gamma function."""
    if x <= 0.0:
        return 1.0
    if x < a + 1.0:
        return 1.0 - _series(a, x) * exp(a * log(x) - x - _log_gamma(a))
    return _fraction(a, x) * exp(a * log(x) - x - _log_gamma(a))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def log_p(chi2: cython.double, freedom: cython.longlong) -> cython.double:
    """Return the natural logarithm of a p-value; finite even if the p-value underflows."""
    a: cython.double = freedom / 2.0
    x: cython.double = chi2 / 2.0
    if freedom <= 0 or x <= 0.0:
        return 0.0
    if x < a + 1.0:
        return log1p(-_series(a, x) * exp(a * log(x) - x - _log_gamma(a)))
    return log(_fraction(a, x)) + a * log(x) - x - _log_gamma(a)


def p_values(chi2: cython.double[::1], freedom: cython.longlong[::1], out: cython.double[::1]) -> None:
    """Fill `out` with the p-values under independence."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(chi2.shape[0]):
            out[i] = _upper_gamma(freedom[i] / 2.0, chi2[i] / 2.0) if freedom[i] > 0 else 1.0


def log_p_values(chi2: cython.double[::1], freedom: cython.longlong[::1], out: cython.double[::1]) -> None:
    """Fill `out` with the natural logarithms of the p-values."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(chi2.shape[0]):
            out[i] = log_p(chi2[i], freedom[i])
