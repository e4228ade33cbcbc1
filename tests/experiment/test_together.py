"""Folds grown together: every cell is the one that the same fold gives alone."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from treecli.data import Attribute, Dataset, Schema
from treecli.evaluate.result import Result
from treecli.experiment.folds import Division, Fold, folds_of
from treecli.experiment.run import Wanted, cell_of
from treecli.experiment.together import Together
from treecli.recipe import Recipe

TOGETHER = (
    "",
    "--criterion gain --laplace",
    "--criterion gini --max-depth 2",
    "--criterion error --min-leaf 3",
    "--like id3",
    "--like j48",
    "--like j48 --prune none",
    "--like j48 --no-raise",
    "--like j48 --prune reduced-error",
    "--prune reduced-error --tune-fraction 0.3 --seed 3",
    "--prune pessimistic --confidence 0.4",
    "--threshold datavalue --prune pessimistic",
    "--nominal binary --missing branch",
    "--nominal subset --missing majority --prune pessimistic",
    "--missing stay --prune pessimistic --no-raise",
    "--min-gain 0.05",
)

ONE_BY_ONE = (
    "--forest 3",
    "--like rpart",
    "--like sklearn",
    "--like c45",
    "--like chaid",
    "--like cart",
    "--max-leaves 4",
    "--chi2-alpha 0.05",
    "--prune reduced-error --greedy",
    "--prune cost-complexity --alpha 0.01",
    "--competitors 2",
    "--missing error",
)

EVERYTHING = Wanted(probabilities=True, train=True)


def rows(seed: int, *, n: int = 70, fine: bool = False, weights: str = "ones", unlabelled: float = 0.0) -> Dataset:
    """Noisy rows with missing values; `fine`: numbers that are a few of J48's tolerances apart."""
    random = np.random.default_rng(seed)
    x = np.round(random.normal(size=n), 1)
    z = random.integers(0, 12, n) * 2e-6 + 1.0 if fine else random.integers(0, 4, n) / 2 - 0.5
    a, b = (random.integers(-1, k, n).astype(np.int32) for k in (3, 5))
    y = ((x + a + random.normal(size=n) > 1).astype(np.int32) + (z > 1) * random.integers(0, 2, n)).astype(np.int32)
    x[random.random(n) < 0.1] = nan
    y[random.random(n) < unlabelled] = -1
    schema = Schema(
        (
            Attribute("x", "numeric"),
            Attribute("a", "nominal", ("p", "q", "r")),
            Attribute("z", "numeric"),
            Attribute("b", "nominal", ("k", "l", "m", "n", "o")),
        ),
        Attribute("y", "nominal", ("no", "yes", "perhaps")),
    )
    weight = {"ones": np.ones(n), "whole": random.integers(0, 4, n) + 0.0, "any": random.random(n).round(2)}[weights]
    return Dataset(schema, [x, a, z, b], y, weight, has_weights=weights != "ones")


def numbers(seed: int, *, n: int = 70, fine: bool = False, unlabelled: float = 0.0) -> Dataset:
    """Noisy rows of numbers only, without missing values: packed lists grow their trees."""
    random = np.random.default_rng(seed)
    x, z = np.round(random.normal(size=(2, n)), 1)
    w = random.integers(0, 12, n) * 5e-6 + 1.0 if fine else random.integers(0, 2, n) + 0.0
    y = ((x + z + random.normal(size=n) > 1).astype(np.int32) + (w > 1) * random.integers(0, 2, n)).astype(np.int32)
    y[random.random(n) < unlabelled] = -1
    attributes = tuple(Attribute(name, "numeric") for name in "xzcw")
    schema = Schema(attributes, Attribute("y", "nominal", ("no", "yes", "perhaps")))
    return Dataset(schema, [x, z, np.ones(n), w], y, np.ones(n))


def assert_same(one: Result | None, other: Result | None) -> None:
    assert (one is None) == (other is None)
    if one is None or other is None:
        return
    assert one.predicted.tolist() == other.predicted.tolist()
    assert one.actual.tolist() == other.actual.tolist()
    assert one.weights.tolist() == other.weights.tolist()
    assert (one.n_leaves, one.labels, one.costs) == (other.n_leaves, other.labels, other.costs)
    assert one.probabilities is not None
    assert other.probabilities is not None
    assert one.probabilities.tobytes() == other.probabilities.tobytes()


