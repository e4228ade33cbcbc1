"""`--like sklearn` compared with the installed scikit-learn: whole trees, with exact thresholds."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pytest

from tests.growing import continuous, numeric_table, sample
from tests.peers.sklearn import classifier, regressor
from treecli.data import Dataset
from treecli.grow.grow import grow
from treecli.model import TreeModel
from treecli.predict.predict import distributions, leaves
from treecli.presets import settings_like
from treecli.tree import Tree

pytestmark = pytest.mark.peers

CRITERIA = {"gini": "gini", "entropy": "gain", "squared_error": "variance", "absolute_error": "absolute"}
NAMES = {
    "min_leaf": "min_samples_leaf",
    "min_split": "min_samples_split",
    "max_depth": "max_depth",
    "min_gain": "min_impurity_decrease",
    "max_leaves": "max_leaf_nodes",
}
SEEDS = range(24)


def grown(dataset: Dataset, criterion: str, limits: dict[str, Any]) -> TreeModel:
    settings = settings_like("sklearn").changed(criterion=CRITERIA[criterion], **limits)
    return TreeModel(dataset.schema, settings, (), grow(dataset, settings, jobs=1))


def matrix(dataset: Dataset) -> np.ndarray:
    return np.array(dataset.columns).T


def fitted(dataset: Dataset, criterion: str, limits: dict[str, Any], seed: int = 0) -> Any:
    options = {NAMES[name]: value for name, value in limits.items()}
    estimator = classifier if dataset.schema.is_classification else regressor
    made = estimator(criterion=criterion, random_state=seed, **options)
    return made.fit(matrix(dataset), dataset.target, sample_weight=dataset.weights)


def their_nodes(estimator: Any) -> list[tuple[Any, ...]]:
    """Each node in level order: its weight, and its attribute, threshold and the branch of missing values."""
    tree, order, nodes = estimator.tree_, [0], []
    for node in order:  # grows while it is walked: a queue
        split: tuple[Any, ...] = ()
        if tree.children_left[node] >= 0:
            order += [tree.children_left[node], tree.children_right[node]]
            split = (int(tree.feature[node]), float(tree.threshold[node]), int(not tree.missing_go_to_left[node]))
        nodes.append((float(tree.weighted_n_node_samples[node]), *split))
    return nodes


def our_nodes(model: TreeModel) -> list[tuple[Any, ...]]:
    tree = model.tree
    return [
        (model.node(node).weight, *(() if tree.is_leaf(node) else split_of(tree, node))) for node in range(tree.n_nodes)
    ]


def split_of(tree: Tree, node: int) -> tuple[int, float, int]:
    return tree.attribute[node], tree.number[node], tree.missing_to[node]


def equal_tree(model: TreeModel, dataset: Dataset, criterion: str, limits: dict[str, Any]) -> Any:
    """scikit-learn's tree that is the same as ours, for some seed: where attributes tie, the seed decides."""
    estimators = [fitted(dataset, criterion, limits, seed) for seed in SEEDS]
    equal = [estimator for estimator in estimators if their_nodes(estimator) == our_nodes(model)]
    assert equal, [their_nodes(estimators[0]), our_nodes(model)]
    return equal[0]


def nearly_tie_free(criterion: str, *, with_missing: bool = False, weighted: bool = False) -> Dataset:
    is_numeric = criterion.endswith("error")
    dataset = continuous(300, 4, seed=7, n_classes=None if is_numeric else 3, noise=0.7)
    random = np.random.default_rng(8)
    if with_missing:
        dataset = replace(dataset, columns=[np.where(random.random(300) < 0.1, nan, c) for c in dataset.columns])
    return replace(dataset, weights=random.integers(1, 4, 300).astype(float)) if weighted else dataset


