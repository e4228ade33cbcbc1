"""The range of targets and weights that training accepts: beyond it, sums of squares overflow or underflow."""

from __future__ import annotations

from treecli.data import Dataset
from treecli.errors import DataError

LARGEST_TARGET = 1e60
SMALLEST_SPREAD = 1e-60
"""The fourth power of a larger target, or of a smaller difference, times a weight may not be a finite double."""

LARGEST_WEIGHT = 1e40
SMALLEST_WEIGHT = 1e-40
"""Limits of the sum of all weights: within them the square of a weighted sum of targets is a finite double."""


def check(dataset: Dataset, name: str, weights: str | None = None) -> None:
    """Raises a DataError if targets or weights are too large or too small to learn from.

    `name` is the file, `weights` the column of weights. Only rows with a known target count.
    """
    rows = dataset.labelled()
    _check_weights(rows, name, "the weights" if weights is None else f"the weights in '{weights}'")
    if dataset.schema.target.is_numeric:
        _check_target(rows, name)


def _check_weights(rows: Dataset, name: str, called: str) -> None:
    import numpy as np

    with np.errstate(over="ignore"):
        total = float(rows.weights.sum())
    if total == 0:
        target = rows.schema.target.name
        raise DataError(f"{name}: found no row with a value of the target '{target}' and a weight above 0")
    if not SMALLEST_WEIGHT <= total <= LARGEST_WEIGHT:
        raise DataError(
            f"{name}: {called} sum to {total:g}, expected {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}",
            "scale the weights: only their ratios and the sizes of --min-leaf and --min-split matter",
        )


def _check_target(rows: Dataset, name: str) -> None:
    values = rows.target
    assert values is not None
    values = values[rows.weights > 0]
    check_range(name, rows.schema.target.name, float(values.min()), float(values.max()))


def check_range(name: str, target: str, low: float, high: float) -> None:
    """Raises a DataError if the lowest and the highest value of a numeric target are too far apart or too near."""
    called, hint = f"the target '{target}'", "scale the target: multiply it by a power of ten"
    if max(-low, high) > LARGEST_TARGET:
        found = low if -low > high else high
        raise DataError(
            f"{name}: {called} contains {found:g}, expected {-LARGEST_TARGET:g} to {LARGEST_TARGET:g}", hint
        )
    if 0 < high - low < SMALLEST_SPREAD:
        raise DataError(
            f"{name}: values of {called} differ by at most {high - low:g}, expected {SMALLEST_SPREAD:g} or more",
            hint,
        )
