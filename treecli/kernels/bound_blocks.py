"""Bounds on the cuts of two classes in the blocks of lists whose cases leave little by little.

A height is the number of cases of the first class before a cut, less their share of all cases before it, counted from
the begin of a block or of a stretch of blocks.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import ENTROPY
    from treecli.kernels.packed_args import Lists, Peeling
    from treecli.kernels.score_classes import bar_between, score_scale

# More than rounding changes of a score, as a share of the cases, and of a product.
_ROUNDING = cython.declare(cython.double, 1e-12)
_LESS = cython.declare(cython.double, 1.0 - 1e-12)

_OUTER_BITS = cython.declare(cython.int, 5)
_INNER_BITS = cython.declare(cython.int, 3)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bar_of(score: cython.double, scale: cython.double, size: cython.double) -> cython.double:
    """Return the least D * D / (left * right) of a cut that may score more; negative if every cut may."""
    return (score - _ROUNDING * size) / scale * _LESS if score > 0.0 else -1.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_bars(least: cython.double, peeling: Peeling, plan: Plan) -> cython.void:
    """Set the bars of cuts that may score `least`.

    The fewer cases a side has, the more its share of a class may differ from that of the node, and the lower is the
    bar: cuts with at least so many cases on both sides have one bar, and all others the lowest.
    """
    n: cython.longlong = peeling.n
    n_first: cython.longlong = peeling.n_first
    peeling.least_score = least
    peeling.least_of_corners = least - _ROUNDING * n
    peeling.bar = bar_of(least, score_scale(n, n_first, plan), cython.cast(cython.double, n))
    peeling.outer = (n >> _OUTER_BITS) + 1
    peeling.inner = (n >> _INNER_BITS) + 1
    peeling.outer_bar = bar_between(peeling.bar, peeling.outer, n - peeling.outer, n, n_first, plan)
    peeling.inner_bar = bar_between(peeling.bar, peeling.inner, n - peeling.inner, n, n_first, plan)
    peeling.is_entropy = plan.impurity == ENTROPY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bound_block(
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    lists: Lists,
    peeling: Peeling,
) -> cython.void:
    """Set the bounds of a block from its remaining cases, which are among the entries from `begin` to `end`."""
    share: cython.double = peeling.first_share
    height: cython.double = 0.0
    top: cython.double = 0.0
    bottom: cython.double = 0.0
    own: cython.uint
    i: cython.Py_ssize_t
    for i in range(begin, end):
        own = lists.entry[i]
        if lists.goes_left[own >> lists.row_shift]:
            top = height if height > top else top
            bottom = height if height < bottom else bottom
            height += (0.0 if (own >> 1) & 1 else 1.0) - share
    peeling.block_top[a, b] = top
    peeling.block_bottom[a, b] = bottom
    peeling.block_known[a, b] = peeling.block_size[a, b]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bound_stretch(
    a: cython.Py_ssize_t, s: cython.Py_ssize_t, share: cython.double, n_blocks: cython.Py_ssize_t, peeling: Peeling
) -> cython.void:
    """Set the counts and the bounds of a stretch from its blocks; its heights are for this share."""
    drift: cython.double = peeling.first_share - share
    less: cython.double = drift if drift > 0.0 else 0.0
    more: cython.double = drift if drift < 0.0 else 0.0
    height: cython.double = 0.0
    top: cython.double = 0.0
    bottom: cython.double = 0.0
    size: cython.int = 0
    n_first: cython.int = 0
    own: cython.int
    b: cython.Py_ssize_t
    end: cython.Py_ssize_t = (s + 1) << peeling.block_bits
    if end > n_blocks:
        end = n_blocks
    for b in range(s << peeling.block_bits, end):
        own = peeling.block_size[a, b]
        if own == 0:
            continue
        if height + peeling.block_top[a, b] + own * less > top:
            top = height + peeling.block_top[a, b] + own * less
        if height + peeling.block_bottom[a, b] + own * more < bottom:
            bottom = height + peeling.block_bottom[a, b] + own * more
        height += peeling.block_first[a, b] - own * share
        size += own
        n_first += peeling.block_first[a, b]
    peeling.stretch_size[a, s] = size
    peeling.stretch_known[a, s] = size
    peeling.stretch_first[a, s] = n_first
    peeling.stretch_top[a, s] = top
    peeling.stretch_bottom[a, s] = bottom
    peeling.stretch_share[a, s] = share
