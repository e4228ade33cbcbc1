"""Sort the rows of a column by integer keys: by counting those of each key, or digit by digit.

A key that is sorted by digits is a 64-bit number: the place of a value in the lowest bits of its upper half, and the
entry of its row (see packed_lists) in the lower half. Both ways are stable: rows with equal places keep their order.
"""

import cython
from cython.cimports.libc.math import floor

_ENTRY_BITS = cython.declare(cython.int, 32)
_ENTRY = cython.declare(cython.ulonglong, 0xFFFFFFFF)

DIGIT_BITS = 11
"""The most bits of a digit: the places that digits are moved to at a time stay in the cache."""


def set_order_by_counts(
    column: cython.double[::1],
    power: cython.double,
    lowest: cython.double,
    place: cython.int[::1],
    entry_of_row: cython.uint[::1],
    entry: cython.uint[::1],
) -> bool:
    """Fill `entry` with the entries of all rows in the order of their values times `power`, which are integers.

    Rows with equal values keep their order; the lowest bit tells where a value differs from the one before. `place`
    has a zero for each integer from `lowest` on; in the end, the number of rows up to it. Returns False, without an
    order, if some value is not the double nearest to an integer divided by `power`.
    """
    row: cython.Py_ssize_t
    key: cython.Py_ssize_t
    whole: cython.double
    n_before: cython.int = 0
    n_own: cython.int
    n_wrong: cython.Py_ssize_t = 0
    with cython.nogil:
        for row in range(column.shape[0]):
            whole = floor(column[row] * power + 0.5)
            n_wrong += whole / power != column[row]
            place[cython.cast(cython.Py_ssize_t, whole - lowest)] += 1
        if n_wrong == 0:
            for key in range(place.shape[0]):
                n_own = place[key]
                place[key] = n_before
                n_before += n_own
            for row in range(column.shape[0]):
                key = cython.cast(cython.Py_ssize_t, floor(column[row] * power + 0.5) - lowest)
                entry[place[key]] = entry_of_row[row]
                place[key] += 1
            for key in range(1, place.shape[0]):
                if 0 < place[key - 1] < place[key]:
                    entry[place[key - 1]] |= 1
    return n_wrong == 0


def set_decimal_keys(
    column: cython.double[::1],
    power: cython.double,
    lowest: cython.double,
    entry_of_row: cython.uint[::1],
    key: cython.ulonglong[::1],
) -> bool:
    """Fill `key` with the entries and, above them, the values times `power`, minus `lowest`.

    Returns False if some value is not the double nearest to an integer divided by `power`. Division rounds correctly,
    so otherwise different values have different keys, in the same order.
    """
    row: cython.Py_ssize_t
    whole: cython.double
    n_wrong: cython.Py_ssize_t = 0
    with cython.nogil:
        for row in range(column.shape[0]):
            whole = floor(column[row] * power + 0.5)
            n_wrong += whole / power != column[row]
            key[row] = (cython.cast(cython.ulonglong, whole - lowest) << _ENTRY_BITS) | cython.cast(
                cython.ulonglong, entry_of_row[row]
            )
    return n_wrong == 0


def sort_keys(
    key: cython.ulonglong[::1], spare: cython.ulonglong[::1], place: cython.longlong[::1], n_bits: cython.int
) -> bool:
    """Sort the keys by the lowest `n_bits` of their upper halves; return whether the sorted keys are in `spare`.

    `place` has room for 2 ** DIGIT_BITS numbers.
    """
    n: cython.Py_ssize_t = key.shape[0]
    n_passes: cython.int = (n_bits + DIGIT_BITS - 1) // DIGIT_BITS
    width: cython.int = (n_bits + n_passes - 1) // n_passes
    mask: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << width) - 1
    shift: cython.int = _ENTRY_BITS
    i: cython.Py_ssize_t
    digit: cython.Py_ssize_t
    n_before: cython.Py_ssize_t
    own: cython.ulonglong
    with cython.nogil:
        while shift < _ENTRY_BITS + n_bits:
            place[:] = 0
            for i in range(n):
                place[cython.cast(cython.Py_ssize_t, (key[i] >> shift) & mask)] += 1
            n_before = 0
            for digit in range(cython.cast(cython.Py_ssize_t, mask) + 1):
                place[digit], n_before = n_before, n_before + place[digit]
            for i in range(n):
                own = key[i]
                digit = cython.cast(cython.Py_ssize_t, (own >> shift) & mask)
                spare[place[digit]] = own
                place[digit] += 1
            key, spare = spare, key
            shift += width
    return n_passes % 2 == 1


def entries_of(key: cython.ulonglong[::1], begin: cython.Py_ssize_t, entry: cython.uint[::1]) -> None:
    """Fill `entry` from `begin` on with the entries of sorted keys; the lowest bit tells where the upper half differs
    from that of the key before.
    """
    i: cython.Py_ssize_t
    place: cython.ulonglong
    before: cython.ulonglong = key[0] >> _ENTRY_BITS
    with cython.nogil:
        for i in range(key.shape[0]):
            place = key[i] >> _ENTRY_BITS
            entry[begin + i] = cython.cast(cython.uint, key[i] & _ENTRY) | (place != before)
            before = place
