"""Conjunctions of conditions as sets of rows, exactly: what two have in common, what one leaves of another.

A box holds for each attribute a set of values: numbers between two doubles or labels, and besides them the points
"missing" and, where the list of rules tells it from a missing value, "unseen". A row is in the box if each of its
values is in that attribute's set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import floor, inf, isinf, nextafter, prod
from typing import TYPE_CHECKING

from treecli.values import Condition, Interval, Labels

if TYPE_CHECKING:
    from treecli.data import Schema

Span = tuple[float, float, bool]
"""low < number <= high, or missing if that is set; -inf belongs to what has no lower bound."""

Values = Span | int
"""Numbers; or labels as the bits of their codes, behind which come the bits of missing and unseen."""

Box = dict[int, Values]
"""The values of each attribute that is asked about; nothing in it is empty, and nothing everything."""

Witness = dict[int, float | int | str | None]
"""A value for each attribute asked about: a number, a label's code, None for missing, or an unseen label."""

NO_NUMBER = (inf, -inf)
"""The bounds of a span without numbers: they meet those of no other."""

ANY_NUMBER = (-inf, inf, True)


class TooIntricateError(Exception):
    """More work than was allowed; what is in question is left undecided."""


class Allowance:
    """How much work may still be done, counted in comparisons of two boxes, so that any machine stops at the same."""

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
        self.everything: list[Values] = [
            ANY_NUMBER if attribute.is_numeric else (1 << (len(attribute.labels) + 1 + tells_unseen)) - 1
            for attribute in schema.attributes
        ]

    def box(self, conditions: Iterable[Condition]) -> Box | None:
        """The rows that satisfy all of these; None where no row does."""
        box: Box = {}
        for condition in conditions:
            attribute = condition.attribute
            values = self.values(condition)
            if attribute in box:
                values = _common(box[attribute], values)
            if _is_empty(values):
                return None
            if values != self.everything[attribute]:
                box[attribute] = values
        return box

    def values(self, condition: Condition) -> Values:
        """The values that satisfy a condition."""
        attribute = self.schema.attributes[condition.attribute]
        if attribute.is_numeric:
            assert isinstance(condition, Interval)
            return _span(condition.low, condition.high, condition.missing)
        n_labels = len(attribute.labels)
        if isinstance(condition, Labels):
            codes: Iterable[int] = condition.codes
        else:
            codes = (code for code in range(n_labels) if condition.low < code <= condition.high)
        mask = sum(1 << code for code in codes)
        return mask | condition.missing << n_labels | (self.tells_unseen and condition.unseen) << (n_labels + 1)

    def condition(self, attribute: int, values: Values) -> Condition:
        """The condition that these values satisfy and no others; labels in order are put as an interval."""
        if not isinstance(values, int):
            low, high, missing = values
            return Interval(attribute, low, high, missing) if low < high else Interval(attribute, 0.0, 0.0, missing)
        described = self.schema.attributes[attribute]
        n_labels = len(described.labels)
        codes = tuple(code for code in range(n_labels) if values >> code & 1)
        missing = bool(values >> n_labels & 1)
        unseen = bool(values >> (n_labels + 1) & 1)
        if described.kind == "ordinal" and codes and codes[-1] - codes[0] == len(codes) - 1:
            low = codes[0] - 1.0 if codes[0] else -inf
            high = float(codes[-1]) if codes[-1] < n_labels - 1 else inf
            return Interval(attribute, low, high, missing, unseen)
        return Labels(attribute, codes, missing, unseen)

    def left_of(self, box: Box, other: Box) -> list[Box]:
        """What a box holds and the other does not, as boxes that have nothing in common."""
        parts = []
        rest = box
        for attribute, values in other.items():
            own = rest.get(attribute, self.everything[attribute])
            for part in _difference(own, values):
                parts.append(rest | {attribute: part})
            common = _common(own, values)
            if _is_empty(common):
                return [box]
            if common != own:
                rest = rest | {attribute: common}
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
        clipped = [common for part in parts if (common := intersection(box, part)) is not None]
        bounds: dict[int, set[float]] = {}
        for clip in [box, *clipped]:
            for attribute, values in clip.items():
                if not isinstance(values, int):
                    bounds.setdefault(attribute, {-inf, inf}).update(values[:2])
        ranks = {
            attribute: {bound: rank for rank, bound in enumerate(sorted(on_it))} for attribute, on_it in bounds.items()
        }

        def extent(attribute: int, values: Values) -> int:
            if isinstance(values, int):
                return values.bit_count()
            low, high, missing = values
            return (ranks[attribute][high] - ranks[attribute][low] if low < high else 0) + missing

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
        return {attribute: self._example(attribute, values) for attribute, values in sorted(box.items())}

    def _example(self, attribute: int, values: Values) -> float | int | str | None:
        if not isinstance(values, int):
            low, high, _ = values
            return shortest_between(low, high) if low < high else None
        labels = self.schema.attributes[attribute].labels
        first = (values & -values).bit_length() - 1
        if first < len(labels):
            return first
        return None if first == len(labels) else _unknown_label(labels)


