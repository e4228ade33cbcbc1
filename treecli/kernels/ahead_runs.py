"""The best cut of one side of a threshold, from the weights of its runs of cases of one class."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.ahead_args import Ahead
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import ENTROPY, GINI
    from treecli.kernels.impurity import xlog2

    RUN_ENDS, RUN_ALONE, RUN_CODES = 1, 2, 4
    # The rows of Ahead.sums.
    BEFORE, AFTER, ALL = range(3)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _xlog2(x: cython.double, xlog2_of: cython.double[::1]) -> cython.double:
    """Like impurity.xlog2; values for integers are looked up."""
    whole: cython.Py_ssize_t
    if x < xlog2_of.shape[0] and x >= 0.0:
        whole = cython.cast(cython.Py_ssize_t, x)
        if whole == x:
            return xlog2_of[whole]
    return xlog2(x)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _spread_of_two(
    one: cython.double, other: cython.double, impurity: cython.int, xlog2_of: cython.double[::1]
) -> cython.double:
    """Return the spread of two classes, added as in impurity.spread."""
    weight: cython.double = one + other
    if weight <= 0.0:
        return 0.0
    if impurity == ENTROPY:
        return _xlog2(weight, xlog2_of) - (_xlog2(one, xlog2_of) + _xlog2(other, xlog2_of))
    if impurity == GINI:
        return weight - (one * one + other * other) / weight
    return other if one > other else one


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_looked_up(
    ahead: Ahead, place: cython.Py_ssize_t, attribute: cython.Py_ssize_t, n_runs: cython.Py_ssize_t, plan: Plan
) -> cython.double:
    """Like least_of_runs, for two classes, whole weights and logarithms that are looked up.

    All cuts are scored: whether a side has cases of a run cannot be predicted.
    """
    xlog2_of: cython.double[::1] = plan.xlog2_of
    run: cython.int[:, ::1] = ahead.blocks.run
    weight: cython.double[::1] = ahead.run_weight
    all_one: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, ahead.sums[ALL, 0])
    all_other: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, ahead.sums[ALL, 1])
    one: cython.Py_ssize_t = 0
    other: cython.Py_ssize_t = 0
    w: cython.Py_ssize_t
    left: cython.double
    least: cython.double = ahead.spread
    r: cython.Py_ssize_t
    code: cython.int
    for r in range(n_runs):
        code = run[attribute, place + r]
        w = cython.cast(cython.Py_ssize_t, weight[r])
        one += w if code < RUN_CODES else 0
        other += 0 if code < RUN_CODES else w
        if code & RUN_ENDS:
            left = (xlog2_of[one + other] - (xlog2_of[one] + xlog2_of[other])) + (
                xlog2_of[all_one + all_other - one - other] - (xlog2_of[all_one - one] + xlog2_of[all_other - other])
            )
            least = left if left < least else least
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_of_three(
    ahead: Ahead, place: cython.Py_ssize_t, attribute: cython.Py_ssize_t, n_runs: cython.Py_ssize_t, plan: Plan
) -> cython.double:
    """Like _least_looked_up, for three classes."""
    xlog2_of: cython.double[::1] = plan.xlog2_of
    run: cython.int[:, ::1] = ahead.blocks.run
    weight: cython.double[::1] = ahead.run_weight
    all_one: cython.longlong = cython.cast(cython.longlong, ahead.sums[ALL, 0])
    all_two: cython.longlong = cython.cast(cython.longlong, ahead.sums[ALL, 1])
    all_three: cython.longlong = cython.cast(cython.longlong, ahead.sums[ALL, 2])
    whole: cython.longlong = all_one + all_two + all_three
    one: cython.longlong = 0
    two: cython.longlong = 0
    three: cython.longlong = 0
    before: cython.longlong = 0
    excess: cython.longlong
    w: cython.longlong
    left: cython.double
    least: cython.double = ahead.spread
    r: cython.Py_ssize_t
    code: cython.int
    for r in range(n_runs):
        w = cython.cast(cython.longlong, weight[r])
        code = run[attribute, place + r]
        before += w
        if code < RUN_CODES:
            one += w
            excess = one * whole - all_one * before
        elif code < 2 * RUN_CODES:
            two += w
            excess = two * whole - all_two * before
        else:
            three += w
            excess = three * whole - all_three * before
        if code & RUN_ENDS and (excess > 0 or not code & RUN_ALONE):
            left = (xlog2_of[before] - (xlog2_of[one] + xlog2_of[two] + xlog2_of[three])) + (
                xlog2_of[whole - before]
                - (xlog2_of[all_one - one] + xlog2_of[all_two - two] + xlog2_of[all_three - three])
            )
            least = left if left < least else least
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_of_two(
    ahead: Ahead, place: cython.Py_ssize_t, attribute: cython.Py_ssize_t, n_runs: cython.Py_ssize_t, plan: Plan
) -> cython.double:
    """Like least_of_runs, for two classes."""
    impurity: cython.int = plan.impurity
    xlog2_of: cython.double[::1] = plan.xlog2_of
    run: cython.int[:, ::1] = ahead.blocks.run
    weight: cython.double[::1] = ahead.run_weight
    all_one: cython.double = ahead.sums[ALL, 0]
    all_other: cython.double = ahead.sums[ALL, 1]
    one: cython.double = 0.0
    other: cython.double = 0.0
    left: cython.double
    least: cython.double = ahead.spread
    r: cython.Py_ssize_t
    code: cython.int
    last: cython.int = -1
    is_changed: cython.bint = False
    is_pending: cython.bint = False
    for r in range(n_runs):
        code = run[attribute, place + r]
        if weight[r] > 0.0:
            if is_pending and code != last:
                left = _spread_of_two(one, other, impurity, xlog2_of) + _spread_of_two(
                    all_one - one, all_other - other, impurity, xlog2_of
                )
                if left < least:
                    least = left
            is_pending = False
            if code < RUN_CODES:
                one += weight[r]
            else:
                other += weight[r]
            is_changed = True
            last = code if code & RUN_ALONE else -1
        if is_changed and code & RUN_ENDS:
            is_pending = True
            is_changed = False
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def spread_of(
    count: cython.double[:, ::1], row: cython.Py_ssize_t, is_looked_up: cython.bint, plan: Plan
) -> cython.double:
    """Return the spread of a row of class weights: like impurity.spread, with looked-up logarithms."""
    c: cython.Py_ssize_t
    weight: cython.double = 0.0
    inner: cython.double = 0.0
    if is_looked_up:
        for c in range(count.shape[1]):
            weight += count[row, c]
            inner += plan.xlog2_of[cython.cast(cython.Py_ssize_t, count[row, c])]
        return plan.xlog2_of[cython.cast(cython.Py_ssize_t, weight)] - inner
    for c in range(count.shape[1]):
        weight += count[row, c]
        if plan.impurity == ENTROPY:
            inner += _xlog2(count[row, c], plan.xlog2_of)
        elif plan.impurity == GINI:
            inner += count[row, c] * count[row, c]
        elif count[row, c] > inner:
            inner = count[row, c]
    if weight <= 0.0:
        return 0.0
    if plan.impurity == ENTROPY:
        return _xlog2(weight, plan.xlog2_of) - inner
    return weight - inner / weight if plan.impurity == GINI else weight - inner


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def least_of_runs(
    ahead: Ahead, place: cython.Py_ssize_t, attribute: cython.Py_ssize_t, n_runs: cython.Py_ssize_t, plan: Plan
) -> cython.double:
    """Return the spread that the best cut of a side leaves; all of it if there is no cut.

    The side has the spread ahead.spread, the weights `run_weight` and the sums in row ALL of ahead.sums; its runs begin
    at `place`. Between runs of the same class, from which others are absent, the spread is no less than before and
    after both.
    """
    c: cython.Py_ssize_t
    r: cython.Py_ssize_t
    code: cython.int
    last: cython.int = -1
    is_changed: cython.bint = False
    is_pending: cython.bint = False
    left: cython.double
    before: cython.double
    after: cython.double
    weight_before: cython.double
    weight_after: cython.double
    least: cython.double = ahead.spread
    is_looked_up: cython.bint = ahead.is_looked_up
    # Local: a view that is passed on is copied.
    sums: cython.double[:, ::1] = ahead.sums
    run: cython.int[:, ::1] = ahead.blocks.run
    weight: cython.double[::1] = ahead.run_weight
    xlog2_of: cython.double[::1] = plan.xlog2_of
    n_classes: cython.Py_ssize_t = sums.shape[1]
    if n_classes == 2:
        if is_looked_up:
            return _least_looked_up(ahead, place, attribute, n_runs, plan)
        return _least_of_two(ahead, place, attribute, n_runs, plan)
    if n_classes == 3 and is_looked_up:
        return _least_of_three(ahead, place, attribute, n_runs, plan)
    for c in range(n_classes):
        sums[BEFORE, c] = 0.0
        sums[AFTER, c] = sums[ALL, c]
    for r in range(n_runs):
        code = run[attribute, place + r]
        if weight[r] > 0.0:
            if is_pending and code != last:
                if is_looked_up:
                    before = after = weight_before = weight_after = 0.0
                    for c in range(n_classes):
                        weight_before += sums[BEFORE, c]
                        before += xlog2_of[cython.cast(cython.Py_ssize_t, sums[BEFORE, c])]
                        weight_after += sums[AFTER, c]
                        after += xlog2_of[cython.cast(cython.Py_ssize_t, sums[AFTER, c])]
                    left = (xlog2_of[cython.cast(cython.Py_ssize_t, weight_before)] - before) + (
                        xlog2_of[cython.cast(cython.Py_ssize_t, weight_after)] - after
                    )
                else:
                    left = spread_of(sums, BEFORE, False, plan) + spread_of(sums, AFTER, False, plan)
                if left < least:
                    least = left
            is_pending = False
            c = code // RUN_CODES
            sums[BEFORE, c] += weight[r]
            sums[AFTER, c] = sums[ALL, c] - sums[BEFORE, c]
            is_changed = True
            last = code if code & RUN_ALONE else -1
        if is_changed and code & RUN_ENDS:
            is_pending = True
            is_changed = False
    return least
