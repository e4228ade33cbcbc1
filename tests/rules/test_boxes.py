from __future__ import annotations

from dataclasses import dataclass
from math import inf, nextafter
from sys import float_info

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.rows import Row, holds, rows
from treecli.data import Attribute, Schema
from treecli.rules.boxes import (
    Allowance,
    Box,
    Space,
    TooIntricateError,
    Witness,
    do_overlap,
    does_contain,
    intersection,
    shortest_between,
)
from treecli.rules.boxindex import Index, bits
from treecli.rules.rule import Rule
from treecli.values import Condition, Interval, Labels

SCHEMA = Schema(
    (
        Attribute("size", "numeric"),
        Attribute("colour", "nominal", ("red", "green", "blue")),
        Attribute("grade", "ordinal", ("low", "mid", "high")),
    ),
    Attribute("verdict", "nominal", ("yes", "no")),
)
SIZE, COLOUR, GRADE = range(3)
ABOVE_2 = nextafter(2.0, inf)


@dataclass(frozen=True)
class Drawn:
    """Boxes with their conditions, and the rows that distinguish them."""

    space: Space
    policy: str
    conditions: list[tuple[Condition, ...]]
    boxes: list[Box]
    rows: list[Row]

    def holds(self, position: int) -> set[Row]:
        return {row for row in self.rows if holds(self.conditions[position], row, self.policy)}

    def members(self, box: Box | None) -> set[Row]:
        if box is None:
            return set()
        conditions = [self.space.condition(values) for attribute, values in box.items()]
        return {row for row in self.rows if holds(conditions, row, self.policy)}


@st.composite
def _conditions(draw: st.DrawFn) -> tuple[Condition, ...]:
    found: list[Condition] = []
    flag = st.booleans()
    if draw(flag):
        low, high = sorted(draw(st.tuples(*[st.sampled_from((-inf, 1.0, 2.0, ABOVE_2, 3.0, inf))] * 2)))
        found.append(Interval(SIZE, low, high, draw(flag)))
    if draw(flag):
        found.append(Labels.of(COLOUR, tuple(sorted(draw(st.sets(st.integers(0, 2))))), draw(flag), draw(flag)))
    if draw(flag):
        low, high = sorted(draw(st.tuples(*[st.sampled_from((-inf, 0.0, 1.0, inf))] * 2)))
        found.append(Interval(GRADE, low, high, draw(flag), draw(flag)))
    return tuple(draw(st.permutations(found)))


@st.composite
def drawn(draw: st.DrawFn, n_boxes: int) -> Drawn:
    policy = draw(st.sampled_from(("missing", "majority")))
    space = Space(SCHEMA, tells_unseen=policy == "majority")
    is_possible = _conditions().filter(lambda conditions: space.box(conditions) is not None)
    conditions = [draw(is_possible) for _ in range(n_boxes)]
    boxes = [box for box in map(space.box, conditions) if box is not None]
    return Drawn(space, policy, conditions, boxes, rows(SCHEMA, [Rule(each) for each in conditions]))


@given(_conditions(), st.booleans())
def test_a_box_is_none_exactly_if_no_row_satisfies_the_conditions(
    conditions: tuple[Condition, ...], tells_unseen: bool
) -> None:
    policy = "majority" if tells_unseen else "missing"
    is_satisfied = any(holds(conditions, row, policy) for row in rows(SCHEMA, [Rule(conditions)]))
    assert (Space(SCHEMA, tells_unseen=tells_unseen).box(conditions) is not None) == is_satisfied


@settings(max_examples=examples(50))
@given(drawn(1))
def test_a_box_turned_into_conditions_holds_the_same_rows(one: Drawn) -> None:
    assert one.members(one.boxes[0]) == one.holds(0)


@settings(max_examples=examples(50))
@given(drawn(2))
def test_the_intersection_of_two_boxes_has_the_rows_of_both(two: Drawn) -> None:
    first, second = two.boxes
    common = two.holds(0) & two.holds(1)
    assert two.members(intersection(first, second)) == common
    assert do_overlap(first, second) == bool(common)
    assert does_contain(first, second) == (two.holds(1) <= two.holds(0))


@settings(max_examples=examples(50))
@given(drawn(2))
def test_the_difference_of_two_boxes_is_disjoint_and_complete(two: Drawn) -> None:
    parts = [two.members(part) for part in two.space.left_of(*two.boxes)]
    assert all(parts), "a part without a row"
    assert sum(map(len, parts)) == len(set().union(*parts))
    assert set().union(*parts) == two.holds(0) - two.holds(1)


@settings(max_examples=examples(50))
@given(drawn(5))
def test_uncovered_is_disjoint_and_exactly_outside_all_other_boxes(five: Drawn) -> None:
    first, *others = five.boxes
    parts = [five.members(part) for part in five.space.uncovered(first, others, Allowance(100_000))]
    assert all(parts), "a part without a row"
    assert sum(map(len, parts)) == len(set().union(*parts))
    assert set().union(*parts) == five.holds(0).difference(*map(five.holds, range(1, 5)))


