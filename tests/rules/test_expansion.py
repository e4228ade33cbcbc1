"""M-of-n tests as exact sets of rows: expanded conditions, the smallest changes, and the regions of diff."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import inf, isnan, nan, nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.example_models import Inner, model_of
from tests.explain.test_counterfactual import codes_said, flip
from treecli.data import MISSING, UNSEEN, Attribute, Dataset, Schema
from treecli.difference.regions import compared, joint_predictions
from treecli.errors import UsageError
from treecli.expressions import Holds
from treecli.features import indicator, linear, mofn
from treecli.model import Model, TreeModel
from treecli.rules import expansion
from treecli.rules.expansion import expanded, only_counts
from treecli.rules.rulelist import of_tree
from treecli.splits import multiway, threshold
from treecli.tree import ALL_BRANCHES, STAYS
from treecli.values import Condition, Interval, Labels

PLAIN = Schema(
    (
        Attribute("x", "numeric", range=(0.0, 10.0)),
        Attribute("c", "nominal", ("red", "green", "blue")),
        Attribute("g", "ordinal", ("low", "mid", "high")),
    ),
    Attribute("t", "nominal", ("no", "yes")),
)
POINTS = [2.0, nextafter(2.0, inf), 5.0, nextafter(5.0, inf), nan]
VALUES: list[list[float]] = [POINTS, [0, 1, 2, MISSING, UNSEEN], [0, 1, 2, MISSING, UNSEEN]]

LITERALS = [Holds(0, high=2.0), Holds(0, low=2.0), Holds(0, low=5.0), Holds(1, labels=(0,)), Holds(1, labels=(1, 2))]
LITERALS += [Holds(2, labels=(2,)), Holds(2, labels=(0, 1)), Holds(2, labels=(0,))]

Row = tuple[float, ...]


def rows_of(cells: list[Row], schema: Schema) -> Dataset:
    kinds = (np.float64, np.int32, np.int32)
    columns: list[Any] = [np.array(own, kind) for own, kind in zip(zip(*cells, strict=True), kinds, strict=True)]
    return Dataset(schema, columns, None, np.ones(len(cells)))


ALL_ROWS: list[Row] = list(product(*VALUES))


def is_in(conditions: tuple[Condition, ...], row: Row, *, unseen_is_missing: bool = False) -> bool:
    def held(condition: Condition) -> bool:
        value = row[condition.attribute]
        if isnan(value) or (condition.attribute > 0 and value == MISSING):
            return condition.missing
        if condition.attribute > 0 and value == UNSEEN:
            return condition.missing if unseen_is_missing else condition.unseen
        return condition.holds(value)

    return all(map(held, conditions))


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Two columns that count up to four literals, and an indicator."""
    counts = [mofn.Feature(tuple(draw(st.permutations(LITERALS))[: draw(st.integers(1, 4))])) for _ in range(2)]
    own = indicator.Feature(1, (0, 2), float(draw(st.booleans())))
    features = [*dict.fromkeys(counts), own]
    return PLAIN.with_features(features)


@given(schemas(), st.data())
def test_exactly_one_conjunction_holds_where_the_condition_does(schema: Schema, data: st.DataObject) -> None:
    index = data.draw(st.integers(3, len(schema.columns) - 1))
    bounds = sorted(data.draw(st.lists(st.sampled_from([-inf, -0.5, 0.5, 1.5, 2.0, 3.5, inf]), min_size=2, max_size=2)))
    condition = Interval(index, bounds[0], bounds[1], missing=data.draw(st.booleans()))
    found = expanded([condition], schema)
    value_of_row = rows_of(ALL_ROWS, schema).column(index)
    for row, value in zip(ALL_ROWS, value_of_row.tolist(), strict=True):
        expected = condition.missing if isnan(value) else condition.takes_known and condition.holds(value)
        assert sum(is_in(conjunction, row) for conjunction in found) == int(expected), row


@st.composite
def trees(draw: st.DrawFn, schema: Schema) -> TreeModel:
    def node(depth: int) -> Any:
        if not depth or draw(st.integers(0, 4)) == 0:
            return tuple(float(draw(st.integers(1, 4))) for _ in range(2))
        column = draw(st.integers(0, len(schema.columns) - 1))
        to = draw(st.sampled_from([ALL_BRANCHES, STAYS, 0, 1]))
        if column in (1, 2):
            return Inner(multiway.Split(column, 3), tuple(node(depth - 1) for _ in range(3)), to)
        cut = draw(st.sampled_from([2.0, 5.0] if column == 0 else [0.5, 1.5, 2.5]))
        return Inner(threshold.Split(column, cut), (node(depth - 1), node(depth - 1)), to)

    model = model_of(schema, node(3))
    return replace(model, settings=model.settings.changed(unseen=draw(st.sampled_from(["missing", "majority"]))))


