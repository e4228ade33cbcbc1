"""Rows divided into parts of given shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.experiment.partition import dealt, dealt_by_group, in_order

SHARES = st.sampled_from([[0.7, 0.3], [0.5, 0.2, 0.3], [0.1, 0.9], [0.34, 0.33, 0.33]])
CODES = st.lists(st.integers(0, 3), min_size=1, max_size=60)


@given(CODES, SHARES, st.integers(0, 3))
def test_every_class_has_its_share_in_every_part_within_a_row(
    strata: list[int], shares: list[float], seed: int
) -> None:
    codes = np.array(strata)
    parts = dealt(codes, shares, seed)
    for code in set(strata):
        counts = np.bincount(parts[codes == code], minlength=len(shares))
        # Each part after the first is rounded once, and cut from rows that may have been rounded before.
        assert np.abs(counts - np.array(shares) * (codes == code).sum()).max() < len(shares)


@given(st.integers(1, 200), st.integers(0, 3))
def test_the_number_of_rows_is_the_rounded_share(n_rows: int, seed: int) -> None:
    parts = dealt(np.zeros(n_rows, np.int64), [0.75, 0.25], seed)
    assert np.count_nonzero(parts) == int(n_rows * 0.25 + 0.5)


def test_another_seed_gives_another_division_and_the_same_seed_the_same() -> None:
    strata = np.zeros(100, np.int64)
    first, again, other = (dealt(strata, [0.5, 0.5], seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_in_order_the_last_rows_are_in_the_last_part() -> None:
    assert in_order(10, [0.5, 0.2, 0.3]).tolist() == [0] * 5 + [1] * 2 + [2] * 3


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=80), SHARES, st.integers(0, 3))
def test_a_group_is_in_one_part_and_no_part_is_empty(
    rows: list[tuple[int, int]], shares: list[float], seed: int
) -> None:
    _, groups = np.unique([group for group, _ in rows], return_inverse=True)
    strata = np.array([stratum for _, stratum in rows])
    if groups.max() + 1 < len(shares):
        return
    parts = dealt_by_group(groups, strata, shares, seed)
    assert all(len(set(parts[groups == group])) == 1 for group in range(groups.max() + 1))
    assert set(parts.tolist()) == set(range(len(shares)))


def test_groups_of_one_class_are_dealt_so_that_each_part_has_every_class() -> None:
    # Eight groups of two rows, four of each class: half of each class goes to each part.
    groups, strata = np.repeat(np.arange(8), 2), np.repeat([0, 0, 0, 0, 1, 1, 1, 1], 2)
    for seed in range(5):
        parts = dealt_by_group(groups, strata, [0.5, 0.5], seed)
        assert np.bincount(parts * 2 + strata).tolist() == [4, 4, 4, 4]


@pytest.mark.parametrize("seed", range(3))
def test_the_largest_group_goes_to_the_part_with_the_largest_share(seed: int) -> None:
    groups = np.repeat([0, 1, 2], [6, 3, 1])
    parts = dealt_by_group(groups, np.zeros(10, np.int64), [0.1, 0.3, 0.6], seed)
    assert parts.tolist() == [2] * 6 + [1] * 3 + [0]
