"""Build the packed lists: the cases sorted by each attribute, for the kernels that grow whole subtrees."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, isfinite
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from treecli.data import Dataset, in_single_precision
from treecli.grow.candidates import Codes, Flags, Floats
from treecli.kernels import codes, packed_lists
from treecli.kernels.args import Plan
from treecli.kernels.packed_args import Lists
from treecli.threads import Shared

Entries = NDArray[np.uint32]
Keys = NDArray[np.uint64]

ENTRY_BITS = 32
"""Bits of a list entry, which holds a row and, in its lowest bit, whether the value differs from the one before."""

BUCKETS = 2.0**32 - 1
"""Values are first sorted by bucket, with this many buckets of equal width, and compared only within a bucket."""

FEWEST_BY_DIGITS = 1 << 14
"""From this number of values on, sorting by digits is faster than numpy's sort."""

MOST_DECIMALS = 6
"""Values with at most this many decimals are sorted as integers."""

MOST_KEYS = 1 << 18
"""Values with up to so many different keys are sorted by counting, while the counts stay in the cache."""

MOST_KEYS_PER_VALUE = 4
"""With more keys for each value, sorting digit by digit is faster."""

PIECE = 1 << 14
"""Numbers whose logarithms are computed at once."""

N_PROBED = 64
"""The number of values from which the number of decimals is guessed."""

CLEARLY = 2.0
"""Values this many gaps apart are so after any rounding."""


def row_shift(dataset: Dataset) -> int:
    """Return the number of bits of an entry below the row number."""
    n_classes = len(dataset.schema.target.labels) if dataset.schema.is_classification else 1
    return 1 + (n_classes - 1).bit_length()


def column_of(dataset: Dataset, plan: Plan, attribute: int) -> Floats:
    """Return the values of an attribute, rounded to 32 bits if the plan says so."""
    column = cast("Floats", dataset.columns[attribute])
    return in_single_precision(column) if plan.is_single else column


def lists_of(dataset: Dataset, plan: Plan, shared: Shared) -> tuple[Lists, Codes, Flags]:
    """Return the lists of all cases, and the non-constant attributes.

    The last are flags of the attributes that have values less than CLEARLY gaps of the plan apart.
    """
    n, n_attributes = dataset.n_rows, len(dataset.columns)
    lists = Lists()
    lists.stride, lists.n_attributes, lists.row_shift = n, n_attributes, row_shift(dataset)
    # A numeric target needs one more list: the cases in the order of the file.
    lists.entry = np.empty((n_attributes + plan.is_numeric) * n, np.uint32)
    lists.goes_left = np.empty(n, np.uint8)
    lists.target_of_row = np.asarray(dataset.target, np.float64) if plan.is_numeric else np.empty(0)
    lists.is_single = plan.is_single and plan.arithmetic == codes.SKLEARN
    lists.min_side = min(max(ceil(max(plan.min_leaf - plan.tolerance, plan.min_rows)), 1), n)
    entry_of_row = np.arange(n, dtype=np.uint32)
    entry_of_row <<= np.uint32(lists.row_shift)
    if not plan.is_numeric:
        entry_of_row |= np.asarray(dataset.target).astype(np.uint32) << np.uint32(1)
    if plan.is_numeric:
        np.asarray(lists.entry)[n_attributes * n :] = entry_of_row
    is_live, is_close, is_near = np.zeros((3, n_attributes), bool)
    # Room that threads have sorted in, and that the next attribute takes: getting new memory takes time.
    rooms: list[Keys] = []

    def sort(attribute: int) -> None:
        begin = attribute * n
        own, counted = lists, _counted_column(dataset, plan, attribute, entry_of_row, lists)
        if counted is None:
            values = np.ascontiguousarray(column_of(dataset, plan, attribute), np.float64)
            entry = np.asarray(lists.entry)[begin : begin + n]
            is_live[attribute] = set_order(values, entry_of_row, lists.row_shift, entry, rooms)
        else:
            is_live[attribute] = True
            if plan.value_gap > 0:
                values = _rounded_values(counted, plan)
                own, begin = _list_of_values(len(values), lists.is_single), 0
        if is_live[attribute] and plan.value_gap > 0:
            is_near[attribute] = packed_lists.has_close_values(own, values, begin, CLEARLY * plan.value_gap)
            if is_near[attribute]:
                is_close[attribute] = packed_lists.has_close_values(own, values, begin, plan.value_gap)

    shared.do(sort, range(n_attributes))
    needs_logarithms = plan.impurity == codes.ENTROPY or plan.rank == codes.BY_RATIO
    lists.xlog2_of = xlog2_table(n + 1 if needs_logarithms else 0)
    lists.close = np.where(is_close, np.cumsum(is_close) - 1, -1).astype(np.int32)
    close = [column_of(dataset, plan, a) for a in np.flatnonzero(is_close).tolist()]
    lists.values = np.stack(close) if close else np.empty((0, n))
    return lists, np.flatnonzero(is_live).astype(np.int32), is_near


