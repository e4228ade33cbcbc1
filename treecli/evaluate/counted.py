"""The measures of a tree on its own training rows, from the class weights of its leaves."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

from treecli.evaluate.confusion import Confusion
from treecli.evaluate.metrics import Classification, of_confusion
from treecli.expressions import greatest_of
from treecli.outcomes.counts import SparseCounts

if TYPE_CHECKING:
    from treecli.data import Dataset, Schema
    from treecli.model import TreeModel

MOST = 1e300
"""Bounds of derived columns up to this one leave room for rounding below the greatest double."""


def measured_by_leaves(model: TreeModel, dataset: Dataset) -> Classification | None:
    """Return the measures of the predictions for the rows that a tree was grown from, without routing them.

    Every value of an attribute must be known: then each row counts in one leaf, the one that predicts for it. None if
    rounding might make a difference, or if the leaves do not have all rows: some were held aside, or have no target.
    """
    import numpy as np

    from treecli.predict.nodevalues import node_predictions, predicted

    tree, schema, weights = model.tree, model.schema, dataset.weights
    assert dataset.target is not None
    if not schema.is_classification or tree.forced or isinstance(tree.outcomes, SparseCounts):
        return None
    if schema.derived and not _are_derived_known(dataset, schema):
        return None
    target, n_labels = cast("np.ndarray", dataset.target), tree.n_outcomes
    if dataset.n_rows == 0 or target.min() < 0 or not (weights == np.floor(weights)).all():
        return None
    outcomes = np.frombuffer(tree.outcomes).reshape(tree.n_nodes, n_labels)
    if not np.array_equal(outcomes[0], np.bincount(target, weights, n_labels)):
        return None
    leaves = np.flatnonzero((np.frombuffer(tree.first_child, np.int32) == 0) & outcomes.any(axis=1))
    prediction, scale = node_predictions(model, leaves)
    label_of_leaf = predicted(model, prediction / scale[:, None])
    counts = np.zeros((n_labels + 1, n_labels))
    for label in range(n_labels):
        counts[label] = np.bincount(label_of_leaf, outcomes[leaves, label], n_labels)
    return of_confusion(schema.target.labels, Confusion.of_matrix(counts))


def _are_derived_known(dataset: Dataset, schema: Schema) -> bool:
    """Whether no derived column can be missing in a row whose attributes are known."""
    import numpy as np

    @cache
    def greatest(attribute: int) -> float:
        return float(np.abs(dataset.columns[attribute]).max())

    return all(greatest_of(own.feature.expression(), greatest) < MOST for own in schema.derived)
