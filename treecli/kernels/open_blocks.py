"""Divide the lists of a node into blocks, before its cases leave them little by little."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.bound_blocks import MARGIN, bound_stretch
    from treecli.kernels.packed_args import Lists, Peeling, Search, Subtree

MOST_BLOCKS = 1 << 11
"""The limit on blocks of a list. Their numbers must fit 16 bits; of more, counts and bounds take much memory."""

_LEAST_BITS = cython.declare(cython.int, 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_cases(lists: Lists, search: Search, subtree: Subtree, peeling: Peeling) -> cython.void:
    """Number the cases of the node, and set the size of the blocks of its lists."""
    n: cython.Py_ssize_t = search.hi - search.lo
    begin: cython.Py_ssize_t = search.live[0] * lists.stride + search.lo
    bits: cython.int = _LEAST_BITS
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    while (n >> (3 * bits)) >= 2:
        bits += 1
    peeling.stretch_bits = bits - 1
    while (n >> bits) >= peeling.blocks.size.shape[1]:
        bits += 1
    peeling.block_bits = bits
    peeling.lo = search.lo
    peeling.n_opened = n
    peeling.n = n
    peeling.n_first = cython.cast(cython.longlong, subtree.outcomes[search.node, 0])
    peeling.share = subtree.outcomes[search.node, 0] / n
    for i in range(n):
        row = lists.entry[begin + i] >> lists.row_shift
        peeling.state[row] = cython.cast(cython.int, i)
        lists.goes_left[row] = 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open_block(a: cython.Py_ssize_t, b: cython.Py_ssize_t, lists: Lists, peeling: Peeling) -> cython.void:
    """Count a block of a list, and set the block of its cases."""
    n: cython.longlong = peeling.n_opened
    start: cython.Py_ssize_t = a * lists.stride + peeling.lo
    first: cython.Py_ssize_t = a * peeling.n_opened
    begin: cython.Py_ssize_t = b << peeling.block_bits
    end: cython.Py_ssize_t = (b + 1) << peeling.block_bits
    row_shift: cython.int = lists.row_shift
    # Numbers of cases of the first class, less their share: all times n.
    height: cython.longlong = 0
    top: cython.longlong = 0
    bottom: cython.longlong = 0
    n_second: cython.longlong = 0
    is_second: cython.longlong
    up: cython.longlong = n - peeling.n_first
    own: cython.uint
    i: cython.Py_ssize_t
    if end > peeling.n_opened:
        end = peeling.n_opened
    for i in range(start + begin, start + end):
        own = lists.entry[i]
        peeling.block[first + peeling.state[own >> row_shift]] = cython.cast(cython.ushort, b)
    for i in range(start + begin, start + end):
        top = height if height > top else top
        bottom = height if height < bottom else bottom
        is_second = cython.cast(cython.longlong, (lists.entry[i] >> 1) & 1)
        n_second += is_second
        height += up - (n & -is_second)
    peeling.blocks.size[a, b] = cython.cast(cython.int, end - begin)
    peeling.blocks.known[a, b] = peeling.blocks.size[a, b]
    peeling.blocks.share[a, b] = peeling.share
    peeling.blocks.first[a, b] = cython.cast(cython.int, end - begin - n_second)
    peeling.blocks.top[a, b] = top / cython.cast(cython.double, n) + MARGIN
    peeling.blocks.bottom[a, b] = bottom / cython.cast(cython.double, n) - MARGIN


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_list(a: cython.Py_ssize_t, lists: Lists, peeling: Peeling) -> cython.void:
    """Count the blocks of a list, and set the block of each case; open_cases comes first."""
    n_blocks: cython.Py_ssize_t = ((peeling.n_opened - 1) >> peeling.block_bits) + 1
    b: cython.Py_ssize_t
    peeling.begin[a] = a * lists.stride + peeling.lo
    peeling.end[a] = peeling.begin[a] + peeling.n_opened
    peeling.last[a] = -1
    for b in range(n_blocks):
        _open_block(a, b, lists, peeling)
    for b in range(((n_blocks - 1) >> peeling.stretch_bits) + 1):
        bound_stretch(a, b, peeling)
