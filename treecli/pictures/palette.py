"""Colours that people who see colours differently can tell apart, on white and on black."""

from __future__ import annotations

CLASS_COLORS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#b8a900",
    "#7f6fb5",
    "#8c6d46",
    "#7d8590",
)
"""One for each class: those of Okabe and Ito (2008) without black, the yellow darkened
so that it shows on white, and three more."""

SCALE = ("#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39")
"""From low to high: viridis (van der Walt and Smith 2015) without its ends, which are lost on black or on white."""

WHITE, BLACK = "#ffffff", "#000000"

SHADE = 0.6
"""How much of a colour is left in its darker and its lighter shade."""


def class_color(code: int) -> str:
    """The colour of a class; after the last come darker shades, then lighter ones, then it begins anew."""
    turn, place = divmod(code, len(CLASS_COLORS))
    color = CLASS_COLORS[place]
    return (color, mixed(color, BLACK, SHADE), mixed(color, WHITE, SHADE))[turn % 3]


def scale_color(share: float) -> str:
    """The colour of a number that lies this far, from 0 to 1, between the lowest and the highest."""
    place = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    lower = min(int(place), len(SCALE) - 2)
    return mixed(SCALE[lower + 1], SCALE[lower], place - lower)


def mixed(color: str, other: str, share: float) -> str:
    """This much, from 0 to 1, of a colour, the rest of another."""
    pairs = zip(_parts(color), _parts(other), strict=True)
    return "#" + "".join(f"{round(one * share + two * (1 - share)):02x}" for one, two in pairs)


def _parts(color: str) -> list[int]:
    return [int(color[place : place + 2], 16) for place in (1, 3, 5)]
