"""Random forests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.growing import sample
from treecli.data import Attribute, Dataset, Schema
from treecli.ensembles.bagging import drawn_rows
from treecli.ensembles.outofbag import bagging_of, out_of_bag
from treecli.ensembles.watch import Watch
from treecli.errors import DataError, UsageError
from treecli.learn import held_aside, learn, learn_any, learn_ensemble
from treecli.model import ForestModel
from treecli.models import encode, predictions
from treecli.predict.predict import distributions
from treecli.predict.predict import predictions as tree_predictions
from treecli.recipe import Recipe


def forest(dataset: Dataset, *options: str, watch: Watch | None = None, jobs: int | None = None) -> ForestModel:
    model = learn_ensemble(dataset, Recipe.parse(["--forest", *options]), watch=watch, jobs=jobs)
    assert isinstance(model, ForestModel)
    return model


def test_the_out_of_bag_error_counts_each_row_by_the_trees_not_grown_on_it() -> None:
    iris = sample("iris.csv")
    model = forest(iris, "7")
    trained = {"command": "train", "rows": 150}
    bagging = bagging_of(replace(model, lineage=(trained, *model.lineage)), iris)
    assert bagging is not None
    votes: list[list[int]] = [[] for _ in range(150)]
    shares = np.zeros((150, 3))
    for number, member in enumerate(model.members()):
        outside = drawn_rows(150, bagging, number) == 0
        shares[outside] += distributions(member, iris)[outside]
        for row in np.flatnonzero(outside).tolist():
            votes[row].append(number)
    voted = [row for row in range(150) if votes[row]]
    expected = float(np.mean(shares[voted].argmax(axis=1) != np.asarray(iris.target)[voted]))
    assert model.lineage[-1]["out_of_bag"] == {"error": pytest.approx(expected), "rows": len(voted)}
    assert out_of_bag(model, iris, bagging).error() == pytest.approx(expected)


def test_the_out_of_bag_error_is_close_to_the_error_on_other_rows() -> None:
    chance = np.random.default_rng(1)
    values = chance.normal(size=(3000, 6))
    target = ((values[:, 0] + values[:, 1] * values[:, 2] + chance.normal(size=3000)) > 0).astype(np.int32)
    schema = Schema(tuple(Attribute(f"x{i}", "numeric") for i in range(6)), Attribute("y", "nominal", ("no", "yes")))
    rows = Dataset(schema, list(values.T), target, np.ones(3000))
    growing, other = held_aside(rows, 0.5, 0)
    model = forest(growing, "40")
    held_out = float(np.mean(predictions(model, other) != other.target))
    # The standard error of either is about sqrt(0.25 * 0.75 / 1500) = 0.011.
    assert abs(model.lineage[-1]["out_of_bag"]["error"] - held_out) < 0.04


def test_a_forest_is_better_than_a_tree_on_noise() -> None:
    """XOR of two attributes among eight of noise: votes of many trees outdo one tree."""
    chance = np.random.default_rng(5)
    values = chance.normal(size=(1200, 10))
    target = ((values[:, 0] > 0) ^ (values[:, 1] > 0)).astype(np.int32)
    schema = Schema(tuple(Attribute(f"x{i}", "numeric") for i in range(10)), Attribute("y", "nominal", ("no", "yes")))
    rows = Dataset(schema, list(values.T), target, np.ones(1200))
    growing, other = held_aside(rows, 0.5, 0)
    tree = learn(growing, Recipe.parse(["--criterion", "gini"]))
    of_tree = float(np.mean(tree_predictions(tree, other) != other.target))
    of_forest = float(np.mean(predictions(forest(growing, "60", "--features", "all"), other) != other.target))
    assert of_forest < of_tree


@pytest.mark.parametrize("options", [["3"], ["3", "--sample", "0.5"], ["3", "--votes", "majority"]])
def test_files_are_the_same_for_a_seed_whatever_the_jobs(options: list[str]) -> None:
    vote = sample("vote.arff")
    files = {b"".join(encode(forest(vote, *options, jobs=jobs))) for jobs in (1, 2, None)}
    assert len(files) == 1
    assert b"".join(encode(forest(vote, *options, "--seed", "1"))) not in files


def test_patience_ends_the_growing_after_trees_without_a_smaller_error() -> None:
    errors: list[float] = []
    model = forest(sample("iris.csv"), "200", "--patience", "5", watch=Watch(on_error=lambda n, e: errors.append(e)))
    assert model.n_trees == len(errors) < 200
    least = errors.index(min(errors))
    assert len(errors) - 1 - least == 5
    assert model.lineage[-1]["ended_by"] == "patience"


class Interrupt:
    """Interrupts after some trees."""

    def __init__(self, after: int) -> None:
        self._after = after

    def __call__(self, n_trees: int, error: float) -> None:
        if n_trees == self._after:
            raise KeyboardInterrupt


def test_an_interrupt_keeps_the_trees_so_far_if_asked_to() -> None:
    iris = sample("iris.csv")
    model = forest(iris, "50", watch=Watch(on_error=Interrupt(4), keeps_partial=True))
    assert model.n_trees == 4
    assert model.lineage[-1]["ended_by"] == "interrupt"
    assert model.lineage[-1]["asked"] == 50
    assert model.trees == forest(iris, "4").trees


def test_an_interrupt_otherwise_ends_all() -> None:
    with pytest.raises(KeyboardInterrupt):
        forest(sample("iris.csv"), "50", watch=Watch(on_error=Interrupt(4)))


def test_all_rows_leave_none_out_of_bag() -> None:
    model = forest(sample("iris.csv"), "2", "--sample", "1")
    assert model.lineage[-1]["out_of_bag"] == {"error": None, "rows": 0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["3", "--features", "9"], "--features 9: there are only 4 attributes"),
        (["3", "--boost", "3"], "--forest and --boost exclude each other"),
        (["3", "--prune", "mdl"], "--prune: the trees of a forest are not pruned"),
        (["3", "--winnow"], "--forest: --winnow is for a single tree"),
        (["3", "--competitors", "2"], "--forest: competitors are recorded for a single tree only"),
        (["3", "--sample", "1", "--patience", "2"], "--patience needs rows that a tree was not grown on"),
        (["3", "--sample", "0"], "--sample: found '0', expected a number above 0"),
        (["0"], "--forest: found '0', expected a whole number of 1 or more"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        forest(sample("iris.csv"), *options)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("option", ["--sample 0.5", "--patience 3", "--votes majority"])
def test_options_of_forests_need_a_forest(option: str) -> None:
    with pytest.raises(UsageError, match="goes with --forest"):
        Recipe.parse(option.split())


@pytest.mark.parametrize("flag", ["--forest", "--boost"])
def test_one_class_is_refused(flag: str) -> None:
    iris = sample("iris.csv")
    setosa = iris.take(np.flatnonzero(np.asarray(iris.target) == 0))
    with pytest.raises(DataError, match="'class' has only the class 'Iris-setosa', expected two or more"):
        learn_ensemble(setosa, Recipe.parse([flag, "3"]))


@pytest.mark.parametrize("options", [["--forest", "3"], ["--boost", "3"], ["--like", "c50", "--boost", "3"]])
def test_a_fold_may_have_rows_of_one_class(options: list[str]) -> None:
    iris = sample("iris.csv")
    setosa = iris.take(np.flatnonzero(np.asarray(iris.target) == 0))
    model = learn_any(setosa, Recipe.parse(options))
    assert set(predictions(model, iris).tolist()) == {0}
