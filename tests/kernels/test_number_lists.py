"""Lists of numbers in JSON are read as Python's json module reads them."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.kernels import number_lists
from treecli.kernels.parsing import Powers
from treecli.kernels.powers import powers_of_ten

POWERS = Powers(*powers_of_ten())


def integers_of(text: str) -> list[int] | None:
    found = np.empty(number_lists.most_numbers(len(text)), np.int64)
    n = number_lists.read_integers(memoryview(text.encode()), found)
    return None if n == number_lists.UNREAD else found[:n].tolist()


def numbers_of(text: str) -> list[float] | None:
    found = np.empty((1, number_lists.most_numbers(len(text))))
    n = number_lists.read_numbers(memoryview(text.encode()), found, POWERS)
    return None if n == number_lists.UNREAD else found[0, :n].tolist()


def compact(values: list[Any]) -> str:
    return json.dumps(values, separators=(",", ":"))


@given(st.lists(st.integers(-999_999_999, 999_999_999)))
def test_integers_of_up_to_nine_digits_are_read(values: list[int]) -> None:
    assert integers_of(compact(values)) == values


@given(st.lists(st.floats(-1e80, 1e80, allow_subnormal=False) | st.integers(-(10**17), 10**17)))
def test_numbers_are_the_nearest_doubles_or_left_to_others(values: list[float]) -> None:
    found = numbers_of(compact(values))
    assert found is None or compact(found) == compact([float(value) for value in values])


def test_numbers_of_the_usual_sizes_are_read() -> None:
    values = [0.1, -0.0, 123456.75, 1e-5, 0.30000000000000004, 17.0]
    assert compact(numbers_of(compact(values)) or []) == compact(values)


NEITHER = ["[1, 2]", "[ 1]", "[1 ]", "[[1],2]", "[null]", "[1,null]", '["1"]', "{}", "7"]


@pytest.mark.parametrize("text", [*NEITHER, "[1e2]", "[1.5]", "[1234567890]"])
def test_lists_that_are_not_read_as_integers(text: str) -> None:
    assert integers_of(text) is None


@pytest.mark.parametrize("text", [*NEITHER, "[1e400]", f"[{'9' * 20}]"])
def test_lists_that_are_not_read_as_numbers(text: str) -> None:
    assert numbers_of(text) is None
