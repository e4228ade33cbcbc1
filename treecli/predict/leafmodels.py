"""Predictions of a tree whose leaves have models of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.data import Dataset
from treecli.expressions import Expression, values_of
from treecli.model import TreeModel
from treecli.predict.routes import Routes, Routing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, FloatArray
    from treecli.leaves import Leaf

_NUMBERS_AT_ONCE = 1 << 20
"""Limit on the predictions of all models for some rows."""


def leaf_models(model: TreeModel) -> dict[int, Leaf]:
    """Return the leaf model of each node that has one; an empty node without one has that of its source."""
    own, found = model.tree.leaf_models, {}
    for node, source in enumerate(Routes.of(model).source) if own else ():
        leaf = own.get(node, own.get(source))
        if leaf is not None:
            found[node] = leaf
    return found


def expressions(model: TreeModel) -> dict[int, Expression]:
    """Return the expression of each node with a leaf model."""
    expression_of = {id(leaf): leaf.expression() for leaf in model.tree.leaf_models.values()}
    return {node: expression_of[id(leaf)] for node, leaf in leaf_models(model).items()}


class LeafModels:
    """The leaf models of a tree, applied to the rows of a data set."""

    def __init__(self, model: TreeModel, dataset: Dataset, routing: Routing) -> None:
        self._dataset, self._routing = dataset, routing
        self._expressions = expressions(model)

    def fill(self, found: FloatArray, rows: slice, leaf_of_row: CodeArray) -> None:
        """Set the predictions of the rows of a block that reach one node with a model."""
        import numpy as np

        order = np.argsort(leaf_of_row, kind="stable")
        leaves = leaf_of_row[order]
        ends = np.flatnonzero(leaves[1:] != leaves[:-1]) + 1
        for own in np.split(order, ends) if len(order) else ():
            expression = self._expressions.get(int(leaf_of_row[own[0]]))
            if expression is not None:
                found[own, 0] = self._values(expression, rows.start + own)

    def mix(
        self, found: FloatArray, rows: slice, spread: NDArray[np.int64], block: FloatArray, prediction: FloatArray
    ) -> None:
        """Set the predictions of the rows of a block that reach several nodes: the weighted average of theirs."""
        import numpy as np

        from treecli.kernels import route, route_args

        at_once = max(_NUMBERS_AT_ONCE // max(len(self._expressions), 1), 1)
        routing, scale, room = self._routing, np.ones(len(prediction)), self._routing.room(1)
        # Each row has predictions of its own, so that the kernel takes one row at a time.
        own, source = prediction[routing.source].copy(), np.arange(len(prediction), dtype=np.int32)
        nodes, leaves = list(self._expressions), route_args.Leaves(source, scale, own)
        for begin in range(0, len(spread), at_once):
            part = spread[begin : begin + at_once]
            said = np.array([self._values(expression, rows.start + part) for expression in self._expressions.values()])
            for place, row in enumerate(part):
                own[nodes, 0] = said[:, place]
                mixed = found[row : row + 1]
                route.mix_leaves(routing.nodes, block, part[place : place + 1], leaves, room, mixed)

    def _values(self, expression: Expression, rows: NDArray[np.int64]) -> FloatArray:
        return values_of(expression, lambda attribute: self._dataset.columns[attribute][rows], len(rows))
