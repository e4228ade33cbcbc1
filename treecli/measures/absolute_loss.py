"""The mean absolute difference: of numbers, or of probabilities and truth summed over the classes."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from treecli.evaluate import probabilistic

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

TARGET = "any"
LARGER_IS_BETTER = False
RANGE = (0.0, inf)
NEEDS_PROBABILITIES = True


def of(result: Result) -> float | None:
    actual: Any = result.actual
    if not result.is_classification:
        return result.regression.mae
    if result.probabilities is None:
        return None
    return probabilistic.absolute_loss(actual, result.probabilities, result.weights)
