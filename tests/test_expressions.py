"""Expressions: their values, the order of their operations, and missing values."""

from __future__ import annotations

from functools import reduce
from math import inf, isnan, nan
from operator import add, mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.expressions import (
    Expression,
    Holds,
    Number,
    Product,
    Sum,
    Value,
    attributes_of,
    leaves_of,
    values_of,
    weighted_sum,
)

NUMBERS = np.array([1.0, -2.0, nan, inf, -inf, 0.5])
CODES = np.array([0, 1, -1, -2, 2, 1], np.int32)


def values(expression: Expression) -> list[float]:
    return values_of(expression, [NUMBERS, CODES].__getitem__, len(NUMBERS)).tolist()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (Number(2.5), [2.5] * 6),
        (Value(0), [1.0, -2.0, nan, inf, -inf, 0.5]),
        (Value(0, instead=7.0), [1.0, -2.0, 7.0, inf, -inf, 0.5]),
        (Holds(0, high=0.5), [0.0, 1.0, nan, 0.0, 1.0, 1.0]),  # up to and including, with -inf
        (Holds(0, low=0.5), [1.0, 0.0, nan, 1.0, 0.0, 0.0]),
        (Holds(0, low=-2.0, high=1.0), [1.0, 0.0, nan, 0.0, 0.0, 1.0]),
        (Holds(1, labels=(0, 2)), [1.0, 0.0, nan, nan, 1.0, 0.0]),  # an unseen label counts as missing
        (Holds(1, labels=(0, 2), instead=0.25), [1.0, 0.0, 0.25, 0.25, 1.0, 0.0]),
        (Sum((Holds(0, low=0.0), Holds(1, labels=(1,)))), [1.0, 1.0, nan, nan, 0.0, 2.0]),
        (Product((Number(3.0), Value(0, instead=1.0))), [3.0, -6.0, 3.0, inf, -inf, 1.5]),
        (weighted_sum([(2.0, Value(0, 0.0))], 10.0), [12.0, 6.0, 10.0, inf, -inf, 11.0]),
    ],
)
def test_an_expression_has_these_values(expression: Expression, expected: list[float]) -> None:
    assert [None if isnan(value) else value for value in values(expression)] == [
        None if isnan(value) else value for value in expected
    ]


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), min_size=1, max_size=40))
def test_terms_are_added_from_left_to_right_after_each_product_is_rounded(pairs: list[tuple[float, float]]) -> None:
    columns = [np.array([value] * 3) for _, value in pairs]
    expression = weighted_sum([(factor, Value(index)) for index, (factor, _) in enumerate(pairs)])
    expected = reduce(add, (factor * value for factor, value in pairs))
    assert values_of(expression, columns.__getitem__, 3).tolist() == [expected] * 3


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20))
def test_factors_are_multiplied_from_left_to_right(factors: list[float]) -> None:
    expression = Product(tuple(map(Number, factors)))
    assert values_of(expression, [].__getitem__, 1).tolist() == [reduce(mul, factors)]


def test_the_order_matters() -> None:
    one, other = Sum((Number(0.1), Number(0.2), Number(0.3))), Sum((Number(0.1), Sum((Number(0.2), Number(0.3)))))
    assert (values(one)[0], values(other)[0]) == (0.1 + 0.2 + 0.3, 0.1 + (0.2 + 0.3))
    assert values(one) != values(other)


def test_the_attributes_of_an_expression_are_listed_once() -> None:
    expression = Sum((Value(4), Product((Value(1), Value(4), Number(2.0))), Holds(0, labels=(1,))))
    assert attributes_of(expression) == [0, 1, 4]
    assert list(leaves_of(expression)) == [Value(4), Value(1), Value(4), Number(2.0), Holds(0, labels=(1,))]
