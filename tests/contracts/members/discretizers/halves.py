"""Two bins: up to the median, and above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

COUNTED = False
CLASSES = False


def bounds(values: FloatArray, weights: FloatArray, classes: CodeArray, n_bins: int) -> FloatArray:
    """The one bound: the lower median of the values."""
    return values[(len(values) - 1) // 2 : (len(values) - 1) // 2 + 1]
