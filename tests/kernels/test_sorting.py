"""Sorting with ties in rpart's order."""

from __future__ import annotations

import numpy as np
import pytest

from treecli.kernels import sorting


def sort(values: list[float]) -> tuple[list[float], list[int]]:
    value, row = np.array(values), np.arange(len(values), dtype=np.int32)
    sorting.sort_with_rows(value, row, np.empty(2 * len(values) + 2, np.int64))
    return value.tolist(), row.tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 11])
def test_a_short_range_keeps_equal_values_in_their_order(n: int) -> None:
    values = [float(i % 3) for i in range(n)]
    assert sort(values)[1] == sorted(range(n), key=values.__getitem__)


def test_a_long_range_is_parted_first_which_turns_equal_values_about() -> None:
    # Worked by hand: the pivot is 0, the median of 1, 0 and 0. Rows 0 and 11 change places, then 2 and 7; 1 and 9 are
    # equal, and so are 3 and 5. The pointers meet at 4. What is left, 4 to 11, is short: the rows 4 5 6 2 8 9 10 0 with
    # the values 1 0 1 1 1 0 1 1.
    assert sort([1.0, 0.0] * 6) == ([0.0] * 6 + [1.0] * 6, [11, 1, 7, 3, 5, 9, 4, 6, 2, 8, 10, 0])


@pytest.mark.parametrize("seed", range(20))
def test_any_values_are_sorted_with_their_rows(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(0, random.integers(1, 200), random.integers(1, 500)).astype(float)
    value, row = sort(values.tolist())
    assert value == sorted(values)
    assert values[row].tolist() == value
    assert sorted(row) == list(range(len(values)))


@pytest.mark.parametrize("values", [range(300), range(300, 0, -1), [7] * 300])
def test_sorted_turned_and_equal_values_are_sorted(values: list[int]) -> None:
    assert sort([float(v) for v in values])[0] == sorted(values)
