"""The best threshold of a numeric attribute, for every open node at once.

The cases of a node stand in a row, sorted by value with the missing ones last, so that one walk scores every cut.
"""

import cython
from cython.cimports.libc.math import floor, log2, sqrt

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.impurity import xlog2
    from treecli.kernels.pearson import degrees_of_freedom, statistic

    _FEW_CLASSES = 8
    _ENTROPY, _GINI, _VARIANCE = 0, 1, 3
    _NO_SIDE, _KNOWN_OR_NOT = -1, 2
    # The rows of the scratch table.
    _LEFT, _RIGHT, _MISSING, _LEFT_JOINED, _RIGHT_JOINED, _BEST_LEFT, _BEST_RIGHT = range(7)

NO_SIDE = -1
"""Missing values had no say in the split."""

KNOWN_OR_NOT = 2
"""The best split is not a cut: it parts known values from missing ones."""

INFINITY = cython.declare(cython.double, float("inf"))
_REACH = cython.declare(cython.double, 0.8)
_LEAST_SKIPPED = cython.declare(cython.double, 1e-10)
_ROUNDING = cython.declare(cython.double, 1e-9)
_MEAN_ROUNDING = cython.declare(cython.double, 1e-12)


SCRATCH_ROWS = 7


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _weight(sides: cython.double[:, ::1], row: cython.Py_ssize_t, is_numeric: cython.bint) -> cython.double:
    i: cython.Py_ssize_t
    total: cython.double = 0.0
    if is_numeric:
        return sides[row, 0]
    for i in range(sides.shape[1]):
        total += sides[row, i]
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _xlog2(x: cython.double, xlog2_of: cython.double[::1]) -> cython.double:
    """As impurity.xlog2, whose values for whole numbers are in xlog2_of."""
    whole: cython.Py_ssize_t
    if x < xlog2_of.shape[0] and x >= 0.0:
        whole = cython.cast(cython.Py_ssize_t, x)
        if whole == x:
            return xlog2_of[whole]
    return x * log2(x) if x > 0.0 else 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _spread(
    sides: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    impurity: cython.int,
    counted: cython.double[:, ::1],
    term: cython.double[:, ::1],
    xlog2_of: cython.double[::1],
) -> cython.double:
    """As impurity.spread, and to the last bit; from one cut to the next only few logarithms change.

    term[row, i] is the term of the i-th outcome when that was counted[row, i].
    """
    i: cython.Py_ssize_t
    count: cython.double
    total: cython.double = 0.0
    inner: cython.double = 0.0
    if impurity == _ENTROPY:
        for i in range(sides.shape[1]):
            count = sides[row, i]
            total += count
            if count != counted[row, i]:
                counted[row, i] = count
                term[row, i] = _xlog2(count, xlog2_of)
            inner += term[row, i]
        return 0.0 if total <= 0.0 else _xlog2(total, xlog2_of) - inner
    if impurity == _GINI:
        for i in range(sides.shape[1]):
            count = sides[row, i]
            total += count
            inner += count * count
        return 0.0 if total <= 0.0 else total - inner / total
    if impurity == _VARIANCE:
        if sides[row, 0] <= 0.0:
            return 0.0
        inner = sides[row, 2] - sides[row, 1] * sides[row, 1] / sides[row, 0]
        return inner if inner > 0.0 else 0.0
    # Errors. A call of impurity.spread, even if it were never made, would have all of `sides` copied at every cut.
    for i in range(sides.shape[1]):
        count = sides[row, i]
        total += count
        if count > inner:
            inner = count
    return 0.0 if total <= 0.0 else total - inner


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _joined(
    sides: cython.double[:, ::1],
    side: cython.Py_ssize_t,
    impurity: cython.int,
    counted: cython.double[:, ::1],
    term: cython.double[:, ::1],
    xlog2_of: cython.double[::1],
) -> cython.double:
    """The spread of one side with the missing cases added."""
    i: cython.Py_ssize_t
    joined: cython.Py_ssize_t = _LEFT_JOINED if side == _LEFT else _RIGHT_JOINED
    for i in range(sides.shape[1]):
        sides[joined, i] = sides[side, i] + sides[_MISSING, i]
    return _spread(sides, joined, impurity, counted, term, xlog2_of)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _term(count: cython.double, impurity: cython.int, xlog2_of: cython.double[::1]) -> cython.double:
    if impurity == _ENTROPY:
        return _xlog2(count, xlog2_of)
    return count * count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _from_terms(
    weight: cython.double, terms: cython.double, impurity: cython.int, xlog2_of: cython.double[::1]
) -> cython.double:
    """A spread out of the sum of its terms, which many classes keep up to date case by case."""
    if impurity == _ENTROPY:
        return _xlog2(weight, xlog2_of) - terms
    return weight - terms / weight


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _idle(
    sides: cython.double[:, ::1],
    term: cython.double[:, ::1],
    left: cython.double,
    right: cython.double,
    lost: cython.double,
    following: cython.double,
    xlog2_of: cython.double[::1],
) -> cython.double:
    """The weight that can go from right to left before a cut with so much less total gain could be as good as the best.

    What is left of the impurity after weight t has gone over is concave in what goes, so that it is least if all of it
    is of one class; and for each class concave in t, so that up to some reach it falls no faster than in a straight
    line. Any reach will do that no class falls short of; 0 where it is less than `following`, what goes over next.
    """
    i: cython.Py_ssize_t
    reach: cython.double = _REACH * sqrt(lost * (left if left < right else right))
    ahead: cython.double
    risen: cython.double
    fallen: cython.double
    for i in range(sides.shape[1]):
        if 0.0 < sides[_RIGHT, i] < reach:
            reach = sides[_RIGHT, i]
    if reach < following:
        return 0.0
    if reach >= 1.0:
        reach = floor(reach)  # logarithms of whole numbers are looked up
    ahead = reach
    risen = _xlog2(left + reach, xlog2_of) - _xlog2(left, xlog2_of)
    risen += _xlog2(right - reach, xlog2_of) - _xlog2(right, xlog2_of)
    for i in range(sides.shape[1]):
        if sides[_RIGHT, i] > 0.0:
            fallen = _xlog2(sides[_LEFT, i] + reach, xlog2_of) - term[_LEFT, i]
            fallen += _xlog2(sides[_RIGHT, i] - reach, xlog2_of) - term[_RIGHT, i]
            if ahead * (fallen - risen) > reach * lost:
                ahead = reach * lost / (fallen - risen)
    return ahead


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_cut(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    case: cython.int[::1],
    value: cython.double[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double,
    totals: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    impurity: cython.int,
    is_numeric: cython.bint,
    only_at: cython.double,
    missing_is_value: cython.bint,
    min_leaf: cython.double,
    min_rows: cython.double,
    tolerance: cython.double,
    zero_gain: cython.bint,
    value_gap: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    cut_cost: cython.bint,
    wants_chi2: cython.bint,
    is_whole: cython.bint,
    xlog2_of: cython.double[::1],
    sides: cython.double[:, ::1],
    counted: cython.double[:, ::1],
    term: cython.double[:, ::1],
    place: cython.Py_ssize_t,
    gain: cython.double[::1],
    split_info: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    missing_side: cython.int[::1],
) -> cython.void:
    """Sets entry `place` of the last five arrays to the best cut of one node, as best_cuts says.

    Its cases stand from `begin` to `last`, those without a value from `end` on.
    """
    n: cython.Py_ssize_t = totals.shape[1]
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
    found: cython.double
    slack: cython.double
    best_left: cython.double
    idle_up_to: cython.double
    lost: cython.double
    least: cython.double
    n_cuts: cython.longlong
    left_terms: cython.double
    right_terms: cython.double
    is_stepwise: cython.bint = not is_numeric and (
        (n > _FEW_CLASSES and (impurity == _ENTROPY or impurity == _GINI)) or (is_whole and impurity == _GINI)
    )
    # What is skipped lies below the best cut by more than the tolerance, which must be more than rounding.
    is_skipping: cython.bint = impurity == _ENTROPY and not is_stepwise and tolerance >= _LEAST_SKIPPED
    gain[place] = -INFINITY
    n_cuts = 0
    split_info[place] = 0.0
    missing_side[place] = _NO_SIDE
    for c in range(n):
        sides[_LEFT, c] = 0.0
        sides[_MISSING, c] = 0.0
    for i in range(end, last):
        w = weight_of_case[case[i]]
        if is_numeric:
            y = target_of_case[case[i]] - center
            sides[_MISSING, 0] += w
            sides[_MISSING, 1] += w * y
            sides[_MISSING, 2] += w * y * y
        else:
            sides[_MISSING, class_of_case[case[i]]] += w
    for c in range(n):
        sides[_RIGHT, c] = totals[node, c] - sides[_MISSING, c]
    missing = _weight(sides, _MISSING, is_numeric)
    known = _weight(sides, _RIGHT, is_numeric)
    weight = known + missing
    if missing_is_value and missing > 0.0:
        before = _joined(sides, _RIGHT, impurity, counted, term, xlog2_of)
    else:
        before = _spread(sides, _RIGHT, impurity, counted, term, xlog2_of)
    slack = tolerance * before / weight if is_numeric else tolerance
    least = min_leaf
    if branch_share > 0.0:
        least = branch_share * known / n
        if least < min_leaf + tolerance:
            least = min_leaf
        elif least > most_branch_share:
            least = most_branch_share
        if end - begin < 2.0 * least - tolerance:
            return
    least -= tolerance
    if not zero_gain:
        gain[place] = 0.0
    left = 0.0
    best_left = 0.0
    idle_up_to = 0.0
    left_terms = 0.0
    right_terms = 0.0
    if is_stepwise:
        for c in range(n):
            right_terms += _term(sides[_RIGHT, c], impurity, xlog2_of)
    if missing_is_value and missing >= least and known >= least and last - end >= min_rows and end - begin >= min_rows:
        after = _spread(sides, _RIGHT, impurity, counted, term, xlog2_of) + _spread(
            sides, _MISSING, impurity, counted, term, xlog2_of
        )
        gain[place] = (before - after) / weight
        missing_side[place] = _KNOWN_OR_NOT
        if wants_chi2:
            for c in range(n):
                sides[_BEST_LEFT, c] = sides[_RIGHT, c]
                sides[_BEST_RIGHT, c] = sides[_MISSING, c]
    for i in range(begin, end - 1):
        w = weight_of_case[case[i]]
        if is_numeric:
            y = target_of_case[case[i]] - center
            sides[_LEFT, 0] += w
            sides[_LEFT, 1] += w * y
            sides[_LEFT, 2] += w * y * y
            sides[_RIGHT, 0] -= w
            sides[_RIGHT, 1] -= w * y
            sides[_RIGHT, 2] -= w * y * y
        else:
            c = class_of_case[case[i]]
            if is_stepwise:
                left_terms -= _term(sides[_LEFT, c], impurity, xlog2_of)
                right_terms -= _term(sides[_RIGHT, c], impurity, xlog2_of)
            sides[_LEFT, c] += w
            sides[_RIGHT, c] -= w
            if is_stepwise:
                left_terms += _term(sides[_LEFT, c], impurity, xlog2_of)
                right_terms += _term(sides[_RIGHT, c], impurity, xlog2_of)
        left += w
        if not value[i] + value_gap < value[i + 1]:
            continue
        if only_at == only_at and not (value[i] <= only_at < value[i + 1]):
            continue
        right = known - left
        if left <= 0.0 or right <= 0.0:
            continue
        for side in range(_NO_SIDE, 2):
            if missing_is_value and missing > 0.0:
                if side == _NO_SIDE:
                    continue
                if side == 0:
                    if left + missing < least or right < least:
                        continue
                    if i + 1 - begin + last - end < min_rows or end - i - 1 < min_rows:
                        continue
                    after = _joined(sides, _LEFT, impurity, counted, term, xlog2_of) + _spread(
                        sides, _RIGHT, impurity, counted, term, xlog2_of
                    )
                else:
                    if left < least or right + missing < least:
                        continue
                    if i + 1 - begin < min_rows or last - i - 1 < min_rows:
                        continue
                    after = _spread(sides, _LEFT, impurity, counted, term, xlog2_of) + _joined(
                        sides, _RIGHT, impurity, counted, term, xlog2_of
                    )
            else:
                if side != _NO_SIDE or left < least or right < least:
                    break
                if i + 1 - begin < min_rows or end - i - 1 < min_rows:
                    break
                if left <= idle_up_to:
                    n_cuts += 1
                    break
                if is_stepwise:
                    after = _from_terms(left, left_terms, impurity, xlog2_of)
                    after += _from_terms(right, right_terms, impurity, xlog2_of)
                else:
                    after = _spread(sides, _LEFT, impurity, counted, term, xlog2_of) + _spread(
                        sides, _RIGHT, impurity, counted, term, xlog2_of
                    )
            n_cuts += 1
            found = (before - after) / weight
            if is_skipping and side == _NO_SIDE and found < gain[place]:
                lost = (gain[place] - found) * weight
                w = weight_of_case[case[i + 1]]
                idle_up_to = left + _idle(sides, term, left, right, lost, w, xlog2_of)
            if found * known < tolerance and found * known > -tolerance and not is_numeric:
                found = 0.0
            if found > gain[place] + slack:
                gain[place] = found
                missing_side[place] = side
                lower[place] = value[i]
                upper[place] = value[i + 1]
                best_left = left
                if wants_chi2:
                    for c in range(n):
                        sides[_BEST_LEFT, c] = sides[_LEFT, c]
                        sides[_BEST_RIGHT, c] = sides[_RIGHT, c]
                        if side == 0:
                            sides[_BEST_LEFT, c] += sides[_MISSING, c]
                        elif side == 1:
                            sides[_BEST_RIGHT, c] += sides[_MISSING, c]
    if missing_side[place] == _NO_SIDE and best_left == 0.0:
        gain[place] = -INFINITY  # no cut was taken
    elif cut_cost and missing_side[place] != _KNOWN_OR_NOT:
        gain[place] -= log2(n_cuts) / weight
    if not zero_gain and gain[place] < tolerance:
        gain[place] = -INFINITY
    if gain[place] == -INFINITY:
        return
    if missing_side[place] == _KNOWN_OR_NOT:
        split_info[place] = (xlog2(weight) - xlog2(known) - xlog2(missing)) / weight
    elif missing_side[place] == _NO_SIDE:
        split_info[place] = (xlog2(weight) - xlog2(best_left) - xlog2(known - best_left) - xlog2(missing)) / weight
    else:
        left = best_left + (missing if missing_side[place] == 0 else 0.0)
        split_info[place] = (xlog2(weight) - xlog2(left) - xlog2(weight - left)) / weight


def best_cuts(
    start: cython.longlong[::1],
    n_known: cython.longlong[::1],
    case: cython.int[::1],
    value: cython.double[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double[::1],
    totals: cython.double[:, ::1],
    impurity: cython.int,
    is_numeric: cython.bint,
    only_at: cython.double[::1],
    missing_is_value: cython.bint,
    min_leaf: cython.double,
    min_rows: cython.double,
    tolerance: cython.double,
    zero_gain: cython.bint,
    value_gap: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    cut_cost: cython.bint,
    wants_chi2: cython.bint,
    is_whole: cython.bint,
    xlog2_of: cython.double[::1],
    sides: cython.double[:, ::1],
    counted: cython.double[:, ::1],
    term: cython.double[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    missing_side: cython.int[::1],
    chi2: cython.double[::1],
    freedom: cython.longlong[::1],
) -> None:
    """Fills the last seven arrays with the best cut of every node; gain is -inf where there is none.

    Node i owns the entries from start[i] on, n_known[i] of them with a value. Of a numeric target
    (`is_numeric`), outcomes are weight, sum and sum of squares of the differences from center[i]; `totals` are
    the outcomes of all its cases, missing values included. only_at[i], unless NaN, is the one threshold allowed.
    Both sides of a cut weigh at least `min_leaf` and hold at least `min_rows` cases.
    Of cuts whose gains differ by no more than the tolerance, the lowest wins. Settings says what zero_gain, value_gap,
    branch_share and cut_cost ask for. `is_whole`: all weights are whole numbers, whose squares add up without rounding,
    in any order. xlog2_of[n] is n log2 n as far as it goes. `sides`, `counted` and `term` are scratch, SCRATCH_ROWS
    times outcomes; the latter two begin with zeros.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            best_cut(
                start[node],
                start[node] + n_known[node],
                start[node + 1],
                case,
                value,
                class_of_case,
                target_of_case,
                weight_of_case,
                center[node],
                totals,
                node,
                impurity,
                is_numeric,
                only_at[node],
                missing_is_value,
                min_leaf,
                min_rows,
                tolerance,
                zero_gain,
                value_gap,
                branch_share,
                most_branch_share,
                cut_cost,
                wants_chi2,
                is_whole,
                xlog2_of,
                sides,
                counted,
                term,
                node,
                gain,
                split_info,
                lower,
                upper,
                missing_side,
            )
            chi2[node] = 0.0
            freedom[node] = 0
            if wants_chi2 and gain[node] != -INFINITY:
                chi2[node] = statistic(sides, _BEST_LEFT, 2)
                freedom[node] = degrees_of_freedom(sides, _BEST_LEFT, 2)


def middles(
    start: cython.longlong[::1],
    n_known: cython.longlong[::1],
    case: cython.int[::1],
    value: cython.double[::1],
    weight_of_case: cython.double[::1],
    is_median: cython.bint,
    out: cython.double[::1],
) -> None:
    """Fills `out` with the mean or the median of each node's known values, moved below the largest of them."""
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    weight: cython.double
    passed: cython.double
    middle: cython.double
    slip: cython.double
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            begin = start[node]
            end = begin + n_known[node]
            out[node] = 0.0
            if begin == end:
                continue
            weight = 0.0
            middle = 0.0
            for i in range(begin, end):
                weight += weight_of_case[case[i]]
                middle += weight_of_case[case[i]] * value[i]
            middle /= weight
            if middle - middle != 0.0:  # the sum overflowed
                middle = 0.0
                for i in range(begin, end):
                    middle += weight_of_case[case[i]] / weight * value[i]
            if not is_median:
                # A value that the mean falls on but for rounding is the mean: trebled weights must not part elsewhere.
                slip = _MEAN_ROUNDING * max(abs(value[begin]), abs(value[end - 1]))
                for i in range(begin, end):
                    if abs(value[i] - middle) <= slip:
                        middle = value[i]
                        break
            else:
                passed = 0.0
                for i in range(begin, end):
                    passed += weight_of_case[case[i]]
                    middle = value[i]
                    if passed > weight / 2.0 + _ROUNDING or i == end - 1:
                        break
                    if passed >= weight / 2.0 - _ROUNDING:
                        middle = value[i] / 2.0 + value[i + 1] / 2.0
                        break
            if not middle < value[end - 1]:
                # All lies on one side: the largest value below the largest is the nearest threshold that cuts.
                i = end - 1
                while i > begin and not value[i] < value[end - 1]:
                    i -= 1
                middle = value[i]
            out[node] = middle
