"""Cuts that shorten the description of the classes, in Weka's better encoding.

As `mdlp`, with the number of places where the range can be cut instead of N - 1: of its distinct values less 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.discretizers._mdlp import midpoints

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

COUNTED = False
CLASSES = True


def bounds(values: FloatArray, weights: FloatArray, classes: CodeArray, n_bins: int) -> FloatArray:
    """The midpoints of the cuts."""
    return midpoints(values, weights, classes, counts_cuts=True)
