"""Output formats of a tree.

Each has `render(model, view)`, which returns the text piece by piece, so that a tree of any size is printed while it is
traversed. If it returns bytes, which are not for a terminal, it has `IS_BINARY = True`; if it draws a chart at each
split of a view with details, it has `HAS_CHARTS = True`. SUFFIX is the suffix of -o that selects it; by default its
name, and None if no suffix selects it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from treecli.model import TreeModel
from treecli.node import Node
from treecli.records import dataclass
from treecli.values import Condition

if TYPE_CHECKING:
    from treecli.draw.charts import Chart


@dataclass(frozen=True, slots=True)
class View:
    """Which part of a tree to show, and how.

    `node`: the root of the shown part. `depth`: the number of levels below it, None for all. `charts`: charts of the
    inner nodes from data; None without data.
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
    """A shown node, and its position.

    `depth` counts from the root of the shown part, which has neither parent nor condition there. `n_hidden` nodes below
    this one are cut off.
    """

    node: Node
    depth: int
    parent: int | None = None
    condition: Condition | None = None
    n_hidden: int = 0


def places(model: TreeModel, view: View) -> Iterator[Place]:
    """The nodes that a view shows, in reading order."""
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
