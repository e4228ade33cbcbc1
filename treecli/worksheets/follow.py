"""Answers that follow from earlier answers, so that a mistake costs its points once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Own = Mapping[str, float]
"""A student's own numbers, by blank."""


@dataclass(frozen=True, slots=True)
class Total:
    """A sum of earlier answers with factors, plus a number that the sheet does not ask for."""

    terms: tuple[tuple[float, str], ...]
    constant: float = 0.0

    @property
    def blanks(self) -> tuple[str, ...]:
        return tuple(blank for _, blank in self.terms)

    def value(self, own: Own) -> float | str | None:
        """Return the answer that is right for a student's own earlier answers; None if there is none."""
        return self.constant + sum(factor * own[blank] for factor, blank in self.terms)

    def to_json(self) -> dict[str, Any]:
        return {"total": [list(term) for term in self.terms], "constant": self.constant}


@dataclass(frozen=True, slots=True)
class Ratio:
    """One earlier answer divided by another."""

    top: str
    bottom: str

    @property
    def blanks(self) -> tuple[str, ...]:
        return (self.top, self.bottom)

    def value(self, own: Own) -> float | str | None:
        """Return the quotient; None if the divisor is 0."""
        return own[self.top] / own[self.bottom] if own[self.bottom] else None

    def to_json(self) -> dict[str, Any]:
        return {"ratio": [self.top, self.bottom]}


@dataclass(frozen=True, slots=True)
class Greatest:
    """The choice whose earlier answer is the greatest."""

    blank_of: tuple[tuple[str, str], ...]

    @property
    def blanks(self) -> tuple[str, ...]:
        return tuple(blank for _, blank in self.blank_of)

    def value(self, own: Own) -> float | str | None:
        """Return the choice; None if several are equal."""
        greatest = max(own[blank] for blank in self.blanks)
        found = [choice for choice, blank in self.blank_of if own[blank] == greatest]
        return found[0] if len(found) == 1 else None

    def to_json(self) -> dict[str, Any]:
        return {"greatest": dict(self.blank_of)}


Follow = Total | Ratio | Greatest


def from_json(record: Any) -> Follow:
    """Return the rule of a record; raise ValueError, KeyError or TypeError if the record is invalid."""
    if "total" in record:
        terms = tuple((float(factor), str(blank)) for factor, blank in record["total"])
        return Total(terms, float(record["constant"]))
    if "ratio" in record:
        top, bottom = map(str, record["ratio"])
        return Ratio(top, bottom)
    return Greatest(tuple((str(choice), str(blank)) for choice, blank in record["greatest"].items()))
