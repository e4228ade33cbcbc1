"""Put the tree of another model below a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.surgery.draft import in_level_order
from treecli.surgery.operations import grafted

if TYPE_CHECKING:
    from treecli.data import Attribute
    from treecli.model import TreeModel
    from treecli.surgery.draft import Draft
    from treecli.tree import Tree


def graft(node: Draft, other: TreeModel, model: TreeModel, name: str) -> int:
    """Replace what is below a node by another tree; return the number of nodes below it.

    The scores are computed again from the cases of this model.
    """
    grafted(node, _on_columns_of(model, other, name))
    below = in_level_order(node)
    for own in below:
        own.score, own.notes = None, {}
    return len(below) - 1


def _on_columns_of(model: TreeModel, other: TreeModel, name: str) -> Tree:
    """The other tree with the numbers that its columns have in this model; raise a UsageError if one is not there."""
    if other.tree.leaf_models or other.schema.derived:
        raise UsageError(f"{name}: trees with models at their leaves or derived columns cannot be grafted")
    if not _is_same(other.schema.target, model.schema.target):
        raise UsageError(
            f"{name}: its target '{other.schema.target.name}' does not have the values of '{model.schema.target.name}'",
            "graft a tree that predicts the same classes, in the same order, or a number if this one does",
        )
    own = {attribute.name: index for index, attribute in enumerate(model.schema.attributes)}
    tree = other.tree
    instead = (surrogate.split.attribute for found in tree.surrogates.values() for surrogate in found)
    number: dict[int, int] = {}
    for index in sorted({tree.attribute[node] for node in tree.inner_nodes()} | set(instead)):
        column = other.schema.attributes[index]
        if column.name not in own:
            raise UsageError(f"{name}: asks about '{column.name}', which the model does not have")
        if not _is_same(column, model.schema.attributes[own[column.name]]):
            raise UsageError(f"{name}: '{column.name}' has another kind or other labels than in the model")
        number[index] = own[column.name]
    return tree.renumbered(number)


def _is_same(first: Attribute, second: Attribute) -> bool:
    return first.kind == second.kind and first.labels == second.labels
