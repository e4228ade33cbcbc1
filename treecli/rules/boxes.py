"""Conjunctions of conditions as sets of rows: exact intersections, differences and coverage.

A box restricts each attribute to a set of values. A row is in the box if each of its values is in the attribute's set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from math import floor, inf, isinf, nextafter, prod
from typing import TYPE_CHECKING

from treecli.values import Condition, Interval, Labels, as_labels

if TYPE_CHECKING:
    from treecli.data import Schema

Box = dict[int, Condition]
"""The values of each attribute that is restricted, as `Space.values` gives them; none of them is empty."""

Witness = dict[int, float | int | str | None]
"""A value for each restricted attribute: a number, a label's code, None for missing, or an unseen label."""


class TooIntricateError(Exception):
    """More work than was allowed; the question stays undecided."""


class Allowance:
    """How much work may still be done, in comparisons of two boxes, so that every machine stops at the same point."""

    __slots__ = ("left",)

    def __init__(self, comparisons: int) -> None:
        self.left = comparisons

    def spend(self, comparisons: int) -> None:
        self.left -= comparisons
        if self.left < 0:
            raise TooIntricateError


class Space:
    """All rows that a schema admits, and the boxes in it.

    `tells_unseen`: a label that the schema does not know is a value of its own; otherwise it is a missing value.
    """

    def __init__(self, schema: Schema, *, tells_unseen: bool) -> None:
        self.schema = schema
        self.tells_unseen = tells_unseen
        self.everything: list[Condition] = [
            Interval(index, missing=True)
            if attribute.is_numeric
            else Labels(index, (1 << len(attribute.labels)) - 1, missing=True, unseen=tells_unseen)
            for index, attribute in enumerate(schema.attributes)
        ]

    def box(self, conditions: Iterable[Condition]) -> Box | None:
        """The rows that satisfy all of these; None where no row does."""
        box: Box = {}
        for condition in conditions:
            attribute = condition.attribute
            values = self.values(condition)
            if attribute in box:
                values = common(box[attribute], values)
            if values.is_empty:
                return None
            if values != self.everything[attribute]:
                box[attribute] = values
        return box

    def values(self, condition: Condition) -> Condition:
        """The condition as boxes have it: labels as sets, and unseen labels only if the space tells them apart."""
        attribute = self.schema.attributes[condition.attribute]
        if not attribute.is_numeric:
            condition = as_labels(condition, len(attribute.labels))
        if condition.unseen and (attribute.is_numeric or not self.tells_unseen):
            return replace(condition, unseen=False)
        return condition

    def condition(self, values: Condition) -> Condition:
        """A set of values as rules have it: consecutive labels of an ordinal attribute become an interval."""
        attribute = self.schema.attributes[values.attribute]
        if attribute.kind != "ordinal" or not isinstance(values, Labels) or not values.bits:
            return values
        codes = values.codes
        first, last = codes[0], codes[-1]
        if last - first != len(codes) - 1:
            return values
        low = first - 1.0 if first else -inf
        high = float(last) if last < len(attribute.labels) - 1 else inf
        return Interval(values.attribute, low, high, values.missing, values.unseen)

    def left_of(self, box: Box, other: Box) -> list[Box]:
        """What a box holds and the other does not, as boxes that have nothing in common."""
        parts = []
        rest = box
        for attribute, values in other.items():
            own = rest.get(attribute, self.everything[attribute])
            if values.contains(own):  # type: ignore[arg-type]
                continue
            both = common(own, values)
            if both.is_empty:
                return [box]
            parts += [rest | {attribute: part} for part in difference(own, values)]
            rest = rest | {attribute: both}
        return parts

    def uncovered(self, box: Box, others: Sequence[Box], allowance: Allowance) -> Iterator[Box]:
        """What none of the others holds, as boxes that have nothing in common; the first comes as soon as found.

        Whether nothing is left is as hard as proving that a formula always holds (co-NP), hence the allowance.
        """
        pending: list[tuple[Box, Sequence[Box]]] = [(box, others)]
        while pending:
            piece, candidates = pending.pop()
            allowance.spend(len(candidates) + 1)
            near, fewest, cutter = [], inf, None
            for other in candidates:
                n_cuts = _n_cuts(piece, other)
                if n_cuts is not None:
                    near.append(other)
                    if n_cuts < fewest:
                        fewest, cutter = n_cuts, other
            if cutter is None:
                yield piece
            elif fewest:
                # The one that cuts the piece along the fewest attributes leaves the fewest parts to look at.
                pending.extend((part, near) for part in reversed(self.left_of(piece, cutter)))

    def is_filled(self, box: Box, parts: Iterable[Box]) -> bool:
        """Whether parts that have nothing in common together hold all of a box.

        They do if their volumes add up to that of the box, where a volume counts the cells of the grid that all bounds
        draw. Unlike for parts that overlap, this takes no search.
        """
        clipped = [both for part in parts if (both := intersection(box, part)) is not None]
        bounds: dict[int, set[float]] = {}
        for clip in [box, *clipped]:
            for attribute, values in clip.items():
                if isinstance(values, Interval):
                    bounds.setdefault(attribute, {-inf, inf}).update((values.low, values.high))
        ranks = {
            attribute: {bound: rank for rank, bound in enumerate(sorted(on_it))} for attribute, on_it in bounds.items()
        }

        def extent(attribute: int, values: Condition) -> int:
            if isinstance(values, Labels):
                return values.bits.bit_count() + values.missing + values.unseen
            rank = ranks[attribute]
            return (rank[values.high] - rank[values.low] if values.takes_known else 0) + values.missing

        asked = {attribute for clip in clipped for attribute in clip}
        extents = {a: extent(a, box.get(a, self.everything[a])) for a in asked}
        volume = prod(extents.values())
        filled = 0
        for clip in clipped:
            inside = prod(extent(attribute, values) for attribute, values in clip.items())
            filled += volume // prod(extents[attribute] for attribute in clip) * inside
        return filled == volume

    def corners(self, box: Box, attributes: Iterable[int]) -> Iterator[Box]:
        """Three rows of the box, as boxes: with values missing where they may be, with the lowest, with the highest."""
        values_of = {attribute: box.get(attribute, self.everything[attribute]) for attribute in attributes} | box
        for corner in (_missing, _lowest, _highest):
            yield {attribute: corner(values) for attribute, values in values_of.items()}

    def witness(self, box: Box) -> Witness:
        """A row of the box: for each attribute asked about a value as short as there is, known rather than missing."""
        return {attribute: self._example(values) for attribute, values in sorted(box.items())}

    def _example(self, values: Condition) -> float | int | str | None:
        if isinstance(values, Interval):
            return shortest_between(values.low, values.high) if values.takes_known else None
        if values.bits:
            return _lowest_bit(values.bits)
        return None if values.missing else _unknown_label(self.schema.attributes[values.attribute].labels)


