"""Bins of about equally many cases: quantiles, as CHAID programs use them.

A bin ends where the share of the cases up to a value comes to the next multiple of 1/K or passes it, and with a value
that more than 1/K of the cases have. Equal values stay together, so that the bins may be fewer than K, or a few more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

COUNTED = True
CLASSES = False

ROUNDING = 1e-8
"""A share that exceeds a multiple of 1/K by less than this many K-ths is that multiple."""


def bounds(values: FloatArray, weights: FloatArray, classes: CodeArray, n_bins: int) -> FloatArray:
    """The largest value of every bin but the last."""
    import numpy as np

    is_last = np.append(values[1:] > values[:-1], True)
    reached = n_bins * np.cumsum(weights)[is_last] / weights.sum()
    bin_of_value = np.ceil(reached - ROUNDING)
    is_frequent = np.diff(reached, prepend=0.0) > 1.0 + ROUNDING
    ends = (bin_of_value[1:] != bin_of_value[:-1]) | is_frequent[:-1]
    found: FloatArray = values[is_last][:-1][ends]
    return found
