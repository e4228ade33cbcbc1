"""The split that gains least."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.criteria import Criterion

if TYPE_CHECKING:
    from treecli.criteria import FlagArray
    from treecli.data import FloatArray


def _lost(gain: FloatArray, split_info: FloatArray, is_counted: FlagArray) -> FloatArray:
    """The gain with its sign turned; what is no split stays out."""
    import numpy as np

    return np.where(np.isfinite(gain), -gain, -np.inf)


CRITERION = Criterion("nominal", "entropy", _lost)
