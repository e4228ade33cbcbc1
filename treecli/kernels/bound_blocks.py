"""Bounds on the cuts of two classes in the blocks of lists whose cases leave little by little.

A height is the number of cases of the first class before a cut, less their share of all cases before it, counted from
the begin of a block or of a stretch of blocks.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import ENTROPY
    from treecli.kernels.packed_args import Lists, Peeling, Spans
    from treecli.kernels.score_classes import bar_between, score_scale

# More than rounding changes of a score, as a share of the cases, and of a product.
_ROUNDING = cython.declare(cython.double, 1e-12)
_LESS = cython.declare(cython.double, 1.0 - 1e-12)

# In cases: more than rounding changes of the bounds of a block.
MARGIN = cython.declare(cython.double, 1e-6)

_OUTER = cython.declare(cython.double, 2.0)
_INNER = cython.declare(cython.double, 8.0)


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
    few: cython.double
    most: cython.double = 0.0
    peeling.least_score = least
    peeling.least_of_corners = least - _ROUNDING * n
    peeling.bar = bar_of(least, score_scale(n, n_first, plan), cython.cast(cython.double, n))
    few = n_first if n_first * 2 <= n else n - n_first
    if least > 0.0 and few > 0:
        most = least * (n - few) / few
    peeling.outer = cython.cast(cython.longlong, _OUTER * most if _OUTER * most < n >> 1 else n >> 1) + 1
    peeling.inner = cython.cast(cython.longlong, _INNER * most if _INNER * most < n >> 1 else n >> 1) + 1
    peeling.outer_bar = bar_between(peeling.bar, peeling.outer, n - peeling.outer, n, n_first, plan)
    peeling.inner_bar = bar_between(peeling.bar, peeling.inner, n - peeling.inner, n, n_first, plan)
    peeling.is_entropy = plan.impurity == ENTROPY


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _may_score(n_left: cython.longlong, first: cython.longlong, lists: Lists, peeling: Peeling) -> cython.bint:
    """Return whether n_left cases on the left, `first` of them of the first class, score least_score by entropy."""
    n_right: cython.longlong = peeling.n - n_left
    rest: cython.longlong = peeling.n_first - first
    return not (
        peeling.before
        - (lists.xlog2_of[n_left] - lists.xlog2_of[first] - lists.xlog2_of[n_left - first])
        - (lists.xlog2_of[n_right] - lists.xlog2_of[rest] - lists.xlog2_of[n_right - rest])
        < peeling.least_of_corners
    )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _least(height: cython.double, step: cython.double, most: cython.longlong) -> cython.longlong:
    """Return one more than the whole steps of this size in a height; at most `most`, and 0 below a height of 0."""
    n: cython.longlong = cython.cast(cython.longlong, (height + MARGIN) / step) + 1
    if height <= -MARGIN:
        return 0
    return n if n < most else most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def may_hold(
    n_left: cython.longlong,
    in_left: cython.longlong,
    a: cython.Py_ssize_t,
    s: cython.Py_ssize_t,
    excess: cython.double,
    spans: Spans,
    lists: Lists,
    peeling: Peeling,
) -> cython.bint:
    """Return whether a cut within span s of attribute a may score peeling.least_score.

    There are n_left cases before the span, in_left of the first class; D * D may exceed the bar, times left * right, by
    `excess`. The score is convex in the counts of the left side, so it is largest at a corner of the region where they
    are. A height is reached soonest if cases of one class come first, and latest if cases of the other class come last.
    The ends of the span are corners too, but D is further from 0 at one of the others, and so the score is larger.
    Corners with a D above 0 count only if that may reach the bar, and so do those below.
    """
    own: cython.longlong = spans.size[a, s]
    first: cython.longlong = spans.first[a, s]
    second: cython.longlong = own - first
    up: cython.double = 1.0 - peeling.share
    down: cython.double = peeling.share
    drift: cython.double = (spans.share[a, s] - peeling.share) * own
    top: cython.double = spans.top[a, s] + (drift if drift > 0.0 else 0.0)
    bottom: cython.double = spans.bottom[a, s] + (drift if drift < 0.0 else 0.0)
    after: cython.double = first - own * peeling.share
    d: cython.double = cython.cast(cython.double, peeling.n * in_left - peeling.n_first * n_left)
    highest: cython.double = d + peeling.n * (top + MARGIN)
    lowest: cython.double = d + peeling.n * (bottom - MARGIN)
    bar: cython.double = highest * highest if highest > -lowest else lowest * lowest
    k: cython.longlong
    if own == 0 or n_left + own <= peeling.min_side or n_left > peeling.n - peeling.min_side:
        return False
    if not peeling.is_entropy:
        return True
    bar -= excess
    if highest > 0.0 and highest * highest >= bar:
        k = _least(top, up, first)
        if _may_score(n_left + k, in_left + k, lists, peeling):
            return True
        k = _least(top - after, down, second)
        if _may_score(n_left + own - k, in_left + first, lists, peeling):
            return True
    if lowest >= 0.0 or lowest * lowest < bar:
        return False
    k = _least(-bottom, down, second)
    if _may_score(n_left + k, in_left, lists, peeling):
        return True
    k = _least(after - bottom, up, first)
    return _may_score(n_left + own - k, in_left + first - k, lists, peeling)


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
    share: cython.double = peeling.share
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
    peeling.blocks.top[a, b] = top
    peeling.blocks.bottom[a, b] = bottom
    peeling.blocks.share[a, b] = share
    peeling.blocks.known[a, b] = peeling.blocks.size[a, b]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bound_stretch(
    a: cython.Py_ssize_t, s: cython.Py_ssize_t, share: cython.double, n_blocks: cython.Py_ssize_t, peeling: Peeling
) -> cython.void:
    """Set the counts and the bounds of a stretch from its blocks; its heights are for this share."""
    drift: cython.double
    height: cython.double = 0.0
    top: cython.double = 0.0
    bottom: cython.double = 0.0
    own_top: cython.double
    own_bottom: cython.double
    size: cython.int = 0
    n_first: cython.int = 0
    own: cython.int
    b: cython.Py_ssize_t
    end: cython.Py_ssize_t = (s + 1) << peeling.stretch_bits
    if end > n_blocks:
        end = n_blocks
    for b in range(s << peeling.stretch_bits, end):
        own = peeling.blocks.size[a, b]
        drift = own * (peeling.blocks.share[a, b] - share)
        own_top = height + peeling.blocks.top[a, b] + (drift if drift > 0.0 else 0.0)
        own_bottom = height + peeling.blocks.bottom[a, b] + (drift if drift < 0.0 else 0.0)
        top = own_top if own_top > top else top
        bottom = own_bottom if own_bottom < bottom else bottom
        height += peeling.blocks.first[a, b] - own * share
        size += own
        n_first += peeling.blocks.first[a, b]
    peeling.stretches.size[a, s] = size
    peeling.stretches.known[a, s] = size
    peeling.stretches.first[a, s] = n_first
    peeling.stretches.top[a, s] = top
    peeling.stretches.bottom[a, s] = bottom
    peeling.stretches.share[a, s] = share
