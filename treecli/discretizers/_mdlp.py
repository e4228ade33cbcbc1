"""Recursive cuts by entropy and description length, shared by the variants of Fayyad and Irani's method (1993)."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

ROUNDING = 1e-9
"""Gains that differ by less are equal; the lowest cut wins."""


MANY = 100
"""From this number of classes, 3^c - 2 is computed as 3^c; larger powers may overflow."""


def midpoints(values: FloatArray, weights: FloatArray, classes: CodeArray, *, counts_cuts: bool) -> FloatArray:
    """The midpoints of the cuts.

    Naming one of n places costs log2 n bits: n is the number of cases less 1, or of distinct values less 1 if
    `counts_cuts`.
    """
    import numpy as np

    is_first = np.append(True, values[1:] > values[:-1])
    distinct = values[is_first]
    # reached[i]: the class weights of the first i values.
    reached = np.zeros((len(distinct) + 1, int(classes.max()) + 1))
    np.add.at(reached, (np.cumsum(is_first), classes), weights)
    np.cumsum(reached, axis=0, out=reached)
    found: list[float] = []
    pending = [(0, len(distinct))]
    while pending:
        first, last = pending.pop()
        cut = _cut(reached[first : last + 1] - reached[first], counts_cuts=counts_cuts)
        if cut is not None:
            middle = first + cut
            lower, upper = float(distinct[middle - 1]), float(distinct[middle])
            number = (lower + upper) / 2
            found.append(number if lower <= number < upper else lower)
            pending += [(first, middle), (middle, last)]
    return np.array(sorted(found))


def _cut(reached: FloatArray, *, counts_cuts: bool) -> int | None:
    """The number of values before the cut, or None; reached[i] has the class weights of the first i values."""
    import numpy as np

    if len(reached) < 3:
        return None
    left, whole = reached[1:-1], reached[-1:]
    right = whole - left
    total = float(whole.sum())
    after = (left.sum(axis=1) * _entropies(left) + right.sum(axis=1) * _entropies(right)) / total
    entropy = float(_entropies(whole)[0])
    best = int(np.flatnonzero(after <= after.min() + ROUNDING)[0])
    parts = [(int(np.count_nonzero(part > 0)), float(_entropies(part[None])[0])) for part in (left[best], right[best])]
    n_classes = int(np.count_nonzero(whole > 0))
    delta = (
        n_classes * log2(3)
        + log2(1 - 2 / 3.0 ** min(n_classes, MANY))
        - n_classes * entropy
        + sum(n * of_part for n, of_part in parts)
    )
    n_places = float(len(left)) if counts_cuts else total - 1
    is_worth = entropy - after[best] > (log2(max(n_places, 1.0)) + delta) / total
    return best + 1 if is_worth else None


def _entropies(counts: FloatArray) -> FloatArray:
    """The entropy in bits of each row of class weights."""
    import numpy as np

    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1))
