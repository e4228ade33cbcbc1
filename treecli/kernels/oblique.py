"""Search for hyperplanes that split nodes well: OC1's coordinate perturbation (Murthy, Kasif and Salzberg 1994).

A plane is a row of coefficients, the constant last; a case is above it if a z + c > 0. Every step is one line search:
the planes p + α r cut the cases at as many values of α as there are cases, and one sweep over these scores them all, by
the Gini index or the variance.
"""

import cython
from cython.cimports.libc.math import copysign, fabs, sqrt

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.sorting import sort

    # The rows of Planes.plane, and the sides of a plane.
    _NOW, _BEST = range(2)
    _BELOW, _ABOVE = range(2)

INFINITY = cython.declare(cython.double, float("inf"))
_TOLERANCE = cython.declare(cython.double, 1e-9)
_FLAT = cython.declare(cython.double, 1e-12)
_ROUNDING = cython.declare(cython.double, 1e-12)
_MOST_PASSES = cython.declare(cython.int, 12)
_LEAST_GROWTH = cython.declare(cython.double, 0.01)
_LEAST_BUCKETS = cython.declare(cython.Py_ssize_t, 32)
_MOST_MOVES = cython.declare(cython.Py_ssize_t, 8)
_GIVEN_UP = cython.declare(cython.double, 0.1)


