"""Attribute importances, compared with the installed scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.example_models import Inner, model_of
from tests.peers.sklearn import classifier
from treecli.data import Attribute, Schema
from treecli.evaluate.importance import importances
from treecli.settings import Settings
from treecli.splits import threshold

pytestmark = pytest.mark.peers


def test_iris_agrees_with_scikit_learn() -> None:
    from sklearn.datasets import load_iris

    data = load_iris()
    fitted = classifier(random_state=0, max_depth=2).fit(data.data, data.target)
    nodes = fitted.tree_
    counts = (nodes.value[:, 0] * nodes.weighted_n_node_samples[:, None]).tolist()

    def described(node: int) -> Inner | tuple[float, ...]:
        if nodes.children_left[node] < 0:
            return tuple(counts[node])
        split = threshold.Split(int(nodes.feature[node]), float(nodes.threshold[node]))
        return Inner(split, (described(nodes.children_left[node]), described(nodes.children_right[node])))

    schema = Schema(
        tuple(Attribute(name, "numeric") for name in data.feature_names),
        Attribute("class", "nominal", tuple(map(str, data.target_names))),
    )
    model = replace(model_of(schema, described(0)), settings=Settings.of(criterion="gini"))
    assert importances(model) == pytest.approx(fitted.feature_importances_.tolist())
