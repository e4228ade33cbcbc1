"""A tree drawn: cards with a question or a prediction, joined by lines as wide as there are cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from treecli.conditions import quoted
from treecli.model import Model
from treecli.pictures.drawing import Bend, Box, Drawing, Group, Words, cut, text_width
from treecli.pictures.layout import positions
from treecli.pictures.palette import SCALE, class_color
from treecli.renderers import View
from treecli.renderers._cards import Card, cards, span
from treecli.report import readable

WIDEST_UPRIGHT = 1500.0
"""A tree that would be wider than this grows to the right instead of down, where its words need less room."""

MARGIN = 24.0
TITLE_SIZE, LINE_SIZE = 13.0, 11.0
TITLE_HEIGHT, LINE_HEIGHT = 17.0, 15.0
PADDING = 10.0
BAR_HEIGHT = 6.0
BAR_SPACE = 5.0
RADIUS = 6.0
LEAST_CARD, MOST_CARD = 84.0, 216.0
MOST_BRANCH = 150.0
SIBLING_GAP = 16.0
ROW_GAP = 8.0
LEVEL_GAP = 62.0
RUN = 44.0
"""How far a line has to bend in a tree that grows to the right."""

BRANCH_GAP = 9.0
"""Between the words of a branch and the card that it leads to."""

THINNEST, THICKEST = 1.0, 9.0
LEAST_TINT, MOST_TINT = 0.05, 0.3
TRACK_OPACITY = 0.35

SWATCH = 11.0
SWATCH_GAP = 5.0
LEGEND_HEIGHT = 20.0
LEGEND_GAP = 16.0
MOST_LEGEND = 160.0
MOST_LEGEND_LABELS = 40
SCALE_WIDTH = 120.0
LEAST_WIDTH = 260.0


@dataclass(slots=True)
class _Block:
    """A card with its size and place, the upper left corner."""

    card: Card
    title: str
    lines: list[str]
    branch: str
    width: float
    height: float
    branch_width: float
    x: float = 0.0
    y: float = 0.0


def picture(model: Model, view: View) -> Drawing:
    """What a view shows of a tree, from top to bottom or, if that were too wide, from left to right."""
    blocks = [_block(card) for card in cards(model, view)]
    row_of = {block.card.number: row for row, block in enumerate(blocks)}
    parents = [-1 if block.card.place.parent is None else row_of[block.card.place.parent] for block in blocks]
    width = _stand(blocks, parents)
    is_upright = width <= WIDEST_UPRIGHT
    if not is_upright:
        width = _lie(blocks, parents)
    right = MARGIN + max(width, LEAST_WIDTH)
    legend, bottom = _legend(model, right)
    for block in blocks:
        block.x += MARGIN
        block.y += bottom + LEGEND_GAP
    height = max(block.y + block.height for block in blocks) + MARGIN
    edges = [
        _edge(blocks[parent], block, is_upright) for block, parent in zip(blocks, parents, strict=True) if parent >= 0
    ]
    title = f"Decision tree for {quoted(model.schema.target.name)}"
    drawn = (_drawn(block, is_upright) for block in blocks)
    return Drawing(right + MARGIN, height, title, [Group("", [*edges]), *legend, *drawn])


def _block(card: Card) -> _Block:
    room = MOST_CARD - 2 * PADDING
    title = cut(card.title, room, TITLE_SIZE, is_bold=True)
    lines = [cut(line, room, LINE_SIZE) for line in card.lines]
    widths = [text_width(title, TITLE_SIZE, is_bold=True), *(text_width(line, LINE_SIZE) for line in lines)]
    branch = cut(card.branch, MOST_BRANCH, LINE_SIZE)
    return _Block(
        card,
        title,
        lines,
        branch,
        max(max(widths) + 2 * PADDING, LEAST_CARD),
        2 * PADDING + TITLE_HEIGHT + LINE_HEIGHT * len(lines) + BAR_SPACE + BAR_HEIGHT - 4,
        text_width(branch, LINE_SIZE) if branch else 0.0,
    )


def _stand(blocks: list[_Block], parents: list[int]) -> float:
    """Puts the root on top; the width that this takes comes back."""
    breadths = [max(block.width, block.branch_width + 4) for block in blocks]
    middles = positions(parents, breadths, SIBLING_GAP)
    heights = _of_levels(blocks, [block.height for block in blocks])
    tops = list(accumulate((height + LEVEL_GAP for height in heights), initial=0.0))
    for block, middle in zip(blocks, middles, strict=True):
        block.x, block.y = middle - block.width / 2, tops[block.card.place.depth]
    return max(middle + breadth / 2 for middle, breadth in zip(middles, breadths, strict=True))


def _lie(blocks: list[_Block], parents: list[int]) -> float:
    """Puts the root on the left; the width that this takes comes back."""
    middles = positions(parents, [block.height for block in blocks], ROW_GAP)
    cards = _of_levels(blocks, [block.width for block in blocks])
    branches = _of_levels(blocks, [block.branch_width for block in blocks])
    steps = (card + RUN + branch + 2 * BRANCH_GAP for card, branch in zip(cards, [*branches[1:], 0.0], strict=True))
    lefts = list(accumulate(steps, initial=0.0))
    for block, middle in zip(blocks, middles, strict=True):
        block.x, block.y = lefts[block.card.place.depth], middle - block.height / 2
    return max(block.x + block.width for block in blocks)


def _of_levels(blocks: list[_Block], sizes: list[float]) -> list[float]:
    """The largest size on every level."""
    largest = [0.0] * (1 + max(block.card.place.depth for block in blocks))
    for block, size in zip(blocks, sizes, strict=True):
        largest[block.card.place.depth] = max(largest[block.card.place.depth], size)
    return largest


def _edge(parent: _Block, child: _Block, is_upright: bool) -> Bend:
    width = THINNEST + (THICKEST - THINNEST) * child.card.flow
    if is_upright:
        x, end = child.x + child.width / 2, child.y - LINE_HEIGHT - BRANCH_GAP
        return Bend(
            (parent.x + parent.width / 2, parent.y + parent.height), (x, end), (x, child.y), width, is_vertical=True
        )
    y = child.y + child.height / 2
    return Bend(
        (parent.x + parent.width, parent.y + parent.height / 2),
        (child.x - child.branch_width - 2 * BRANCH_GAP, y),
        (child.x, y),
        width,
        is_vertical=False,
    )


def _drawn(block: _Block, is_upright: bool) -> Group:
    """A card and, before it, the words of the branch that leads there."""
    card, x, y, width, height = block.card, block.x, block.y, block.width, block.height
    group = Group(card.tooltip)
    shapes = group.shapes
    if block.branch:
        if is_upright:
            middle, baseline = x + width / 2, y - BRANCH_GAP
        else:
            middle, baseline = x - BRANCH_GAP - block.branch_width / 2, y + height / 2 + LINE_SIZE * 0.36
        # On a line that is wider than the words are high, they need paper of their own.
        shapes.append(
            Box(
                middle - block.branch_width / 2 - 3, baseline - LINE_SIZE, block.branch_width + 6, LINE_HEIGHT, "paper",
                opacity=0.9, radius=2,
            )
        )  # fmt: skip
        shapes.append(Words(middle, baseline, block.branch, LINE_SIZE, "ink", "middle"))
    shapes.append(Box(x, y, width, height, "card", RADIUS))
    if card.is_end:
        tint = LEAST_TINT + (MOST_TINT - LEAST_TINT) * card.strength
        shapes.append(Box(x, y, width, height, card.color, RADIUS, card.color, tint))
    else:
        shapes.append(Box(x, y, width, height, "card", RADIUS, "frame"))
    baseline = y + PADDING + TITLE_SIZE - 2
    shapes.append(Words(x + PADDING, baseline, block.title, TITLE_SIZE, "ink", is_bold=True))
    for line in block.lines:
        baseline += LINE_HEIGHT
        shapes.append(Words(x + PADDING, baseline, line, LINE_SIZE, "faint"))
    shapes += _bar(card, x + PADDING, baseline + BAR_SPACE + 3, width - 2 * PADDING)
    return group


def _bar(card: Card, x: float, y: float, width: float) -> Iterator[Box]:
    """The shares of the classes side by side; of a number how far it is on the way from low to high."""
    if card.level is not None or not card.shares:
        yield Box(x, y, width, BAR_HEIGHT, "line", opacity=TRACK_OPACITY)
    if card.level is not None:
        yield Box(x, y, max(width * card.level, 2.0), BAR_HEIGHT, card.color)
    for code, share in enumerate(card.shares):
        if share > 0:
            yield Box(x, y, width * share, BAR_HEIGHT, class_color(code))
            x += width * share


def _legend(model: Model, right: float) -> tuple[list[Group], float]:
    """What the colours mean, in rows that end before `right`, and how far down they go."""
    name = quoted(model.schema.target.name)
    text = cut(name, right - MARGIN, TITLE_SIZE, is_bold=True)
    title = Group(name, [Words(MARGIN, MARGIN + TITLE_SIZE, text, TITLE_SIZE, is_bold=True)])
    x, y = MARGIN + text_width(text, TITLE_SIZE, is_bold=True) + LEGEND_GAP, MARGIN
    if not model.schema.is_classification:
        ends = span(model)
        low, high = readable(ends.low), readable(ends.high)
        if x + text_width(low + high, LINE_SIZE) + SCALE_WIDTH + 2 * BRANCH_GAP > right:
            x, y = MARGIN, y + LEGEND_HEIGHT
        title.shapes.append(Words(x, y + TITLE_SIZE - 1, low, LINE_SIZE, "faint"))
        x += text_width(low, LINE_SIZE) + BRANCH_GAP
        step = SCALE_WIDTH / len(SCALE)
        for color in SCALE:
            title.shapes.append(Box(x, y + 3, step, SWATCH, color))
            x += step
        title.shapes.append(Words(x + BRANCH_GAP, y + TITLE_SIZE - 1, high, LINE_SIZE, "faint"))
        return [title], y + LEGEND_HEIGHT
    groups = [title]
    labels = model.schema.target.labels
    for code, label in enumerate(labels[:MOST_LEGEND_LABELS]):
        text = cut(quoted(label), MOST_LEGEND, LINE_SIZE)
        taken = SWATCH + SWATCH_GAP + text_width(text, LINE_SIZE)
        if x > MARGIN and x + taken > right:
            x, y = MARGIN, y + LEGEND_HEIGHT
        swatch = Box(x, y + 3, SWATCH, SWATCH, class_color(code), 2)
        words = Words(x + SWATCH + SWATCH_GAP, y + TITLE_SIZE - 1, text, LINE_SIZE)
        groups.append(Group(quoted(label), [swatch, words]))
        x += taken + LEGEND_GAP
    if len(labels) > MOST_LEGEND_LABELS:
        y += LEGEND_HEIGHT
        more = f"… and {len(labels) - MOST_LEGEND_LABELS} more"
        title.shapes.append(Words(MARGIN, y + TITLE_SIZE - 1, more, LINE_SIZE, "faint"))
    return groups, y + LEGEND_HEIGHT
