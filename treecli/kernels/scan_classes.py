"""The best cut of each attribute among the cases of one node by their classes, from lists of entries.

The same answers as the kernels cuts and remainders give level by level. Most places need no division: a comparison of
products shows that they cannot be the best, and only the others are reckoned as it is done there.
"""

import cython
from cython.cimports.libc.math import log, log2

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.lists import is_constant
    from treecli.kernels.score_sklearn import parted

INFINITY = cython.declare(cython.double, float("inf"))
_NO_CUT = cython.declare(cython.longlong, -1)
_CONSTANT = cython.declare(cython.longlong, -2)
_GAIN = cython.declare(cython.Py_ssize_t, 0)
_INFORMATION = cython.declare(cython.Py_ssize_t, 1)
_WORTH = cython.declare(cython.Py_ssize_t, 2)
_ENTROPY = cython.declare(cython.int, 0)
_LOG2_E = cython.declare(cython.double, 1.4426950408889634)

# More than rounding changes of a score, as a share of the cases.
_ROUNDING = cython.declare(cython.double, 1e-12)

# The rows of the scratch table.
_LEFT = cython.declare(cython.Py_ssize_t, 0)
_RIGHT = cython.declare(cython.Py_ssize_t, 1)

SCRATCH_ROWS = 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _entropy(scratch: cython.longlong[:, ::1], side: cython.Py_ssize_t, weight: cython.double) -> cython.double:
    """The entropy of one side, added up as in the kernel remainders."""
    c: cython.Py_ssize_t
    share: cython.double
    total: cython.double = 0.0
    for c in range(scratch.shape[1]):
        if scratch[side, c] > 0:
            share = cython.cast(cython.double, scratch[side, c]) / weight
            total -= share * (log(share) / log(2.0))
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _impurity(
    scratch: cython.longlong[:, ::1], side: cython.Py_ssize_t, weight: cython.double, impurity: cython.int
) -> cython.double:
    c: cython.Py_ssize_t
    count: cython.double
    total: cython.double = 0.0
    if impurity == _ENTROPY:
        return _entropy(scratch, side, weight)
    for c in range(scratch.shape[1]):
        count = cython.cast(cython.double, scratch[side, c])
        total += count * count
    return 1.0 - total / (weight * weight)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pair(
    scratch: cython.longlong[:, ::1], side: cython.Py_ssize_t, xlog2_of: cython.double[::1], impurity: cython.int
) -> cython.double:
    """The sum of the terms of two classes."""
    if impurity == _ENTROPY:
        return xlog2_of[scratch[side, 0]] + xlog2_of[scratch[side, 1]]
    return cython.cast(cython.double, scratch[side, 0] * scratch[side, 0] + scratch[side, 1] * scratch[side, 1])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _score(
    left: cython.longlong,
    right: cython.longlong,
    left_terms: cython.double,
    right_terms: cython.double,
    before: cython.double,
    xlog2_of: cython.double[::1],
    impurity: cython.int,
    by_remainders: cython.bint,
    scratch: cython.longlong[:, ::1],
) -> cython.double:
    """By how much a cut lowers weight times impurity or, by remainders, minus what it leaves of it.

    Terms are the sums over classes of count * count or count * log2(count).
    """
    n_left: cython.double = cython.cast(cython.double, left)
    n_right: cython.double = cython.cast(cython.double, right)
    if impurity == _ENTROPY:
        if by_remainders:
            return -n_right * _entropy(scratch, _RIGHT, n_right) - n_left * _entropy(scratch, _LEFT, n_left)
        return before - (xlog2_of[left] - left_terms + xlog2_of[right] - right_terms)
    if by_remainders:
        return -n_right * (1.0 - right_terms / (n_right * n_right)) - n_left * (1.0 - left_terms / (n_left * n_left))
    return before - (n_left + n_right - left_terms / n_left - right_terms / n_right)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gain_by_remainders(
    entry: cython.uint[::1],
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    class_mask: cython.uint,
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    size: cython.double,
    impurity: cython.int,
    scratch: cython.longlong[:, ::1],
) -> cython.double:
    """The gain of the cut that has the entries from begin to end on its left."""
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    before: cython.double
    left: cython.double = cython.cast(cython.double, end - begin)
    for c in range(scratch.shape[1]):
        scratch[_LEFT, c] = 0
        scratch[_RIGHT, c] = cython.cast(cython.longlong, outcomes[node, c])
    before = _impurity(scratch, _RIGHT, size, impurity)
    for i in range(begin, end):
        c = (entry[i] >> 1) & class_mask
        scratch[_LEFT, c] += 1
        scratch[_RIGHT, c] -= 1
    return (
        before
        - (size - left) / size * _impurity(scratch, _RIGHT, size - left, impurity)
        - left / size * _impurity(scratch, _LEFT, left, impurity)
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_classes(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    row_shift: cython.int,
    live: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    xlog2_of: cython.double[::1],
    impurity: cython.int,
    by_remainders: cython.bint,
    min_side: cython.longlong,
    tolerance: cython.double,
    zero_gain: cython.bint,
    cut_cost: cython.bint,
    stops: cython.bint,
    value_gap: cython.double,
    is_single: cython.bint,
    close: cython.int[::1],
    values: cython.double[:, ::1],
    scratch: cython.longlong[:, ::1],
    found: cython.double[:, ::1],
    cut: cython.longlong[::1],
) -> cython.void:
    """Fills the last two for the live attributes from `first` to `last`: the best cut among the cases from lo to hi.

    The row of `found` are gain, split information and what ranks the attributes; a cut is the place of the last case on
    the left, -1 where there is none and -2 where all values are equal. `stops`: after a cut that leaves nothing mixed,
    later attributes need no look. The list of attribute a begins at source + a * stride.
    """
    n_classes: cython.Py_ssize_t = outcomes.shape[1]
    class_mask: cython.uint = (cython.cast(cython.uint, 1) << (row_shift - 1)) - 1
    n: cython.longlong = hi - lo
    size: cython.double = cython.cast(cython.double, n)
    slack: cython.double = 0.0 if by_remainders else tolerance * size
    rounding: cython.double = _ROUNDING * size
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    start: cython.Py_ssize_t
    best: cython.Py_ssize_t
    n_left: cython.longlong
    n_right: cython.longlong
    n_first: cython.longlong = 0
    surplus: cython.longlong
    in_left: cython.longlong
    in_right: cython.longlong
    left_squares: cython.longlong
    right_squares: cython.longlong
    n_cuts: cython.longlong
    left_terms: cython.double
    right_terms: cython.double
    height: cython.double
    room: cython.double
    bar: cython.double
    score: cython.double
    most: cython.double
    before: cython.double
    # What times D * D / (left * right) no score is larger than, where there are two classes: D is by how many cases
    # of the first class, times n, the left side has more than its share. Of gini it is the score itself; of entropy,
    # a divergence is at most chi-square (in nats).
    scale: cython.double = 2.0 / size
    terms: cython.double = 0.0
    perfect: cython.Py_ssize_t = close.shape[0]
    for c in range(n_classes):
        scratch[_RIGHT, c] = cython.cast(cython.longlong, outcomes[node, c])
        terms += xlog2_of[scratch[_RIGHT, c]] if impurity == _ENTROPY else outcomes[node, c] * outcomes[node, c]
    before = xlog2_of[n] - terms if impurity == _ENTROPY else size - terms / size
    n_first = cython.cast(cython.longlong, outcomes[node, 0])
    if impurity == _ENTROPY and n_first > 0 and n_first < n:
        scale = _LOG2_E * size / (outcomes[node, 0] * (size - outcomes[node, 0]))
    for j in range(first, last):
        a = live[j]
        start = source + a * stride
        found[_GAIN, a] = -INFINITY
        found[_INFORMATION, a] = 0.0
        found[_WORTH, a] = -INFINITY
        cut[a] = _NO_CUT
        if a > perfect:
            continue
        if is_constant(entry, start + lo, start + hi):
            cut[a] = _CONSTANT
            continue
        best = -1
        n_left = 0
        most = -INFINITY if zero_gain else 0.0
        bar = -1.0 if zero_gain else (slack - rounding) / scale
        if n_classes == 2:
            surplus = 0
            for i in range(start + lo, start + lo + min_side - 1):
                surplus += n - n_first - n * cython.cast(cython.longlong, (entry[i] >> 1) & 1)
                n_left += 1
            for i in range(start + lo + min_side - 1, start + hi - min_side):
                surplus += n - n_first - n * cython.cast(cython.longlong, (entry[i] >> 1) & 1)
                n_left += 1
                height = cython.cast(cython.double, surplus)
                room = cython.cast(cython.double, n_left * (n - n_left))
                if (height * height > bar * room) & (entry[i + 1] & 1):
                    if close[a] >= 0 and not parted(
                        values[close[a], entry[i] >> row_shift],
                        values[close[a], entry[i + 1] >> row_shift],
                        value_gap,
                        is_single,
                    ):
                        continue
                    n_right = n - n_left
                    scratch[_LEFT, 0] = (surplus + n_left * n_first) // n
                    scratch[_LEFT, 1] = n_left - scratch[_LEFT, 0]
                    scratch[_RIGHT, 0] = n_first - scratch[_LEFT, 0]
                    scratch[_RIGHT, 1] = n_right - scratch[_RIGHT, 0]
                    left_terms = _pair(scratch, _LEFT, xlog2_of, impurity)
                    right_terms = _pair(scratch, _RIGHT, xlog2_of, impurity)
                    score = _score(
                        n_left,
                        n_right,
                        left_terms,
                        right_terms,
                        before,
                        xlog2_of,
                        impurity,
                        by_remainders,
                        scratch,
                    )
                    if score > most + slack:
                        most = score
                        best = i
                        bar = (most + slack - rounding + (before if by_remainders else 0.0)) / scale
        else:
            left_squares = 0
            right_squares = 0
            left_terms = 0.0
            right_terms = 0.0
            for c in range(n_classes):
                scratch[_LEFT, c] = 0
                in_right = cython.cast(cython.longlong, outcomes[node, c])
                scratch[_RIGHT, c] = in_right
                right_squares += in_right * in_right
                right_terms += xlog2_of[in_right]
            bar = most if zero_gain else slack - rounding - before
            for i in range(start + lo, start + hi - min_side):
                c = (entry[i] >> 1) & class_mask
                in_left = scratch[_LEFT, c]
                in_right = scratch[_RIGHT, c]
                scratch[_LEFT, c] = in_left + 1
                scratch[_RIGHT, c] = in_right - 1
                n_left += 1
                if impurity == _ENTROPY:
                    left_terms += xlog2_of[in_left + 1] - xlog2_of[in_left]
                    right_terms += xlog2_of[in_right - 1] - xlog2_of[in_right]
                else:
                    left_squares += 2 * in_left + 1
                    right_squares -= 2 * in_right - 1
                if n_left < min_side or not entry[i + 1] & 1:
                    continue
                n_right = n - n_left
                if impurity == _ENTROPY:
                    if not left_terms + right_terms - xlog2_of[n_left] - xlog2_of[n_right] > bar:
                        continue
                else:
                    height = cython.cast(cython.double, left_squares) * cython.cast(cython.double, n_right)
                    height += cython.cast(cython.double, right_squares) * cython.cast(cython.double, n_left)
                    if not height > (bar + size) * cython.cast(cython.double, n_left * n_right):
                        continue
                if close[a] >= 0 and not parted(
                    values[close[a], entry[i] >> row_shift],
                    values[close[a], entry[i + 1] >> row_shift],
                    value_gap,
                    is_single,
                ):
                    continue
                if impurity != _ENTROPY:
                    left_terms = cython.cast(cython.double, left_squares)
                    right_terms = cython.cast(cython.double, right_squares)
                score = _score(
                    n_left, n_right, left_terms, right_terms, before, xlog2_of, impurity, by_remainders, scratch
                )
                if score > most + slack:
                    most = score
                    best = i
                    bar = most + slack - rounding - (0.0 if by_remainders else before)
        if best < 0:
            continue
        n_left = best - start - lo + 1
        n_right = n - n_left
        cut[a] = best - start
        found[_WORTH, a] = most
        found[_GAIN, a] = most / size
        if stops and a < perfect and most - (0.0 if by_remainders else before) >= -slack / 2.0:
            perfect = a
        if by_remainders:
            found[_GAIN, a] = _gain_by_remainders(
                entry, start + lo, best + 1, class_mask, outcomes, node, size, impurity, scratch
            )
        elif most < tolerance:
            found[_GAIN, a] = 0.0
        if cut_cost:
            n_cuts = 0
            for i in range(start + lo + min_side - 1, start + hi - min_side):
                if entry[i + 1] & 1 and (
                    close[a] < 0
                    or parted(
                        values[close[a], entry[i] >> row_shift],
                        values[close[a], entry[i + 1] >> row_shift],
                        value_gap,
                        is_single,
                    )
                ):
                    n_cuts += 1
            found[_GAIN, a] -= log2(cython.cast(cython.double, n_cuts)) / size
        if not zero_gain and found[_GAIN, a] < tolerance:
            found[_GAIN, a] = -INFINITY
            cut[a] = _NO_CUT
        found[_INFORMATION, a] = (xlog2_of[n] - xlog2_of[n_left] - xlog2_of[n_right]) / size
