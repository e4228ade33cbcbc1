"""Arrays of numbers in model files, checked when read."""

from __future__ import annotations

from array import array
from functools import cache
from sys import float_info
from typing import TYPE_CHECKING, Any, cast

import msgspec

from treecli.models._nodes import RefusalError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray
    from treecli.kernels.parsing import Powers

    IntArray = NDArray[np.int64]

NONE = msgspec.Raw(b"[]")
"""The text of a list that a record lacks."""


def check_length(found: Any, expected: int, field: str, of: str = "") -> None:
    """Raise a RefusalError unless a field has the expected number of entries."""
    if len(found) != expected:
        each = f", one for each of the {of}" if of else ""
        raise RefusalError(f"'{field}' has {len(found)} entries, expected {expected}{each}")


def decoded(text: msgspec.Raw, kind: Any, field: str) -> Any:
    """Return the value of a field; raise a RefusalError, with its place in the record, if it is of another kind."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = str(error)
        place = "" if "`$" in message else f" - at `{field}`"
        raise RefusalError(message.replace("`$", f"`{field}") + place) from None


def numbers(text: msgspec.Raw, field: str) -> FloatArray:
    """Return a list of numbers as an array; raise a RefusalError if one is too large for a double."""
    import numpy as np

    from treecli.kernels.number_lists import UNREAD, most_numbers, read_numbers

    integers = _integers(text)
    if integers is not None:
        return integers.astype(np.float64)
    view: Any = memoryview(text)
    found = np.empty((1, most_numbers(len(view))))
    n = read_numbers(view, cast("Any", found), _powers())
    if n != UNREAD:
        return found[0, :n]
    try:
        return np.frombuffer(array("d", decoded(text, list[int | float], field)))
    except OverflowError:
        raise RefusalError(f"'{field}' has a number beyond {float_info.max:.3g}") from None


@cache
def _powers() -> Powers:
    from treecli.kernels.parsing import Powers
    from treecli.kernels.powers import powers_of_ten

    return Powers(*powers_of_ten())


def _integers(text: msgspec.Raw) -> IntArray | None:
    """Return a list of integers of at most nine digits; None for any other text."""
    import numpy as np

    from treecli.kernels.number_lists import UNREAD, most_numbers, read_integers

    view: Any = memoryview(text)
    found = np.empty(most_numbers(len(view)), np.int64)
    n = read_integers(view, cast("Any", found))
    return None if n == UNREAD else found[:n]


def whole(text: msgspec.Raw, least: int, most: int | None, field: str) -> IntArray:
    """Return a list of whole numbers as an array; raise a RefusalError if one is out of range."""
    import numpy as np

    limit = 2**31 - 1 if most is None else most
    found = _integers(text)
    if found is None:
        try:
            found = np.array(decoded(text, list[int], field), np.int64)
        except OverflowError:
            raise RefusalError(f"'{field}' has a number beyond {limit}") from None
    if len(found) and (found.min() < least or found.max() > limit):
        wrong = int(found[(found < least) | (found > limit)][0])
        raise RefusalError(f"'{field}' has {wrong}, expected a number from {least} to {limit}")
    return found
