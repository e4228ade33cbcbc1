"""The folds of a learner, trained, pruned and tested together, with the same cells as one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from treecli.errors import TreecliError

if TYPE_CHECKING:
    from treecli.data import Dataset, FloatArray
    from treecli.evaluate.folds import Rows
    from treecli.evaluate.result import Result
    from treecli.experiment.folds import Fold
    from treecli.experiment.run import Cell, Wanted
    from treecli.grow.grove import Grove, Sample
    from treecli.model import TreeModel
    from treecli.recipe import Recipe
    from treecli.tree import Tree

    Prune = Callable[[TreeModel, Any, Dataset, Sequence[Rows]], Tree | None]

MOST_CASES = 1 << 14
"""The cases of the trees that are grown at a time: enough to share Python's time, and few enough for the cache."""


class Together:
    """A learner whose trees of several folds can be grown together on a data set."""

    def __init__(self, dataset: Dataset, recipe: Recipe, grove: Grove, prune: Prune | None) -> None:
        self._dataset = dataset
        self._recipe = recipe
        self._grove = grove
        self._prune = prune

    @classmethod
    def of(cls, dataset: Dataset, recipe: Recipe) -> Together | None:
        """Return the learner, prepared; None if its trees must be grown one by one."""
        from dataclasses import replace

        from treecli.criteria import criterion_for
        from treecli.grow.grove import Grove
        from treecli.pruners import pruner

        if recipe.ensemble is not None:
            return None
        prune: Prune | None = None
        if recipe.method is not None:
            prune = getattr(pruner(recipe.method), "prune_grove", None)
            if prune is None or recipe.settings.inputs.monotone is not None:
                return None
        settings = recipe.settings
        try:
            name, _ = criterion_for(settings, dataset.schema)
        except TreecliError:
            return None  # each fold meets the error itself
        if settings.splitting.criterion != name:
            settings = settings.changed(criterion=name)
        grove = Grove.of(dataset, settings)
        return None if grove is None else cls(dataset, replace(recipe, settings=settings), grove, prune)

    def n_folds_at_once(self) -> int:
        """Return the number of folds to be given at a time."""
        return max(MOST_CASES // max(self._dataset.n_rows, 1), 1)

    def cells(self, folds: Sequence[Fold], wanted: Wanted) -> list[Cell] | None:
        """Return the cells of the folds; None if they must be made one by one."""
        from treecli.experiment.run import Cell, labelled_rows

        begun = perf_counter()
        try:
            model = self._model([fold.train for fold in folds])
        except TreecliError:
            return None  # the fold that has it meets the error itself
        if model is None:
            return None
        from treecli.predict.grove import leaves_of_samples

        weights, n_leaves = self._dataset.weights, leaves_of_samples(model.tree)
        tested = [labelled_rows(self._dataset, fold.test) for fold in folds]
        results = self._results(model, tested, n_leaves, wanted.probabilities)
        trained: list[Result | None] = [None] * len(folds)
        if wanted.train:
            own = [labelled_rows(self._dataset, fold.train) for fold in folds]
            trained = self._results(model, own, n_leaves, wanted.probabilities)
        seconds = (perf_counter() - begun) / len(folds)
        return [
            Cell(
                fold.run,
                fold.fold,
                rows,
                result,
                float(weights[fold.train].sum()),
                float(weights[rows].sum()),
                seconds,
                (),
                on_train,
            )
            for fold, rows, result, on_train in zip(folds, tested, results, trained, strict=True)
        ]

    def _model(self, rows: Sequence[Rows]) -> TreeModel | None:
        """Return the grove of the pruned trees of these training rows."""
        from dataclasses import replace

        from treecli.grow.grove import Sample
        from treecli.model import TreeModel
        from treecli.predict.grove import schema_of_grove
        from treecli.pruners import pruner

        recipe, dataset = self._recipe, self._dataset
        given, for_pruning = [Sample(own) for own in rows], rows
        if recipe.method is not None and pruner(recipe.method).DATA == "needed":
            drawn = [self._with_tuning_rows(own) for own in rows]
            given, for_pruning = [sample for sample, _ in drawn], [tuning for _, tuning in drawn]
        tree = self._grove.grown(given)
        if tree is None:
            return None
        model = TreeModel(schema_of_grove(dataset.schema, len(rows)), recipe.settings, (), tree)
        if self._prune is None:
            return model
        pruned = self._prune(model, recipe.options, dataset, for_pruning)
        return None if pruned is None else replace(model, tree=pruned)

    def _with_tuning_rows(self, rows: Rows) -> tuple[Sample, Rows]:
        """Return the sample to grow from, and the rows to prune with."""
        import numpy as np

        from treecli.grow.grove import Sample
        from treecli.learn import tuning_places

        assert self._dataset.target is not None
        staying, aside = tuning_places(self._dataset.target[rows], self._recipe)
        if staying is not None:
            return Sample(rows[staying]), rows[aside]
        is_aside = np.zeros(len(rows), bool)
        is_aside[aside] = True
        return Sample(rows, is_aside), rows[aside]

    def _results(
        self, model: TreeModel, rows: Sequence[Rows], n_leaves: Sequence[int], with_probabilities: bool
    ) -> list[Result | None]:
        """Return the predictions of each tree for its rows; None where no row has a weight."""
        from itertools import pairwise

        import numpy as np

        from treecli.evaluate.result import Result
        from treecli.predict.grove import rows_for_grove
        from treecli.predict.nodevalues import predicted
        from treecli.predict.predict import distributions, predictions

        given = rows_for_grove(self._dataset, model.schema, rows)
        probabilities: FloatArray | None = None
        if with_probabilities:
            probabilities = distributions(model, given, 1)
            found = predicted(model, probabilities)
        else:
            found = predictions(model, given, 1)
        assert given.target is not None
        labels, costs = model.schema.target.labels, model.settings.predicting.costs
        bounds = np.cumsum([0, *map(len, rows)]).tolist()
        results: list[Result | None] = []
        for leaves, (begin, end) in zip(n_leaves, pairwise(bounds), strict=True):
            weights = given.weights[begin:end]
            own = None if probabilities is None else probabilities[begin:end]
            known = given.target[begin:end], found[begin:end]
            results.append(Result(labels, *known, own, weights, leaves, costs) if weights.any() else None)
        return results
