"""Explanations of a model's prediction for a row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.datasets import Value, cases_for, dataset_of
from tests.example_models import HOUSES, Inner, every_kind, model_of, models, playtennis, regression
from treecli.data import MISSING, UNSEEN, Attribute, Dataset, Schema
from treecli.explain.explanation import Explainer, Explanation, rows_of
from treecli.explain.flags import flag_texts
from treecli.explain.ruleexplanation import RuleExplanation, explain_rules
from treecli.intake import ReadOptions, read_training
from treecli.learn import learn
from treecli.model import Model, TreeModel
from treecli.models import answers, columns_used, explainer, flip, places
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions
from treecli.recipe import Recipe
from treecli.rules import predict
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList, of_tree
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.splits._surrogate import Surrogate
from treecli.tree import STAYS
from treecli.values import Interval, Labels
from treecli.wording import quoted

SAMPLES = Path(__file__).parents[2] / "sample_data"


def explained(model: TreeModel, *values: Value) -> Explanation:
    """The explanation of one row; a text that is no label is taken for an unseen one."""
    dataset = dataset_of(model.schema, [(*values, None)])
    unknown = {i: str(values[i]) for i in range(len(values)) if dataset.columns[i][0] == UNSEEN}
    (row,) = rows_of(model, dataset, [1], {1: unknown})
    return Explainer(model).explain(row)


def test_the_path_tells_questions_values_and_branches() -> None:
    found = explained(playtennis(), "Rain", "Mild", "High", "Strong")
    assert (found.said, found.probabilities) == ("No", (1.0, 0.0))
    assert [(step.question, step.given.text, step.reason) for step in found.steps] == [
        ("Outlook", "Rain", "value"),
        ("Wind = Weak", "Strong", "value"),
    ]
    assert [(way.condition, way.node, way.share, list(way.outcomes)) for step in found.steps for way in step.ways] == [
        ("Outlook = Rain", 3, 1.0, [2.0, 3.0]),
        ("Wind = Strong", 7, 1.0, [2.0, 0.0]),
    ]
    assert [(end.node, end.share) for end in found.ends] == [(7, 1.0)]
    assert found.flags == ()


def test_a_missing_value_spreads_the_row_over_leaves_that_speak_by_their_shares() -> None:
    found = explained(playtennis(), "Sunny", "Hot", None, "Weak")
    assert [step.reason for step in found.steps] == ["value", "every"]
    assert [(end.node, end.share) for end in found.ends] == [(4, 0.6), (5, 0.4)]
    assert found.probabilities == pytest.approx((0.6, 0.4))
    # 1 / (0.36 / 3 + 0.16 / 2) = 5, the cases of the node. Wilson for 3 of 5, by hand: centre 0.6 + 3.8415 / 10 =
    # 0.98415, half width 1.96 √(0.24 / 5 + 3.8415 / 100) = 0.57612, both over 1 + 3.8415 / 5 = 1.76829.
    assert found.grounds.cases == pytest.approx(5)
    assert found.grounds.intervals[0] == pytest.approx((0.2307, 0.8824), abs=1e-4)
    assert [(warned.flag, warned.given.attribute.name, warned.is_asked) for warned in found.flags] == [
        ("missing", "Humidity", True)
    ]


def test_a_flag_of_an_attribute_that_the_path_did_not_ask_about_is_marked() -> None:
    found = explained(playtennis(), "Overcast", None, None, "Gale")
    # The tree does not test Temperature.
    assert [(w.flag, w.given.text, w.is_asked) for w in found.flags] == [
        ("missing", "missing", False),
        ("unseen", "Gale", False),
    ]


def tree_of_two(missing_to: int, *leaves: tuple[float, ...]) -> TreeModel:
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("z", "nominal", ("a", "b")))
    return model_of(schema, Inner(threshold.Split(0, 5.0), leaves, missing_to=missing_to))


def with_surrogate() -> TreeModel:
    model = tree_of_two(0, (3.0, 0.0), (0.0, 2.0))
    # y <= 1 stands for the second branch.
    model.tree.surrogates[0] = (Surrogate(threshold.Split(1, 1.0), (1, 0), 0.9, 0.5),)
    return model


def by_majority() -> TreeModel:
    model = playtennis()
    return replace(model, settings=model.settings.changed(unseen="majority"))


@pytest.mark.parametrize(
    ("model", "values", "reason", "ends"),
    [
        (tree_of_two(1, (3.0, 0.0), (0.0, 2.0)), (None, 1.0), "missing", [2]),
        (tree_of_two(-1, (3.0, 0.0), (0.0, 2.0)), (None, 1.0), "every", [1, 2]),
        (tree_of_two(-1, (0.0, 0.0), (0.0, 2.0)), (None, 1.0), "only", [2]),
        (tree_of_two(-1, (0.0, 0.0), (0.0, 0.0)), (None, 1.0), "stays", [0]),
        (tree_of_two(STAYS, (3.0, 0.0), (0.0, 2.0)), (None, 1.0), "stays", [0]),
        (tree_of_two(2, (3.0, 0.0), (0.0, 2.0), (1.0, 0.0)), (None, 1.0), "missing", [3]),
        (with_surrogate(), (None, 0.0), "surrogate", [2]),
        (with_surrogate(), (None, 2.0), "surrogate", [1]),
        (with_surrogate(), (None, None), "missing", [1]),
        # Sunny and Rain are heaviest with 5 days each, and Sunny comes first; High humidity leads to node 4.
        (by_majority(), ("Fog", "Hot", "High", "Weak"), "heaviest", [4]),
        (playtennis(), ("Fog", "Hot", "High", "Weak"), "every", [4, 2, 6]),
        # No case at node 2 was dark grey, so that goes where missing values go, to node 7, which asks for the shape.
        (every_kind(), (9.0, "low", "dark grey", "star"), "value", [14]),
    ],
)
def test_why_a_row_goes_on_as_it_does(
    model: TreeModel, values: tuple[Value, ...], reason: str, ends: list[int]
) -> None:
    found = explained(model, *values)
    assert found.steps[0].reason == reason
    assert [end.node for end in found.ends] == ends


def test_a_branch_for_missing_values_alone_is_worded_so() -> None:
    found = explained(tree_of_two(2, (3.0, 0.0), (0.0, 2.0), (1.0, 0.0)), None, 1.0)
    assert [way.condition for way in found.steps[0].ways] == ["x is missing"]


def test_an_empty_leaf_says_whose_cases_speak() -> None:
    found = explained(regression(), 70.0, "hills")
    (end,) = found.ends
    assert (end.node, end.source, found.said) == (5, 2, 25.0)
    # Node 2 has 20, 20, 33, 27: mean 25, deviance 118; √(118 / 3 / 4) = 3.1358 times t(3) = 3.1824 is 9.9797.
    assert found.grounds.cases == 4.0
    assert found.grounds.intervals[0] == pytest.approx((25 - 9.9797, 25 + 9.9797), abs=1e-3)


def test_a_mean_of_several_leaves_has_an_interval_by_welch() -> None:
    found = explained(regression(), None, "harbour")
    # 12 with 1/3 and 30 with 2/3: mean 24. Variances of the means 8/1/2 = 4 and 18/1/2 = 9: 4/9 + 4 = 40/9, by
    # Welch with 1 / ((0.1² + 0.9²) / 1) = 1 / 0.82 = 1.2195 degrees of freedom; scipy 1.17.1: t = 8.3940.
    assert found.said == pytest.approx(24)
    assert found.grounds.cases == pytest.approx(1 / (1 / 9 / 2 + 4 / 9 / 2))
    half_width = 8.3940 * (40 / 9) ** 0.5
    assert found.grounds.intervals[0] == pytest.approx((24 - half_width, 24 + half_width), abs=2e-3)


@pytest.mark.parametrize("leaf", [(1.0, 12.0, 0.0), (1.5, 12.0, 3.0)])
def test_fewer_than_two_cases_give_no_interval(leaf: tuple[float, ...]) -> None:
    found = explained(model_of(HOUSES, leaf), 1.0, "hills")
    assert (found.grounds.cases, found.grounds.intervals) == (leaf[0], (None,))
    assert found.steps == ()


def test_medians_and_priors_give_no_interval() -> None:
    model = regression()
    medians = replace(model, settings=model.settings.changed(criterion="absolute"))
    assert explained(medians, 50.0, "hills").grounds.intervals == (None,)
    days = playtennis()
    days.tree.judge_by("equal", None, days.schema.target.labels)
    found = explained(replace(days, settings=days.settings.changed(priors="equal")), "Rain", "Hot", "High", None)
    assert found.grounds.intervals == (None, None)


def agree(model: Model, dataset: Dataset, written: str = "?!") -> None:
    """Explains every row, and compares with what the model predicts for all rows at once."""
    schema = model.schema
    said, probabilities = answers(model, dataset)
    place = places(model, dataset)
    flags = flag_texts(dataset, columns_used(model))
    explain = explainer(model)
    numbers = range(1, dataset.n_rows + 1)
    labels = {number: dict.fromkeys(range(len(schema.attributes)), written) for number in numbers}
    for index, row in enumerate(rows_of(model, dataset, numbers, labels)):
        found = explain(row)
        assert found.said == (said[index] if schema.target.is_numeric else schema.target.labels[said[index]])
        assert found.probabilities == tuple(probabilities[index])
        assert ";".join(f"{w.flag}:{quoted(w.given.attribute.name)}" for w in found.flags) == flags[index]
        if not isinstance(found, Explanation):
            continue
        assert sum(end.share for end in found.ends) == pytest.approx(1)
        assert place[index] == (found.ends[0].node if len(found.ends) == 1 else None)
        mixed = sum(end.share * _spoken(model, end.source) for end in found.ends)
        assert mixed == pytest.approx(probabilities[index], abs=1e-9, rel=1e-9)


def _spoken(model: Model, node: int) -> np.ndarray:
    """The prediction of a node, without priors and Laplace."""
    assert isinstance(model, TreeModel)
    outcomes = np.array(model.tree.outcomes_of(node))
    if not model.schema.is_classification:
        return outcomes[1:2]
    return outcomes / outcomes.sum() if outcomes.sum() else np.full(len(outcomes), 1 / len(outcomes))


@settings(max_examples=examples(60))
@given(st.data())
def test_the_parts_of_an_explanation_make_up_what_the_model_predicts(data: st.DataObject) -> None:
    model = data.draw(models())
    policy = data.draw(st.sampled_from(["missing", "majority"]))
    agree(replace(model, settings=model.settings.changed(unseen=policy)), data.draw(cases_for(model)))


@settings(max_examples=examples(60))
@given(st.data())
def test_the_rule_that_is_said_to_decide_does(data: st.DataObject) -> None:
    tree = data.draw(models())
    tree = replace(tree, settings=tree.settings.changed(unseen=data.draw(st.sampled_from(["missing", "majority"]))))
    rules = of_tree(tree)
    shuffled = data.draw(st.permutations(rules.rules))
    rules = replace(rules, rules=tuple(replace(rule, conditions=rule.conditions[:1]) for rule in shuffled))
    dataset = data.draw(cases_for(tree))
    agree(rules, dataset)
    numbers = range(1, dataset.n_rows + 1)
    written = {number: dict.fromkeys(range(len(rules.schema.attributes)), "?!") for number in numbers}
    found = [explain_rules(rules, row) for row in rows_of(rules, dataset, numbers, written)]
    deciding = predict.deciding(rules, dataset).tolist()
    assert [len(rules.rules) if each.number is None else each.number - 1 for each in found] == deciding


@pytest.mark.parametrize(
    "name",
    [
        "playtennis.csv",
        "courses.csv",
        "courses-rating.csv",
        "iris.arff",
        "cpu.csv",
        "vote.arff",
        "titanic.csv",
        "sxl.csv",
        "shapes.csv",
        "shapes-disjunctive.csv",
        "monks-1.arff",
        "monks-2.arff",
        "monks-3.arff",
    ],
)
def test_every_row_of_the_samples_is_explained_as_it_is_predicted(name: str) -> None:
    dataset = read_training(str(SAMPLES / name), ReadOptions(), keep_identifiers=True).dataset
    model = learn(dataset, Recipe(Settings()))
    rows = dataset.take(np.arange(0, dataset.n_rows, max(1, dataset.n_rows // 60)))
    agree(model, replace(rows, schema=model.schema))
    agree(of_tree(model), replace(rows, schema=model.schema))


@pytest.mark.parametrize(
    "chosen",
    [
        Settings.of(criterion="gini", nominal="subset", missing="surrogate"),
        Settings.of(missing="majority", unseen="majority", laplace=True),
        Settings.of(missing="branch", discretize="mdlp"),
        Settings.of(missing="stay", nominal="binary"),
        Settings.of(criterion="gini", nominal="binary", single_precision=True),
    ],
    ids=lambda chosen: chosen.missing.policy,
)
def test_rows_with_gaps_are_explained_and_flipped_as_they_are_predicted(chosen: Settings) -> None:
    dataset, rows = with_gaps(300, seed=1), with_gaps(40, seed=2)
    model = learn(dataset, Recipe(chosen))
    rows = replace(rows, schema=model.schema)
    if not chosen.predicting.laplace:
        agree(model, rows)
    said = predicted(model, distributions(model, rows))
    for index in range(rows.n_rows):
        row = rows.take(np.array([index]))
        found = flip(model, row, 1 - int(said[index]))
        assert found is not None
        assert found.changes
        assert predicted(model, distributions(model, found.row))[0] != said[index]


def with_gaps(n_rows: int, seed: int) -> Dataset:
    """Numbers and labels that hang together, a fifth of them missing, and a noisy class."""
    random = np.random.default_rng(seed)
    x = random.normal(size=n_rows)
    y = x + random.normal(size=n_rows) / 2
    colour = np.digitize(x + random.normal(size=n_rows) / 2, [-0.5, 0.5]).astype(np.int32)
    target = (x + random.normal(size=n_rows) / 2 > 0).astype(np.int32)
    x[random.random(n_rows) < 0.2] = np.nan
    colour[random.random(n_rows) < 0.2] = MISSING
    attributes = (
        Attribute("x", "numeric"),
        Attribute("y", "numeric"),
        Attribute("colour", "nominal", ("red", "green", "blue")),
    )
    schema = Schema(attributes, Attribute("class", "nominal", ("a", "b")))
    return Dataset(schema, [x, y, colour], target, np.ones(n_rows))


THREE_RULES = (
    Rule((Labels.of(0, (0,)), Interval(1, 5.0)), label=1, covered=4.0, correct=3.0),
    Rule((Interval(1, 3.0),), label=0),
    Rule((Labels.of(0, (0,), missing=True),), label=1, stated_confidence=0.8),
)


def ruled(votes: bool, *values: Value) -> RuleExplanation:
    schema = Schema(
        (Attribute("colour", "nominal", ("red", "blue")), Attribute("x", "numeric")),
        Attribute("z", "nominal", ("a", "b")),
    )
    rules = RuleList(schema, Settings(), (), THREE_RULES, Rule((), label=0), votes)
    (row,) = rows_of(rules, dataset_of(schema, [(*values, None)]), [1], {})
    return explain_rules(rules, row)


@pytest.mark.parametrize(
    ("values", "said", "number", "holding"),
    [
        (("red", 6.0), "b", 1, (1, 2, 3)),
        (("red", 4.0), "a", 2, (2, 3)),
        ((None, None), "b", 3, (3,)),
        (("blue", 1.0), "a", None, ()),
    ],
)
def test_the_rule_that_fired_and_those_that_would_have(
    values: tuple[Value, ...], said: str, number: int | None, holding: tuple[int, ...]
) -> None:
    found = ruled(False, *values)
    assert (found.said, found.number, found.holding) == (said, number, holding)


def test_the_conditions_of_a_rule_stand_with_the_values_that_satisfy_them() -> None:
    assert [(text, given.text) for text, given in ruled(False, "red", 6.0).checks] == [
        ("colour = red", "red"),
        ("x > 5", "6"),
    ]


def test_rules_that_vote_have_no_single_one_that_decides() -> None:
    found = ruled(True, "red", 6.0)
    # 4/6 and 0.8 for b, and 1 for the rule of unknown confidence, for a.
    assert (found.rule, found.said, found.holding) == (None, "b", (1, 2, 3))
    assert found.probabilities == pytest.approx((1 / (1 + 4 / 6 + 0.8), (4 / 6 + 0.8) / (1 + 4 / 6 + 0.8)))
    assert found.grounds.cases is None
