"""Boxes that differ in one attribute and touch, found by hash keys: merging takes time linear in the conditions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from treecli.rules.boxes import Box, union
from treecli.values import Condition, Labels

if TYPE_CHECKING:
    from treecli.rules.boxes import Space


class Touching:
    """The boxes seen so far, by the keys under which a box that touches them looks for them.

    A key may be stale, or shared by chance: `do_merge` decides.
    """

    def __init__(self) -> None:
        self._position_of: dict[Hashable, int] = {}

    def candidates(self, says: Hashable, attribute: int, rest: int, values: Condition) -> Iterator[int]:
        """Yield the positions of boxes that may be merged with one that has these values, and this hash without them.

        `says` is the prediction of the box: only boxes with the same one are merged.
        """
        for meeting in _meetings(values):
            found = self._position_of.get((says, attribute, rest, *meeting))
            if found is not None:
                yield found

    def add(self, says: Hashable, attribute: int, rest: int, values: Condition, position: int) -> None:
        """Remember a box."""
        for mark in _marks(values):
            self._position_of[says, attribute, rest, *mark] = position


def hash_of(box: Box) -> int:
    """Return an order-independent hash; XOR with an item's hash removes the item."""
    total = 0
    for item in box.items():
        total ^= hash(item)
    return total


def do_merge(box: Box, against: Box, attribute: int) -> bool:
    """Return whether the boxes differ in this attribute only and the union is one box."""
    if attribute not in against or len(box) != len(against) or union(box[attribute], against[attribute]) is None:
        return False
    return all(against.get(other) == values for other, values in box.items() if other != attribute)


def joined(box: Box, against: Box, attribute: int, space: Space) -> Box:
    """Return the union of two boxes that `do_merge` along an attribute."""
    values = union(box[attribute], against[attribute])
    assert values is not None
    if values == space.everything[attribute]:
        return {other: kept for other, kept in box.items() if other != attribute}
    return box | {attribute: values}


def _marks(values: Condition) -> Iterator[tuple[object, ...]]:
    """Yield the keys under which a set of values is stored."""
    if isinstance(values, Labels):
        yield ("labels",)
    elif values.takes_known:
        yield "from", values.low
        yield "to", values.high
        yield ("numbers",)
    else:
        yield ("missing",)


def _meetings(values: Condition) -> Iterator[tuple[object, ...]]:
    """Yield the keys of sets whose union with this one is a single set."""
    if isinstance(values, Labels):
        yield ("labels",)
    elif values.takes_known:
        yield "to", values.low
        yield "from", values.high
        yield ("missing",)
    else:
        yield ("numbers",)
