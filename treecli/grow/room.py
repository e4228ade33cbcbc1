"""Arrays that are made longer when they are full."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Array = TypeVar("Array", bound="NDArray[Any]")

LEAST_ROOM = 64
"""Minimum spare capacity."""


def more(n: int) -> int:
    """Return the next capacity after `n`."""
    return 2 * n + LEAST_ROOM


def longer(values: Array, room: int) -> Array:
    """Return a copy with room for so many rows; the new ones have any contents."""
    found = np.empty((room, *values.shape[1:]), values.dtype)
    found[: len(values)] = values
    return cast("Array", found)


def wider(values: Array, room: int) -> Array:
    """Return a copy with room for so many columns; the new ones have any contents."""
    found = np.empty((len(values), room), values.dtype)
    found[:, : values.shape[1]] = values
    return cast("Array", found)
