"""Packed lists: sorted by value, partitioned without losing their order."""

from __future__ import annotations

import numpy as np
import pytest

from treecli.data import Attribute, Dataset, Schema
from treecli.grow.lists import lists_of
from treecli.grow.plan import plan_of
from treecli.kernels import packed_lists
from treecli.kernels.packed_args import Lists, Search
from treecli.settings import Settings
from treecli.threads import Shared

N_ROWS = 200
N_CLASSES = 5


def dataset_of(columns: list[np.ndarray]) -> Dataset:
    classes = np.random.default_rng(2).integers(0, N_CLASSES, N_ROWS).astype(np.int32)
    schema = Schema(
        tuple(Attribute(f"x{i}", "numeric") for i in range(len(columns))),
        Attribute("class", "nominal", tuple(f"c{i}" for i in range(N_CLASSES))),
    )
    return Dataset(schema, columns, classes, np.ones(N_ROWS))


def packed(dataset: Dataset, **settings: object) -> tuple[Lists, list[int]]:
    with Shared(1) as shared:
        lists, live, _ = lists_of(dataset, plan_of(Settings.of(**settings), dataset), shared)
    return lists, live.tolist()


def unpacked(lists: Lists, begin: int, end: int) -> tuple[list[int], list[int], list[bool]]:
    """The rows, the classes and the lowest bits of some entries."""
    entry = np.asarray(lists.entry)[begin:end]
    class_mask = (1 << (lists.row_shift - 1)) - 1
    rows, classes = entry >> lists.row_shift, (entry >> 1) & class_mask
    return rows.tolist(), classes.tolist(), (entry & 1).astype(bool).tolist()


def changes(values: np.ndarray) -> list[bool]:
    return [False, *(values[1:] != values[:-1]).tolist()]


COLUMNS = {
    "distinct": np.random.default_rng(1).normal(size=N_ROWS),
    "ties": np.floor(np.random.default_rng(1).normal(size=N_ROWS) * 3),
    "crowded": np.append(np.random.default_rng(1).normal(size=N_ROWS - 1), 1e300),
    "falling": np.append(-np.arange(N_ROWS - 1.0), 1e300),
    "constant": np.ones(N_ROWS),
}


@pytest.mark.parametrize("name", list(COLUMNS))
def test_lists_are_sorted_and_equal_values_stay_in_the_order_of_the_file(name: str) -> None:
    column = COLUMNS[name]
    dataset = dataset_of([column, COLUMNS["ties"]])
    lists, live = packed(dataset)
    assert live == ([1] if name == "constant" else [0, 1])
    order = np.argsort(column, kind="stable")
    rows, classes, bits = unpacked(lists, 0, N_ROWS)
    assert rows == order.tolist()
    assert classes == np.asarray(dataset.target)[order].tolist()
    assert bits == changes(column[order])


def test_a_list_is_partitioned_in_its_order() -> None:
    column = COLUMNS["ties"]
    lists, _ = packed(dataset_of([COLUMNS["distinct"], column]))
    goes_left = np.random.default_rng(4).integers(0, 2, N_ROWS).astype(np.uint8)
    lists.goes_left = goes_left
    lo, hi = 30, 170
    before, _, _ = unpacked(lists, N_ROWS + lo, N_ROWS + hi)
    left = [row for row in before if goes_left[row]]
    right = [row for row in before if not goes_left[row]]
    search = Search()
    search.lo, search.hi, search.spare = lo, hi, np.empty(len(right) + 1, np.uint32)
    packed_lists.part(lists, search, 1)
    begin = N_ROWS + lo
    rows, _, bits = unpacked(lists, begin, begin + hi - lo)
    assert rows == left + right
    # The first bit of a side is never read.
    assert bits[1 : len(left)] == changes(column[left])[1:]
    assert bits[len(left) + 1 :] == changes(column[right])[1:]


def test_attributes_with_values_too_close_for_a_cut_are_known() -> None:
    lists, _ = packed(dataset_of([COLUMNS["distinct"], COLUMNS["ties"], COLUMNS["constant"]]), value_gap=0.5)
    assert np.asarray(lists.close).tolist() == [0, -1, -1]
    np.testing.assert_array_equal(np.asarray(lists.values), [COLUMNS["distinct"]])
