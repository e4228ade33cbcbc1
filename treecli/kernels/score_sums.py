"""The best threshold of a numeric column for every open node, from sums compared with a tolerance.

The cases of a node are contiguous, sorted by value with missing values last, so that one pass scores every cut.
"""

import cython
from cython.cimports.libc.math import floor, log2, sqrt

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Found, Order, Plan, Scratch
    from treecli.kernels.codes import DEVIATION, ENTROPY, GINI, KNOWN_OR_NOT, NO_SIDE, VARIANCE
    from treecli.kernels.impurity import deviation, xlog2
    from treecli.kernels.pearson import degrees_of_freedom, statistic

    _FEW_CLASSES = 8
    # The rows of the scratch tables.
    _LEFT, _RIGHT, _MISSING, _LEFT_JOINED, _RIGHT_JOINED, _BEST_LEFT, _BEST_RIGHT = range(7)

INFINITY = cython.declare(cython.double, float("inf"))
_REACH = cython.declare(cython.double, 0.8)
_LEAST_SKIPPED = cython.declare(cython.double, 1e-10)
_ROUNDING = cython.declare(cython.double, 1e-9)
_LOG2_E = cython.declare(cython.double, 1.4426950408889634)

SCRATCH_ROWS = 7
"""The rows of Scratch.sides, counted and terms, with a column for each outcome; the latter two begin with zeros."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _weight(row: cython.Py_ssize_t, scratch: Scratch, is_numeric: cython.bint) -> cython.double:
    """Return the weight of one row of outcomes."""
    i: cython.Py_ssize_t
    total: cython.double = 0.0
    if is_numeric:
        return scratch.sides[row, 0]
    for i in range(scratch.sides.shape[1]):
        total += scratch.sides[row, i]
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _xlog2(x: cython.double, plan: Plan) -> cython.double:
    """Like impurity.xlog2; values for integers are looked up in plan.xlog2_of."""
    whole: cython.Py_ssize_t
    if x < plan.xlog2_of.shape[0] and x >= 0.0:
        whole = cython.cast(cython.Py_ssize_t, x)
        if whole == x:
            return plan.xlog2_of[whole]
    return x * log2(x) if x > 0.0 else 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _spread(row: cython.Py_ssize_t, scratch: Scratch, plan: Plan) -> cython.double:
    """Like impurity.spread, and bit-identical; only few logarithms change from one cut to the next.

    scratch.terms[row, i] is the term of the i-th outcome when that was scratch.counted[row, i].
    """
    i: cython.Py_ssize_t
    count: cython.double
    total: cython.double = 0.0
    inner: cython.double = 0.0
    if plan.impurity == ENTROPY:
        for i in range(scratch.sides.shape[1]):
            count = scratch.sides[row, i]
            total += count
            if count != scratch.counted[row, i]:
                scratch.counted[row, i] = count
                scratch.terms[row, i] = _xlog2(count, plan)
            inner += scratch.terms[row, i]
        return 0.0 if total <= 0.0 else _xlog2(total, plan) - inner
    if plan.impurity == GINI:
        for i in range(scratch.sides.shape[1]):
            count = scratch.sides[row, i]
            total += count
            inner += count * count
        return 0.0 if total <= 0.0 else total - inner / total
    if plan.impurity == VARIANCE:
        if scratch.sides[row, 0] <= 0.0:
            return 0.0
        inner = scratch.sides[row, 2] - scratch.sides[row, 1] * scratch.sides[row, 1] / scratch.sides[row, 0]
        return inner if inner > 0.0 else 0.0
    if plan.impurity == DEVIATION:
        if scratch.sides[row, 0] <= 0.0:
            return 0.0
        inner = scratch.sides[row, 2] - scratch.sides[row, 1] * scratch.sides[row, 1] / scratch.sides[row, 0]
        return deviation(scratch.sides[row, 0], inner, plan.least_variance)
    # Errors. A call of impurity.spread, even if it were never made, would have all of `sides` copied at every cut.
    for i in range(scratch.sides.shape[1]):
        count = scratch.sides[row, i]
        total += count
        if count > inner:
            inner = count
    return 0.0 if total <= 0.0 else total - inner


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _gini_of_both(scratch: Scratch) -> cython.double:
    """Return the spreads of both sides by the Gini index, bit-identical to two calls of _spread and twice as fast."""
    i: cython.Py_ssize_t
    of_left: cython.double
    of_right: cython.double
    left: cython.double = 0.0
    right: cython.double = 0.0
    left_squares: cython.double = 0.0
    right_squares: cython.double = 0.0
    for i in range(scratch.sides.shape[1]):
        of_left = scratch.sides[_LEFT, i]
        of_right = scratch.sides[_RIGHT, i]
        left += of_left
        right += of_right
        left_squares += of_left * of_left
        right_squares += of_right * of_right
    return (0.0 if left <= 0.0 else left - left_squares / left) + (
        0.0 if right <= 0.0 else right - right_squares / right
    )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _joined(side: cython.Py_ssize_t, scratch: Scratch, plan: Plan) -> cython.double:
    """Return the spread of one side with the missing cases added."""
    i: cython.Py_ssize_t
    joined: cython.Py_ssize_t = _LEFT_JOINED if side == _LEFT else _RIGHT_JOINED
    for i in range(scratch.sides.shape[1]):
        scratch.sides[joined, i] = scratch.sides[side, i] + scratch.sides[_MISSING, i]
    return _spread(joined, scratch, plan)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _term(count: cython.double, plan: Plan) -> cython.double:
    """Return the term of one class in the spread of a side."""
    if plan.impurity == ENTROPY:
        return _xlog2(count, plan)
    return count * count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _from_terms(weight: cython.double, terms: cython.double, plan: Plan) -> cython.double:
    """A spread from the sum of its terms, which many classes keep up to date case by case."""
    if plan.impurity == ENTROPY:
        return _xlog2(weight, plan) - terms
    return weight - terms / weight


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _idle(
    left: cython.double,
    right: cython.double,
    lost: cython.double,
    following: cython.double,
    scratch: Scratch,
    plan: Plan,
) -> cython.double:
    """The weight that can move from right to left before a cut that gains `lost` less could be as good as the best.

    The impurity that is left after weight t has moved is concave in what moves, so it is least if all of it is of one
    class; and for each class it is concave in t, so up to some reach it falls no faster than in a straight line. Any
    reach will do that no class falls short of; 0 where it is less than `following`, the weight of the next case.
    """
    i: cython.Py_ssize_t
    reach: cython.double = _REACH * sqrt(lost * (left if left < right else right))
    ahead: cython.double
    risen: cython.double
    fallen: cython.double
    for i in range(scratch.sides.shape[1]):
        if 0.0 < scratch.sides[_RIGHT, i] < reach:
            reach = scratch.sides[_RIGHT, i]
    if reach < following:
        return 0.0
    if reach >= 1.0:
        reach = floor(reach)  # logarithms of whole numbers are looked up
    ahead = reach
    risen = _xlog2(left + reach, plan) - _xlog2(left, plan)
    risen += _xlog2(right - reach, plan) - _xlog2(right, plan)
    for i in range(scratch.sides.shape[1]):
        if scratch.sides[_RIGHT, i] > 0.0:
            fallen = _xlog2(scratch.sides[_LEFT, i] + reach, plan) - scratch.terms[_LEFT, i]
            fallen += _xlog2(scratch.sides[_RIGHT, i] - reach, plan) - scratch.terms[_RIGHT, i]
            if ahead * (fallen - risen) > reach * lost:
                ahead = reach * lost / (fallen - risen)
    return ahead


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_cut(at: At, cases: Cases, order: Order, plan: Plan, found: Found, scratch: Scratch) -> cython.void:
    """Set entry at.place of `found` to the best cut of one node, as best_cuts does.

    Its cases stand from at.begin to at.last in the order, those without a value from at.end on.
    """
    place: cython.Py_ssize_t = at.place
    begin: cython.Py_ssize_t = at.begin
    end: cython.Py_ssize_t = at.end
    last: cython.Py_ssize_t = at.last
    center: cython.double = cases.center[at.node]
    only_at: cython.double = at.only_at
    impurity: cython.int = plan.impurity
    is_numeric: cython.bint = plan.is_numeric
    missing_is_value: cython.bint = plan.missing_is_value
    wants_chi2: cython.bint = plan.wants_chi2
    min_rows: cython.double = plan.min_rows
    tolerance: cython.double = plan.tolerance
    gap: cython.double = order.gap
    k: cython.int
    n: cython.Py_ssize_t = cases.totals.shape[1]
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    side: cython.int
    w: cython.double
    y: cython.double
    weight: cython.double
    known: cython.double
    missing: cython.double
    left: cython.double
    right: cython.double
    after: cython.double
    before: cython.double
    gained: cython.double
    slack: cython.double
    best_left: cython.double
    idle_up_to: cython.double
    lost: cython.double
    least: cython.double
    n_cuts: cython.longlong
    left_terms: cython.double
    right_terms: cython.double
    is_allowed: cython.bint
    is_stepwise: cython.bint = not is_numeric and (
        (n > _FEW_CLASSES and (impurity == ENTROPY or impurity == GINI)) or (at.is_whole and impurity == GINI)
    )
    # The terms of the Gini index of whole weights are whole too, so they may be added up in any way.
    is_squared: cython.bint = is_stepwise and at.is_whole and impurity == GINI
    # Cuts whose terms do not reach it are clearly not better than the best; 0 where the best is not known yet.
    bar: cython.double = 0.0
    # What is skipped lies below the best cut by more than the tolerance, which must be more than rounding.
    is_skipping: cython.bint = impurity == ENTROPY and not is_stepwise and tolerance >= _LEAST_SKIPPED
    is_of_two: cython.bint = is_skipping and n == 2
    moved: cython.double
    found.gain[place] = -INFINITY
    n_cuts = 0
    found.split_info[place] = 0.0
    found.cost[place] = 0.0
    found.missing_side[place] = NO_SIDE
    for c in range(n):
        scratch.sides[_LEFT, c] = 0.0
        scratch.sides[_MISSING, c] = 0.0
    for i in range(end, last):
        k = order.case[i]
        w = cases.weight[k]
        if is_numeric:
            y = cases.target[k] - center
            scratch.sides[_MISSING, 0] += w
            scratch.sides[_MISSING, 1] += w * y
            scratch.sides[_MISSING, 2] += w * y * y
        else:
            scratch.sides[_MISSING, cases.label[k]] += w
    for c in range(n):
        scratch.sides[_RIGHT, c] = cases.totals[at.node, c] - scratch.sides[_MISSING, c]
    missing = _weight(_MISSING, scratch, is_numeric)
    known = _weight(_RIGHT, scratch, is_numeric)
    weight = known + missing
    if missing_is_value and missing > 0.0:
        before = _joined(_RIGHT, scratch, plan)
    else:
        before = _spread(_RIGHT, scratch, plan)
    slack = tolerance * before / weight if is_numeric else tolerance
    least = plan.min_leaf
    if plan.branch_share > 0.0:
        least = plan.branch_share * known / n
        if least < plan.min_leaf + tolerance:
            least = plan.min_leaf
        elif least > plan.most_branch_share:
            least = plan.most_branch_share
        if end - begin < 2.0 * least - tolerance:
            return
    least -= tolerance
    if not plan.zero_gain:
        found.gain[place] = 0.0
    left = 0.0
    best_left = 0.0
    idle_up_to = 0.0
    left_terms = 0.0
    right_terms = 0.0
    if is_stepwise:
        for c in range(n):
            right_terms += _term(scratch.sides[_RIGHT, c], plan)
    is_allowed = missing > 0.0 and known > 0.0 and missing >= least and known >= least
    if missing_is_value and is_allowed and last - end >= min_rows and end - begin >= min_rows:
        after = _spread(_RIGHT, scratch, plan) + _spread(_MISSING, scratch, plan)
        found.gain[place] = (before - after) / weight
        found.missing_side[place] = KNOWN_OR_NOT
        if wants_chi2:
            for c in range(n):
                scratch.sides[_BEST_LEFT, c] = scratch.sides[_RIGHT, c]
                scratch.sides[_BEST_RIGHT, c] = scratch.sides[_MISSING, c]
    for i in range(begin, end - 1):
        k = order.case[i]
        w = cases.weight[k]
        if is_numeric:
            y = cases.target[k] - center
            scratch.sides[_LEFT, 0] += w
            scratch.sides[_LEFT, 1] += w * y
            scratch.sides[_LEFT, 2] += w * y * y
            scratch.sides[_RIGHT, 0] -= w
            scratch.sides[_RIGHT, 1] -= w * y
            scratch.sides[_RIGHT, 2] -= w * y * y
        else:
            c = cases.label[k]
            if is_squared:
                left_terms += w * (2.0 * scratch.sides[_LEFT, c] + w)
                right_terms -= w * (2.0 * scratch.sides[_RIGHT, c] - w)
            elif is_stepwise:
                left_terms -= _term(scratch.sides[_LEFT, c], plan)
                right_terms -= _term(scratch.sides[_RIGHT, c], plan)
            scratch.sides[_LEFT, c] += w
            scratch.sides[_RIGHT, c] -= w
            if is_stepwise and not is_squared:
                left_terms += _term(scratch.sides[_LEFT, c], plan)
                right_terms += _term(scratch.sides[_RIGHT, c], plan)
        left += w
        if not order.value[i] + gap < order.value[i + 1]:
            continue
        if only_at == only_at and not (order.value[i] <= only_at < order.value[i + 1]):
            continue
        right = known - left
        if left <= 0.0 or right <= 0.0:
            continue
        for side in range(NO_SIDE, 2):
            if missing_is_value and missing > 0.0:
                if side == NO_SIDE:
                    continue
                if side == 0:
                    if left + missing < least or right < least:
                        continue
                    if i + 1 - begin + last - end < min_rows or end - i - 1 < min_rows:
                        continue
                    after = _joined(_LEFT, scratch, plan) + _spread(_RIGHT, scratch, plan)
                else:
                    if left < least or right + missing < least:
                        continue
                    if i + 1 - begin < min_rows or last - i - 1 < min_rows:
                        continue
                    after = _spread(_LEFT, scratch, plan) + _joined(_RIGHT, scratch, plan)
            else:
                if side != NO_SIDE or left < least or right < least:
                    break
                if i + 1 - begin < min_rows or end - i - 1 < min_rows:
                    break
                if left <= idle_up_to:
                    n_cuts += 1
                    break
                if is_squared and left_terms * right + right_terms * left < bar * left * right:
                    n_cuts += 1
                    break
                if is_of_two:
                    # A divergence is at most chi-square, in nats.
                    moved = scratch.sides[_LEFT, 0] * scratch.sides[_RIGHT, 1]
                    moved -= scratch.sides[_LEFT, 1] * scratch.sides[_RIGHT, 0]
                    if moved * moved < bar * left * right:
                        n_cuts += 1
                        break
                if is_stepwise:
                    after = _from_terms(left, left_terms, plan)
                    after += _from_terms(right, right_terms, plan)
                elif impurity == GINI:
                    after = _gini_of_both(scratch)
                else:
                    after = _spread(_LEFT, scratch, plan) + _spread(_RIGHT, scratch, plan)
            n_cuts += 1
            gained = (before - after) / weight
            if is_skipping and side == NO_SIDE and gained < found.gain[place]:
                lost = (found.gain[place] - gained) * weight
                w = cases.weight[order.case[i + 1]]
                idle_up_to = left + _idle(left, right, lost, w, scratch, plan)
            if gained * known < tolerance and gained * known > -tolerance and not is_numeric:
                gained = 0.0
            if gained > found.gain[place] + slack:
                found.gain[place] = gained
                found.missing_side[place] = side
                found.lower[place] = order.value[i]
                found.upper[place] = order.value[i + 1]
                best_left = left
                if is_squared and gained >= 0.0:
                    # Multiplication instead of division, with room for rounding.
                    bar = (known - before + (gained + slack) * weight) * (1.0 - _ROUNDING)
                elif is_of_two:
                    moved = scratch.sides[_LEFT, 0] + scratch.sides[_RIGHT, 0]
                    bar = gained * weight * moved * (known - moved) / (_LOG2_E * known) * (1.0 - _ROUNDING)
                if wants_chi2:
                    for c in range(n):
                        scratch.sides[_BEST_LEFT, c] = scratch.sides[_LEFT, c]
                        scratch.sides[_BEST_RIGHT, c] = scratch.sides[_RIGHT, c]
                        if side == 0:
                            scratch.sides[_BEST_LEFT, c] += scratch.sides[_MISSING, c]
                        elif side == 1:
                            scratch.sides[_BEST_RIGHT, c] += scratch.sides[_MISSING, c]
    if found.missing_side[place] == NO_SIDE and best_left == 0.0:
        found.gain[place] = -INFINITY  # no cut was taken
    elif plan.cut_cost and found.missing_side[place] != KNOWN_OR_NOT:
        found.cost[place] = log2(n_cuts)
        found.gain[place] -= found.cost[place] / weight
    if not plan.zero_gain and found.gain[place] < tolerance:
        found.gain[place] = -INFINITY
    if found.gain[place] == -INFINITY:
        return
    if found.missing_side[place] == KNOWN_OR_NOT:
        found.split_info[place] = (xlog2(weight) - xlog2(known) - xlog2(missing)) / weight
    elif found.missing_side[place] == NO_SIDE:
        found.split_info[place] = (
            xlog2(weight) - xlog2(best_left) - xlog2(known - best_left) - xlog2(missing)
        ) / weight
    else:
        left = best_left + (missing if found.missing_side[place] == 0 else 0.0)
        found.split_info[place] = (xlog2(weight) - xlog2(left) - xlog2(weight - left)) / weight


def best_cuts(
    cases: Cases, order: Order, only_at: cython.double[::1], at: At, plan: Plan, found: Found, scratch: Scratch
) -> None:
    """Fill `found` with the best cut of every node; gain is -inf where there is none.

    only_at[i], unless NaN, is the only allowed threshold. Both sides of a cut weigh at least plan.min_leaf and hold at
    least plan.min_rows cases. Gains that differ by at most the tolerance tie, and the lowest cut wins.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            at.node = node
            at.place = node
            at.begin = cases.start[node]
            at.end = at.begin + order.n_known[node]
            at.last = cases.start[node + 1]
            at.only_at = only_at[node]
            best_cut(at, cases, order, plan, found, scratch)
            found.chi2[node] = 0.0
            found.freedom[node] = 0
            if plan.wants_chi2 and found.gain[node] != -INFINITY:
                found.chi2[node] = statistic(scratch.sides, _BEST_LEFT, 2)
                found.freedom[node] = degrees_of_freedom(scratch.sides, _BEST_LEFT, 2)
