"""The legend of a picture, which explains its colours."""

from __future__ import annotations

from treecli.draw.drawing import Box, Group, Words, cut, text_width
from treecli.draw.palette import SCALE, class_color
from treecli.model import TreeModel
from treecli.renderers._blocks import LINE_SIZE, TITLE_SIZE
from treecli.renderers._cards import span
from treecli.wording import quoted, readable

MARGIN = 24.0
SWATCH = 11.0
SWATCH_GAP = 5.0
LEGEND_HEIGHT = 20.0
LEGEND_GAP = 16.0
NUMBER_GAP = 9.0
MOST_LEGEND = 400.0
"""Maximum width of a label; longer labels are truncated."""

MOST_LEGEND_LABELS = 60
SCALE_WIDTH = 120.0


def legend(model: TreeModel, right: float) -> tuple[list[Group], float]:
    """The shapes, in rows that end before `right`, and their bottom edge."""
    name = quoted(model.schema.target.name)
    text = cut(name, right - MARGIN, TITLE_SIZE, is_bold=True)
    title = Group(name, [Words(MARGIN, MARGIN + TITLE_SIZE, text, TITLE_SIZE, is_bold=True)])
    x = MARGIN + text_width(text, TITLE_SIZE, is_bold=True) + LEGEND_GAP
    if model.schema.is_classification:
        return _of_classes(model.schema.target.labels, title, x, right)
    return [title], _of_numbers(model, title, x, right)


def _of_numbers(model: TreeModel, title: Group, x: float, right: float) -> float:
    ends, y = span(model), MARGIN
    low, high = readable(ends.low), readable(ends.high)
    if x + text_width(low + high, LINE_SIZE) + SCALE_WIDTH + 2 * NUMBER_GAP > right:
        x, y = MARGIN, y + LEGEND_HEIGHT
    title.shapes.append(Words(x, y + TITLE_SIZE - 1, low, LINE_SIZE, "faint"))
    x += text_width(low, LINE_SIZE) + NUMBER_GAP
    step = SCALE_WIDTH / len(SCALE)
    for color in SCALE:
        title.shapes.append(Box(x, y + 3, step, SWATCH, color))
        x += step
    title.shapes.append(Words(x + NUMBER_GAP, y + TITLE_SIZE - 1, high, LINE_SIZE, "faint"))
    return y + LEGEND_HEIGHT


def _of_classes(labels: tuple[str, ...], title: Group, x: float, right: float) -> tuple[list[Group], float]:
    groups, y = [title], MARGIN
    most = min(MOST_LEGEND, right - MARGIN - SWATCH - SWATCH_GAP)
    for code, label in enumerate(labels[:MOST_LEGEND_LABELS]):
        text = cut(quoted(label), most, LINE_SIZE)
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
