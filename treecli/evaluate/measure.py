"""How good a model is on a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.evaluate.metrics import Classification, Regression, classification, regression

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel

Measures = Classification | Regression


def measure(model: TreeModel, dataset: Dataset, jobs: int | None = None) -> Measures:
    """The measures of what a model predicts for rows whose target is known."""
    from treecli.predict.predict import predictions

    target: Any = dataset.target
    said: Any = predictions(model, dataset, jobs)
    if model.schema.is_classification:
        return classification(model.schema.target.labels, target, said, dataset.weights)
    return regression(target, said, dataset.weights)
