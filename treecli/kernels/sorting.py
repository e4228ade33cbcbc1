"""Sort numbers with their rows; equal numbers end in the same order as in rpart.

This is a quicksort with insertion sort for short ranges. It is not stable: the order of equal values depends on every
step, so no step may be replaced by an equivalent one.
"""

import cython

_MOST_INSERTED = cython.declare(cython.Py_ssize_t, 11)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _median(a: cython.double, b: cython.double, c: cython.double) -> cython.double:
    """Return the median of three numbers."""
    if a > b:
        a, b = b, a
    if c < a:
        return a
    return b if b < c else c


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insert(
    value: cython.double[::1], row: cython.int[::1], first: cython.Py_ssize_t, last: cython.Py_ssize_t
) -> cython.void:
    """Sort the places from first to last by insertion; stable."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    moved: cython.double
    moved_row: cython.int
    for i in range(first + 1, last + 1):
        moved = value[i]
        moved_row = row[i]
        j = i
        while j > first and value[j - 1] > moved:
            value[j] = value[j - 1]
            row[j] = row[j - 1]
            j -= 1
        value[j] = moved
        row[j] = moved_row


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort(value: cython.double[::1], row: cython.int[::1], pending: cython.longlong[::1]) -> cython.void:
    """Sort as sort_with_rows does."""
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    lower: cython.Py_ssize_t
    upper: cython.Py_ssize_t
    pivot: cython.double
    n_pending: cython.Py_ssize_t = 2
    pending[0] = 0
    pending[1] = value.shape[0] - 1
    while n_pending > 0:
        n_pending -= 2
        first = pending[n_pending]
        last = pending[n_pending + 1]
        if last - first < _MOST_INSERTED:
            _insert(value, row, first, last)
            continue
        pivot = _median(value[first], value[(first + last) // 2], value[last])
        lower = first
        upper = last
        while lower < upper:
            # No bounds check: first the three values of the median stop the indices; later the values already
            # passed do, which are at most the pivot below and at least the pivot above.
            while value[lower] < pivot:
                lower += 1
            while value[upper] > pivot:
                upper -= 1
            if lower < upper:
                if value[lower] > value[upper]:
                    value[lower], value[upper] = value[upper], value[lower]
                    row[lower], row[upper] = row[upper], row[lower]
                lower += 1
                upper -= 1
        # The indices may have met at a value that neither has compared. Both start here with it, and only the one
        # on whose side it belongs stays.
        while lower > first and value[lower] >= pivot:
            lower -= 1
        while upper < last and value[upper] <= pivot:
            upper += 1
        # Pending ranges never overlap, and each except the very first has at least two places. So there are at
        # most n / 2 of them, that is n numbers, in any order of processing.
        if lower > first:
            pending[n_pending] = first
            pending[n_pending + 1] = lower
            n_pending += 2
        if upper < last:
            pending[n_pending] = upper
            pending[n_pending + 1] = last
            n_pending += 2


def sort_with_rows(value: cython.double[::1], row: cython.int[::1], pending: cython.longlong[::1]) -> None:
    """Sort the values in place, and move the rows with them.

    No value may be NaN: the indices would leave the array. `pending` is scratch for the first and last place of each
    pending range, with room for 2 n + 2 numbers.
    """
    with cython.nogil:
        sort(value, row, pending)
