"""A picture as boxes, lines and words for a renderer; lengths are in pixels, and y increases downwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from itertools import accumulate
from typing import Literal
from unicodedata import combining, east_asian_width

from treecli.records import dataclass

Anchor = Literal["start", "middle", "end"]

ELLIPSIS = "…"

# Fractions of the font size, measured on DejaVu Sans and Verdana, which are wider than most system fonts.
_NARROW, _SMALL, _USUAL, _LARGE, _SIGN, _WIDE, _FULL = 0.345, 0.445, 0.645, 0.79, 0.84, 1.0, 1.15
_WIDTHS = (
    dict.fromkeys("ijlI.,'| ", _NARROW)
    | dict.fromkeys("()[]/\\-rtf!:;·", _SMALL)
    | dict.fromkeys("<>=+#~^", _SIGN)
    | dict.fromkeys("mwMW@%…", _WIDE)
    | dict.fromkeys('"`', 0.5)
)
BOLD_FACTOR = 1.11

MOST_WRAPPED = 2000
"""Only this many characters of a text are broken into lines; no card has room for more."""

_PIECE = re.compile(r"[^\s_/,;-]*[\s_/,;-]+|[^\s_/,;-]+")
"""A unit that is not broken across lines: a word and the separators after it."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours that do not represent data."""

    paper: str
    card: str
    frame: str
    line: str
    ink: str
    faint: str


LIGHT = Theme("#ffffff", "#ffffff", "#c4cad2", "#b9c0c9", "#1f2328", "#57606a")
DARK = Theme("#0d1117", "#161b22", "#444c56", "#59636e", "#e6edf3", "#9ba4ae")

Color = str
"""The name of a Theme field, or a data colour as #rrggbb."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; `opacity` is that of the fill."""

    x: float
    y: float
    width: float
    height: float
    fill: Color
    radius: float = 0.0
    stroke: Color | None = None
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; y is the baseline."""

    x: float
    y: float
    text: str
    size: float
    color: Color = "ink"
    anchor: Anchor = "start"
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class Bend:
    """A line: straight from `root` to `start`, a curve along an axis to `end`, then straight to `tip`."""

    root: tuple[float, float]
    start: tuple[float, float]
    end: tuple[float, float]
    tip: tuple[float, float]
    width: float
    is_vertical: bool
    color: Color = "line"

    def controls(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The two control points of the cubic Bézier curve between `start` and `end`."""
        (x, y), (to_x, to_y) = self.start, self.end
        if self.is_vertical:
            middle = (y + to_y) / 2
            return (x, middle), (to_x, middle)
        middle = (x + to_x) / 2
        return (middle, y), (middle, to_y)


@dataclass(slots=True)
class Group:
    """Shapes that belong together, and their title for tooltips and screen readers."""

    title: str
    shapes: list[Box | Words | Bend] = field(default_factory=list)


@dataclass(slots=True)
class Drawing:
    """Groups of shapes, from back to front."""

    width: float
    height: float
    title: str
    groups: Sequence[Group]


def text_width(text: str, size: float, *, is_bold: bool = False) -> float:
    """Estimate the width of a line of text; errs on the large side."""
    return sum(map(_character_width, text)) * size * (BOLD_FACTOR if is_bold else 1.0)


def cut(text: str, width: float, size: float, *, is_bold: bool = False) -> str:
    """Return the text, truncated with … if it does not fit."""
    if text_width(text, size, is_bold=is_bold) <= width:
        return text
    room = width / (size * (BOLD_FACTOR if is_bold else 1.0)) - _character_width(ELLIPSIS)
    n_fitting = sum(1 for end in accumulate(map(_character_width, text)) if end <= room)
    while n_fitting and combining(text[n_fitting]):  # keep a character with its accents
        n_fitting -= 1
    return text[:n_fitting].rstrip() + ELLIPSIS


def wrapped(text: str, width: float, size: float, most_lines: int, *, is_bold: bool = False) -> list[str]:
    """Break text into lines that fit, after blanks and separators; truncate the last if there would be more."""
    lines: list[str] = []
    begin = 0
    for piece in _PIECE.finditer(text, 0, MOST_WRAPPED):
        if piece.start() > begin and text_width(text[begin : piece.end()].rstrip(), size, is_bold=is_bold) > width:
            if len(lines) == most_lines - 1:
                break
            lines.append(text[begin : piece.start()].rstrip())
            begin = piece.start()
    return [cut(line, width, size, is_bold=is_bold) for line in (*lines, text[begin:].rstrip())]


def _character_width(character: str) -> float:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if character.isascii():
        return _LARGE if character.isupper() or character == "&" else _USUAL
    if combining(character):
        return 0.0
    return _FULL if east_asian_width(character) in "WF" else _LARGE
