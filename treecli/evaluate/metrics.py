"""Measures of predictions against true values; every row counts with its weight."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from treecli.evaluate.confusion import Confusion, power_of_two, ratio
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

NORMAL_QUANTILE_975 = 1.9599639845400536
"""statistics.NormalDist().inv_cdf(0.975); importing it takes as long as reading a small file."""

NEXT_TO_NO_CASES = 1e-100
"""With fewer cases the interval is 0 to 1 in all digits, and dividing by their squared number overflows."""


@dataclass(frozen=True, slots=True)
class ClassMeasures:
    """Measures of one class; None if it was never predicted, or never occurs."""

    label: str
    support: float
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Classification:
    """Measures of predicted classes; numbers of rows are weights.

    `confusion[actual][predicted]` has a row and a column for each label; `confusion_other` is one more row, for rows
    whose true label the model does not know, which are all wrong.
    """

    n: float
    errors: float
    accuracy: float
    accuracy_ci95: tuple[float, float]
    kappa: float | None
    labels: tuple[str, ...]
    confusion: list[Sequence[float]]
    confusion_other: Sequence[float]
    per_class: list[ClassMeasures]


@dataclass(frozen=True, slots=True)
class Regression:
    """Measures of predicted numbers; r2 is None if all true values are equal."""

    n: float
    mae: float
    rmse: float
    r2: float | None


def classification(
    labels: tuple[str, ...], actual: CodeArray, predicted: CodeArray, weights: FloatArray
) -> Classification:
    """The measures of predicted codes; a true code below 0 is a label that the model does not know.

    There must be a row with a weight above 0.
    """
    return of_confusion(labels, Confusion.of(len(labels), actual, predicted, weights))


def of_confusion(labels: tuple[str, ...], confusion: Confusion) -> Classification:
    """The measures of a confusion matrix, for reports."""
    n_labels, n = len(labels), confusion.n
    whole = confusion.of_class.tolist(), confusion.as_class.tolist(), confusion.hits.tolist()
    per_class = [
        ClassMeasures(label, of, ratio(hit, as_), ratio(hit, of), ratio(2 * hit, of + as_))
        for label, of, as_, hit in zip(labels, *(each[:n_labels] for each in whole), strict=True)
    ]
    return Classification(
        n,
        confusion.errors,
        confusion.accuracy(),
        wilson_interval(confusion.accuracy(), n),
        confusion.kappa(),
        labels,
        confusion.rows[:-1],
        confusion.rows[-1],
        per_class,
    )


def regression(actual: FloatArray, predicted: FloatArray, weights: FloatArray) -> Regression:
    """The measures of predicted numbers; there must be a row with a weight above 0."""
    import numpy as np

    n = float(weights.sum())
    # Dividing by powers of two is exact and keeps the squares of large and tiny numbers finite and nonzero.
    unit = power_of_two(float(np.max(np.maximum(np.abs(actual), np.abs(predicted)))))
    actual, predicted, weights = actual / unit, predicted / unit, weights / power_of_two(n)
    total = float(weights.sum())
    difference = predicted - actual
    squared_error = float(weights @ difference**2)
    mean = float(weights @ actual) / total
    deviance = float(weights @ (actual - mean) ** 2)
    return Regression(
        n,
        float(weights @ np.abs(difference)) / total * unit,
        sqrt(squared_error / total) * unit,
        1 - squared_error / deviance if deviance > 0 else None,
    )


def wilson_interval(share: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval (1927) for a share observed in n cases."""
    z = NORMAL_QUANTILE_975
    if n < NEXT_TO_NO_CASES:
        return 0.0, 1.0
    center = share + z * z / (2 * n)
    half_width = z * sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    scale = 1 + z * z / n
    low, high = max((center - half_width) / scale, 0.0), min((center + half_width) / scale, 1.0)
    # At either end one bound equals the share, except for rounding.
    return low if share > 0 else 0.0, high if share < 1 else 1.0
