"""The area under the ROC curve; with more than two classes the mean of each class against the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

TARGET = "nominal"
LARGER_IS_BETTER = True
RANGE = (0.0, 1.0)
NEEDS_PROBABILITIES = True


def of(result: Result) -> float | None:
    return result.auc()
