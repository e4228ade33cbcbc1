"""Bounds on the cuts of two classes in the blocks of lists whose cases leave little by little.

A height is the number of cases of the first class before a cut, less their share of all cases before it, counted from
the begin of a block or of a stretch of blocks.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import ENTROPY
    from treecli.kernels.packed_args import Lists, Peeling, Spans
    from treecli.kernels.score_classes import bar_between

# More than rounding changes of a score, as a share of the cases, and of a product.
_ROUNDING = cython.declare(cython.double, 1e-12)
_LESS = cython.declare(cython.double, 1.0 - 1e-12)

# More than what single precision changes of counts and products.
_SINGLE = cython.declare(cython.double, 1e-6)

# In cases: more than rounding changes of the bounds of a block, which are wider by so much.
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
def _apart(
    least: cython.double, times: cython.double, few: cython.double, edge: cython.longlong, n: cython.longlong
) -> cython.longlong:
    """Return from how many cases on both sides a higher bar counts, at least `edge`; more than half if none do."""
    most: cython.double = times * least * (n - few) / few if least > 0.0 and few > 0.0 else 0.0
    most = most if most > edge - 1.0 else edge - 1.0
    return cython.cast(cython.longlong, most if most < n >> 1 else n >> 1) + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_bars(
    least: cython.double, inner: cython.double, edge: cython.longlong, peeling: Peeling, plan: Plan
) -> cython.void:
    """Set the bars of cuts that may score `least`, or `inner` with at least `edge` cases on both sides.

    The fewer cases a side has, the more its share of a class may differ from that of the node, and the lower is the
    bar: cuts with at least so many cases on both sides have one bar, and all others the lowest.
    """
    n: cython.longlong = peeling.n
    n_first: cython.longlong = peeling.n_first
    size: cython.double = cython.cast(cython.double, n)
    scale: cython.double = peeling.scale
    few: cython.double = cython.cast(cython.double, n_first if n_first * 2 <= n else n - n_first)
    peeling.least_score = least
    peeling.least_of_corners = least - _ROUNDING * n
    peeling.bar = bar_of(least, scale, size)
    peeling.outer = _apart(least, _OUTER, few, 0, n)
    peeling.inner = _apart(inner, _INNER, few, edge, n)
    peeling.outer_bar = bar_of(inner, scale, size) if edge <= peeling.outer else peeling.bar
    peeling.outer_bar = bar_between(peeling.outer_bar, peeling.outer, n - peeling.outer, n, n_first, plan)
    peeling.inner_bar = bar_between(bar_of(inner, scale, size), peeling.inner, n - peeling.inner, n, n_first, plan)
    peeling.is_entropy = plan.impurity == ENTROPY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_excess(
    a: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    n_spans: cython.Py_ssize_t,
    n_left: cython.int,
    in_left: cython.int,
    spans: Spans,
    peeling: Peeling,
) -> cython.void:
    """Set by how much the square of D / n may exceed the bar, times left * right, at the cuts of spans from `begin` on.

    There are n_left cases before the first span, in_left of the first class.
    """
    n: cython.int = cython.cast(cython.int, peeling.n)
    size: cython.float = cython.cast(cython.float, peeling.n)
    share: cython.float = cython.cast(cython.float, peeling.share)
    margin: cython.float = cython.cast(cython.float, _SINGLE * peeling.n)
    outer: cython.int = cython.cast(cython.int, peeling.outer)
    inner: cython.int = cython.cast(cython.int, peeling.inner)
    scale: cython.double = (1.0 - _SINGLE) * peeling.per_pair
    bar: cython.float = cython.cast(cython.float, peeling.bar * scale)
    outer_bar: cython.float = cython.cast(cython.float, peeling.outer_bar * scale)
    inner_bar: cython.float = cython.cast(cython.float, peeling.inner_bar * scale)
    none: cython.float = 0.0
    own_bar: cython.float
    own: cython.float
    before: cython.float
    after: cython.int
    least_side: cython.int
    least: cython.float
    drift: cython.float
    height: cython.float
    up: cython.float
    down: cython.float
    most: cython.float
    s: cython.Py_ssize_t
    for s in range(n_spans):
        spans.n_before[s] = n_left
        spans.first_before[s] = in_left
        n_left += spans.size[a, begin + s]
        in_left += spans.first[a, begin + s]
    # No jumps, no calls and single precision: the compiler does several spans at once.
    for s in range(n_spans):
        own = cython.cast(cython.float, spans.size[a, begin + s])
        before = cython.cast(cython.float, spans.n_before[s])
        height = cython.cast(cython.float, spans.first_before[s]) - share * before
        drift = (cython.cast(cython.float, spans.share[a, begin + s]) - share) * own
        up = height + cython.cast(cython.float, spans.top[a, begin + s]) + (drift if drift > none else none)
        down = height + cython.cast(cython.float, spans.bottom[a, begin + s]) + (drift if drift < none else none)
        most = margin + (up if up > -down else -down)
        after = n - spans.n_before[s] - spans.size[a, begin + s] + 1
        least_side = spans.n_before[s]
        least_side = least_side if least_side < after else after
        own_bar = outer_bar if least_side >= outer else bar
        own_bar = inner_bar if least_side >= inner else own_bar
        least = cython.cast(cython.float, least_side)
        spans.excess[s] = most * most - own_bar * (least * size - least * least)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _n_blocks(s: cython.Py_ssize_t, peeling: Peeling) -> cython.Py_ssize_t:
    """Return the number of blocks of a stretch."""
    begin: cython.Py_ssize_t = s << peeling.stretch_bits
    n_own: cython.Py_ssize_t = ((peeling.n_opened - 1) >> peeling.block_bits) + 1 - begin
    return n_own if n_own < 1 << peeling.stretch_bits else 1 << peeling.stretch_bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_excess_within(
    a: cython.Py_ssize_t,
    s: cython.Py_ssize_t,
    n_left: cython.longlong,
    in_left: cython.longlong,
    peeling: Peeling,
) -> cython.Py_ssize_t:
    """Set what set_excess does for the blocks of a stretch, and return how many these are."""
    n_own: cython.Py_ssize_t = _n_blocks(s, peeling)
    begin: cython.Py_ssize_t = s << peeling.stretch_bits
    n_before: cython.int = cython.cast(cython.int, n_left)
    set_excess(a, begin, n_own, n_before, cython.cast(cython.int, in_left), peeling.blocks, peeling)
    return n_own


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_before(a: cython.Py_ssize_t, b: cython.Py_ssize_t, peeling: Peeling) -> cython.void:
    """Set peeling.n_before and first_before: the cases before a block, and those of the first class."""
    bits: cython.int = peeling.stretch_bits
    n_before: cython.longlong = 0
    first_before: cython.longlong = 0
    i: cython.Py_ssize_t
    for i in range(b >> bits):
        n_before += peeling.stretches.size[a, i]
        first_before += peeling.stretches.first[a, i]
    for i in range(b >> bits << bits, b):
        n_before += peeling.blocks.size[a, i]
        first_before += peeling.blocks.first[a, i]
    peeling.n_before = n_before
    peeling.first_before = first_before


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def smaller_side(n_left: cython.longlong, own: cython.longlong, peeling: Peeling) -> cython.longlong:
    """Return how many cases the cuts among `own` cases in a row, with n_left cases before, have on both sides."""
    n_right: cython.longlong = peeling.n - n_left - own + 1
    return n_left if n_left < n_right else n_right


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def own_bar(n_left: cython.longlong, own: cython.longlong, peeling: Peeling) -> cython.double:
    """Return the bar of the cuts among `own` cases in a row with n_left cases before them."""
    least_side: cython.longlong = smaller_side(n_left, own, peeling)
    if least_side >= peeling.inner:
        return peeling.inner_bar
    return peeling.outer_bar if least_side >= peeling.outer else peeling.bar


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _may_score(n_left: cython.longlong, first: cython.longlong, lists: Lists, peeling: Peeling) -> cython.bint:
    """Return whether n_left cases on the left, `first` of them of the first class, score as much by entropy."""
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
def _least(height: cython.double, per_step: cython.double, most: cython.longlong) -> cython.longlong:
    """Return one more than the whole steps in a height; at most `most`, and 0 below a height of 0."""
    n: cython.longlong = cython.cast(cython.longlong, height * per_step) + 1
    if height <= 0.0:
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
    """Return whether a cut within span s of attribute a may score peeling.least_of_corners.

    There are n_left cases before the span, in_left of the first class; `excess` is that of set_excess. The score is
    convex in the counts of the left side, so it is largest at a corner of the region where they are. A height is
    reached soonest if cases of one class come first, and latest if cases of the other class come last. The ends of the
    span are corners too, but D is further from 0 at one of the others, and so the score is larger. Corners with a D
    above 0 count only if that may reach the bar, and so do those below.
    """
    own: cython.longlong = spans.size[a, s]
    first: cython.longlong = spans.first[a, s]
    second: cython.longlong = own - first
    drift: cython.double = (spans.share[a, s] - peeling.share) * own
    top: cython.double = spans.top[a, s] + (drift if drift > 0.0 else 0.0)
    bottom: cython.double = spans.bottom[a, s] + (drift if drift < 0.0 else 0.0)
    after: cython.double = first - own * peeling.share
    height: cython.double = in_left - peeling.share * n_left
    highest: cython.double = height + top
    lowest: cython.double = height + bottom
    bar: cython.double = highest * highest if highest > -lowest else lowest * lowest
    k: cython.longlong
    if own == 0 or n_left + own <= peeling.min_side or n_left > peeling.n - peeling.min_side:
        return False
    if not peeling.is_entropy:
        return True
    bar -= excess + 2.0 * _SINGLE * (bar + cython.cast(cython.double, peeling.n))
    if highest > 0.0 and highest * highest >= bar:
        k = _least(top, peeling.per_first, first)
        if _may_score(n_left + k, in_left + k, lists, peeling):
            return True
        k = _least(top - after, peeling.per_second, second)
        if _may_score(n_left + own - k, in_left + first, lists, peeling):
            return True
    if lowest >= 0.0 or lowest * lowest < bar:
        return False
    k = _least(-bottom, peeling.per_second, second)
    if _may_score(n_left + k, in_left, lists, peeling):
        return True
    k = _least(after - bottom, peeling.per_first, first)
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
    peeling.blocks.top[a, b] = top + MARGIN
    peeling.blocks.bottom[a, b] = bottom - MARGIN
    peeling.blocks.share[a, b] = share
    peeling.blocks.known[a, b] = peeling.blocks.size[a, b]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bound_stretch(a: cython.Py_ssize_t, s: cython.Py_ssize_t, peeling: Peeling) -> cython.void:
    """Set the counts and the bounds of a stretch from its blocks."""
    share: cython.double = peeling.share
    drift: cython.double
    height: cython.double = 0.0
    top: cython.double = MARGIN
    bottom: cython.double = -MARGIN
    own_top: cython.double
    own_bottom: cython.double
    size: cython.int = 0
    n_first: cython.int = 0
    own: cython.int
    b: cython.Py_ssize_t
    begin: cython.Py_ssize_t = s << peeling.stretch_bits
    for b in range(begin, begin + _n_blocks(s, peeling)):
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
