"""Sorting by digits gives the order of a stable sort."""

import numpy as np
import pytest

from treecli.grow import lists
from treecli.kernels import radix

N = lists.FEWEST_BY_DIGITS + 5

RANDOM = np.random.default_rng(3)

COLUMNS = {
    "integers": RANDOM.integers(-40, 40, N).astype(float),
    "tenths below one": RANDOM.integers(1, 9, N) / 10,
    "four decimals": RANDOM.normal(size=N).round(4),
    "zeros of both signs": np.where(RANDOM.random(N) < 0.5, -0.0, 0.0) + RANDOM.integers(0, 2, N),
    "all digits": RANDOM.normal(size=N),
    "one value with more decimals": np.append(RANDOM.integers(0, 9, N - 1) / 2, 0.1 + 0.2),
    "integers beyond 32 bits": RANDOM.integers(-(2**40), 2**40, N).astype(float),
    "largest and smallest numbers": np.append(RANDOM.normal(size=N - 2), [1e308, -1e308]),
}


@pytest.mark.parametrize("n_bits", [1, 10, 11, 12, 22, 23, 32])
def test_keys_are_sorted_by_their_upper_half_and_equal_ones_keep_their_order(n_bits: int) -> None:
    place = RANDOM.integers(0, 1 << n_bits, 400).astype(np.uint64)
    place[:2] = 0, (1 << n_bits) - 1
    key = (place << np.uint64(32)) | RANDOM.integers(0, 1 << 32, 400).astype(np.uint64)
    expected = key[np.argsort(place, kind="stable")]
    spare = np.empty_like(key)
    is_in_spare = radix.sort_keys(key, spare, np.empty(1 << radix.DIGIT_BITS, np.int64), n_bits)
    assert (spare if is_in_spare else key).tolist() == expected.tolist()


@pytest.mark.parametrize("name", COLUMNS)
def test_a_list_is_in_the_order_of_the_values_and_flags_where_they_change(name: str) -> None:
    column, entry = COLUMNS[name], np.empty(N, np.uint32)
    assert lists.set_order(column, np.arange(N, dtype=np.uint32) << np.uint32(1), 1, entry)
    rows = np.argsort(column, kind="stable")
    assert (entry >> 1).tolist() == rows.tolist()
    value = column[rows]
    assert (entry & 1).tolist() == [0, *(value[1:] != value[:-1]).tolist()]


def test_numbers_that_are_not_decimals_are_noticed() -> None:
    key, entry = np.empty(2, np.uint64), np.zeros(2, np.uint32)
    assert radix.set_decimal_keys(np.array([0.3, 1.25]), 100.0, 30.0, entry, key)
    assert (key >> np.uint64(32)).tolist() == [0, 95]
    assert not radix.set_decimal_keys(np.array([0.1 + 0.2, 1.25]), 100.0, 30.0, entry, key)
