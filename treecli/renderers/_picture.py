"""Drawing of a tree: cards with a test or a prediction, joined by lines whose width shows the number of cases."""

from __future__ import annotations

from itertools import accumulate

from treecli.cli import terminal
from treecli.draw.charts import charts_of_tree
from treecli.draw.drawing import Bend, Drawing, Group
from treecli.draw.layout import positions
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.renderers._blocks import BRANCH_GAP, Block, Room, block_of, drawn
from treecli.renderers._cards import cards
from treecli.renderers._legend import LEGEND_GAP, MARGIN, legend
from treecli.wording import quoted

WIDEST_UPRIGHT = 1500.0
"""A wider tree is drawn from left to right instead of top to bottom, where its texts need less space."""

WIDEST_LYING = 2400.0
ROOMS = (Room(420.0, 330.0, 6), Room(300.0, 240.0, 4), Room(216.0, 150.0, 2))
"""Tried in turn: the first that makes the tree narrow enough, or the last."""

MOST_TRIED = 300
"""With more cards only the last room is tried, because the others are too wide."""

MANY_LEAVES = 100
"""From this number of leaves, a picture is hard to read."""

SIBLING_GAP = 16.0
ROW_GAP = 8.0
LEVEL_GAP = 38.0
"""The height of the bend of a line in a tree drawn from top to bottom."""

RUN = 44.0
"""The width of the bend of a line in a tree drawn from left to right."""

THINNEST, THICKEST = 1.0, 9.0
LEAST_WIDTH = 260.0


def picture(model: TreeModel, view: View) -> Drawing:
    """The drawing of a view, from top to bottom or, if that is too wide, from left to right."""
    shown = list(cards(model, view))
    charts = charts_of_tree(model) if view.has_details and view.charts is None else view.charts or {}
    row_of = {card.number: row for row, card in enumerate(shown)}
    parents = [-1 if card.place.parent is None else row_of[card.place.parent] for card in shown]
    rooms = ROOMS if len(shown) <= MOST_TRIED else ROOMS[-1:]
    for is_upright, room in ((is_upright, room) for is_upright in (True, False) for room in rooms):
        blocks = [block_of(card, room, None if card.is_end else charts.get(card.number)) for card in shown]
        width = _stand(blocks, parents) if is_upright else _lie(blocks, parents)
        if width <= (WIDEST_UPRIGHT if is_upright else WIDEST_LYING):
            break
    right = MARGIN + max(width, LEAST_WIDTH)
    key, bottom = legend(model, right)
    for card in blocks:
        card.x += MARGIN
        card.y += bottom + LEGEND_GAP
    height = max(card.y + card.height for card in blocks) + MARGIN
    edges = _edges(blocks, parents, is_upright)
    title = f"Decision tree for {quoted(model.schema.target.name)}"
    return Drawing(
        right + MARGIN, height, title, [Group("", [*edges]), *key, *(drawn(card, is_upright) for card in blocks)]
    )


def announced(model: TreeModel, view: View) -> Drawing:
    """The picture, after a note on stderr if it has very many leaves."""
    n_ends = sum(card.is_end for card in cards(model, view)) if model.tree.n_nodes > MANY_LEAVES else 0
    if n_ends >= MANY_LEAVES:
        terminal.note(
            f"{n_ends} leaves are hard to read in a picture; use -f html to search and fold, --depth D to draw the top"
        )
    return picture(model, view)


def _stand(blocks: list[Block], parents: list[int]) -> float:
    """Places the root on top; returns the total width."""
    breadths = [max(block.width, block.branch_width + 4) for block in blocks]
    middles = positions(parents, breadths, SIBLING_GAP)
    heights = _of_levels(blocks, [block.height for block in blocks])
    words = _of_levels(blocks, [block.branch_height for block in blocks])
    steps = (height + LEVEL_GAP + word + BRANCH_GAP for height, word in zip(heights, [*words[1:], 0.0], strict=True))
    tops = list(accumulate(steps, initial=0.0))
    for block, middle in zip(blocks, middles, strict=True):
        block.x, block.y = middle - block.width / 2, tops[block.card.place.depth]
    return max(middle + breadth / 2 for middle, breadth in zip(middles, breadths, strict=True))


def _lie(blocks: list[Block], parents: list[int]) -> float:
    """Places the root on the left; returns the total width."""
    middles = positions(parents, [max(block.height, block.branch_height) for block in blocks], ROW_GAP)
    cards = _of_levels(blocks, [block.width for block in blocks])
    branches = _of_levels(blocks, [block.branch_width for block in blocks])
    steps = (card + RUN + branch + 2 * BRANCH_GAP for card, branch in zip(cards, [*branches[1:], 0.0], strict=True))
    lefts = list(accumulate(steps, initial=0.0))
    for block, middle in zip(blocks, middles, strict=True):
        block.x, block.y = lefts[block.card.place.depth], middle - block.height / 2
    return max(block.x + block.width for block in blocks)


def _of_levels(blocks: list[Block], sizes: list[float]) -> list[float]:
    """The largest size on every level."""
    largest = [0.0] * (1 + max(block.card.place.depth for block in blocks))
    for block, size in zip(blocks, sizes, strict=True):
        largest[block.card.place.depth] = max(largest[block.card.place.depth], size)
    return largest


def _edges(blocks: list[Block], parents: list[int], is_upright: bool) -> list[Bend]:
    """A line to every card except the root; it bends only between two levels, where there are no cards or texts."""
    ends = _of_levels(blocks, [block.y + block.height if is_upright else block.x + block.width for block in blocks])
    found = []
    for child, row in zip(blocks, parents, strict=True):
        if row < 0:
            continue
        parent, width = blocks[row], THINNEST + (THICKEST - THINNEST) * child.card.flow
        edge = ends[parent.card.place.depth]
        if is_upright:
            x, to_x = parent.x + parent.width / 2, child.x + child.width / 2
            root, tip = (x, parent.y + parent.height), (to_x, child.y)
            found.append(Bend(root, (x, edge), (to_x, edge + LEVEL_GAP), tip, width, is_vertical=True))
        else:
            y, to_y = parent.y + parent.height / 2, child.y + child.height / 2
            root, tip = (parent.x + parent.width, y), (child.x, to_y)
            found.append(Bend(root, (edge, y), (edge + RUN, to_y), tip, width, is_vertical=False))
    return found