@cython.cclass
class Planes:
    """The cases of some nodes, the random numbers of their searches, the planes found, and scratch.

    `value`, `row`, `height`, `slope`, `spare_value` and `spare_row` have room for the cases of the largest node,
    `pending` for twice as many + 2.
    """

    z: cython.double[:, ::1]
    """By case and attribute: the standardised values."""
    label: cython.int[::1]
    target: cython.double[::1]
    """About the mean of the node."""
    share: cython.double[::1]
    """The weight of each case, as a share of its node's."""
    start: cython.longlong[::1]
    """Node i has the cases start[i] to start[i + 1] (exclusive)."""
    usable: cython.uchar[:, ::1]
    """By node and attribute."""
    least: cython.double[::1]
    """By node: the least share of a side."""
    draw: cython.double[:, :, ::1]
    """By node: n_sparse directions and then n_jumps planes for each restart, as rows of d + 1 numbers."""
    is_numeric: cython.bint
    n_sparse: cython.int
    n_jumps: cython.int
    found: cython.double[:, ::1]
    """By node: the best plane."""
    gain: cython.double[:, ::1]
    """By node: the gain of the plane, and that of the best one on one attribute; -inf if there is none."""
    plane: cython.double[:, ::1]
    sums: cython.double[:, ::1]
    """By side: the weights of the classes, or the sum of the target, and last the weight and the sum of squares."""
    height: cython.double[::1]
    """By case: a z + c of the current plane."""
    slope: cython.double[::1]
    """By case: a z + c of the direction of a line search."""
    value: cython.double[::1]
    row: cython.int[::1]
    pending: cython.longlong[::1]
    spare_value: cython.double[::1]
    spare_row: cython.int[::1]
    version: cython.longlong[::1]
    """By coefficient: the number of changes of the plane before its last line search, which found nothing better."""
    unsplit: cython.double
    """The worth of the current node without a split."""
    alpha: cython.double
    reached: cython.double
    """The place and the gain that a line search found."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(case: cython.Py_ssize_t, side: cython.int, planes: Planes) -> cython.void:
    """Add a case to a side."""
    w: cython.double = planes.share[case]
    weight: cython.Py_ssize_t = planes.sums.shape[1] - 2
    c: cython.Py_ssize_t
    old: cython.double
    planes.sums[side, weight] += w
    if planes.is_numeric:
        planes.sums[side, 0] += w * planes.target[case]
        planes.sums[side, weight + 1] = planes.sums[side, 0] * planes.sums[side, 0]
    else:
        c = planes.label[case]
        old = planes.sums[side, c]
        planes.sums[side, c] = old + w
        planes.sums[side, weight + 1] += w * (old + old + w)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _worth(side: cython.int, planes: Planes) -> cython.double:
    """Return a side's part of the gain, up to a constant of the node."""
    last: cython.Py_ssize_t = planes.sums.shape[1] - 1
    return planes.sums[side, last] / planes.sums[side, last - 1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear(planes: Planes) -> cython.void:
    """Empty both sides."""
    side: cython.int
    c: cython.Py_ssize_t
    for side in range(2):
        for c in range(planes.sums.shape[1]):
            planes.sums[side, c] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _unsplit(begin: cython.Py_ssize_t, end: cython.Py_ssize_t, planes: Planes) -> cython.double:
    """Return the worth of a node as a whole; a plane's gain is the worth of its sides less this."""
    i: cython.Py_ssize_t
    _clear(planes)
    for i in range(begin, end):
        _add(i, _ABOVE, planes)
    return _worth(_ABOVE, planes)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort(n: cython.Py_ssize_t, planes: Planes) -> cython.void:
    """Sort the first n values, and move the rows with them.

    Quotients have long tails: v / (1 + |v|) spreads them over as many buckets as there are values, and insertion does
    the rest. Values that the buckets do not order, such as many large ones, are sorted as usual.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    n_moves: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = 0
    b: cython.Py_ssize_t
    value: cython.double[::1] = planes.value
    row: cython.int[::1] = planes.row
    spare_value: cython.double[::1] = planes.spare_value
    spare_row: cython.int[::1] = planes.spare_row
    # By bucket: where its values begin, and then where they end; by value: its bucket.
    begin: cython.longlong[::1] = planes.pending[:n]
    bucket: cython.longlong[::1] = planes.pending[n : 2 * n]
    x: cython.double
    own: cython.int
    if n < _LEAST_BUCKETS:
        sort(value[:n], row[:n], planes.pending)
        return
    for i in range(n):
        begin[i] = 0
    for i in range(n):
        x = value[i] / (1.0 + fabs(value[i]))
        b = cython.cast(cython.Py_ssize_t, (0.5 * x + 0.5) * n) if -1.0 <= x < 1.0 else n - 1
        b = n - 1 if b >= n else b
        bucket[i] = b
        begin[b] += 1
        spare_value[i] = value[i]
        spare_row[i] = row[i]
    for i in range(n):
        b = begin[i]
        begin[i] = last
        last += b
    for i in range(n):
        b = begin[bucket[i]]
        begin[bucket[i]] = b + 1
        value[b] = spare_value[i]
        row[b] = spare_row[i]
    for i in range(1, n):
        x = value[i]
        own = row[i]
        j = i
        while j > 0 and value[j - 1] > x:
            value[j] = value[j - 1]
            row[j] = row[j - 1]
            j -= 1
        value[j] = x
        row[j] = own
        n_moves += i - j
        if n_moves > _MOST_MOVES * n:
            sort(value[:n], row[:n], planes.pending)
            return


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _line_search(begin: cython.Py_ssize_t, end: cython.Py_ssize_t, least: cython.double, planes: Planes) -> cython.void:
    """Set `alpha` and `reached` to the best plane height + alpha * slope; -inf is reached if none has two sides.

    Where the slope is negative, a case is above for small alpha and not for large ones, so that the best plane may lie
    before the first place where a case changes sides, or after the last.
    """
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    slope: cython.double
    planes.alpha = 0.0
    planes.reached = -INFINITY
    _clear(planes)
    for i in range(begin, end):
        slope = planes.slope[i - begin]
        if fabs(slope) <= _FLAT:
            _add(i, _ABOVE if planes.height[i - begin] > 0.0 else _BELOW, planes)
        else:
            _add(i, _BELOW if slope > 0.0 else _ABOVE, planes)
            planes.value[n] = -planes.height[i - begin] / slope
            planes.row[n] = i - begin
            n += 1
    if n > 0:
        _sort(n, planes)
        _sweep(begin, n, least, planes)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep(begin: cython.Py_ssize_t, n: cython.Py_ssize_t, least: cython.double, planes: Planes) -> cython.void:
    """Let the first n sorted cases change sides one by one, and try the planes between them."""
    # In variables of its own: what planes refers to would be loaded again after each change of a sum.
    sums: cython.double[:, ::1] = planes.sums
    value: cython.double[::1] = planes.value
    row: cython.int[::1] = planes.row
    last: cython.Py_ssize_t = sums.shape[1] - 1
    below: cython.double = sums[_BELOW, last - 1]
    above: cython.double = sums[_ABOVE, last - 1]
    squares_below: cython.double = sums[_BELOW, last]
    squares_above: cython.double = sums[_ABOVE, last]
    is_numeric: cython.bint = planes.is_numeric
    # Planes whose products do not reach it are clearly no better than the best.
    bar: cython.double = -INFINITY
    worth: cython.double
    up: cython.double
    old: cython.double
    alpha: cython.double
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for i in range(-1, n):
        if i >= 0:
            # The weight that comes above the plane, negative if it goes below.
            up = copysign(planes.share[begin + row[i]], planes.slope[row[i]])
            below -= up
            above += up
            if is_numeric:
                old = up * planes.target[begin + row[i]]
                sums[_BELOW, 0] -= old
                sums[_ABOVE, 0] += old
                squares_below = sums[_BELOW, 0] * sums[_BELOW, 0]
                squares_above = sums[_ABOVE, 0] * sums[_ABOVE, 0]
            else:
                c = planes.label[begin + row[i]]
                old = sums[_BELOW, c]
                sums[_BELOW, c] = old - up
                squares_below -= up * (old + old - up)
                old = sums[_ABOVE, c]
                sums[_ABOVE, c] = old + up
                squares_above += up * (old + old + up)
        if below < least or above < least:
            continue
        if squares_below * above + squares_above * below < bar * (below * above):
            continue
        if i < 0:
            alpha = value[0] - 1.0
        elif i + 1 == n:
            alpha = value[i] + 1.0
        else:
            alpha = value[i] / 2.0 + value[i + 1] / 2.0
            if not value[i] < alpha < value[i + 1]:
                continue
        worth = squares_below / below + squares_above / above
        if worth > planes.reached + _TOLERANCE:
            planes.reached = worth
            planes.alpha = alpha
            bar = worth * (1.0 - _ROUNDING)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _project(begin: cython.Py_ssize_t, end: cython.Py_ssize_t, planes: Planes) -> cython.void:
    """Set the height of every case above the current plane."""
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t
    d: cython.Py_ssize_t = planes.z.shape[1]
    height: cython.double
    for i in range(begin, end):
        height = planes.plane[_NOW, d]
        for m in range(d):
            height += planes.plane[_NOW, m] * planes.z[i, m]
        planes.height[i - begin] = height


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_slope(begin: cython.Py_ssize_t, end: cython.Py_ssize_t, m: cython.Py_ssize_t, planes: Planes) -> cython.void:
    """Set the direction of a line search: coefficient m alone, or the constant."""
    i: cython.Py_ssize_t
    for i in range(begin, end):
        planes.slope[i - begin] = planes.z[i, m] if m < planes.z.shape[1] else 1.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _perturb(node: cython.Py_ssize_t, gain: cython.double, planes: Planes) -> cython.double:
    """Change one coefficient of the current plane after the other; return what is reached.

    Another pass follows if one has raised the gain by a hundredth.
    """
    begin: cython.Py_ssize_t = planes.start[node]
    end: cython.Py_ssize_t = planes.start[node + 1]
    d: cython.Py_ssize_t = planes.z.shape[1]
    m: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n_passes: cython.int = 0
    n_changes: cython.longlong = 0
    before: cython.double = -INFINITY
    for m in range(d + 1):
        planes.version[m] = -1
    while n_passes < _MOST_PASSES and gain - before > _LEAST_GROWTH * (gain - planes.unsplit):
        before = gain
        n_passes += 1
        for m in range(d + 1):
            if m < d and not planes.usable[node, m]:
                continue
            if planes.version[m] == n_changes:
                # The same line search as in the last pass.
                continue
            _set_slope(begin, end, m, planes)
            _line_search(begin, end, planes.least[node], planes)
            planes.version[m] = n_changes
            if planes.reached > gain + _TOLERANCE:
                gain = planes.reached
                n_changes += 1
                planes.plane[_NOW, m] += planes.alpha
                for i in range(end - begin):
                    planes.height[i] += planes.alpha * planes.slope[i]
    return gain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _climb(node: cython.Py_ssize_t, restart: cython.Py_ssize_t, gain: cython.double, planes: Planes) -> cython.double:
    """Improve the current plane by single coefficients and, where none helps, by random jumps."""
    begin: cython.Py_ssize_t = planes.start[node]
    end: cython.Py_ssize_t = planes.start[node + 1]
    d: cython.Py_ssize_t = planes.z.shape[1]
    m: cython.Py_ssize_t
    i: cython.Py_ssize_t
    jump: cython.Py_ssize_t
    first: cython.Py_ssize_t = restart * (planes.n_sparse + planes.n_jumps) + planes.n_sparse
    slope: cython.double
    gain = _perturb(node, gain, planes)
    for jump in range(first, first + planes.n_jumps):
        for i in range(begin, end):
            slope = planes.draw[node, jump, d]
            for m in range(d):
                slope += planes.draw[node, jump, m] * planes.z[i, m]
            planes.slope[i - begin] = slope
        _line_search(begin, end, planes.least[node], planes)
        if planes.reached > gain + _TOLERANCE:
            gain = planes.reached
            for m in range(d + 1):
                planes.plane[_NOW, m] += planes.alpha * planes.draw[node, jump, m]
            _project(begin, end, planes)
            gain = _perturb(node, gain, planes)
    return gain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _start_at(node: cython.Py_ssize_t, sparse: cython.Py_ssize_t, planes: Planes) -> cython.double:
    """Set the current plane to the best of some with given directions, and return its gain.

    These are the attributes if `sparse` is negative, else the random directions from that row on.
    """
    begin: cython.Py_ssize_t = planes.start[node]
    end: cython.Py_ssize_t = planes.start[node + 1]
    d: cython.Py_ssize_t = planes.z.shape[1]
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t
    trial: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    gain: cython.double = -INFINITY
    constant: cython.double = 0.0
    height: cython.double
    for trial in range(d if sparse < 0 else planes.n_sparse):
        if sparse < 0 and not planes.usable[node, trial]:
            continue
        for i in range(begin, end):
            height = 0.0
            if sparse < 0:
                height = planes.z[i, trial]
            else:
                for m in range(d):
                    height += planes.draw[node, sparse + trial, m] * planes.z[i, m]
            planes.height[i - begin] = height
        _set_slope(begin, end, d, planes)
        _line_search(begin, end, planes.least[node], planes)
        if planes.reached > gain + _TOLERANCE:
            gain = planes.reached
            constant = planes.alpha
            best = trial
    if best >= 0:
        for m in range(d):
            if sparse < 0:
                planes.plane[_NOW, m] = 1.0 if m == best else 0.0
            else:
                planes.plane[_NOW, m] = planes.draw[node, sparse + best, m]
        planes.plane[_NOW, d] = constant
        _project(begin, end, planes)
    return gain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _drop(node: cython.Py_ssize_t, gain: cython.double, axis: cython.double, planes: Planes) -> cython.double:
    """Set small coefficients to 0, smallest first, while most of the improvement over one attribute remains."""
    begin: cython.Py_ssize_t = planes.start[node]
    end: cython.Py_ssize_t = planes.start[node + 1]
    d: cython.Py_ssize_t = planes.z.shape[1]
    m: cython.Py_ssize_t
    smallest: cython.Py_ssize_t
    tried: cython.double = 0.0
    kept: cython.double
    least: cython.double = gain - _GIVEN_UP * (gain - axis) if axis > -INFINITY else gain - _TOLERANCE
    while True:
        smallest = -1
        for m in range(d):
            kept = fabs(planes.plane[_BEST, m])
            if kept > tried and (smallest < 0 or kept < fabs(planes.plane[_BEST, smallest])):
                smallest = m
        if smallest < 0:
            return gain
        tried = fabs(planes.plane[_BEST, smallest])
        for m in range(d + 1):
            planes.plane[_NOW, m] = 0.0 if m == smallest else planes.plane[_BEST, m]
        _project(begin, end, planes)
        _set_slope(begin, end, d, planes)
        _line_search(begin, end, planes.least[node], planes)
        if planes.reached >= least:
            gain = planes.reached
            planes.plane[_BEST, smallest] = 0.0
            planes.plane[_BEST, d] += planes.alpha


def search(first: cython.Py_ssize_t, last: cython.Py_ssize_t, n_restarts: cython.int, planes: Planes) -> None:
    """Fill `found` and `gain` for the nodes from first to last (exclusive).

    The first start is the best plane on one attribute; each further one is the best of some random directions.
    """
    node: cython.Py_ssize_t
    m: cython.Py_ssize_t
    restart: cython.int
    d: cython.Py_ssize_t = planes.z.shape[1]
    gain: cython.double
    best: cython.double
    axis: cython.double
    with cython.nogil:
        for node in range(first, last):
            planes.unsplit = _unsplit(planes.start[node], planes.start[node + 1], planes)
            axis = _start_at(node, -1, planes)
            best = -INFINITY
            for restart in range(n_restarts):
                gain = axis
                if restart > 0:
                    gain = _start_at(node, restart * (planes.n_sparse + planes.n_jumps), planes)
                if gain == -INFINITY:
                    continue
                gain = _climb(node, restart, gain, planes)
                if gain > best + _TOLERANCE:
                    best = gain
                    for m in range(d + 1):
                        planes.plane[_BEST, m] = planes.plane[_NOW, m]
            if best > -INFINITY:
                best = _drop(node, best, axis, planes)
                for m in range(d + 1):
                    planes.found[node, m] = planes.plane[_BEST, m]
            planes.gain[node, 0] = best - planes.unsplit
            planes.gain[node, 1] = axis - planes.unsplit


def line_search(least: cython.double, planes: Planes) -> cython.double:
    """Return the best alpha of height + alpha * slope for the cases of the first node, a single line search."""
    _line_search(planes.start[0], planes.start[1], least, planes)
    return planes.alpha


def add_products(
    factor: cython.double[::1],
    column: cython.double[::1],
    row: cython.int[::1],
    start: cython.longlong[::1],
    total: cython.double[::1],
) -> None:
    """Add a factor by node times the values of a column to a number by case; a factor of 0 adds nothing."""
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for node in range(factor.shape[0]):
            if factor[node] != 0.0:
                for i in range(start[node], start[node + 1]):
                    total[i] += factor[node] * column[row[i]]


def standardise(
    attribute: cython.Py_ssize_t,
    column: cython.double[::1],
    row: cython.int[::1],
    known_share: cython.double,
    planes: Planes,
    scale: cython.double[:, ::1],
) -> None:
    """Set column `attribute` of z: the values of the rows with mean 0 and deviation 1 in each node, 0 where missing.

    `scale` gets the deviations: 0 where an attribute cannot be used, because it is constant, or less than the given
    share is known.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    known: cython.double
    mean: cython.double
    deviation: cython.double
    x: cython.double
    with cython.nogil:
        for node in range(planes.start.shape[0] - 1):
            known = 0.0
            mean = 0.0
            deviation = 0.0
            for i in range(planes.start[node], planes.start[node + 1]):
                x = column[row[i]]
                if x == x:
                    known += planes.share[i]
                    mean += x * planes.share[i]
            if known > 0.0:
                mean /= known
                for i in range(planes.start[node], planes.start[node + 1]):
                    x = column[row[i]] - mean
                    if x == x:
                        deviation += x * x * planes.share[i]
                deviation = sqrt(deviation / known)
            # A deviation that is only rounding would make noise of a constant.
            if known < known_share or not fabs(mean) * 1e-12 < deviation < INFINITY:
                deviation = 0.0
            scale[node, attribute] = deviation
            for i in range(planes.start[node], planes.start[node + 1]):
                x = column[row[i]] - mean
                planes.z[i, attribute] = x / deviation if x == x and deviation > 0.0 else 0.0
