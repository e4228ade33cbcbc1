"""Dividing rows into folds of like class shares, at random or exactly as Weka does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column

    Rows = NDArray[np.int64]

_MULTIPLIER = 25214903917
_INCREMENT = 11
_STATES = 1 << 48


class JavaRandom:
    """The random numbers of java.util.Random, whose generator its documentation fixes."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) % _STATES

    def below(self, bound: int) -> int:
        """A whole number from 0 up to, but not including, the bound."""
        while True:
            self._state = (self._state * _MULTIPLIER + _INCREMENT) % _STATES
            drawn = self._state >> 17
            if bound & (bound - 1) == 0:
                return (bound * drawn) >> 31
            remainder = drawn % bound
            if drawn - remainder + bound - 1 < 1 << 31:  # else the last, incomplete run of remainders: draw again
                return remainder


def stratified(target: Column, n_folds: int, seed: int) -> Rows:
    """The fold of every row, at random; each class of a nominal target is dealt out evenly."""
    import numpy as np

    shuffled = np.random.default_rng(seed).permutation(len(target))
    if target.dtype != np.float64:
        shuffled = shuffled[np.argsort(target[shuffled], kind="stable")]
    fold_of_row = np.empty(len(target), np.int64)
    fold_of_row[shuffled] = np.arange(len(target)) % n_folds
    return fold_of_row


def like_weka(target: Column, n_folds: int, seed: int | None) -> Rows:
    """The fold of every row as in Weka: shuffled by the seed, unless there is none, stratified, and cut into runs."""
    import numpy as np

    n_rows = len(target)
    order = list(range(n_rows))
    if seed is not None:
        random = JavaRandom(seed)
        for last in range(n_rows - 1, 0, -1):
            other = random.below(last + 1)
            order[last], order[other] = order[other], order[last]
    if target.dtype != np.float64:
        order = _dealt(_classes_together(order, target.tolist()), n_folds)
    n_longer = n_rows % n_folds
    sizes = [n_rows // n_folds + (fold < n_longer) for fold in range(n_folds)]
    fold_of_row = np.empty(n_rows, np.int64)
    fold_of_row[np.array(order, np.int64)] = np.repeat(np.arange(n_folds), sizes)
    return fold_of_row


def _classes_together(order: list[int], classes: list[int]) -> list[int]:
    """The rows with equal classes side by side, by Weka's swaps, which fix the order within a class too.

    For each class in the order in which it is met, every later row of that class is swapped to the end of the run.
    """
    index = 1
    while index < len(order):
        wanted = classes[order[index - 1]]
        for other in range(index, len(order)):
            if classes[order[other]] == wanted:
                order[index], order[other] = order[other], order[index]
                index += 1
        index += 1
    return order


def _dealt(order: list[int], n_folds: int) -> list[int]:
    """Every n-th row, from each of the first n."""
    return [row for first in range(n_folds) for row in order[first::n_folds]]
