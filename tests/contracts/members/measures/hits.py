"""The weight of the correct rows."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

TARGET = "nominal"
LARGER_IS_BETTER = True
RANGE = (0.0, inf)
NEEDS_PROBABILITIES = False


def of(result: Result) -> float | None:
    return float(result.weights[result.actual == result.predicted].sum())
