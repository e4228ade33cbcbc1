"""Interviews of rule lists and ensembles end with the prediction for the row, and ask only for what can change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.teaching.test_agreement import datasets
from treecli import models
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.learn import learn, learn_ensemble
from treecli.model import ForestModel, Model
from treecli.models.rules import decode_text
from treecli.recipe import Recipe
from treecli.rules.rulelist import of_tree
from treecli.simplifiers import simplifier
from treecli.teaching.answeredrows import MOST_ROWS
from treecli.teaching.answers import Answer, AnswerError, Between, Known, Unknown, Weighted
from treecli.teaching.consultations import consultation_of

MISSING = st.sampled_from(["fractional", "surrogate", "majority", "branch", "stay"])
NOMINAL = st.sampled_from(["multiway", "binary", "subset"])
SEVERAL_CLASSES = datasets().filter(lambda own: len(set(np.asarray(own.target).tolist())) > 1)
ANY_TARGET = st.booleans().flatmap(lambda is_numeric: datasets(is_numeric=is_numeric))

MOST_ROWS_ASKED = 8
"""The rows of a data set that are asked about; an interview takes a millisecond for each tree."""


def answer_of(dataset: Dataset, attribute: int, row: int) -> Answer:
    value = float(dataset.columns[attribute][row])
    is_label = not dataset.schema.attributes[attribute].is_numeric
    return Unknown() if isnan(value) or (is_label and value < 0) else Known(value, "")


def answers_of(dataset: Dataset, row: int) -> dict[int, Answer]:
    return {index: answer_of(dataset, index, row) for index in range(len(dataset.columns))}


def with_other_rows(dataset: Dataset) -> Dataset:
    """The rows, and as many that mix their values and miss some."""
    mixed = [np.concatenate([column, np.roll(column, place + 1)]) for place, column in enumerate(dataset.columns)]
    for place, column in enumerate(mixed):
        column[dataset.n_rows + place :: 3] = np.nan if dataset.schema.attributes[place].is_numeric else -1
    return Dataset(dataset.schema, mixed, None, np.ones(2 * dataset.n_rows))


def asked(model: Model, dataset: Dataset, row: int) -> dict[int, Answer]:
    """The answers of an interview about a row."""
    consultation = consultation_of(model, "m.json")
    answers: dict[int, Answer] = {}
    while (needed := consultation.needed(answers)) is not None:
        assert needed not in answers
        answers[needed] = answer_of(dataset, needed, row)
    return answers


def check_interviews(model: Model, trained: Dataset) -> None:
    """Each interview, and all answers at once, give the prediction of `predict`."""
    dataset = with_other_rows(trained)
    consultation = consultation_of(model, "m.json")
    codes, shares = models.answers(model, dataset, 1)
    labels = model.schema.target.labels
    for row in range(0, dataset.n_rows, 1 + dataset.n_rows // MOST_ROWS_ASKED):
        code = int(codes[row]) if labels else 0
        expected = labels[code] if labels else pytest.approx(float(codes[row]), rel=1e-9, abs=1e-9)
        found = consultation.facts(asked(model, dataset, row))
        assert found["prediction"] == expected
        assert found["low"] - 1e-9 <= shares[row, code] <= found["high"] + 1e-9
        whole = answers_of(dataset, row)
        assert consultation.needed(whole) is None
        found = consultation.facts(whole)
        assert found["prediction"] == expected
        if labels:
            assert list(found["probabilities"].values()) == shares[row].tolist()
        assert "".join(consultation.lines(whole))


@settings(max_examples=40)
@given(ANY_TARGET, MISSING, NOMINAL)
def test_the_rules_of_a_tree_predict_as_predict_does(dataset: Dataset, missing: str, nominal: str) -> None:
    check_interviews(of_tree(learn(dataset, Recipe.parse(["--missing", missing, "--nominal", nominal]))), dataset)


@settings(max_examples=25)
@given(datasets(), st.sampled_from(["exact", "c45rules", "c50rules"]), NOMINAL)
def test_simplified_rules_predict_as_predict_does(dataset: Dataset, method: str, nominal: str) -> None:
    model = learn(dataset, Recipe.parse(["--missing", "fractional", "--nominal", nominal]))
    rules = simplifier(method).simplify(model, of_tree(model), dataset).rules
    check_interviews(rules, dataset)
    check_interviews(replace(rules, votes=not rules.votes), dataset)


@settings(max_examples=25)
@given(SEVERAL_CLASSES | datasets(is_numeric=True), MISSING, NOMINAL, st.sampled_from(["average", "majority"]))
def test_a_forest_predicts_as_predict_does(dataset: Dataset, missing: str, nominal: str, votes: str) -> None:
    words = ["--forest", "4", "--missing", missing, "--nominal", nominal]
    words += [] if dataset.schema.target.is_numeric else ["--votes", votes]
    check_interviews(learn_ensemble(dataset, Recipe.parse(words)), dataset)


@settings(max_examples=25)
@given(SEVERAL_CLASSES | datasets(is_numeric=True), MISSING, st.sampled_from(["rules", "forest", "boost"]))
def test_models_with_derived_columns_predict_as_predict_does(dataset: Dataset, missing: str, kind: str) -> None:
    words = ["--missing", missing]
    numeric = [index for index, own in enumerate(dataset.schema.attributes) if own.is_numeric]
    if len(numeric) == len(dataset.columns) and missing == "majority":
        words += ["--project", "gaussian:2"]
    else:
        words += ["--splits", "mofn,linear" if len(numeric) > 1 else "mofn"]
    if kind == "rules":
        check_interviews(of_tree(learn(dataset, Recipe.parse(words))), dataset)
    elif kind == "forest" or not dataset.schema.is_classification:
        check_interviews(learn_ensemble(dataset, Recipe.parse(["--forest", "3", *words])), dataset)
    else:
        check_interviews(learn_ensemble(dataset, Recipe.parse(["--boost", "3", "--max-depth", "2", *words])), dataset)


def test_a_label_without_a_branch_keeps_its_value_further_down() -> None:
    # The trees of this forest group labels that not all of their nodes have seen.
    schema = Schema(
        tuple(Attribute(f"A{i}", "nominal", ("a", "b", "c", "d")) for i in range(3)),
        Attribute("Y", "nominal", ("u", "v", "w")),
    )
    columns = [[0] * 13, [-1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, -1, 1], [1, *[0] * 12]]
    dataset = Dataset(
        schema, [np.array(own, np.int32) for own in columns], np.array([*[0] * 11, 1, 2], np.int32), np.ones(13)
    )
    words = ["--forest", "4", "--missing", "branch", "--nominal", "subset"]
    check_interviews(learn_ensemble(dataset, Recipe.parse(words)), dataset)


@settings(max_examples=25)
@given(SEVERAL_CLASSES, st.sampled_from([["--max-depth", "2"], ["--like", "j48"], ["--like", "c50"]]))
def test_boosted_trees_predict_as_predict_does(dataset: Dataset, words: list[str]) -> None:
    check_interviews(learn_ensemble(dataset, Recipe.parse(["--boost", "4", *words])), dataset)


def mean_over(model: Model, dataset: Dataset, row: int, attribute: int, values: Sequence[float]) -> Sequence[float]:
    """The mean of the predictions for a row with each of some values."""
    columns: list[Any] = [np.repeat(column[row : row + 1], len(values)) for column in dataset.columns]
    columns[attribute] = np.array(values, columns[attribute].dtype)
    _, shares = models.answers(model, Dataset(dataset.schema, columns, None, np.ones(len(values))), 1)
    found: list[float] = shares.mean(axis=0).tolist()
    return found


@settings(max_examples=25)
@given(SEVERAL_CLASSES, st.sampled_from(["rules", "forest", "boost"]), st.integers(-8, 3), st.integers(1, 9))
def test_ranges_and_weights_have_the_mean_of_the_predictions(
    dataset: Dataset, kind: str, low: int, length: int
) -> None:
    words = ["--missing", "surrogate", "--max-depth", "3"]
    model: Model
    if kind == "rules":
        model = of_tree(learn(dataset, Recipe.parse(words)))
    else:
        model = learn_ensemble(dataset, Recipe.parse([f"--{kind}", "3", *words]))
    consultation = consultation_of(model, "m.json")
    for attribute, column in enumerate(dataset.schema.attributes):
        uncertain: Answer
        if column.is_numeric:
            uncertain = Between(low, low + length, "")
            # Thresholds are multiples of 1/4, and none is in the middle of an eighth.
            values = [low + (place + 0.5) / 8 for place in range(8 * length)]
        else:
            uncertain, values = Weighted(((0, 0.5), (2, 0.25), (3, 0.25)), ""), [0, 0, 2, 3]
        whole = {**answers_of(dataset, 0), attribute: uncertain}
        found = consultation.facts(whole)
        expected = mean_over(model, dataset, 0, attribute, values)
        assert list(found["probabilities"].values()) == pytest.approx(expected, abs=1e-9)
        given_: dict[int, Answer] = {attribute: uncertain}
        while (needed := consultation.needed(given_)) is not None:
            given_[needed] = answer_of(dataset, needed, 0)
        ahead = sorted(expected)[-2:]
        if ahead[1] - ahead[0] > 1e-9:
            assert consultation.prediction(given_) == found["prediction"]


RULES = b"""
target play: nominal {yes, no}
attribute a: nominal {x, y}
attribute b: nominal {x, y}
attribute c: nominal {x, y}
IF a = x AND b = x THEN yes
IF b = y AND c = x THEN yes
IF b = x AND c = y THEN no
DEFAULT yes
"""


@pytest.mark.parametrize(
    ("row", "names", "label"),
    [
        ({"b": 1}, "b", "yes"),  # the only rule that can still match says yes, and so does the default
        ({"b": 0, "a": 0}, "ba", "yes"),  # a and c are needed by one rule each; a comes first
        ({"b": 0, "a": 1, "c": 1}, "bac", "no"),
        ({"b": None}, "b", "yes"),
    ],
)
def test_a_rule_list_asks_for_what_most_rules_still_need(row: Mapping[str, int | None], names: str, label: str) -> None:
    consultation = consultation_of(decode_text(RULES, "rules.txt"), "rules.txt")
    answers: dict[int, Answer] = {}
    while (needed := consultation.needed(answers)) is not None:
        code = row["abc"[needed]]
        answers[needed] = Unknown() if code is None else Known(code, "xy"[code])
    assert "".join("abc"[index] for index in answers) == names
    assert consultation.prediction(answers) == label


@pytest.mark.parametrize(("confidence", "needed"), [(0.5, None), (0.7, 1)])
def test_rules_that_vote_ask_while_others_can_outvote_them(confidence: float, needed: int | None) -> None:
    text = f"""
        decide by vote
        target play: nominal {{yes, no}}
        attribute a: nominal {{x, y}}
        attribute b: nominal {{x, y}}
        IF a = x THEN yes (confidence 0.6)
        IF b = x THEN no (confidence {confidence})
        DEFAULT no
        """
    consultation = consultation_of(decode_text(text.encode(), "rules.txt"), "rules.txt")
    answers = {0: Known(0, "x")}
    assert consultation.needed(answers) == needed
    found = consultation.facts(answers)
    assert (found["prediction"], found["low"]) == ("yes", pytest.approx(0.6 / (0.6 + confidence)))


def stump(on: str) -> Dataset:
    """Four rows in which one attribute determines the class and the other does not."""
    schema = Schema(
        tuple(Attribute(name, "nominal", ("x", "y")) for name in "ab"), Attribute("c", "nominal", ("u", "v"))
    )
    columns = [np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 0, 1], np.int32)]
    return Dataset(schema, columns, columns["ab".index(on)], np.ones(4))


def test_a_forest_stops_when_the_vote_cannot_change() -> None:
    grown = [learn(stump(on), Recipe.parse([])) for on in "aab"]
    first = grown[0]
    trees = tuple(own.tree for own in grown)
    forest = ForestModel(first.schema, first.settings, (), trees, (1.0, 1.0, 1.0), "majority")
    consultation = consultation_of(forest, "f.json")
    assert consultation.needed({}) == 0  # two trees of three ask for a
    answers = {0: Known(1, "y")}
    assert consultation.needed(answers) is None  # two votes of three
    assert list(consultation.lines(answers))[-1] == (
        "values not asked for cannot change the prediction: v 0.67 to 1.00"
    )
    # A tree without the value gives both classes a half, and its vote to the first: again two of three.
    assert consultation.needed({0: Unknown()}) is None
    assert {consultation.prediction({0: Unknown(), 1: b}) for b in (Known(0, "x"), Known(1, "y"), Unknown())} == {"u"}


def test_a_question_that_cannot_change_the_prediction_is_not_asked() -> None:
    # b is x or y: the rules for no cannot both match, and one of them is outvoted.
    text = """
        decide by vote
        target play: nominal {yes, no}
        attribute a: nominal {x, y}
        attribute b: nominal {x, y}
        attribute c: nominal {x, y}
        IF a = x THEN yes (confidence 0.6)
        IF b = x AND c = x THEN no (confidence 0.5)
        IF b = y AND c = x THEN no (confidence 0.5)
        DEFAULT no
        """
    consultation = consultation_of(decode_text(text.encode(), "rules.txt"), "rules.txt")
    answers = {0: Known(0, "x")}
    assert consultation.needed({}) is not None
    assert consultation.needed(answers) is None
    found = consultation.facts(answers)
    assert (found["prediction"], found["low"], found["high"]) == ("yes", pytest.approx(0.6 / 1.1), 1.0)


@pytest.mark.parametrize("seed", range(6))
def test_what_an_ensemble_does_not_ask_for_cannot_change_its_prediction(seed: int) -> None:
    draw = np.random.default_rng(seed)
    schema = Schema(
        (*(Attribute(name, "nominal", ("x", "y")) for name in "abc"), Attribute("d", "numeric")),
        Attribute("t", "nominal", ("u", "v")),
    )
    columns: list[Any] = [draw.integers(0, 2, 30).astype(np.int32) for _ in range(3)] + [draw.integers(0, 4, 30) / 2]
    target = (columns[0] ^ (columns[3] > 0.5)).astype(np.int32)
    dataset = Dataset(schema, columns, target, np.ones(30))
    grown = [learn(dataset.take(draw.integers(0, 30, 30)), Recipe.parse(["--max-depth", "3"])) for _ in range(5)]
    forest = ForestModel(
        schema, grown[0].settings, (), tuple(own.tree for own in grown), (1.0,) * 5, ("average", "majority")[seed % 2]
    )
    consultation = consultation_of(forest, "f.json")
    answers: dict[int, Any] = {}
    while (index := consultation.needed(answers)) is not None:
        answers[index] = Known(float(draw.integers(0, 2)), "")
    others = [index for index in range(4) if index not in answers]
    known = [(0.0, 0.5, 1.0, 1.5) if index == 3 else (0.0, 1.0) for index in others]
    values: list[list[Answer]] = [[*(Known(value, "") for value in own), Unknown()] for own in known]
    found = [consultation.facts({**answers, **dict(zip(others, own, strict=True))}) for own in product(*values)]
    assert {own["prediction"] for own in found} == {consultation.prediction(answers)}
    code = schema.target.labels.index(str(consultation.prediction(answers)))
    chances = [own["probabilities"][schema.target.labels[code]] for own in found]
    ends = consultation.facts(answers)
    assert (ends["low"], ends["high"]) == (pytest.approx(min(chances)), pytest.approx(max(chances)))


def test_a_missing_value_that_stays_at_a_node_counts_as_possible() -> None:
    # Both branches say u, and the cases without a value v.
    values = np.array([np.nan] * 10 + [0.0, 0.0, 1.0, 1.0, 1.0])
    target = np.array([1] * 10 + [0, 0, 0, 0, 2], np.int32)
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("u", "v", "w")))
    model = learn(Dataset(schema, [values], target, np.ones(15)), Recipe.parse(["--missing", "stay"]))
    forest = ForestModel(schema, model.settings, (), (model.tree,), (1.0,), "average")
    consultation = consultation_of(forest, "f.json")
    assert consultation.needed({}) == 0
    assert consultation.prediction({0: Unknown()}) == "v"
    assert consultation.prediction({0: Known(1.0, "1")}) == "u"


def test_answers_that_divide_a_case_too_often_are_refused() -> None:
    columns = [np.arange(40.0) % n for n in (40, 37, 31)]
    schema = Schema(tuple(Attribute(f"x{i}", "numeric") for i in range(3)), Attribute("y", "numeric"))
    dataset = Dataset(schema, columns, np.arange(40.0) * 7 % 11, np.ones(40))
    model = learn_ensemble(dataset, Recipe.parse(["--forest", "20"]))
    consultation = consultation_of(model, "f.json")
    consultation.check({0: Between(0, 40, "0 - 40")})
    with pytest.raises(AnswerError, match=f"at most {MOST_ROWS} can be predicted"):
        consultation.check({index: Between(0, 40, "0 - 40") for index in range(3)})


def test_rules_with_formulas_are_refused() -> None:
    columns = [np.arange(40.0)]
    dataset = Dataset(Schema((Attribute("x", "numeric"),), Attribute("y", "numeric")), columns, columns[0], np.ones(40))
    rules = of_tree(learn(dataset, Recipe.parse(["--like", "m5p"])))
    with pytest.raises(UsageError, match="the rules predict by formulas, which need all attributes"):
        consultation_of(rules, "r.json")
