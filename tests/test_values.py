"""The wording of conditions, and the values that satisfy them."""

from __future__ import annotations

from math import inf, nextafter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.data import Attribute
from treecli.values import Condition, Interval, Labels
from treecli.wording import number_text, quoted

AGE = Attribute("age", "numeric")
GRADE = Attribute("grade", "ordinal", ("low", "mid", "high"))
COLOUR = Attribute("colour", "nominal", ("red", "green", "dark blue", "or"))


@pytest.mark.parametrize(
    ("condition", "attribute", "words"),
    [
        (Interval(0, high=30.0), AGE, "age <= 30"),
        (Interval(0, low=30.0), AGE, "age > 30"),
        (Interval(0, 0.1, 2.5), AGE, "0.1 < age <= 2.5"),
        (Interval(0, low=-1e-7, missing=True), AGE, "age > -1e-07 or missing"),
        (Interval(0), AGE, "age is known"),
        (Interval.none(0, missing=True), AGE, "age is missing"),
        (Interval(0, high=1.0), GRADE, "grade <= mid"),
        (Interval(0, low=0.0), GRADE, "grade > low"),
        (Labels.of(0, (1,)), COLOUR, "colour = green"),
        (Labels.of(0, (2,), missing=True), COLOUR, "colour = dark blue or missing"),
        (Labels.of(0, (0, 1, 3)), COLOUR, "colour != dark blue"),
        (Labels.of(0, (0, 3)), COLOUR, 'colour in {red, "or"}'),
        (Labels.of(0, (0, 1, 2, 3)), COLOUR, "colour is known"),
        (Labels.of(0, (), missing=True), COLOUR, "colour is missing"),
    ],
)
def test_a_condition_is_put_into_words(condition: Condition, attribute: Attribute, words: str) -> None:
    assert condition.wording(attribute) == words


@pytest.mark.parametrize(
    ("condition", "attribute", "record"),
    [
        (Interval(0, 0.1, 2.5), AGE, {"attribute": "age", "above": 0.1, "at_most": 2.5, "missing": False}),
        (Interval(0, high=1.0, missing=True), GRADE, {"attribute": "grade", "at_most": "mid", "missing": True}),
        (Labels.of(0, (0, 3)), COLOUR, {"attribute": "colour", "labels": ["red", "or"], "missing": False}),
    ],
)
def test_json_names_labels_and_leaves_out_bounds_that_bind_nothing(
    condition: Condition, attribute: Attribute, record: dict[str, object]
) -> None:
    assert condition.to_json(attribute) == record


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Sunny", "Sunny"),
        ("dark blue", "dark blue"),
        ("naïve-Bayes_2.5", "naïve-Bayes_2.5"),
        ("", '""'),
        (" padded", '" padded"'),
        ("two  spaces", '"two  spaces"'),
        ("a: b", '"a: b"'),
        ("a<=b", '"a<=b"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("back\\slash", '"back\\\\slash"'),
        ("line\nbreak", '"line\\u{a}break"'),
        ("\x1b[31mred", '"\\u{1b}[31mred"'),
        ("salt and pepper", '"salt and pepper"'),
        ("sandy", "sandy"),
    ],
)
def test_a_text_is_quoted_only_where_it_could_be_misread(text: str, shown: str) -> None:
    assert quoted(text) == shown


@given(st.text(st.characters(codec="utf-8")))
def test_no_text_can_break_a_line_or_draw_on_the_terminal(text: str) -> None:
    assert quoted(text).isprintable()


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_different_texts_are_never_shown_alike(one: str, other: str) -> None:
    assert (quoted(one) == quoted(other)) == (one == other)


@given(st.floats(allow_nan=False))
def test_a_printed_number_reads_back_as_itself(number: float) -> None:
    assert float(number_text(number)) == number


BOUNDS = st.sampled_from((-inf, -1e308, -1.0, 0.0, nextafter(0.0, 1.0), 1.0, 2.0, inf)) | st.floats(allow_nan=False)
INTERVALS = st.builds(Interval, st.just(0), BOUNDS, BOUNDS, st.booleans(), st.booleans())
LABELS = st.builds(Labels, st.just(0), st.integers(0, 63), st.booleans(), st.booleans())
PAIRS = st.tuples(INTERVALS, INTERVALS) | st.tuples(LABELS, LABELS)
VALUES = st.integers(0, 5) | st.sampled_from((-inf, inf, -1.0, 0.5)) | st.floats(allow_nan=False) | st.none()


def holds(condition: Condition, value: float | None) -> bool:
    """Whether a set holds a value; a label has a whole number as its code."""
    is_code = value is None or (value >= 0 and value == int(min(value, 10.0)))
    return condition.holds(value) if isinstance(condition, Interval) or is_code else False


@given(PAIRS, VALUES)
def test_an_intersection_holds_what_both_hold(pair: tuple[Any, Any], value: float | None) -> None:
    one, other = pair
    both = one & other
    assert holds(both, value) == (holds(one, value) and holds(other, value))
    assert both.unseen == (one.unseen and other.unseen)
    assert one.overlaps(other) == (not both.is_empty)


@given(PAIRS, VALUES)
def test_a_difference_holds_once_what_the_first_alone_holds(pair: tuple[Any, Any], value: float | None) -> None:
    one, other = pair
    parts = one - other
    assert sum(holds(part, value) for part in parts) == (holds(one, value) and not holds(other, value))
    assert sum(part.unseen for part in parts) == (one.unseen and not other.unseen)
    assert not any(part.is_empty for part in parts)
    assert other.contains(one) == (not parts)


@given(PAIRS, VALUES)
def test_a_union_holds_what_either_holds_and_exists_unless_there_is_a_gap(
    pair: tuple[Any, Any], value: float | None
) -> None:
    one, other = pair
    union = one.join(other)
    if union is None:
        low, high = sorted(pair, key=lambda interval: interval.low)
        assert low.high < high.low
        return
    assert holds(union, value) == (holds(one, value) or holds(other, value))
    assert (union.missing, union.unseen) == (one.missing or other.missing, one.unseen or other.unseen)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Interval(0, 1.0, 2.0), Interval(0, 2.0, 3.0, missing=True), Interval(0, 1.0, 3.0, missing=True)),
        (Interval(0, 1.0, 2.0), Interval(0, nextafter(2.0, inf), 3.0), None),  # the next double after 2 is in neither
        (Interval(0, 1.0, 2.0), Interval.none(0, missing=True), Interval(0, 1.0, 2.0, missing=True)),
        (Labels(0, 0b001), Labels(0, 0b100), Labels(0, 0b101)),
    ],
)
def test_a_union_is_one_set_of_values_or_none(one: Any, other: Any, expected: Condition | None) -> None:
    assert one.join(other) == expected


def test_all_intervals_without_known_values_are_equal() -> None:
    assert Interval(0, 3.0, 3.0) == Interval(0, 5.0, 1.0) == Interval(0, inf, inf) == Interval.none(0)
    assert Interval.none(0).is_empty
    assert not Interval.none(0, missing=True).is_empty


@given(st.sets(st.integers(0, 300)))
def test_labels_have_the_codes_that_they_were_made_of_in_order(codes: set[int]) -> None:
    assert Labels.of(0, codes).codes == tuple(sorted(codes))


def test_a_bound_belongs_to_the_lower_interval() -> None:
    assert Interval(0, high=2.5).holds(2.5)
    assert not Interval(0, low=2.5).holds(2.5)
    assert Interval(0, low=2.5).holds(inf)
    assert Interval(0, high=2.5).holds(-inf)
