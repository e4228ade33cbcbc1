"""Absolute errors about medians while cases of weight 1 are removed one by one.

The cases of a node form a doubly linked list sorted by target. Removing a case moves the median by at most one place,
so each step takes constant time.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Order

    # The first rows of Ranked.deviation: the cases on either side of each cut.
    BELOW, ABOVE = range(2)
    # The columns of Ranked.link.
    _BEFORE, _AFTER = range(2)


@cython.cclass
class Ranked:
    """The cases of every node by the rank of their target, with scratch for medians.

    Scratch arrays have room for the cases of the largest node plus one.
    """

    rank: cython.int[::1]
    """The rank of each case among those of its node."""
    target: cython.double[::1]
    """The target at each rank: that of node i at rank r is at start[i] + r."""
    is_alike: cython.bint
    """Whether every case has the weight 1."""
    is_cut: cython.uchar[::1]
    """Scratch: whether there may be a cut after each place of a node, as in the order; there is one after the last."""
    deviation: cython.double[:, ::1]
    """Scratch: the absolute errors at each cut, a row for each side; score_medians has further rows."""
    fenwick: cython.double[:, ::1]
    """Scratch: a Fenwick tree of two columns."""
    link: cython.int[:, ::1]
    """Scratch: a list of two columns."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def unlink(side: cython.Py_ssize_t, at: At, cases: Cases, order: Order, ranked: Ranked) -> cython.void:
    """Fill row `side` of ranked.deviation with the error of one node's known cases BELOW or ABOVE each cut.

    The cases below a cut remain after removing the cases above it, last first; and vice versa. Ranks are linked from
    place 1; place 0 is the sentinel before the first and after the last. `low` and `high` are the targets up to and
    including the (lower) median, and those above it.
    """
    is_upward: cython.bint = side == BELOW
    begin: cython.Py_ssize_t = at.begin
    n_known: cython.Py_ssize_t = at.end - begin
    n: cython.Py_ssize_t = at.last - begin
    center: cython.double = cases.center[at.node]
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
        ranked.link[i, _AFTER] = -1
    for i in range(n_known):
        ranked.link[ranked.rank[order.case[begin + i]] + 1, _AFTER] = 0
    ranked.link[0, _BEFORE] = 0
    ranked.link[0, _AFTER] = 0
    for i in range(1, n + 1):
        if ranked.link[i, _AFTER] < 0:
            continue
        ranked.link[last, _AFTER] = i
        ranked.link[i, _BEFORE] = last
        ranked.link[i, _AFTER] = 0
        ranked.link[0, _BEFORE] = i
        last = i
        y = ranked.target[begin + i - 1] - center
        n_left += 1
        if n_left <= (n_known + 1) // 2:
            low += y
            middle = i
        else:
            high += y
    if is_upward:
        ranked.deviation[side, n_known - 1] = high - low
        if n_left % 2 == 1:
            ranked.deviation[side, n_known - 1] += ranked.target[begin + middle - 1] - center
    for i in range(n_known - 1):
        place = n_known - 1 - i if is_upward else i
        rank = ranked.rank[order.case[begin + place]] + 1
        y = ranked.target[begin + rank - 1] - center
        ranked.link[ranked.link[rank, _BEFORE], _AFTER] = ranked.link[rank, _AFTER]
        ranked.link[ranked.link[rank, _AFTER], _BEFORE] = ranked.link[rank, _BEFORE]
        if rank <= middle:
            low -= y
        else:
            high -= y
        if n_left % 2 == 1 and rank >= middle:
            if rank > middle:
                y = ranked.target[begin + middle - 1] - center
                low -= y
                high += y
            middle = ranked.link[middle, _BEFORE]
        elif n_left % 2 == 0 and rank <= middle:
            middle = ranked.link[middle, _AFTER]
            y = ranked.target[begin + middle - 1] - center
            low += y
            high -= y
        n_left -= 1
        if is_upward:
            place -= 1
        if ranked.is_cut[place]:
            ranked.deviation[side, place] = high - low
            if n_left % 2 == 1:
                ranked.deviation[side, place] += ranked.target[begin + middle - 1] - center
