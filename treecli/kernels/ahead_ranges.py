"""All thresholds of a short range at once, from the few cuts that can be the best of either side.

A cut of one side leaves no less when cases are added. So between two thresholds the left side needs only the cuts that
leave little enough at the lower one, and the right side those that do so at the upper one. The cases between the two
thresholds are added one by one to the branches of these cuts.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.ahead_args import Ahead
    from treecli.kernels.ahead_blocks import count_side, weigh_runs
    from treecli.kernels.ahead_runs import spread_of
    from treecli.kernels.ahead_sides import gain_after, lowest, set_worth
    from treecli.kernels.args import Cases, Plan
    from treecli.kernels.impurity import total

    LEFT, RIGHT = range(2)
    # The entry of Ahead.progress.
    STEPS = 0
    RUN_ENDS, RUN_ALONE, RUN_CODES = 1, 2, 4
    # The rows of Ahead.sums.
    BEFORE, AFTER, ALL = range(3)

INFINITY = cython.declare(cython.double, float("inf"))
_FEW_ATTRIBUTES = cython.declare(cython.Py_ssize_t, 2)
_LEAST_THRESHOLDS = cython.declare(cython.Py_ssize_t, 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keeps_few(ahead: Ahead, row: cython.Py_ssize_t, most: cython.double) -> cython.bint:
    """Return whether few attributes have a bound of at most `most` in a row, and all of these have runs."""
    a: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    for a in range(ahead.is_done.shape[0]):
        if ahead.bound[row, a] <= most:
            n += 1
            if n > _FEW_ATTRIBUTES or not ahead.blocks.in_runs[a, ahead.node]:
                return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_cuts_of(
    ahead: Ahead,
    place: cython.Py_ssize_t,
    attribute: cython.Py_ssize_t,
    n_runs: cython.Py_ssize_t,
    most: cython.double,
    plan: Plan,
) -> cython.bint:
    """Add the cuts of an attribute that leave at most `most` to the listed ones; return whether there is room.

    Its runs begin at `place`. Runs that no case of the range reaches make no difference, and neither do cuts between
    runs of the same class.
    """
    c: cython.Py_ssize_t
    r: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t
    code: cython.int
    last: cython.int = -1
    is_changed: cython.bint = False
    is_pending: cython.bint = False
    is_new: cython.bint = True
    before: cython.double = 0.0
    after: cython.double = 0.0
    for c in range(ahead.sums.shape[1]):
        ahead.sums[BEFORE, c] = 0.0
        ahead.sums[AFTER, c] = ahead.sums[ALL, c]
    for r in range(n_runs):
        code = ahead.blocks.run[attribute, place + r]
        if ahead.short.reached[r] > 0.0:
            if is_pending and code != last:
                if is_new:
                    before = spread_of(ahead.sums, BEFORE, ahead.is_looked_up, plan)
                    after = spread_of(ahead.sums, AFTER, ahead.is_looked_up, plan)
                    is_new = False
                if before + after <= most:
                    n = ahead.short.n_cuts
                    if n == ahead.short.run.shape[0]:
                        return False
                    ahead.short.attribute[n] = cython.cast(cython.int, attribute)
                    ahead.short.run[n] = cython.cast(cython.int, at)
                    ahead.short.spread[2 * n] = before
                    ahead.short.spread[2 * n + 1] = after
                    for c in range(ahead.sums.shape[1]):
                        ahead.short.count[2 * n, c] = ahead.sums[BEFORE, c]
                        ahead.short.count[2 * n + 1, c] = ahead.sums[AFTER, c]
                    ahead.short.n_cuts += 1
            is_pending = False
            if ahead.run_weight[r] > 0.0:
                c = code // RUN_CODES
                ahead.sums[BEFORE, c] += ahead.run_weight[r]
                ahead.sums[AFTER, c] = ahead.sums[ALL, c] - ahead.sums[BEFORE, c]
                is_new = True
            is_changed = True
            last = code if code & RUN_ALONE else -1
        if is_changed and code & RUN_ENDS:
            is_pending = True
            is_changed = False
            at = r
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_cuts(ahead: Ahead, cases: Cases, row: cython.Py_ssize_t, most: cython.double, plan: Plan) -> cython.bint:
    """List the cuts of the side that is looked at which leave at most `most`; return whether they are few.

    The side has the bounds in a row of ahead.bound.
    """
    node: cython.Py_ssize_t = ahead.node
    n_attributes: cython.Py_ssize_t = ahead.is_done.shape[0]
    a: cython.Py_ssize_t
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    r: cython.Py_ssize_t
    n_runs: cython.Py_ssize_t
    ahead.short.n_cuts = 0
    count_side(ahead, cases, n_attributes, plan)
    for c in range(ahead.sums.shape[1]):
        ahead.sums[ALL, c] = ahead.count[0, c]
    for a in range(n_attributes):
        if ahead.bound[row, a] > most:
            continue
        n_runs = weigh_runs(ahead, cases, a)
        for r in range(n_runs):
            ahead.short.reached[r] = ahead.run_weight[r]
        for i in range(ahead.short.begin, ahead.short.end):
            ahead.short.reached[ahead.blocks.run_of[a, ahead.blocks.case[ahead.attribute, i]]] = 1.0
        if not _list_cuts_of(ahead, cases.start[node] + node, a, n_runs, most, plan):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_with(
    ahead: Ahead, cases: Cases, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, plan: Plan
) -> cython.double:
    """Add some cases, in the order of the thresholds' attribute, to a side; return the least that a listed cut leaves.

    Sets the weight and the spread of the side.
    """
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    cell: cython.Py_ssize_t
    least: cython.double
    run_of: cython.int[:, ::1] = ahead.blocks.run_of
    for i in range(begin, end):
        k = ahead.blocks.case[ahead.attribute, i]
        c = cases.label[k]
        ahead.sums[ALL, c] += cases.weight[k]
        for j in range(ahead.short.n_cuts):
            cell = 2 * j + (run_of[ahead.short.attribute[j], k] > ahead.short.run[j])
            ahead.short.count[cell, c] += cases.weight[k]
            ahead.short.spread[cell] = spread_of(ahead.short.count, cell, ahead.is_looked_up, plan)
    ahead.progress[STEPS] += (end - begin) * ahead.short.n_cuts
    ahead.weight = 0.0
    for c in range(ahead.sums.shape[1]):
        ahead.weight += ahead.sums[ALL, c]
    ahead.spread = spread_of(ahead.sums, ALL, ahead.is_looked_up, plan)
    least = ahead.spread
    for j in range(ahead.short.n_cuts):
        if ahead.short.spread[2 * j] + ahead.short.spread[2 * j + 1] < least:
            least = ahead.short.spread[2 * j] + ahead.short.spread[2 * j + 1]
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def finish(
    ahead: Ahead,
    cases: Cases,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    row: cython.Py_ssize_t,
    enough: cython.double,
    plan: Plan,
) -> cython.bint:
    """Set the worth of all thresholds between two others that leave at most `enough`; return whether they were few.

    Rows `row` and `row + 1` of ahead.bound have the bounds of the left and the right side.
    """
    node: cython.Py_ssize_t = ahead.node
    first: cython.Py_ssize_t = cases.start[node]
    j: cython.Py_ssize_t
    left: cython.double
    right: cython.double
    weight: cython.double = total(cases.totals, node, plan.is_numeric)
    most_left: cython.double = enough - lowest(ahead, row + 1)
    most_right: cython.double = enough - lowest(ahead, row)
    if (
        high - low - 1 < _LEAST_THRESHOLDS
        or low < ahead.start[node]
        or high >= ahead.start[node + 1]
        or ahead.n_left[high] - ahead.n_left[low] > ahead.short.left.shape[0]
        or not _keeps_few(ahead, row, most_left)
        or not _keeps_few(ahead, row + 1, most_right)
    ):
        return False
    ahead.short.begin = first + ahead.n_left[low]
    ahead.short.end = first + ahead.n_left[high]
    ahead.branch = LEFT
    ahead.threshold = low
    if not _list_cuts(ahead, cases, row, most_left, plan):
        return False
    for j in range(low + 1, high):
        left = _least_with(ahead, cases, first + ahead.n_left[j - 1], first + ahead.n_left[j], plan)
        ahead.short.left[j - low] = left
        if left <= most_left:
            ahead.short.gained[j - low] = gain_after(ahead, left, plan)
    ahead.branch = RIGHT
    ahead.threshold = high
    if not _list_cuts(ahead, cases, row + 1, most_right, plan):
        return False
    for j in range(high - 1, low, -1):
        right = _least_with(ahead, cases, first + ahead.n_left[j], first + ahead.n_left[j + 1], plan)
        if ahead.short.left[j - low] + right <= enough:
            ahead.threshold = j
            set_worth(ahead, ahead.short.gained[j - low] + gain_after(ahead, right, plan), weight, row, row + 1)
    return True
