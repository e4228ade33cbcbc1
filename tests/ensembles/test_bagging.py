"""Trees grown on samples of rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.growing import sample
from treecli.data import Attribute, Dataset, Schema
from treecli.ensembles.bagging import Bagging, drawn_rows, grown_trees
from treecli.ensembles.outofbag import OutOfBag
from treecli.errors import UsageError
from treecli.grow.grow import grow
from treecli.model import ForestModel, TreeModel
from treecli.options.ensembles import AVERAGE
from treecli.settings import Settings

GINI = Settings.of(criterion="gini")


def test_a_tree_on_all_rows_is_the_tree() -> None:
    iris = sample("iris.csv")
    (only,) = grown_trees(iris, GINI, Bagging(1, sample=1.0))
    assert only.tree == grow(iris, GINI)
    assert only.n_drawn.tolist() == [1] * iris.n_rows


def test_a_bootstrap_draws_as_many_rows_as_there_are_with_replacement() -> None:
    n_drawn = drawn_rows(1000, Bagging(1), 0)
    assert n_drawn.sum() == 1000
    # The expected share of rows not drawn is (1 - 1/n)^n, about 0.368; its standard deviation at 1000 rows is 0.01.
    assert abs((n_drawn == 0).mean() - 0.368) < 0.04


@pytest.mark.parametrize(("share", "n_rows", "expected"), [(0.5, 10, 5), (0.25, 10, 3), (1.0, 10, 10)])
def test_a_sample_draws_its_share_of_the_rows_once_each(share: float, n_rows: int, expected: int) -> None:
    n_drawn = drawn_rows(n_rows, Bagging(1, share), 0)
    assert n_drawn.sum() == expected
    assert n_drawn.max() == 1


def test_a_share_that_leaves_no_row_is_refused() -> None:
    with pytest.raises(UsageError, match=r"--sample 0\.01 of 10 rows leaves none"):
        drawn_rows(10, Bagging(1, 0.01), 0)


def test_draws_depend_on_the_seed_and_the_number_of_the_tree_only() -> None:
    assert drawn_rows(50, Bagging(9, seed=3), 2).tolist() == drawn_rows(50, Bagging(5, seed=3), 2).tolist()
    assert drawn_rows(50, Bagging(9, seed=3), 2).tolist() != drawn_rows(50, Bagging(9, seed=3), 1).tolist()
    assert drawn_rows(50, Bagging(9, seed=3), 2).tolist() != drawn_rows(50, Bagging(9, seed=4), 2).tolist()


@pytest.mark.parametrize("jobs", [1, 2])
def test_trees_do_not_depend_on_jobs(jobs: int) -> None:
    iris = sample("iris.csv")
    usual = [found.tree for found in grown_trees(iris, GINI, Bagging(4))]
    assert [found.tree for found in grown_trees(iris, GINI, Bagging(4), jobs=jobs)] == usual


def test_a_tree_is_grown_on_its_rows_by_the_number_of_times_that_they_were_drawn() -> None:
    iris = sample("iris.csv")
    for found in grown_trees(iris, GINI, Bagging(3)):
        repeated = iris.take(np.repeat(np.arange(iris.n_rows), found.n_drawn))
        expected = grow(repeated, GINI)
        assert found.tree.attribute == expected.attribute
        assert found.tree.number == expected.number
        assert found.tree.outcomes == expected.outcomes


@pytest.mark.parametrize("features", ["sqrt", "all"])
def test_a_forest_learns_the_exclusive_or_of_two_of_ten_variables(features: str) -> None:
    """Eight variables are noise, and none gains anything by itself; scikit-learn's out-of-bag accuracy is 0.998."""
    values = np.random.default_rng(1).integers(0, 2, (600, 10))
    columns = [values[:, a].astype(float) for a in range(10)]
    schema = Schema(tuple(Attribute(f"x{a}", "numeric") for a in range(10)), Attribute("y", "nominal", ("0", "1")))
    dataset = Dataset(schema, columns, (values[:, 0] ^ values[:, 1]).astype(np.int32), np.ones(600))
    chosen = Settings.of(criterion="gini", features=features)
    outside = OutOfBag(dataset, ForestModel(schema, chosen, (), (), (), AVERAGE), AVERAGE)
    for found in grown_trees(dataset, chosen, Bagging(200)):
        outside.add(TreeModel(found.schema, chosen, (), found.tree), found.n_drawn)
    error = outside.error()
    assert error is not None
    assert error <= 0.002
