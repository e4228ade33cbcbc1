"""Gain ratio of every split, also of those that gain less than average, as in ID3's later form (Quinlan 1986)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.criteria import Criterion

if TYPE_CHECKING:
    from treecli.criteria import FlagArray
    from treecli.data import FloatArray

LEAST_INFORMATION = 1e-9
"""A split with less split information sends all cases to one branch."""


def ratio(gain: FloatArray, split_info: FloatArray, is_counted: FlagArray) -> FloatArray:
    """The gain per bit of split information."""
    import numpy as np

    is_split = split_info > LEAST_INFORMATION
    return np.where(is_split, gain / np.where(is_split, split_info, 1.0), -np.inf)


CRITERION = Criterion("nominal", "entropy", merit=ratio)
