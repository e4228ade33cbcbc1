"""Bins of equal width between the smallest and the largest value."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

COUNTED = True
CLASSES = False


def bounds(values: FloatArray, weights: FloatArray, classes: CodeArray, n_bins: int) -> FloatArray:
    """The upper bounds of all bins except the last; infinite values belong to the outer bins."""
    import numpy as np

    finite = values[np.isfinite(values)]
    if len(finite) == 0 or finite[0] == finite[-1]:
        return np.empty(0)
    steps = np.arange(1, n_bins) / n_bins
    # Not lowest + step * (highest - lowest): the difference may overflow.
    ends = np.unique(finite[0] * (1.0 - steps) + finite[-1] * steps)
    found: FloatArray = ends[(ends >= values[0]) & (ends < values[-1])]
    return found
