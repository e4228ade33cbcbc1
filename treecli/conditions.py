"""What can be asked about one attribute, and how it is put into words.

A branch of a split is a condition, and a rule is a conjunction of them; nothing else knows what "<=" means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any

from treecli.data import Attribute

_PLAIN = re.compile(r"[^\s\"'`{}(),:;=<>!|\\\x00-\x1f\x7f-\x9f]+( ?[^\s\"'`{}(),:;=<>!|\\\x00-\x1f\x7f-\x9f]+)*")
_RESERVED = frozenset(["if", "then", "and", "or", "in", "is", "not", "missing", "known", "else", "default"])


def quoted(text: str) -> str:
    """The text as it stands in a tree or a rule: bare where that cannot be misread, else in double quotes.

    Line breaks and control characters are escaped, so that no value can draw on the terminal.
    """
    if text.isprintable() and _PLAIN.fullmatch(text) and _RESERVED.isdisjoint(text.casefold().split(" ")):
        return text
    body = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in body) + '"'


def number_text(number: float) -> str:
    """The shortest decimal that reads back as the same number, without a trailing `.0`."""
    text = repr(float(number))
    return text.removesuffix(".0")


@dataclass(frozen=True, slots=True)
class Interval:
    """low < value <= high; for an ordinal attribute the bounds are positions among its labels.

    `missing`: a missing value satisfies it too. An interval that holds nothing but missing values has low = high.
    """

    attribute: int
    low: float = -inf
    high: float = inf
    missing: bool = False

    def merge(self, other: Interval) -> Interval:
        """What satisfies both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(self.attribute, min(low, high), high, self.missing and other.missing)

    def holds(self, value: float | None) -> bool:
        """Whether a value satisfies it; None is a missing value."""
        if value is None:
            return self.missing
        return (self.low < value or (self.low == -inf and self.low != self.high)) and value <= self.high

    def wording(self, attribute: Attribute) -> str:
        name = quoted(attribute.name)
        if self.low == self.high:
            return f"{name} is missing"
        if self.low == -inf and self.high == inf:
            return f"{name} is known or missing" if self.missing else f"{name} is known"
        low, is_low_in = _bound(self.low, attribute)
        high, is_high_out = _bound(self.high, attribute)
        if self.low == -inf:
            text = f"{name} {'<' if is_high_out else '<='} {high}"
        elif self.high == inf:
            text = f"{name} {'>=' if is_low_in else '>'} {low}"
        else:
            text = f"{low} {'<=' if is_low_in else '<'} {name} {'<' if is_high_out else '<='} {high}"
        return f"{text} or missing" if self.missing else text

    def to_json(self, attribute: Attribute) -> dict[str, Any]:
        bounds = {"above": self.low, "at_most": self.high}
        readable: dict[str, Any] = {"attribute": attribute.name}
        if self.low != self.high:
            for word, bound in bounds.items():
                if abs(bound) != inf:
                    readable[word] = bound if attribute.is_numeric else attribute.labels[int(bound)]
        readable["missing"] = self.missing
        return readable


@dataclass(frozen=True, slots=True)
class Labels:
    """The value is one of these labels (their codes, in order).

    `missing`: a missing value satisfies it too.
    """

    attribute: int
    codes: tuple[int, ...]
    missing: bool = False

    def merge(self, other: Labels) -> Labels:
        """What satisfies both."""
        kept = set(other.codes)
        return Labels(self.attribute, tuple(c for c in self.codes if c in kept), self.missing and other.missing)

    def holds(self, value: float | None) -> bool:
        """Whether a code satisfies it; None is a missing value."""
        return self.missing if value is None else value in self.codes

    def wording(self, attribute: Attribute) -> str:
        name = quoted(attribute.name)
        n_others = len(attribute.labels) - len(self.codes)
        if not self.codes:
            return f"{name} is missing"
        if n_others == 0:
            return f"{name} is known or missing" if self.missing else f"{name} is known"
        if len(self.codes) == 1:
            text = f"{name} = {quoted(attribute.labels[self.codes[0]])}"
        elif n_others == 1:
            (other,) = set(range(len(attribute.labels))).difference(self.codes)
            text = f"{name} != {quoted(attribute.labels[other])}"
        else:
            text = f"{name} in {{{', '.join(quoted(attribute.labels[c]) for c in self.codes)}}}"
        return f"{text} or missing" if self.missing else text

    def to_json(self, attribute: Attribute) -> dict[str, Any]:
        return {
            "attribute": attribute.name,
            "labels": [attribute.labels[code] for code in self.codes],
            "missing": self.missing,
        }


Condition = Interval | Labels


def _bound(bound: float, attribute: Attribute) -> tuple[str, bool]:
    """A bound as text, and whether that is the next number up, which is on the other side of it.

    Just below a short number lies a long one: "< 2.45" says the same as "<= 2.4499999999999997", of every double.
    """
    if abs(bound) == inf:
        return "", False
    if not attribute.is_numeric:
        return quoted(attribute.labels[int(bound)]), False
    own, above = number_text(bound), number_text(nextafter(bound, inf))
    return (above, True) if len(above) < len(own) - 2 and "inf" not in above else (own, False)
