"""What can be asked about one attribute, and how it is put into words.

A branch of a split is a condition, and a rule is a conjunction of them; nothing else knows what "<=" means.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nextafter
from typing import Any

from treecli.data import Attribute
from treecli.wording import SHORT, number_text, quoted

NOWHERE = 0.0
"""Both bounds of an interval that no known value satisfies."""


@dataclass(frozen=True, slots=True)
class Interval:
    """low < value <= high; for an ordinal attribute the bounds are positions among its labels.

    Without a lower bound (low = -inf) even -inf satisfies it. An interval that no known value satisfies has both bounds
    at NOWHERE. `missing`: a missing value satisfies it too. `unseen`: so does a label that the schema does not hold;
    that counts only under the policy "majority" of the settings, otherwise an unseen label is a missing value.
    """

    attribute: int
    low: float = -inf
    high: float = inf
    missing: bool = False
    unseen: bool = False

    @property
    def takes_known(self) -> bool:
        """Whether any known value satisfies it."""
        return self.low != self.high

    def merge(self, other: Interval) -> Interval:
        """What satisfies both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low >= high:
            low = high = NOWHERE
        return Interval(self.attribute, low, high, self.missing and other.missing, self.unseen and other.unseen)

    def holds(self, value: float | None) -> bool:
        """Whether a value satisfies it; None is a missing value, and an ordinal code below 0 an unseen label."""
        if value is None:
            return self.missing
        return (self.low < value or (self.low == -inf and self.low != self.high)) and value <= self.high

    def wording(self, attribute: Attribute) -> str:
        name = quoted(attribute.name)
        if not self.takes_known:
            return _special(name, self)
        if self.low == -inf and self.high == inf:
            return f"{name} is known{_also(self)}"
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
        bounds = {"above": self.low, "at_most": self.high}
        readable: dict[str, Any] = {"attribute": attribute.name}
        if self.takes_known:
            for word, bound in bounds.items():
                if abs(bound) != inf:
                    readable[word] = bound if attribute.is_numeric else attribute.labels[int(bound)]
        else:
            readable["known"] = False
        return readable | _flags(self)


@dataclass(frozen=True, slots=True)
class Labels:
    """The value is one of these labels (their codes, in order).

    `missing`: a missing value satisfies it too. `unseen`: as for an Interval.
    """

    attribute: int
    codes: tuple[int, ...]
    missing: bool = False
    unseen: bool = False

    @property
    def takes_known(self) -> bool:
        """Whether any known value satisfies it."""
        return bool(self.codes)

    def merge(self, other: Labels) -> Labels:
        """What satisfies both."""
        kept = set(other.codes)
        codes = tuple(c for c in self.codes if c in kept)
        return Labels(self.attribute, codes, self.missing and other.missing, self.unseen and other.unseen)

    def holds(self, value: float | None) -> bool:
        """Whether a code satisfies it; None is a missing value."""
        return self.missing if value is None else value in self.codes

    def wording(self, attribute: Attribute) -> str:
        name = quoted(attribute.name)
        n_others = len(attribute.labels) - len(self.codes)
        if not self.codes:
            return _special(name, self)
        if n_others == 0 and len(self.codes) > 1:
            return f"{name} is known{_also(self)}"
        if len(self.codes) == 1:
            text = f"{name} = {quoted(attribute.labels[self.codes[0]])}"
        elif n_others == 1:
            (other,) = set(range(len(attribute.labels))).difference(self.codes)
            text = f"{name} != {quoted(attribute.labels[other])}"
        else:
            text = f"{name} in {{{', '.join(quoted(attribute.labels[c]) for c in self.codes)}}}"
        return text + _also(self)

    def to_json(self, attribute: Attribute) -> dict[str, Any]:
        described = {"attribute": attribute.name, "labels": [attribute.labels[code] for code in self.codes]}
        return described | _flags(self)


Condition = Interval | Labels


def _also(condition: Condition) -> str:
    """What satisfies a condition besides known values, in words."""
    return (" or missing" if condition.missing else "") + (" or unseen" if condition.unseen else "")


def _special(name: str, condition: Condition) -> str:
    """A condition that no known value satisfies, in words."""
    return f"{name} is{_also(condition).removeprefix(' or') or ' neither known nor missing'}"


def _flags(condition: Condition) -> dict[str, bool]:
    flags = {"missing": condition.missing}
    return flags | {"unseen": True} if condition.unseen else flags


def bound_text(bound: float, attribute: Attribute) -> tuple[str, bool]:
    """A bound as text, and whether that is the next number up, which is on the other side of it.

    Just below a short number lies a long one: "< 2.45" says the same as "<= 2.4499999999999997", of every double.
    """
    if not attribute.is_numeric:
        return quoted(attribute.labels[int(bound)]), False
    own = number_text(bound)
    if len(own) <= SHORT:
        return own, False
    above = number_text(nextafter(bound, inf))
    return (above, True) if len(above) < len(own) - 2 and "inf" not in above else (own, False)
