"""The smallest change of a row that makes a model predict another label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import inf, isnan, nan, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.datasets import cases_for, dataset_of
from tests.example_models import IRIS, Inner, iris_like, model_of, models, playtennis
from treecli.data import Attribute, Dataset, Schema
from treecli.explain.nearness import Flip
from treecli.model import Model, TreeModel
from treecli.models import flip, predictions
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList, of_tree
from treecli.settings import Settings
from treecli.splits import multiway, threshold
from treecli.values import Interval, Labels

NO, YES = 0, 1
SETOSA, VERSICOLOR, VIRGINICA = 0, 1, 2


def codes_said(model: Model, rows: Dataset) -> np.ndarray:
    return predictions(model, rows, 1)


def day(*values: str | None) -> Dataset:
    return dataset_of(playtennis().schema, [(*values, None)])


def changed(found: Flip | None) -> dict[str, str]:
    """The changes in words, by attribute."""
    assert found is not None
    schema = found.row.schema
    attributes = [schema.attributes[change.attribute] for change in found.changes]
    pairs = zip(found.changes, attributes, strict=True)
    return {attribute.name: change.condition.wording(attribute) for change, attribute in pairs}


@pytest.mark.parametrize(
    ("values", "label", "fixed", "expected"),
    [
        # Sunny and High is No: Humidity, or Outlook alone (Overcast, or Rain as the wind is weak), make it Yes.
        (("Sunny", "Hot", "High", "Weak"), NO, (), {}),
        (("Sunny", "Hot", "High", "Weak"), YES, (0,), {"Humidity": "Humidity = Normal"}),
        (("Sunny", "Hot", "High", "Weak"), YES, (2,), {"Outlook": "Outlook = Overcast"}),
        # Rain and Strong is No; with Outlook fixed only the wind helps, and with both nothing.
        (("Rain", "Cool", "Normal", "Strong"), YES, (0,), {"Wind": "Wind = Weak"}),
        (("Rain", "Cool", "Normal", "Strong"), YES, (0, 3), None),
        # Overcast, Normal and Weak is one change away from neither No: Sunny needs High, and Rain Strong.
        (("Overcast", "Mild", "Normal", "Weak"), NO, (2,), {"Outlook": "Outlook = Rain", "Wind": "Wind = Strong"}),
        (
            ("Overcast", "Mild", "Normal", "Weak"),
            NO,
            (3,),
            {"Outlook": "Outlook = Sunny", "Humidity": "Humidity = High"},
        ),
        # Of a sunny day with unknown humidity 0.6 says No; knowing it, and nothing else, can make it Yes.
        (("Sunny", "Hot", None, "Weak"), YES, (0,), {"Humidity": "Humidity = Normal"}),
        (("Sunny", "Hot", None, "Weak"), NO, (0,), {}),
        # A label that the model has not seen goes down all branches: 0.36 No (Sunny, High) and the rest Yes. A strong
        # wind makes it 0.71 No, though nobody knows the outlook.
        (("Fog", "Hot", "High", "Weak"), YES, (0,), {}),
        (("Fog", "Hot", "High", "Weak"), NO, (0,), {"Wind": "Wind = Strong"}),
    ],
)
def test_days_that_would_have_been_otherwise(
    values: tuple[str | None, ...], label: int, fixed: tuple[int, ...], expected: dict[str, str] | None
) -> None:
    found = flip(playtennis(), day(*values), label, fixed)
    if expected is None:
        assert found is None
    else:
        assert changed(found) == expected


def flower(*values: float) -> Dataset:
    return dataset_of(IRIS, [(*values, None)])


def test_the_nearest_number_is_the_next_double_and_the_example_is_written_like_the_old_value() -> None:
    found = flip(iris_like(), flower(5.0, 3.0, 1.4, 0.2), VIRGINICA)
    assert found is not None
    (change,) = found.changes
    assert change.condition == Interval(3, 1.7, inf)
    assert change.nearest == nextafter(1.7, inf)
    assert change.value == 1.8
    # Without a range the bounds 0.6, 1.5 and 1.7 and the value 0.2 are the scale.
    assert found.distance == pytest.approx(1.5 / 1.5)


def test_a_change_is_measured_by_the_range_in_training() -> None:
    # x needs 1 of its range of 10, y 2 of 100: x alone costs 0.1, y alone 0.02.
    schema = Schema(
        (Attribute("x", "numeric", range=(0.0, 10.0)), Attribute("y", "numeric", range=(0.0, 100.0))),
        Attribute("z", "nominal", ("a", "b")),
    )
    root = Inner(threshold.Split(0, 5.0), ((0.0, 1.0), Inner(threshold.Split(1, 7.0), ((1.0, 0.0), (0.0, 1.0)))))
    found = flip(model_of(schema, root), dataset_of(schema, [(6.0, 5.0, None)]), 1)
    assert changed(found) == {"y": "y > 7"}
    assert found is not None
    assert found.distance == pytest.approx(0.02)
    narrow = replace(schema, attributes=(schema.attributes[0], replace(schema.attributes[1], range=(0.0, 10.0))))
    assert changed(flip(model_of(narrow, root), dataset_of(narrow, [(6.0, 5.0, None)]), 1)) == {"x": "x <= 5"}


def test_one_large_change_is_smaller_than_two_small_ones() -> None:
    found = flip(iris_like(), flower(5.0, 3.0, 6.0, 0.6), VERSICOLOR)
    # petalwidth 0.6 to (1.5, 1.7], long petals kept; a step to 0.61 would need petallength <= 4.9 as well.
    assert changed(found) == {"petalwidth": "1.5 < petalwidth <= 1.7"}


@pytest.mark.parametrize(
    ("old", "low", "high", "value"),
    [
        (70.0, 77.5, inf, 78.0),
        (70.25, 77.5, inf, 77.51),
        (90.0, -inf, 77.5, 77.0),
        (70.0, 77.5, 77.50001, 77.50001),
        (70.0, 77.5, nextafter(77.5, inf), nextafter(77.5, inf)),
        (nan, 77.5, inf, 78.0),
        (nan, -inf, 77.5, 0.0),
        (-inf, 77.5, inf, nextafter(77.5, inf)),
        (1e300, -inf, 0.3, 0.0),
    ],
)
def test_the_example_lies_within_the_bounds(old: float, low: float, high: float, value: float) -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("z", "nominal", ("a", "b")))
    bounds = [Rule((Interval(0, low, high),), label=1)]
    rules = RuleList(schema, Settings(), (), tuple(bounds), Rule((), label=0))
    found = flip(rules, dataset_of(schema, [(None if isnan(old) else old, None)]), 1)
    assert found is not None
    assert [change.value for change in found.changes] == [value]


def test_a_list_of_rules_is_left_by_the_rules_before_too() -> None:
    # Red is b, and so is blue below 5; to be a, blue above 5 is the only way.
    schema = Schema(
        (Attribute("colour", "nominal", ("red", "blue")), Attribute("x", "numeric")),
        Attribute("z", "nominal", ("a", "b")),
    )
    rules = (
        Rule((Labels.of(0, (0,)),), label=1),
        Rule((Interval(1, -inf, 5.0),), label=1),
        Rule((Interval(1, 0.0, inf),), label=0),
    )
    model = RuleList(schema, Settings(), (), rules, Rule((), label=1))
    found = flip(model, dataset_of(schema, [("red", 1.0, None)]), 0)
    assert changed(found) == {"colour": "colour = blue", "x": "x > 5"}
    assert flip(model, dataset_of(schema, [("red", 1.0, None)]), 0, fixed=[0]) is None


def test_a_condition_on_missing_values_alone_is_no_bound() -> None:
    # Without ranges the scale is the distance of the bounds: 10 for x and for y. So x costs 5/10 and y 3/10.
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("z", "nominal", ("a", "b")))
    rules = (
        Rule((Interval(0, 1010.0, inf),), label=1),
        Rule((Interval(1, 2013.0, inf),), label=1),
        Rule((Interval.none(0, missing=True),), label=0),
        Rule((Interval(0, 1000.0, inf), Interval(1, 2003.0, inf)), label=0),
    )
    model = RuleList(schema, Settings(), (), rules, Rule((), label=0))
    found = flip(model, dataset_of(schema, [(1005.0, 2010.0, None)]), 1)
    assert changed(found) == {"y": "y > 2013"}
    assert found is not None
    assert found.distance == pytest.approx(0.3)


def test_a_range_may_be_wider_than_the_largest_number() -> None:
    attribute = Attribute("x", "numeric", range=(-1.7e308, 1.7e308))
    schema = Schema((attribute,), Attribute("z", "nominal", ("a", "b")))
    rules = RuleList(schema, Settings(), (), (Rule((Interval(0, 1.6e308, inf),), label=1),), Rule((), label=0))
    found = flip(rules, dataset_of(schema, [(-1.6e308, None)]), 1)
    assert found is not None
    assert found.distance == pytest.approx(1.0)


def test_votes_are_counted() -> None:
    # Confidences 0.5 for a, 0.4 and 0.3 for b: all three say b, without the second it is a.
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("z", "nominal", ("a", "b")))
    rules = (
        Rule((Interval(0, 0.0, inf),), label=0, stated_confidence=0.5),
        Rule((Interval(1, 0.0, 4.0),), label=1, stated_confidence=0.4),
        Rule((Interval(0, -inf, 9.0),), label=1, stated_confidence=0.3),
    )
    model = RuleList(schema, Settings(), (), rules, Rule((), label=1), votes=True)
    found = flip(model, dataset_of(schema, [(1.0, 3.0, None)]), 0)
    assert changed(found) == {"y": "y > 4"}


def test_numbers_that_a_model_rounds_to_32_bits_are_changed_far_enough() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("z", "nominal", ("a", "b")))
    model = model_of(schema, Inner(threshold.Split(0, 0.1), ((1.0, 0.0), (0.0, 1.0))))
    single = replace(model, settings=model.settings.changed(single_precision=True))
    row = dataset_of(schema, [(0.0, None)])
    for each in (model, single):
        found = flip(each, row, 1)
        assert found is not None
        assert codes_said(each, found.row).tolist() == [1]
        nearest = replace(row, columns=[np.array([found.changes[0].nearest])])
        below = replace(row, columns=[np.array([nextafter(found.changes[0].nearest, -inf)])])
        assert (codes_said(each, nearest)[0], codes_said(each, below)[0]) == (1, 0)


def alternatives(model: Model, row: Dataset, fixed: set[int]) -> Iterator[list[float]]:
    """The values of each attribute that may matter: the row's own, all labels, all bounds and the next numbers."""
    if isinstance(model, RuleList):
        conditions = [c for rule in model.rules for c in rule.conditions]
    else:
        splits = [model.tree.split(node) for node in model.tree.inner_nodes()]
        conditions = [s.condition(b, model.schema) for s in splits for b in range(s.n_branches())]
    for index, attribute in enumerate(model.schema.attributes):
        own = row.columns[index][0].item()
        if index in fixed:
            yield [own]
        elif attribute.is_numeric:
            bounds = {b for c in conditions if c.attribute == index for b in (c.low, c.high) if abs(b) < inf}
            yield [own, *sorted(bounds | {nextafter(bound, inf) for bound in bounds} | {0.0})]
        else:
            yield [own, *(code for code in range(len(attribute.labels)) if code != own)]


