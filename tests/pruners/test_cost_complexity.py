from __future__ import annotations

from dataclasses import replace
from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import example_models
from tests.example_models import Inner, model_of
from tests.growing import continuous, model_from
from tests.pruners.tuning import absolute_error, tuning_data, tuning_error
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import DataError, UsageError
from treecli.evaluate.folds import stratified
from treecli.model import TreeModel
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions
from treecli.pruners._path import Validation, cross_validated, held_out, path_of
from treecli.pruners.cost_complexity import Options, prune
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.tree import MEAN, Tree

SCHEMA = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("+", "-")))


def two(low: Inner | example_models.Leaf, high: Inner | example_models.Leaf) -> Inner:
    return Inner(threshold.Split(0, 0.0), (low, high))


def example() -> TreeModel:
    """100 cases in 5 leaves, 12 of them wrong; test_nested works out the path: 0.025, 0.03 and 0.2 a leaf."""
    return model_of(SCHEMA, two(two((45.0, 2.0), (5.0, 8.0)), two(two((7.0, 2.0), (1.0, 4.0)), (2.0, 24.0))))


def pruned(model: TreeModel, dataset: Dataset | None = None, **options: Any) -> Tree:
    return prune(model, Options(**options), dataset)


@pytest.mark.parametrize(
    ("options", "n_leaves"),
    [
        ({"alpha": 0.0}, 5),
        ({"alpha": 0.0249}, 5),
        ({"alpha": 0.025}, 3),
        ({"alpha": 0.03}, 2),
        ({"alpha": 0.19}, 2),
        ({"alpha": 0.2}, 1),
        ({"alpha": 9.0}, 1),
        # The root alone is wrong about 0.4 of all cases.
        ({"cp": 0.0624}, 5),
        ({"cp": 0.0625}, 3),
        ({"cp": 0.075}, 2),
        ({"cp": 0.5}, 1),
        ({"leaves": 9}, 5),
        ({"leaves": 5}, 5),
        ({"leaves": 4}, 3),  # no tree of the path has 4
        ({"leaves": 2}, 2),
        ({"leaves": 1}, 1),
    ],
)
def test_a_price_or_a_size_chooses_a_tree_of_the_path(options: dict[str, float], n_leaves: int) -> None:
    assert pruned(example(), **options).n_leaves == n_leaves


def test_errors_are_shares_of_the_training_cases() -> None:
    path = path_of(example())
    assert path.n_leaves == [5, 3, 2, 1]
    assert path.n_splits == [4, 2, 1, 0]
    assert path.alpha == pytest.approx([0, 0.025, 0.03, 0.2])
    assert path.error == path.risk == pytest.approx([0.12, 0.17, 0.2, 0.4])


