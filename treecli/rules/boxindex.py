"""Which of many boxes have a row in common with another, found without looking at each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from treecli.rules.boxes import Box, Span, Values

BLOCK = 4096
"""So many boxes share the bits of one number in an index; its tables grow with the square of this."""


class Index:
    """Boxes in order, by what they hold: which of them have a row in common with another box.

    Two boxes overlap if they do in every attribute, so the answer is an intersection of sets, kept as the bits of
    whole numbers: bit i of an answer is box i.
    """

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._blocks = [_Block(boxes[first : first + BLOCK]) for first in range(0, len(boxes), BLOCK)]

    def overlapping(self, box: Box) -> int:
        """The boxes that overlap this one, as bits."""
        if len(self._blocks) == 1:
            return self._blocks[0].overlapping(box)
        found = 0
        for number, block in enumerate(self._blocks):
            if hits := block.overlapping(box):
                found |= hits << number * BLOCK
        return found

    def has_overlapping(self, box: Box, among: int, near: int) -> bool:
        """Whether one of some boxes, given as bits, overlaps this one, looked for near a position first.

        Where boxes follow one another as the leaves of a tree do, those on the other side of a bound are not far.
        """
        home = near // BLOCK
        for number in (home, *range(home), *range(home + 1, len(self._blocks))):
            found = self._blocks[number].overlapping(box)
            if found and found & (among >> number * BLOCK):
                return True
        return False


class _Block:
    """The index of some boxes: for each attribute, tables of the boxes that hold a value."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.all = (1 << len(boxes)) - 1
        members: dict[int, list[tuple[int, Values]]] = {}
        for position, box in enumerate(boxes):
            for attribute, values in box.items():
                members.setdefault(attribute, []).append((position, values))
        self.spans: dict[int, _Spans] = {}
        self.labels: dict[int, tuple[int, list[int]]] = {}
        for attribute, asked in members.items():
            unasked = self.all & ~sum(1 << position for position, _ in asked)
            if isinstance(asked[0][1], int):
                by_bit = [0] * max(values.bit_length() for _, values in asked)  # type: ignore[union-attr]
                for position, values in asked:
                    for bit in bits(values):  # type: ignore[arg-type]
                        by_bit[bit] |= 1 << position
                self.labels[attribute] = unasked, by_bit
            else:
                self.spans[attribute] = _Spans(asked, unasked)  # type: ignore[arg-type]

    def overlapping(self, box: Box) -> int:
        found = self.all
        for attribute, values in box.items():
            if attribute in self.spans:
                found &= self.spans[attribute].meeting(values)  # type: ignore[arg-type]
            elif attribute in self.labels:
                hits, by_bit = self.labels[attribute]
                for bit in bits(values):  # type: ignore[arg-type]
                    if bit < len(by_bit):
                        hits |= by_bit[bit]
                found &= hits
            if not found:
                break
        return found


class _Spans:
    """Sets of numbers on one attribute, as tables of those that begin below, or end above, a number."""

    def __init__(self, asked: list[tuple[int, Span]], unasked: int) -> None:
        self.missing = unasked
        starting: dict[float, int] = {}
        ending: dict[float, int] = {}
        for position, (low, high, missing) in asked:
            if missing:
                self.missing |= 1 << position
            if low < high:
                starting[low] = starting.get(low, 0) | 1 << position
                ending[high] = ending.get(high, 0) | 1 << position
        self.lows, self.highs = sorted(starting), sorted(ending)
        self.started = [unasked]
        for low in self.lows:
            self.started.append(self.started[-1] | starting[low])
        self.unended = [unasked]
        for high in reversed(self.highs):
            self.unended.append(self.unended[-1] | ending[high])
        self.unended.reverse()

    def meeting(self, span: Span) -> int:
        low, high, missing = span
        met = 0
        if low < high:
            met = self.started[bisect_left(self.lows, high)] & self.unended[bisect_right(self.highs, low)]
        return met | self.missing if missing else met


def bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
