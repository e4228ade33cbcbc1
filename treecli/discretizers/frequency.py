"""Bins with about the same number of cases: quantiles, as in CHAID programs.

A bin ends where the cumulative share of the cases reaches or passes the next multiple of 1/K, and at a value that more
than 1/K of the cases have. Equal values stay together, so there may be fewer than K bins, or a few more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

COUNTED = True
CLASSES = False

ROUNDING = 1e-8
"""A share that exceeds a multiple of 1/K by less than this fraction of 1/K counts as that multiple."""


def bounds(values: FloatArray, weights: FloatArray, classes: CodeArray, n_bins: int) -> FloatArray:
    """The largest value of every bin except the last."""
    import numpy as np

    is_last = np.append(values[1:] > values[:-1], True)
    reached = n_bins * np.cumsum(weights)[is_last] / weights.sum()
    bin_of_value = np.ceil(reached - ROUNDING)
    is_frequent = np.diff(reached, prepend=0.0) > 1.0 + ROUNDING
    ends = (bin_of_value[1:] != bin_of_value[:-1]) | is_frequent[:-1]
    found: FloatArray = values[is_last][:-1][ends]
    return found
