"""Trees with the default settings predict the same as those of the installed scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.growing import continuous, model_from, sample
from tests.peers.sklearn import classifier, regressor
from treecli.data import Dataset
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions
from treecli.settings import Settings

pytestmark = pytest.mark.peers

SEEDS = range(20)
"""scikit-learn breaks ties between attributes by its seed; what all of these agree on does not hang on a tie."""


def as_matrix(dataset: Dataset) -> np.ndarray:
    return np.column_stack(list(dataset.columns))


# scikit-learn reads 32-bit numbers, so the data are rounded to those first.
def rounded(dataset: Dataset) -> Dataset:
    columns = [column.astype(np.float32).astype(np.float64) for column in dataset.columns]
    return replace(dataset, columns=columns)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("criterion", "peer"), [("gini", "gini"), ("gain", "entropy")])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3}, {"min_leaf": 5}])
def test_trees_of_numbers_predict_what_scikit_learn_predicts(
    criterion: str, peer: str, limits: dict[str, int], seed: int
) -> None:
    dataset = rounded(continuous(300, 4, seed, noise=0.2))
    training, held_out = dataset.take(np.arange(200)), dataset.take(np.arange(200, 300))
    named = {"max_depth": "max_depth", "min_leaf": "min_samples_leaf"}
    options = {named[k]: v for k, v in limits.items()}
    theirs = [
        classifier(criterion=peer, random_state=s, **options).fit(as_matrix(training), training.target) for s in SEEDS
    ]
    model = model_from(training, Settings.of(criterion=criterion, **limits))  # type: ignore[arg-type]
    assert model.tree.n_leaves in {peer_tree.get_n_leaves() for peer_tree in theirs}
    answers = np.array([peer_tree.predict_proba(as_matrix(held_out)) for peer_tree in theirs])
    is_sure = (np.abs(answers - answers[0]) < 1e-9).all(axis=(0, 2))
    assert is_sure.mean() > 0.5
    np.testing.assert_allclose(distributions(model, held_out)[is_sure], answers[0][is_sure], atol=1e-9)


# In a full tree every small node ties, and rounding may break a tie for all seeds alike.
@pytest.mark.parametrize("limits", [{"max_depth": 3}, {"max_depth": 5, "min_leaf": 5}, {"min_leaf": 10}])
def test_regression_trees_are_those_of_scikit_learn(limits: dict[str, int]) -> None:
    dataset = rounded(continuous(300, 3, seed=4, n_classes=None, noise=0.2))
    training, held_out = dataset.take(np.arange(200)), dataset.take(np.arange(200, 300))
    named = {"max_depth": "max_depth", "min_leaf": "min_samples_leaf"}
    options = {named[k]: v for k, v in limits.items()}
    theirs = [regressor(random_state=s, **options).fit(as_matrix(training), training.target) for s in SEEDS]
    model = model_from(training, Settings.of(**limits))  # type: ignore[arg-type]
    assert {model.tree.n_leaves} == {peer_tree.get_n_leaves() for peer_tree in theirs}
    answers = np.array([peer_tree.predict(as_matrix(held_out)) for peer_tree in theirs])
    is_sure = (np.abs(answers - answers[0]) < 1e-9).all(axis=0)
    assert is_sure.mean() > 0.5
    said = predicted(model, distributions(model, held_out))
    np.testing.assert_allclose(said[is_sure], answers[0][is_sure], atol=1e-9)


def test_the_squared_error_of_cpu_is_that_of_scikit_learn() -> None:
    dataset = sample("cpu.csv")
    model = model_from(dataset, Settings.of(max_depth=3))
    theirs = regressor(max_depth=3, random_state=0).fit(as_matrix(dataset), dataset.target)
    error = np.sum((theirs.predict(as_matrix(dataset)) - dataset.target) ** 2)
    leaves = [node for node in range(model.tree.n_nodes) if model.tree.is_leaf(node)]
    assert sum(model.tree.outcomes_of(leaf)[2] for leaf in leaves) == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("max_leaves", [2, 4, 8])
def test_best_first_leaves_are_those_of_scikit_learn(max_leaves: int) -> None:
    dataset = rounded(continuous(200, 3, seed=9, noise=0.5))
    theirs = classifier(max_leaf_nodes=max_leaves, random_state=0).fit(as_matrix(dataset), dataset.target)
    model = model_from(dataset, Settings.of(criterion="gini", max_leaves=max_leaves))
    np.testing.assert_allclose(distributions(model, dataset), theirs.predict_proba(as_matrix(dataset)), atol=1e-9)