def test_a_numeric_target_is_pruned_by_squared_error() -> None:
    # Deviances: root 10, 14, 20, 20, 33, 27 about 20.667: 351.333; area above 60: 20, 20, 33, 27 about 25: 118, by
    # district 18; area up to 60: 8. The district split has 3 branches and saves 100 for 2 leaves: 50 each; area then
    # saves 351.333 - 126 = 225.333 for one leaf. All for 6 cases.
    path = path_of(example_models.regression())
    assert path.n_leaves == [4, 2, 1]
    assert path.alpha == pytest.approx([0, 50 / 6, 225.333333 / 6])
    assert path.error == pytest.approx([26 / 6, 126 / 6, 351.333333 / 6])
    assert pruned(example_models.regression(), leaves=3).n_leaves == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -0.1}, r"--alpha -0\.1: expected a number of 0 or more"),
        ({"alpha": nan}, "--alpha nan: expected a number"),
        ({"cp": inf}, "--cp inf: expected a number"),
        ({"leaves": 0}, "--leaves 0: expected a number of 1 or more"),
        ({"folds": 1}, "--folds 1: expected 2 or more"),
        ({"alpha": 0.1, "leaves": 3}, "--alpha and --leaves each choose a tree"),
        ({"cp": 0.1, "folds": 10}, "--cp and --folds each choose a tree"),
        ({"leaves": 3, "one_se": True}, "--one-se needs cross-validation, but --leaves chooses the tree"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Options(**options)


@pytest.mark.parametrize("options", [{}, {"folds": 10}, {"one_se": True}])
def test_without_a_price_a_size_or_data_nothing_chooses_a_tree(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="needs a price per leaf, a number of leaves, or data to choose by"):
        pruned(example(), **options)


@given(st.data(), st.booleans())
def test_the_error_on_other_data_is_the_sum_case_by_case(data: st.DataObject, is_class: bool) -> None:
    model = data.draw(example_models.models(is_class))
    dataset = data.draw(tuning_data(model).filter(lambda rows: rows.n_rows > 0))
    path = path_of(model)
    errors = held_out(model, path, dataset)
    scale = max(
        tuning_error(replace(model, tree=path.pruned(model.tree, stage)), dataset) for stage in range(len(path))
    )
    spread = np.abs(np.array(dataset.target) - model.tree.outcomes_of(0)[MEAN]).max() ** 2 if not is_class else 0.0
    for stage, error in enumerate(errors):
        smaller = replace(model, tree=path.pruned(model.tree, stage))
        expected = tuning_error(smaller, dataset) / dataset.weights.sum()
        assert error == pytest.approx(expected, rel=1e-6, abs=1e-9 * (1 + scale + spread))


@given(st.data())
def test_the_error_of_medians_on_other_data_is_the_absolute_one(data: st.DataObject) -> None:
    model = data.draw(example_models.models(is_classification=False))
    model = replace(model, settings=Settings.of(criterion="absolute"))
    dataset = data.draw(tuning_data(model).filter(lambda rows: rows.n_rows > 0))
    path = path_of(model)
    errors = held_out(model, path, dataset)
    for stage, error in enumerate(errors):
        tree = path.pruned(model.tree, stage)
        expected = absolute_error(replace(model, tree=tree), dataset) / dataset.weights.sum()
        assert error == pytest.approx(expected, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("n_classes", [3, None])
@pytest.mark.parametrize("has_weights", [False, True])
def test_cross_validation_is_growing_pruning_and_predicting_fold_by_fold(
    n_classes: int | None, has_weights: bool
) -> None:
    dataset = continuous(120, 3, seed=5, n_classes=n_classes, noise=0.4)
    if has_weights:
        weights = np.random.default_rng(1).integers(1, 4, 120).astype(np.float64)
        dataset = replace(dataset, weights=weights, has_weights=True)
    settings = Settings.of(criterion="gini" if n_classes else "variance", min_leaf=2.0, seed=3)
    model = model_from(dataset, settings)
    path = path_of(model)
    found = cross_validated(model, path, dataset, 4)
    assert dataset.target is not None
    folds = [
        (model_from(dataset.take(outside), settings), inside, dataset.take(inside))
        for outside, inside in stratified(dataset.target, 4, seed=3)
    ]
    following = [*path.alpha[1:], inf]
    for stage, alpha in enumerate(path.alpha):
        price = sqrt(alpha * following[stage]) if following[stage] < inf else 1e9
        losses = np.empty(120)
        for grown, inside, held in folds:
            smaller = replace(grown, tree=pruned(grown, alpha=price))
            said = predicted(smaller, distributions(smaller, held))
            losses[inside] = said != held.target if n_classes else (said - held.target) ** 2
        weight = dataset.weights.sum()
        mean = dataset.weights @ losses / weight
        # Breiman's and rpart's standard error: of the mean of all held-out losses.
        spread = sqrt((dataset.weights @ losses**2 - weight * mean**2) / weight**2)
        assert found.error[stage] == pytest.approx(mean)
        assert found.standard_error[stage] == pytest.approx(spread)


def test_cross_validation_is_the_same_with_any_number_of_threads() -> None:
    dataset = continuous(150, 3, seed=4, n_classes=3, noise=0.5)
    model = model_from(dataset, Settings.of(criterion="gini"))
    path = path_of(model)
    assert cross_validated(model, path, dataset, 7, jobs=3) == cross_validated(model, path, dataset, 7, jobs=1)


def test_for_wrong_labels_the_standard_error_is_that_of_a_share() -> None:
    dataset = continuous(100, 2, seed=2, n_classes=2, noise=0.5)
    model = model_from(dataset, Settings.of(criterion="gini"))
    found = cross_validated(model, path_of(model), dataset, 10)
    assert found.standard_error == pytest.approx([sqrt(p * (1 - p) / 100) for p in found.error])


@pytest.mark.parametrize(
    ("one_se", "best"),
    [
        (False, 2),  # the smallest of the two with 0.2
        (True, 3),  # 0.23 is within 0.2 + 0.04, 0.3 is not
    ],
)
def test_the_least_error_or_the_smallest_tree_within_a_standard_error_of_it_is_chosen(one_se: bool, best: int) -> None:
    validation = Validation([0.25, 0.2, 0.2, 0.23, 0.3], [0.1, 0.1, 0.04, 0.1, 0.1])
    assert validation.best(one_se=one_se) == best


@pytest.mark.parametrize("one_se", [False, True])
def test_data_without_any_signal_leave_the_root_and_with_a_clear_one_the_test_that_finds_it(one_se: bool) -> None:
    random = np.random.default_rng(4)
    x, coin = random.normal(size=300), random.integers(0, 2, 300).astype(np.int32)
    noise = Dataset(SCHEMA, [x], coin, np.ones(300))
    signal = Dataset(SCHEMA, [x], np.where(random.random(300) < 0.1, 1 - (x > 0), x > 0).astype(np.int32), np.ones(300))
    # Nine of ten rows follow the sign of x, so that two leaves are right nine times of ten, and one leaf every other.
    for dataset, n_leaves in ((noise, 1), (signal, 2)):
        model = model_from(dataset, Settings.of(criterion="gini"))
        assert model.tree.n_leaves > 30
        assert pruned(model, dataset, folds=10, one_se=one_se).n_leaves == n_leaves


def test_with_data_and_nothing_else_there_are_ten_folds() -> None:
    dataset = continuous(150, 2, seed=7, n_classes=2, noise=0.5)
    model = model_from(dataset, Settings.of(criterion="gini"))
    assert pruned(model, dataset) == pruned(model, dataset, folds=10)


def test_more_folds_than_rows_are_refused() -> None:
    dataset = continuous(8, 1, seed=1, n_classes=2)
    with pytest.raises(UsageError, match="--folds 9, but there is a value of the target in 8 rows only"):
        pruned(model_from(dataset, Settings.of(criterion="gini")), dataset, folds=9)


def test_an_infinite_target_is_refused() -> None:
    model = example_models.regression()
    dataset = Dataset(model.schema, [np.array([50.0]), np.array([0], np.int32)], np.array([inf]), np.ones(1))
    with pytest.raises(DataError, match="infinite value of the target 'price'"):
        held_out(model, path_of(model), dataset)


def test_squared_errors_may_be_so_large_or_small_that_their_squares_are_no_doubles() -> None:
    rows = continuous(60, 2, seed=3, n_classes=None, noise=0.5)
    assert rows.target is not None
    found = {}
    for unit in (2.0**0, 2.0**270, 2.0**-270):  # powers of two, so that nothing is rounded otherwise
        dataset = replace(rows, target=rows.target * unit)
        model = model_from(dataset, Settings.of(criterion="variance", pure_impurity=0.0))
        path = path_of(model)
        validation = cross_validated(model, path, dataset, 4)
        held = held_out(model, path, dataset)
        found[unit] = [
            [value / unit / unit for value in of] for of in (validation.error, validation.standard_error, held)
        ]
    plain, huge, tiny = found.values()
    for others in (huge, tiny):
        for own, other in zip(plain, others, strict=True):
            assert other == pytest.approx(own, rel=1e-9)
