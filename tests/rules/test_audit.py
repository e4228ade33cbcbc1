from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from tests import example_models
from tests.datasets import dataset_of
from tests.growing import sample
from treecli.data import Attribute, Dataset, Schema
from treecli.model import Model
from treecli.models import predictions
from treecli.rules.audit import Comparison, Disagreement, audit, compared
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList, of_tree
from treecli.rules.step import Step
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.values import Labels


def comparison(model: Model, rules: RuleList, dataset: Dataset) -> Comparison:
    return compared(predictions(model, dataset), rules, dataset)


def test_the_rules_of_a_tree_agree_with_it() -> None:
    tree = example_models.playtennis()
    found = comparison(tree, of_tree(tree), sample("playtennis.csv"))
    assert (found.n_rows, found.model_error, found.rules_error, found.disagreements) == (14, 0.0, 0.0, [])


def test_rows_on_which_rules_and_tree_differ_have_both_predictions() -> None:
    tree = example_models.playtennis()
    # The second row may be sunny, overcast or rainy: with a high humidity and a strong wind 5/14 + 5/14 speak for No,
    # while no rule holds and the default is Yes. In the third row, 4/14 + 5/14 + 5/14 speak for Yes.
    dataset = dataset_of(
        tree.schema,
        [
            ["Sunny", "Hot", "High", "Weak", "Yes"],
            [None, "Hot", "High", "Strong", "No"],
            [None, "Hot", "Normal", "Weak", "Yes"],
            [None, "Hot", "High", "Strong", None],
        ],
        weights=[1, 3, 4, 9],
    )
    found = comparison(tree, of_tree(tree), dataset)
    assert found.disagreements == [Disagreement(2, "No", "Yes"), Disagreement(4, "No", "Yes")]
    # The first row is wrong either way; the last one has no truth. Weights count.
    assert found.model_error == pytest.approx(1 / 8)
    assert found.rules_error == pytest.approx(4 / 8)


def test_numbers_are_compared_and_their_error_is_the_root_mean_squared_one() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "numeric"))
    # Weight, mean and deviance of each side.
    tree = example_models.model_of(
        schema, example_models.Inner(threshold.Split(0, 5.0), ((2.0, 1.0, 0.0), (2.0, 3.0, 0.0)))
    )
    dataset = dataset_of(schema, [[0.0, 1.0], [9.0, 4.0], [None, 2.0]])
    rules = of_tree(tree)
    other = replace(rules, rules=(rules.rules[0], replace(rules.rules[1], value=4.0)))
    assert comparison(tree, rules, dataset).disagreements == []
    found = comparison(tree, other, dataset)
    assert found.disagreements == [Disagreement(2, 3.0, 4.0)]
    # The tree is 1 off in one row of three; the list, whose default is the mean of all, nowhere.
    assert found.model_error == pytest.approx(sqrt(1 / 3))
    assert found.rules_error == 0


def test_a_list_is_compared_with_the_one_that_it_was_made_of() -> None:
    schema = Schema((Attribute("k", "nominal", ("p", "q")),), Attribute("y", "nominal", ("a", "b")))
    given = RuleList(schema, Settings(), (), (Rule((Labels.of(0, (0,)),), label=0),), Rule((), label=1))
    shorter = replace(given, rules=())
    found = comparison(given, shorter, dataset_of(schema, [["q", "b"], ["p", "a"]]))
    assert found.disagreements == [Disagreement(2, "a", "b")]
    assert (found.model_error, found.rules_error) == (0, 0.5)


def test_without_a_known_target_there_is_no_error() -> None:
    tree = example_models.playtennis()
    dataset = dataset_of(tree.schema, [["Sunny", "Hot", "High", "Weak", None]])
    found = comparison(tree, of_tree(tree), dataset)
    assert (found.model_error, found.rules_error) == (None, None)
    assert comparison(tree, of_tree(tree), replace(dataset, target=None)).model_error is None


def test_an_audit_counts_rules_and_conditions() -> None:
    tree = example_models.playtennis()
    before = of_tree(tree)
    after = replace(before, rules=before.rules[2:3])
    step = Step("rule dropped", (1,), result="as an example")
    dataset = sample("playtennis.csv").take(np.array([0, 2]))
    facts = audit(before, after, [step], comparison(tree, after, dataset)).to_json()
    assert facts == {
        "rules_before": 5,
        "rules_after": 1,
        "conditions_before": 9,
        "conditions_after": 1,
        "steps": [step.to_json()],
        "rows": 2,
        "model_error": 0.0,
        "rules_error": 0.5,
        "disagreements": 1,
        "disagreeing_rows": [{"row": 1, "model_says": "No", "rules_say": "Yes"}],
    }
    assert "rows" not in audit(before, after, [step], None).to_json()
