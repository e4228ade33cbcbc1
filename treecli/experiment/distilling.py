"""One tree that imitates a model: grown on the model's predictions, and measured beside a tree of the same recipe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treecli import models
from treecli.learn import learn

if TYPE_CHECKING:
    from treecli.data import Column, Dataset
    from treecli.model import Model, TreeModel
    from treecli.recipe import Recipe

SMEARED = 0.25
"""The share of the values of a generated row that come from other rows (Breiman and Shang 1996)."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How well a model predicts the target, and how well it imitates another; None without a target.

    Nominal target: shares of equal predictions. Numeric target: `accuracy` is the root mean squared error, `fidelity`
    the share of explained variance.
    """

    name: str
    leaves: int | None
    accuracy: float | None
    fidelity: float | None


def imitated(model: Model, dataset: Dataset, recipe: Recipe, n_generated: int, jobs: int | None = None) -> TreeModel:
    """Return the tree that the recipe grows on the model's predictions for the rows, and for generated ones."""
    rows = _bare(dataset)
    if n_generated:
        rows = _joined(rows, generated(rows, n_generated, recipe.settings.computing.seed))
    rows = replace(rows, target=models.predictions(model, replace(rows, schema=model.schema), jobs))
    return learn(rows, recipe, jobs=jobs)


def plain(dataset: Dataset, recipe: Recipe, jobs: int | None = None) -> TreeModel:
    """Return the tree that the recipe grows on the target itself."""
    return learn(_bare(dataset), recipe, jobs=jobs)


def generated(dataset: Dataset, n_rows: int, seed: int) -> Dataset:
    """Return rows like those of the data: each is a row with some of its values taken from other rows."""
    import numpy as np

    chance = np.random.default_rng(seed)
    shares = dataset.weights / dataset.weights.sum()
    base = chance.choice(dataset.n_rows, n_rows, p=shares)
    columns: list[Column] = []
    for column in dataset.columns:
        other = chance.choice(dataset.n_rows, n_rows, p=shares)
        columns.append(column[np.where(chance.random(n_rows) < SMEARED, other, base)])
    return replace(dataset, columns=columns, target=None, weights=np.full(n_rows, float(dataset.weights.mean())))


def quality(name: str, model: Model, original: Column, dataset: Dataset, jobs: int | None = None) -> Quality:
    """Return the accuracy of a model on rows, and its agreement with the `original` model's predictions for them."""
    import numpy as np

    rows = replace(dataset, schema=replace(model.schema, target=dataset.schema.target))
    found = models.predictions(model, rows, jobs)
    weights = dataset.weights
    target: Any = dataset.target
    if model.schema.is_classification:
        known = None if target is None else target >= 0
        accuracy = None if known is None else _share(found[known] == target[known], weights[known])
        return Quality(name, models.n_leaves(model), accuracy, _share(found == original, weights))
    known = None if target is None else target == target
    accuracy = None
    if known is not None and known.any():
        accuracy = float(np.sqrt(np.average((found[known] - target[known]) ** 2, weights=weights[known])))
    spread = float(np.average((original - np.average(original, weights=weights)) ** 2, weights=weights))
    missed = float(np.average((found - original) ** 2, weights=weights))
    return Quality(name, models.n_leaves(model), accuracy, 1 - missed / spread if spread > 0 else None)


def _share(is_equal: Any, weights: Any) -> float | None:
    total = float(weights.sum())
    return float(weights[is_equal].sum()) / total if total > 0 else None


def _bare(dataset: Dataset) -> Dataset:
    """Return the rows without the columns that the model derived."""
    return replace(dataset, schema=replace(dataset.schema, derived=()))


def _joined(rows: Dataset, more: Dataset) -> Dataset:
    import numpy as np

    columns: list[Any] = [np.concatenate(both) for both in zip(rows.columns, more.columns, strict=True)]
    return replace(rows, columns=columns, target=None, weights=np.concatenate([rows.weights, more.weights]))
