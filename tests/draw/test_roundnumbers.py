from __future__ import annotations

from math import inf, nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treecli.data import Attribute
from treecli.draw.roundnumbers import SHORT, in_round_numbers, short_number
from treecli.values import Interval

X = Attribute("x", "numeric")


@pytest.mark.parametrize(
    ("threshold", "below", "above"),
    [
        (1.5750000000000002, "x <= 1.575", "x > 1.575"),
        (1.5749999999999995, "x < 1.575", "x >= 1.575"),
        (2.4499999999999997, "x < 2.45", "x >= 2.45"),
        (12.598, "x <= 12.598", "x > 12.598"),
        (0.1234567890, "x < 0.123457", "x >= 0.123457"),
        (20240115.25, "x <= 20240115", "x > 20240115"),
        (-1.23456789e-9, "x <= -1.23457e-09", "x > -1.23457e-09"),
    ],
)
def test_a_threshold_reads_short_and_on_the_right_side(threshold: float, below: str, above: str) -> None:
    assert in_round_numbers(Interval(0, high=threshold), X).wording(X) == below
    assert in_round_numbers(Interval(0, low=threshold), X).wording(X) == above


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(562949953421313.5)
def test_the_number_that_is_printed_is_on_the_side_that_is_printed(threshold: float) -> None:
    wording = in_round_numbers(Interval(0, high=threshold), X).wording(X)
    _, sign, number = wording.split(" ")
    # What stands there holds of the threshold's own side, whatever was rounded.
    assert (float(number) <= threshold) == (sign == "<=")


def test_bounds_that_would_meet_stay_as_they_are() -> None:
    narrow = Interval(0, 1.0000000000000002, 1.0000000000000009)
    assert in_round_numbers(narrow, X) == narrow
    point = Interval(0, nextafter(2.5, -inf), 2.5)
    assert in_round_numbers(point, X) == point


@given(st.floats(-1e5, 1e5))
def test_numbers_are_short_and_close(number: float) -> None:
    text = short_number(number)
    assert len(text) <= max(SHORT, len("-1.23457e-308"))
    assert float(text) == pytest.approx(number, rel=1e-5, abs=1e-300)
