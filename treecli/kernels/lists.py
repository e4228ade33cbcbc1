"""The cases in the order of an attribute, as the lists that growing in one go carries through the tree.

An entry of a list is one 32-bit number: the row, the class of its case, and in the lowest bit whether the value differs
from that of the entry before. So a list is read and parted without a look at values or classes elsewhere in memory.
"""

import cython

if not cython.compiled:  # compiled, this comes through the .pxd file beside this one
    from treecli.kernels.score_sklearn import parted

_BUCKET = cython.declare(cython.int, 32)
_ENTRY = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_STEPS_PER_CASE = cython.declare(cython.longlong, 8)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_constant(entry: cython.uint[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether all values of the entries are equal."""
    i: cython.Py_ssize_t
    for i in range(begin + 1, end):
        if entry[i] & 1:
            return False
    return True


def set_keys(
    column: cython.double[::1],
    low: cython.double,
    scale: cython.double,
    entry_of_row: cython.uint[::1],
    key: cython.ulonglong[::1],
) -> None:
    """Fills in keys to sort by: the entry of a row, and above it how far its value lies from the lowest."""
    row: cython.Py_ssize_t
    bucket: cython.ulonglong
    with cython.nogil:
        for row in range(column.shape[0]):
            bucket = cython.cast(cython.ulonglong, (column[row] - low) * scale)
            key[row] = (bucket << _BUCKET) | cython.cast(cython.ulonglong, entry_of_row[row])


def arrange(
    key: cython.ulonglong[::1],
    column: cython.double[::1],
    row_shift: cython.int,
    begin: cython.Py_ssize_t,
    entry: cython.uint[::1],
) -> bool:
    """Fills `entry` from `begin` on with the cases in the order of their values, equal ones in the order of the file.

    The keys are sorted. Their upper half never falls where the value rises, and the lower half is the entry. Cases
    whose upper halves are equal are put in order by their values; it gives False where that would take long.
    """
    n: cython.Py_ssize_t = key.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    steps: cython.longlong = 0
    bucket: cython.ulonglong
    bucket_before: cython.ulonglong = key[0] >> _BUCKET
    own: cython.uint
    is_looked_up: cython.bint = False
    value: cython.double
    value_before: cython.double = 0.0
    with cython.nogil:
        entry[begin] = cython.cast(cython.uint, key[0] & _ENTRY)
        for i in range(1, n):
            bucket = key[i] >> _BUCKET
            own = cython.cast(cython.uint, key[i] & _ENTRY)
            if bucket != bucket_before:
                entry[begin + i] = own | 1
                bucket_before = bucket
                first = i
                is_looked_up = False
                continue
            if not is_looked_up:
                value_before = column[entry[begin + i - 1] >> row_shift]
                is_looked_up = True
            value = column[own >> row_shift]
            if value >= value_before:
                entry[begin + i] = own | (value > value_before)
                value_before = value
                continue
            j = begin + i
            while j > begin + first and column[entry[j - 1] >> row_shift] > value:
                entry[j] = entry[j - 1]
                j -= 1
                steps += 1
            entry[j] = own
            if steps > _STEPS_PER_CASE * n:
                break
        if 0 < steps <= _STEPS_PER_CASE * n:
            # What was moved took its mark along.
            for i in range(1, n):
                own = entry[begin + i]
                value = column[own >> row_shift]
                value_before = column[entry[begin + i - 1] >> row_shift]
                entry[begin + i] = (own >> 1 << 1) | (value > value_before)
    return steps <= _STEPS_PER_CASE * n


def closest(
    column: cython.double[::1],
    row_shift: cython.int,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    value_gap: cython.double,
    is_single: cython.bint,
    entry: cython.uint[::1],
) -> bool:
    """Whether some neighbouring values differ, but not by enough for a threshold between them."""
    i: cython.Py_ssize_t
    lower: cython.double
    upper: cython.double
    is_close: cython.bint = False
    with cython.nogil:
        for i in range(begin + 1, end):
            if entry[i] & 1:
                lower = column[entry[i - 1] >> row_shift]
                upper = column[entry[i] >> row_shift]
                if not parted(lower, upper, value_gap, is_single):
                    is_close = True
                    break
    return is_close
