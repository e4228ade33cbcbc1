"""Small charts of how a split divides the cases of its node, and the shapes that draw them.

A model stores the class counts (or weight, mean and deviance) of each node, which suffices for a chart of the branches;
histograms and scatter plots of the attribute's values need data (`datacharts.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from treecli.draw.drawing import Anchor, Box, Words, cut, text_width
from treecli.draw.palette import class_color, scale_color
from treecli.draw.roundnumbers import in_round_numbers, short_number
from treecli.model import TreeModel
from treecli.records import dataclass
from treecli.tree import MEAN, WEIGHT, predicted_values
from treecli.values import Interval
from treecli.wording import quoted

CHART_WIDTH = 150.0
"""The minimum width of a chart."""

PLOT_HEIGHT = 48.0
AXIS_HEIGHT = 13.0
CHART_HEIGHT = PLOT_HEIGHT + AXIS_HEIGHT
AXIS_SIZE = 9.0
BRANCH_SPACE = 3.0
LEAST_COLUMN = 3.0
MARK_WIDTH = 1.5
MARK_RISE = 3.0
"""How far a threshold mark extends above and below the bars."""

DOT = 3.0
DOT_OPACITY = 0.65
MEAN_HEIGHT = 2.0
EMPTY_OPACITY = 0.35


@dataclass(frozen=True, slots=True)
class Column:
    """A branch: its name, its weight, and the weights of the classes or, for a numeric target, `level`.

    `level` is the position of the branch's mean between the lowest and the highest prediction of the tree.
    """

    name: str
    weight: float
    counts: tuple[float, ...] = ()
    level: float | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """The branches of a split side by side; width increases with cases, and classes are stacked by share."""

    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """Values of a numeric attribute from `low` to `high`: the class weights in bins, and the thresholds.

    Bin i lies between `edges[i]` and `edges[i + 1]`.
    """

    low: float
    high: float
    edges: tuple[float, ...]
    bins: tuple[tuple[float, ...], ...]
    cuts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Scatter:
    """Cases by value (horizontal) and numeric target (vertical), both from 0 to 1, with the mean of each branch.

    A mean is (left, right, height). `names` are written below the plot, each centred on its position.
    """

    points: tuple[tuple[float, float], ...]
    means: tuple[tuple[float, float, float], ...]
    cuts: tuple[float, ...]
    names: tuple[tuple[float, str], ...]


Chart = Columns | Histogram | Scatter


def branch_names(model: TreeModel, node: int) -> list[str]:
    """Return the condition of every branch without the attribute's name, with rounded numbers."""
    tree, schema = model.tree, model.schema
    split = tree.split(node)
    attribute = schema.columns[split.attribute]
    names = []
    for branch in range(split.n_branches()):
        condition = in_round_numbers(split.condition(branch, schema), attribute)
        names.append(condition.wording(attribute).removeprefix(f"{quoted(attribute.name)} ").removeprefix("= "))
    return names + ["missing"] * (tree.n_branches[node] - len(names))


def cuts_of(model: TreeModel, node: int) -> list[float]:
    """Return the sorted thresholds of a split on a numeric attribute."""
    split = model.tree.split(node)
    conditions = [split.condition(branch, model.schema) for branch in range(split.n_branches())]
    bounds = {c.high for c in conditions if isinstance(c, Interval) and c.takes_known}
    return sorted(bound for bound in bounds if abs(bound) != float("inf"))


def charts_of_tree(model: TreeModel) -> dict[int, Chart]:
    """Return a chart of the branches for every inner node, from the model's statistics of its training cases."""
    tree = model.tree
    return {
        node: columns_of(model, node, [tree.outcomes_of(child) for child in tree.children(node)])
        for node in tree.inner_nodes()
    }


def columns_of(model: TreeModel, node: int, outcomes: Sequence[Sequence[float]]) -> Columns:
    """Return the chart of a node's branches, given the statistics of each branch."""
    names = branch_names(model, node)
    pairs = zip(names, outcomes, strict=True)
    if model.schema.is_classification:
        return Columns(tuple(Column(name, sum(kept), tuple(kept)) for name, kept in pairs))
    values = predicted_values(model.tree)
    low, high = min(values), max(values)
    width = high - low
    return Columns(
        tuple(
            Column(name, kept[WEIGHT], level=min(max((kept[MEAN] - low) / width, 0.0), 1.0) if width > 0 else 0.5)
            for name, kept in pairs
        )
    )