def assert_same_cells(dataset: Dataset, options: str, folds: list[Fold]) -> None:
    recipe = Recipe.parse(options.split())
    together = Together.of(dataset, recipe)
    assert together is not None
    cells = together.cells(folds, EVERYTHING)
    assert cells is not None
    for cell, fold in zip(cells, folds, strict=True):
        alone = cell_of(dataset, recipe, fold, EVERYTHING)
        assert_same(cell.result, alone.result)
        assert_same(cell.train, alone.train)
        assert cell.rows.tolist() == alone.rows.tolist()
        of_fold = (cell.run, cell.fold, cell.n_train, cell.n_test, cell.warnings)
        assert of_fold == (alone.run, alone.fold, alone.n_train, alone.n_test, alone.warnings)


@pytest.mark.parametrize("options", TOGETHER)
@pytest.mark.parametrize("like", ["random", "weka"])
def test_cells_are_those_of_single_folds(options: str, like: str) -> None:
    dataset = rows(1)
    assert_same_cells(dataset, options, list(folds_of(dataset, Division(4, 2, like, 3), "rows")))


@pytest.mark.parametrize("options", TOGETHER)
@pytest.mark.parametrize("weights", ["whole", "any"])
def test_weights_missing_targets_and_fine_values_do_not_matter(options: str, weights: str) -> None:
    dataset = rows(2, fine=True, weights=weights, unlabelled=0.1)
    assert_same_cells(dataset, options, list(folds_of(dataset, Division(5, 1, "random", 1), "rows")))


@pytest.mark.parametrize("options", TOGETHER)
@pytest.mark.parametrize("like", ["random", "weka"])
def test_cells_of_numbers_are_those_of_single_folds(options: str, like: str) -> None:
    dataset = numbers(1, unlabelled=0.05 if like == "random" else 0.0)
    assert_same_cells(dataset, options, list(folds_of(dataset, Division(4, 2, like, 3), "rows")))


@given(st.integers(0, 10**6), st.sampled_from(TOGETHER), st.booleans())
@settings(max_examples=40, deadline=None)
def test_cells_of_any_numbers_are_those_of_single_folds(seed: int, options: str, fine: bool) -> None:
    dataset = numbers(seed, n=40, fine=fine)
    assert_same_cells(dataset, options, list(folds_of(dataset, Division(3, 1, "random", 0), "rows")))


@given(st.integers(0, 10**6), st.sampled_from(TOGETHER), st.booleans(), st.sampled_from(["ones", "whole", "any"]))
@settings(max_examples=examples(60))
def test_cells_of_any_rows_are_those_of_single_folds(seed: int, options: str, fine: bool, weights: str) -> None:
    dataset = rows(seed, n=40, fine=fine, weights=weights)
    assert_same_cells(dataset, options, list(folds_of(dataset, Division(3, 1, "random", 0), "rows")))


def test_a_row_may_be_drawn_several_times() -> None:
    dataset, random = rows(3), np.random.default_rng(0)
    drawn = [np.sort(random.integers(0, dataset.n_rows, dataset.n_rows)) for _ in range(3)]
    assert_same_cells(
        dataset, "--like j48", [Fold(1, i, own, np.arange(dataset.n_rows)) for i, own in enumerate(drawn, 1)]
    )


@pytest.mark.parametrize("options", ONE_BY_ONE)
def test_other_learners_grow_one_tree_after_the_other(options: str) -> None:
    dataset, recipe = rows(4), Recipe.parse(options.split())
    together = Together.of(dataset, recipe)
    folds = list(folds_of(dataset, Division(3), "rows"))
    assert together is None or together.cells(folds, EVERYTHING) is None


def test_folds_with_an_error_are_left_to_be_met_one_by_one() -> None:
    dataset = rows(5, n=12)
    assert dataset.target is not None
    dataset.target[:] = -1
    together = Together.of(dataset, Recipe.parse([]))
    assert together is not None
    assert together.cells([Fold(1, 1, np.arange(6), np.arange(6, 12))], EVERYTHING) is None
