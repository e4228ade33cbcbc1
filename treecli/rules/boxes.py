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
"""The condition on each restricted attribute, in the form that `Space.values` returns; no condition is empty."""

Witness = dict[int, float | int | str | None]
"""A value for each restricted attribute: a number, a label's code, None for missing, or an unseen label."""


class TooIntricateError(Exception):
    """The work limit is exceeded; the question stays undecided."""


class Allowance:
    """The remaining work limit, counted in box comparisons, not time, so that results do not depend on the machine."""

    __slots__ = ("left",)

    def __init__(self, comparisons: int) -> None:
        self.left = comparisons

    def spend(self, comparisons: int) -> None:
        self.left -= comparisons
        if self.left < 0:
            raise TooIntricateError


class Space:
    """All rows that a schema admits, and the boxes in it.

    `tells_unseen`: unseen labels are a value of their own; otherwise they count as missing. `everything`: the values of
    each attribute, if the space does not have all of them.
    """

    def __init__(self, schema: Schema, *, tells_unseen: bool, everything: list[Condition] | None = None) -> None:
        self.schema = schema
        self.tells_unseen = tells_unseen
        self.everything: list[Condition] = everything or [
            Interval(index, missing=True)
            if attribute.is_numeric
            else Labels(index, (1 << len(attribute.labels)) - 1, missing=True, unseen=tells_unseen)
            for index, attribute in enumerate(schema.columns)
        ]

    def box(self, conditions: Iterable[Condition]) -> Box | None:
        """Return the rows that satisfy all conditions; None if there are none."""
        box: Box = {}
        for condition in conditions:
            attribute = condition.attribute
            values = common(box.get(attribute, self.everything[attribute]), self.values(condition))
            if values.is_empty:
                return None
            if values != self.everything[attribute]:
                box[attribute] = values
        return box

    def values(self, condition: Condition) -> Condition:
        """Return the condition as used in boxes: labels as sets, and `unseen` only if the space tells it apart."""
        attribute = self.schema.columns[condition.attribute]
        if not attribute.is_numeric:
            condition = as_labels(condition, len(attribute.labels))
        if condition.unseen and (attribute.is_numeric or not self.tells_unseen):
            return replace(condition, unseen=False)
        return condition

    def condition(self, values: Condition) -> Condition:
        """Return a set of values as used in rules: consecutive labels of an ordinal attribute become an interval."""
        attribute = self.schema.columns[values.attribute]
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
        """Return the difference box - other as disjoint boxes."""
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
        """Yield the part of a box that no other box covers, as disjoint boxes, lazily.

        Deciding whether anything is left is co-NP-complete, hence the allowance.
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
                # Cut with the box that restricts the fewest attributes: it leaves the fewest parts.
                pending.extend((part, near) for part in reversed(self.left_of(piece, cutter)))

    def is_filled(self, box: Box, parts: Iterable[Box]) -> bool:
        """Return whether disjoint parts together cover a box.

        They do if their volumes sum to that of the box. A volume is the number of cells in the grid spanned by all
        bounds. Overlapping parts would need a search; disjoint ones do not.
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
        """Yield three rows of the box, as boxes: missing values where allowed, the lowest values, and the highest."""
        values_of = {attribute: box.get(attribute, self.everything[attribute]) for attribute in attributes} | box
        for corner in (_missing, _lowest, _highest):
            yield {attribute: corner(values) for attribute, values in values_of.items()}

    def witness(self, box: Box) -> Witness:
        """Return a row of the box: the shortest value for each restricted attribute, known rather than missing."""
        return {attribute: self._example(values) for attribute, values in sorted(box.items())}

    def _example(self, values: Condition) -> float | int | str | None:
        if isinstance(values, Interval):
            return shortest_between(values.low, values.high) if values.takes_known else None
        if values.bits:
            return _lowest_bit(values.bits)
        return None if values.missing else _unknown_label(self.schema.columns[values.attribute].labels)


# In all boxes of a space, an attribute has either intervals or labels: hence the ignored types below.


def common(values: Condition, other: Condition) -> Condition:
    """Return the intersection."""
    return values & other  # type: ignore[operator]


def difference(values: Condition, other: Condition) -> Sequence[Condition]:
    """Return the difference as disjoint sets."""
    return values - other  # type: ignore[operator]


def union(values: Condition, other: Condition) -> Condition | None:
    """Return the union; None for two intervals with a gap between them."""
    return values.join(other)  # type: ignore[arg-type]


def do_overlap(box: Box, other: Box) -> bool:
    """Return whether the boxes share a row."""
    if len(other) < len(box):
        box, other = other, box
    for attribute, values in box.items():
        against = other.get(attribute)
        if against is not None and not values.overlaps(against):  # type: ignore[arg-type]
            return False
    return True


def does_contain(box: Box, other: Box) -> bool:
    """Return whether every row of `other` is in `box`."""
    return all(attribute in other and values.contains(other[attribute]) for attribute, values in box.items())  # type: ignore[arg-type]


def intersection(box: Box, other: Box) -> Box | None:
    """Return the rows in both boxes; None if there are none."""
    found = dict(box)
    for attribute, values in other.items():
        both = common(found[attribute], values) if attribute in found else values
        if both.is_empty:
            return None
        found[attribute] = both
    return found


def _n_cuts(piece: Box, other: Box) -> int | None:
    """Return the number of attributes along which `other` cuts `piece`; None if they share no row."""
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
    """Return the number in (low, high] with the fewest decimal digits; 0 if it is in the interval."""
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
    """Return a single value: unseen if allowed, else missing, else the highest known value."""
    if isinstance(values, Interval):
        return Interval.none(values.attribute, missing=True) if values.missing else _highest(values)
    if values.unseen or values.missing:
        return Labels(values.attribute, 0, missing=not values.unseen, unseen=values.unseen)
    return Labels(values.attribute, 1 << values.bits.bit_length() - 1)


def _lowest(values: Condition) -> Condition:
    """Return a single value: the lowest number or first label, else missing or unseen."""
    if isinstance(values, Interval):
        return Interval(values.attribute, values.low, nextafter(values.low, inf)) if values.takes_known else values
    if values.bits:
        return Labels(values.attribute, values.bits & -values.bits)
    return Labels(values.attribute, 0, missing=values.missing, unseen=not values.missing)


def _highest(values: Condition) -> Condition:
    """Return a single value: the highest number, or the second to last of labels, missing and unseen."""
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
    """Return a label that is not among these."""
    label = "another label"
    while label in labels:
        label += "!"
    return label