def least_cost(model: Model, row: Dataset, label: int, fixed: set[int]) -> tuple[int, float] | None:
    """The cost of the cheapest row for which the model predicts the label."""
    rows = list(product(*alternatives(model, row, fixed)))
    columns = [np.array(values, old.dtype) for values, old in zip(zip(*rows, strict=True), row.columns, strict=True)]
    said = codes_said(model, Dataset(model.schema, columns, None, np.ones(len(rows))))
    own = [column[0].item() for column in row.columns]
    costs = []
    for values, code in zip(rows, said.tolist(), strict=True):
        if code == label:
            pairs = zip(model.schema.attributes, own, values, strict=True)
            steps = [
                _step(attribute, old, new, attribute.range or _bounds_range(model, index, old))
                for index, (attribute, old, new) in enumerate(pairs)
                if not (old == new or isnan(new))
            ]
            costs.append((len(steps), sum(steps)))
    return min(costs, default=None)


def _bounds_range(model: Model, index: int, old: float) -> tuple[float, float]:
    """The substitute for an unknown range: the thresholds of an attribute, and the row's own value."""
    if isinstance(model, RuleList):
        conditions = [c for rule in model.rules for c in rule.conditions if c.takes_known]
    else:
        splits = [model.tree.split(node) for node in model.tree.inner_nodes()]
        conditions = [s.condition(b, model.schema) for s in splits for b in range(s.n_branches())]
    bounds = [b for c in conditions if c.attribute == index and isinstance(c, Interval) for b in (c.low, c.high)]
    compared = [number for number in (*bounds, old) if abs(number) < inf] or [0.0]
    low, high = min(compared), max(compared)
    return (low, high) if high > low else (0.0, 1.0)


