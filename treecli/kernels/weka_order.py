"""Sort numbers with their rows; equal and missing numbers end in the same order as in Weka 3.6.

This is a quicksort with the median of three as the pivot; missing values count as the largest number. It is not stable:
the order of equal values depends on every step, so no step may be replaced by an equivalent one.
"""

import cython

_LARGEST = cython.declare(cython.double, 1.7976931348623157e308)


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
def _put_in_order(
    value: cython.double[::1], row: cython.longlong[::1], one: cython.Py_ssize_t, other: cython.Py_ssize_t
) -> cython.void:
    """Exchange two places if the first holds the larger number."""
    if value[one] > value[other]:
        _exchange(value, row, one, other)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _parted(
    value: cython.double[::1], row: cython.longlong[::1], first: cython.Py_ssize_t, last: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Sort a range of at most three places; part a longer one around the median of three, and return its place."""
    middle: cython.Py_ssize_t = (first + last) // 2
    lower: cython.Py_ssize_t = first
    upper: cython.Py_ssize_t = last - 1
    pivot: cython.double
    _put_in_order(value, row, first, middle)
    _put_in_order(value, row, first, last)
    _put_in_order(value, row, middle, last)
    if last - first < 3:
        return middle
    _exchange(value, row, middle, upper)
    pivot = value[upper]
    while True:
        # The first place and the pivot's stop the indices.
        lower += 1
        while value[lower] < pivot:
            lower += 1
        upper -= 1
        while value[upper] > pivot:
            upper -= 1
        if lower >= upper:
            break
        _exchange(value, row, lower, upper)
    _exchange(value, row, lower, last - 1)
    return lower


def sort_with_rows(value: cython.double[::1], row: cython.longlong[::1], pending: cython.longlong[::1]) -> None:
    """Sort the values in place and move the rows with them; missing values (NaN) become the largest number.

    `pending` is scratch for the first and last place of each pending range, with room for n + 2 numbers.
    """
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    place: cython.Py_ssize_t
    n_pending: cython.Py_ssize_t = 2
    with cython.nogil:
        for place in range(value.shape[0]):
            if value[place] != value[place]:
                value[place] = _LARGEST
        pending[0] = 0
        pending[1] = value.shape[0] - 1
        while n_pending > 0:
            n_pending -= 2
            first = pending[n_pending]
            last = pending[n_pending + 1]
            if first >= last:
                continue
            place = _parted(value, row, first, last)
            if last - first < 3:
                continue
            # Pending ranges never overlap, and each has at least two places: they take at most n numbers.
            if first < place - 1:
                pending[n_pending] = first
                pending[n_pending + 1] = place - 1
                n_pending += 2
            if place + 1 < last:
                pending[n_pending] = place + 1
                pending[n_pending + 1] = last
                n_pending += 2
