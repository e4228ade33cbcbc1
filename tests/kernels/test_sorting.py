"""Sorting numbers with their rows: where equal values end, compiled and uncompiled."""

from __future__ import annotations

import importlib.util
from math import inf
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treecli.kernels
from treecli.kernels import sorting


def _source() -> ModuleType:
    path = Path(treecli.kernels.__file__).parent / "sorting.py"
    spec = importlib.util.spec_from_file_location("sorting_as_python", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOURCE = _source()
UNTOUCHED = -7


@pytest.fixture(params=[sorting, SOURCE], ids=["installed", "python"])
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


def _sorted(kernel: ModuleType, values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Values and rows as the kernel leaves them, and a check that it kept to its scratch."""
    n = len(values)
    value, row = np.array(values, np.float64), np.arange(n, dtype=np.int32)
    around = np.full(6 * n + 6, UNTOUCHED, np.int64)
    kernel.sort_with_rows(value, row, around[2 * n + 2 : 4 * n + 4])
    assert (around[: 2 * n + 2] == UNTOUCHED).all()
    # No more than n numbers are ever pending, and the two that it begins with.
    assert (around[2 * n + 2 + max(n, 2) :] == UNTOUCHED).all()
    return value, row


Pairs = list[tuple[float, int]]


def _by_reference(pairs: Pairs) -> Pairs:
    """The same order by lists and recursion.

    Every value that stops the lower finger is paired with one that stops the upper: the places from the left whose
    value is not below the pivot with those from the right whose value is not above, until they pass each other.
    """
    if len(pairs) <= 11:
        return sorted(pairs, key=lambda pair: pair[0])
    last = len(pairs) - 1
    pivot = sorted(pairs[place][0] for place in (0, last // 2, last))[1]
    changed = list(pairs)
    stops_lower = [place for place in range(last + 1) if pairs[place][0] >= pivot]
    stops_upper = [place for place in range(last, -1, -1) if pairs[place][0] <= pivot]
    for low, high in zip(stops_lower, stops_upper, strict=False):
        if low < high and pairs[low][0] != pairs[high][0]:
            changed[low], changed[high] = pairs[high], pairs[low]
    lower = max((place for place in range(last + 1) if changed[place][0] < pivot), default=0)
    upper = min((place for place in range(last + 1) if changed[place][0] > pivot), default=last)
    return _by_reference(changed[: lower + 1]) + changed[lower + 1 : upper] + _by_reference(changed[upper:])


def _rows_of_reference(values: list[float]) -> list[int]:
    return [row for _, row in _by_reference([(value, row) for row, value in enumerate(values)])]


# Worked out by hand. A place is written as its value with its row in brackets; | stands where the fingers end.
BY_HAND = {
    "none": ([], []),
    "one": ([5], [0]),
    "two": ([2, 1], [1, 0]),
    # Inserted: equal values as they came.
    "eleven": ([2, 1, 2, 3, 1, 2, 3, 1, 2, 2, 1], [1, 4, 7, 10, 0, 2, 5, 8, 9, 3, 6]),
    # Pivot 2, of 2, 2, 2. Places 0 and 11 are equal and stay; 2 and 10 change, 3 and 9 change, 5 and 8 stay, 6 and 7
    # change, and the fingers have crossed:
    #   2(0) 1(1) 1(10) 2(9) 1(4) 2(5) 1(7) | 3(6) 2(8) 3(3) 2(2) 2(11)
    # The lower one steps back from 3(6) to 1(7), the upper one on to 3(6). 7 and 5 places are inserted.
    "twelve": ([2, 1, 2, 3, 1, 2, 3, 1, 2, 2, 1, 2], [1, 10, 4, 7, 0, 9, 5, 8, 2, 11, 6, 3]),
    # The middle of 0..11 is 5, not 6: pivot 1, of 1, 1, 2. Places 0 and 9 stay, 1 and 8 change, 2 and 5 stay, 3 and 4
    # change, crossed:
    #   1(0) 1(8) 1(2) 1(4) | 2(3) 1(5) 2(6) 2(7) 2(1) 1(9) 2(10) 2(11)
    # Nothing is below the pivot: the lower finger ends at place 0. Places 1 to 3 stay, 4 to 11 are inserted.
    "lower finger stops at the first": (
        [1, 2, 1, 2, 1, 1, 2, 2, 1, 1, 2, 2],
        [0, 8, 2, 4, 5, 9, 3, 6, 7, 1, 10, 11],
    ),
    # Pivot 2, of 1, 2, 2. The lower finger stops at 2, the upper one at 11: equal; 3 and 10 change, 5 and 9 stay, 7 and
    # 8 change, crossed:
    #   1(0) 1(1) 2(2) 1(10) 1(4) 2(5) 1(6) 1(8) | 2(7) 2(9) 2(3) 2(11)
    # Nothing is above the pivot: the upper finger ends at place 11. Places 8 to 10 stay, 0 to 7 are inserted.
    "upper finger stops at the last": (
        [1, 1, 2, 2, 1, 2, 1, 2, 1, 2, 1, 2],
        [0, 1, 10, 4, 6, 8, 2, 5, 7, 9, 3, 11],
    ),
    "equal": ([4] * 12, list(range(12))),
    # The fingers meet at place 6, at which neither has looked. It is below, above, or at the pivot, 2.
    "met at a low value": ([2] * 6 + [1] + [2] * 6, [6, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]),
    "met at a high value": ([2] * 6 + [3] + [2] * 6, [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 6]),
    "met at the pivot": ([2] * 13, list(range(13))),
    # Pivot 0, of 0, 0, 2. Places 0 and 6 stay; then the lower finger stops at 1, the upper one runs down to 0. That
    # leaves places 1 to 13. Their middle is 7: pivot 1, of 1, 1, 2. Places 1 and 11 stay, 2 and 9 change, 3 and 7 stay,
    # 4 and 6 change, and the fingers meet at 5, which is at the pivot and stays:
    #   0(0) : 1(1) 1(9) 1(3) 0(6) | 1(5) | 2(4) 1(7) 2(8) 2(2) 2(10) 1(11) 2(12) 2(13)
    "a long range within": (
        [0, 1, 2, 1, 2, 1, 0, 1, 2, 1, 2, 1, 2, 2],
        [0, 6, 1, 9, 3, 5, 7, 11, 4, 8, 2, 10, 12, 13],
    ),
}


@pytest.mark.parametrize(("values", "rows"), BY_HAND.values(), ids=BY_HAND)
def test_rows_end_where_the_procedure_by_hand_puts_them(
    kernel: ModuleType, values: list[float], rows: list[int]
) -> None:
    value, row = _sorted(kernel, values)
    assert row.tolist() == rows
    assert value.tolist() == sorted(values)


@pytest.mark.parametrize(("values", "rows"), BY_HAND.values(), ids=BY_HAND)
def test_the_reference_agrees_with_the_procedure_by_hand(values: list[float], rows: list[int]) -> None:
    assert _rows_of_reference(values) == rows


def _one_sided(n: int) -> list[float]:
    """Values of which every step sets but two apart: the lowest stands first, the next one in the middle."""
    if n <= 11:
        return [float(i) for i in range(n)]
    values = [0.0, 1.0] + [value + 2.0 for value in _one_sided(n - 2)]
    middle = (n - 1) // 2
    values[1], values[middle] = values[middle], values[1]
    return values


PATTERNS = {
    "rising": [float(i) for i in range(300)],
    "falling": [float(-i) for i in range(300)],
    "rising in steps": [float(i // 7) for i in range(300)],
    "falling in steps": [float(-i // 7) for i in range(301)],
    "up and down": [float(min(i, 300 - i)) for i in range(301)],
    "down and up": [float(max(i, 300 - i)) for i in range(301)],
    "saw": [float(i % 13) for i in range(300)],
    "two values in turn": [float(i % 2) for i in range(301)],
    "one larger at the front": [1.0] + [0.0] * 299,
    "one smaller at the end": [1.0] * 299 + [0.0],
    "one sided": _one_sided(300),
    "one sided from above": [-value for value in reversed(_one_sided(301))],
}


@pytest.mark.parametrize("values", PATTERNS.values(), ids=PATTERNS)
def test_patterns_are_sorted_as_by_the_reference(kernel: ModuleType, values: list[float]) -> None:
    value, row = _sorted(kernel, values)
    assert row.tolist() == _rows_of_reference(values)
    assert value.tolist() == sorted(values)


@pytest.mark.parametrize("n_distinct", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("n", [10, 11, 12, 13, 14, 23, 24, 25, 100, 1000])
def test_many_ties_are_left_as_by_the_reference(kernel: ModuleType, n: int, n_distinct: int) -> None:
    generator = np.random.default_rng([n, n_distinct])
    for _ in range(20 if n <= 100 else 2):
        values = (generator.integers(0, n_distinct, n) / 8.0).tolist()
        value, row = _sorted(kernel, values)
        assert row.tolist() == _rows_of_reference(values)
        assert value.tolist() == sorted(values)


VALUES = st.one_of(
    st.lists(st.sampled_from([-inf, -1.5, -0.0, 0.0, 2.0, 1e300, inf]), max_size=80),
    st.lists(st.floats(allow_nan=False), max_size=80),
)


@given(values=VALUES)
def test_every_row_stays_with_its_value_and_values_rise(values: list[float]) -> None:
    value, row = _sorted(sorting, values)
    assert sorted(row.tolist()) == list(range(len(values)))
    assert value.tobytes() == np.array(values, np.float64)[row].tobytes()  # bytes: -0.0 equals 0.0
    assert (value[:-1] <= value[1:]).all()


@given(values=st.lists(st.integers(0, 3).map(float), max_size=11))
def test_up_to_eleven_values_the_sort_is_stable(values: list[float]) -> None:
    _, row = _sorted(sorting, values)
    assert row.tolist() == np.argsort(values, kind="stable").tolist()


def test_twelve_values_may_change_the_order_of_equals() -> None:
    values = BY_HAND["twelve"][0]
    assert _sorted(sorting, values)[1].tolist() != np.argsort(values, kind="stable").tolist()


def test_the_rows_given_are_moved_whatever_they_are(kernel: ModuleType) -> None:
    value, row = np.array([3.0, 1.0, 2.0]), np.array([7, 7, -2], np.int32)
    kernel.sort_with_rows(value, row, np.empty(8, np.int64))
    assert (value.tolist(), row.tolist()) == ([1.0, 2.0, 3.0], [7, -2, 7])


@given(values=VALUES)
@settings(deadline=None)
def test_the_compiled_kernel_and_the_python_file_give_the_same_bytes(values: list[float]) -> None:
    installed, python = _sorted(sorting, values), _sorted(SOURCE, values)
    assert [part.tobytes() for part in installed] == [part.tobytes() for part in python]
