"""Move cases to children where each case takes one branch, which is simpler than what partition does for others.

All functions do their work for one node. The new place of each of its cases is kept in Moves.to, -1 for the cases of
children that are leaves, and its branch in Moves.branch.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Moves, Order, Sent

_NO_PLACE = cython.declare(cython.longlong, -1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def place_cases_of(
    at: At, sent: Sent, place: cython.longlong[::1], moves: Moves, cases: Cases, is_numeric: cython.bint
) -> cython.void:
    """Move every case of a node to its place in the open children, as partition.move_cases_of does.

    The cases stand from at.begin to at.end. `place` is where those of each open child begin, negative for the other
    children, and is overwritten.
    """
    lo: cython.Py_ssize_t = at.begin
    hi: cython.Py_ssize_t = at.end
    n_moved: cython.Py_ssize_t = at.last - lo
    i: cython.Py_ssize_t
    b: cython.int
    own: cython.longlong
    for i in range(lo, hi):
        b = sent.branch[i]
        own = place[b] if b >= 0 else _NO_PLACE
        if own >= 0:
            place[b] = own + 1
            moves.spare[own - lo] = cases.row[i]
            moves.number[own - lo] = cases.weight[i]
        moves.to[i - lo] = cython.cast(cython.int, own)
        moves.branch[i - lo] = b
    for i in range(n_moved):
        cases.row[lo + i] = moves.spare[i]
        cases.weight[lo + i] = moves.number[i]
    for i in range(hi - lo):
        if moves.to[i] >= 0:
            moves.spare[moves.to[i] - lo] = cases.label[lo + i]
    for i in range(n_moved):
        cases.label[lo + i] = moves.spare[i]
    if not is_numeric:
        return
    for i in range(hi - lo):
        if moves.to[i] >= 0:
            moves.number[moves.to[i] - lo] = cases.target[lo + i]
    for i in range(n_moved):
        cases.target[lo + i] = moves.number[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def place_order_of(
    at: At, begin: cython.Py_ssize_t, middle: cython.Py_ssize_t, moves: Moves, order: Order
) -> cython.void:
    """Move the entries of one order as place_cases_of has moved the cases of at most two open children.

    The order starts at `begin`; `middle` is where the cases of the second open child begin.
    """
    lo: cython.Py_ssize_t = at.begin
    left: cython.Py_ssize_t = begin + lo
    n_right: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    own: cython.int
    value: cython.double
    # Both sides are written, and only one of them moves on: jumps would be mispredicted.
    for i in range(begin + lo, begin + at.end):
        own = moves.to[order.case[i] - lo]
        value = order.value[i]
        order.case[left] = own
        order.value[left] = value
        moves.spare[n_right] = own
        moves.number[n_right] = value
        left += (own >= 0) & (own < middle)
        n_right += own >= middle
    for i in range(n_right):
        order.case[left + i] = moves.spare[i]
        order.value[left + i] = moves.number[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def place_order_of_many(
    at: At, begin: cython.Py_ssize_t, place: cython.longlong[::1], moves: Moves, order: Order
) -> cython.void:
    """Move the entries of one order as place_cases_of has moved the cases, of any number of children.

    `place` is where the entries of each open child begin, and is overwritten.
    """
    lo: cython.Py_ssize_t = at.begin
    i: cython.Py_ssize_t
    own: cython.Py_ssize_t
    b: cython.int
    to: cython.longlong
    for i in range(begin + lo, begin + at.end):
        own = order.case[i] - lo
        if moves.to[own] < 0:
            continue
        b = moves.branch[own]
        to = place[b]
        place[b] = to + 1
        moves.spare[to - lo] = moves.to[own]
        moves.number[to - lo] = order.value[i]
    for i in range(at.last - lo):
        order.case[begin + lo + i] = moves.spare[i]
        order.value[begin + lo + i] = moves.number[i]
