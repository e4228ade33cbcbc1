"""Sorting in Weka's order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.kernels.weka_order import sort_with_rows

UNTOUCHED = -7


def _order(values: list[float]) -> list[int]:
    n = len(values)
    value, row = np.array(values, np.float64), np.arange(n)
    around = np.full(3 * n + 6, UNTOUCHED, np.int64)
    sort_with_rows(value, row, around[n + 2 : 2 * n + 4])
    assert (around[: n + 2] == UNTOUCHED).all()
    assert (around[2 * n + 4 :] == UNTOUCHED).all()
    assert np.array_equal(value, np.nan_to_num(np.array(values)[row], nan=np.finfo(np.float64).max))
    return row.tolist()


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([], []),
        ([1.0], [0]),
        ([2.0, 1.0], [1, 0]),
        ([1.0, 1.0, 1.0], [0, 1, 2]),
        ([np.nan, np.nan], [0, 1]),
        ([np.nan, 1.0, 2.0, np.nan], [1, 2, 0, 3]),
        ([1.0, 1.0, 1.0, 1.0, 1.0], [0, 3, 2, 1, 4]),
        ([2.0, 0.0, 2.0, 1.0, np.nan, 0.0, 2.0, np.nan, 1.0, 1.0], [5, 1, 3, 9, 8, 6, 0, 2, 7, 4]),
        ([3, 1, 0, 3, 2, np.nan, 2, 0, 1, np.nan, 3, 1], [7, 2, 11, 8, 1, 4, 6, 0, 3, 10, 9, 5]),
    ],
)
def test_equal_and_missing_values_have_the_order_of_weka(values: list[float], order: list[int]) -> None:
    """The orders are those of Weka 3.6.14 (Instances.sort)."""
    assert _order(values) == order


@given(st.lists(st.one_of(st.integers(0, 4).map(float), st.just(np.nan)), max_size=60))
def test_known_values_ascend_and_missing_ones_come_last(values: list[float]) -> None:
    ordered = np.array(values)[_order(values)] if values else np.array([])
    known = ordered[~np.isnan(ordered)]
    assert np.array_equal(ordered[: len(known)], np.sort(known))
