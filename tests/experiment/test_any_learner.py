"""Searches, derived columns and model trees in every kind of experiment: the trees are those of `train`."""

from __future__ import annotations

from pathlib import Path

import pytest

from treecli import measures
from treecli.data import Dataset
from treecli.experiment.curve import by_complexity, by_size, samples
from treecli.experiment.folds import Division, folds_of
from treecli.experiment.run import Wanted, validated
from treecli.experiment.samples import drawn
from treecli.experiment.stability import stability
from treecli.intake import ReadOptions, read_training
from treecli.learn import learn
from treecli.models import result_of
from treecli.recipe import Recipe

SAMPLES = Path(__file__).parents[2] / "sample_data"

LEARNERS = {
    "m5p": "--like m5p",
    "linear leaves": "--leaf-model linear --min-leaf 5",
    "mofn": "--splits mofn",
    "linear": "--splits linear --max-depth 3",
    "optimal": "--search optimal:2",
    "skewing": "--search skewing",
    "skewing-sequential": "--search skewing-sequential",
    "lookahead": "--search lookahead:1",
    "project": "--project gaussian:2",
    "winnow": "--winnow",
}


def given(name: str) -> tuple[Dataset, Recipe, str]:
    recipe = Recipe.parse(LEARNERS[name].split())
    is_numeric = recipe.settings.predicting.has_models
    path = str(SAMPLES / ("cpu.csv" if is_numeric else "iris.csv"))
    return read_training(path, ReadOptions()).dataset, recipe, "rmse" if is_numeric else "accuracy"


@pytest.mark.parametrize("name", LEARNERS)
def test_folds_have_the_figures_of_a_tree_of_their_own(name: str) -> None:
    dataset, recipe, measure = given(name)
    folds = folds_of(dataset, Division(4, 1, "random", 2), name)
    for cell, fold in zip(validated(dataset, recipe, folds, wanted=Wanted(train=True), jobs=1), folds, strict=True):
        model = learn(dataset.take(fold.train), recipe)
        assert cell.result is not None
        assert cell.train is not None
        assert cell.result.n_leaves == model.tree.n_leaves
        for result, rows in ((cell.result, fold.test), (cell.train, fold.train)):
            assert measures.value(measure, result) == measures.value(measure, result_of(model, dataset.take(rows)))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_point_of_a_learning_curve_is_a_tree_of_the_sample(name: str) -> None:
    dataset, recipe, measure = given(name)
    (point,) = by_size(dataset, recipe, [60], 1, measure, jobs=1)
    (fold,) = samples(dataset, [60], 1, recipe.settings.computing.seed)
    model = learn(dataset.take(fold.train), recipe)
    figures = [measures.value(measure, result_of(model, dataset.take(rows))) for rows in (fold.train, fold.test)]
    assert [point.train, point.test, point.leaves] == [*figures, model.tree.n_leaves]


@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in ("m5p", "linear leaves")])
@pytest.mark.parametrize("by", ["leaves", "depth"])
def test_the_last_point_of_a_path_is_the_whole_tree(name: str, by: str) -> None:
    dataset, recipe, measure = given(name)
    folds = folds_of(dataset, Division(2), name)
    last = by_complexity(dataset, recipe, folds, by, measure, jobs=1)[-1]
    trees = [learn(dataset.take(fold.train), recipe) for fold in folds]
    assert last.leaves == sum(model.tree.n_leaves for model in trees) / 2


@pytest.mark.parametrize("name", LEARNERS)
def test_the_samples_of_stability_have_trees_of_their_own(name: str) -> None:
    dataset, recipe, _ = given(name)
    rows = drawn(dataset, 2, 1, None)
    found = stability(dataset, recipe, rows, jobs=1)
    for shape, own in zip(found.samples, rows, strict=True):
        model = learn(dataset.take(own), recipe)
        assert shape.leaves == model.tree.n_leaves
        assert sum(shape.uses.values()) == model.tree.n_nodes - model.tree.n_leaves
