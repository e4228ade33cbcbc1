"""Rules say what the tree does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models import (
    EVERY_KIND,
    PLAYTENNIS,
    Inner,
    chain,
    every_kind,
    iris_like,
    model_of,
    models,
    playtennis,
    regression,
    single_leaf,
)
from treecli.conditions import Condition, Interval, Labels
from treecli.data import Schema
from treecli.model import Model
from treecli.rules import Rule, conditions_at, from_tree
from treecli.splits import NO_BRANCH, binary, known, multiway, subset, threshold
from treecli.tree import ALL_BRANCHES

Row = tuple[float | None, ...]


def leaf_of(model: Model, row: Row) -> int | None:
    """The leaf that a row ends in, by the splits' own tables and thresholds; None where it would spread."""
    tree, node = model.tree, 0
    while not tree.is_leaf(node):
        split, value, missing_to = tree.split(node), row[tree.attribute[node]], tree.missing_to[node]
        if value is None:
            branch = NO_BRANCH
        elif split.table:
            branch = split.table[int(value)]
        else:
            branch = sum(value > bound for bound in (split.number, *split.further))
        if branch == NO_BRANCH:
            if missing_to == ALL_BRANCHES:
                return None
            branch = missing_to
        node = tree.first_child[node] + branch
    return node


def rows(schema: Schema) -> st.SearchStrategy[Row]:
    values = [
        st.floats(allow_nan=False) if attribute.is_numeric else st.integers(0, len(attribute.labels) - 1)
        for attribute in schema.attributes
    ]
    return st.tuples(*[st.none() | column for column in values])


def satisfied(model: Model, row: Row) -> list[int]:
    """The leaves of the rules that a row satisfies."""
    return [rule.leaf for rule in from_tree(model) if all(c.holds(row[c.attribute]) for c in rule.conditions)]


@given(st.data())
def test_every_row_satisfies_just_the_rule_of_its_leaf(data: st.DataObject) -> None:
    model = data.draw(models())
    for row in data.draw(st.lists(rows(model.schema), max_size=5)):
        leaf = leaf_of(model, row)
        assert satisfied(model, row) == ([] if leaf is None else [leaf])


@given(models())
def test_there_is_one_rule_for_each_leaf_with_one_condition_an_attribute(model: Model) -> None:
    rules = list(from_tree(model))
    assert [rule.leaf for rule in rules] == [n for n in model.tree.in_reading_order() if model.tree.is_leaf(n)]
    for rule in rules:
        asked = [condition.attribute for condition in rule.conditions]
        assert len(set(asked)) == len(asked)
        assert rule.conditions == conditions_at(model, rule.leaf)


def test_playtennis_gives_the_rules_of_the_lecture() -> None:
    described = [
        (rule.antecedent(PLAYTENNIS), PLAYTENNIS.target.labels[rule.label or 0], rule.covered, rule.correct)
        for rule in from_tree(playtennis())
    ]
    assert described == [
        ("Outlook = Sunny AND Humidity = High", "No", 3.0, 3.0),
        ("Outlook = Sunny AND Humidity = Normal", "Yes", 2.0, 2.0),
        ("Outlook = Overcast", "Yes", 4.0, 4.0),
        ("Outlook = Rain AND Wind = Weak", "Yes", 3.0, 3.0),
        ("Outlook = Rain AND Wind = Strong", "No", 2.0, 2.0),
    ]


def test_conditions_on_one_attribute_are_merged_where_it_is_first_mentioned() -> None:
    model = iris_like()
    assert [rule.antecedent(model.schema) for rule in from_tree(model)] == [
        "petalwidth <= 0.6",
        "0.6 < petalwidth <= 1.7 AND petallength <= 4.9",
        "0.6 < petalwidth <= 1.5 AND petallength > 4.9",
        "1.5 < petalwidth <= 1.7 AND petallength > 4.9",
        "petalwidth > 1.7",
    ]


def rule_of(counts: tuple[float, float], prior: float) -> Rule:
    """A rule for the first of two classes."""
    model = model_of(
        PLAYTENNIS, Inner(binary.Split(3, 0, 2), (counts, (100 * prior - counts[0], 100 * (1 - prior) - counts[1])))
    )
    return next(from_tree(model))