@settings(max_examples=examples(50))
@given(drawn(5))
def test_an_index_finds_the_boxes_that_overlap(five: Drawn) -> None:
    first, *others = five.boxes
    found = set(bits(Index(others).overlapping(first)))
    assert found == {position for position, other in enumerate(others) if do_overlap(first, other)}
    for position in range(4):
        assert Index(others).has_overlapping(first, 1 << position, near=0) == (position in found)


def test_an_index_finds_boxes_in_all_its_blocks() -> None:
    boxes: list[Box] = [{SIZE: Interval(SIZE, float(n), n + 1.0)} for n in range(10_000)]
    # (4999.5, 5001.5] meets (4999, 5000], (5000, 5001] and (5001, 5002].
    assert list(bits(Index(boxes).overlapping({SIZE: Interval(SIZE, 4999.5, 5001.5, missing=True)}))) == [
        4999,
        5000,
        5001,
    ]
    assert Index(boxes).has_overlapping({SIZE: Interval(SIZE, 4999.5, 5001.5, missing=True)}, 1 << 5001, near=9999)
    assert not Index(boxes).has_overlapping({SIZE: Interval(SIZE, 4999.5, 5001.5, missing=True)}, 1 << 5002, near=5002)
    assert Index([]).overlapping({}) == 0


@settings(max_examples=examples(50))
@given(drawn(4))
def test_disjoint_parts_fill_a_box_exactly_if_nothing_of_it_is_uncovered(four: Drawn) -> None:
    whole, *others = four.boxes
    parts: list[Box] = []
    for other in others:  # made disjoint: of each what the ones before leave
        parts += four.space.uncovered(other, list(parts), Allowance(100_000))
    is_covered = four.holds(0) <= set().union(*map(four.holds, range(1, 4)))
    assert four.space.is_filled(whole, parts) == is_covered


@settings(max_examples=examples(50))
@given(drawn(1))
def test_a_witness_is_a_row_of_its_box(one: Drawn) -> None:
    box = one.boxes[0]
    witness = one.space.witness(box)
    assert set(witness) == set(box)
    row = tuple(_as_value(witness.get(attribute, 0.0)) for attribute in range(3))
    assert holds(one.conditions[0], row, one.policy)


def _as_value(value: float | str | None) -> float | str | None:
    return "unseen" if isinstance(value, str) else value


@settings(max_examples=examples(50))
@given(drawn(1))
def test_the_corners_of_a_box_are_rows_of_it(one: Drawn) -> None:
    inside = one.members(one.boxes[0])
    for corner in one.space.corners(one.boxes[0], range(3)):
        assert one.members(corner) <= inside
        assert intersection(corner, one.boxes[0]) == corner


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-inf, inf, 0.0),
        (-1.0, 0.0, 0.0),
        (0.0, inf, 1.0),
        (77.5, inf, 78.0),
        (-inf, -2.5, -3.0),
        (2.45, 4.75, 4.0),
        (2.45, 2.75, 2.7),
        (1234.0, 5678.0, 5000.0),
        (-5.5, -2.3, -3.0),
        (0.1, 0.125, 0.12),
        (1e-9, 3e-9, 3e-9),
        (2.0, ABOVE_2, ABOVE_2),
        (nextafter(0.3, 0), 0.3, 0.3),
        (float_info.max, inf, inf),
        (1e300, inf, nextafter(1e300, inf)),
        (-inf, -float_info.max, -float_info.max),
        (0.0, 5e-324, 5e-324),
    ],
)
def test_the_number_between_two_bounds_has_few_digits(low: float, high: float, expected: float) -> None:
    assert shortest_between(low, high) == expected


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_number_between_two_bounds_is_above_the_lower_and_up_to_the_upper(one: float, other: float) -> None:
    low, high = sorted((one, other))
    if low < high:
        number = shortest_between(low, high)
        assert low < number or low == -inf
        assert number <= high


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ((Interval(SIZE, 77.5, inf, True), Labels.of(COLOUR, (1, 2))), {SIZE: 78.0, COLOUR: 1}),
        ((Interval.none(SIZE, True),), {SIZE: None}),
        ((Labels.of(COLOUR, (), True, True),), {COLOUR: None}),
        ((Labels.of(COLOUR, (), False, True),), {COLOUR: "another label"}),
        ((Interval(GRADE, 0.0, inf),), {GRADE: 1}),
    ],
)
def test_a_witness_is_known_rather_than_missing_and_missing_rather_than_unseen(
    conditions: tuple[Condition, ...], expected: Witness
) -> None:
    space = Space(SCHEMA, tells_unseen=True)
    box = space.box(conditions)
    assert box is not None
    assert space.witness(box) == expected


def test_a_witness_with_an_unseen_label_avoids_the_labels_of_the_schema() -> None:
    schema = Schema((Attribute("x", "nominal", ("a", "another label")),), SCHEMA.target)
    assert Space(schema, tells_unseen=True).witness({0: Labels(0, 0, unseen=True)}) == {0: "another label!"}


def test_a_search_that_takes_too_long_is_given_up() -> None:
    space = Space(SCHEMA, tells_unseen=False)
    others: list[Box] = [{SIZE: Interval(SIZE, float(n), n + 1.0)} for n in range(100)]
    with pytest.raises(TooIntricateError):
        list(space.uncovered({}, others, Allowance(500)))
