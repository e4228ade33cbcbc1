"""Pictures: the only place that draws with matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treecli.errors import UsageError
from treecli.pictures.drawing import LIGHT, Bend, Box, Drawing, Words, cut
from treecli.pictures.palette import class_color

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")

INCHES = (7.0, 4.5)
DOTS_PER_INCH = 150

MOST_MARKED = 60
"""Of more trees than this, the curve shows where they are well enough without a mark for each."""

TEXT_POINTS, TITLE_POINTS = 10.0, 12.0
BAR_INCHES = 0.28
BAR_MARGIN_INCHES = 1.1
MOST_NAME, MOST_TITLE = 190.0, 420.0
"""Lengths of a name and a title, in points."""

POINTS_PER_INCH = 72.0
SHARPEST, BLURRED = 2.0, 0.5
"""Dots to a pixel of a drawing."""

MOST_DOTS = 40e6
MOST_DOTS_A_SIDE = 30_000
"""Of a PNG that other programs still open."""

FURTHER_FONTS = (
    "Noto Sans",
    "Noto Sans CJK JP",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Hiragino Sans",
    "Yu Gothic",
    "Microsoft YaHei",
    "Arial Unicode MS",
    "Segoe UI Symbol",
    "Noto Emoji",
)
"""Asked for what DejaVu Sans lacks, those of them that are installed."""

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
    with canvas(INCHES) as figure:
        from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

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
        return saved(figure, format)


def bars(format: str, title: str, measure: str, names: Sequence[str], shares: Sequence[float]) -> bytes:
    """A picture, as png or svg, of horizontal bars with a name and a share each, the first on top."""
    with canvas((INCHES[0], BAR_MARGIN_INCHES + BAR_INCHES * len(names))) as figure:
        axes = figure.add_subplot()
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
        return saved(figure, format)


def painted(drawing: Drawing) -> bytes:
    """A drawing as PNG, two dots to a pixel, or fewer if that were too many."""
    dots = drawing.width * drawing.height
    scale = min(SHARPEST, (MOST_DOTS / dots) ** 0.5, MOST_DOTS_A_SIDE / max(drawing.width, drawing.height))
    if scale < BLURRED:
        raise UsageError(
            f"a picture of {drawing.width:.0f} x {drawing.height:.0f} pixels is too large for PNG",
            "show less of the tree with --depth or --node, or take -f svg",
        )
    inches = (drawing.width / POINTS_PER_INCH, drawing.height / POINTS_PER_INCH)
    with canvas(inches, scale * POINTS_PER_INCH, is_laid_out=False) as figure:
        from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
        from matplotlib.path import Path as Outline

        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, drawing.width)
        axes.set_ylim(drawing.height, 0)
        order = 0
        for group in drawing.groups:
            for shape in group.shapes:
                order += 1  # matplotlib would draw all boxes before all words
                if isinstance(shape, Words):
                    axes.text(
                        shape.x,
                        shape.y,
                        shape.text,
                        fontsize=shape.size,
                        color=_themed(shape.color),
                        ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
                        va="baseline",
                        weight="bold" if shape.is_bold else "normal",
                        parse_math=False,
                        zorder=order,
                    )
                elif isinstance(shape, Bend):
                    points = [shape.start, *shape.controls(), shape.end, shape.tip]
                    codes = [Outline.MOVETO, *[Outline.CURVE4] * 3, Outline.LINETO]
                    axes.add_patch(
                        PathPatch(
                            Outline(points, codes),
                            fill=False,
                            edgecolor=_themed(shape.color),
                            linewidth=shape.width,
                            capstyle="butt",
                            zorder=order,
                        )
                    )
                else:
                    axes.add_patch(_box(shape, order, FancyBboxPatch if shape.radius else Rectangle))
        return saved(figure, "png")


def _box(box: Box, order: int, kind: Any) -> Any:
    from matplotlib.colors import to_rgba

    rounding = {"boxstyle": f"round,pad=0,rounding_size={box.radius}"} if box.radius else {}
    return kind(
        (box.x, box.y),
        box.width,
        box.height,
        facecolor=to_rgba(_themed(box.fill), box.opacity),
        edgecolor="none" if box.stroke is None else _themed(box.stroke),
        linewidth=0 if box.stroke is None else 1,
        zorder=order,
        **rounding,
    )


def _themed(color: str) -> str:
    return color if color.startswith("#") else str(getattr(LIGHT, color))


@contextmanager
def canvas(
    inches: tuple[float, float], dots_per_inch: float = DOTS_PER_INCH, *, is_laid_out: bool = True
) -> Iterator[Figure]:
    """A figure to draw on, with fonts for as many scripts as the system has."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
        from matplotlib.font_manager import fontManager
    except ImportError as error:
        raise UsageError("drawing needs the package matplotlib", "pip install 'treecli[plot]'") from error
    from warnings import catch_warnings, filterwarnings

    installed = set(fontManager.get_font_names())
    fonts = ["DejaVu Sans", *(font for font in FURTHER_FONTS if font in installed)]
    # A salt instead of random ids, and labels as text that can be searched.
    with rc_context({"svg.hashsalt": "treecli", "svg.fonttype": "none", "font.family": fonts}), catch_warnings():
        filterwarnings("ignore", "Glyph .* missing from font", UserWarning)  # it is drawn as an empty box
        yield Figure(figsize=inches, dpi=dots_per_inch, layout="constrained" if is_laid_out else None)


def saved(figure: Figure, format: str) -> bytes:
    """The file, without what differs from one time to the next."""
    picture = BytesIO()
    figure.savefig(picture, format=format, metadata={"Date": None} if format == "svg" else {"Software": None})
    return picture.getvalue()
