"""Smoothing: the model of a leaf is mixed with those of the nodes above it (Quinlan 1992)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.leaves.linear import Leaf, Line
from treecli.tree import WEIGHT

if TYPE_CHECKING:
    from treecli.leaves import Leaf as LeafModel
    from treecli.leaves.linear import Input
    from treecli.model import TreeModel
    from treecli.tree import Tree

WEIGHT_OF_PARENT = 15.0
"""The model of a node above counts as this many cases."""


def own_model(tree: Tree, node: int) -> Leaf | None:
    """Return the linear model of a node; None if it has none or one of another kind."""
    leaf = tree.leaf_models.get(node)
    return leaf if isinstance(leaf, Leaf) else None


def smoothed(tree: Tree, *, is_on: bool = True) -> dict[int, LeafModel]:
    """Return the models of all nodes, those of leaves smoothed if `is_on`; inner nodes keep their own.

    On the way from a leaf to the root, a model becomes (n · model + 15 · model of the node above) / (n + 15), where n
    is the number of cases of the lower node. Each part is divided by itself, as Weka does.
    """
    parent = tree.parents()
    found = dict(tree.leaf_models)
    for node in range(tree.n_nodes):
        leaf = own_model(tree, node)
        if leaf is None:
            continue
        found[node] = replace(leaf, line=leaf.own, unsmoothed=None)
        if is_on and node and tree.is_leaf(node):
            found[node] = replace(leaf, line=_smoothed(tree, parent, node, leaf.own), unsmoothed=leaf.own)
    return found


def smoothed_again(model: TreeModel, tree: Tree) -> TreeModel:
    """Return a model with a smaller tree, whose new leaves are smoothed if those of the model are."""
    if tree.leaf_models:
        tree = replace(tree, leaf_models=smoothed(tree, is_on=model.settings.predicting.smooths))
    return replace(model, tree=tree)


def _smoothed(tree: Tree, parent: list[int], node: int, own: Line) -> Line:
    constant, factors = own.intercept, dict(own.terms)
    while node:
        n, node = tree.outcomes_of(node)[WEIGHT], parent[node]
        above = own_model(tree, node)
        if above is None:
            continue
        total = n + WEIGHT_OF_PARENT
        constant = n * constant / total + WEIGHT_OF_PARENT * above.own.intercept / total
        theirs = dict(above.own.terms)
        factors = {
            part: n * factors.get(part, 0.0) / total + WEIGHT_OF_PARENT * theirs.get(part, 0.0) / total
            for part in factors | theirs
        }
    return Line(constant, tuple((part, factors[part]) for part in sorted(factors, key=_place) if factors[part]))


def _place(part: Input) -> tuple[int, int]:
    """Return the attribute, and the number of the indicator: the more labels, the earlier."""
    return part.attribute, -len(getattr(part, "labels", None) or ())
