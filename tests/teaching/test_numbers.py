"""Numbers are rounded half up, as in textbooks."""

from __future__ import annotations

from fractions import Fraction

import pytest

from treecli.teaching.numbers import Digits, Number


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [
        (0.0625, 3, "0.063"),
        (Fraction(7885, 10000), 3, "0.789"),
        (0.5 * (0.985 + 0.592), 3, "0.789"),  # 0.7885 up to the rounding of floats
        (0.7884999, 3, "0.788"),
        (-0.0625, 3, "−0.063"),
        (1.0, 3, "1.000"),
        (0.0, 3, "0"),
        (1e-16, 3, "0"),
        (0.0004, 3, "0.000"),
        (2.5, 0, "3"),
        (12345.6789, 2, "12345.68"),
    ],
)
def test_a_number_has_so_many_digits(number: Number, digits: int, text: str) -> None:
    assert Digits(digits).text(number) == text


def test_counts_are_whole_unless_cases_are_divided() -> None:
    assert [Digits().count(number) for number in (5.0, 13.4, 2.9999999999)] == ["5", "13.400", "3"]


def test_small_p_values_keep_their_first_digits() -> None:
    assert [Digits().probability(p) for p in (0.16977, 0.0004, 0.0)] == ["0.170", "4.0e-04", "0"]
