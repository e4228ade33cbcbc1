"""Measures of predictions against true values; every row counts with its weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp, ldexp, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from treecli.outcomes import MANY_CLASSES, SparseCounts

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

NORMAL_QUANTILE_975 = 1.9599639845400536
"""statistics.NormalDist().inv_cdf(0.975); importing it takes as long as reading a small file."""

NEXT_TO_NO_CASES = 1e-100
"""With fewer cases the interval is 0 to 1 in all digits, and dividing by their squared number overflows."""

SMALLEST_EXPONENT = -1020
"""Dividing by a smaller power of two would overflow."""


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

    cells = _cells(actual, predicted, weights, len(labels))
    n = float(weights.sum())
    correct = min(float(cells.hits.sum()), n)  # sums of the same weights may differ in the last digit
    of_class, as_class, hits = cells.of_class, cells.as_class, cells.hits
    per_class = [
        ClassMeasures(label, of, _ratio(hit, as_), _ratio(hit, of), _ratio(2 * hit, of + as_))
        for label, of, as_, hit in zip(labels, of_class.tolist(), as_class.tolist(), hits.tolist(), strict=True)
    ]
    # Dividing by a power of two is exact and prevents overflow of the products of large weights.
    unit = _power_of_two(n)
    by_chance = float((of_class / unit) @ (as_class / unit)) / (n / unit) * unit
    return Classification(
        n,
        float(weights[actual != predicted].sum()),
        correct / n,
        wilson_interval(correct / n, n),
        _ratio(correct - by_chance, n - by_chance),
        labels,
        cells.rows[:-1],
        cells.rows[-1],
        per_class,
    )


class _Cells(NamedTuple):
    """The confusion matrix, its sums by true and by predicted class, and its diagonal."""

    rows: list[Sequence[float]]
    of_class: FloatArray
    as_class: FloatArray
    hits: FloatArray


def _cells(actual: CodeArray, predicted: CodeArray, weights: FloatArray, n_labels: int) -> _Cells:
    """The confusion matrix; with many classes its rows keep only the cells with cases."""
    import numpy as np

    row = np.where(actual < 0, n_labels, actual).astype(np.int64)
    cell = row * n_labels + predicted
    if n_labels <= MANY_CLASSES:
        counts = np.bincount(cell, weights, (n_labels + 1) * n_labels).reshape(n_labels + 1, n_labels)
        rows: Any = counts.tolist()
        return _Cells(rows, counts.sum(axis=1)[:n_labels], counts.sum(axis=0), np.diag(counts))
    filled, place = np.unique(cell, return_inverse=True)
    found = np.bincount(place, weights)
    kept = SparseCounts(n_labels)
    kept.start.frombytes(np.searchsorted(filled, np.arange(1, n_labels + 2) * n_labels).astype(np.int64).tobytes())
    kept.code.frombytes((filled % n_labels).astype(np.int32).tobytes())
    kept.weight.frombytes(found.tobytes())
    is_hit = actual == predicted
    of_class: FloatArray = np.bincount(row, weights, n_labels + 1)[:n_labels].astype(np.float64)
    as_class: FloatArray = np.bincount(predicted, weights, n_labels).astype(np.float64)
    hits: FloatArray = np.bincount(predicted[is_hit], weights[is_hit], n_labels).astype(np.float64)
    return _Cells([kept[label] for label in range(n_labels + 1)], of_class, as_class, hits)


def regression(actual: FloatArray, predicted: FloatArray, weights: FloatArray) -> Regression:
    """The measures of predicted numbers; there must be a row with a weight above 0."""
    import numpy as np

    n = float(weights.sum())
    # Dividing by powers of two is exact and keeps the squares of large and tiny numbers finite and nonzero.
    unit = _power_of_two(float(np.max(np.maximum(np.abs(actual), np.abs(predicted)))))
    actual, predicted, weights = actual / unit, predicted / unit, weights / _power_of_two(n)
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


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _power_of_two(size: float) -> float:
    """The largest power of two below a positive number, at least the smallest safe divisor; 1 for 0."""
    return ldexp(0.5, max(frexp(size)[1], SMALLEST_EXPONENT)) if size > 0 else 1.0
