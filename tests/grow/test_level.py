"""The order of cases by a number: equal ones as in the file, missing ones last."""

from __future__ import annotations

from math import inf, nan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treecli.grow.level import sorted_cases

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
