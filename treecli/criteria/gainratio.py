"""Information gain per bit that the test itself spends, as in C4.5 (Quinlan 1993)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.criteria import Criterion

if TYPE_CHECKING:
    from treecli.data import FloatArray

AVERAGE_SLACK = 1e-3
"""C4.5's: a gain may fall short of the average by this much."""

LEAST_INFORMATION = 1e-9
"""A test that spends less than this sends all cases one way."""


def _ratio(gain: FloatArray, split_info: FloatArray) -> FloatArray:
    """The gain ratio of candidates whose gain is at least average; the others are out.

    Without that bar, tests that hardly divide the cases would win: they spend next to no information.
    """
    import numpy as np

    usable = np.isfinite(gain) & (split_info > LEAST_INFORMATION)
    n_usable = np.maximum(usable.sum(axis=0), 1)
    average = np.where(usable, gain, 0.0).sum(axis=0) / n_usable
    eligible = usable & (gain >= average - AVERAGE_SLACK)
    return np.where(eligible, gain / np.where(eligible, split_info, 1.0), -np.inf)


CRITERION = Criterion("nominal", "entropy", _ratio)
