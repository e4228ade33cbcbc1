"""Sort numbers with their rows; equal and missing numbers end in the same order as in Weka 3.6.

This is Hoare's quicksort with the middle value as the pivot, after missing values were exchanged with the last known
ones. It is not stable: the order of equal values depends on every step, so no step may be replaced by an equivalent
one.
"""

import cython


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _exchange(
    value: cython.double[::1], row: cython.longlong[::1], one: cython.Py_ssize_t, other: cython.Py_ssize_t
) -> cython.void:
    value[one], value[other] = value[other], value[one]
    row[one], row[other] = row[other], row[one]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _known_first(value: cython.double[::1], row: cython.longlong[::1]) -> cython.Py_ssize_t:
    """Move missing values (NaN) to the end, and return the place of the last known one; -1 without any."""
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = value.shape[0] - 1
    while first <= last:
        if value[last] != value[last]:
            last -= 1
            continue
        if value[first] != value[first]:
            _exchange(value, row, first, last)
            last -= 1
        first += 1
    return last


def sort_with_rows(value: cython.double[::1], row: cython.longlong[::1], pending: cython.longlong[::1]) -> None:
    """Sort the values in place, missing ones (NaN) last, and move the rows with them.

    `pending` is scratch for the first and last place of each pending range, with room for n + 2 numbers.
    """
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    lower: cython.Py_ssize_t
    upper: cython.Py_ssize_t
    pivot: cython.double
    n_pending: cython.Py_ssize_t = 0
    with cython.nogil:
        pending[0] = 0
        pending[1] = _known_first(value, row)
        if pending[1] > 0:
            n_pending = 2
        while n_pending > 0:
            n_pending -= 2
            first = pending[n_pending]
            last = pending[n_pending + 1]
            pivot = value[(first + last) // 2]
            lower = first
            upper = last
            while lower < upper:
                while value[lower] < pivot and lower < upper:
                    lower += 1
                while value[upper] > pivot and lower < upper:
                    upper -= 1
                if lower < upper:
                    _exchange(value, row, lower, upper)
                    lower += 1
                    upper -= 1
            if lower == upper and value[upper] > pivot:
                upper -= 1
            # Pending ranges never overlap, and each has at least two places: they take at most n numbers.
            if first < upper:
                pending[n_pending] = first
                pending[n_pending + 1] = upper
                n_pending += 2
            if upper + 1 < last:
                pending[n_pending] = upper + 1
                pending[n_pending + 1] = last
                n_pending += 2
