"""A picture as boxes, lines and words, which a renderer writes out; all lengths are in pixels, y goes down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal
from unicodedata import combining, east_asian_width

Anchor = Literal["start", "middle", "end"]

ELLIPSIS = "…"

# Shares of the font's size, of DejaVu Sans and Verdana, which are wider than what most systems draw with.
_NARROW, _SMALL, _USUAL, _LARGE, _WIDE, _FULL = 0.33, 0.43, 0.63, 0.74, 0.98, 1.15
_WIDTHS = (
    dict.fromkeys("ijlI.,:;'|! ", _NARROW) | dict.fromkeys('()[]{}/\\-rtf"`·', _SMALL) | dict.fromkeys("mwMW@%…", _WIDE)
)
BOLD_FACTOR = 1.11


@dataclass(frozen=True, slots=True)
class Theme:
    """What the colours that are no data's look like."""

    paper: str
    card: str
    frame: str
    line: str
    ink: str
    faint: str


LIGHT = Theme("#ffffff", "#ffffff", "#c4cad2", "#b9c0c9", "#1f2328", "#57606a")
DARK = Theme("#0d1117", "#161b22", "#444c56", "#59636e", "#e6edf3", "#9ba4ae")

Color = str
"""The name of a field of the theme, or a colour of the data as #rrggbb."""


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
    """A line from one point to another that leaves and arrives along an axis, then goes on straight to a third."""

    start: tuple[float, float]
    end: tuple[float, float]
    tip: tuple[float, float]
    width: float
    is_vertical: bool
    color: Color = "line"

    def controls(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The two points that pull a cubic Bézier curve into shape."""
        (x, y), (to_x, to_y) = self.start, self.end
        if self.is_vertical:
            middle = (y + to_y) / 2
            return (x, middle), (to_x, middle)
        middle = (x + to_x) / 2
        return (middle, y), (middle, to_y)


@dataclass(slots=True)
class Group:
    """Shapes that belong together, and what is said about them to those who point there or listen."""

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
    """About how wide a line of text is drawn; rather too much than too little."""
    return sum(map(_character_width, text)) * size * (BOLD_FACTOR if is_bold else 1.0)


def cut(text: str, width: float, size: float, *, is_bold: bool = False) -> str:
    """The text, or as much of its beginning as fits, with … for the rest."""
    if text_width(text, size, is_bold=is_bold) <= width:
        return text
    room = width / (size * (BOLD_FACTOR if is_bold else 1.0)) - _character_width(ELLIPSIS)
    n_fitting = sum(1 for end in accumulate(map(_character_width, text)) if end <= room)
    while n_fitting and combining(text[n_fitting]):  # a sign stays with its accents
        n_fitting -= 1
    return text[:n_fitting].rstrip() + ELLIPSIS


def _character_width(character: str) -> float:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if character.isascii():
        return _LARGE if character.isupper() or character in "<>=+#&~^_" else _USUAL
    if combining(character):
        return 0.0
    return _FULL if east_asian_width(character) in "WF" else _LARGE
