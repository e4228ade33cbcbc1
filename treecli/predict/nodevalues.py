"""Predictions of the nodes of a tree: class probabilities, or a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.model import Model, TreeModel
from treecli.outcomes.counts import SparseCounts, joined
from treecli.predict.routes import Routing, row_sums
from treecli.tree import MEAN, predicted_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, Column, FloatArray
    from treecli.kernels import route_args

    LongArray = NDArray[np.int64]

NUDGE = 4 * 2.0**-52
"""More than the rounding error of dividing by a sum, and too small to be visible."""


SMALLEST = 2.0**-1022
"""The smallest weight that is divided by."""


def predicted(model: Model, distributions: FloatArray) -> Column:
    """Return the label code for every row: the most probable label, or with costs the one of least expected cost (ties:
    the first); for a numeric target the number.
    """
    import numpy as np

    if not model.schema.is_classification:
        return distributions[:, 0]
    costs = model.costs
    merit = distributions
    if costs is not None:
        # Class by class: the rounding of a matrix product depends on the processor, and ties would as well.
        merit = np.zeros_like(distributions)
        for true, row in enumerate(costs):
            merit -= distributions[:, true, None] * np.array(row)
    codes: CodeArray = merit.argmax(axis=1).astype(np.int32)
    return codes


class NodeValues:
    """The predictions of the nodes of a model; with many classes they are computed for the nodes that are asked for."""

    def __init__(self, model: TreeModel, routing: Routing | None = None) -> None:
        self._model = model
        self._source = (Routing.of(model) if routing is None else routing).source
        self._counts = model.tree.outcomes if isinstance(model.tree.outcomes, SparseCounts) else None
        if self._counts is None:
            self._prediction, self._scale = node_predictions(model)
        self._leaves: route_args.Leaves | None = None

    @property
    def n_values(self) -> int:
        """The number of classes; 1 for a numeric target."""
        return self._model.schema.n_outcomes if self._model.schema.is_classification else 1

    @property
    def numbers(self) -> FloatArray:
        """The prediction of every node for a numeric target, n_nodes × 1; empty nodes have 0."""
        return self._prediction

    def of(self, nodes: CodeArray | LongArray) -> FloatArray:
        """Return the prediction of each of these nodes, as a row; of any node for a number below 0."""
        import numpy as np

        source = np.take(self._source, nodes, mode="clip")
        if self._counts is None:
            return self._prediction[source] / self._scale[source, None]
        prediction, scale = node_predictions(self._model, source)
        return prediction / scale[:, None]

    def of_one(self, node: int) -> FloatArray:
        """Return the prediction of a node."""
        import numpy as np

        found: FloatArray = self.of(np.array([node]))[0]
        return found

    def leaves(self) -> route_args.Leaves:
        """Return the predictions in the form for the kernel that mixes those of several leaves."""
        import numpy as np

        from treecli.kernels import route_args

        if self._counts is None:
            return route_args.Leaves(self._source, self._scale, self._prediction)
        if self._leaves is None:
            # One case more of each class is the same number everywhere, unless priors scale it.
            rest = float(self._model.settings.predicting.laplace and not self._model.tree.class_scale)
            parts, scales = [], []
            for nodes, _ in self._counts.blocks():
                prediction, scale = node_predictions(self._model, np.arange(nodes.start, nodes.stop))
                parts.append(SparseCounts.of_matrix(prediction - rest))
                scales.append(scale)
            found = joined(parts)
            self._leaves = route_args.Leaves(self._source, np.concatenate(scales), np.empty((0, self.n_values)))
            start, code = np.array(found.start, np.int64), np.array(found.code, np.int32)
            self._leaves.keep_sparsely(start, code, np.array(found.weight) + rest, rest)
        return self._leaves

    def labels(self) -> CodeArray | None:
        """Return the label that each node predicts; None where it is simplest to compute distributions."""
        import numpy as np

        counts, tree = self._counts, self._model.tree
        is_shifted = tree.class_scale or self._model.settings.predicting.prior_case
        if counts is None or is_shifted or tree.costs is not None or tree.forced:
            return None
        more = float(self._model.settings.predicting.laplace)
        start = np.array(counts.start, np.int64)
        node = np.repeat(np.arange(len(counts)), np.diff(start))
        weight = np.array(counts.weight)
        whole = np.bincount(node, weight, len(counts)) + more * counts.n_outcomes
        share = (weight + more) / whole[node]
        label = np.zeros(len(counts), np.int32)
        filled = np.flatnonzero(np.diff(start))
        if len(filled):
            largest = np.zeros(len(counts))
            largest[filled] = np.maximum.reduceat(share, start[:-1][filled])
            first = np.flatnonzero(share == largest[node])[::-1]
            label[node[first]] = np.array(counts.code, np.int32)[first]
        return label[self._source]


def node_labels(model: TreeModel) -> Column:
    """Return the label, or the number, that every node predicts."""
    found = NodeValues(model).labels()
    return predicted(model, node_distributions(model)) if found is None else found


def node_distributions(model: TreeModel) -> FloatArray:
    """Return the class probabilities, or the number, of every node, n_nodes × n_classes or n_nodes × 1."""
    prediction, scale = node_predictions(model)
    found: FloatArray = (prediction / scale[:, None])[Routing.of(model).source]
    return found


def node_predictions(model: TreeModel, nodes: CodeArray | LongArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the unnormalized predictions of nodes, n_nodes × n_classes or n_nodes × 1, and their divisors.

    None stands for all nodes.
    """
    import numpy as np

    tree = model.tree
    if isinstance(tree.outcomes, SparseCounts):
        outcomes = tree.outcomes.matrix(np.arange(tree.n_nodes) if nodes is None else nodes)
    else:
        outcomes = np.frombuffer(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes)
        outcomes = outcomes if nodes is None else outcomes[nodes]
    if not model.schema.is_classification:
        return np.ascontiguousarray(outcomes[:, MEAN : MEAN + 1]), np.ones(len(outcomes))
    total = row_sums(outcomes)
    root = np.zeros(1, np.int64) if nodes is None else np.flatnonzero(nodes == 0)
    if (total[root] == 0).any():  # without training cases all classes are equally probable
        outcomes = np.array(outcomes)
        outcomes[root], total[root] = 1.0, tree.n_outcomes
    if model.settings.predicting.laplace:
        outcomes, total = outcomes + 1.0, total + tree.n_outcomes
    if model.settings.predicting.prior_case:
        of_root = np.array(tree.outcomes_of(0).tolist())
        outcomes, total = outcomes + of_root / max(of_root.sum(), SMALLEST), total + 1.0
    if tree.class_scale:
        return _by_priors(model, outcomes * np.array(tree.class_scale), nodes), np.ones(len(outcomes))
    if tree.forced:
        outcomes = np.array(outcomes)
        for place, node in enumerate(range(tree.n_nodes) if nodes is None else nodes.tolist()):
            if node in tree.forced:  # certain, whatever its cases
                outcomes[place], total[place] = 0.0, 1.0
                outcomes[place, tree.forced[node]] = 1.0
    total[~(total > 0)] = 1.0
    return outcomes, total


def _by_priors(model: TreeModel, counts: FloatArray, nodes: CodeArray | LongArray | None) -> FloatArray:
    """Return the class probabilities of nodes, None for all, from counts scaled by priors.

    If labels tie up to rounding, the node's own label wins: equal priors cause many such ties.
    """
    import numpy as np

    total = counts.sum(axis=1, keepdims=True)
    probabilities: FloatArray = counts / np.where(total > 0, total, 1.0)
    if "labels" not in model.derived:
        model.derived["labels"] = np.array(predicted_codes(model.tree))
    labels = model.derived["labels"][slice(None) if nodes is None else nodes]
    for place in np.flatnonzero(predicted(model, probabilities) != labels).tolist():
        nudged = probabilities[place : place + 1].copy()
        nudged[0, labels[place]] += NUDGE
        if predicted(model, nudged)[0] == labels[place]:
            probabilities[place] = nudged[0]
    return probabilities
