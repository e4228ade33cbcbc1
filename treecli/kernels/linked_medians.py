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
    place_rank: cython.int[::1]
    """Scratch: the place in the list of each case of a node, as in the order."""
    place_target: cython.double[::1]
    """Scratch: the target of each case of a node minus the node's center, as in the order."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gather(at: At, cases: Cases, order: Order, ranked: Ranked) -> cython.void:
    """Fill place_rank and place_target with one node's known cases, for both calls of `unlink`."""
    center: cython.double = cases.center[at.node]
    i: cython.Py_ssize_t
    rank: cython.int
    for i in range(at.end - at.begin):
        rank = ranked.rank[order.case[at.begin + i]]
        ranked.place_rank[i] = rank + 1
        ranked.place_target[i] = ranked.target[at.begin + rank] - center


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _link_all(n: cython.Py_ssize_t, ranked: Ranked) -> cython.int:
    """Link the places 1 to n to their neighbours, and return the last place."""
    i: cython.int
    for i in range(n + 1):
        ranked.link[i, _BEFORE] = i - 1
        ranked.link[i, _AFTER] = i + 1
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _link_known(at: At, ranked: Ranked) -> cython.int:
    """Link the places of one node's known cases to their neighbours, and return the last place."""
    i: cython.Py_ssize_t
    last: cython.int = 0
    for i in range(at.last - at.begin + 1):
        ranked.link[i, _AFTER] = -1
    for i in range(at.end - at.begin):
        ranked.link[ranked.place_rank[i], _AFTER] = 0
    for i in range(1, at.last - at.begin + 1):
        if ranked.link[i, _AFTER] == 0:
            ranked.link[last, _AFTER] = i
            ranked.link[i, _BEFORE] = last
            last = i
    return last


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def unlink(side: cython.Py_ssize_t, at: At, cases: Cases, ranked: Ranked) -> cython.void:
    """Fill row `side` of ranked.deviation with the error of one node's known cases BELOW or ABOVE each cut.

    `gather` comes first. The cases below a cut remain after removing the cases above it, last first; and vice versa.
    Ranks are linked from place 1; place 0 is the sentinel before the first and after the last. `low` and `high` are
    the targets up to and including the (lower) median, and those above it.
    """
    is_upward: cython.bint = side == BELOW
    begin: cython.Py_ssize_t = at.begin
    n_known: cython.Py_ssize_t = at.end - begin
    n: cython.Py_ssize_t = at.last - begin
    center: cython.double = cases.center[at.node]
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    rank: cython.int
    last: cython.int
    before: cython.int
    after: cython.int
    middle: cython.int = 0
    n_left: cython.Py_ssize_t
    y: cython.double
    low: cython.double = 0.0
    high: cython.double = 0.0
    last = _link_all(n, ranked) if n_known == n else _link_known(at, ranked)
    ranked.link[0, _BEFORE] = last
    ranked.link[last, _AFTER] = 0
    i = 0
    for n_left in range(1, n_known + 1):
        i = ranked.link[i, _AFTER]
        y = ranked.target[begin + i - 1] - center
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
        rank = ranked.place_rank[place]
        y = ranked.place_target[place]
        before = ranked.link[rank, _BEFORE]
        after = ranked.link[rank, _AFTER]
        ranked.link[before, _AFTER] = after
        ranked.link[after, _BEFORE] = before
        # Conditional values instead of branches: whether a target is below the median cannot be predicted.
        low -= y if rank <= middle else 0.0
        high -= y if rank > middle else 0.0
        if n_left % 2 == 1:
            y = ranked.target[begin + middle - 1] - center
            y = y if rank > middle else 0.0
            low -= y
            high += y
            before = ranked.link[middle, _BEFORE]
            middle = before if rank >= middle else middle
        else:
            after = ranked.link[middle, _AFTER]
            after = after if rank <= middle else middle
            y = ranked.target[begin + after - 1] - center
            y = y if rank <= middle else 0.0
            low += y
            high -= y
            middle = after
        n_left -= 1
        if is_upward:
            place -= 1
        if ranked.is_cut[place]:
            ranked.deviation[side, place] = high - low
            if n_left % 2 == 1:
                ranked.deviation[side, place] += ranked.target[begin + middle - 1] - center
