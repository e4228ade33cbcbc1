"""The squared difference between probabilities and truth: of one class of two, or summed over the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.evaluate import probabilistic

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

TARGET = "nominal"
LARGER_IS_BETTER = False
RANGE = (0.0, 2.0)
NEEDS_PROBABILITIES = True


def of(result: Result) -> float | None:
    actual: Any = result.actual
    if result.probabilities is None:
        return None
    total = probabilistic.squared_loss(actual, result.probabilities, result.weights)
    return total / 2 if len(result.labels) == 2 else total
