"""In how many ways categories can be merged: the Bonferroni multipliers of CHAID (Kass 1980), as logarithms."""

from __future__ import annotations

from functools import cache
from math import comb, log

import numpy as np

from treecli.candidates import Floats


@cache
def log_multiplier(n_categories: int, n_groups: int, *, is_ordered: bool, is_floating: bool) -> float:
    """The natural logarithm of the number of ways to make so many groups of so many categories.

    `is_ordered`: only neighbours are merged; `is_floating`: all but one of the categories, which may join any group.
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
    """The logarithms of how many ways there are to part n things into 0, 1, 2 … n sets (Stirling, second kind).

    By the recurrence S(n, k) = k S(n - 1, k) + S(n - 1, k - 1): the alternating sum that is usually printed loses all
    digits from n = 30 or so on.
    """
    found = np.full(n + 1, -np.inf)
    found[0] = 0.0
    log_k = np.log(np.arange(1, n + 1))
    for _ in range(n):
        found[1:] = np.logaddexp(found[1:] + log_k, found[:-1])
        found[0] = -np.inf
    return found
