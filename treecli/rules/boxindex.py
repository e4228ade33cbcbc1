"""An index of boxes: finds those that overlap a given box without comparing it with each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from treecli.rules.boxes import Box
from treecli.values import Condition, Interval, Labels

BLOCK = 4096
"""Boxes per block of the index; the size of a block's tables grows with the square of this."""


class Index:
    """An ordered set of boxes with fast overlap queries.

    Two boxes overlap if they overlap in every attribute, so the result is an intersection of sets. Sets are
    integers: bit i stands for box i.
    """

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._blocks = [_Block(boxes[first : first + BLOCK]) for first in range(0, len(boxes), BLOCK)]

    def overlapping(self, box: Box) -> int:
        """Return the boxes that overlap this one, as a bit set."""
        if len(self._blocks) == 1:
            return self._blocks[0].overlapping(box)
        found = 0
        for number, block in enumerate(self._blocks):
            if hits := block.overlapping(box):
                found |= hits << number * BLOCK
        return found

    def has_overlapping(self, box: Box, among: int, near: int) -> bool:
        """Return whether any box of the bit set `among` overlaps this one; blocks near the position `near` go first.

        If boxes are in the order of a tree's leaves, the neighbours across a bound are usually close.
        """
        home = near // BLOCK
        for number in (home, *range(home), *range(home + 1, len(self._blocks))):
            found = self._blocks[number].overlapping(box)
            if found and found & (among >> number * BLOCK):
                return True
        return False


class _Block:
    """The index of one block: for each attribute, the boxes that contain each value."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.all = (1 << len(boxes)) - 1
        members: dict[int, list[tuple[int, Condition]]] = {}
        for position, box in enumerate(boxes):
            for attribute, values in box.items():
                members.setdefault(attribute, []).append((position, values))
        self.intervals: dict[int, _Intervals] = {}
        self.labels: dict[int, tuple[int, list[int]]] = {}
        for attribute, asked in members.items():
            unasked = self.all & ~sum(1 << position for position, _ in asked)
            masks = [(position, _mask(values)) for position, values in asked if isinstance(values, Labels)]
            if masks:
                by_bit = [0] * max(mask.bit_length() for _, mask in masks)
                for position, mask in masks:
                    for bit in bits(mask):
                        by_bit[bit] |= 1 << position
                self.labels[attribute] = unasked, by_bit
            else:
                intervals = [(position, values) for position, values in asked if isinstance(values, Interval)]
                self.intervals[attribute] = _Intervals(intervals, unasked)

    def overlapping(self, box: Box) -> int:
        found = self.all
        for attribute, values in box.items():
            if isinstance(values, Interval):
                if attribute in self.intervals:
                    found &= self.intervals[attribute].meeting(values)
            elif attribute in self.labels:
                hits, by_bit = self.labels[attribute]
                mask = _mask(values) & ((1 << len(by_bit)) - 1)
                while mask:  # as `bits`, without a generator
                    lowest = mask & -mask
                    hits |= by_bit[lowest.bit_length() - 1]
                    mask ^= lowest
                found &= hits
            if not found:
                break
        return found


def _mask(values: Labels) -> int:
    """Return the labels as bits, above one bit each for missing and unseen."""
    return values.bits << 2 | values.unseen << 1 | values.missing


class _Intervals:
    """The intervals of one attribute: bit sets of those that start below, or end above, each bound."""

    def __init__(self, asked: list[tuple[int, Interval]], unasked: int) -> None:
        self.missing = unasked
        starting: dict[float, int] = {}
        ending: dict[float, int] = {}
        for position, values in asked:
            if values.missing:
                self.missing |= 1 << position
            if values.takes_known:
                starting[values.low] = starting.get(values.low, 0) | 1 << position
                ending[values.high] = ending.get(values.high, 0) | 1 << position
        self.lows, self.highs = sorted(starting), sorted(ending)
        self.started = [unasked]
        for low in self.lows:
            self.started.append(self.started[-1] | starting[low])
        self.unended = [unasked]
        for high in reversed(self.highs):
            self.unended.append(self.unended[-1] | ending[high])
        self.unended.reverse()

    def meeting(self, values: Interval) -> int:
        """Return the boxes whose interval overlaps this one, as a bit set."""
        met = 0
        if values.takes_known:
            met = self.started[bisect_left(self.lows, values.high)] & self.unended[bisect_right(self.highs, values.low)]
        return met | self.missing if values.missing else met


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
