"""The path of cost-complexity pruning by impurity, compared with the installed scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.example_models import append
from tests.growing import continuous
from tests.peers.sklearn import classifier, regressor
from treecli.data import Schema
from treecli.model import TreeModel
from treecli.pruners._path import path_of
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.tree import DEVIANCE, MEAN, WEIGHT, Tree

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("seed", range(3))
def test_by_impurity_the_path_is_that_of_scikit_learn(criterion: str, seed: int) -> None:
    is_class = criterion != "squared_error"
    dataset = continuous(200, 3, seed, n_classes=3 if is_class else None, noise=0.5)
    inputs = np.stack(dataset.columns, axis=1)
    learner = classifier if is_class else regressor
    fitted = learner(criterion=criterion, random_state=seed).fit(inputs, dataset.target)
    name = {"gini": "gini", "entropy": "gain", "squared_error": "variance"}[criterion]
    model = from_scikit_learn(fitted.tree_, dataset.schema, Settings.of(criterion=name))
    path = path_of(model, by_impurity=True)
    theirs = fitted.cost_complexity_pruning_path(inputs, dataset.target)
    # They take one node at a time, also of equals; of these the last has the tree that is the best.
    alphas, impurities = theirs.ccp_alphas, theirs.impurities
    is_last = np.append(np.diff(alphas) > 1e-12, True)
    is_last[0] = True
    assert path.alpha == pytest.approx(alphas[is_last], abs=1e-12)
    assert path.risk == pytest.approx(impurities[is_last], abs=1e-12)


def from_scikit_learn(theirs: Any, schema: Schema, settings: Settings) -> TreeModel:
    """A model with the tree of a fitted scikit-learn estimator."""
    order = [0]
    for node in order:  # grows while it is walked: a queue, hence level order
        if theirs.children_left[node] >= 0:
            order += [theirs.children_left[node], theirs.children_right[node]]
    tree = Tree(schema.n_outcomes)
    next_child = 1
    for node in order:
        weight = float(theirs.weighted_n_node_samples[node])
        outcomes = (theirs.value[node, 0] * weight).tolist()
        if not schema.is_classification:
            outcomes = [0.0] * 3
            outcomes[WEIGHT], outcomes[MEAN] = weight, float(theirs.value[node, 0, 0])
            outcomes[DEVIANCE] = weight * float(theirs.impurity[node])
        if theirs.children_left[node] < 0:
            append(tree, outcomes)
            continue
        split = threshold.Split(int(theirs.feature[node]), float(theirs.threshold[node]))
        append(tree, outcomes, split, first_child=next_child, n_branches=2)
        next_child += 2
    return TreeModel(schema, settings, (), tree)
