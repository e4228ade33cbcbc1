"""Nodes named by a number or by their path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from treecli.model import TreeModel

ALL_CASES = "all cases"


def path_text(conditions: Sequence[str]) -> str:
    """Return the path of a node from the conditions above it."""
    return ", ".join(conditions) or ALL_CASES


def paths(model: TreeModel) -> list[str]:
    """Return the path of every node, by number."""
    tree, schema = model.tree, model.schema
    conditions: list[tuple[str, ...]] = [()]
    for node in range(tree.n_nodes):  # children are in the order of their parents
        own = model.node(node)
        for branch in range(tree.n_branches[node]):
            text = own.condition(branch).wording(schema.columns[own.split.attribute])
            conditions.append((*conditions[node], text))
    return [path_text(own) for own in conditions]


def node_named(name: str, known: Sequence[str], option: str) -> int:
    """Return the node with this number or path; `known` has the paths by number."""
    if name.isdigit():
        if int(name) < len(known):
            return int(name)
        raise UsageError(f"{option} {name}: there is no such node, only 0 to {len(known) - 1}")
    by_path = {_folded(path): node for node, path in enumerate(known)}
    if _folded(name) not in by_path:
        raise UsageError(f"{option}: no node has the path '{name}'", did_you_mean(name, known))
    return by_path[_folded(name)]


def _folded(path: str) -> str:
    return "".join(path.split()).casefold()
