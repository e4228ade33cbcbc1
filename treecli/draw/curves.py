"""Charts of a measure against a number or a list of values, with a curve for each series."""

from __future__ import annotations

from collections.abc import Sequence

from treecli.draw.canvas import INCHES, Picture, canvas
from treecli.draw.drawing import cut
from treecli.draw.palette import class_color
from treecli.records import dataclass

MOST_MARKED = 60
"""With more points than this, a curve is drawn without a mark for each."""

MOST_LEGEND = 12
"""With more curves than this, the legend is left out."""

MOST_NAME, TEXT_POINTS = 170.0, 10.0
"""Maximum length of a name in the legend, and the size of its text, in points."""

MARKS = "osD^vP*X"
LINES = ("-", "--", "-.", ":")
"""Curves differ in mark and line too, so that a print without colours keeps them apart."""


@dataclass(frozen=True, slots=True)
class Series:
    """A value for each position, None where there is none; `spread` is drawn above and below it."""

    name: str
    values: Sequence[float | None]
    spread: Sequence[float | None] | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """The horizontal axis: numbers, on a logarithmic scale if `is_log`; or names at equal distances."""

    label: str
    positions: Sequence[float]
    names: Sequence[str] = ()
    is_log: bool = False


def curves(format: str, title: str, measure: str, axis: Axis, series: Sequence[Series], note: str = "") -> Picture:
    """Return a picture, as png, svg or pdf; equal input gives equal bytes. `note` describes the spread."""
    names = [cut(own.name, MOST_NAME, TEXT_POINTS) for own in series]
    with canvas(INCHES, "".join([title, measure, axis.label, note, *axis.names, *names])) as sheet:
        axes = sheet.figure.add_subplot()
        for place, (own, name) in enumerate(zip(series, names, strict=True)):
            kept = [i for i, value in enumerate(own.values) if value is not None]
            x, y = [axis.positions[i] for i in kept], [own.values[i] or 0.0 for i in kept]
            color, line = class_color(place), LINES[place % len(LINES)]
            mark = MARKS[place % len(MARKS)] if len(kept) <= MOST_MARKED else ""
            axes.plot(x, y, color=color, marker=mark, markersize=4, linestyle=line, label=name)
            if own.spread is not None:
                spread = [own.spread[i] or 0.0 for i in kept]
                low = [value - width for value, width in zip(y, spread, strict=True)]
                high = [value + width for value, width in zip(y, spread, strict=True)]
                axes.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)
        if axis.names:
            axes.set_xticks(axis.positions, axis.names, parse_math=False)
        elif axis.is_log:
            from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        elif all(position == int(position) for position in axis.positions):
            from matplotlib.ticker import MaxNLocator

            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_title(title, parse_math=False)
        axes.set_xlabel(f"{axis.label}\n{note}" if note else axis.label, parse_math=False)
        axes.set_ylabel(measure, parse_math=False)
        axes.grid(alpha=0.3)
        if any(names) and len(names) <= MOST_LEGEND:
            for text in axes.legend(frameon=False).get_texts():
                text.set_parse_math(False)
        return sheet.saved(format)
