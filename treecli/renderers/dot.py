"""The tree for Graphviz: treecli show -f dot MODEL | dot -Tpdf."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.draw.palette import WHITE, mixed
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.renderers._cards import MOST_SIGNS, cards, short
from treecli.wording import quoted

MOST_TINT = 0.45
THICKEST = 8.0


def render(model: TreeModel, view: View) -> Iterator[str]:
    """A graph: each node, followed by the edge that leads to it."""
    yield f"digraph {_text(model.schema.target.name)} {{\n"
    yield '  node [shape=box, style="rounded,filled", fontname="Helvetica,Arial,sans-serif", fontsize=11];\n'
    yield '  edge [fontname="Helvetica,Arial,sans-serif", fontsize=10, arrowsize=0.6, color="#8c959f"];\n'
    for card in cards(model, view):
        label = r"\n".join(_escaped(line) for line in card.short_lines)
        fill = mixed(card.color, WHITE, MOST_TINT * card.strength) if card.is_end else WHITE
        line = card.color if card.is_end else "#8c959f"
        tooltip = r"\n".join(map(_escaped, card.tooltip.split("\n")))
        yield f'  n{card.number} [label="{label}", fillcolor="{fill}", color="{line}", tooltip="{tooltip}"];\n'
        if card.place.parent is not None:
            width = f"{1 + (THICKEST - 1) * card.flow:.2f}"
            # Blanks on both sides keep the text off the line.
            label, tooltip = _escaped(f" {short(card.branch)} "), _escaped(card.condition[:MOST_SIGNS])
            yield (
                f'  n{card.place.parent} -> n{card.number} [label="{label}", penwidth={width}, tooltip="{tooltip}", '
                f'labeltooltip="{tooltip}"];\n'
            )
    yield "}\n"


def _text(name: str) -> str:
    return f'"{_escaped(quoted(name))}"'


def _escaped(text: str) -> str:
    """The text between double quotes, where Graphviz also reads HTML entities."""
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
