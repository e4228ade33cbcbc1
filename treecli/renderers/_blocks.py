"""A card of a picture: its size and its shapes."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.draw.charts import CHART_HEIGHT, CHART_WIDTH, Chart, chart_shapes
from treecli.draw.drawing import Box, Group, Words, text_width, wrapped
from treecli.draw.palette import class_color
from treecli.records import dataclass
from treecli.renderers._cards import Card

TITLE_SIZE, LINE_SIZE = 13.0, 11.0
TITLE_HEIGHT, LINE_HEIGHT = 17.0, 15.0
PADDING = 10.0
BAR_HEIGHT = 6.0
BAR_SPACE = 5.0
RADIUS = 6.0
LEAST_CARD = 84.0
CHART_SPACE = 8.0

BRANCH_GAP = 9.0
"""Distance between the text of a branch and its card."""

LEAST_TINT, MOST_TINT = 0.05, 0.3
TRACK_OPACITY = 0.35


@dataclass(frozen=True, slots=True)
class Room:
    """The maximum width of cards and branch texts, and their maximum number of lines."""

    card: float
    branch: float
    n_lines: int


@dataclass(slots=True)
class Block:
    """A card with its texts, size and upper left corner."""

    card: Card
    titles: list[str]
    lines: list[str]
    branches: list[str]
    width: float
    height: float
    branch_width: float
    chart: Chart | None
    x: float = 0.0
    y: float = 0.0

    @property
    def branch_height(self) -> float:
        return LINE_HEIGHT * len(self.branches)


def block_of(card: Card, room: Room, chart: Chart | None) -> Block:
    """A card as large as its texts, truncated to the room."""
    width = room.card - 2 * PADDING
    titles = wrapped(card.title, width, TITLE_SIZE, room.n_lines, is_bold=True)
    lines = [part for line in card.lines for part in wrapped(line, width, LINE_SIZE, room.n_lines)]
    widths = [text_width(title, TITLE_SIZE, is_bold=True) for title in titles]
    widths += [text_width(line, LINE_SIZE) for line in lines]
    if chart is not None:
        widths.append(CHART_WIDTH)
    branches = wrapped(card.branch, room.branch, LINE_SIZE, room.n_lines) if card.branch else []
    height = 2 * PADDING + TITLE_HEIGHT * len(titles) + LINE_HEIGHT * len(lines) + BAR_SPACE + BAR_HEIGHT - 4
    return Block(
        card,
        titles,
        lines,
        branches,
        max(max(widths) + 2 * PADDING, LEAST_CARD),
        height if chart is None else height + CHART_SPACE + CHART_HEIGHT,
        max((text_width(line, LINE_SIZE) for line in branches), default=0.0),
        chart,
    )


def drawn(block: Block, is_upright: bool) -> Group:
    """A card, preceded by the text of its branch."""
    card, x, y, width, height = block.card, block.x, block.y, block.width, block.height
    group = Group(card.tooltip)
    shapes = group.shapes
    if block.branches:
        if is_upright:
            middle, top = x + width / 2, y - BRANCH_GAP - block.branch_height + LINE_SIZE * 0.36
        else:
            middle, top = x - BRANCH_GAP - block.branch_width / 2, y + (height - block.branch_height) / 2
        # On a line that is wider than the text is high, the text needs a background.
        paper = (middle - block.branch_width / 2 - 3, top, block.branch_width + 6, block.branch_height)
        shapes.append(Box(*paper, "paper", opacity=0.9, radius=2))
        for row, line in enumerate(block.branches):
            shapes.append(Words(middle, top + LINE_SIZE + LINE_HEIGHT * row, line, LINE_SIZE, "ink", "middle"))
    shapes.append(Box(x, y, width, height, "card", RADIUS))
    if card.is_end:
        tint = LEAST_TINT + (MOST_TINT - LEAST_TINT) * card.strength
        shapes.append(Box(x, y, width, height, card.color, RADIUS, card.color, tint))
    else:
        shapes.append(Box(x, y, width, height, "card", RADIUS, "frame"))
    baseline = y + PADDING + TITLE_SIZE - 2 - TITLE_HEIGHT
    for title in block.titles:
        baseline += TITLE_HEIGHT
        shapes.append(Words(x + PADDING, baseline, title, TITLE_SIZE, "ink", is_bold=True))
    for line in block.lines:
        baseline += LINE_HEIGHT
        shapes.append(Words(x + PADDING, baseline, line, LINE_SIZE, "faint"))
    top = baseline + BAR_SPACE + 3
    shapes += _bar(card, x + PADDING, top, width - 2 * PADDING)
    if block.chart is not None:
        shapes += chart_shapes(block.chart, x + PADDING, top + BAR_HEIGHT + CHART_SPACE, width - 2 * PADDING)
    return group


def _bar(card: Card, x: float, y: float, width: float) -> Iterator[Box]:
    """The class shares side by side; for a number, its position between the lowest and the highest."""
    if card.level is not None or not card.shares:
        yield Box(x, y, width, BAR_HEIGHT, "line", opacity=TRACK_OPACITY)
    if card.level is not None:
        yield Box(x, y, max(width * card.level, 2.0), BAR_HEIGHT, card.color)
    for code, share in enumerate(card.shares):
        if share > 0:
            yield Box(x, y, width * share, BAR_HEIGHT, class_color(code))
            x += width * share
