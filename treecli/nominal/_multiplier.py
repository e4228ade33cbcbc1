"""Bonferroni multipliers of CHAID (Kass 1980), as logarithms: the number of ways to merge categories."""

from __future__ import annotations

from functools import cache
from math import comb, log

import numpy as np

from treecli.grow.candidates import Floats


@cache
def log_multiplier(n_categories: int, n_groups: int, *, is_ordered: bool, is_floating: bool) -> float:
    """Return the natural logarithm of the number of ways to merge n_categories into n_groups.

    `is_ordered`: only adjacent categories are merged; `is_floating`: one category may join any group.
    """
    if n_groups < 2:
        return 0.0
    if not is_ordered:
        return float(_log_partitions(n_categories)[n_groups])
    if is_floating:
        others = n_categories - 2
        return log(comb(others, n_groups - 2) + n_groups * comb(others, n_groups - 1))
    return log(comb(n_categories - 1, n_groups - 1))


@cache
def _log_partitions(n: int) -> Floats:
    """Return the logarithms of the Stirling numbers of the second kind S(n, k) for k = 0 … n.

    Uses the recurrence S(n, k) = k S(n - 1, k) + S(n - 1, k - 1): the usual alternating sum loses all digits from about
    n = 30.
    """
    found = np.full(n + 1, -np.inf)
    found[0] = 0.0
    log_k = np.log(np.arange(1, n + 1))
    for _ in range(n):
        found[1:] = np.logaddexp(found[1:] + log_k, found[:-1])
        found[0] = -np.inf
    return found
