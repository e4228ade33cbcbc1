"""Rules predict the same as the tree."""

from __future__ import annotations

from array import array
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Runner
from tests.datasets import cases_for
from tests.example_models import (
    EVERY_KIND,
    PLAYTENNIS,
    Inner,
    every_kind,
    iris_like,
    model_of,
    models,
    playtennis,
    regression,
    single_leaf,
)
from treecli.data import MISSING, UNSEEN, Dataset
from treecli.intake import ReadOptions, read_for_model
from treecli.model import TreeModel
from treecli.models import read_tree
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import SPREAD, distributions, leaves
from treecli.rules.from_tree import conditions_at, from_tree
from treecli.rules.predict import answers, deciding
from treecli.rules.rule import Rule
from treecli.rules.rulelist import of_tree
from treecli.splits import binary, known, multiway, subset, threshold
from treecli.tree import ALL_BRANCHES, STAYS
from treecli.values import Condition, Interval, Labels

SAMPLES = sorted((Path(__file__).parents[2] / "sample_data").glob("*.[ac][rs][fv]*"))

NUMERIC = ("courses-rating.csv", "cpu.csv")
"""Those with a numeric target, which J48 does not take."""

TRAININGS = (
    ("--like", "j48"),
    ("--like", "rpart"),
    ("--missing", "branch", "--nominal", "subset"),
    ("--missing", "majority", "--unseen", "majority"),
    ("--missing", "stay", "--nominal", "binary"),
)


@st.composite
def any_models(draw: st.DrawFn) -> TreeModel:
    """Any small model, with either policy for unseen labels, where missing values may also stay at a node."""
    model = draw(models())
    tree = model.tree
    for node in tree.inner_nodes():
        if tree.missing_to[node] == ALL_BRANCHES and draw(st.booleans()):
            tree.missing_to[node] = STAYS
    return replace(model, settings=model.settings.changed(unseen=draw(st.sampled_from(["missing", "majority"]))))


def check_that_rules_follow(model: TreeModel, dataset: Dataset) -> None:
    """Each row that ends at one node satisfies the rule of that node first, and no other row satisfies any."""
    rules = of_tree(model)
    if model.tree.surrogates:  # which a list has not; it follows where nothing is missing
        unknown = [np.isnan(c) if c.dtype.kind == "f" else c < 0 for c in dataset.columns]
        dataset = dataset.take(np.flatnonzero(~np.any(unknown, axis=0)))
    node_of_rule = np.array([*(rule.leaf for rule in rules.rules), SPREAD])
    ends = leaves(model, dataset)
    np.testing.assert_array_equal(node_of_rule[deciding(rules, dataset)], ends)
    expected = predicted(model, distributions(model, dataset))[ends != SPREAD]
    np.testing.assert_array_equal(answers(rules, dataset)[0][ends != SPREAD], expected)


@given(st.data())
def test_every_row_satisfies_just_the_rule_of_its_leaf(data: st.DataObject) -> None:
    model = data.draw(any_models())
    dataset = data.draw(cases_for(model))
    check_that_rules_follow(model, dataset)
    rules = of_tree(model)
    for position, rule in enumerate(rules.rules):
        alone = deciding(replace(rules, rules=(rule,)), dataset) == 0
        np.testing.assert_array_equal(alone, deciding(rules, dataset) == position)


def probes(model: TreeModel, dataset: Dataset, n_rows: int) -> Dataset:
    """Rows in which one value after the other is each threshold or a number beside it, each label, unseen, missing."""
    few = dataset.take(np.linspace(0, dataset.n_rows - 1, n_rows).astype(np.int64))
    changed = [few]
    for index, attribute in enumerate(model.schema.attributes):
        if attribute.is_numeric:
            asked = np.flatnonzero(np.array(model.tree.attribute) == index)
            bounds = {model.tree.number[node] for node in asked if abs(model.tree.number[node]) < inf}
            values = [near for b in bounds for near in (b, np.nextafter(b, inf), np.nextafter(b, -inf))] + [nan]
        else:
            values = [UNSEEN, MISSING, *range(len(attribute.labels))]
        for value in values:
            columns = list(few.columns)
            columns[index] = np.full_like(columns[index], value)
            changed.append(replace(few, columns=columns))
    joined = [np.concatenate(parts) for parts in zip(*(d.columns for d in changed), strict=True)]
    return Dataset(model.schema, joined, None, np.ones(len(joined[0])))


@pytest.mark.parametrize("options", TRAININGS, ids=" ".join)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_rules_of_a_sample_set_predict_the_same_as_its_tree(
    treecli: Runner, tmp_path: Path, path: Path, options: tuple[str, ...]
) -> None:
    if "j48" in options and path.name in NUMERIC:
        options = ("--criterion", "absolute")
    outcome = treecli("train", path, *options, "-q", "-o", "model.json")
    assert outcome.code == 0, outcome.err
    model = read_tree(str(tmp_path / "model.json"))
    dataset = read_for_model(str(path), ReadOptions(), model.schema).dataset
    check_that_rules_follow(model, dataset)
    check_that_rules_follow(model, probes(model, dataset, n_rows=5))


