"""The best split of one node of mixed data, for the attributes that are drawn at it.

The cases are sorted by the ranks of the drawn attributes: no order is kept from node to node.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Found, Order, Plan, Scratch
    from treecli.kernels.best_mixed import score_labels
    from treecli.kernels.codes import SHIFT
    from treecli.kernels.drawing import draw_next, put_back
    from treecli.kernels.forest_args import Bag, Ranked
    from treecli.kernels.mixed_args import Columns, Work
    from treecli.kernels.score_sums import best_cut
    from treecli.kernels.sort_ranks import _FEW, sort_keys

INFINITY = cython.declare(cython.double, float("inf"))
_NAN = cython.declare(cython.double, float("nan"))
_PAYLOAD = cython.declare(cython.ulonglong, 0xFFFFFFFF)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort(
    a: cython.Py_ssize_t, begin: cython.Py_ssize_t, at: At, cases: Cases, order: Order, bag: Bag, ranked: Ranked
) -> cython.bint:
    """Set at.begin, at.end and at.last, and the order from `begin` on, to the node's cases sorted by an attribute.

    Cases without a value are last. Returns whether two values differ.
    """
    lo: cython.Py_ssize_t = at.first
    hi: cython.Py_ssize_t = at.after
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    key: cython.ulonglong
    rank: cython.uint
    missing: cython.uint = cython.cast(cython.uint, ranked.n_ranks[a])
    least: cython.uint = missing
    most: cython.uint = 0
    first_value: cython.Py_ssize_t = ranked.first_value[a]
    has_few: cython.bint = hi - lo <= _FEW
    for i in range(lo, hi):
        rank = ranked.rank[a, cases.row[i]]
        key = (cython.cast(cython.ulonglong, rank) << SHIFT) | cython.cast(cython.ulonglong, i)
        if has_few:
            bag.spare_key[n] = key
        else:
            bag.key[n] = key
        if rank == missing:
            continue
        n += 1
        least = rank if rank < least else least
        most = rank if rank > most else most
    if n > 0:
        sort_keys(bag, n, least, most, has_few)
    for i in range(n):
        order.case[begin + i] = cython.cast(cython.int, bag.key[i] & _PAYLOAD)
        order.value[begin + i] = ranked.value[first_value + cython.cast(cython.Py_ssize_t, bag.key[i] >> SHIFT)]
    at.begin = begin
    at.end = begin + n
    at.last = begin + hi - lo
    if n < hi - lo:
        n += begin
        for i in range(lo, hi):
            if ranked.rank[a, cases.row[i]] == missing:
                order.case[n] = cython.cast(cython.int, i)
                order.value[n] = _NAN
                n += 1
    return least < most and at.end > begin


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_drawn(
    key: cython.ulonglong, work: Work, at: At, columns: Columns, plan: Plan, found: Found, scratch: Scratch
) -> cython.void:
    """Set the best split on every attribute drawn at a node; all others have no gain.

    Each drawn number has its order in a part of work.order of its own, whose number is set in columns.slot. Attributes
    that are drawn because all before them are constant share the last part: only the last of them may split the node.
    """
    n_attributes: cython.Py_ssize_t = columns.n_labels.shape[0]
    n_drawn: cython.Py_ssize_t = 0
    a: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    has_live: cython.bint = False
    is_live: cython.bint
    for a in range(n_attributes):
        found.gain[a] = -INFINITY
    while n_drawn < plan.most_drawn and (n_drawn < plan.n_sampled or not has_live):
        a = draw_next(key, n_drawn, work.bag.draws)
        if columns.n_labels[a] >= 0:
            is_live = 2 <= score_labels(a, at, work.cases, columns, plan, found, scratch)
        else:
            columns.slot[a] = cython.cast(cython.int, n_drawn if n_drawn < plan.n_sampled else plan.n_sampled)
            begin = columns.slot[a] * columns.stride + at.first
            is_live = _sort(a, begin, at, work.cases, work.order, work.bag, work.ranked)
            is_live = is_live or (plan.missing_is_value and begin < at.end < at.last)
            if is_live:
                at.place = a
                best_cut(at, work.cases, work.order, plan, found, scratch)
        has_live = has_live or is_live
        n_drawn += 1
    put_back(key, n_drawn, work.bag.draws)
