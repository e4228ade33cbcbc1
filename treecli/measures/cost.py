"""The mean cost of a prediction, by the cost matrix."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

TARGET = "nominal"
LARGER_IS_BETTER = False
RANGE = (0.0, inf)
NEEDS_PROBABILITIES = False


def of(result: Result) -> float | None:
    return None if result.costs is None else result.confusion.cost(result.costs)