def do_overlap(box: Box, other: Box) -> bool:
    """Whether a row is in both."""
    if len(other) < len(box):
        box, other = other, box
    for attribute, values in box.items():
        against = other.get(attribute)
        if against is None:
            continue
        if isinstance(values, int):
            if not values & against:  # type: ignore[operator]  # an attribute has spans or labels, never both
                return False
        elif not ((values[0] < against[1] and against[0] < values[1]) or (values[2] and against[2])):  # type: ignore[index]
            return False
    return True


def does_contain(box: Box, other: Box) -> bool:
    """Whether every row of the other is in the box."""
    return all(attribute in other and _contains(values, other[attribute]) for attribute, values in box.items())


def intersection(box: Box, other: Box) -> Box | None:
    """The rows that are in both; None where there is none."""
    both = dict(box)
    for attribute, values in other.items():
        common = _common(both[attribute], values) if attribute in both else values
        if _is_empty(common):
            return None
        both[attribute] = common
    return both


def _n_cuts(piece: Box, other: Box) -> int | None:
    """Along how many attributes the other holds a part of the piece only; None where they have no row in common."""
    n_cuts = 0
    for attribute, values in other.items():
        own = piece.get(attribute)
        if own is None:
            n_cuts += 1
        elif isinstance(own, int):
            common = own & values  # type: ignore[operator]  # an attribute has spans or labels, never both
            if not common:
                return None
            n_cuts += common != own
        else:
            low, high, missing = own
            from_low, to_high, or_missing = values  # type: ignore[misc]
            has_numbers = low < to_high and from_low < high
            if not has_numbers and not (missing and or_missing):
                return None
            is_inside = low >= high or (from_low <= low and high <= to_high)
            n_cuts += not is_inside or (missing and not or_missing)
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


def union(values: Values, other: Values) -> Values | None:
    """All that is in either, where that is one set of values; None for two spans with a gap between them."""
    if isinstance(values, int):
        return values | other  # type: ignore[operator]
    low, high, missing = values
    other_low, other_high, other_missing = other  # type: ignore[misc]
    if low < high and other_low < other_high and (low > other_high or other_low > high):
        return None
    return min(low, other_low), max(high, other_high), missing or other_missing


def _span(low: float, high: float, missing: bool) -> Span:
    return (low, high, missing) if low < high else (*NO_NUMBER, missing)


def _is_empty(values: Values) -> bool:
    return not values if isinstance(values, int) else values[0] >= values[1] and not values[2]


def _common(values: Values, other: Values) -> Values:
    if isinstance(values, int):
        return values & other  # type: ignore[operator]
    low, high, missing = values
    other_low, other_high, other_missing = other  # type: ignore[misc]
    return _span(max(low, other_low), min(high, other_high), missing and other_missing)


def _contains(values: Values, other: Values) -> bool:
    if isinstance(values, int):
        return not other & ~values  # type: ignore[operator]
    low, high, missing = other  # type: ignore[misc]
    return (low >= high or (values[0] <= low and high <= values[1])) and (values[2] or not missing)


def _missing(values: Values) -> Values:
    """Missing or unseen alone, where that is among the values, else the highest of them."""
    if isinstance(values, int):
        return 1 << values.bit_length() - 1
    return (*NO_NUMBER, True) if values[2] else _highest(values)


def _lowest(values: Values) -> Values:
    if isinstance(values, int):
        return values & -values
    low, high, _ = values
    return (low, nextafter(low, inf), False) if low < high else values


def _highest(values: Values) -> Values:
    """The highest number, or the last but one of the labels, behind which come missing and unseen."""
    if isinstance(values, int):
        rest = values ^ 1 << values.bit_length() - 1
        return 1 << rest.bit_length() - 1 if rest else values
    low, high, _ = values
    return (nextafter(high, -inf), high, False) if low < high else values


def _difference(values: Values, other: Values) -> list[Values]:
    """What is in the first and not in the second, as one or two sets of values, or none."""
    if isinstance(values, int):
        rest = values & ~other  # type: ignore[operator]
        return [rest] if rest else []
    low, high, missing = values
    other_low, other_high, other_missing = other  # type: ignore[misc]
    missing = missing and not other_missing
    if min(high, other_high) <= max(low, other_low):
        spans = [(low, high)] if low < high else []
    else:
        spans = [bounds for bounds in ((low, other_low), (other_high, high)) if bounds[0] < bounds[1]]
    if missing and not spans:
        spans = [NO_NUMBER]
    return [(*bounds, missing and position == 0) for position, bounds in enumerate(spans)]


def _unknown_label(labels: Sequence[str]) -> str:
    """A label that is none of these."""
    label = "another label"
    while label in labels:
        label += "!"
    return label
