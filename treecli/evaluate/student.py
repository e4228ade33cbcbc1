"""Confidence intervals of a mean, by Student's t."""

from __future__ import annotations

from math import exp, lgamma, log, log1p, sqrt

from treecli.evaluate.metrics import NORMAL_QUANTILE_975

TAIL = 0.05
"""The probability outside a 95 % interval, both tails together."""

MANY = 1e6
"""From this number of degrees of freedom, the normal quantile agrees in the first five digits."""

_TINY = 1e-300
_PRECISION = 1e-15


def mean_interval(mean: float, variance: float, freedom: float) -> tuple[float, float]:
    """The 95 % interval of a mean whose variance was estimated with `freedom` degrees of freedom, at least 1."""
    half_width = t_quantile(freedom) * sqrt(variance)
    return mean - half_width, mean + half_width


def t_quantile(freedom: float) -> float:
    """The 97.5 % quantile of Student's t with `freedom` degrees of freedom."""
    if freedom > MANY:
        return NORMAL_QUANTILE_975
    low, high = 0.0, 2.0
    while _both_tails(high, freedom) > TAIL:
        low, high = high, 2 * high
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _both_tails(middle, freedom) > TAIL else (low, middle)
    return high


def _both_tails(t: float, freedom: float) -> float:
    """The probability that |T| exceeds t: the incomplete beta function of freedom / (freedom + t²)."""
    a, b = freedom / 2, 0.5
    x = freedom / (freedom + t * t)
    # log1p, because with many degrees of freedom x is 1 except for its last digits.
    log_x, log_rest = -log1p(t * t / freedom), log(t * t) - log(freedom + t * t)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log_x + b * log_rest)
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, t * t / (freedom + t * t)) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (1976)."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _away(1 + term * d), _away(1 + term / c)
            value *= d * c
        if abs(d * c - 1) < _PRECISION:
            break
    return value


def _away(number: float) -> float:
    """The number, kept away from 0 because the method divides by it."""
    return number if abs(number) > _TINY else _TINY