@given(st.data())
@settings(max_examples=examples(100))
def test_the_regions_of_two_models_hold_exactly_the_rows_on_which_they_differ(data: st.DataObject) -> None:
    a: Model = data.draw(trees(data.draw(schemas())))
    b: Model = data.draw(trees(data.draw(schemas())))
    form = data.draw(st.sampled_from(["trees", "rules", "votes"]))
    if form != "trees":
        assert isinstance(b, TreeModel)
        b = replace(of_tree(b), votes=form == "votes")
    comparison = compared(a, b)
    assert comparison.is_complete
    everything = tuple(comparison.space.everything)
    apart = not comparison.space.tells_unseen
    rows = [row for row in ALL_ROWS if is_in(everything, row, unseen_is_missing=apart)]
    joint = rows_of(rows, comparison.space.schema)
    said = [joint_predictions(side, joint, 1).tolist() for side in comparison.sides]
    for row, of_a, of_b in zip(rows, *said, strict=True):
        held = [r for r in comparison.regions if is_in(tuple(r.box.values()), row, unseen_is_missing=apart)]
        assert [(r.a, r.b) for r in held] == ([(of_a, of_b)] if of_a != of_b else []), row


def least_cost(model: Model, row: Row, label: int, fixed: set[int]) -> tuple[int, float] | None:
    """The least cost of the rows of a grid for which the model predicts the label: changes, then their sum."""
    choices = [[row[index]] if index in fixed else [row[index], *VALUES[index]] for index in range(3)]
    cells = [cell for cell in product(*choices) if _may_become(row, cell)]
    said = codes_said(model, rows_of(cells, model.schema)).tolist()
    costs = []
    for cell, code in zip(cells, said, strict=True):
        if code == label:
            steps = [_step(index, old, new) for index, (old, new) in enumerate(zip(row, cell, strict=True))]
            costs.append((sum(step > 0 for step in steps), sum(steps)))
    return min(costs, default=None)


def _may_become(row: Row, cell: Row) -> bool:
    pairs = enumerate(zip(row, cell, strict=True))
    return all(_is_same(old, new) or not (isnan(new) or (index and new < 0)) for index, (old, new) in pairs)


def _is_same(old: float, new: float) -> bool:
    return old == new or (isnan(old) and isnan(new))


def _step(index: int, old: float, new: float) -> float:
    if _is_same(old, new):
        return 0.0
    if isnan(old) or (index and old < 0):
        return 1.0
    return (abs(new - old) / 10, 1.0, abs(new - old) / 2)[index]


@given(st.data())
@settings(max_examples=examples(150))
def test_no_row_of_that_label_is_nearer(data: st.DataObject) -> None:
    tree = data.draw(trees(data.draw(schemas())))
    model: Model = tree
    form = data.draw(st.sampled_from(["tree", "list", "votes"]))
    if form != "tree":
        rules = of_tree(tree)
        shuffled = data.draw(st.permutations(rules.rules))
        own = tuple(replace(rule, conditions=rule.conditions[:1]) for rule in shuffled)
        model = replace(rules, rules=own, votes=form == "votes")
    row = data.draw(st.sampled_from(ALL_ROWS))
    fixed = data.draw(st.sets(st.integers(0, 2), max_size=1))
    for label in (0, 1):
        found, least = flip(model, rows_of([row], tree.schema), label, fixed), least_cost(model, row, label, fixed)
        if found is None:
            assert least is None
            continue
        assert least is not None
        assert len(found.changes) == least[0]
        assert found.distance == pytest.approx(least[1], rel=1e-9)
        assert codes_said(model, found.row).tolist() == [label]


def test_a_sum_of_attributes_cannot_be_expanded() -> None:
    schema = Schema(
        (Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("t", "nominal", ("no", "yes"))
    ).with_features([linear.Feature(((1.0, 0), (2.0, 1)))])
    assert not only_counts(schema)
    with pytest.raises(UsageError, match="has no exact regions"):
        expanded([Interval(2, 0.0)], schema)


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "MOST_PARTS", 5)
    attributes = tuple(Attribute(f"a{index}", "nominal", ("f", "t")) for index in range(6))
    feature = mofn.Feature(tuple(Holds(index, labels=(1,)) for index in range(6)))
    schema = Schema(attributes, PLAIN.target).with_features([feature])
    with pytest.raises(UsageError, match="combine in more than 5 ways"):
        expanded([Interval(6, 2.5)], schema)
    assert expanded([Interval(6, 5.5)], schema) == [tuple(Labels.of(index, [1]) for index in range(6))]
