"""Sort the values of a column, by digits if there are many; equal values keep the order of the file."""

from __future__ import annotations

from math import floor, isfinite

import numpy as np
from numpy.typing import NDArray

from treecli.grow.candidates import Floats
from treecli.kernels import packed_lists

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

N_PROBED = 64
"""The number of values from which the number of decimals is guessed."""


def set_order(column: Floats, entry_of_row: Entries, row_shift: int, entry: Entries) -> bool:
    """Fill `entry` with the entries of all rows in the order of their values, and return whether the values differ.

    The row is in the bits of an entry from `row_shift` on. No value is missing.
    """
    low, high = float(column.min()), float(column.max())
    if low == high:
        entry[:] = entry_of_row
        return False
    key = np.empty(len(column), np.uint64)
    if len(column) >= FEWEST_BY_DIGITS and _set_order_of_decimals(column, (low, high), entry_of_row, key, entry):
        return True
    with np.errstate(all="ignore"):
        scale = float(np.float64(BUCKETS) / (np.float64(high) - low))
    if isfinite(scale) and scale > 0:
        packed_lists.set_keys(column, low, scale, entry_of_row, key)
        if len(column) < FEWEST_BY_DIGITS:
            key.sort()
        else:
            key = _sorted_by_digits(key, ENTRY_BITS)
        if packed_lists.arrange(key, column, row_shift, 0, entry):
            return True
    order = np.argsort(column, kind="stable")
    in_order = column[order]
    key[0], key[1:] = 0, np.cumsum(in_order[1:] > in_order[:-1])
    key <<= np.uint64(ENTRY_BITS)
    key |= entry_of_row[order]
    packed_lists.arrange(key, column, row_shift, 0, entry)
    return True


def _set_order_of_decimals(
    column: Floats, ends: tuple[float, float], entry_of_row: Entries, key: Keys, entry: Entries
) -> bool:
    """Fill `entry` if the values have few decimals; return whether they have.

    `ends` are the lowest and the highest value. `key` is overwritten.
    """
    # Only now: small data need none of it.
    from treecli.kernels import radix

    if not -BUCKETS < ends[0] < ends[1] < BUCKETS:
        return False
    probed = column[:: max(len(column) // N_PROBED, 1)]
    for power in (10.0**places for places in range(MOST_DECIMALS + 1)):
        lowest, highest = (floor(end * power + 0.5) for end in ends)
        if not highest - lowest < BUCKETS or max(-lowest, highest) > BUCKETS:
            return False
        is_exact = (np.floor(probed * power + 0.5) / power == probed).all()
        if is_exact and radix.set_decimal_keys(column, power, float(lowest), entry_of_row, key):
            radix.entries_of(_sorted_by_digits(key, (highest - lowest).bit_length()), 0, entry)
            return True
    return False


def _sorted_by_digits(key: Keys, n_bits: int) -> Keys:
    """Return the keys sorted by the lowest bits of their upper halves. Overwrites `key`."""
    from treecli.kernels import radix

    spare = np.empty_like(key)
    place = np.empty(1 << radix.DIGIT_BITS, np.int64)
    return spare if radix.sort_keys(key, spare, place, n_bits) else key
