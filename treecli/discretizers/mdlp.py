"""Cuts that shorten the description of the classes (Fayyad and Irani 1993).

Recursive binary cuts where the class entropy falls most, as long as the gain exceeds
(log2(N - 1) + log2(3^c - 2) - c H + c1 H1 + c2 H2) / N, for N cases with c classes and entropy H, and two parts with c1
and c2 classes and entropies H1 and H2.
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
    return midpoints(values, weights, classes, counts_cuts=False)
