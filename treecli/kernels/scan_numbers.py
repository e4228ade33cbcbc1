"""The best cut of each attribute among the cases of one node by a numeric target, from packed lists.

The results are bit-identical to those of score_sums and score_sklearn, because sums are in the same order.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.codes import CONSTANT, NO_CUT, SKLEARN
    from treecli.kernels.packed_args import Lists, Search, Subtree
    from treecli.kernels.packed_lists import is_apart, is_constant

    # The columns of Subtree.sums.
    _CENTER, _SUM, _SQUARES = range(3)

INFINITY = cython.declare(cython.double, float("inf"))

# More than rounding changes of a sum of squares, as a share of it for each case.
_ROUNDING = cython.declare(cython.double, 2e-15)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search_by_sums(
    a: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    lists: Lists,
    search: Search,
    subtree: Subtree,
    found: Found,
    plan: Plan,
) -> cython.void:
    """Set the cut, gain and improvement of one attribute, whose list begins at `start`."""
    size: cython.double = cython.cast(cython.double, search.hi - search.lo)
    min_side: cython.longlong = search.min_side
    row_shift: cython.int = lists.row_shift
    close: cython.int = lists.close[a]
    center: cython.double = subtree.sums[search.node, _CENTER]
    total: cython.double = subtree.sums[search.node, _SUM]
    squares: cython.double = subtree.sums[search.node, _SQUARES]
    before: cython.double = search.before
    slack: cython.double = search.slack
    rounding: cython.double = _ROUNDING * size
    i: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    y: cython.double
    left: cython.double = 0.0
    right: cython.double = size
    left_sum: cython.double = 0.0
    left_squares: cython.double = 0.0
    right_sum: cython.double = total
    right_squares: cython.double = squares
    left_spread: cython.double
    right_spread: cython.double
    score: cython.double
    most: cython.double = -INFINITY if plan.zero_gain else 0.0
    # For most cuts, a comparison of products shows that they cannot be the best.
    bar: cython.double = -INFINITY if plan.zero_gain else total * total / size - rounding * squares
    for i in range(start + search.lo, start + search.hi - min_side):
        y = lists.target_of_row[lists.entry[i] >> row_shift] - center
        left_sum += y
        left_squares += y * y
        right_sum -= y
        right_squares -= y * y
        left += 1.0
        right -= 1.0
        if (
            left_sum * left_sum * right + right_sum * right_sum * left > (bar - rounding * left_squares) * left * right
        ) & (lists.entry[i + 1] & 1):
            if left < min_side or (close >= 0 and not is_apart(lists, close, i, plan.value_gap)):
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
                bar = (most + slack) * size + total * total / size - rounding * squares
    if best >= 0 and (plan.zero_gain or not most < plan.tolerance):
        search.cut[a] = best - start
        found.gain[a] = most
        found.improvement[a] = most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search_like_sklearn(
    a: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    lists: Lists,
    search: Search,
    subtree: Subtree,
    found: Found,
    plan: Plan,
) -> cython.void:
    """Like _search_by_sums, in scikit-learn's arithmetic."""
    n: cython.longlong = search.hi - search.lo
    size: cython.double = cython.cast(cython.double, n)
    min_side: cython.longlong = search.min_side
    row_shift: cython.int = lists.row_shift
    close: cython.int = lists.close[a]
    total: cython.double = subtree.sums[search.node, _SUM]
    squares: cython.double = subtree.sums[search.node, _SQUARES]
    end: cython.Py_ssize_t = start + search.hi
    i: cython.Py_ssize_t
    q: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    moved: cython.longlong = 0
    n_left: cython.longlong = 0
    y: cython.double
    left: cython.double
    right: cython.double
    left_sum: cython.double = 0.0
    left_squares: cython.double = 0.0
    near_sum: cython.double = 0.0
    right_sum: cython.double
    best_sum: cython.double = 0.0
    best_squares: cython.double = 0.0
    score: cython.double
    most: cython.double = -INFINITY
    # near_sum is the left sum, taken from that end of the list which is nearer, as in score_sklearn.
    for i in range(start + search.lo, end - min_side):
        y = lists.target_of_row[lists.entry[i] >> row_shift]
        left_sum += y
        left_squares += y * y
        n_left += 1
        if n_left < min_side or not lists.entry[i + 1] & 1:
            continue
        if close >= 0 and not is_apart(lists, close, i, plan.value_gap):
            continue
        if n_left - moved == 1:
            near_sum += y
        elif n_left - moved <= n - n_left:
            for q in range(i + 1 - (n_left - moved), i + 1):
                near_sum += lists.target_of_row[lists.entry[q] >> row_shift]
        else:
            near_sum = total
            for q in range(end - 1, i, -1):
                near_sum -= lists.target_of_row[lists.entry[q] >> row_shift]
        moved = n_left
        right_sum = total - near_sum
        left = cython.cast(cython.double, n_left)
        score = near_sum * near_sum / left + right_sum * right_sum / (size - left)
        if score > most:
            most = score
            best = i
            best_sum = left_sum
            best_squares = left_squares
    if best < 0:
        return
    left = cython.cast(cython.double, best + 1 - start - search.lo)
    right = size - left
    y = total / size
    score = squares / size - y * y
    y = (total - best_sum) / right
    score -= right / size * ((squares - best_squares) / right - y * y)
    y = best_sum / left
    score -= left / size * (best_squares / left - y * y)
    if plan.zero_gain or not score < plan.tolerance:
        search.cut[a] = best - start
        found.gain[a] = score
        found.improvement[a] = most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_numbers(lists: Lists, search: Search, subtree: Subtree, found: Found, plan: Plan) -> cython.void:
    """Set the cut, gain and improvement of the live attributes from search.first to search.last."""
    node: cython.Py_ssize_t = search.node
    size: cython.double = cython.cast(cython.double, search.hi - search.lo)
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    start: cython.Py_ssize_t
    search.before = subtree.sums[node, _SQUARES] - subtree.sums[node, _SUM] * subtree.sums[node, _SUM] / size
    if search.before < 0.0:
        search.before = 0.0
    search.slack = plan.tolerance * search.before / size
    for j in range(search.first, search.last):
        a = search.live[j]
        start = a * lists.stride
        found.gain[a] = -INFINITY
        found.improvement[a] = -INFINITY
        search.cut[a] = NO_CUT
        if is_constant(lists, start + search.lo, start + search.hi):
            search.cut[a] = CONSTANT
        elif plan.arithmetic == SKLEARN:
            _search_like_sklearn(a, start, lists, search, subtree, found, plan)
        else:
            _search_by_sums(a, start, lists, search, subtree, found, plan)