# An attribute has intervals or labels, never both, in all boxes of a space: hence the ignored types below.


def common(values: Condition, other: Condition) -> Condition:
    """The values that are in both."""
    return values & other  # type: ignore[operator]


def difference(values: Condition, other: Condition) -> Sequence[Condition]:
    """The values that are in the first only, as disjoint sets."""
    return values - other  # type: ignore[operator]


def union(values: Condition, other: Condition) -> Condition | None:
    """The values that are in either; None for two intervals with a gap between them."""
    return values.join(other)  # type: ignore[arg-type]


def do_overlap(box: Box, other: Box) -> bool:
    """Whether a row is in both."""
    if len(other) < len(box):
        box, other = other, box
    for attribute, values in box.items():
        against = other.get(attribute)
        if against is not None and not values.overlaps(against):  # type: ignore[arg-type]
            return False
    return True


def does_contain(box: Box, other: Box) -> bool:
    """Whether every row of the other is in the box."""
    return all(attribute in other and values.contains(other[attribute]) for attribute, values in box.items())  # type: ignore[arg-type]


def intersection(box: Box, other: Box) -> Box | None:
    """The rows that are in both; None if there is none."""
    found = dict(box)
    for attribute, values in other.items():
        both = common(found[attribute], values) if attribute in found else values
        if both.is_empty:
            return None
        found[attribute] = both
    return found


def _n_cuts(piece: Box, other: Box) -> int | None:
    """The number of attributes by which the other cuts the piece; None if they have no row in common."""
    n_cuts = 0
    for attribute, values in other.items():
        own = piece.get(attribute)
        if own is None:
            n_cuts += 1
        elif not values.contains(own):  # type: ignore[arg-type]
            if not values.overlaps(own):  # type: ignore[arg-type]
                return None
            n_cuts += 1
    return n_cuts


def shortest_between(low: float, high: float) -> float:
    """A number above low and up to high whose decimal has as few digits as can be; 0 where that is one."""
    if low < 0 <= high:
        return 0.0
    if isinf(low):
        return high if isinf(high) or abs(high) > 1e15 else float(floor(high))
    if isinf(high):
        above = float(floor(low) + 1)
        return above if above > low else nextafter(low, inf)
    top = Decimal(repr(high))
    exponent = max(Decimal(repr(low)).adjusted(), top.adjusted()) + 1
    while exponent > -350:  # the smallest double is 5e-324
        unit = Decimal(1).scaleb(exponent)
        number = float((top / unit).to_integral_value("ROUND_FLOOR") * unit)
        if low < number <= high:
            return number
        exponent -= 1
    return high


def _missing(values: Condition) -> Condition:
    """The unseen value alone, or the missing one, or the highest known."""
    if isinstance(values, Interval):
        return Interval.none(values.attribute, missing=True) if values.missing else _highest(values)
    if values.unseen or values.missing:
        return Labels(values.attribute, 0, missing=not values.unseen, unseen=values.unseen)
    return Labels(values.attribute, 1 << values.bits.bit_length() - 1)


def _lowest(values: Condition) -> Condition:
    """The lowest number alone; or the first label, else the missing or unseen value."""
    if isinstance(values, Interval):
        return Interval(values.attribute, values.low, nextafter(values.low, inf)) if values.takes_known else values
    if values.bits:
        return Labels(values.attribute, values.bits & -values.bits)
    return Labels(values.attribute, 0, missing=values.missing, unseen=not values.missing)


def _highest(values: Condition) -> Condition:
    """The highest number alone; or the last but one of the labels, the missing and the unseen value."""
    if isinstance(values, Interval):
        return Interval(values.attribute, nextafter(values.high, -inf), values.high) if values.takes_known else values
    if values.missing and values.unseen:
        return Labels(values.attribute, 0, missing=True)
    bits = values.bits
    if not (values.missing or values.unseen):
        bits ^= 1 << bits.bit_length() - 1
    return Labels(values.attribute, 1 << bits.bit_length() - 1) if bits else values


def _lowest_bit(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _unknown_label(labels: Sequence[str]) -> str:
    """A label that is none of these."""
    label = "another label"
    while label in labels:
        label += "!"
    return label
