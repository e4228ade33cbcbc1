"""Stratified division of rows into folds, at random or exactly as in Weka."""

from __future__ import annotations

from collections.abc import Iterator
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
    """The random numbers of java.util.Random, whose algorithm is documented."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) % _STATES

    def below(self, bound: int) -> int:
        """An integer from 0 up to, but not including, the bound."""
        while True:
            self._state = (self._state * _MULTIPLIER + _INCREMENT) % _STATES
            drawn = self._state >> 17
            if bound & (bound - 1) == 0:
                return (bound * drawn) >> 31
            remainder = drawn % bound
            if drawn - remainder + bound - 1 < 1 << 31:  # else it is in the last, incomplete run of remainders
                return remainder

    def shuffle(self, rows: list[int]) -> None:
        """Shuffles in place: from the last row to the second, each is swapped with a row up to itself."""
        for last in range(len(rows) - 1, 0, -1):
            other = self.below(last + 1)
            rows[last], rows[other] = rows[other], rows[last]


def stratified(target: Column, n_folds: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """The rows outside and inside every fold, at random; each class of a nominal target is distributed evenly."""
    import numpy as np

    shuffled = np.random.default_rng(seed).permutation(len(target))
    if target.dtype != np.float64:
        shuffled = shuffled[np.argsort(target[shuffled], kind="stable")]
    fold_of_row = np.empty(len(target), np.int64)
    fold_of_row[shuffled] = np.arange(len(target)) % n_folds
    for fold in range(n_folds):
        yield np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)


def like_weka(target: Column, n_folds: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """The rows outside and inside every fold, in the order in which Weka passes them to a learner.

    Weka shuffles, stratifies, cuts into runs, and shuffles the rows outside each fold again.
    """
    import numpy as np

    random = JavaRandom(seed)
    order = list(range(len(target)))
    random.shuffle(order)
    order = in_weka_strata(target, n_folds, order)
    begin = 0
    for fold in range(n_folds):
        end = begin + len(order) // n_folds + (fold < len(order) % n_folds)
        outside = order[:begin] + order[end:]
        random.shuffle(outside)
        yield np.array(outside, np.int64), np.array(order[begin:end], np.int64)
        begin = end


def in_weka_strata(target: Column, n_folds: int, order: list[int]) -> list[int]:
    """The rows in an order in which each of n equal runs has every class in its share."""
    import numpy as np

    if target.dtype == np.float64:
        return order
    return _dealt(_classes_together(order, target.tolist()), n_folds)


def _classes_together(order: list[int], classes: list[int]) -> list[int]:
    """The rows grouped by class, by Weka's swaps, which also determine the order within a class.

    For each class in order of appearance, every later row of that class is swapped to the end of the run.
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
    """Every n-th row, starting from each of the first n."""
    return [row for first in range(n_folds) for row in order[first::n_folds]]
