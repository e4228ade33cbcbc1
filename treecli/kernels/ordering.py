"""The sorted cases of open children, from those of their parents: a stable partition, never a sort."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Moves, Order
    from treecli.kernels.partition import first_unknown

    _PLACE_BITS = 32
    _PLACE = 0xFFFFFFFF

PLACE_BITS = 32


def keep_order(order: Order, moves: Moves, next_place: cython.longlong[::1], new: Order) -> None:
    """Fill `new` with the sorted cases of the open children.

    next_place[i] is where child i begins, and is overwritten.
    """
    i: cython.Py_ssize_t
    move: cython.Py_ssize_t
    place: cython.longlong
    node: cython.int
    own: cython.int
    to: cython.int
    value: cython.double
    begin: cython.Py_ssize_t
    with cython.nogil:
        for i in range(order.case.shape[0]):
            own = order.case[i]
            value = order.value[i]
            for move in range(moves.start[own], moves.start[own + 1]):
                to = moves.to[move]
                node = moves.branch[to]
                place = next_place[node]
                next_place[node] = place + 1
                new.case[place] = to
                new.value[place] = value
        begin = 0
        for node in range(next_place.shape[0]):
            new.n_known[node] = first_unknown(new.value, begin, next_place[node]) - begin
            begin = next_place[node]


def keep_order_of_whole(
    order: Order, place_of_case: cython.longlong[::1], next_place: cython.longlong[::1], new: Order
) -> None:
    """Fill `new` as keep_order does, where no case is divided.

    place_of_case has the open child of each case above PLACE_BITS bits for its place there; -1 if it has none.
    """
    old_case: cython.int[::1] = order.case
    old_value: cython.double[::1] = order.value
    new_case: cython.int[::1] = new.case
    new_value: cython.double[::1] = new.value
    i: cython.Py_ssize_t
    to: cython.longlong
    place: cython.longlong
    node: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    with cython.nogil:
        for i in range(old_case.shape[0]):
            to = place_of_case[old_case[i]]
            if to < 0:
                continue
            node = to >> _PLACE_BITS
            place = next_place[node]
            next_place[node] = place + 1
            new_case[place] = cython.cast(cython.int, to & _PLACE)
            new_value[place] = old_value[i]
        begin = 0
        for node in range(next_place.shape[0]):
            new.n_known[node] = first_unknown(new_value, begin, next_place[node]) - begin
            begin = next_place[node]
