"""The wording of conditions, and the values that satisfy them."""

from __future__ import annotations

from math import inf

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


LOWS, HIGHS = (st.floats(allow_nan=False, allow_infinity=False) | st.just(bound) for bound in (-inf, inf))
INTERVALS = st.builds(
    lambda bounds, missing: Interval(0, *sorted(bounds), missing=missing), st.tuples(LOWS, HIGHS), st.booleans()
)
LABELS = st.builds(
    lambda codes, missing: Labels.of(0, tuple(sorted(codes)), missing), st.sets(st.integers(0, 5)), st.booleans()
)


@given(INTERVALS, INTERVALS, st.floats(allow_nan=False) | st.none())
def test_a_merged_interval_holds_where_both_do(one: Interval, other: Interval, value: float | None) -> None:
    assert (one & other).holds(value) == (one.holds(value) and other.holds(value))


@given(LABELS, LABELS, st.integers(0, 5) | st.none())
def test_merged_labels_hold_where_both_do(one: Labels, other: Labels, value: int | None) -> None:
    assert (one & other).holds(value) == (one.holds(value) and other.holds(value))


def test_a_bound_belongs_to_the_lower_interval() -> None:
    assert Interval(0, high=2.5).holds(2.5)
    assert not Interval(0, low=2.5).holds(2.5)
    assert Interval(0, low=2.5).holds(inf)
    assert Interval(0, high=2.5).holds(-inf)
