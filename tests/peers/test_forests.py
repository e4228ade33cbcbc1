"""Forests, compared with randomForest's stored scores on the same splits, and with the installed scikit-learn."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tests.growing import sample
from treecli.data import Dataset
from treecli.ensembles.bagging import Bagging, grown_trees
from treecli.model import TreeModel
from treecli.predict.manytrees import ManyTrees
from treecli.settings import Settings

pytestmark = pytest.mark.peers

FIXTURE = json.loads((Path(__file__).parents[1] / "fixtures" / "forests" / "random_forest.json").read_text())

N_TREES = 100
N_SPLITS = 10


def test_rows(n_rows: int, split: int) -> np.ndarray:
    """The test rows of a split; see `protocol` in the fixture."""
    order = sorted(range(n_rows), key=lambda row: hashlib.sha256(f"{split}:{row}".encode()).hexdigest())
    return np.array(order[: int(0.3 * n_rows + 0.5)])


test_rows.__test__ = False  # type: ignore[attr-defined]


def scores(dataset: Dataset) -> np.ndarray:
    """The accuracy of a forest on the test rows of each split, or its root mean squared error."""
    found = []
    is_numeric = not dataset.schema.is_classification
    for split in range(1, N_SPLITS + 1):
        test = test_rows(dataset.n_rows, split)
        chosen = Settings.of(
            criterion="variance" if is_numeric else "gini",
            features="sqrt",
            nominal="subset",
            min_split=6.0 if is_numeric else 2.0,
            seed=split,
        )
        train = dataset.take(np.setdiff1d(np.arange(dataset.n_rows), test))
        grown = grown_trees(train, chosen, Bagging(N_TREES, seed=split))
        members = [TreeModel(own.schema, chosen, (), own.tree) for own in grown]
        others = dataset.take(test)
        sums = np.zeros((len(test), 1 if is_numeric else dataset.schema.n_outcomes))
        ManyTrees(members).add_votes(sums, others, by_label=False)
        target = np.asarray(others.target)
        if is_numeric:
            found.append(np.sqrt(((sums[:, 0] / N_TREES - target) ** 2).mean()))
        else:
            found.append((sums.argmax(axis=1) == target).mean())
    return np.array(found)


@pytest.mark.parametrize("name", FIXTURE["test"])
def test_scores_are_those_of_random_forest_up_to_chance(name: str) -> None:
    """Within two standard errors of the mean difference of the splits, plus 0.01 (of the score, for errors)."""
    expected = np.array(FIXTURE["test"][name])
    dataset = sample(name)
    difference = scores(dataset) - expected
    slack = 0.01 if dataset.schema.is_classification else 0.01 * expected.mean()
    assert abs(difference.mean()) <= 2 * difference.std(ddof=1) / np.sqrt(N_SPLITS) + slack


def test_nodes_and_accuracy_are_those_of_scikit_learn_up_to_chance() -> None:
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier

    from treecli.data import Attribute, Schema

    values, classes = load_breast_cancer(return_X_y=True)
    attributes = tuple(Attribute(f"x{a}", "numeric") for a in range(values.shape[1]))
    schema = Schema(attributes, Attribute("y", "nominal", ("malignant", "benign")))
    columns = [np.ascontiguousarray(column) for column in values.T]
    dataset = Dataset(schema, columns, classes.astype(np.int32), np.ones(len(classes)))
    theirs, n_nodes = [], []
    for split in range(1, N_SPLITS + 1):
        test = test_rows(len(classes), split)
        train = np.setdiff1d(np.arange(len(classes)), test)
        fitted = RandomForestClassifier(N_TREES, random_state=split).fit(values[train], classes[train])
        theirs.append((fitted.predict(values[test]) == classes[test]).mean())
        n_nodes.append(np.mean([tree.tree_.node_count for tree in fitted.estimators_]))
    difference = scores(dataset) - np.array(theirs)
    assert abs(difference.mean()) <= 2 * difference.std(ddof=1) / np.sqrt(N_SPLITS) + 0.01
    own = grown_trees(dataset, Settings.of(criterion="gini", features="sqrt"), Bagging(N_TREES))
    whole = RandomForestClassifier(N_TREES, random_state=0).fit(values, classes)
    expected = np.mean([tree.tree_.node_count for tree in whole.estimators_])
    assert np.mean([grown.tree.n_nodes for grown in own]) == pytest.approx(expected, rel=0.05)
