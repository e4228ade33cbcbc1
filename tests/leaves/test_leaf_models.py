"""Leaf models: predictions, files, and what cannot take them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.contracts.members.leaves import line
from tests.example_models import Inner, grown
from tests.features.derived import add_member
from treecli import models
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import ModelError, UsageError
from treecli.explain.explanation import Explainer, rows_of
from treecli.expressions import Product, Value
from treecli.learn import pruned
from treecli.leaves import constant
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.predict.predict import columns_used, predictions
from treecli.pruners import pruner
from treecli.rules.text import rule_lines
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.tree import ALL_BRANCHES, STAYS
from treecli.wording import readable

SCHEMA = Schema(
    (Attribute("x", "numeric"), Attribute("y", "numeric"), Attribute("z", "numeric")), Attribute("t", "numeric")
)


@pytest.fixture(autouse=True)
def with_line(monkeypatch: pytest.MonkeyPatch) -> None:
    add_member(monkeypatch, "leaves", line, "line")


def model(missing_to: int = ALL_BRANCHES) -> TreeModel:
    """x <= 1: 10 + 2 y (0.5 for a missing y); above it y <= 5: the mean 4, or the constant 7."""
    right = Inner(threshold.Split(1, 5.0), ((2.0, 4.0, 1.0), (1.0, 6.0, 0.0)), missing_to)
    tree = grown(SCHEMA, Inner(threshold.Split(0, 1.0), ((5.0, 9.0, 2.0), right), missing_to))
    tree.leaf_models[1] = line.Leaf(10.0, ((2.0, 1, 0.5),))
    tree.leaf_models[4] = constant.Leaf(7.0)
    return TreeModel(SCHEMA, Settings(), (), tree)


def rows(*cells: tuple[float, float]) -> Dataset:
    x, y = (np.array(column, np.float64) for column in zip(*cells, strict=True))
    return Dataset(SCHEMA, [x, y, np.full(len(x), np.nan)], None, np.ones(len(x)))


NAN = float("nan")


def test_a_row_gets_the_prediction_of_its_leaf() -> None:
    given = rows((0.0, 3.0), (1.0, NAN), (2.0, 5.0), (2.0, 6.0))
    assert predictions(model(), given).tolist() == [16.0, 11.0, 4.0, 7.0]
    assert columns_used(model()) == [0, 1]


def test_a_row_that_reaches_several_leaves_gets_the_weighted_average_of_what_they_predict_for_it() -> None:
    # Of 8 cases 5 are at the first leaf; of the other 3, 2 are below.
    expected = [5 / 8 * (10 + 2 * 3.0) + 3 / 8 * 4, 5 / 8 * (10 + 2 * 6.0) + 3 / 8 * 7]
    expected += [5 / 8 * (10 + 2 * 0.5) + (3 / 8 * (2 / 3) * 4 + 3 / 8 * (1 / 3) * 7), 2 / 3 * 4 + 1 / 3 * 7]
    found = predictions(model(), rows((NAN, 3.0), (NAN, 6.0), (NAN, NAN), (2.0, NAN)))
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_many_rows_are_predicted_as_each_alone() -> None:
    random = np.random.default_rng(0)
    cells = [(float(x), float(y)) for x, y in zip(*random.choice([NAN, 0.5, 2.0, 7.0], (2, 40_000)), strict=True)]
    both, own = rows(*cells), model()
    found = predictions(own, both, 2)
    for place in range(0, 40_000, 1000):
        assert found[place] == predictions(own, rows(cells[place]))[0]


def test_a_row_that_stays_at_an_inner_node_gets_the_prediction_of_its_model() -> None:
    own = model(STAYS)
    own.tree.leaf_models[2] = line.Leaf(1.0, ((3.0, 0, 0.0),))
    assert predictions(own, rows((2.0, NAN), (NAN, 1.0))).tolist() == [7.0, own.tree.outcomes_of(0)[1]]


def test_a_node_that_becomes_a_leaf_keeps_its_model() -> None:
    own = model()
    own.tree.leaf_models[2] = constant.Leaf(3.5)
    smaller = replace(own, tree=own.tree.collapsed(lambda node: node == 2))
    assert predictions(smaller, rows((0.0, 1.0), (2.0, 1.0))).tolist() == [12.0, 3.5]


def test_an_empty_leaf_predicts_as_the_node_above_it_does() -> None:
    right = Inner(threshold.Split(1, 5.0), ((3.0, 4.0, 1.0), (0.0, 0.0, 0.0)))
    tree = grown(SCHEMA, Inner(threshold.Split(0, 1.0), ((5.0, 9.0, 2.0), right)))
    tree.leaf_models[2] = line.Leaf(0.0, ((1.0, 1, 0.0),))
    assert predictions(TreeModel(SCHEMA, Settings(), (), tree), rows((2.0, 8.0))).tolist() == [8.0]


def test_a_model_with_leaf_models_reads_back_as_the_same_bytes() -> None:
    text = b"".join(encode(model()))
    read = decode(text, "m.json")
    assert isinstance(read, TreeModel)
    assert b"".join(encode(read)) == text
    assert read.tree.leaf_models == model().tree.leaf_models
    nodes = json.loads(text)["nodes"]
    assert [node.get("model") for node in nodes] == [
        None,
        {"kind": "line", "constant": 10.0, "terms": [[2.0, "y", 0.5]]},
        None,
        None,
        {"kind": "constant", "value": 7.0},
    ]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"kind": "curve"}, "node 1: model: unknown kind 'curve' (known: constant, linear, line)"),
        ({}, "node 1: model: unknown kind None"),
        ({"kind": "constant"}, "node 1: model: 'value' must be a finite number"),
        ({"kind": "constant", "value": True}, "node 1: model: 'value' must be a finite number"),
        ({"kind": "constant", "value": 1, "unit": "m"}, "node 1: model: has 'unit', which no constant has"),
        ({"kind": "line", "constant": 1.0, "terms": [[1.0, "w", 0.0]]}, "node 1: model: 'terms' must be triples"),
    ],
)
def test_a_wrong_leaf_model_is_refused(record: dict[str, Any], message: str) -> None:
    document = json.loads(b"".join(encode(model())))
    document["nodes"][1]["model"] = record
    with pytest.raises(ModelError) as error:
        decode(json.dumps(document).encode(), "m.json")
    assert message in str(error.value)


def test_a_model_whose_prediction_may_be_missing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line.Leaf, "expression", lambda _: Value(0))
    with pytest.raises(ModelError, match="node 1: model: does not say what stands for a missing value"):
        decode(b"".join(encode(model())), "m.json")


def test_a_nominal_target_has_no_leaf_models() -> None:
    schema = replace(SCHEMA, target=Attribute("t", "nominal", ("a", "b")))
    document = json.loads(b"".join(encode(TreeModel(schema, Settings(), (), grown(schema, (1.0, 2.0))))))
    document["nodes"][0]["model"] = {"kind": "constant", "value": 1.0}
    with pytest.raises(ModelError, match="node 0: has a 'model', which only a numeric target has"):
        decode(json.dumps(document).encode(), "m.json")


def test_an_explanation_gives_the_prediction_at_each_end_and_no_interval() -> None:
    (row,) = rows_of(model(), rows((NAN, 3.0)), [1], {})
    explanation = Explainer(model()).explain(row)
    assert [(end.node, end.value) for end in explanation.ends] == [(1, 16.0), (3, None)]
    assert explanation.said == 5 / 8 * 16 + 3 / 8 * 4
    assert explanation.grounds.intervals == (None,)


def test_rules_state_the_leaf_models_that_are_lines() -> None:
    heading, rules = models.as_rules(model())
    assert list(rule_lines(rules, heading.schema, readable)) == [
        "IF x <= 1 THEN t = 10 + 2 * y (covered 5, rmse n/a)\n",
        "IF x > 1 AND y <= 5 THEN 4 (covered 2, rmse 0.7071)\n",
        "IF x > 1 AND y > 5 THEN 7 (covered 1, rmse 1)\n",
    ]


def test_rules_refuse_leaf_models_of_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line.Leaf, "expression", lambda _: Product((Value(0, 1.0), Value(1, 2.0))))
    _, rules = models.as_rules(model())
    with pytest.raises(UsageError, match="models of the kind 'line', and rules state only linear formulas"):
        list(rules)


def test_pruners_that_cannot_take_leaf_models_say_so() -> None:
    with pytest.raises(UsageError, match="--method cost-complexity: the leaves of the tree have models of their own"):
        pruned(model(), "cost-complexity", pruner("cost-complexity").Options(), None, {})
