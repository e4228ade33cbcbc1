"""Sorting with ties in the order in which rpart leaves them.

A quicksort is not stable, and sums of fractions depend on their order: where equal values stand in another order, equal
splits may come out different in the last bit, and another one wins. So this one parts ranges as rpart's does.
"""

import cython

_FEW = cython.declare(cython.Py_ssize_t, 11)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pivot(value: cython.double[::1], low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.double:
    """The median of the first, the middle and the last value of a range."""
    first: cython.double = value[low]
    middle: cython.double = value[(low + high) // 2]
    last: cython.double = value[high]
    if first > middle:
        first, middle = middle, first
    if middle > last:
        middle = last if last > first else first
    return middle


def sort_with_rows(value: cython.double[::1], row: cython.int[::1], pending: cython.longlong[::1]) -> None:
    """Sorts the values, and the rows along with them; `pending` has room for twice as many numbers as values.

    A short range is sorted by insertion. A long one is parted at a pivot: two values change places if each stands on
    the wrong side, equal ones don't. What equals the pivot in the middle is in its place.
    """
    n_pending: cython.Py_ssize_t = 2
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    pivot: cython.double
    carried: cython.int
    pending[0] = 0
    pending[1] = value.shape[0] - 1
    with cython.nogil:
        while n_pending > 0:
            n_pending -= 2
            low = pending[n_pending]
            high = pending[n_pending + 1]
            if high - low < _FEW:
                for i in range(low + 1, high + 1):
                    pivot = value[i]
                    carried = row[i]
                    j = i
                    while j > low and value[j - 1] > pivot:
                        value[j] = value[j - 1]
                        row[j] = row[j - 1]
                        j -= 1
                    value[j] = pivot
                    row[j] = carried
                continue
            pivot = _pivot(value, low, high)
            i = low
            j = high
            while i < j:
                while value[i] < pivot:
                    i += 1
                while value[j] > pivot:
                    j -= 1
                if i >= j:
                    break
                if value[i] > value[j]:
                    value[i], value[j] = value[j], value[i]
                    row[i], row[j] = row[j], row[i]
                i += 1
                j -= 1
            while i > low and value[i] >= pivot:
                i -= 1
            while j < high and value[j] <= pivot:
                j += 1
            if i > low:
                pending[n_pending] = low
                pending[n_pending + 1] = i
                n_pending += 2
            if j < high:
                pending[n_pending] = j
                pending[n_pending + 1] = high
                n_pending += 2
