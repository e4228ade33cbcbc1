"""The regions where two models differ: on every cell between thresholds and labels they say what both predict."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import inf, nan, nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.example_models import (
    PLAYTENNIS,
    Inner,
    _node,
    chain,
    every_kind,
    iris_like,
    model_of,
    models,
    playtennis,
    regression,
)
from treecli.data import MISSING, UNSEEN, Attribute, Dataset, Derived, Schema
from treecli.difference.regions import Comparison, compared, conditions, joint_predictions, share
from treecli.errors import UsageError
from treecli.expressions import Number, Value
from treecli.learn import learn
from treecli.leaves import constant, linear
from treecli.model import Model
from treecli.models import columns_used
from treecli.models import conditions as conditions_of
from treecli.recipe import Recipe
from treecli.rules.rule import wording
from treecli.rules.rulelist import of_tree
from treecli.settings import Settings
from treecli.splits import binary, threshold
from treecli.values import Interval

MOST_CELLS = 20_000


def texts(comparison: Comparison) -> list[str]:
    """The regions as text."""
    return [wording(conditions(r, comparison.space), comparison.space.schema) for r in comparison.regions]


def cells(comparison: Comparison, *, is_drawn: bool) -> Dataset:
    """A row in every cell between the bounds of both models, with every label, and missing and unseen values.

    `is_drawn`: hypothesis draws other models if there are too many cells.
    """
    schema = comparison.space.schema
    values: list[list[float]] = []
    used = {side.places[own] for side in comparison.sides for own in columns_used(side.model)}
    for place, attribute in enumerate(schema.attributes):
        everything = comparison.space.everything[place]
        if attribute.is_numeric:
            bounds = {-1e300, 1e300}
            for side in comparison.sides:
                for own in conditions_of(side.model):
                    joint = side.condition(own)
                    if joint.attribute == place and isinstance(joint, Interval):
                        bounds |= {b for b in (joint.low, joint.high) if abs(b) != inf}
            points = [*sorted(bounds), *(nextafter(bound, inf) for bound in bounds)]
            points += [nan] if everything.missing else []
        else:
            points = [code for code in range(len(attribute.labels)) if everything.holds(code)]
            points += [MISSING] if everything.missing else []
            points += [UNSEEN] if everything.unseen else []
        values.append(points if place in used else points[:1])
    if is_drawn:
        assume(0 < np.prod([len(points) for points in values]) <= MOST_CELLS)
    columns = list(zip(*product(*values), strict=True))
    typed: list[Any] = [
        np.array(column, np.float64 if attribute.is_numeric else np.int32)
        for column, attribute in zip(columns, schema.attributes, strict=True)
    ]
    return Dataset(schema, typed, None, np.ones(len(columns[0])))


def is_in(box: Any, row: tuple[float, ...]) -> bool:
    """Whether a row is in a box; codes and numbers as in a data set."""
    for place, values in box.items():
        value = row[place]
        is_coded = not isinstance(values, Interval)
        if is_coded and value == UNSEEN:
            is_held = values.unseen
        else:
            is_held = values.holds(None if value != value or (is_coded and value == MISSING) else value)
        if not is_held:
            return False
    return True


def check(a: Model, b: Model, *, is_drawn: bool = False) -> Comparison:
    """Compare two models, and every cell with the predictions of both."""
    comparison = compared(a, b)
    assert comparison.is_complete
    rows = cells(comparison, is_drawn=is_drawn)
    of_a, of_b = (joint_predictions(side, rows, 1).tolist() for side in comparison.sides)
    for row, said_a, said_b in zip(zip(*(c.tolist() for c in rows.columns), strict=True), of_a, of_b, strict=True):
        found = [(r.a, r.b) for r in comparison.regions if is_in(r.box, row)]
        assert found == ([(said_a, said_b)] if said_a != said_b else []), row
    return comparison


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Model, Model]:
    """Two small trees on the same attributes, or the rules of the second, which may vote; any policy for labels."""
    a = draw(models())
    b = model_of(a.schema, _node(draw, a.schema, 3))
    policies = st.sampled_from(("missing", "majority", "error"))
    a, b = (replace(m, settings=m.settings.changed(unseen=draw(policies))) for m in (a, b))
    form = draw(st.sampled_from(("tree", "rules", "votes")))
    if form == "tree":
        return a, b
    rules = replace(of_tree(b), votes=form == "votes")
    return (a, rules) if draw(st.booleans()) else (rules, a)


@given(pairs())
def test_every_cell_agrees_with_the_predictions_of_both_models(pair: tuple[Model, Model]) -> None:
    check(*pair, is_drawn=True)


@given(models(is_classification=True), st.data())
@settings(max_examples=examples(80))
def test_models_with_other_labels_and_another_order_of_columns_are_compared(a: Any, data: Any) -> None:
    attributes = [
        attribute
        if attribute.is_numeric
        else Attribute(attribute.name, "nominal", (*data.draw(st.permutations(attribute.labels))[1:], "a new one"))
        for attribute in data.draw(st.permutations(a.schema.attributes))
    ]
    target = replace(a.schema.target, labels=tuple(data.draw(st.permutations(a.schema.target.labels))))
    schema = Schema((*attributes, Attribute("one more", "numeric")), target)
    b = model_of(schema, _node(data.draw, schema, 3))
    policies = st.sampled_from(("missing", "majority", "error"))
    check(a, replace(b, settings=b.settings.changed(unseen=data.draw(policies))), is_drawn=True)


@pytest.mark.parametrize("like", ["rpart", "j48", "sklearn", "c45", "cart"])
def test_trees_of_other_programs_are_compared_on_every_cell(like: str) -> None:
    random = np.random.default_rng(5)
    n = 120
    schema = Schema(
        (
            Attribute("x", "numeric"),
            Attribute("colour", "nominal", ("red", "green", "blue", "grey", "pink")),
            Attribute("y", "numeric"),
        ),
        Attribute("class", "nominal", ("a", "b", "c")),
    )
    x, y = random.normal(size=n).round(1), random.normal(size=n).round(1)
    colour = random.integers(0, 5, n).astype(np.int32)
    # Labels that are rare below the first splits have no branch there, so surrogates or fractions decide.
    colour[x > 0.5] %= 2
    target = ((x + colour % 3 + y > 1).astype(np.int32) + (random.random(n) < 0.2)).astype(np.int32)
    if like != "sklearn":
        x[::7], colour[3::11] = nan, MISSING
    if like == "sklearn":
        schema = Schema((schema.attributes[0], schema.attributes[2]), schema.target)
    columns = [x, y] if like == "sklearn" else [x, colour, y]
    dataset = Dataset(schema, columns, target, np.ones(n))
    tree = learn(dataset, Recipe.parse(["--like", like, "--min-leaf", "3", "--max-depth", "4"]))
    other = learn(dataset, Recipe.parse(["--max-depth", "3"]))
    assert check(tree, other).regions
    assert check(other, tree).regions
    assert not check(tree, tree).regions


def test_the_regions_of_j48_and_rpart_on_iris_are_those_between_their_thresholds() -> None:
    schema = iris_like().schema
    rpart = model_of(
        schema,
        Inner(
            threshold.Split(2, nextafter(2.45, 0)),
            ((50.0, 0.0, 0.0), Inner(threshold.Split(3, nextafter(1.75, 0)), ((0.0, 49.0, 5.0), (0.0, 1.0, 45.0)))),
        ),
    )
    comparison = check(iris_like(), rpart)
    assert texts(comparison) == [
        "petallength >= 2.45 AND petalwidth <= 0.6",
        "petallength < 2.45 AND 0.6 < petalwidth <= 1.7",
        "petallength > 4.9 AND 0.6 < petalwidth <= 1.5",
        "petallength < 2.45 AND petalwidth > 1.7",
        "petallength >= 2.45 AND 1.7 < petalwidth < 1.75",
    ]
    # The ranges of the 150 flowers; (6.9 - 2.45) / 5.9 of the lengths times 0.5 / 2.4 of the widths.
    ranges = {2: (1.0, 6.9), 3: (0.1, 2.5)}
    shares = [share(region.box, comparison.space, ranges) for region in comparison.regions]
    assert shares[0] == pytest.approx(4.45 / 5.9 * 0.5 / 2.4)
    assert share(comparison.regions[0].box, comparison.space, {2: (1.0, 6.9)}) is None
    assert sum(s for s in shares if s is not None) == pytest.approx(0.4945, abs=1e-4)


def test_touching_boxes_of_equal_predictions_are_merged() -> None:
    # The first tree cuts Temperature in three, and says Yes everywhere; the second says No everywhere.
    by_temperature = Inner(binary.Split(1, 0, 3), ((0.0, 1.0), Inner(binary.Split(1, 1, 3), ((0.0, 2.0), (0.0, 3.0)))))
    comparison = compared(model_of(PLAYTENNIS, by_temperature), model_of(PLAYTENNIS, (5.0, 0.0)))
    (region,) = comparison.regions
    assert region.box == {}
    assert region.leaves_a == (1, 3, 4)
    assert region.leaves_b == (0,)


def test_missing_values_are_one_more_label_where_they_take_one_branch() -> None:
    a = model_of(PLAYTENNIS, Inner(binary.Split(3, 0, 2), ((3.0, 0.0), (0.0, 2.0)), missing_to=1))
    b = model_of(PLAYTENNIS, Inner(binary.Split(3, 0, 2), ((3.0, 0.0), (0.0, 2.0)), missing_to=0))
    comparison = check(a, b)
    assert texts(comparison) == ["Wind is missing"]
    assert comparison.undetermined == []
    assert share(comparison.regions[0].box, comparison.space, {}) == 0


def test_missing_values_that_go_down_several_branches_are_not_in_the_regions() -> None:
    comparison = check(playtennis(), every_outlook_is("Yes"))
    assert [comparison.space.schema.attributes[place].name for place in comparison.undetermined] == [
        "Outlook",
        "Humidity",
        "Wind",
    ]


def every_outlook_is(label: str) -> Model:
    return model_of(PLAYTENNIS, (9.0, 0.0) if label == "No" else (0.0, 9.0))


def test_numbers_differ_only_by_more_than_the_tolerance() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "numeric"))
    a = model_of(schema, Inner(threshold.Split(0, 1.0), ((1.0, 10.0, 0.0), (1.0, 20.0, 0.0))))
    b = model_of(schema, (2.0, 12.0, 0.0))
    assert texts(compared(a, b)) == ["x <= 1", "x > 1"]
    assert texts(compared(a, b, tolerance=2.0)) == ["x > 1"]
    assert compared(a, b, tolerance=8.0).regions == []


def test_the_search_stops_after_the_given_number_of_pairs() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("a", "b")))
    comparison = compared(chain(100), model_of(schema, (1.0, 0.0)), most_pairs=10)
    assert not comparison.is_complete
    assert 0 < len(comparison.regions) <= 10


def test_deep_trees_with_common_tests_are_walked_together() -> None:
    # Node by node this takes 20,000² steps; together, a few for each node.
    deep = chain(20_000)
    assert compared(deep, deep).regions == []
    rules = compared(chain(300), of_tree(chain(300)))
    assert rules.is_complete
    assert rules.regions == []


def test_votes_are_compared_by_their_sums() -> None:
    rules = replace(of_tree(every_kind()), votes=True)
    check(every_kind(), rules)
    check(rules, replace(rules, rules=rules.rules[1:]))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (Attribute("Golf", "nominal", ("No", "Yes")), "the models predict different targets: PlayTennis and Golf"),
        (Attribute("PlayTennis", "numeric"), "the target is nominal in the first model and numeric in the second"),
        (
            Attribute("PlayTennis", "nominal", ("No", "Yes", "Maybe")),
            "the target has different labels: only the second model knows Maybe",
        ),
        (Attribute("PlayTennis", "nominal", ("No", "Nay")), "the target has different labels: only the second model"),
    ],
)
def test_models_of_different_targets_are_refused(target: Attribute, message: str) -> None:
    schema = Schema(PLAYTENNIS.attributes, target)
    leaf = (1.0,) * schema.n_outcomes
    with pytest.raises(UsageError, match=message):
        compared(playtennis(), model_of(schema, leaf))


def test_an_attribute_of_two_kinds_is_refused() -> None:
    schema = Schema((Attribute("Wind", "numeric"),), PLAYTENNIS.target)
    with pytest.raises(UsageError, match="Wind is nominal in the first model and numeric in the second"):
        compared(playtennis(), model_of(schema, (1.0, 0.0)))


def test_single_precision_is_compared_in_doubles() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("a", "b")))
    bound = float(np.float32(0.1))
    tree = model_of(schema, Inner(threshold.Split(0, bound), ((1.0, 0.0), (0.0, 1.0))))
    single = replace(tree, settings=Settings.of(single_precision=True))
    comparison = check(tree, single)
    # Numbers just above the bound round to it.
    (region,) = comparison.regions
    values = region.box[0]
    assert isinstance(values, Interval)
    assert values.low == bound
    assert bound < values.high < bound + 1e-8


def test_leaves_with_formulas_are_refused_and_those_with_other_numbers_are_compared() -> None:
    tree = regression()
    line = linear.Leaf(linear.Line(1.0, ((Value(0, 0.0), 2.0),)), rmse=0.0)
    with_models = replace(tree, tree=replace(tree.tree, leaf_models={1: line}))
    for model in (with_models, of_tree(with_models)):
        with pytest.raises(UsageError, match="a model that predicts by formulas has no exact regions"):
            compared(tree, model)
    leaf = next(node for node in range(tree.tree.n_nodes) if tree.tree.is_leaf(node))
    constants = replace(tree, tree=replace(tree.tree, leaf_models={leaf: constant.Leaf(11.0)}))
    assert check(tree, constants).regions


def test_a_model_with_derived_columns_is_refused() -> None:
    tree = regression()
    column = Derived("area + 1", "numeric", feature=NoFeature(), parts=tree.schema.attributes)
    with pytest.raises(UsageError, match="a model that tests sums of attributes has no exact regions"):
        compared(replace(tree, schema=replace(tree.schema, derived=(column,))), tree)


class NoFeature:
    """A feature that nothing asks about."""

    KIND = "none"

    def expression(self) -> Number:
        return Number(1.0)

    def wording(self, attributes: Any) -> str:
        return "1"

    def to_json(self, attributes: Any) -> dict[str, Any]:
        return {}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Any) -> NoFeature:
        return cls()
