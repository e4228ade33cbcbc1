"""Sorting by digits gives the order of a stable sort."""

import numpy as np
import pytest

from treecli.data import Attribute, Dataset, Schema, in_single_precision
from treecli.grow import lists
from treecli.grow.plan import plan_of
from treecli.kernels import radix
from treecli.settings import Settings
from treecli.threads import Shared

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


def test_values_are_sorted_by_counting_them() -> None:
    # In hundredths: 30, 125, 30, 31; in order rows 0, 2, 3, 1, with new values at the third and the fourth place.
    column = np.array([0.3, 1.25, 0.3, 0.31])
    place, entry = np.zeros(96, np.int32), np.empty(4, np.uint32)
    assert radix.set_order_by_counts(column, 100.0, 30.0, place, np.arange(0, 8, 2, dtype=np.uint32), entry)
    assert entry.tolist() == [0, 4, 6 + 1, 2 + 1]
    assert (place[0], place[1], place[94], place[95]) == (2, 3, 3, 4)
    column[2] = 0.1 + 0.2
    assert not radix.set_order_by_counts(column, 100.0, 30.0, np.zeros(96, np.int32), entry.copy(), entry)


@pytest.mark.parametrize(
    ("step", "offset", "is_counted"),
    [
        (1.0, 0.0, True),
        (0.5, 2.0**21, True),
        (0.5, 2.0**24, False),  # above 2^24, numbers of 32 bits are 2 apart
    ],
)
def test_in_single_precision_values_are_counted_unless_some_become_equal(
    step: float, offset: float, is_counted: bool
) -> None:
    column = offset + step * RANDOM.permutation(N)
    attribute, target = Attribute("a", "numeric"), Attribute("t", "nominal", ("x", "y"))
    dataset = Dataset(Schema((attribute,), target), [column], np.arange(N, dtype=np.int32) % 2, np.ones(N))
    plan = plan_of(Settings().changed(criterion="gini", single_precision=True), dataset)
    found, live, _ = lists.lists_of(dataset, plan, Shared(1))
    rows = np.argsort(in_single_precision(column), kind="stable")
    value = in_single_precision(column)[rows]
    assert (np.asarray(found.entry) >> 2).tolist() == rows.tolist()
    assert (np.asarray(found.entry) & 1).tolist() == [0, *(value[1:] != value[:-1]).tolist()]
    assert live.tolist() == [0]
    assert (len(np.unique(value)) == N) == is_counted


def test_numbers_that_are_not_decimals_are_noticed() -> None:
    key, entry = np.empty(2, np.uint64), np.zeros(2, np.uint32)
    assert radix.set_decimal_keys(np.array([0.3, 1.25]), 100.0, 30.0, entry, key)
    assert (key >> np.uint64(32)).tolist() == [0, 95]
    assert not radix.set_decimal_keys(np.array([0.1 + 0.2, 1.25]), 100.0, 30.0, entry, key)
