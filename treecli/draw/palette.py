"""The colours of all pictures: one per class, and a scale for numbers."""

from __future__ import annotations

CLASS_COLORS = (
    *("#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6", "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd"),
    *("#6010ec", "#104c74", "#603824", "#ecc460", "#4c4c4c", "#884cec", "#c438b0", "#c4b0ec", "#6010c4", "#c49c4c"),
    *("#10d89c", "#387424", "#9c88b0", "#ec60ec", "#9c884c", "#b02460", "#9c2488", "#3874b0", "#389c74", "#602488"),
)
"""Class colours, indexed by the position of the class among the target's labels.

The first ten are Petroff's sequence (2021, arXiv:2107.02270). Each further colour is the one farthest from all before
it, under normal vision and simulated protanopia, deuteranopia and tritanopia (Machado et al. 2009). Under each of
these, any two of the first ten are at least 17 apart in CIELAB, and any two of all thirty at least 11.
"""

SCALE = ("#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39")
"""From low to high: viridis (van der Walt and Smith 2015) without its ends, which are invisible on black or white."""

WHITE = "#ffffff"


def class_color(code: int) -> str:
    """Return the colour of a class in every picture; colours repeat after the thirtieth class."""
    return CLASS_COLORS[code % len(CLASS_COLORS)]


def scale_color(share: float) -> str:
    """Return the colour of a number at a relative position from 0 (lowest) to 1 (highest)."""
    place = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    lower = min(int(place), len(SCALE) - 2)
    return mixed(SCALE[lower + 1], SCALE[lower], place - lower)


def mixed(color: str, other: str, share: float) -> str:
    """Blend two colours; `share`, from 0 to 1, is the fraction of the first."""
    pairs = zip(_parts(color), _parts(other), strict=True)
    return "#" + "".join(f"{round(one * share + two * (1 - share)):02x}" for one, two in pairs)


def _parts(color: str) -> list[int]:
    return [int(color[place : place + 2], 16) for place in (1, 3, 5)]
