"""Evaluation of a model on a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.evaluate.metrics import Classification, Regression, classification, regression

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import Model, TreeModel

Measures = Classification | Regression


def measure(model: TreeModel, dataset: Dataset, jobs: int | None = None) -> Measures:
    """The measures of a tree's predictions for rows with a known target."""
    from treecli.predict.predict import predictions

    return measured(model, dataset, predictions(model, dataset, jobs))


def measured(model: Model, dataset: Dataset, predicted: Any) -> Measures:
    """The measures of a model's predictions, given for rows with a known target."""
    target: Any = dataset.target
    if model.schema.is_classification:
        return classification(model.schema.target.labels, target, predicted, dataset.weights)
    return regression(target, predicted, dataset.weights)
