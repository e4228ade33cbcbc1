"""Confidence intervals of a mean, by Student's t."""

from __future__ import annotations

from math import sqrt

from treecli.evaluate.beta import incomplete_beta
from treecli.evaluate.metrics import NORMAL_QUANTILE_975

TAIL = 0.05
"""The probability outside a 95 % interval, both tails together."""

MANY = 1e6
"""From this number of degrees of freedom, the normal quantile agrees in the first five digits."""

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
    whole = freedom + t * t
    return incomplete_beta(freedom / 2, 0.5, freedom / whole, t * t / whole)
