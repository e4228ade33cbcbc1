"""Critical-difference diagrams: mean ranks of learners, and bars that join those that do not differ (Demšar 2006)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from treecli.draw.canvas import Picture, canvas
from treecli.draw.drawing import cut

WIDTH_INCHES = 7.0
ROW_INCHES = 0.26
MARGIN_INCHES = 1.35
TEXT_POINTS = 10.0
MOST_NAME = 150.0
"""The maximum length of a name, in points."""

CAPTION_SIGNS = 96
"""The caption is wrapped at this width."""

BLACK, GREY = "#000000", "#777777"
"""Shades that a print without colours keeps apart."""


def critical_difference_diagram(
    format: str,
    ranks: Mapping[str, float],
    bars: Sequence[Sequence[str]],
    caption: str,
    critical_difference: float | None = None,
) -> Picture:
    """Return a picture, as png, svg or pdf, of mean ranks, the best on the left; equal input gives equal bytes.

    A bar has a dot at the rank of each of its members: it may pass a learner that does not belong to it. A
    `critical_difference` is drawn above the axis, to scale.
    """
    names = sorted(ranks, key=lambda name: ranks[name])
    joined = [bar for bar in bars if len(bar) > 1]
    n_left = (len(names) + 1) // 2
    top = 1.6 if critical_difference is not None else 0.6
    depth = len(joined) * 0.55 + 0.6 + n_left
    wrapped = fill(caption, CAPTION_SIGNS)
    height = MARGIN_INCHES + ROW_INCHES * (depth + top + wrapped.count("\n"))
    with canvas((WIDTH_INCHES, height), "".join([*names, caption])) as sheet:
        axes = sheet.figure.add_subplot()
        lowest, highest = 1.0, float(len(names))
        margin = (highest - lowest) * 0.45
        axes.set_xlim(lowest - margin, highest + margin)
        axes.set_ylim(-depth - 0.4, top)
        axes.set_axis_off()
        _axis(axes, len(names))
        if critical_difference is not None:
            _scale(axes, lowest, critical_difference)
        for place, bar in enumerate(joined):
            y = -0.45 - 0.55 * place
            own = [ranks[name] for name in bar]
            axes.plot([min(own), max(own)], [y, y], color=BLACK, linewidth=3.5, solid_capstyle="round")
            axes.plot(own, [y] * len(own), color=BLACK, marker="o", markersize=7, linestyle="none")
        first = -0.6 - len(joined) * 0.55
        for place, name in enumerate(names):
            is_left = place < n_left
            row = place if is_left else len(names) - 1 - place
            _label(
                axes, name, ranks[name], (lowest - margin * 0.12 if is_left else highest + margin * 0.12, first - row)
            )
        sheet.figure.supxlabel(wrapped, fontsize=TEXT_POINTS - 1, parse_math=False)
        return sheet.saved(format)


def _axis(axes: Any, n_learners: int) -> None:
    axes.plot([1, n_learners], [0, 0], color=BLACK, linewidth=1)
    for rank in range(1, n_learners + 1):
        axes.plot([rank, rank], [0, 0.2], color=BLACK, linewidth=1)
        axes.annotate(str(rank), (rank, 0.25), ha="center", va="bottom", fontsize=TEXT_POINTS)


def _scale(axes: Any, start: float, length: float) -> None:
    axes.plot([start, start + length], [1.25, 1.25], color=BLACK, linewidth=1, marker="|", markersize=8)
    axes.annotate(
        f"critical difference {length:.2f}",
        (start + length, 1.25),
        (6, 0),
        textcoords="offset points",
        va="center",
        fontsize=TEXT_POINTS - 1,
    )


def _label(axes: Any, name: str, rank: float, end: tuple[float, float]) -> None:
    """Draw the line from a rank on the axis to its name, which is at the `end`."""
    x, y = end
    is_left = x < rank
    axes.plot([rank, rank, x], [0, y, y], color=GREY, linewidth=0.8)
    text = cut(name, MOST_NAME, TEXT_POINTS)
    axes.annotate(
        f"{text}  {rank:.2f}" if is_left else f"{rank:.2f}  {text}",
        end,
        (-4 if is_left else 4, 0),
        textcoords="offset points",
        ha="right" if is_left else "left",
        va="center",
        fontsize=TEXT_POINTS,
        parse_math=False,
    )
