"""What makes a split good: each criterion is a file with a CRITERION."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from treecli.data import FloatArray


def _gain(gain: FloatArray, split_info: FloatArray) -> FloatArray:
    return gain


@dataclass(frozen=True, slots=True)
class Criterion:
    """An impurity that splits should lower, for one kind of target, and how candidates are ranked by it.

    `merit` takes the gain and the split information of every attribute (rows) at every node (columns), with a gain
    of -inf where there is no split, and gives back what is to be largest, -inf where a candidate is out.
    """

    target: Literal["nominal", "numeric"]
    impurity: str
    merit: Callable[[FloatArray, FloatArray], FloatArray] = _gain
