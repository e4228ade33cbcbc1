"""The measures of training rows by the leaves' class weights are those of routed rows."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import LEARNERS
from treecli.data import Dataset
from treecli.errors import UsageError
from treecli.evaluate.counted import measured_by_leaves
from treecli.evaluate.measure import measure
from treecli.intake import ReadOptions, read_training
from treecli.learn import learn
from treecli.recipe import Recipe

SAMPLES = Path(__file__).parents[2] / "sample_data"


def data(name: str) -> Dataset:
    return read_training(str(SAMPLES / name), ReadOptions()).dataset


@pytest.mark.parametrize("words", LEARNERS)
def test_leaves_and_routed_rows_give_equal_measures(words: str) -> None:
    for name in ("iris.csv", "playtennis.csv", "monks-2.arff", "shapes.csv"):
        dataset = data(name)
        weighted = replace(dataset, weights=np.arange(dataset.n_rows) % 3 + 1.0)
        for rows in (dataset, weighted):
            try:
                model = learn(rows, Recipe.parse(shlex.split(words)))
            except UsageError:
                continue
            found = measured_by_leaves(model, rows)
            assert found is not None
            assert found == measure(model, rows)


def test_rows_that_were_held_aside_are_not_in_the_leaves() -> None:
    dataset = data("iris.csv")
    assert measured_by_leaves(learn(dataset, Recipe.parse(["--prune", "reduced-error"])), dataset) is None


def test_fractional_weights_and_rows_without_a_class_are_left_to_routing() -> None:
    dataset = data("iris.csv")
    model = learn(dataset, Recipe.parse([]))
    target = np.array(dataset.target)
    target[0] = -1
    assert measured_by_leaves(model, replace(dataset, weights=np.full(dataset.n_rows, 0.1))) is None
    assert measured_by_leaves(model, replace(dataset, target=target)) is None


def test_a_numeric_target_is_left_to_routing() -> None:
    dataset = data("cpu.csv")
    assert measured_by_leaves(learn(dataset, Recipe.parse([])), dataset) is None


@pytest.mark.parametrize("words", ["--splits linear", "--splits mofn", "--project gaussian:3"])
def test_derived_columns_that_are_always_known_count_in_the_leaves(words: str) -> None:
    dataset = data("iris.csv")
    model = learn(dataset, Recipe.parse(shlex.split(words)))
    found = measured_by_leaves(model, dataset)
    assert model.schema.derived
    assert found is not None
    assert found == measure(model, dataset)


def test_derived_columns_that_may_overflow_are_left_to_routing() -> None:
    dataset = data("iris.csv")
    wide = replace(dataset, columns=[np.asarray(own) * 1e300 for own in dataset.columns])
    model = learn(dataset, Recipe.parse(["--project", "gaussian:3"]))
    assert measured_by_leaves(model, wide) is None
