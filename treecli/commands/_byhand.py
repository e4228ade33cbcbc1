"""Pruning by hand: the nodes that the user names become leaves."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from treecli.errors import UsageError
from treecli.modeltrees.smoothing import smoothed_again
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.model import Lineage, TreeModel

N_NODES_NAMED = 10
"""The number of nodes that a message lists."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """The options that prune by hand."""

    nodes: tuple[int, ...]
    depth: int | None
    collapse: bool

    @property
    def step(self) -> dict[str, Any]:
        """The nodes and the depth, for the lineage."""
        nodes = {"node": sorted(set(self.nodes))} if self.nodes else {}
        return nodes | ({"depth": self.depth} if self.depth is not None else {})

    @property
    def is_any(self) -> bool:
        return bool(self.step) or self.collapse


def collapsed_by_hand(model: TreeModel, name: str, nodes: tuple[int, ...], depth: int | None) -> TreeModel:
    """The model with the requested nodes, and all nodes at the requested depth, as leaves."""
    tree = model.tree
    for node in nodes:
        if not 0 <= node < tree.n_nodes:
            found = f"there is no node {node}"
        elif tree.is_leaf(node):
            found = f"node {node} is already a leaf"
        else:
            continue
        inner = [str(number) for number in islice(tree.inner_nodes(), N_NODES_NAMED + 1)]
        named = ", ".join(inner[:N_NODES_NAMED]) + (", …" if len(inner) > N_NODES_NAMED else "")
        raise UsageError(
            f"{name}: {found}, expected an inner node from 0 to {tree.n_nodes - 1} ({named or 'there is none'})",
            "'treecli show MODEL --ids' shows the numbers",
        )
    if not nodes and depth is None:
        return model
    asked = set(nodes)
    depths = tree.depths()
    held = sorted(node for node in tree.above_forced() if node in asked or depths[node] == depth)
    if held:
        raise UsageError(
            f"{name}: a leaf below node {held[0]} has a forced class", "'treecli edit --collapse' removes it"
        )
    return smoothed_again(model, tree.collapsed(lambda node: node in asked or depths[node] == depth))


def with_step(model: TreeModel, before: TreeModel, made: dict[str, Any]) -> TreeModel:
    """The model with a lineage step for manual pruning."""
    leaves = {"leaves_before": before.tree.n_leaves, "leaves_after": model.tree.n_leaves}
    step: Lineage = {"command": "prune", "options": made, **leaves}
    return replace(model, lineage=(*model.lineage, step))
