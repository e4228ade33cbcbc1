"""Charts of errors and attribute importances."""

from __future__ import annotations

from collections.abc import Sequence

from treecli.draw.canvas import INCHES, Picture, canvas
from treecli.draw.drawing import cut
from treecli.draw.palette import class_color
from treecli.records import dataclass

MOST_MARKED = 60
"""With more trees than this, the curve is drawn without a mark for each."""

TEXT_POINTS, TITLE_POINTS = 10.0, 12.0
BAR_INCHES = 0.28
BAR_MARGIN_INCHES = 1.1
MOST_NAME, MOST_TITLE = 240.0, 420.0
"""Maximum lengths of a name and a title, in points."""

LEAST_FOR_LOG = 50
"""From this many leaves on, the axis is logarithmic, to separate the small trees."""


@dataclass(frozen=True, slots=True)
class Curve:
    """An error for each tree, and its standard errors if available."""

    name: str
    error: Sequence[float]
    standard_error: Sequence[float] | None = None


def errors_against_leaves(
    format: str, title: str, measure: str, n_leaves: Sequence[int], curves: list[Curve]
) -> Picture:
    """Return a picture, as png, svg or pdf, of errors by number of leaves; equal input gives equal bytes."""
    with canvas(INCHES, "".join([title, measure, *(curve.name for curve in curves)])) as sheet:
        from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

        axes = sheet.figure.add_subplot()
        mark = "o" if len(n_leaves) <= MOST_MARKED else ""
        for position, curve in enumerate(curves):
            color = class_color(position)
            axes.plot(n_leaves, curve.error, color=color, marker=mark, markersize=4, label=curve.name)
            if curve.standard_error is not None:
                low, high = (
                    [error + sign * spread for error, spread in zip(curve.error, curve.standard_error, strict=True)]
                    for sign in (-1, 1)
                )
                axes.fill_between(
                    n_leaves, low, high, color=color, alpha=0.2, linewidth=0, label="± one standard error"
                )
        if max(n_leaves) >= LEAST_FOR_LOG:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
        axes.set_title(title, parse_math=False)
        axes.set_xlabel("leaves")
        axes.set_ylabel(measure, parse_math=False)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        return sheet.saved(format)


def bars(format: str, title: str, measure: str, names: Sequence[str], shares: Sequence[float]) -> Picture:
    """Return a picture, as png, svg or pdf, of horizontal bars with a name and a share each, the first on top."""
    with canvas((INCHES[0], BAR_MARGIN_INCHES + BAR_INCHES * len(names)), "".join([title, measure, *names])) as sheet:
        axes = sheet.figure.add_subplot()
        rows = range(len(names))
        axes.barh(rows, shares, height=0.7, color=class_color(0))
        axes.set_yticks(rows, [cut(name, MOST_NAME, TEXT_POINTS) for name in names], parse_math=False)
        for row, share in zip(rows, shares, strict=True):
            axes.annotate(
                f"{share:.3f}" if share >= 0.001 else "< 0.001",
                (share, row),
                (4, 0),
                textcoords="offset points",
                va="center",
                fontsize=TEXT_POINTS - 1,
            )
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0, max(shares) * 1.12)
        axes.set_title(cut(title, MOST_TITLE, TITLE_POINTS), parse_math=False)
        axes.set_xlabel(measure, parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.grid(axis="x", alpha=0.3)
        axes.set_axisbelow(True)
        return sheet.saved(format)
