"""Absolute errors about medians while cases are taken away one by one, each of weight 1.

The cases of a node stand in a list by their target, linked both ways. Taking one out moves the median by at most one
place, so that each step costs the same however many there are.
"""

import cython

# The columns of the links.
_BEFORE = cython.declare(cython.Py_ssize_t, 0)
_AFTER = cython.declare(cython.Py_ssize_t, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def unlink(
    is_upward: cython.bint,
    begin: cython.Py_ssize_t,
    n_known: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    case: cython.int[::1],
    is_cut: cython.uchar[::1],
    rank_of_case: cython.int[::1],
    target_by_rank: cython.double[::1],
    center: cython.double,
    link: cython.int[:, ::1],
    deviation: cython.double[::1],
) -> cython.void:
    """Keeps the deviation of the known cases on one side of each cut: below it if `is_upward`, else above it.

    The cases below a cut are what is left once those above are gone, the last first; and the other way about. Ranks
    are linked from place 1 on, for place 0 stands before the first and after the last. `low` and `high` are the
    targets up to and including the median, the lower one of two, and those beyond it.
    """
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    rank: cython.int
    last: cython.int = 0
    middle: cython.int = 0
    n_left: cython.Py_ssize_t = 0
    y: cython.double
    low: cython.double = 0.0
    high: cython.double = 0.0
    for i in range(n + 1):
        link[i, _AFTER] = -1
    for i in range(n_known):
        link[rank_of_case[case[begin + i]] + 1, _AFTER] = 0
    link[0, _BEFORE] = 0
    link[0, _AFTER] = 0
    for i in range(1, n + 1):
        if link[i, _AFTER] < 0:
            continue
        link[last, _AFTER] = i
        link[i, _BEFORE] = last
        link[i, _AFTER] = 0
        link[0, _BEFORE] = i
        last = i
        y = target_by_rank[begin + i - 1] - center
        n_left += 1
        if n_left <= (n_known + 1) // 2:
            low += y
            middle = i
        else:
            high += y
    if is_upward:
        deviation[n_known - 1] = high - low
        if n_left % 2 == 1:
            deviation[n_known - 1] += target_by_rank[begin + middle - 1] - center
    for i in range(n_known - 1):
        place = n_known - 1 - i if is_upward else i
        rank = rank_of_case[case[begin + place]] + 1
        y = target_by_rank[begin + rank - 1] - center
        link[link[rank, _BEFORE], _AFTER] = link[rank, _AFTER]
        link[link[rank, _AFTER], _BEFORE] = link[rank, _BEFORE]
        if rank <= middle:
            low -= y
        else:
            high -= y
        if n_left % 2 == 1 and rank >= middle:
            if rank > middle:
                y = target_by_rank[begin + middle - 1] - center
                low -= y
                high += y
            middle = link[middle, _BEFORE]
        elif n_left % 2 == 0 and rank <= middle:
            middle = link[middle, _AFTER]
            y = target_by_rank[begin + middle - 1] - center
            low += y
            high -= y
        n_left -= 1
        if is_upward:
            place -= 1
        if is_cut[place]:
            deviation[place] = high - low
            if n_left % 2 == 1:
                deviation[place] += target_by_rank[begin + middle - 1] - center