@pytest.mark.parametrize(
    ("counts", "prior", "confidence", "lift"),
    [
        # 20 cases, 2 of them wrong, a class of 30 %: 19 / 22, and that over 0.3.
        ((18.0, 2.0), 0.3, 19 / 22, 19 / 22 / 0.3),
        # 3 cases, none wrong, a class of 50 %: 4 / 5, and that over 0.5.
        ((3.0, 0.0), 0.5, 0.8, 1.6),
    ],
)
def test_confidence_is_after_laplace_and_lift_is_over_the_prior(
    counts: tuple[float, float], prior: float, confidence: float, lift: float
) -> None:
    rule = rule_of(counts, prior)
    assert rule.confidence == pytest.approx(confidence, rel=1e-12)
    assert rule.lift == pytest.approx(lift, rel=1e-12)


def test_an_empty_leaf_has_a_rule_that_predicts_as_its_parent_and_covers_nothing() -> None:
    rule = next(rule for rule in from_tree(every_kind()) if rule.leaf == 14)
    assert (rule.label, rule.covered, rule.correct, rule.confidence) == (0, 0.0, 0.0, 0.5)
    hills = next(rule for rule in from_tree(regression()) if rule.leaf == 5)
    assert (hills.value, hills.covered, hills.rmse) == (25.0, 0.0, None)


def test_a_rule_for_numbers_has_a_mean_and_an_error_in_place_of_confidence() -> None:
    rule = next(rule for rule in from_tree(regression()) if rule.leaf == 4)
    # Prices 33 and 27: mean 30, mean squared error (9 + 9) / 2.
    assert (rule.value, rule.covered, rule.rmse) == (30.0, 2.0, 3.0)
    assert (rule.label, rule.correct, rule.confidence, rule.lift) == (None, None, None, None)


def test_a_tree_without_a_test_gives_one_rule_that_always_holds() -> None:
    (rule,) = from_tree(single_leaf())
    assert (rule.conditions, rule.antecedent(PLAYTENNIS), rule.label) == ((), "TRUE", 1)


def test_without_training_cases_there_is_no_lift() -> None:
    (rule,) = from_tree(model_of(PLAYTENNIS, (0.0, 0.0)))
    assert (rule.confidence, rule.lift) == (0.5, None)


LEAVES = tuple((float(n), 0.0, 0.0) for n in range(1, 4))
SIZE, GRADE, COLOUR = range(3)


@pytest.mark.parametrize(
    ("root", "conditions"),
    [
        pytest.param(
            Inner(multiway.Split(GRADE, 4), (LEAVES[0],) * 4),
            [(Labels(GRADE, (code,)),) for code in range(4)],
            id="ordinal by label",
        ),
        pytest.param(
            Inner(
                threshold.Split(GRADE, 1.0),
                (
                    Inner(binary.Split(GRADE, 0, 4), LEAVES[:2]),
                    Inner(subset.Split(GRADE, (0, 0, 0, 1)), LEAVES[:2]),
                ),
            ),
            [(Labels(GRADE, (0,)),), (Labels(GRADE, (1,)),), (Labels(GRADE, (2,)),), (Labels(GRADE, (3,)),)],
            id="order and labels of one attribute",
        ),
        pytest.param(
            Inner(known.Split(SIZE), (Inner(threshold.Split(SIZE, 1.0), LEAVES[:2]), LEAVES[2]), missing_to=1),
            [(Interval(SIZE, high=1.0),), (Interval(SIZE, low=1.0),), (Interval(SIZE, 0.0, 0.0, missing=True),)],
            id="known before threshold",
        ),
        pytest.param(
            Inner(subset.Split(COLOUR, (0, 0, 0, 0)), (LEAVES[0],), missing_to=0),
            [()],
            id="a condition that always holds",
        ),
        pytest.param(
            Inner(subset.Split(COLOUR, (0, 0, 0, 0)), (LEAVES[0],)),
            [(Labels(COLOUR, (0, 1, 2, 3)),)],
            id="every label, but not a missing value",
        ),
    ],
)
def test_conditions_are_merged_exactly(root: Inner, conditions: list[tuple[Condition, ...]]) -> None:
    assert [rule.conditions for rule in from_tree(model_of(EVERY_KIND, root))] == conditions


def test_an_alternative_among_conjunctions_stands_in_brackets() -> None:
    assert next(from_tree(every_kind())).antecedent(EVERY_KIND) == (
        "size <= 2.5 AND (grade <= mid or missing) AND shape = star"
    )


def test_the_rules_of_a_tree_50000_deep_have_two_bounds_at_most() -> None:
    depth = 50_000
    rules = list(from_tree(chain(depth)))
    assert len(rules) == depth + 1
    assert rules[1234].conditions == (Interval(0, 1234.0, 1235.0),)
    assert rules[-1].conditions == (Interval(0, low=float(depth)),)
