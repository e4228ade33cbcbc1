"""What makes a split good: each criterion is a file with a CRITERION."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray

    FlagArray = NDArray[np.bool_]


def _gain(gain: FloatArray, split_info: FloatArray, is_counted: FlagArray) -> FloatArray:
    return gain


@dataclass(frozen=True, slots=True)
class Criterion:
    """An impurity that splits should lower, for one kind of target, and how candidates are ranked by it.

    `merit` takes the gain and the split information of every attribute (rows) at every node (columns), with a gain
    of -inf where there is no split, and whether an attribute counts in averages; it gives back what is to be
    largest, -inf where a candidate is out. `is_ratio`: merit is gain per split information. `is_test`: candidates are
    ranked by the p-values of chi-square tests instead, those with equal ones by the statistic.
    """

    target: Literal["nominal", "numeric"]
    impurity: str
    merit: Callable[[FloatArray, FloatArray, FlagArray], FloatArray] = _gain
    is_ratio: bool = False
    is_test: bool = False
