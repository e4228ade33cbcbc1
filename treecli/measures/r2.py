"""The share of the variance of the target that is explained."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

TARGET = "numeric"
LARGER_IS_BETTER = True
RANGE = (-inf, 1.0)
NEEDS_PROBABILITIES = False


def of(result: Result) -> float | None:
    return result.regression.r2
