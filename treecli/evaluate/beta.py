"""The regularized incomplete beta function, from which tails of Student's t and of the binomial follow."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

_TINY = 1e-300
_PRECISION = 1e-15
_MOST_TERMS = 100_000
"""The terms needed grow with the square root of the parameters: this is enough for 10^9 cases."""


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the share of the beta distribution (a, b) below x; `rest` is 1 - x, given apart for its last digits."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    log_x = log1p(-rest) if rest < x else log(x)
    log_rest = log1p(-x) if x < rest else log(rest)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log_x + b * log_rest)
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (1976)."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_TERMS):
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
