"""A learner on folds: the models are those of `train`, whatever the number of processes."""

from __future__ import annotations

import numpy as np
import pytest

from treecli import models
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.experiment.folds import Division, folds_of
from treecli.experiment.run import Wanted, ran, validated
from treecli.learn import learn
from treecli.recipe import Recipe

OPTIONS = {
    "j48": ["--like", "j48"],
    "reduced error": ["--like", "j48", "--prune", "reduced-error"],
    "rpart": ["--like", "rpart"],
    "gini": ["--criterion", "gini"],
}


def some_rows(n: int = 90, *, is_classification: bool = True) -> Dataset:
    random = np.random.default_rng(5)
    x, z = np.round(random.normal(size=n), 1), random.integers(-1, 3, n).astype(np.int32)
    target = Attribute("y", "nominal", ("no", "yes", "perhaps")) if is_classification else Attribute("y", "numeric")
    codes = (x + z + random.normal(size=n) > 1).astype(np.int32) + (z == 2)
    schema = Schema((Attribute("x", "numeric"), Attribute("z", "nominal", ("a", "b", "c"))), target)
    return Dataset(schema, [x, z], codes.astype(np.int32 if is_classification else np.float64), np.ones(n))


@pytest.mark.parametrize("name", sorted(OPTIONS))
@pytest.mark.parametrize("like", ["random", "weka"])
def test_each_cell_is_the_result_of_a_model_trained_on_the_same_rows(name: str, like: str) -> None:
    dataset, recipe = some_rows(), Recipe.parse(OPTIONS[name])
    folds = folds_of(dataset, Division(5, 2, like, 3), "rows")
    cells = validated(dataset, recipe, folds, wanted=Wanted(probabilities=True, train=True), jobs=1)
    assert [(cell.run, cell.fold) for cell in cells] == [(run, fold) for run in (1, 2) for fold in range(1, 6)]
    for cell, fold in zip(cells, folds, strict=True):
        model = learn(dataset.take(fold.train), recipe)
        expected = models.result_of(model, dataset.take(fold.test))
        assert cell.result is not None
        assert cell.train is not None
        assert cell.rows.tolist() == fold.test.tolist()
        assert cell.result.predicted.tolist() == expected.predicted.tolist()
        assert cell.result.probabilities is not None
        assert expected.probabilities is not None
        assert cell.result.probabilities.tobytes() == expected.probabilities.tobytes()
        assert cell.result.n_leaves == model.tree.n_leaves
        assert cell.train.predicted.tolist() == models.predictions(model, dataset.take(fold.train)).tolist()
        assert (cell.n_train, cell.n_test) == (len(fold.train), len(fold.test))


@pytest.mark.parametrize("is_classification", [True, False])
def test_the_number_of_jobs_does_not_matter(is_classification: bool) -> None:
    dataset, recipe = some_rows(is_classification=is_classification), Recipe.parse([])
    folds = folds_of(dataset, Division(10, 2), "rows")
    alone, shared = (validated(dataset, recipe, folds, jobs=jobs) for jobs in (1, 2))
    for one, other in zip(alone, shared, strict=True):
        assert one.result is not None
        assert other.result is not None
        assert (one.run, one.fold, one.rows.tolist()) == (other.run, other.fold, other.rows.tolist())
        assert one.result.predicted.tobytes() == other.result.predicted.tobytes()
        assert one.result.n_leaves == other.result.n_leaves


def test_rows_without_a_target_are_not_tested() -> None:
    dataset = some_rows()
    assert dataset.target is not None
    dataset.target[::7] = -1
    cells = validated(dataset, Recipe.parse(["--like", "j48"]), folds_of(dataset, Division(3), "rows"), jobs=1)
    assert sorted(row for cell in cells for row in cell.rows.tolist()) == [row for row in range(90) if row % 7]


def test_an_error_is_yielded_in_its_place_and_the_other_tasks_go_on() -> None:
    dataset, good, bad = some_rows(), Recipe.parse([]), Recipe.parse(["--criterion", "variance"])
    folds = folds_of(dataset, Division(10), "rows")
    tasks = [(learner, fold) for learner in (0, 1, 0) for fold in range(10)]
    for jobs in (1, 2):
        found = list(ran([(dataset, good), (dataset, bad)], tasks, [folds, folds], jobs=jobs))
        assert [isinstance(cell, UsageError) for cell in found] == [learner == 1 for learner, _ in tasks]
    with pytest.raises(UsageError, match="variance"):
        validated(dataset, bad, folds, jobs=2)