def lists_of_some(lists: Lists, row_of_number: Codes) -> Lists:
    """Return the lists for a node in which these rows have numbers from 0 on instead; the entries are shared."""
    some = Lists()
    some.entry, some.goes_left = lists.entry, np.empty(len(row_of_number), np.uint8)
    some.stride, some.n_attributes, some.row_shift = lists.stride, lists.n_attributes, lists.row_shift
    some.target_of_row = np.asarray(lists.target_of_row)[row_of_number if len(lists.target_of_row) else slice(0)]
    some.xlog2_of, some.close, some.is_single = lists.xlog2_of, lists.close, lists.is_single
    some.values, some.min_side = np.asarray(lists.values)[:, row_of_number], lists.min_side
    return some


def xlog2_table(n: int) -> Floats:
    """Return k log2 k for every integer k below n."""
    # numpy's logarithm differs from the one in kernels/impurity in the last bit of some numbers.
    xlog2_of = np.arange(n, dtype=np.float64)
    # In pieces: the logarithms of all take as much memory as the table.
    for begin in range(1, n, PIECE):
        piece = xlog2_of[begin : begin + PIECE]
        piece *= np.log2(piece)
    return xlog2_of


class Counted(NamedTuple):
    """How many values of a column are at most an integer from `lowest` on, divided by a power of ten."""

    n_up_to: Codes
    lowest: int
    power: float

    def values(self) -> Floats:
        """Return the different values in ascending order."""
        return (np.flatnonzero(np.diff(self.n_up_to, prepend=0)) + self.lowest) / self.power


def _counted_column(
    dataset: Dataset, plan: Plan, attribute: int, entry_of_row: Entries, lists: Lists
) -> Counted | None:
    """Fill the list of an attribute if its values have few decimals; None if they do not, or if all are equal.

    Rounding to 32 bits keeps the order: only if two values become equal, the rounded ones must be sorted.
    """
    column, begin = dataset.columns[attribute], attribute * lists.stride
    if column.dtype != np.float64 or not column.flags.c_contiguous or len(column) < FEWEST_BY_DIGITS:
        return None
    counted = _counted(cast("Floats", column), entry_of_row, np.asarray(lists.entry)[begin : begin + len(column)])
    if counted is None or not plan.is_single:
        return counted
    values = _rounded_values(counted, plan)
    return counted if (values[1:] > values[:-1]).all() else None


def _rounded_values(counted: Counted, plan: Plan) -> Floats:
    """Return the different values, rounded to 32 bits if the plan says so."""
    return in_single_precision(counted.values()) if plan.is_single else counted.values()


def _list_of_values(n: int, is_single: bool) -> Lists:
    """Return a list of n different values in ascending order."""
    lists = Lists()
    lists.entry, lists.stride, lists.row_shift = np.arange(n, dtype=np.uint32) << np.uint32(1) | np.uint32(1), n, 1
    lists.is_single = is_single
    return lists


