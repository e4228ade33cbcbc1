"""The tree as a flowchart for Mermaid, which GitHub, GitLab and many wikis render."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from treecli.draw.palette import WHITE, mixed
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.renderers._cards import cards, short

SUFFIX = ".mmd"

N_TINTS = 4
"""Shades of a colour: Mermaid colours a node only through a class."""

MOST_TINT = 0.45
THICKEST = 8

# Everything that could end a string or start an entity, a comment, a directive, HTML or Markdown, including lists.
_TO_ESCAPE = re.compile(r"[!-'*:-<>-@\[-`{-\x7f]|^[-+]|(?<=\d)[.)](?= |$)")


def render(model: TreeModel, view: View) -> Iterator[str]:
    """The flowchart: nodes and branches, then their colours and widths."""
    yield "flowchart TD\n"
    nodes_of_style: dict[tuple[str, str], list[int]] = defaultdict(list)
    edges_of_width: dict[int, list[int]] = defaultdict(list)
    n_edges = 0
    for card in cards(model, view):
        label = "<br>".join(_escaped(line) for line in card.short_lines)
        yield f'  n{card.number}["{label}"]\n'
        shade = round(card.strength * N_TINTS) / N_TINTS
        fill = mixed(card.color, WHITE, MOST_TINT * shade) if card.is_end else WHITE
        nodes_of_style[fill, card.color if card.is_end else "#8c959f"].append(card.number)
        if card.place.parent is not None:
            yield f'  n{card.place.parent} -->|"{_escaped(card.branch)}"| n{card.number}\n'
            edges_of_width[1 + round((THICKEST - 1) * card.flow)].append(n_edges)
            n_edges += 1
    for number, ((fill, line), nodes) in enumerate(nodes_of_style.items()):
        yield f"  classDef c{number} fill:{fill},stroke:{line},color:#1f2328\n"
        yield f"  class {','.join(f'n{node}' for node in nodes)} c{number}\n"
    for width, edges in sorted(edges_of_width.items()):
        yield f"  linkStyle {','.join(map(str, edges))} stroke-width:{width}px\n"


def _escaped(text: str) -> str:
    """A line of text between double quotes, where Mermaid reads #NUMBER; as a character."""
    return _TO_ESCAPE.sub(lambda match: f"#{ord(match.group())};", short(text))
