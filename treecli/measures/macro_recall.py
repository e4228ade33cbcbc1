"""The mean recall of the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

TARGET = "nominal"
LARGER_IS_BETTER = True
RANGE = (0.0, 1.0)
NEEDS_PROBABILITIES = False


def of(result: Result) -> float | None:
    return result.confusion.macro_recall()
