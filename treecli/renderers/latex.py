"""The tree for LaTeX documents, drawn by the package forest."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.draw.latextext import in_latex
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.renderers._cards import Card, cards, short

SUFFIX = ".tex"

DEEPEST_INDENTED = 20
MOST_TINT = 45
THINNEST, THICKEST = 0.4, 4.0

PREAMBLE = "% needs \\usepackage{forest,textcomp} and \\usepackage[T1]{fontenc}\n"

OPENING = r"""\begin{forest}
  for tree={
    draw=black!45, rounded corners=2pt, align=center, font=\sffamily\footnotesize, inner sep=4pt,
    l sep=11mm, s sep=3mm, edge={draw=black!35},
  },
  branch/.style={edge label={node[pos=0.7, fill=white, inner sep=1pt, font=\sffamily\scriptsize]{#1}}},
  width/.style={edge={line width=#1}},
"""


def render(model: TreeModel, view: View) -> Iterator[str]:
    """A `forest` environment; a comment lists the required packages."""
    shown = list(cards(model, view))
    yield PREAMBLE
    for color in sorted({card.color for card in shown if card.is_end}):
        yield f"\\definecolor{{{_name(color)}}}{{HTML}}{{{color[1:].upper()}}}\n"
    yield OPENING
    depth = -1
    for card in shown:
        # A node stays open until the next one that is not below it.
        if card.place.depth <= depth:
            yield "]" * (depth - card.place.depth + 1) + "\n"
        elif depth >= 0:
            yield "\n"
        depth = card.place.depth
        yield f"{'  ' * min(depth + 1, DEEPEST_INDENTED)}[{{{_content(card)}}}{_options(card)}"
    yield "]" * (depth + 1) + "\n\\end{forest}\n"


def _content(card: Card) -> str:
    lines = [in_latex(line) for line in card.short_lines]
    n_bold = len(lines) - len(card.lines)
    shown = (f"\\textbf{{{line}}}" if n < n_bold else f"\\scriptsize {line}" for n, line in enumerate(lines))
    return r"\\".join(shown)


def _options(card: Card) -> str:
    options = []
    if card.place.parent is not None:
        width = THINNEST + (THICKEST - THINNEST) * card.flow
        options += [f"branch={{{in_latex(short(card.branch))}}}", f"width={width:.2f}pt"]
    if card.is_end:
        options += [f"fill={_name(card.color)}!{MOST_TINT * card.strength:.0f}", f"draw={_name(card.color)}"]
    return "".join(f", {option}" for option in options)


def _name(color: str) -> str:
    return f"tree{color[1:]}"
