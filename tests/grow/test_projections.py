"""Random projections: their distribution, the lemma's bound, and trees on projected columns."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from tests.growing import assert_same_tree, continuous, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import DataError, UsageError
from treecli.grow.grow import grown
from treecli.grow.projections import columns_of_lemma, features, matrix, projected
from treecli.learn import learn
from treecli.models import decode, encode, predictions
from treecli.options.projections import Projection, projection_of
from treecli.recipe import Recipe
from treecli.settings import Settings

N_DRAWS = 1000


def projected_values(dataset: Dataset, text: str, seed: int = 0) -> np.ndarray:
    """The projected columns of a data set, one row per case."""
    whole, columns = projected(dataset, Settings.of(project=text, seed=seed))
    return np.array([whole.column(index) for index in columns]).T


@pytest.mark.parametrize(
    ("n_points", "distortion", "n_columns"),
    # scikit-learn 1.7's johnson_lindenstrauss_min_dim rounds down: 5920, 331, 1062.
    [(1000, 0.1, 5921), (1000, 0.5, 332), (100, 0.2, 1063), (1, 0.5, 1)],
)
def test_the_lemma_gives_the_number_of_columns(n_points: int, distortion: float, n_columns: int) -> None:
    assert columns_of_lemma(n_points, distortion) == n_columns


@pytest.mark.parametrize("text", ["gaussian:20", "sparse:20", "sparse:20:1", "sparse:20:7.5"])
def test_a_projection_keeps_squared_lengths_on_average(text: str) -> None:
    point = np.random.default_rng(5).normal(size=50)
    chosen = projection_of(text)
    ratios = [np.sum((matrix(chosen, 50, 20, seed) @ point) ** 2) / np.sum(point**2) for seed in range(N_DRAWS)]
    # The variance of a ratio is 2/K with normal coefficients; sparse ones with kurtosis S add at most (S - 3)/K.
    variance = (2 + max(chosen.sparsity - 3, 0)) / 20
    assert abs(np.mean(ratios) - 1) < 4 * sqrt(variance) / sqrt(N_DRAWS)


def test_gaussian_coefficients_are_normal() -> None:
    drawn = matrix(projection_of("gaussian:100"), 1000, 100, 1) * 10
    assert abs(drawn.mean()) < 4 / sqrt(drawn.size)
    assert abs(drawn.var() - 1) < 4 * sqrt(2 / drawn.size)
    assert abs((np.abs(drawn) < 1).mean() - 0.6827) < 4 * sqrt(0.25 / drawn.size)


@pytest.mark.parametrize(("text", "sparsity"), [("sparse:100", 3.0), ("sparse:100:1", 1.0), ("sparse:100:10", 10.0)])
def test_sparse_coefficients_have_three_values(text: str, sparsity: float) -> None:
    drawn = matrix(projection_of(text), 1000, 100, 1)
    size = sqrt(sparsity / 100)
    assert set(np.unique(drawn)) <= {-size, 0.0, size}
    zeros = 1 - 1 / sparsity
    assert abs((drawn == 0).mean() - zeros) <= 4 * sqrt(zeros * (1 - zeros) / drawn.size)
    assert abs((drawn > 0).mean() - 0.5 / sparsity) <= 4 * sqrt(0.25 / drawn.size)


@pytest.mark.parametrize("seed", range(3))
def test_the_lemma_bounds_all_squared_distances(seed: int) -> None:
    n_points, distortion = 100, 0.5
    points = np.random.default_rng(seed + 10).normal(size=(n_points, 2000))
    n_columns = columns_of_lemma(n_points, distortion)
    image = points @ matrix(Projection("jl", None, distortion=distortion), 2000, n_columns, seed).T
    one, other = np.triu_indices(n_points, 1)
    ratio = ((image[one] - image[other]) ** 2).sum(axis=1) / ((points[one] - points[other]) ** 2).sum(axis=1)
    assert 1 - distortion < ratio.min()
    assert ratio.max() < 1 + distortion


def test_columns_are_standardized_in_the_units_of_the_data() -> None:
    dataset = sample("cpu.csv")
    values = np.array(dataset.columns).T
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    expected = standard @ matrix(projection_of("gaussian:3"), 6, 3, 7).T
    np.testing.assert_allclose(projected_values(dataset, "gaussian:3", 7), expected, rtol=1e-8, atol=1e-8)


def test_a_missing_value_counts_as_the_mean_and_a_constant_column_as_nothing() -> None:
    schema = Schema(tuple(Attribute(name, "numeric") for name in "abc"), Attribute("t", "nominal", ("n", "y")))
    a = np.array([1.0, 3.0, np.nan, 100.0])
    columns = [a, np.full(4, 5.0), np.array([0.0, 2.0, 4.0, 8.0])]
    dataset = Dataset(schema, columns, np.array([0, 1, 1, -1], np.int32), np.array([1.0, 1.0, 2.0, 1.0]))
    (feature,) = features(dataset, projection_of("gaussian:1"), 1, 0)
    # The last row has no target: a has the mean 2 and the deviation 1, c (0, 2, 4, 4) 2.5 and the root of 2.75.
    assert [(index, mean) for _, index, mean, _ in feature.terms] == [(0, 2.0), (2, 2.5)]
    assert [scale for *_, scale in feature.terms] == pytest.approx([1.0, sqrt(2.75)])
    filled = replace(dataset, columns=[np.where(np.isnan(a), 2.0, a), *columns[1:]])
    one, other = (replace(own, schema=schema.with_features([feature])) for own in (dataset, filled))
    np.testing.assert_array_equal(one.column(3), other.column(3))


@pytest.mark.parametrize("settings", [Settings.of(criterion="gini"), Settings.of(max_leaves=5, missing="surrogate")])
def test_the_tree_is_that_of_the_projected_data(settings: Settings) -> None:
    dataset = sample("iris.csv")
    tree, schema = grown(dataset, settings.changed(project="gaussian:2"))
    assert [column.name for column in schema.derived] == ["projection 1", "projection 2"]
    assert {index for index in tree.attribute if index >= 0} <= {4, 5}
    columns = list(projected_values(dataset, "gaussian:2").T)
    narrow = replace(dataset, schema=Schema(schema.derived, dataset.schema.target), columns=columns)
    expected, _ = grown(narrow, settings.changed(missing="majority"))
    assert_same_tree(tree, expected.renumbered({0: 4, 1: 5}))


def test_projected_data_are_grown_in_the_fastest_way() -> None:
    remarks: list[str] = []
    grown(sample("iris.csv"), Settings.of(project="sparse:3:2"), on_remark=remarks.append)
    assert remarks == ["grown depth first from packed lists"]


def test_a_model_has_the_same_bytes_after_saving_and_for_reordered_rows_and_trebled_weights() -> None:
    dataset = continuous(300, 6, seed=3, n_classes=3, noise=1.0)
    recipe = Recipe.parse(["--project", "gaussian:3", "--seed", "4", "--max-depth", "3"])

    def written(own: Dataset, **how: int) -> bytes:
        return b"".join(encode(learn(own, recipe, **how)))

    model = written(dataset, jobs=1)
    assert b"".join(encode(decode(model, "m.json"))) == model
    assert written(dataset, jobs=2) == model
    assert written(dataset.take(np.random.default_rng(1).permutation(300))) == model
    trebled = learn(replace(dataset, weights=dataset.weights * 3), recipe)
    assert trebled.schema == learn(dataset, recipe).schema
    other = Recipe.parse(["--project", "gaussian:3", "--seed", "5", "--max-depth", "3"])
    assert learn(dataset, other).schema.derived != learn(dataset, recipe).schema.derived


@pytest.mark.parametrize("method", ["cost-complexity", "pessimistic", "reduced-error"])
def test_projected_trees_are_pruned(method: str) -> None:
    dataset = continuous(400, 5, seed=2, n_classes=2, noise=1.0)
    model = learn(dataset, Recipe.parse(["--project", "sparse:4", "--prune", method]))
    whole = learn(dataset, Recipe.parse(["--project", "sparse:4"]))
    assert 1 < model.tree.n_leaves < whole.tree.n_leaves
    assert (predictions(model, dataset) == dataset.target).mean() > 0.6


def test_more_columns_than_attributes_are_warned_of() -> None:
    dataset, warnings = sample("iris.csv"), list[str]()
    _, schema = grown(dataset, Settings.of(project="gaussian:5"), on_warning=warnings.append)
    assert warnings == ["--project gaussian:5: 5 columns for 4 attributes, which reduces nothing"]
    assert len(schema.derived) == 5


def test_a_lemma_that_reduces_nothing_leaves_the_attributes() -> None:
    dataset, warnings = sample("iris.csv"), list[str]()
    tree, schema = grown(dataset, Settings.of(project="jl:0.5"), on_warning=warnings.append)
    assert warnings == [
        "--project jl:0.5: 241 columns for 4 attributes, which reduces nothing: the tree is grown on the attributes"
    ]
    assert schema == dataset.schema
    assert_same_tree(tree, grown(dataset, Settings.of(missing="majority"))[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gausian:3", "--project: unknown 'gausian' (known: gaussian, sparse, jl)"),
        ("gaussian", "--project: found 'gaussian', expected for example gaussian:10"),
        ("gaussian:0", "expected gaussian:K with K a whole number of 1 or more"),
        ("gaussian:2.5", "expected gaussian:K with K a whole number of 1 or more"),
        ("gaussian:2:3", "expected for example gaussian:10"),
        ("sparse:-1", "expected sparse:K with K a whole number of 1 or more"),
        ("sparse:3:0.5", "expected sparse:K:S with S of 1 or more"),
        ("sparse:3:nan", "expected sparse:K:S with S of 1 or more"),
        ("jl:0", "expected jl:EPS with EPS above 0 and below 1"),
        ("jl:x", "expected jl:EPS with EPS above 0 and below 1"),
        ("jl:1", "expected jl:EPS with EPS above 0 and below 1"),
    ],
)
def test_a_projection_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        Recipe.parse(["--project", text])
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("titanic.csv", [], "'Class', 'Sex', 'Age' are not numeric, and only numbers are projected"),
        ("iris.csv", ["--like", "sklearn"], "derived columns are not rounded to 32 bits"),
    ],
)
def test_a_projection_that_does_not_fit_is_refused(name: str, words: list[str], message: str) -> None:
    dataset = sample(name, weights="Count") if name == "titanic.csv" else sample(name)
    with pytest.raises(UsageError) as error:
        learn(dataset, Recipe.parse(["--project", "gaussian:2", *words]))
    assert message in str(error.value)


def test_infinite_values_and_missing_error_are_refused() -> None:
    dataset = sample("iris.csv")
    columns = [np.where(np.arange(150) == 3, value, dataset.columns[0]) for value in (np.inf, 1e200, np.nan)]
    for column, settings, message in (
        (columns[0], Settings.of(project="gaussian:2"), "'sepallength' has values that are infinite or too large"),
        (columns[1], Settings.of(project="gaussian:2"), "'sepallength' has values that are infinite or too large"),
        (columns[2], Settings.of(project="gaussian:2", missing="error"), "'sepallength' is missing in 1 of 150 rows"),
    ):
        with pytest.raises(DataError) as error:
            grown(replace(dataset, columns=[column, *dataset.columns[1:]]), settings)
        assert message in str(error.value)
