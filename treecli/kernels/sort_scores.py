"""The entries of a node in the order of their scores."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    _FEW_ENTRIES = 12


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def order_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    score: cython.double[::1],
    spare: cython.longlong[::1],
    order: cython.longlong[::1],
) -> cython.void:
    """Fill `order` for the entries of one node, `begin` to `end` (exclusive); see order_labels.order_by."""
    width: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    left: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    right: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    i: cython.Py_ssize_t
    is_sorted: cython.bint
    if end - begin <= _FEW_ENTRIES:  # without branches: the place of an entry is the number of those before it
        for i in range(begin, end):
            left = begin
            for right in range(begin, i):
                left += score[right] <= score[i]
            for right in range(i + 1, end):
                left += score[right] < score[i]
            order[left] = i
        return
    is_sorted = True
    for i in range(begin, end):
        order[i] = i
        if i > begin and score[i] < score[i - 1]:
            is_sorted = False
    width = end - begin if is_sorted else 1
    while width < end - begin:  # merges runs of this width
        for i in range(begin, end):
            spare[i] = order[i]
        lo = begin
        while lo < end:
            middle = lo + width if lo + width < end else end
            hi = lo + 2 * width if lo + 2 * width < end else end
            left = lo
            right = middle
            for i in range(lo, hi):
                if left < middle and (right >= hi or not score[spare[right]] < score[spare[left]]):
                    order[i] = spare[left]
                    left += 1
                else:
                    order[i] = spare[right]
                    right += 1
            lo = hi
        width *= 2
