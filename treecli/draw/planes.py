"""Pictures of a model's predictions in the plane of two numeric attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treecli.draw.canvas import INCHES, Picture, canvas
from treecli.draw.drawing import LIGHT, cut, text_width, wrapped
from treecli.draw.palette import SCALE, class_color, mixed
from treecli.draw.plotting import MOST_TITLE, TEXT_POINTS, TITLE_POINTS
from treecli.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

MOST_KEY = 130.0
MOST_CAPTION = 490.0
"""Maximum lengths of names, in points."""

MOST_CAPTION_LINES = 3

KEYS_A_COLUMN = 17
MOST_KEYS = 3 * KEYS_A_COLUMN
COLUMN_INCHES = 0.5
"""Legend entries, and the width of a further legend column in addition to its text."""

MOST_BY_COLOR = 10
"""Colours and marks alone distinguish up to this many classes; with more, regions are labelled."""

MOST_REGION_LABEL = 90.0

REGION_TINT = 0.3
POINTS_PER_INCH = 72.0
POINT_AREA = 26.0
MANY_POINTS = 1000
MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
"""Fewer than colours, so that a repeated colour has another mark."""

MOST_VECTOR = 20_000
"""With more cells or points than this, an SVG contains a bitmap."""


@dataclass(frozen=True, slots=True)
class Plane:
    """A model's predictions in a plane, and the points there.

    `cell` holds the predicted codes or numbers between neighbouring edges; rows are y. `target` holds the target of
    each point, or is None if the data has none; codes below 0 and NaN are unknown values. `labels` is empty for a
    numeric target.
    """

    x_edges: NDArray[np.float64]
    y_edges: NDArray[np.float64]
    cell: NDArray[Any]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    target: NDArray[Any] | None
    labels: Sequence[str]
    has_borders: bool = True
    """Whether lines are drawn where the prediction changes."""


def regions(format: str, title: str, caption: str, names: tuple[str, str, str], plane: Plane) -> Picture:
    """Return a picture of a plane as png, svg or pdf; `names` are those of its two axes and of the target."""
    further = (_n_keys(plane) - 1) // KEYS_A_COLUMN
    widest = max((text_width(cut(label, MOST_KEY, TEXT_POINTS), TEXT_POINTS) for label in plane.labels), default=0.0)
    width = INCHES[0] + min(further, 2) * (COLUMN_INCHES + widest / POINTS_PER_INCH)
    with canvas((width, INCHES[1]), "".join([title, caption, *names, *plane.labels])) as sheet:
        from matplotlib.ticker import AutoMinorLocator

        figure = sheet.figure
        axes = figure.add_subplot()
        if plane.labels:
            _class_regions(axes, names[2], plane)
        else:
            _number_regions(figure, axes, names[2], plane)
        if plane.has_borders:
            _borders(axes, plane)
        axes.set_xlim(plane.x_edges[0], plane.x_edges[-1])
        axes.set_ylim(plane.y_edges[0], plane.y_edges[-1])
        axes.xaxis.set_minor_locator(AutoMinorLocator())
        axes.yaxis.set_minor_locator(AutoMinorLocator())
        axes.set_title(cut(title, MOST_TITLE, TITLE_POINTS), parse_math=False)
        axes.set_xlabel(cut(names[0], MOST_TITLE, TEXT_POINTS), parse_math=False)
        axes.set_ylabel(cut(names[1], MOST_TITLE / 2, TEXT_POINTS), parse_math=False)
        if caption:
            size = TEXT_POINTS - 2.5
            lines = "\n".join(wrapped(caption, MOST_CAPTION, size, MOST_CAPTION_LINES))
            figure.supxlabel(lines, fontsize=size, color=LIGHT.faint, parse_math=False)
        return sheet.saved(format)


def _n_keys(plane: Plane) -> int:
    """Return the number of legend entries."""
    return len(_codes(plane)[0] | _codes(plane)[1]) + 1


def _codes(plane: Plane) -> tuple[set[int], set[int]]:
    """Return the predicted classes, and the classes of the points."""
    import numpy as np

    if not plane.labels:
        return set(), set()
    seen = set() if plane.target is None else set(np.unique(plane.target[plane.target >= 0]).tolist())
    return set(np.unique(plane.cell).tolist()), seen


def _class_regions(axes: Axes, name: str, plane: Plane) -> None:
    import numpy as np
    from matplotlib.colors import to_rgb
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    tints = np.array([to_rgb(mixed(class_color(code), LIGHT.paper, REGION_TINT)) for code in range(len(plane.labels))])
    axes.pcolormesh(plane.x_edges, plane.y_edges, tints[plane.cell], rasterized=plane.cell.size > MOST_VECTOR)
    keys: list[Any] = []
    said, seen = _codes(plane)
    for code in sorted(said | seen):
        label = cut(plane.labels[code], MOST_KEY, TEXT_POINTS)
        style: dict[str, Any] = {"marker": MARKS[code % len(MARKS)], "color": class_color(code)}
        if code in seen:
            assert plane.target is not None
            _points(axes, plane, plane.target == code, **style)
            keys.append(Line2D([], [], linestyle="", markeredgecolor="white", label=label, **style))
        else:
            keys.append(Patch(facecolor=tints[code], edgecolor=class_color(code), label=label))
    is_unknown = np.full(len(plane.x), True) if plane.target is None else plane.target < 0
    if is_unknown.any():
        _points(axes, plane, is_unknown, marker=".", color=LIGHT.faint)
        keys.append(Line2D([], [], linestyle="", marker=".", color=LIGHT.faint, label="not known"))
    if len(keys) > MOST_KEYS:
        n_more = len(keys) - MOST_KEYS
        keys[MOST_KEYS:] = [Line2D([], [], linestyle="", label=f"… and {n_more} more")]
    legend = axes.legend(
        handles=keys,
        title=cut(name, MOST_KEY, TEXT_POINTS),
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        frameon=False,
        fontsize=TEXT_POINTS - 1,
        alignment="left",
        ncols=-(-len(keys) // KEYS_A_COLUMN),
    )
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_parse_math(False)
    if len(said | seen) > MOST_BY_COLOR and plane.cell.size <= MOST_VECTOR:
        _label_regions(axes, plane, said)


def _label_regions(axes: Axes, plane: Plane, codes: set[int]) -> None:
    """Write the label of each class into the largest cell in which it is predicted."""
    import numpy as np

    areas = np.diff(plane.y_edges)[:, None] * np.diff(plane.x_edges)
    for code in sorted(codes):
        row, column = np.unravel_index(np.where(plane.cell == code, areas, -1.0).argmax(), areas.shape)
        axes.text(
            float(plane.x_edges[column : column + 2].mean()),
            float(plane.y_edges[row : row + 2].mean()),
            cut(plane.labels[code], MOST_REGION_LABEL, TEXT_POINTS),
            ha="center",
            va="center",
            fontsize=TEXT_POINTS - 1,
            color=LIGHT.ink,
            parse_math=False,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": LIGHT.paper, "alpha": 0.75, "linewidth": 0},
        )


def _number_regions(figure: Figure, axes: Axes, name: str, plane: Plane) -> None:
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    colors = LinearSegmentedColormap.from_list("treecli", SCALE)
    is_known = np.zeros(len(plane.x), bool) if plane.target is None else np.isfinite(plane.target)
    finite = plane.cell[np.isfinite(plane.cell)]
    values = finite if plane.target is None else np.append(finite, plane.target[is_known])
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    norm = Normalize(low, high if high > low else low + 1)
    mesh = axes.pcolormesh(
        plane.x_edges, plane.y_edges, plane.cell, cmap=colors, norm=norm, rasterized=plane.cell.size > MOST_VECTOR
    )
    if plane.target is not None:
        _points(axes, plane, is_known, c=plane.target[is_known], cmap=colors, norm=norm, marker="o")
    if not is_known.all():
        _points(axes, plane, ~is_known, marker=".", color=LIGHT.faint)
    bar = figure.colorbar(mesh, ax=axes)
    bar.set_label(cut(name, MOST_TITLE / 2, TEXT_POINTS), parse_math=False)


def _points(axes: Axes, plane: Plane, is_shown: NDArray[np.bool_], **style: Any) -> None:
    area = POINT_AREA if len(plane.x) <= MANY_POINTS else POINT_AREA / 4
    axes.scatter(
        plane.x[is_shown],
        plane.y[is_shown],
        area,
        edgecolors="white",
        linewidths=0.5,
        rasterized=len(plane.x) > MOST_VECTOR,
        **style,
    )


def _borders(axes: Axes, plane: Plane) -> None:
    """Draw lines where the prediction changes."""
    import numpy as np
    from matplotlib.collections import LineCollection

    x, y, cell = plane.x_edges, plane.y_edges, plane.cell
    rows, columns = np.nonzero(cell[:, 1:] != cell[:, :-1])
    upright = [
        ((x[column + 1], y[row]), (x[column + 1], y[row + 1])) for row, column in zip(rows, columns, strict=True)
    ]
    rows, columns = np.nonzero(cell[1:] != cell[:-1])
    level = [((x[column], y[row + 1]), (x[column + 1], y[row + 1])) for row, column in zip(rows, columns, strict=True)]
    if len(upright) + len(level) <= MOST_VECTOR:
        axes.add_collection(
            LineCollection([*upright, *level], colors=LIGHT.faint, linewidths=0.7, capstyle="projecting")
        )