def test_single_precision_is_kept(treecli: Runner, tmp_path: Path) -> None:
    iris = next(path for path in SAMPLES if path.name == "iris.csv")
    assert treecli("train", iris, "--like", "sklearn", "-q", "-o", "model.json").code == 0
    model = read_tree(str(tmp_path / "model.json"))
    assert model.settings.predicting.single_precision
    check_that_rules_follow(model, probes(model, read_for_model(str(iris), ReadOptions(), model.schema).dataset, 20))


@given(any_models())
def test_there_is_one_rule_for_each_leaf_that_can_be_reached(model: TreeModel) -> None:
    rules = list(from_tree(model))
    found = [rule.leaf for rule in rules if rule.leaf is not None and model.tree.is_leaf(rule.leaf)]
    assert found == [node for node in model.tree.in_reading_order() if node in found]
    for rule in rules:
        asked = [condition.attribute for condition in rule.conditions]
        assert len(set(asked)) == len(asked)
        assert all(not condition.is_empty for condition in rule.conditions)
        assert rule.leaf is not None
        if model.tree.is_leaf(rule.leaf):
            assert rule.conditions == conditions_at(model, rule.leaf)


def test_a_leaf_that_no_row_can_reach_has_no_rule() -> None:
    lower = Inner(threshold.Split(0, 2.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    model = model_of(EVERY_KIND, Inner(threshold.Split(0, 1.0), (lower, (0.0, 0.0, 1.0))))
    assert [rule.antecedent(EVERY_KIND) for rule in from_tree(model)] == ["size <= 1", "size > 1"]


def test_a_node_where_missing_values_stay_has_a_rule_of_its_own() -> None:
    inner = Inner(threshold.Split(SIZE, 1.0), ((2.0, 0.0, 0.0), (0.0, 3.0, 0.0)), missing_to=STAYS)
    model = model_of(EVERY_KIND, Inner(binary.Split(COLOUR, 0, 4), (inner, (0.0, 0.0, 4.0)), missing_to=1))
    model.tree.outcomes[3:6] = array("d", [2.0, 3.5, 0.0])  # half a case of the second class stayed
    rules = list(from_tree(model))
    assert [rule.antecedent(EVERY_KIND) for rule in rules] == [
        "colour = red AND size <= 1",
        "colour = red AND size > 1",
        "colour = red AND size is missing",
        "(colour != red or missing)",
    ]
    assert (rules[2].leaf, rules[2].label, rules[2].covered, rules[2].correct) == (1, 1, 0.5, 0.5)


def test_an_unseen_label_goes_down_the_heaviest_branch_under_majority() -> None:
    model = model_of(EVERY_KIND, Inner(binary.Split(COLOUR, 0, 4), ((2.0, 0.0, 0.0), (0.0, 3.0, 0.0)), missing_to=0))
    model = replace(model, settings=model.settings.changed(unseen="majority"))
    assert [rule.antecedent(EVERY_KIND) for rule in from_tree(model)] == [
        "(colour = red or missing)",
        "(colour != red or unseen)",
    ]


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
            [(Labels.of(GRADE, (code,)),) for code in range(4)],
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
            [
                (Labels.of(GRADE, (0,)),),
                (Labels.of(GRADE, (1,)),),
                (Labels.of(GRADE, (2,)),),
                (Labels.of(GRADE, (3,)),),
            ],
            id="order and labels of one attribute",
        ),
        pytest.param(
            Inner(known.Split(SIZE), (Inner(threshold.Split(SIZE, 1.0), LEAVES[:2]), LEAVES[2]), missing_to=1),
            [(Interval(SIZE, high=1.0),), (Interval(SIZE, low=1.0),), (Interval.none(SIZE, missing=True),)],
            id="known before threshold",
        ),
        pytest.param(
            Inner(subset.Split(COLOUR, (0, 0, 0, 0)), (LEAVES[0],), missing_to=0),
            [()],
            id="a condition that always holds",
        ),
        pytest.param(
            Inner(
                subset.Split(COLOUR, (0, 0, 0, 0)), (Inner(threshold.Split(COLOUR - 1, 0.0), LEAVES[:2]),), missing_to=0
            ),
            [(Interval(GRADE, high=0.0),), (Interval(GRADE, low=0.0),)],
            id="a known value is asked for where missing ones go two ways",
        ),
    ],
)
def test_conditions_are_merged_exactly(root: Inner, conditions: list[tuple[Condition, ...]]) -> None:
    assert [rule.conditions for rule in from_tree(model_of(EVERY_KIND, root))] == conditions


def test_an_alternative_among_conjunctions_is_in_parentheses() -> None:
    assert next(from_tree(every_kind())).antecedent(EVERY_KIND) == (
        "size <= 2.5 AND (grade <= mid or missing) AND shape = star"
    )
