"""Figures over the folds of an experiment: means with corrected intervals, and all folds pooled."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf, sqrt
from typing import TYPE_CHECKING

from treecli.evaluate.result import Result
from treecli.evaluate.student import mean_interval
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.experiment.run import Cell

CORRECTED = "corrected-resampled"
"""The interval of a mean over folds whose training sets overlap (Nadeau and Bengio 2003)."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure over folds; sd, standard error and 95 % interval are None for fewer than two folds."""

    mean: float
    sd: float | None = None
    standard_error: float | None = None
    interval: tuple[float, float] | None = None


def mean_of(values: Sequence[float], test_to_train: float, least: float = -inf, most: float = inf) -> Mean:
    """Return the mean with its corrected interval, within the bounds of the measure.

    `test_to_train` is the weight of the test rows over that of the training rows, both summed over the folds.
    """
    n = len(values)
    mean = fsum(values) / n
    if n < 2:
        return Mean(mean)
    variance = fsum((value - mean) ** 2 for value in values) / (n - 1)
    corrected = (1 / n + test_to_train) * variance
    low, high = mean_interval(mean, corrected, n - 1)
    return Mean(mean, sqrt(variance), sqrt(corrected), (max(low, least), min(high, most)))


def weight_ratio(cells: Sequence[Cell]) -> float:
    """Return the weight of the test rows over that of the training rows, both summed over the folds."""
    return fsum(cell.n_test for cell in cells) / fsum(cell.n_train for cell in cells)


def pooled(results: Sequence[Result]) -> Result:
    """Return the result of all rows of several results; its number of leaves is unknown."""
    import numpy as np

    first = results[0]
    probabilities = [own.probabilities for own in results if own.probabilities is not None]
    return Result(
        first.labels,
        np.concatenate([own.actual for own in results]),
        np.concatenate([own.predicted for own in results]),
        np.concatenate(probabilities) if len(probabilities) == len(results) else None,
        np.concatenate([own.weights for own in results]),
        None,
        first.costs,
    )
