"""Impurities against the textbook's formulas."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growing import spread
from treecli.kernels import impurity


def spreads(rows: list[list[float]], name: str) -> np.ndarray:
    out = np.empty(len(rows))
    impurity.spreads(np.array(rows, np.float64), impurity.CODES[name], 0.0, out)
    return out


# Mitchell (1997): nine days with tennis and five without have an entropy of 0.940. Gini 1 - (81 + 25)/196, error 5/14.
@pytest.mark.parametrize(("name", "expected"), [("entropy", 0.940286), ("gini", 90 / 196), ("error", 5 / 14)])
def test_nine_good_days_of_fourteen(name: str, expected: float) -> None:
    assert spreads([[9, 5]], name)[0] / 14 == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["entropy", "gini", "error"])
@pytest.mark.parametrize("row", [[0, 0, 0], [7, 0, 0], [0, 0, 0.25]])
def test_no_cases_and_a_single_class_are_pure(name: str, row: list[float]) -> None:
    assert spreads([row], name)[0] == 0.0


# k equal classes: log2 k bits, 1 - 1/k, 1 - 1/k.
@pytest.mark.parametrize(("name", "expected"), [("entropy", 3.0), ("gini", 0.875), ("error", 0.875)])
def test_equal_classes_are_the_most_mixed(name: str, expected: float) -> None:
    assert spreads([[2.5] * 8], name)[0] / 20 == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["entropy", "gini", "error"])
@given(st.lists(st.lists(st.integers(0, 40).map(lambda n: n / 8), min_size=3, max_size=3), min_size=1, max_size=5))
def test_any_class_weights_agree_with_the_formulas(name: str, rows: list[list[float]]) -> None:
    np.testing.assert_allclose(spreads(rows, name), [spread(row, name) for row in rows], atol=1e-11)


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(-1000, 1000)), min_size=1, max_size=8))
def test_the_deviance_of_numbers_agrees_with_exact_fractions(cases: list[tuple[int, int]]) -> None:
    weights, values = zip(*((Fraction(w, 4), Fraction(y, 8)) for w, y in cases), strict=True)
    pairs = list(zip(weights, values, strict=True))
    sums = [sum(weights), sum(w * y for w, y in pairs), sum(w * y * y for w, y in pairs)]
    mean = sums[1] / sums[0]
    exact = sum(w * (y - mean) ** 2 for w, y in pairs)
    assert spreads([[float(number) for number in sums]], "variance")[0] == pytest.approx(float(exact), abs=1e-8)


@pytest.mark.parametrize("row", [[0, 0, 0], [3, 6, 12], [1, 1e8, 1e16 - 2]])
def test_the_deviance_of_equal_numbers_is_never_negative(row: list[float]) -> None:
    assert spreads([row], "variance")[0] == 0.0