def set_order(
    column: Floats, entry_of_row: Entries, row_shift: int, entry: Entries, rooms: list[Keys] | None = None
) -> bool:
    """Fill `entry` with the entries of all rows in the order of their values, and return whether the values differ.

    The row is in the bits of an entry from `row_shift` on. No value is missing. `rooms` are arrays to sort in, each
    two rows of as many keys; one is taken, or made, and put back.
    """
    low, high = float(column.min()), float(column.max())
    if low == high:
        entry[:] = entry_of_row
        return False
    by_digits = len(column) >= FEWEST_BY_DIGITS
    if by_digits and _counted(column, entry_of_row, entry) is not None:
        return True
    room = rooms.pop() if rooms else np.empty((2 if by_digits else 1, len(column)), np.uint64)
    _sort_in(room, column, (low, high), entry_of_row, row_shift, entry)
    if rooms is not None:
        rooms.append(room)
    return True


def _sort_in(
    room: Keys, column: Floats, ends: tuple[float, float], entry_of_row: Entries, row_shift: int, entry: Entries
) -> None:
    """Fill `entry` by sorting keys; `ends` are the lowest and the highest value, which differ. Overwrites `room`."""
    key, by_digits = room[0], len(room) > 1
    if by_digits and _set_order_of_decimals(column, ends, entry_of_row, room, entry):
        return
    low, high = ends
    with np.errstate(all="ignore"):
        scale = float(np.float64(BUCKETS) / (np.float64(high) - low))
    if isfinite(scale) and scale > 0:
        packed_lists.set_keys(column, low, scale, entry_of_row, key)
        if by_digits:
            key = _sorted_by_digits(room, ENTRY_BITS)
        else:
            key.sort()
        if packed_lists.arrange(key, column, row_shift, 0, entry):
            return
    order = np.argsort(column, kind="stable")
    in_order = column[order]
    key[0], key[1:] = 0, np.cumsum(in_order[1:] > in_order[:-1])
    key <<= np.uint64(ENTRY_BITS)
    key |= entry_of_row[order]
    packed_lists.arrange(key, column, row_shift, 0, entry)


def _counted(column: Floats, entry_of_row: Entries, entry: Entries) -> Counted | None:
    """Fill `entry` if the values, times a power of ten, are integers of a small range.

    None if they are not, or if all are equal.
    """
    # Only now: small data need none of it.
    from treecli.kernels import radix

    ends = float(column.min()), float(column.max())
    for power, lowest, highest in _powers(column, ends):
        if highest - lowest >= min(MOST_KEYS, MOST_KEYS_PER_VALUE * len(column)):
            return None
        place = np.zeros(highest - lowest + 1, np.int32)
        if radix.set_order_by_counts(column, power, float(lowest), place, entry_of_row, entry):
            return Counted(place, lowest, power)
    return None


def _powers(column: Floats, ends: tuple[float, float]) -> Iterator[tuple[float, int, int]]:
    """Yield powers of ten that may make all values integers, and the lowest and the highest of these."""
    if not -BUCKETS < ends[0] < ends[1] < BUCKETS:
        return
    probed = column[:: max(len(column) // N_PROBED, 1)]
    for power in (10.0**places for places in range(MOST_DECIMALS + 1)):
        lowest, highest = (floor(end * power + 0.5) for end in ends)
        if not highest - lowest < BUCKETS or max(-lowest, highest) > BUCKETS:
            return
        if (np.floor(probed * power + 0.5) / power == probed).all():
            yield power, lowest, highest


def _set_order_of_decimals(
    column: Floats, ends: tuple[float, float], entry_of_row: Entries, room: Keys, entry: Entries
) -> bool:
    """Fill `entry` if the values have few decimals; return whether they have.

    `ends` are the lowest and the highest value. `room` is overwritten.
    """
    # Only now: small data need none of it.
    from treecli.kernels import radix

    for power, lowest, highest in _powers(column, ends):
        if radix.set_decimal_keys(column, power, float(lowest), entry_of_row, room[0]):
            radix.entries_of(_sorted_by_digits(room, (highest - lowest).bit_length()), 0, entry)
            return True
    return False


def _sorted_by_digits(room: Keys, n_bits: int) -> Keys:
    """Return the keys of the first row of `room`, sorted by the lowest bits of their upper halves. Overwrites it."""
    from treecli.kernels import radix

    key, spare = room
    place = np.empty(1 << radix.DIGIT_BITS, np.int64)
    return cast("Keys", spare if radix.sort_keys(key, spare, place, n_bits) else key)
