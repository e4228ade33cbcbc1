"""The best threshold of a numeric column for every open node: two classes, cases of weight 1, no missing values.

The results are those of score_sums. Most cuts need no logarithm: as in scan_classes, a comparison of products shows
that they cannot be the best, for sixteen cases at a time.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Cases, Found, Order, Plan
    from treecli.kernels.codes import ENTROPY, NO_SIDE
    from treecli.kernels.impurity import xlog2
    from treecli.kernels.score_classes import bar_between, score_scale

INFINITY = cython.declare(cython.double, float("inf"))

# More than rounding changes of a score, as a share of it.
_ROUNDING = cython.declare(cython.double, 1e-9)

# Cuts are passed over in groups of this many cases.
_GROUP = cython.declare(cython.Py_ssize_t, 16)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _xlog2(n: cython.longlong, plan: Plan) -> cython.double:
    """Return n log2 n, looked up where the plan has it."""
    return plan.xlog2_of[n] if n < plan.xlog2_of.shape[0] else xlog2(cython.cast(cython.double, n))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _spread(first: cython.longlong, second: cython.longlong, plan: Plan) -> cython.double:
    """Return weight times impurity of so many cases of two classes, rounded as in score_sums."""
    size: cython.double = cython.cast(cython.double, first + second)
    if plan.impurity == ENTROPY:
        return _xlog2(first + second, plan) - (_xlog2(first, plan) + _xlog2(second, plan))
    return size - cython.cast(cython.double, first * first + second * second) / size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _min_side(plan: Plan) -> cython.longlong:
    """Return the least number of cases on each side of a cut."""
    least: cython.double = plan.min_leaf - plan.tolerance
    found: cython.longlong
    if plan.min_rows > least:
        least = plan.min_rows
    if least <= 1.0:
        return 1
    found = cython.cast(cython.longlong, least)
    return found if found >= least else found + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut(node: cython.Py_ssize_t, cases: Cases, order: Order, plan: Plan, found: Found) -> cython.longlong:
    """Return the number of cases on the left of a node's best cut, or 0; set its gain and its neighbouring values."""
    case: cython.int[::1] = order.case
    label: cython.int[::1] = cases.label
    begin: cython.Py_ssize_t = cases.start[node]
    n: cython.longlong = cases.start[node + 1] - begin
    min_side: cython.longlong = _min_side(plan)
    n_first: cython.longlong = cython.cast(cython.longlong, cases.totals[node, 0])
    size: cython.double = cython.cast(cython.double, n)
    before: cython.double = _spread(n_first, n - n_first, plan)
    tolerance: cython.double = plan.tolerance
    scale: cython.double = score_scale(n, n_first, plan)
    most: cython.double = -INFINITY if plan.zero_gain else 0.0
    bar: cython.double = -1.0
    high: cython.double
    after: cython.double
    gained: cython.double
    height: cython.double
    room: cython.double
    i: cython.Py_ssize_t = begin
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    end: cython.Py_ssize_t = begin + n - min_side
    stop: cython.Py_ssize_t
    until: cython.Py_ssize_t
    n_left: cython.longlong = 0
    in_left: cython.longlong = 0
    n_second: cython.longlong
    surplus: cython.longlong
    up: cython.longlong
    down: cython.longlong
    best: cython.longlong = 0
    n_scored: cython.Py_ssize_t
    scored = cython.declare(cython.Py_ssize_t[16])
    first_of = cython.declare(cython.longlong[16])
    while i < begin + min_side - 1 and i < end:
        in_left += 1 - cython.cast(cython.longlong, label[case[i]])
        n_left += 1
        i += 1
    while i < end:
        # Cuts with similar numbers of cases on their sides have one bar.
        stop = i + 4 * _GROUP + (n_left if n_left * 3 < n else (n - n_left) >> 1)
        if stop > end:
            stop = end
        high = bar
        if stop - i > 2 * _GROUP:
            high = bar_between(bar, n_left + 1, n_left + stop - i, n, n_first, plan)
        while i < stop:
            until = i + _GROUP if i + _GROUP < stop else stop
            if until == i + _GROUP:
                n_second = 0
                for j in range(i, until):
                    n_second += cython.cast(cython.longlong, label[case[j]])
                surplus = in_left * n - n_left * n_first
                up = surplus + (_GROUP - n_second) * (n - n_first)
                down = surplus - n_second * n_first
                height = cython.cast(cython.double, up if up > -down else down)
                room = cython.cast(cython.double, (n_left + 1) * (n - n_left - 1))
                if (n_left + _GROUP) * (n - n_left - _GROUP) < room:
                    room = cython.cast(cython.double, (n_left + _GROUP) * (n - n_left - _GROUP))
                if height * height < high * room:
                    in_left += _GROUP - n_second
                    n_left += _GROUP
                    i = until
                    continue
            # No jumps, which would be mispredicted: a cut that is not scored is overwritten by the next.
            n_scored = 0
            for j in range(i, until):
                in_left += 1 - cython.cast(cython.longlong, label[case[j]])
                n_left += 1
                height = cython.cast(cython.double, in_left * n - n_left * n_first)
                room = cython.cast(cython.double, n_left * (n - n_left))
                scored[n_scored] = j
                first_of[n_scored] = in_left
                n_scored += cython.cast(cython.Py_ssize_t, height * height >= high * room)
            for k in range(n_scored):
                j = scored[k]
                if not order.value[j] + order.gap < order.value[j + 1]:
                    continue
                surplus = j + 1 - begin
                after = _spread(first_of[k], surplus - first_of[k], plan)
                after += _spread(n_first - first_of[k], n - surplus - n_first + first_of[k], plan)
                gained = (before - after) / size
                if gained * size < tolerance and gained * size > -tolerance:
                    gained = 0.0
                if gained > most + tolerance:
                    most = gained
                    best = surplus
                    found.lower[node] = order.value[j]
                    found.upper[node] = order.value[j + 1]
                    bar = most * size / scale * (1.0 - _ROUNDING)
                    if bar > high:
                        high = bar
            i = until
    found.gain[node] = most if best > 0 else -INFINITY
    return best


def best_cuts_of_two(cases: Cases, order: Order, plan: Plan, found: Found) -> None:
    """Fill `found` with the best cut of every node; gain is -inf where there is none.

    Both sides of a cut have at least plan.min_leaf and plan.min_rows cases. Gains that differ by at most the tolerance
    tie, and the lowest cut wins.
    """
    node: cython.Py_ssize_t
    n_left: cython.longlong
    size: cython.double
    left: cython.double
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            found.split_info[node] = 0.0
            found.cost[node] = 0.0
            found.missing_side[node] = NO_SIDE
            found.chi2[node] = 0.0
            found.freedom[node] = 0
            n_left = _best_cut(node, cases, order, plan, found)
            if n_left > 0:
                size = cython.cast(cython.double, cases.start[node + 1] - cases.start[node])
                left = cython.cast(cython.double, n_left)
                found.split_info[node] = (xlog2(size) - xlog2(left) - xlog2(size - left)) / size