LIMITS: list[dict[str, Any]] = [
    {"min_leaf": 12},
    {"max_depth": 4},
    {"min_split": 30},
    {"min_gain": 0.012},
    {"max_leaves": 9},
    {"min_leaf": 7, "min_split": 25, "max_depth": 6},
]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_is_that_of_scikit_learn(criterion: str, limits: dict[str, Any]) -> None:
    dataset = nearly_tie_free(criterion)
    model = grown(dataset, criterion, limits)
    theirs = equal_tree(model, dataset, criterion, limits)
    assert model.tree.n_nodes > 5
    predict = theirs.predict_proba if dataset.schema.is_classification else theirs.predict
    answers = np.asarray(predict(matrix(dataset))).reshape(dataset.n_rows, -1)
    assert distributions(model, dataset) == pytest.approx(answers, rel=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_missing_values_go_where_scikit_learn_sends_them(criterion: str) -> None:
    dataset = nearly_tie_free(criterion, with_missing=True)
    limits = {"min_leaf": 12}
    model = grown(dataset, criterion, limits)
    equal_tree(model, dataset, criterion, limits)
    assert {missing_to for _, *split in our_nodes(model) if split for missing_to in split[2:]} == {0, 1}


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_count_in_impurities_but_rows_in_sizes(criterion: str) -> None:
    dataset = nearly_tie_free(criterion, weighted=True)
    limits = {"min_leaf": 12}
    equal_tree(grown(dataset, criterion, limits), dataset, criterion, limits)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_where_attributes_tie_the_split_is_one_that_scikit_learn_makes_for_some_seed(criterion: str) -> None:
    # Whole numbers: nearly all small nodes have ties, which scikit-learn's rounding or its seed decides.
    random = np.random.default_rng(3)
    columns = [random.integers(0, 6, 60).astype(float) for _ in range(3)]
    target = random.integers(0, 3, 60)
    names = [float(t) for t in target] if criterion.endswith("error") else [str(t) for t in target]
    dataset = numeric_table(columns, names)
    model = grown(dataset, criterion, {"min_leaf": 2})
    tree, parent = model.tree, model.tree.parents()
    rows_of: dict[int, list[int]] = {}
    for row, leaf in enumerate(leaves(model, dataset).tolist()):
        node = leaf
        while node >= 0:
            rows_of.setdefault(node, []).append(row)
            node = parent[node]
    for node in tree.inner_nodes():
        part = dataset.take(np.array(rows_of[node]))
        theirs = (their_nodes(fitted(part, criterion, {"min_leaf": 2, "max_depth": 1}, seed))[0] for seed in SEEDS)
        ours = (model.node(node).weight, *split_of(tree, node))
        assert any(ours == root for root in theirs), (node, ours)


def test_values_are_compared_in_single_precision_in_training() -> None:
    # 0.3 and 0.1 + 0.2 are different doubles but the same 32-bit number.
    dataset = numeric_table([[0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2]], ["a", "b", "a", "b"])
    assert grown(dataset, "gini", {}).tree.n_nodes == 1
    assert fitted(dataset, "gini", {}).tree_.node_count == 1


def test_values_are_compared_in_single_precision_at_prediction() -> None:
    # 0.15 lies below the threshold between 0.1 and 0.2, 0.15000000223517418, and its 32-bit number above it.
    dataset = numeric_table([[0.1, 0.2]], ["low", "high"])
    model = grown(dataset, "gini", {})
    assert model.tree.number[0] == 0.15000000223517418
    asked = numeric_table([[0.15]], ["low"], labels=("low", "high"))
    assert distributions(model, asked).tolist() == [[0.0, 1.0]]
    assert fitted(dataset, "gini", {}).predict([[0.15]]).tolist() == [1]


@pytest.mark.parametrize(
    "values",
    [
        [1e-7, 2e-7, 3e-7, 4e-7],  # neighbours lie 1e-7 apart, give or take a rounding
        [1.0, 1.0 + 2.0**-23, 1.0 + 2.0**-22, 1.5],  # 1 + 1e-7 is rounded to the next 32-bit number
        [2.0, 2.0 + 2.0**-22, 2.0 + 2.0**-21, 3.0],  # 2 + 1e-7 is rounded to 2
        [-1.0, -1.0 + 2.0**-24, -0.5, 0.0],
    ],
    ids=str,
)
def test_values_that_lie_too_close_are_not_parted(values: list[float]) -> None:
    dataset = numeric_table([values], ["a", "b", "a", "b"])
    assert our_nodes(grown(dataset, "gini", {})) == their_nodes(fitted(dataset, "gini", {}))


def test_a_split_without_gain_is_made() -> None:
    # Exclusive or: no split of the root gains anything.
    dataset = numeric_table([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]], ["no", "yes", "yes", "no"])
    for criterion in ("gini", "entropy"):
        assert grown(dataset, criterion, {}).tree.n_leaves == fitted(dataset, criterion, {}).get_n_leaves() == 4


def test_a_label_is_split_from_the_rest_as_after_one_hot_encoding() -> None:
    dataset = sample("playtennis.csv")
    model = grown(dataset, "gini", {})
    hot = np.array(
        [column == code for a, column in zip(dataset.schema.attributes, dataset.columns, strict=True)
         for code in range(len(a.labels))], float,
    ).T  # fmt: skip
    theirs = {classifier(random_state=seed).fit(hot, dataset.target).get_n_leaves() for seed in SEEDS}
    assert {model.tree.split(node).KIND for node in model.tree.inner_nodes()} == {"binary"}
    assert model.tree.n_leaves in theirs
