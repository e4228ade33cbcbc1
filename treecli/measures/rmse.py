"""The root of the mean squared error."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

TARGET = "numeric"
LARGER_IS_BETTER = False
NEEDS_PROBABILITIES = False


def of(result: Result) -> float | None:
    return result.regression.rmse
