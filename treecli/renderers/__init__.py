"""The ways to show a tree.

Each has `render(model, view)`, which gives the text piece by piece, so that a tree of any size is shown as it is
walked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treecli.conditions import Condition
from treecli.model import Model
from treecli.tree import Node


@dataclass(frozen=True, slots=True)
class View:
    """Which part of a tree to show, and how.

    `node`: the root of what is shown. `depth`: how many levels below it, None for all.
    """

    node: int = 0
    depth: int | None = None
    has_ids: bool = False
    has_counts: bool = False
    has_details: bool = False
    is_colored: bool = False


@dataclass(frozen=True, slots=True)
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


def places(model: Model, view: View) -> Iterator[Place]:
    """What a view shows of a tree, in reading order."""
    tree = model.tree
    pending: list[tuple[int, int, Node | None, int]] = [(view.node, 0, None, 0)]
    while pending:
        index, depth, parent, branch = pending.pop()
        node = model.node(index)
        is_cut = depth == view.depth
        yield Place(
            node,
            depth,
            parent=None if parent is None else parent.index,
            condition=None if parent is None else parent.condition(branch),
            n_hidden=sum(1 for _ in tree.in_reading_order(index)) - 1 if is_cut else 0,
        )
        if not is_cut:
            children = enumerate(tree.children(index))
            pending.extend(reversed([(child, depth + 1, node, branch) for branch, child in children]))
