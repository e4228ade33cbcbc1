"""Rule lists predict, are reordered and recounted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.datasets import cases_for, dataset_of
from tests.example_models import IRIS, PLAYTENNIS, Inner, iris_like, model_of, playtennis, regression
from tests.rules.test_rule import any_models
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import DataError
from treecli.model import TreeModel
from treecli.predict.predict import SPREAD, distributions, leaves
from treecli.rules.predict import answers, deciding
from treecli.rules.reading import decode
from treecli.rules.recount import recounted
from treecli.rules.rulelist import ORDERS, RuleList, in_order, of_tree
from treecli.splits import multiway, threshold

FEWER = settings(max_examples=40)


def read(text: str) -> RuleList:
    return decode(text.encode(), "rules.txt")


def numbers(rules: RuleList, *values: float | None) -> Dataset:
    """Rows of the one numeric attribute of a list."""
    return dataset_of(rules.schema, [(value, None) for value in values])


def test_the_first_rule_that_holds_decides_and_else_the_default() -> None:
    rules = read("IF x > 3 THEN a\nIF x > 1 THEN b\nDEFAULT c")
    dataset = numbers(rules, 5, 2, 1, None)
    assert deciding(rules, dataset).tolist() == [0, 1, 2, 2]
    assert [rules.schema.target.labels[code] for code in answers(rules, dataset)[0]] == ["a", "b", "c", "c"]


def test_rules_vote_with_their_confidence() -> None:
    rules = read(
        "decide by vote\nIF x > 3 THEN a (confidence 0.5)\nIF x > 1 THEN b (confidence 0.4)\n"
        "IF x > 2 THEN b (2/3)\nDEFAULT c"
    )
    # x = 5: a 0.5 against b 0.4 + (2 + 1) / (3 + 2) = 1; x = 2: b alone; x = 0: no votes.
    predictions, shares = answers(rules, numbers(rules, 5, 2, 0))
    assert predictions.tolist() == [1, 1, 2]
    assert shares == pytest.approx(np.array([[1 / 3, 2 / 3, 0], [0, 1, 0], [0, 0, 1]]))


def test_values_are_averaged_where_rules_vote() -> None:
    rules = read("decide by vote\nIF x > 3 THEN 10\nIF x > 1 THEN 20\nDEFAULT 7")
    assert answers(rules, numbers(rules, 5, 2, 0))[0].tolist() == [15.0, 20.0, 7.0]


@given(st.data())
@FEWER
def test_probabilities_are_those_of_the_tree(data: st.DataObject) -> None:
    model = data.draw(any_models())
    dataset = data.draw(cases_for(model))
    ends = leaves(model, dataset)
    weights = np.array(model.tree.outcomes).reshape(model.tree.n_nodes, -1)
    weight = weights.sum(axis=1) if model.schema.is_classification else weights[:, 0]
    # A rule knows only its own cases; an empty leaf predicts the same as its nearest non-empty ancestor.
    rows = np.flatnonzero((ends != SPREAD) & (weight[np.maximum(ends, 0)] > 0))
    is_leaf = np.array([model.tree.is_leaf(node) for node in range(model.tree.n_nodes)])
    rows = rows[is_leaf[ends[rows]]]
    np.testing.assert_array_equal(
        answers(of_tree(model), dataset)[1][rows], distributions(model, dataset)[rows], strict=True
    )


def test_laplace_and_priors_count_in_probabilities() -> None:
    model = iris_like()
    rules = of_tree(model)
    row = dataset_of(IRIS, [(0, 0, 4.0, 1.0, None)])
    # 47 versicolor and 1 virginica: (0 + 1, 47 + 1, 1 + 1) / 51.
    laplace = replace(rules, settings=rules.settings.changed(laplace=True))
    assert answers(laplace, row)[1][0] == pytest.approx(np.array([1, 48, 2]) / 51)
    # A prior of 0.5 for virginica, whose share was 1/3, counts 1.5 times; the others' of 0.25 count 0.75 times.
    priors = {"Iris-setosa": 0.25, "Iris-versicolor": 0.25, "Iris-virginica": 0.5}
    by_priors = replace(rules, settings=rules.settings.changed(priors=priors))
    assert answers(by_priors, row)[1][0] == pytest.approx(np.array([0, 47 * 0.75, 1.5]) / (47 * 0.75 + 1.5))


def test_a_rule_without_cases_is_certain_unless_all_cases_agree_with_it() -> None:
    rules = read("target y: nominal {a, b}\ncases {a: 1, b: 3}\nIF x > 3 THEN a\nDEFAULT b")
    assert answers(rules, numbers(rules, 5, 0))[1].tolist() == [[1.0, 0.0], [0.25, 0.75]]


def test_an_unseen_label_is_missing_or_matched_or_refused() -> None:
    declared = "attribute c: nominal {red}\nattribute d: nominal {u}\n"
    rows = [("pink", None, None), (None, None, None), ("red", None, None)]
    text = f"{declared}IF c is missing THEN a\nIF c is known or unseen THEN b\nDEFAULT c"
    rules = read(text)
    assert deciding(rules, dataset_of(rules.schema, rows)).tolist() == [0, 0, 1]
    rules = read(f'unseen labels satisfy no condition unless it says "or unseen"\n{text}')
    assert deciding(rules, dataset_of(rules.schema, rows)).tolist() == [1, 0, 1]
    rules = read(f"unseen labels are refused\n{text}")
    with pytest.raises(DataError, match="row 1: 'c' has a label that the rules do not know"):
        deciding(rules, dataset_of(rules.schema, rows))


def test_labels_that_undeclared_rules_do_not_mention_are_other_labels() -> None:
    rules = read("IF c != red THEN a\nIF c is known THEN b\nDEFAULT c")
    rows = [("pink", None), ("red", None), (None, None)]
    assert deciding(rules, dataset_of(rules.schema, rows)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        # Nodes: 4 No 3/3, 5 Yes 2/2, 2 Yes 4/4, 6 Yes 3/3, 7 No 2/2. More cases, all right, are more of everything.
        ("tree", [4, 5, 2, 6, 7]),
        ("confidence", [2, 4, 6, 5, 7]),
        ("coverage", [2, 4, 6, 5, 7]),
        ("utility", [2, 4, 6, 5, 7]),
    ],
)
def test_rules_stand_in_the_order_asked_for(order: str, expected: list[int]) -> None:
    assert [rule.leaf for rule in in_order(of_tree(playtennis()), order).rules] == expected


def test_orders_differ_where_rules_err() -> None:
    # Leaves with 5 of 10 right, 4 of 4 and 6 of 9; use: 0, 4 and 3.
    root = Inner(multiway.Split(0, 3), ((5.0, 5.0), (0.0, 4.0), (6.0, 3.0)))
    rules = of_tree(model_of(PLAYTENNIS, root))
    orders = {order: [rule.leaf for rule in in_order(rules, order).rules] for order in ORDERS}
    assert orders == {
        "tree": [1, 2, 3],
        "confidence": [2, 3, 1],
        "coverage": [1, 3, 2],
        "utility": [2, 3, 1],
    }


def test_values_are_ordered_by_error_and_by_distance_from_the_mean() -> None:
    rules = of_tree(regression())
    # Nodes 1: 12, rmse 2; 3: 20, rmse 0; 4: 30, rmse 3; 5: no case. From the mean, 20.67, the values are 8.67, 0.67 and
    # 9.33 away, for two cases each.
    assert [rule.leaf for rule in in_order(rules, "confidence").rules] == [3, 1, 4, 5]
    assert [rule.leaf for rule in in_order(rules, "utility").rules] == [4, 1, 3, 5]


@given(any_models(), st.sampled_from(ORDERS), st.data())
@FEWER
def test_the_order_of_a_trees_rules_changes_no_prediction(model: TreeModel, order: str, data: st.DataObject) -> None:
    rules, dataset = of_tree(model), data.draw(cases_for(model))
    np.testing.assert_array_equal(answers(in_order(rules, order), dataset)[0], answers(rules, dataset)[0])


def test_other_data_are_counted_by_weight() -> None:
    rules = of_tree(playtennis())
    rows = [
        ("Sunny", "Hot", "High", "Weak", "No"),
        ("Sunny", "Hot", "High", "Weak", "Yes"),
        ("Overcast", "Hot", "High", "Weak", "Yes"),
        (None, "Hot", "High", "Weak", "No"),
        ("Overcast", "Hot", "High", "Weak", None),
    ]
    counted = recounted(rules, dataset_of(PLAYTENNIS, rows, [2.0, 1.0, 1.0, 0.5, 9.0]))
    # No: 2 + 0.5, Yes: 1 + 1 of 4.5; the row without a target does not count, the one without Outlook for the default.
    assert counted.outcomes is not None
    assert counted.outcomes.tolist() == [2.5, 2.0]
    first = counted.rules[0]
    assert (first.covered, first.correct, first.confidence) == (3.0, 2.0, 0.6)
    assert first.lift == pytest.approx(0.6 / (2.5 / 4.5))
    assert [rule.covered for rule in counted.rules] == [3.0, 0.0, 1.0, 0.0, 0.0]
    assert (counted.default.covered, counted.default.correct) == (0.5, 0.0)


def test_the_error_on_other_data_is_that_of_the_rules_value() -> None:
    rules = of_tree(regression())
    rows = [(50, "hills", 10), (50, "hills", 18)]
    # The rule says 12: errors 2 and 6, mean square 20. About their own mean 14 the cases deviate by 16 + 16.
    rule = recounted(rules, dataset_of(rules.schema, rows)).rules[0]
    assert rule.outcomes is not None
    assert rule.outcomes.tolist() == [2.0, 14.0, 32.0]
    assert (rule.value, rule.rmse) == (12.0, pytest.approx(20**0.5))
    # A median of 12: absolute errors 2 and 6.
    medians = replace(rules, rules=tuple(replace(rule, takes_medians=True) for rule in rules.rules))
    rule = recounted(medians, dataset_of(rules.schema, rows)).rules[0]
    assert (rule.mae, rule.rmse) == (4.0, None)


def test_rules_that_vote_count_every_row_that_they_hold_for() -> None:
    rules = read("target y: nominal {a, b}\ndecide by vote\nIF x > 3 THEN a\nIF x > 1 THEN b\nDEFAULT a")
    counted = recounted(rules, dataset_of(rules.schema, [(5, "a"), (2, "b"), (0, "b")]))
    assert [(rule.covered, rule.correct) for rule in counted.rules] == [(1.0, 1.0), (2.0, 1.0)]
    assert (counted.default.covered, counted.default.correct) == (1.0, 0.0)


@given(st.data())
@FEWER
def test_counting_the_rows_again_adds_up(data: st.DataObject) -> None:
    model = data.draw(any_models())
    dataset = data.draw(cases_for(model)).labelled()
    rules = recounted(of_tree(model), dataset)
    assert sum(rule.covered or 0.0 for rule in (*rules.rules, rules.default)) == pytest.approx(dataset.weights.sum())


def test_the_number_of_threads_changes_nothing() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("a", "b")))
    tree = Inner(threshold.Split(0, 1.0), (Inner(threshold.Split(0, 0.5), ((1.0, 0.0), (0.0, 1.0))), (2.0, 0.0)))
    rules = of_tree(model_of(schema, tree))
    column = np.random.default_rng(0).random(50_000) * 2
    dataset = Dataset(schema, [column], None, np.ones(len(column)))
    expected = np.where(column <= 0.5, 0, np.where(column <= 1, 1, 2))
    for jobs in (1, 3):
        np.testing.assert_array_equal(deciding(rules, dataset, jobs), expected)
