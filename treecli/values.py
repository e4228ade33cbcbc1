"""Sets of values of one attribute: the algebra shared by splits, rules, programs and proofs.

A branch of a split is such a set, and a rule is a conjunction of them. The meaning of "<=" is defined here only.
Besides numbers or labels, a set may contain two more points: the missing value, and all unseen labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf, nextafter
from struct import pack, unpack
from typing import Any

from treecli.data import Attribute, Schema
from treecli.expressions import Holds
from treecli.records import dataclass
from treecli.wording import SHORT, number_text, quoted


@dataclass(frozen=True, slots=True)
class Interval:
    """The interval low < value <= high; for an ordinal attribute, bounds are positions among its labels.

    If low is -inf, -inf is included. `missing`: the missing value is included. `unseen`: unseen labels are included;
    that matters only under the policy "majority" of the settings, otherwise unseen labels count as missing.
    """

    attribute: int
    low: float = -inf
    high: float = inf
    missing: bool = False
    unseen: bool = False

    def __post_init__(self) -> None:
        if self.low >= self.high:  # canonical form of "no known value", whose bounds overlap no others
            object.__setattr__(self, "low", inf)
            object.__setattr__(self, "high", -inf)

    @classmethod
    def none(cls, attribute: int, missing: bool = False, unseen: bool = False) -> Interval:
        """Return a set without any known value."""
        return cls(attribute, inf, -inf, missing, unseen)

    @property
    def takes_known(self) -> bool:
        """Whether the set contains any known value."""
        return self.low < self.high

    @property
    def is_empty(self) -> bool:
        return not (self.low < self.high or self.missing or self.unseen)

    def nothing(self) -> Interval:
        """Return the empty set of the attribute."""
        return Interval.none(self.attribute)

    def __and__(self, other: Interval) -> Interval:
        """Return the intersection."""
        low = self.low if self.low > other.low else other.low
        high = self.high if self.high < other.high else other.high
        return Interval(self.attribute, low, high, self.missing and other.missing, self.unseen and other.unseen)

    def __sub__(self, other: Interval) -> list[Interval]:
        """Return the difference: at most two disjoint sets; missing and unseen values are in the first."""
        missing, unseen = self.missing and not other.missing, self.unseen and not other.unseen
        if min(self.high, other.high) <= max(self.low, other.low):
            bounds = [(self.low, self.high)] if self.takes_known else []
        else:
            bounds = [(low, high) for low, high in ((self.low, other.low), (other.high, self.high)) if low < high]
        if not bounds:
            return [Interval.none(self.attribute, missing, unseen)] if missing or unseen else []
        first, *rest = bounds
        return [Interval(self.attribute, *first, missing, unseen), *(Interval(self.attribute, *one) for one in rest)]

    def join(self, other: Interval) -> Interval | None:
        """Return the union; None if there is a gap between the two."""
        is_apart = self.low > other.high or other.low > self.high
        if is_apart and self.takes_known and other.takes_known:
            return None
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Interval(self.attribute, low, high, self.missing or other.missing, self.unseen or other.unseen)

    def overlaps(self, other: Interval) -> bool:
        """Return whether the sets share a value."""
        if self.low < other.high and other.low < self.high:
            return True
        return (self.missing and other.missing) or (self.unseen and other.unseen)

    def contains(self, other: Interval) -> bool:
        """Return whether every value of `other` is in this set."""
        if other.missing > self.missing or other.unseen > self.unseen:
            return False
        return other.low >= other.high or (self.low <= other.low and other.high <= self.high)

    def holds(self, value: float | None) -> bool:
        """Return whether a value is in the set; None is a missing value, an ordinal code below 0 an unseen label."""
        if value is None:
            return self.missing
        return (self.low < value or self.low == -inf) and value <= self.high

    def wording(self, attribute: Attribute) -> str:
        name = attribute.wording
        if not self.takes_known:
            return _special(name, self)
        if self.low == -inf and self.high == inf:
            return f"{name} is known{_also(self)}"
        own = attribute.interval_wording(self.low, self.high)
        if own is not None:
            return f"{own}{_also(self)}"
        if self.low == -inf:
            high, is_high_out = bound_text(self.high, attribute)
            return f"{name} {'<' if is_high_out else '<='} {high}{_also(self)}"
        low, is_low_in = bound_text(self.low, attribute)
        if self.high == inf:
            return f"{name} {'>=' if is_low_in else '>'} {low}{_also(self)}"
        if attribute.is_numeric and nextafter(self.low, inf) == self.high:
            return f"{name} = {number_text(self.high)}{_also(self)}"
        high, is_high_out = bound_text(self.high, attribute)
        return f"{low} {'<=' if is_low_in else '<'} {name} {'<' if is_high_out else '<='} {high}{_also(self)}"

    def to_json(self, attribute: Attribute) -> dict[str, Any]:
        readable: dict[str, Any] = {"attribute": attribute.name}
        if self.takes_known:
            for word, bound in {"above": self.low, "at_most": self.high}.items():
                if abs(bound) != inf:
                    readable[word] = bound if attribute.is_numeric else attribute.labels[int(bound)]
        else:
            readable["known"] = False
        return readable | _flags(self)


@dataclass(frozen=True, slots=True)
class Labels:
    """A set of labels: bit i of `bits` is set if the label with code i is in the set.

    `missing` and `unseen` as in an Interval.
    """

    attribute: int
    bits: int
    missing: bool = False
    unseen: bool = False

    @classmethod
    def of(cls, attribute: int, codes: Iterable[int], missing: bool = False, unseen: bool = False) -> Labels:
        """Return the set of labels with these codes."""
        digits = bytearray()
        for code in codes:
            if code >= len(digits):
                digits.extend(b"0" * (code + 1 - len(digits)))
            digits[code] = _ONE
        digits.reverse()
        return cls(attribute, int(digits, 2) if digits else 0, missing, unseen)

    @property
    def codes(self) -> tuple[int, ...]:
        """The codes of the labels, sorted."""
        # Searching passes over the labels that are not in the set, which may be nearly all of many.
        digits, found = f"{self.bits:b}"[::-1], []
        code = digits.find("1")
        while code >= 0:
            found.append(code)
            code = digits.find("1", code + 1)
        return tuple(found)

    @property
    def takes_known(self) -> bool:
        """Whether the set contains any label of the schema."""
        return bool(self.bits)

    @property
    def is_empty(self) -> bool:
        return not (self.bits or self.missing or self.unseen)

    def nothing(self) -> Labels:
        """Return the empty set of the attribute."""
        return Labels(self.attribute, 0)

    def __and__(self, other: Labels) -> Labels:
        """Return the intersection."""
        missing, unseen = self.missing and other.missing, self.unseen and other.unseen
        return Labels(self.attribute, self.bits & other.bits, missing, unseen)

    def __sub__(self, other: Labels) -> list[Labels]:
        """Return the difference: one set, or none."""
        missing, unseen = self.missing and not other.missing, self.unseen and not other.unseen
        rest = Labels(self.attribute, self.bits & ~other.bits, missing, unseen)
        return [] if rest.is_empty else [rest]

    def join(self, other: Labels) -> Labels:
        """Return the union."""
        missing, unseen = self.missing or other.missing, self.unseen or other.unseen
        return Labels(self.attribute, self.bits | other.bits, missing, unseen)

    def overlaps(self, other: Labels) -> bool:
        """Return whether the sets share a value."""
        if self.bits & other.bits:
            return True
        return (self.missing and other.missing) or (self.unseen and other.unseen)

    def contains(self, other: Labels) -> bool:
        """Return whether every value of `other` is in this set."""
        return not (other.bits & ~self.bits or other.missing > self.missing or other.unseen > self.unseen)

    def holds(self, value: float | None) -> bool:
        """Return whether a code is in the set; None is a missing value, and a code below 0 an unseen label."""
        if value is None:
            return self.missing
        return value >= 0 and bool(self.bits >> int(value) & 1)

    def wording(self, attribute: Attribute) -> str:
        name, n_codes = quoted(attribute.name), self.bits.bit_count()
        n_others = len(attribute.labels) - n_codes
        if not n_codes:
            return _special(name, self)
        if n_others == 0 and n_codes > 1:
            return f"{name} is known{_also(self)}"
        if n_codes == 1:
            text = f"{name} = {quoted(attribute.labels[self.bits.bit_length() - 1])}"
        elif n_others == 1:
            other = ((1 << len(attribute.labels)) - 1) ^ self.bits
            text = f"{name} != {quoted(attribute.labels[other.bit_length() - 1])}"
        else:
            text = f"{name} in {{{', '.join(quoted(attribute.labels[code]) for code in self.codes)}}}"
        return text + _also(self)

    def to_json(self, attribute: Attribute) -> dict[str, Any]:
        described = {"attribute": attribute.name, "labels": [attribute.labels[code] for code in self.codes]}
        return described | _flags(self)


Condition = Interval | Labels

_ONE = ord("1")


def _also(condition: Condition) -> str:
    """Return the suffix for missing and unseen values."""
    return (" or missing" if condition.missing else "") + (" or unseen" if condition.unseen else "")


def _special(name: str, condition: Condition) -> str:
    """Return the text of a set without known values."""
    return f"{name} is{_also(condition).removeprefix(' or') or ' neither known nor missing'}"


def _flags(condition: Condition) -> dict[str, bool]:
    flags = {"missing": condition.missing}
    return flags | {"unseen": True} if condition.unseen else flags


def bound_text(bound: float, attribute: Attribute) -> tuple[str, bool]:
    """Return a bound as text, and whether the text is the next double above it, so that the comparison changes.

    This keeps numbers short: "< 2.45" is the same as "<= 2.4499999999999997" for every double.
    """
    if not attribute.is_numeric:
        return quoted(attribute.labels[int(bound)]), False
    own = number_text(bound)
    if len(own) <= SHORT:
        return own, False
    above = number_text(nextafter(bound, inf))
    return (above, True) if len(above) < len(own) - 2 and "inf" not in above else (own, False)


def narrow(merged: dict[int, Condition], condition: Condition, schema: Schema) -> Condition:
    """Intersect a conjunction, by attribute, with one more condition; return the result for its attribute."""
    before = merged.get(condition.attribute)
    attribute = schema.columns[condition.attribute]
    if before is None:
        result = condition
    elif isinstance(before, Interval) and isinstance(condition, Interval):
        result = before & condition
    else:
        n_labels = len(attribute.labels)
        result = as_labels(before, n_labels) & as_labels(condition, n_labels)
    if attribute.kind == "ordinal" and isinstance(result, Interval) and not _takes_labels(result, attribute):
        result = Interval.none(result.attribute, result.missing, result.unseen)
    merged[condition.attribute] = result
    return result


def _takes_labels(condition: Interval, attribute: Attribute) -> bool:
    return condition.takes_known and max(condition.low, -1) < min(condition.high, len(attribute.labels) - 1)


def as_labels(condition: Condition, n_labels: int) -> Labels:
    """Return a condition on an ordinal attribute as a set of labels."""
    if isinstance(condition, Labels):
        return condition
    codes = (code for code in range(n_labels) if condition.low < code <= condition.high)
    return Labels.of(condition.attribute, codes, condition.missing, condition.unseen)


def condition_of(holds: Holds) -> Condition:
    """Return the known values for which an indicator is 1."""
    if holds.labels is not None:
        return Labels.of(holds.attribute, holds.labels)
    return Interval(holds.attribute, holds.low, holds.high)


def in_doubles(condition: Condition, attribute: Attribute, *, is_single: bool) -> Condition:
    """Return the equivalent condition on unrounded numbers, if the model rounds to 32 bits before comparing."""
    if not (is_single and attribute.is_numeric and isinstance(condition, Interval) and condition.takes_known):
        return condition
    return replace(condition, low=in_double(condition.low), high=in_double(condition.high))


def in_double(threshold: float) -> float:
    """Return the largest double that is not above a threshold after rounding to 32 bits.

    Rounding is monotonic, so comparing unrounded numbers with this one gives the same result.
    """
    if abs(threshold) == inf:
        return threshold
    from ctypes import c_float

    within, beyond = _place(-inf), _place(inf)
    while beyond - within > 1:
        middle = (within + beyond) // 2
        if c_float(_at(middle)).value <= threshold:
            within = middle
        else:
            beyond = middle
    return _at(within)


_SIGN = 1 << 63


def _place(number: float) -> int:
    """Return the rank of a number among all doubles."""
    (bits,) = unpack("<q", pack("<d", number))
    place: int = bits if bits >= 0 else -_SIGN - bits
    return place


def _at(place: int) -> float:
    """Return the double with a rank."""
    (number,) = unpack("<d", pack("<q", place if place >= 0 else -_SIGN - place))
    return float(number)
