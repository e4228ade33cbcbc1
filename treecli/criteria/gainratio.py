"""Gain ratio: information gain per bit of split information, as in C4.5 (Quinlan 1993)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.criteria import Criterion

if TYPE_CHECKING:
    from treecli.criteria import FlagArray
    from treecli.data import FloatArray

AVERAGE_SLACK = 1e-3
"""C4.5's tolerance: a gain may be below the average by this much."""

LEAST_INFORMATION = 1e-9
"""A split with less split information sends all cases one way."""


def _ratio(gain: FloatArray, split_info: FloatArray, is_counted: FlagArray) -> FloatArray:
    """The gain ratio of candidates whose gain is at least average; other candidates are excluded.

    Without this condition very unbalanced splits would win, because their split information is close to 0. If no
    attribute counts in the average, all candidates are excluded.
    """
    import numpy as np

    usable = np.isfinite(gain) & (split_info > LEAST_INFORMATION)
    counted = usable & is_counted[:, None]
    n_counted = counted.sum(axis=0)
    # Attribute by attribute for any number of nodes: numpy's sum uses another order for a single node.
    added = np.zeros(gain.shape[1])
    for of_attribute in np.where(counted, gain, 0.0):
        added += of_attribute
    average = added / np.maximum(n_counted, 1)
    eligible = usable & (n_counted > 0) & (gain >= average - AVERAGE_SLACK)
    return np.where(eligible, gain / np.where(eligible, split_info, 1.0), -np.inf)


CRITERION = Criterion("nominal", "entropy", _ratio, is_ratio=True)