def chart_shapes(chart: Chart, x: float, y: float, width: float) -> list[Box | Words]:
    """Return the shapes of a chart of height CHART_HEIGHT with its upper left corner at (x, y)."""
    bottom = y + PLOT_HEIGHT
    if isinstance(chart, Columns):
        return _columns(chart, x, bottom, width)
    shapes: list[Box | Words] = [Box(x, bottom, width, 1.0, "line")]
    if isinstance(chart, Histogram):
        shapes += _histogram(chart, x, bottom, width)
    else:
        shapes += _scatter(chart, x, bottom, width)
    return shapes


def _columns(chart: Columns, x: float, bottom: float, width: float) -> list[Box | Words]:
    columns = chart.columns
    shapes: list[Box | Words] = []
    total = sum(column.weight for column in columns)
    space = min(BRANCH_SPACE, width / (2 * len(columns)))
    room = width - space * (len(columns) - 1)
    least = min(LEAST_COLUMN, room / len(columns))
    left = room - least * len(columns)
    for column in columns:
        breadth = least + (left * column.weight / total if total else left / len(columns))
        if not column.weight:
            shapes.append(Box(x, bottom - 1, breadth, 1.0, "line", opacity=EMPTY_OPACITY))
        elif column.level is not None:
            height = max(PLOT_HEIGHT * column.level, 2.0)
            shapes.append(Box(x, bottom - PLOT_HEIGHT, breadth, PLOT_HEIGHT, "line", opacity=EMPTY_OPACITY))
            shapes.append(Box(x, bottom - height, breadth, height, scale_color(column.level)))
        else:
            top = bottom
            for code, count in enumerate(column.counts):
                height = PLOT_HEIGHT * count / column.weight
                top -= height
                if count > 0:
                    shapes.append(Box(x, top, breadth, height, class_color(code)))
        name = cut(column.name, breadth, AXIS_SIZE)
        if name == column.name or len(name) > 3:
            shapes.append(Words(x + breadth / 2, bottom + AXIS_HEIGHT - 2, name, AXIS_SIZE, "faint", "middle"))
        x += breadth + space
    return shapes


def _histogram(chart: Histogram, x: float, bottom: float, width: float) -> list[Box | Words]:
    shapes: list[Box | Words] = []
    step = width / len(chart.bins)
    half = chart.edges[-1] / 2 - chart.edges[0] / 2  # the difference itself may overflow
    tallest = max(map(sum, chart.bins)) or 1.0
    for place, counts in enumerate(chart.bins):
        top = bottom
        for code, count in enumerate(counts):
            height = PLOT_HEIGHT * count / tallest
            top -= height
            if count > 0:
                shapes.append(Box(x + place * step, top, step - 0.5, height, class_color(code)))
    for bound in chart.cuts:
        shapes.append(_mark(x + width * ((bound / 2 - chart.edges[0] / 2) / half), bottom))
    low, high = short_number(chart.low), short_number(chart.high)
    shapes.append(Words(x, bottom + AXIS_HEIGHT - 2, low, AXIS_SIZE, "faint"))
    if low != high and text_width(low + high, AXIS_SIZE) + AXIS_SIZE < width:
        shapes.append(Words(x + width, bottom + AXIS_HEIGHT - 2, high, AXIS_SIZE, "faint", "end"))
    return shapes


def _scatter(chart: Scatter, x: float, bottom: float, width: float) -> list[Box | Words]:
    shapes: list[Box | Words] = []
    room, rise = width - DOT, PLOT_HEIGHT - DOT
    for across, up in chart.points:
        corner = x + across * room, bottom - DOT - up * rise
        shapes.append(Box(*corner, DOT, DOT, scale_color(up), DOT / 2, opacity=DOT_OPACITY))
    for left, right, up in chart.means:
        begin, length = x + left * room, max((right - left) * room + DOT, 2.0)
        middle = bottom - DOT / 2 - up * rise
        shapes.append(Box(begin, middle - MEAN_HEIGHT / 2, length, MEAN_HEIGHT, "ink"))
    for place in chart.cuts:
        shapes.append(_mark(x + DOT / 2 + place * room, bottom))
    for place, name in chart.names:
        anchor: Anchor = "start" if place <= 0 else "end" if place >= 1 else "middle"
        shapes.append(Words(x + place * width, bottom + AXIS_HEIGHT - 2, name, AXIS_SIZE, "faint", anchor))
    return shapes


def _mark(x: float, bottom: float) -> Box:
    """Return the line that marks a threshold."""
    top = bottom - PLOT_HEIGHT - MARK_RISE
    return Box(x - MARK_WIDTH / 2, top, MARK_WIDTH, PLOT_HEIGHT + 2 * MARK_RISE, "ink")
