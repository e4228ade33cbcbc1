"""Renders a drawing with matplotlib, as PNG or PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.draw.canvas import Picture, canvas
from treecli.draw.drawing import LIGHT, Bend, Box, Drawing, Words
from treecli.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS_PER_INCH = 72.0
SHARPEST, BLURRED = 2.0, 0.5
"""Dots per pixel of a drawing."""

MOST_DOTS = 40e6
MOST_DOTS_A_SIDE = 30_000
"""Limits of PNGs that other programs can open."""

MOST_POINTS_A_SIDE = 14_400
"""The largest page that every PDF reader shows (ISO 32000-1, annex C)."""


def painted_png(drawing: Drawing) -> Picture:
    """Return a drawing as PNG, with two dots per pixel, or fewer if the image would be too large."""
    dots = drawing.width * drawing.height
    scale = min(SHARPEST, (MOST_DOTS / dots) ** 0.5, MOST_DOTS_A_SIDE / max(drawing.width, drawing.height))
    if scale < BLURRED:
        raise UsageError(
            f"a picture of {drawing.width:.0f} x {drawing.height:.0f} pixels is too large for PNG",
            "show less of the tree with --depth or --node, or take -f svg",
        )
    return _painted(drawing, "png", 1.0, scale * POINTS_PER_INCH)


def painted_pdf(drawing: Drawing) -> Picture:
    """Return a drawing as a PDF page, with one point per pixel, or fewer if the page would be too large."""
    scale = min(1.0, MOST_POINTS_A_SIDE / max(drawing.width, drawing.height))
    return _painted(drawing, "pdf", scale, POINTS_PER_INCH)


def _painted(drawing: Drawing, format: str, scale: float, dots_per_inch: float) -> Picture:
    """Return a drawing as a file; `scale` is in points per pixel."""
    inches = (drawing.width * scale / POINTS_PER_INCH, drawing.height * scale / POINTS_PER_INCH)
    shapes = [shape for group in drawing.groups for shape in group.shapes]
    text = "".join({character for shape in shapes if isinstance(shape, Words) for character in shape.text})
    with canvas(inches, text, dots_per_inch, is_laid_out=False) as sheet:
        axes = sheet.figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, drawing.width)
        axes.set_ylim(drawing.height, 0)
        for order, shape in enumerate(shapes):  # by default matplotlib draws all boxes before all words
            if isinstance(shape, Words):
                _write(axes, shape, order, scale)
            else:
                axes.add_patch(_bend(shape, order, scale) if isinstance(shape, Bend) else _box(shape, order, scale))
        return sheet.saved(format)


def _write(axes: Axes, words: Words, order: int, scale: float) -> None:
    axes.text(
        words.x,
        words.y,
        words.text,
        fontsize=words.size * scale,
        color=_themed(words.color),
        ha={"start": "left", "middle": "center", "end": "right"}[words.anchor],
        va="baseline",
        weight="bold" if words.is_bold else "normal",
        parse_math=False,
        zorder=order,
    )


def _bend(bend: Bend, order: int, scale: float) -> Any:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points = [bend.root, bend.start, *bend.controls(), bend.end, bend.tip]
    codes = [Path.MOVETO, Path.LINETO, *[Path.CURVE4] * 3, Path.LINETO]
    return PathPatch(
        Path(points, codes),
        fill=False,
        edgecolor=_themed(bend.color),
        linewidth=bend.width * scale,
        capstyle="butt",
        zorder=order,
    )


def _box(box: Box, order: int, scale: float) -> Any:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import FancyBboxPatch, Rectangle

    kind: Any = FancyBboxPatch if box.radius else Rectangle
    rounding = {"boxstyle": f"round,pad=0,rounding_size={box.radius}"} if box.radius else {}
    return kind(
        (box.x, box.y),
        box.width,
        box.height,
        facecolor=to_rgba(_themed(box.fill), box.opacity),
        edgecolor="none" if box.stroke is None else _themed(box.stroke),
        linewidth=0 if box.stroke is None else scale,
        zorder=order,
        **rounding,
    )


def _themed(color: str) -> str:
    return color if color.startswith("#") else str(getattr(LIGHT, color))
