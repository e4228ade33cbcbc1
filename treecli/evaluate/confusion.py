"""Measures of predicted classes that depend on the confusion matrix alone; every row counts with its weight.

A row whose true label the model does not know is wrong. All such rows count as one more class, which is never
predicted. Averages over classes follow scikit-learn: a class that occurs neither as true nor as predicted class is left
out of a macro average, and an undefined precision or recall counts as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp, sqrt
from typing import TYPE_CHECKING, Any

from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import MANY_CLASSES
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray
    from treecli.priors import Costs

SMALLEST_EXPONENT = -1020
"""Dividing by a smaller power of two would overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """The weight of the rows by true class (one more row for unknown labels) and predicted class.

    There must be a row with a weight above 0. `errors` is summed apart, because sums of the same weights may differ in
    the last digit.
    """

    rows: list[Sequence[float]]
    """The matrix; with many classes, rows keep only the cells with cases."""
    correct: float
    of_class: FloatArray
    """The weight of each true class; unknown labels last."""
    as_class: FloatArray
    """The weight of each predicted class; 0 for unknown labels."""
    hits: FloatArray
    """The weight of the correct rows of each class; 0 for unknown labels."""
    n: float
    errors: float

    @classmethod
    def of(cls, n_labels: int, actual: CodeArray, predicted: CodeArray, weights: FloatArray) -> Confusion:
        """Count the rows; a true code below 0 is a label that the model does not know."""
        import numpy as np

        row = np.where(actual < 0, n_labels, actual).astype(np.int64)
        cell = row * n_labels + predicted
        n, errors = float(weights.sum()), float(weights[actual != predicted].sum())
        sums: tuple[Any, Any, Any]
        if n_labels <= MANY_CLASSES:
            counts: Any = np.bincount(cell, weights, (n_labels + 1) * n_labels).reshape(n_labels + 1, n_labels)
            sums = counts.sum(axis=1), np.append(counts.sum(axis=0), 0.0), np.append(np.diag(counts), 0.0)
            return cls(counts.tolist(), min(float(counts.trace()), n), *sums, n, errors)
        filled, place = np.unique(cell, return_inverse=True)
        kept = SparseCounts(n_labels)
        ends = np.searchsorted(filled, np.arange(1, n_labels + 2) * n_labels)
        kept.start.frombytes(ends.astype(np.int64).tobytes())
        kept.code.frombytes((filled % n_labels).astype(np.int32).tobytes())
        kept.weight.frombytes(np.bincount(place, weights).astype(np.float64).tobytes())
        is_hit = actual == predicted
        sums = (
            np.bincount(row, weights, n_labels + 1).astype(np.float64),
            np.bincount(predicted, weights, n_labels + 1).astype(np.float64),
            np.bincount(predicted[is_hit], weights[is_hit], n_labels + 1).astype(np.float64),
        )
        rows: list[Sequence[float]] = [kept[label] for label in range(n_labels + 1)]
        return cls(rows, min(float(sums[2].sum()), n), *sums, n, errors)

    @classmethod
    def of_matrix(cls, counts: FloatArray) -> Confusion:
        """Return the confusion of whole weights by true class (one more row for unknown labels) and predicted class."""
        import numpy as np

        n, correct = float(counts.sum()), float(counts.trace())
        sums = counts.sum(axis=1), np.append(counts.sum(axis=0), 0.0), np.append(np.diag(counts), 0.0)
        return cls(counts.tolist(), correct, *sums, n, n - correct)

    def accuracy(self) -> float:
        return self.correct / self.n

    def kappa(self) -> float | None:
        """Cohen's kappa (1960); None if agreement by chance is certain."""
        by_chance = self._product(self.of_class, self.as_class)
        return ratio(self.correct - by_chance, self.n - by_chance)

    def mcc(self) -> float | None:
        """Matthews' correlation coefficient (1975), for any number of classes by Gorodkin (2004).

        None if there is only one true class or only one predicted class.
        """
        of, as_ = self.of_class, self.as_class
        spread = (self.n - self._product(of, of)) * (self.n - self._product(as_, as_))
        # Exactly 0 where a single class has all the weight, up to the rounding of sums.
        if (of > 0).sum() < 2 or (as_ > 0).sum() < 2 or spread <= 0:
            return None
        return (self.correct - self._product(of, as_)) / sqrt(spread)

    def balanced_accuracy(self) -> float:
        """The mean recall of the classes that occur."""
        of = self.of_class
        occurs = of > 0
        return float((self.hits[occurs] / of[occurs]).mean())

    def macro_precision(self) -> float:
        return self._macro(self.as_class)

    def macro_recall(self) -> float:
        return self._macro(self.of_class)

    def macro_f1(self) -> float:
        return self._macro((self.of_class + self.as_class) / 2)

    def cost(self, costs: Costs) -> float | None:
        """The mean cost of a prediction; None if there are rows with an unknown label, whose cost is unknown."""
        import numpy as np

        if self.of_class[-1] > 0:
            return None
        return float((np.array(self.rows[:-1]) / self.n * np.array(costs)).sum())

    def _macro(self, whole: FloatArray) -> float:
        """The mean of hits / whole over the classes that occur or are predicted."""
        import numpy as np

        hits = self.hits
        share = np.divide(hits, whole, out=np.zeros(len(hits)), where=whole > 0)
        return float(share[self.of_class + self.as_class > 0].mean())

    def _product(self, left: FloatArray, right: FloatArray) -> float:
        """The sum of the products of two weights per class, divided by n."""
        # Dividing by a power of two is exact and prevents overflow of the products of large weights.
        unit = power_of_two(self.n)
        return float((left / unit) @ (right / unit)) / (self.n / unit) * unit


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def power_of_two(size: float) -> float:
    """The largest power of two below a positive number, at least the smallest safe divisor; 1 for 0."""
    return ldexp(0.5, max(frexp(size)[1], SMALLEST_EXPONENT)) if size > 0 else 1.0
