"""The trees that other splits would give, for splits that tie or nearly tie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.grow import grow
from treecli.node import Node
from treecli.teaching.trace import NodeTrace, Rival, Trace
from treecli.tree import DEVIANCE
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.model import TreeModel
    from treecli.teaching.observing import Growth
    from treecli.teaching.tracing import Place


def with_rivals(trace: Trace, model: TreeModel, growth: Growth, shown: Sequence[Place]) -> Trace:
    """Return the trace with the subtrees of splits that tie with the chosen ones; the model has noted these."""
    nodes = [
        replace(node, rivals=tuple(_rivals(model, growth, place, node)))
        for node, place in zip(trace.nodes, shown, strict=True)
    ]
    return replace(trace, nodes=tuple(nodes))


def _rivals(model: TreeModel, growth: Growth, place: Place, node: NodeTrace) -> Iterator[Rival]:
    """Yield the chosen split and those that tie with it, each with the subtree that it leads to."""
    noted = model.tree.notes.get(place.number, {}).get("ties", ())
    if not noted or node.chosen is None:
        return
    seen = growth.seen[place.grown]
    weights = np.asarray(seen.weights, np.float64)
    dataset = replace(growth.dataset.take(seen.rows), weights=weights, has_weights=bool((weights != 1).any()))
    depth = model.settings.stopping.max_depth
    left = None if depth is None else depth - place.depth
    own = model.schema.columns[growth.tree.attribute[place.grown]].name
    names = [(own, False), *((record["attribute"], record["is_tie"]) for record in noted)]
    if not {name for name, _ in names} <= {each.name for each in growth.schema.attributes}:
        return  # a column that was derived at this node cannot be forced
    for name, is_tie in names:
        settings = model.settings.changed(ties=None, competitors=0, max_depth=left, force=(name,))
        tree = grow(dataset, settings, jobs=1)
        leaves = [Node(tree, index, growth.schema) for index in range(tree.n_nodes) if tree.is_leaf(index)]
        if model.schema.is_classification:
            error = sum(leaf.errors for leaf in leaves)
        else:
            squares = sum(leaf.outcomes[DEVIANCE] for leaf in leaves)
            error = float(np.sqrt(squares / weights.sum()))
        yield Rival(quoted(name), is_tie=is_tie, n_leaves=tree.n_leaves, error=error)