def _step(attribute: Attribute, old: float, new: float, span: tuple[float, float]) -> float:
    if attribute.is_numeric:
        low, high = span
        return 1.0 if isnan(old) else abs(new - old) / (high - low)
    if attribute.kind == "ordinal" and old >= 0:
        return abs(new - old) / (len(attribute.labels) - 1)
    return 1.0


def _is_small(model: TreeModel) -> bool:
    return len(model.schema.attributes) <= 3


@given(st.data())
def test_no_row_of_that_label_is_nearer(data: st.DataObject) -> None:
    tree = data.draw(models(is_classification=True).filter(_is_small))
    is_known = data.draw(st.booleans())
    attributes = tuple(
        replace(a, range=(0.0, 1e9) if a.is_numeric and is_known else None) for a in tree.schema.attributes
    )
    policy = data.draw(st.sampled_from(["missing", "majority"]))
    tree = replace(
        tree,
        schema=replace(tree.schema, attributes=attributes),
        settings=tree.settings.changed(unseen=policy),
    )
    row = data.draw(cases_for(tree, 1).filter(lambda rows: rows.n_rows == 1))
    model: Model = tree
    kind = data.draw(st.sampled_from(["tree", "list", "votes"]))
    if kind != "tree":
        # Fewer conditions and another order make the rules overlap.
        rules = of_tree(tree)
        shuffled = data.draw(st.permutations(rules.rules))
        model = replace(
            rules, rules=tuple(replace(r, conditions=r.conditions[:1]) for r in shuffled), votes=kind == "votes"
        )
    fixed = data.draw(st.sets(st.integers(0, len(attributes) - 1), max_size=1))
    for label in range(len(tree.schema.target.labels)):
        found, least = flip(model, row, label, fixed), least_cost(model, row, label, fixed)
        if found is None:
            assert least is None
            continue
        assert least is not None
        assert len(found.changes) == least[0]
        assert found.distance == pytest.approx(least[1], rel=1e-9)
        assert codes_said(model, found.row).tolist() == [label]
        assert not fixed & {change.attribute for change in found.changes}
        # The nearest values and the examples lie in the conditions that are shown.
        for change in found.changes:
            assert change.condition.holds(change.nearest)
            assert change.condition.holds(change.value)


def test_a_tree_with_many_labels_is_no_trouble() -> None:
    labels = tuple(f"l{code}" for code in range(500))
    schema = Schema((Attribute("x", "nominal", labels),), Attribute("z", "nominal", ("a", "b")))
    leaves = tuple((0.0, 1.0) if code == 499 else (1.0, 0.0) for code in range(500))
    model = model_of(schema, Inner(multiway.Split(0, 500), leaves))
    assert changed(flip(model, dataset_of(schema, [("l0", None)]), 1)) == {"x": "x = l499"}
