"""A tree that is being changed: nodes that know their split and their children."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treecli.tree import ALL_BRANCHES, Tree

if TYPE_CHECKING:
    from treecli.splits import Split
    from treecli.splits._surrogate import Surrogate


@dataclass(slots=True, eq=False)
class Draft:
    """A node; `number` is its number in the input model, None for a new one. A new split has no score yet."""

    number: int | None
    outcomes: Sequence[float] = ()
    split: Split | None = None
    children: list[Draft] = field(default_factory=list)
    missing_to: int = ALL_BRANCHES
    score: float | None = None
    surrogates: Sequence[Surrogate] = ()
    notes: dict[str, Any] = field(default_factory=dict)
    forced: int | None = None
    is_asked: bool = False
    """Whether the split was given by hand, and the route of missing values follows from the settings."""

    def become_leaf(self) -> None:
        """Remove the split and everything below it."""
        self.split, self.children, self.surrogates, self.notes = None, [], (), {}
        self.missing_to, self.score, self.is_asked, self.forced = ALL_BRANCHES, None, False, None

    def ask(self, split: Split) -> None:
        """Give the node another split, whose branches are leaves."""
        self.become_leaf()
        self.split, self.is_asked = split, True
        self.children = [Draft(None) for _ in range(split.n_branches())]


def draft_of(tree: Tree, *, numbered: bool = True) -> Draft:
    """Return the root of a tree as a draft."""
    nodes = [
        Draft(
            node if numbered else None,
            tuple(outcomes),
            notes=dict(tree.notes.get(node, {})),
            forced=tree.forced.get(node),
        )
        for node, outcomes in enumerate(tree.all_outcomes())
    ]
    for node in tree.inner_nodes():
        own = nodes[node]
        own.split, own.missing_to, own.score = tree.split(node), tree.missing_to[node], tree.score[node]
        own.children = [nodes[child] for child in tree.children(node)]
        own.surrogates = tree.surrogates.get(node, ())
    return nodes[0]


def in_level_order(root: Draft) -> list[Draft]:
    """Return all nodes, parents before children."""
    found = [root]
    for node in found:  # grows by the children
        found.extend(node.children)
    return found


def tree_of(root: Draft, like: Tree) -> Tree:
    """Return the tree of a draft, with the class weights and costs of another tree."""
    nodes = in_level_order(root)
    outcomes = array("d", [number for node in nodes for number in node.outcomes])
    tree = Tree.of_leaves(like.n_outcomes, outcomes)
    end = 1
    for number, node in enumerate(nodes):
        if node.split is not None:
            tree.ask(number, node.split, end, len(node.children), node.missing_to, node.score or 0.0)
            end += len(node.children)
            if node.surrogates:
                tree.surrogates[number] = node.surrogates
        if node.notes:
            tree.notes[number] = node.notes
        if node.forced is not None:
            tree.forced[number] = node.forced
    tree.settle()
    return replace(tree, class_scale=like.class_scale, costs=like.costs)
