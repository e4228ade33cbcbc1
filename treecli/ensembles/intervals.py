"""Prediction intervals of a forest for a numeric target, from its out-of-bag errors (Zhang et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray
    from treecli.model import Model

N_STEPS = 200
"""The errors are kept as quantiles in steps of half a percent."""


def error_quantiles(errors: FloatArray, weights: FloatArray) -> list[float] | None:
    """Return the quantiles of the errors, truth less prediction, of rows with these weights; None without rows."""
    import numpy as np

    if not len(errors):
        return None
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(reached, np.linspace(0.0, 1.0, N_STEPS + 1) - 1e-12)
    found: list[float] = errors[order][np.minimum(places, len(order) - 1)].tolist()
    return found


def interval(model: Model, level: float, predicted: FloatArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds between which the target of new rows lies with this probability in percent."""
    import numpy as np

    grown = next((step for step in model.lineage if step.get("command") == "forest"), {})
    errors = (grown.get("out_of_bag") or {}).get("errors")
    if model.schema.is_classification or not isinstance(errors, list) or len(errors) != N_STEPS + 1:
        raise UsageError(
            "--interval needs a forest for a numeric target, with rows out of bag",
            "train with --forest, without --sample 1",
        )
    rest = (100.0 - level) / 200.0
    low, high = np.interp([rest, 1.0 - rest], np.linspace(0.0, 1.0, N_STEPS + 1), errors)
    return predicted + low, predicted + high
