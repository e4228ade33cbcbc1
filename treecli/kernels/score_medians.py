"""Splits by absolute error about the median, for all open nodes.

The cases of a node are numbered by the rank of their target. A Fenwick tree over the ranks holds weights and weighted
targets, so that adding a case and finding the median of all that were added take log n steps each, and no node is
sorted. The search and its rounding are those of scikit-learn 1.9.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Found, Order, Plan
    from treecli.kernels.codes import KNOWN_OR_NOT, NO_SIDE, SKLEARN
    from treecli.kernels.group_medians import Groups
    from treecli.kernels.linked_medians import ABOVE, BELOW, Ranked, gather, unlink
    from treecli.kernels.score_sklearn import parted

    # The columns of the Fenwick tree; its row 0 holds the totals.
    _WEIGHT, _SUM = range(2)
    # The further rows of Ranked.deviation: below and above each cut with the missing cases added, and those alone.
    _WITH_MISSING, _MISSING = 2, 4

INFINITY = cython.declare(cython.double, float("inf"))
_ROUNDING = cython.declare(cython.double, 1e-12)

DEVIATION_ROWS = 5
"""The rows of Ranked.deviation."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear(n: cython.Py_ssize_t, ranked: Ranked) -> cython.void:
    """Empty the Fenwick tree of n cases."""
    i: cython.Py_ssize_t
    for i in range(n + 1):
        ranked.fenwick[i, _WEIGHT] = 0.0
        ranked.fenwick[i, _SUM] = 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(case: cython.Py_ssize_t, w: cython.double, at: At, center: cython.double, ranked: Ranked) -> cython.void:
    """Add a case with the weight w to the Fenwick tree."""
    i: cython.Py_ssize_t = ranked.rank[case] + 1
    n: cython.Py_ssize_t = at.last - at.begin
    y: cython.double = ranked.target[at.begin + i - 1] - center
    ranked.fenwick[0, _WEIGHT] += w
    ranked.fenwick[0, _SUM] += w * y
    while i <= n:
        ranked.fenwick[i, _WEIGHT] += w
        ranked.fenwick[i, _SUM] += w * y
        i += i & -i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _top(n: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the largest power of 2 up to n: the first step of a search."""
    top: cython.Py_ssize_t = 1
    while 2 * top <= n:
        top *= 2
    return top


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _deviation(top: cython.Py_ssize_t, at: At, center: cython.double, ranked: Ranked) -> cython.double:
    """Return the sum of absolute differences from the median of all cases in the Fenwick tree, which is not empty."""
    n: cython.Py_ssize_t = at.last - at.begin
    ahead: cython.double = 0.5 * ranked.fenwick[0, _WEIGHT]
    still_ahead: cython.double
    weight: cython.double = 0.0
    total: cython.double = 0.0
    median: cython.double
    rank: cython.Py_ssize_t = 0
    lower: cython.Py_ssize_t
    step: cython.Py_ssize_t = top
    first_step: cython.Py_ssize_t
    while step > 0:
        if rank + step <= n:
            if ahead == ranked.fenwick[rank + step, _WEIGHT]:
                break
            if ahead > ranked.fenwick[rank + step, _WEIGHT]:
                rank += step
                ahead -= ranked.fenwick[rank, _WEIGHT]
                weight += ranked.fenwick[rank, _WEIGHT]
                total += ranked.fenwick[rank, _SUM]
        step >>= 1
    lower = rank
    if step > 0:
        # Just half of the weight lies below: the median is halfway between the last case there and the next one.
        first_step = step
        still_ahead = ahead
        while step > 0:
            if lower + step <= n and still_ahead > ranked.fenwick[lower + step, _WEIGHT]:
                lower += step
                still_ahead -= ranked.fenwick[lower, _WEIGHT]
            step >>= 1
        step = first_step
        while step > 0:
            if rank + step <= n and ahead >= ranked.fenwick[rank + step, _WEIGHT]:
                rank += step
                ahead -= ranked.fenwick[rank, _WEIGHT]
                weight += ranked.fenwick[rank, _WEIGHT]
                total += ranked.fenwick[rank, _SUM]
            step >>= 1
    if rank == n:  # fractions of weights may not add up to their total
        rank = n - 1
    if lower == n:
        lower = n - 1
    median = ranked.target[at.begin + rank] - center
    if lower != rank:
        median = (ranked.target[at.begin + lower] - center + median) / 2.0
    return (ranked.fenwick[0, _SUM] - total - median * (ranked.fenwick[0, _WEIGHT] - weight)) + (
        median * weight - total
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk(row: cython.Py_ssize_t, at: At, cases: Cases, order: Order, ranked: Ranked) -> cython.void:
    """Add the known cases of a node one by one, and fill a row with the deviation of the cases on one side of a cut.

    The rows of those below go up, and end with the deviation of all known cases.
    """
    is_upward: cython.bint = row % 2 == BELOW
    n_known: cython.Py_ssize_t = at.end - at.begin
    center: cython.double = cases.center[at.node]
    top: cython.Py_ssize_t = _top(at.last - at.begin)
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    k: cython.int
    for i in range(n_known):
        place = i if is_upward else n_known - 1 - i
        k = order.case[at.begin + place]
        _add(k, cases.weight[k], at, center, ranked)
        if not is_upward:
            place -= 1
        if place >= 0 and ranked.is_cut[place]:
            ranked.deviation[row, place] = _deviation(top, at, center, ranked)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_cuts(at: At, order: Order, plan: Plan, ranked: Ranked) -> cython.void:
    """Set where there may be a cut: between values that are far enough apart, at the threshold that is allowed."""
    i: cython.Py_ssize_t
    last: cython.Py_ssize_t = at.end - at.begin - 1
    only_at: cython.double = at.only_at
    for i in range(last + 1):
        ranked.is_cut[i] = i == last or (
            parted(order.value[at.begin + i], order.value[at.begin + i + 1], order.gap, plan.is_single)
            and not (only_at < order.value[at.begin + i] or only_at >= order.value[at.begin + i + 1])
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_deviations(at: At, cases: Cases, order: Order, plan: Plan, ranked: Ranked) -> cython.void:
    """Fill ranked.deviation for the cuts of one node; with the missing cases too where they count."""
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.int
    n: cython.Py_ssize_t = at.last - at.begin
    center: cython.double = cases.center[at.node]
    with_missing: cython.bint = plan.missing_is_value and at.last > at.end
    # unlink rounds differently from scikit-learn.
    if ranked.is_alike and not with_missing and plan.arithmetic != SKLEARN:
        gather(at, cases, order, ranked)
        unlink(BELOW, at, cases, ranked)
        unlink(ABOVE, at, cases, ranked)
        return
    for row in range(_MISSING if with_missing else _WITH_MISSING):
        _clear(n, ranked)
        if row >= _WITH_MISSING:
            for i in range(at.end, at.last):
                k = order.case[i]
                _add(k, cases.weight[k], at, center, ranked)
            ranked.deviation[_MISSING, 0] = _deviation(_top(n), at, center, ranked)
        _walk(row, at, cases, order, ranked)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut(at: At, cases: Cases, order: Order, plan: Plan, found: Found, ranked: Ranked) -> cython.void:
    """Set entry at.node of `found` to the best cut of one node, as best_cuts does."""
    node: cython.Py_ssize_t = at.node
    by_sklearn: cython.bint = plan.arithmetic == SKLEARN
    min_leaf: cython.double = plan.min_leaf - plan.tolerance
    min_rows: cython.double = plan.min_rows
    tolerance: cython.double = 0.0 if by_sklearn else plan.tolerance
    last: cython.Py_ssize_t = at.end - at.begin - 1
    n_missing: cython.Py_ssize_t = at.last - at.end if plan.missing_is_value else 0
    n_left: cython.Py_ssize_t
    i: cython.Py_ssize_t
    side: cython.int
    w: cython.double
    known: cython.double = 0.0
    missing: cython.double = 0.0
    passed: cython.double = 0.0
    left: cython.double
    right: cython.double
    before: cython.double
    below: cython.double
    above: cython.double
    improvement: cython.double
    for i in range(at.begin, at.last):
        w = 1.0 if ranked.is_alike else cases.weight[order.case[i]]
        if i < at.end:
            known += w
        else:
            missing += w
    _set_cuts(at, order, plan, ranked)
    _set_deviations(at, cases, order, plan, ranked)
    before = ranked.deviation[_WITH_MISSING if n_missing > 0 else BELOW, last]
    if n_missing > 0 and n_missing >= min_rows and last + 1 >= min_rows:
        if missing > 0.0 and known > 0.0 and missing >= min_leaf and known >= min_leaf:
            found.improvement[node] = -ranked.deviation[BELOW, last] - ranked.deviation[_MISSING, 0]
            found.gain[node] = (before + found.improvement[node]) / (known + missing)
            found.missing_side[node] = KNOWN_OR_NOT
    for i in range(last):
        passed += 1.0 if ranked.is_alike else cases.weight[order.case[at.begin + i]]
        if not ranked.is_cut[i]:
            continue
        for side in range(0 if n_missing > 0 else NO_SIDE, 2 if n_missing > 0 else 0):
            n_left = i + 1
            left = passed
            right = known - passed
            below = ranked.deviation[BELOW, i]
            above = ranked.deviation[ABOVE, i]
            if side == 0:
                n_left += n_missing
                left += missing
                below = ranked.deviation[BELOW + _WITH_MISSING, i]
            elif side == 1:
                right += missing
                above = ranked.deviation[ABOVE + _WITH_MISSING, i]
            if n_left < min_rows or last + 1 + n_missing - n_left < min_rows:
                continue
            if left < min_leaf or right < min_leaf or left <= 0.0 or right <= 0.0:
                continue
            if by_sklearn:
                improvement = -right * (above / right) - left * (below / left)
            else:
                improvement = -above - below
            if improvement > found.improvement[node] + tolerance * before:
                found.improvement[node] = improvement
                found.gain[node] = (before + improvement) / (known + missing)
                found.missing_side[node] = side
                if by_sklearn:
                    found.gain[node] = before / (known + missing)
                    found.gain[node] -= right / (known + missing) * (above / right)
                    found.gain[node] -= left / (known + missing) * (below / left)
                    if side == NO_SIDE and plan.missing_is_value:
                        found.missing_side[node] = 0 if n_left > last + 1 - n_left else 1
                found.lower[node] = order.value[at.begin + i]
                found.upper[node] = order.value[at.begin + i + 1]


def best_cuts(
    cases: Cases, order: Order, only_at: cython.double[::1], at: At, plan: Plan, found: Found, ranked: Ranked
) -> None:
    """Fill `found` with the best cut of every node; gain and improvement are -inf where there is none.

    The improvement is minus the absolute error after the cut; only_at[i], unless NaN, is the only allowed threshold.
    Cuts tie if they differ by at most the tolerance times the error before the cut; then known values against missing
    ones win, then the lowest cut. In scikit-learn's arithmetic, comparison is exact, errors are divided by the weights
    and multiplied again, and if no training value is missing, missing values in prediction take the side with more
    cases (ties: the right).
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            at.node = node
            at.begin = cases.start[node]
            at.end = at.begin + order.n_known[node]
            at.last = cases.start[node + 1]
            at.only_at = only_at[node]
            found.improvement[node] = -INFINITY
            found.gain[node] = -INFINITY
            found.missing_side[node] = NO_SIDE
            if at.end > at.begin:
                _best_cut(at, cases, order, plan, found, ranked)


def rest_deviations(cases: Cases, at: At, groups: Groups, ranked: Ranked) -> None:
    """Fill groups.deviation with the absolute error of all cases of the node but the group's; 0 if there are none.

    No case belongs to several groups; one that belongs to none is left out.
    """
    node: cython.Py_ssize_t
    group: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.int
    n: cython.Py_ssize_t
    first: cython.Py_ssize_t
    n_inside: cython.Py_ssize_t
    center: cython.double
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            at.node = node
            at.begin = cases.start[node]
            at.last = cases.start[node + 1]
            n = at.last - at.begin
            center = cases.center[node]
            _clear(n, ranked)
            n_inside = 0
            for i in range(at.begin, at.last):
                if groups.of_case[i] >= 0:
                    n_inside += 1
                    _add(i, cases.weight[i], at, center, ranked)
            for group in range(groups.start[node], groups.start[node + 1]):
                first = groups.end[group - 1] if group > 0 else 0
                groups.deviation[group] = 0.0
                if groups.end[group] - first == n_inside:
                    continue
                for i in range(first, groups.end[group]):
                    k = groups.case[i]
                    _add(k, -cases.weight[k], at, center, ranked)
                groups.deviation[group] = _deviation(_top(n), at, center, ranked)
                for i in range(first, groups.end[group]):
                    k = groups.case[i]
                    _add(k, cases.weight[k], at, center, ranked)
