"""The ways to show a tree.

Each has `render(model, view)`, which returns the text piece by piece, so that a tree of any size is shown as it is
walked. One that returns bytes, which are not for a terminal, has `IS_BINARY = True`; one that draws a chart at each
split where the view has details has `HAS_CHARTS = True`. SUFFIX is the suffix of -o that chooses it, left out where
that is its name, and None where no suffix does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from treecli.model import TreeModel
from treecli.node import Node
from treecli.values import Condition

if TYPE_CHECKING:
    from treecli.draw.charts import Chart


@dataclass(frozen=True, slots=True)
class View:
    """Which part of a tree to show, and how.

    `node`: the root of what is shown. `depth`: how many levels below it, None for all. `charts`: those of the inner
    nodes that were made from data; None where there are no data.
    """

    node: int = 0
    depth: int | None = None
    has_ids: bool = False
    has_counts: bool = False
    has_details: bool = False
    is_colored: bool = False
    charts: Mapping[int, Chart] | None = None


class Renderer(Protocol):
    """A member of this family."""

    def render(self, model: TreeModel, view: View) -> Iterator[str] | Iterator[bytes]: ...


@dataclass(slots=True)
class Place:
    """A node that is shown, and where it stands.

    `depth` counts from the root of what is shown, which has neither parent nor condition there. `n_hidden` nodes
    below this one are cut off.
    """

    node: Node
    depth: int
    parent: int | None = None
    condition: Condition | None = None
    n_hidden: int = 0


def places(model: TreeModel, view: View) -> Iterator[Place]:
    """What a view shows of a tree, in reading order."""
    tree, schema = model.tree, model.schema
    pending: list[tuple[int, int, Node | None, int]] = [(view.node, 0, None, 0)]
    while pending:
        index, depth, parent, branch = pending.pop()
        node = Node(tree, index, schema)
        n_hidden = sum(1 for _ in tree.in_reading_order(index)) - 1 if depth == view.depth else 0
        if parent is None:
            yield Place(node, depth, None, None, n_hidden)
        else:
            yield Place(node, depth, parent.index, parent.condition(branch), n_hidden)
        first = tree.first_child[index]
        if first and depth != view.depth:
            for branch in range(tree.n_branches[index] - 1, -1, -1):
                pending.append((first + branch, depth + 1, node, branch))
