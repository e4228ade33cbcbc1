"""Arrays of numbers in model files, checked when read."""

from __future__ import annotations

from array import array
from sys import float_info
from typing import TYPE_CHECKING, Any

from treecli.models._nodes import RefusalError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray

    IntArray = NDArray[np.int64]


def check_length(found: Any, expected: int, field: str, of: str = "") -> None:
    """Raise a RefusalError unless a field has the expected number of entries."""
    if len(found) != expected:
        each = f", one for each of the {of}" if of else ""
        raise RefusalError(f"'{field}' has {len(found)} entries, expected {expected}{each}")


def numbers(values: list[Any], field: str) -> FloatArray:
    """Return numbers as an array; raise a RefusalError if one is too large for a double."""
    import numpy as np

    found = _bytes(values)
    if found is not None:
        return found.astype(np.float64)
    try:
        return np.frombuffer(array("d", values))
    except OverflowError:
        raise RefusalError(f"'{field}' has a number beyond {float_info.max:.3g}") from None


def _integers(values: list[int]) -> IntArray:
    import numpy as np

    found = _bytes(values)
    return np.array(values, np.int64) if found is None else found.astype(np.int64)


def _bytes(values: list[Any]) -> NDArray[np.uint8] | None:
    """Return numbers that are all whole and below 256, as most are, which takes a fraction of the time; else None."""
    import numpy as np

    try:
        return np.frombuffer(bytes(values), np.uint8)
    except (TypeError, ValueError):
        return None


def whole(values: list[int], least: int, most: int | None, field: str) -> IntArray:
    """Return whole numbers as an array; raise a RefusalError if one is out of range."""
    limit = 2**31 - 1 if most is None else most
    try:
        found = _integers(values)
    except OverflowError:
        raise RefusalError(f"'{field}' has a number beyond {limit}") from None
    if len(found) and (found.min() < least or found.max() > limit):
        wrong = int(found[(found < least) | (found > limit)][0])
        raise RefusalError(f"'{field}' has {wrong}, expected a number from {least} to {limit}")
    return found
