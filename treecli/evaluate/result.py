"""Predictions beside the truth: the input of every measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from treecli.evaluate import probabilistic
from treecli.evaluate.confusion import Confusion
from treecli.evaluate.metrics import Regression, regression
from treecli.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column, FloatArray
    from treecli.priors import Costs

Derived = TypeVar("Derived")


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Predictions for rows whose target is known; at least one row has a weight above 0.

    `labels` is empty for a numeric target. `actual` has codes, below 0 for a label that the model does not know, or
    numbers. `probabilities` is None for a numeric target, and if nobody asked for it. `n_leaves` is the number of
    leaves, or of the rules of a list.
    """

    labels: tuple[str, ...]
    actual: Column
    predicted: Column
    probabilities: FloatArray | None
    weights: FloatArray
    n_leaves: int | None = None
    costs: Costs | None = None
    sizes: FloatArray | None = None
    """The number of rows of the data that each row stands for, of those with a weight above 0; None: one each."""
    _derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def is_classification(self) -> bool:
        return bool(self.labels)

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix of a nominal target."""
        actual: Any = self.actual
        predicted: Any = self.predicted
        return self.once("confusion", lambda: Confusion.of(len(self.labels), actual, predicted, self.weights))

    @property
    def regression(self) -> Regression:
        """The measures of a numeric target."""
        actual: Any = self.actual
        predicted: Any = self.predicted
        return self.once("regression", lambda: regression(actual, predicted, self.weights))

    @property
    def aucs(self) -> list[float | None]:
        """The area under the ROC curve of each class against the others; all None without probabilities."""
        actual: Any = self.actual
        probabilities = self.probabilities
        if probabilities is None:
            return [None] * len(self.labels)
        return self.once("aucs", lambda: probabilistic.aucs(actual, probabilities, self.weights))

    def auc(self) -> float | None:
        """The area of the second of two classes, or the mean over the classes."""
        return self.aucs[1] if len(self.labels) == 2 else probabilistic.macro(self.aucs)

    def auc_weighted(self) -> float | None:
        """The mean over the classes, weighted by the rows of each."""
        actual: Any = self.actual
        return probabilistic.weighted(self.aucs, actual, self.weights)

    def zero_probability_rows(self) -> int | None:
        """The number of rows, not their weight, whose true class has probability 0; None without probabilities."""
        actual: Any = self.actual
        if self.probabilities is None:
            return None
        return probabilistic.zero_probability_rows(actual, self.probabilities, self.weights, self.sizes)

    def once(self, name: str, compute: Callable[[], Derived]) -> Derived:
        """The computed value, kept, because several measures need it."""
        if name not in self._derived:
            self._derived[name] = compute()
        kept: Derived = self._derived[name]
        return kept

    def take(self, rows: NDArray[np.integer]) -> Result:
        """The result of only these rows."""
        return Result(
            self.labels,
            self.actual[rows],
            self.predicted[rows],
            None if self.probabilities is None else self.probabilities[rows],
            self.weights[rows],
            self.n_leaves,
            self.costs,
            None if self.sizes is None else self.sizes[rows],
        )
