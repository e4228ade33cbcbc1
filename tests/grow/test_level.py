"""The order of cases by a number: equal ones as in the file, missing ones last."""

from __future__ import annotations

from math import inf, nan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treecli.grow.level import MemoryLevel, SortedCases, sorted_cases

VALUES = st.lists(st.sampled_from([-inf, -1.5, -0.0, 0.0, 2.0, 1e300, inf, nan]), max_size=40)


@given(values=VALUES)
def test_equal_values_stand_as_in_the_file_and_missing_ones_last(values: list[float]) -> None:
    found = sorted_cases(np.array(values, np.float64))
    # Python's sort is stable, and False comes before True.
    expected = sorted(range(len(values)), key=lambda case: (values[case] != values[case], values[case]))
    is_missing = [case for case in range(len(values)) if values[case] != values[case]]
    assert found.case.tolist() == [case for case in expected if case not in is_missing] + is_missing
    np.testing.assert_array_equal(found.value, np.array(values)[found.case] if values else [])
    assert found.n_known.tolist() == [len(values) - len(is_missing)]


def test_a_level_is_divided_into_the_levels_that_are_taken_from_it_and_keeps_no_orders() -> None:
    # Three nodes of 2, 1 and 3 cases, with the case numbers of the whole level in their order by value.
    order = SortedCases(np.array([1, 0, 2, 5, 3, 4], np.int32), np.array([1.0, 2, 3, 4, 5, nan]), np.array([2, 1, 2]))
    of_cases = np.arange(6, dtype=np.int32), np.array([0, 1, 0, 1, 0, 1], np.int32), np.zeros(6), np.arange(6.0)
    outcomes, start = np.arange(6.0).reshape(3, 2), np.array([0, 2, 3, 6])
    numbers, key = np.array([7, 8, 9]), np.arange(3, dtype=np.uint64)
    level = MemoryLevel(numbers, outcomes, 1, start, *of_cases, np.zeros(3), outcomes, {0: order}, True, key)
    groups = [np.array([2, 0]), np.array([1])]
    taken = [level.taken(nodes) for nodes in groups]
    assert list(level.orders) == [0]
    divided = level.divided(groups)
    assert level.orders == {}
    for own, expected in zip(divided, taken, strict=True):
        for name in ("numbers", "start", "row", "label", "target", "weight", "totals", "key"):
            np.testing.assert_array_equal(getattr(own, name), getattr(expected, name))
        assert own.orders[0].case.tolist() == expected.orders[0].case.tolist()
    # Node 9 comes first: its cases 3 to 5 become 0 to 2, and those of node 7 become 3 and 4.
    assert divided[0].orders[0].case.tolist() == [2, 0, 1, 4, 3]
    np.testing.assert_array_equal(divided[0].orders[0].value, [4.0, 5, nan, 1, 2])
    assert divided[0].row.tolist() == [3, 4, 5, 0, 1]
    assert divided[0].orders[0].n_known.tolist() == [2, 2]
