"""The errors that are expected of cases of which some are wrong: C4.5's pessimistic estimate."""

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
"""Confidence and normal quantile, as release 8 of C4.5 has them, to be interpolated between."""


def normal_quantile(confidence: float, *, is_c45: bool) -> float:
    """The z that a standard normal variable exceeds with the probability that the confidence leaves."""
    if is_c45:
        for (low, z_low), (high, z_high) in pairwise(C45_QUANTILES):
            if confidence <= high:
                return z_low + (z_high - z_low) * (confidence - low) / (high - low)
    if confidence == 1:
        return 0.0
    from statistics import NormalDist  # imports much, and --help needs none of it

    return -NormalDist().inv_cdf(confidence)


def with_added(weights: FloatArray, errors: FloatArray, confidence: float, *, is_c45: bool) -> FloatArray:
    """The errors expected of each group of cases: those seen among their weight, and those added to them."""
    import numpy as np

    from treecli.kernels import estimate

    out = np.empty(len(weights))
    given = estimate.Estimate(confidence, normal_quantile(confidence, is_c45=is_c45), is_c45)
    estimate.with_added(weights, errors, given, out)
    return out
