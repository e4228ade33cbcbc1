"""Pictures of errors; the only place that draws with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from treecli.errors import UsageError

SUFFIXES = (".png", ".svg")

INCHES = (7.0, 4.5)
DOTS_PER_INCH = 150

MOST_MARKED = 60
"""Of more trees than this, the curve shows where they are well enough without a mark for each."""

LEAST_FOR_LOG = 50
"""From this many leaves on, a logarithmic axis keeps the small trees apart."""


@dataclass(frozen=True, slots=True)
class Curve:
    """An error for each tree, with its standard error where it has one."""

    name: str
    error: Sequence[float]
    standard_error: Sequence[float] | None = None


def check_suffix(path: str) -> str:
    """The format that a file's name asks for; a UsageError if it asks for none."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: pictures are {' or '.join(SUFFIXES)}, by the name of the file")
    return suffix.removeprefix(".")


def errors_against_leaves(format: str, title: str, measure: str, n_leaves: Sequence[int], curves: list[Curve]) -> bytes:
    """A picture, as png or svg, of errors against the number of leaves; the same input gives the same bytes."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
        from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter
    except ImportError as error:
        raise UsageError("drawing needs the package matplotlib", "pip install 'treecli[plot]'") from error
    # A salt instead of random ids, and labels as text that can be searched.
    with rc_context({"svg.hashsalt": "treecli", "svg.fonttype": "none"}):
        figure = Figure(figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained")
        axes = figure.add_subplot()
        mark = "o" if len(n_leaves) <= MOST_MARKED else ""
        for position, curve in enumerate(curves):
            color = f"C{position}"
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
        picture = BytesIO()
        figure.savefig(picture, format=format, metadata={"Date": None} if format == "svg" else {"Software": None})
    return picture.getvalue()
