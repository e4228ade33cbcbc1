"""C4.5's pessimistic error estimate."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.data import FloatArray

C45_QUANTILES = (
    (0.0, 4.0),
    (0.001, 3.09),
    (0.005, 2.58),
    (0.01, 2.33),
    (0.05, 1.65),
    (0.10, 1.28),
    (0.20, 0.84),
    (0.40, 0.25),
    (1.00, 0.00),
)
"""Confidence and normal quantile from release 8 of C4.5, for interpolation."""


def normal_quantile(confidence: float, *, is_c45: bool) -> float:
    """The z that a standard normal variable exceeds with the probability `confidence`."""
    if is_c45:
        for (low, z_low), (high, z_high) in pairwise(C45_QUANTILES):
            if confidence <= high:
                return z_low + (z_high - z_low) * (confidence - low) / (high - low)
    if confidence == 1:
        return 0.0
    from statistics import NormalDist  # slow to import, and not needed for --help

    return -NormalDist().inv_cdf(confidence)


def with_added(weights: FloatArray, errors: FloatArray, confidence: float, *, is_c45: bool) -> FloatArray:
    """The estimated errors of each group of cases: the observed errors and the added ones."""
    import numpy as np

    from treecli.kernels import estimate

    out = np.empty(len(weights))
    given = estimate.Estimate(confidence, normal_quantile(confidence, is_c45=is_c45), is_c45)
    estimate.with_added(weights, errors, given, out)
    return out
