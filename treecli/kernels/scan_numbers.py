"""The best cut of each attribute among the cases of one node by a numeric target, from lists of entries.

The same answers, to the last bit, as the kernels cuts and remainders give level by level: the order of sums is theirs.
"""

import cython

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.lists import is_constant
    from treecli.kernels.score_sklearn import parted

INFINITY = cython.declare(cython.double, float("inf"))
_NO_CUT = cython.declare(cython.longlong, -1)
_CONSTANT = cython.declare(cython.longlong, -2)
_GAIN = cython.declare(cython.Py_ssize_t, 0)
_WORTH = cython.declare(cython.Py_ssize_t, 2)

# More than rounding changes of a sum of squares, as a share of it for each case.
_ROUNDING = cython.declare(cython.double, 2e-15)

# What is known of a node.
_CENTER = cython.declare(cython.Py_ssize_t, 0)
_SUM = cython.declare(cython.Py_ssize_t, 1)
_SQUARES = cython.declare(cython.Py_ssize_t, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_numbers(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    row_shift: cython.int,
    live: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    target_of_row: cython.double[::1],
    sums: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    by_remainders: cython.bint,
    min_side: cython.longlong,
    tolerance: cython.double,
    zero_gain: cython.bint,
    value_gap: cython.double,
    is_single: cython.bint,
    close: cython.int[::1],
    values: cython.double[:, ::1],
    found: cython.double[:, ::1],
    cut: cython.longlong[::1],
) -> cython.void:
    """Fills the last two for the live attributes from `first` to `last`, as scan_classes; split information is none.

    sums[node] are the centre of the node, and sum and squares of the differences from it.
    """
    n: cython.longlong = hi - lo
    size: cython.double = cython.cast(cython.double, n)
    center: cython.double = sums[node, _CENTER]
    squares: cython.double = sums[node, _SQUARES]
    before: cython.double = squares - sums[node, _SUM] * sums[node, _SUM] / size
    slack: cython.double
    rounding: cython.double = _ROUNDING * size
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    i: cython.Py_ssize_t
    q: cython.Py_ssize_t
    start: cython.Py_ssize_t
    best: cython.Py_ssize_t
    moved: cython.longlong
    n_left: cython.longlong
    y: cython.double
    left: cython.double
    right: cython.double
    left_sum: cython.double
    left_squares: cython.double
    right_sum: cython.double
    right_squares: cython.double
    near_sum: cython.double
    best_sum: cython.double
    best_squares: cython.double
    left_spread: cython.double
    right_spread: cython.double
    bar: cython.double
    score: cython.double
    most: cython.double
    if not by_remainders and before < 0.0:
        before = 0.0
    slack = tolerance * before / size
    for j in range(first, last):
        a = live[j]
        start = source + a * stride
        found[_GAIN, a] = -INFINITY
        found[_WORTH, a] = -INFINITY
        cut[a] = _NO_CUT
        if is_constant(entry, start + lo, start + hi):
            cut[a] = _CONSTANT
            continue
        best = -1
        best_sum = 0.0
        best_squares = 0.0
        left_sum = 0.0
        left_squares = 0.0
        if by_remainders:
            # near_sum is the left sum, taken from that end of the list which is nearer, as in the kernel remainders.
            most = -INFINITY
            near_sum = 0.0
            moved = 0
            n_left = 0
            for i in range(start + lo, start + hi - min_side):
                y = target_of_row[entry[i] >> row_shift]
                left_sum += y
                left_squares += y * y
                n_left += 1
                if n_left < min_side or not entry[i + 1] & 1:
                    continue
                if close[a] >= 0 and not parted(
                    values[close[a], entry[i] >> row_shift],
                    values[close[a], entry[i + 1] >> row_shift],
                    value_gap,
                    is_single,
                ):
                    continue
                if n_left - moved == 1:
                    near_sum += y
                elif n_left - moved <= n - n_left:
                    for q in range(i + 1 - (n_left - moved), i + 1):
                        near_sum += target_of_row[entry[q] >> row_shift]
                else:
                    near_sum = sums[node, _SUM]
                    for q in range(start + hi - 1, i, -1):
                        near_sum -= target_of_row[entry[q] >> row_shift]
                moved = n_left
                right_sum = sums[node, _SUM] - near_sum
                left = cython.cast(cython.double, n_left)
                score = near_sum * near_sum / left + right_sum * right_sum / (size - left)
                if score > most:
                    most = score
                    best = i
                    best_sum = left_sum
                    best_squares = left_squares
        else:
            most = -INFINITY if zero_gain else 0.0
            bar = -INFINITY if zero_gain else sums[node, _SUM] * sums[node, _SUM] / size - rounding * squares
            right_sum = sums[node, _SUM]
            right_squares = squares
            left = 0.0
            right = size
            for i in range(start + lo, start + hi - min_side):
                y = target_of_row[entry[i] >> row_shift] - center
                left_sum += y
                left_squares += y * y
                right_sum -= y
                right_squares -= y * y
                left += 1.0
                right -= 1.0
                if (
                    left_sum * left_sum * right + right_sum * right_sum * left
                    > (bar - rounding * left_squares) * left * right
                ) & (entry[i + 1] & 1):
                    if left < min_side or (
                        close[a] >= 0
                        and not parted(
                            values[close[a], entry[i] >> row_shift],
                            values[close[a], entry[i + 1] >> row_shift],
                            value_gap,
                            is_single,
                        )
                    ):
                        continue
                    left_spread = left_squares - left_sum * left_sum / left
                    right_spread = right_squares - right_sum * right_sum / right
                    if left_spread < 0.0:
                        left_spread = 0.0
                    if right_spread < 0.0:
                        right_spread = 0.0
                    score = (before - (left_spread + right_spread)) / size
                    if score > most + slack:
                        most = score
                        best = i
                        bar = (most + slack) * size + sums[node, _SUM] * sums[node, _SUM] / size - rounding * squares
        if best < 0:
            continue
        cut[a] = best - start
        left = cython.cast(cython.double, best - start - lo + 1)
        right = size - left
        found[_WORTH, a] = most
        found[_GAIN, a] = most
        if by_remainders:
            y = sums[node, _SUM] / size
            score = squares / size - y * y
            y = (sums[node, _SUM] - best_sum) / right
            score -= right / size * ((squares - best_squares) / right - y * y)
            y = best_sum / left
            found[_GAIN, a] = score - left / size * (best_squares / left - y * y)
        if not zero_gain and found[_GAIN, a] < tolerance:
            found[_GAIN, a] = -INFINITY
            cut[a] = _NO_CUT
