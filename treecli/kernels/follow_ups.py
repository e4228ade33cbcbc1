"""Look one level ahead: the gain of thresholds with the best further splits of both sides, by branch and bound.

The left side of a threshold leaves at least as much, after its best further split, as that of any lower threshold, and
the right side as much as that of any higher one. These bounds leave most thresholds out. They hold for each further
attribute by itself, which leaves out most of these.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.ahead_args import Ahead
    from treecli.kernels.ahead_blocks import count_blocks, weigh_all_runs
    from treecli.kernels.ahead_bounds import least_left
    from treecli.kernels.ahead_ranges import finish
    from treecli.kernels.ahead_runs import least_of_runs
    from treecli.kernels.ahead_sides import (
        gain_after,
        gain_of_side,
        is_open,
        lowest,
        next_attribute,
        set_best,
        set_first_left,
        set_worth,
        take_side,
    )
    from treecli.kernels.args import Cases, Plan
    from treecli.kernels.codes import DEVIANCE
    from treecli.kernels.impurity import spread, total

    LEFT, RIGHT = range(2)
    # The entries of Ahead.progress.
    STEPS, DECIDED = range(2)
    LEAST_PART = 16

INFINITY = cython.declare(cython.double, float("inf"))
_MARGIN = cython.declare(cython.double, 4.0)

PENDING_COLUMNS = 2
"""Of Ahead.pending: the thresholds below and above the ones of a range, both already tried."""

RANGES_BY_BIT = 11
"""How often a range can be divided, by the bits of its number of thresholds: 1 / log2(16 / 15)."""

SPARE_BOUNDS = 4
"""Rows of Ahead.bound besides two for each range."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _copy_bounds(ahead: Ahead, source: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.void:
    a: cython.Py_ssize_t
    for a in range(ahead.is_done.shape[0]):
        ahead.bound[row, a] = ahead.bound[source, a]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push(
    ahead: Ahead,
    place: cython.Py_ssize_t,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    below: cython.Py_ssize_t,
    above: cython.Py_ssize_t,
) -> cython.void:
    """Put a range of thresholds, with the bounds of both ends, into the pending ones."""
    ahead.pending[place, 0] = low
    ahead.pending[place, 1] = high
    _copy_bounds(ahead, below, 2 * place)
    _copy_bounds(ahead, above, 2 * place + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _middle(ahead: Ahead, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the threshold between two others that divides the mass between them most equally.

    Rare classes have most of the mass, so that thresholds beside their cases are tried first.
    """
    # Neither part is smaller than this, which bounds the number of pending ranges.
    least: cython.Py_ssize_t = (high - low - 1) // LEAST_PART
    begin: cython.Py_ssize_t = low + 1 + least
    end: cython.Py_ssize_t = high - 1 - least
    middle: cython.Py_ssize_t
    half: cython.double = 0.5 * (ahead.mass[low + 1] + ahead.mass[high - 1])
    # The first threshold with at least half of the mass below it, or the one before that.
    while begin < end:
        middle = begin + (end - begin) // 2
        if ahead.mass[middle] < half:
            begin = middle + 1
        else:
            end = middle
    if begin - 1 > low + least and half - ahead.mass[begin - 1] < ahead.mass[begin] - half:
        begin -= 1
    return begin


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search_node(ahead: Ahead, cases: Cases, node: cython.Py_ssize_t, plan: Plan) -> cython.void:
    """Set the worth of the thresholds of one node that may be the best; see search."""
    a: cython.Py_ssize_t
    begin: cython.Py_ssize_t = cases.start[node]
    end: cython.Py_ssize_t = cases.start[node + 1]
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    n_pending: cython.Py_ssize_t = 1
    # Rows of bounds: two for each pending range, then those of the threshold that is tried.
    now: cython.Py_ssize_t = ahead.bound.shape[0] - 4
    weight: cython.double = total(cases.totals, node, plan.is_numeric)
    whole: cython.double = spread(cases.totals, node, plan.impurity, plan.least_variance)
    margin: cython.double = _MARGIN * ahead.slack[node]
    enough: cython.double
    below: cython.double
    above: cython.double
    left: cython.double
    right: cython.double
    gained: cython.double
    is_first: cython.bint = True
    # Sums of whole weights do not depend on the order.
    is_whole: cython.bint = ahead.at.is_whole and not ahead.is_limited and not plan.is_numeric
    gains_most: cython.bint
    ahead.node = node
    set_first_left(ahead, cases, node)
    count_blocks(ahead, cases, node, plan)
    for a in range(ahead.is_done.shape[0]):
        ahead.bound[0, a] = ahead.first_bound[node, a]
        if ahead.columns.n_labels[a] < 0 and not ahead.blocks.value[a, begin] < ahead.blocks.value[a, end - 1]:
            ahead.bound[0, a] = INFINITY
        ahead.bound[1, a] = ahead.bound[0, a]
    ahead.pending[0, 0] = ahead.start[node] - 1
    ahead.pending[0, 1] = ahead.start[node + 1]
    while n_pending > 0 and ahead.progress[STEPS] <= ahead.most_steps:
        n_pending -= 1
        low = ahead.pending[n_pending, 0]
        high = ahead.pending[n_pending, 1]
        below = lowest(ahead, 2 * n_pending)
        above = lowest(ahead, 2 * n_pending + 1)
        enough = whole - (ahead.floor[node] - margin) * weight
        if below + above > enough:
            ahead.progress[DECIDED] += high - low - 1
        if below + above > enough or high - low < 2:
            continue
        if is_whole and finish(ahead, cases, low, high, 2 * n_pending, enough, plan):
            ahead.progress[DECIDED] += high - low - 1
            continue
        ahead.progress[DECIDED] += 1
        middle = _middle(ahead, low, high)
        gains_most = is_first
        if is_first:
            is_first = False
            for a in range(low + 1, high):
                if ahead.own[a] > ahead.own[middle]:
                    middle = a
            for a in range(low + 1, high):
                if a != middle and ahead.own[a] >= ahead.own[middle] - 2.0 * ahead.slack[node]:
                    gains_most = False
        # Ranges below the threshold have the bounds `now` and `now + 3`, those above it `now + 2` and `now + 1`.
        _copy_bounds(ahead, 2 * n_pending, now)
        _copy_bounds(ahead, 2 * n_pending + 1, now + 1)
        _copy_bounds(ahead, now, now + 2)
        _copy_bounds(ahead, now + 1, now + 3)
        ahead.threshold = middle
        ahead.branch = LEFT
        left = least_left(ahead, cases, now + 2, enough - above, plan)
        gained = gain_after(ahead, left, plan)
        right = INFINITY
        if left + above <= enough or middle - low > 1:
            ahead.branch = RIGHT
            right = least_left(ahead, cases, now + 3, enough - below, plan)
        if left + right <= enough:
            gained += gain_after(ahead, right, plan)
            if ahead.is_limited:
                ahead.branch = LEFT
                gained = gain_of_side(ahead, cases, now + 2, plan)
                ahead.branch = RIGHT
                gained += gain_of_side(ahead, cases, now + 3, plan)
            set_worth(ahead, gained, weight, now + 2, now + 3)
            if gains_most and ahead.worth[middle] >= whole / weight - 0.5 * ahead.slack[node]:
                # Both sides are pure after further splits, and no other threshold gains as much by itself.
                ahead.progress[DECIDED] += high - low - 2
                continue
        # The range with the lower bound is the next one.
        if below + lowest(ahead, now + 3) < lowest(ahead, now + 2) + above:
            _push(ahead, n_pending, middle, high, now + 2, now + 1)
            _push(ahead, n_pending + 1, low, middle, now, now + 3)
        else:
            _push(ahead, n_pending, low, middle, now, now + 3)
            _push(ahead, n_pending + 1, middle, high, now + 2, now + 1)
        n_pending += 2


def search(ahead: Ahead, cases: Cases, plan: Plan) -> None:
    """Set the worth of the thresholds of every node that may have the largest worth, and raise ahead.floor to it.

    Of thresholds that are equal up to the slack, all are set. The search ends early after ahead.most_steps.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            if ahead.start[node] < ahead.start[node + 1] and ahead.floor[node] < INFINITY:
                _search_node(ahead, cases, node, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_information(ahead: Ahead, cases: Cases, plan: Plan) -> cython.double:
    """Return the split information of the best split of the side that was taken; of equal ones, the least.

    Row 0 of ahead.bound has bounds, and row 1 says whether they are those of the best cut without limits.
    """
    n_runs: cython.Py_ssize_t
    a: cython.Py_ssize_t
    n_attributes: cython.Py_ssize_t = ahead.is_done.shape[0]
    best: cython.Py_ssize_t
    left: cython.double
    most: cython.double = -INFINITY
    least: cython.double = INFINITY
    slack: cython.double = plan.tolerance
    if plan.is_numeric:
        slack *= ahead.outcomes[0, DEVIANCE] / ahead.weight
    for a in range(n_attributes):
        ahead.bound[0, a] = ahead.kept_bound[2 * ahead.node + ahead.branch, a]
        ahead.bound[1, a] = 0.0
        ahead.is_done[a] = 0
    while True:
        best = next_attribute(ahead, 0)
        # The others gain less than the best by more than the slack.
        if best < 0 or ahead.spread - ahead.bound[0, best] < (most - _MARGIN * slack) * ahead.weight:
            break
        if ahead.bound[1, best] == 0.0 and not plan.is_numeric and ahead.columns.n_labels[best] < 0:
            ahead.bound[1, best] = 1.0
            n_runs = weigh_all_runs(ahead, cases, best)
            left = least_of_runs(ahead, cases.start[ahead.node] + ahead.node, best, n_runs, plan)
            if left > ahead.bound[0, best]:
                ahead.bound[0, best] = left
            continue
        ahead.is_done[best] = 1
        set_best(ahead, cases, best, plan)
        if ahead.found.gain[best] > most:
            most = ahead.found.gain[best]
    for a in range(n_attributes):
        if ahead.is_done[a] and ahead.found.gain[a] >= most - slack and ahead.found.split_info[a] < least:
            least = ahead.found.split_info[a]
    return least if most > 0.0 else 0.0


def information(
    ahead: Ahead, cases: Cases, threshold: cython.longlong[::1], out: cython.double[::1], plan: Plan
) -> None:
    """Fill `out` with the split information of the sides of one threshold per node, times their shares of the weight.

    It is that of each side's best split. threshold[i] is negative if node i has none. ahead.kept_bound has its bounds.
    """
    node: cython.Py_ssize_t
    side: cython.int
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            out[node] = 0.0
            if threshold[node] < 0:
                continue
            ahead.node = node
            ahead.threshold = threshold[node]
            set_first_left(ahead, cases, node)
            for side in range(2):
                ahead.branch = side
                take_side(ahead, cases, plan)
                if is_open(ahead, plan):
                    out[node] += (
                        _least_information(ahead, cases, plan)
                        * ahead.weight
                        / total(cases.totals, node, plan.is_numeric)
                    )
