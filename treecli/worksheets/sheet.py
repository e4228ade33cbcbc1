"""A worksheet as data: sections with texts, tables and blanks; formats print them, and nothing else computes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from treecli.teaching.formulas import Name
from treecli.teaching.mistakes import LEAST_TOLERANCE, ROUNDING_TOLERANCE, Mistake
from treecli.teaching.numbers import MINUS, Digits
from treecli.teaching.plainmath import name_text
from treecli.wording import number_text, printable
from treecli.worksheets.follow import Follow

if TYPE_CHECKING:
    from treecli.data import Attribute

MISSING = "?"

DIGITS = Digits(3)
IN_STEPS = Digits(3, at_steps=True)


@dataclass(frozen=True, slots=True)
class Blank:
    """A question with its answer: a number within a tolerance, or one of several choices.

    `key` names it in the key, once per sheet; `name` is printed before it. `mistakes` are typical wrong numbers.
    """

    key: str
    name: Name | str
    answer: str
    tolerance: float = 0.0
    choices: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    follows: Follow | None = None
    points: int = 1

    @property
    def is_number(self) -> bool:
        return not self.choices

    @property
    def number(self) -> float:
        """The answer as a number."""
        return float(self.answer)

    @property
    def name_text(self) -> str:
        """The name as plain text."""
        return self.name if isinstance(self.name, str) else name_text(self.name)

    @property
    def low(self) -> float | None:
        """The least number that is right."""
        return round(self.number - self.tolerance, 4) if self.is_number else None

    @property
    def high(self) -> float | None:
        """The greatest number that is right."""
        return round(self.number + self.tolerance, 4) if self.is_number else None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of labels, numbered from 1 if `is_numbered`; the last column may be the target."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    has_target: bool = True
    is_numbered: bool = True


@dataclass(frozen=True, slots=True)
class LookUp:
    """Numbers that students need and cannot compute without help: shares or names, each with its number."""

    note: str
    entries: tuple[tuple[Fraction | str, str], ...]


Part = Paragraph | Table | Blank | LookUp


@dataclass(frozen=True, slots=True)
class Section:
    """Parts below a heading; none if it is empty."""

    heading: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A worksheet."""

    number: int
    title: str
    sections: tuple[Section, ...]

    def blanks(self) -> Iterator[Blank]:
        """Yield the blanks in the order of the sheet."""
        for section in self.sections:
            for part in section.parts:
                if isinstance(part, Blank):
                    yield part


def value_text(attribute: Attribute, value: float) -> str:
    """Return a value of an attribute as it is printed; ? if it is missing."""
    if attribute.is_numeric:
        return number_text(value) if value == value else MISSING
    return printable(attribute.labels[int(value)]) if value >= 0 else MISSING


def fixed(number: float | Fraction) -> str:
    """Return a number with three digits, 0.000 too."""
    text = DIGITS.text(number)
    return "0.000" if text in ("0", f"{MINUS}0.000") else text.replace(MINUS, "-")


def tolerance(exact: float, *others: float) -> float:
    """Return the tolerance within which the results of other ways to round are right, too."""
    farthest = max((abs(exact - other) for other in others), default=0.0)
    return max(LEAST_TOLERANCE, round(farthest + ROUNDING_TOLERANCE + 0.00005, 4))


def told_apart(blank: Blank) -> tuple[tuple[float, str], ...]:
    """Return the wrong numbers with the mistakes that give them; none so near that the answer is accepted anyway."""
    notes: dict[str, list[str]] = {}
    for own in blank.mistakes:
        # A range around the wrong number must not touch that of the right one.
        if abs(own.number - blank.number) > blank.tolerance + LEAST_TOLERANCE - 1e-9:
            notes.setdefault(fixed(own.number), []).append(own.note)
    return tuple((float(number), ", or ".join(dict.fromkeys(own))) for number, own in notes.items())
