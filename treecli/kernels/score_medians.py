"""Absolute error about medians, for every open node at once.

The cases of a node are numbered by the rank of their target. A Fenwick tree over the ranks holds weights and weighted
targets, so that adding a case and finding the median of all that were added take log n steps each, and no node is
sorted. The search and its rounding are those of scikit-learn 1.9.
"""

import cython

if not cython.compiled:  # compiled, it comes through the .pxd file beside this one
    from treecli.kernels.linked_medians import unlink
    from treecli.kernels.score_sklearn import parted

INFINITY = cython.declare(cython.double, float("inf"))
_NO_SIDE = cython.declare(cython.int, -1)
_KNOWN_OR_NOT = cython.declare(cython.int, 2)

# The columns of the Fenwick tree; its row 0 holds the totals.
_WEIGHT = cython.declare(cython.Py_ssize_t, 0)
_SUM = cython.declare(cython.Py_ssize_t, 1)

# The rows of the table of deviations: below and above each cut, then the same with the missing cases, then those alone.
_BELOW = cython.declare(cython.Py_ssize_t, 0)
_ABOVE = cython.declare(cython.Py_ssize_t, 1)
_WITH_MISSING = cython.declare(cython.Py_ssize_t, 2)
_MISSING = cython.declare(cython.Py_ssize_t, 4)

DEVIATION_ROWS = 5


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear(fenwick: cython.double[:, ::1], n: cython.Py_ssize_t) -> cython.void:
    i: cython.Py_ssize_t
    for i in range(n + 1):
        fenwick[i, _WEIGHT] = 0.0
        fenwick[i, _SUM] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add(
    fenwick: cython.double[:, ::1], n: cython.Py_ssize_t, rank: cython.Py_ssize_t, y: cython.double, w: cython.double
) -> cython.void:
    i: cython.Py_ssize_t = rank + 1
    fenwick[0, _WEIGHT] += w
    fenwick[0, _SUM] += w * y
    while i <= n:
        fenwick[i, _WEIGHT] += w
        fenwick[i, _SUM] += w * y
        i += i & -i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _top(n: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The largest power of 2 up to n: the first step of a search."""
    top: cython.Py_ssize_t = 1
    while 2 * top <= n:
        top *= 2
    return top


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _deviation(
    fenwick: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    top: cython.Py_ssize_t,
    target_by_rank: cython.double[::1],
    begin: cython.Py_ssize_t,
    center: cython.double,
) -> cython.double:
    """The sum of the absolute differences from the median of all that was added, of which there must be some."""
    ahead: cython.double = 0.5 * fenwick[0, _WEIGHT]
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
            if ahead == fenwick[rank + step, _WEIGHT]:
                break
            if ahead > fenwick[rank + step, _WEIGHT]:
                rank += step
                ahead -= fenwick[rank, _WEIGHT]
                weight += fenwick[rank, _WEIGHT]
                total += fenwick[rank, _SUM]
        step >>= 1
    lower = rank
    if step > 0:
        # Just half of the weight lies below: the median is halfway between the last case there and the next one.
        first_step = step
        still_ahead = ahead
        while step > 0:
            if lower + step <= n and still_ahead > fenwick[lower + step, _WEIGHT]:
                lower += step
                still_ahead -= fenwick[lower, _WEIGHT]
            step >>= 1
        step = first_step
        while step > 0:
            if rank + step <= n and ahead >= fenwick[rank + step, _WEIGHT]:
                rank += step
                ahead -= fenwick[rank, _WEIGHT]
                weight += fenwick[rank, _WEIGHT]
                total += fenwick[rank, _SUM]
            step >>= 1
    if rank == n:  # fractions of weights may not add up to their total
        rank = n - 1
    if lower == n:
        lower = n - 1
    median = target_by_rank[begin + rank] - center
    if lower != rank:
        median = (target_by_rank[begin + lower] - center + median) / 2.0
    return (fenwick[0, _SUM] - total - median * (fenwick[0, _WEIGHT] - weight)) + (median * weight - total)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk(
    is_upward: cython.bint,
    begin: cython.Py_ssize_t,
    n_known: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    case: cython.int[::1],
    is_cut: cython.uchar[::1],
    rank_of_case: cython.int[::1],
    target_by_rank: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double,
    fenwick: cython.double[:, ::1],
    deviation: cython.double[::1],
) -> cython.void:
    """Adds the known cases of a node one by one; keeps the deviation of those on this side of each cut.

    is_cut[i] says whether there may be a cut after place i. After the last there is one, so that going up ends with
    the deviation of them all.
    """
    top: cython.Py_ssize_t = _top(n)
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    rank: cython.Py_ssize_t
    for i in range(n_known):
        place = i if is_upward else n_known - 1 - i
        rank = rank_of_case[case[begin + place]]
        _add(fenwick, n, rank, target_by_rank[begin + rank] - center, weight_of_case[case[begin + place]])
        if not is_upward:
            place -= 1
        if place >= 0 and is_cut[place]:
            deviation[place] = _deviation(fenwick, n, top, target_by_rank, begin, center)


def best_cuts(
    start: cython.longlong[::1],
    n_known: cython.longlong[::1],
    case: cython.int[::1],
    value: cython.double[::1],
    rank_of_case: cython.int[::1],
    target_by_rank: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double[::1],
    only_at: cython.double[::1],
    missing_is_value: cython.bint,
    min_leaf: cython.double,
    min_rows: cython.double,
    tolerance: cython.double,
    value_gap: cython.double,
    is_single: cython.bint,
    by_shares: cython.bint,
    are_alike: cython.bint,
    is_cut: cython.uchar[::1],
    fenwick: cython.double[:, ::1],
    link: cython.int[:, ::1],
    deviations: cython.double[:, ::1],
    worth: cython.double[::1],
    gain: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    missing_side: cython.int[::1],
) -> None:
    """Fills the last five arrays with the best cut of every node; gain and worth are -inf where there is none.

    Node i owns the entries from start[i] on, n_known[i] of them with a value, sorted by it. rank_of_case numbers the
    cases of a node by their target, and target_by_rank[start[i] + rank] is that target; differences are taken from
    center[i]. `worth` is minus the error that is left. Cuts are equal where it differs by no more than the tolerance's
    share of the error before; then known values against missing ones come first, and the lowest cut. `by_shares`:
    errors are divided by the weights and multiplied again, and where no value is missing, later ones are to take the
    side with more cases, the right one of equals, as in scikit-learn. `are_alike`: every case has the weight 1.
    `is_cut`, `fenwick`, `link` and `deviations` are scratch, with room for the cases of the largest node and one more.
    """
    node: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n: cython.Py_ssize_t
    n_missing: cython.Py_ssize_t
    n_left: cython.Py_ssize_t
    last: cython.Py_ssize_t
    i: cython.Py_ssize_t
    row: cython.Py_ssize_t
    rank: cython.Py_ssize_t
    side: cython.int
    known: cython.double
    missing: cython.double
    passed: cython.double
    left: cython.double
    right: cython.double
    before: cython.double
    below: cython.double
    above: cython.double
    found: cython.double
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            begin = start[node]
            end = begin + n_known[node]
            n = start[node + 1] - begin
            last = end - begin - 1
            worth[node] = -INFINITY
            gain[node] = -INFINITY
            missing_side[node] = _NO_SIDE
            if last < 0:
                continue
            known = 0.0
            for i in range(last + 1):
                known += weight_of_case[case[begin + i]]
                is_cut[i] = i == last or (
                    parted(value[begin + i], value[begin + i + 1], value_gap, is_single)
                    and not (only_at[node] < value[begin + i] or only_at[node] >= value[begin + i + 1])
                )
            missing = 0.0
            for i in range(end, start[node + 1]):
                missing += weight_of_case[case[i]]
            n_missing = start[node + 1] - end if missing_is_value else 0
            for row in range(_MISSING if n_missing > 0 else _WITH_MISSING):
                if are_alike and n_missing == 0 and not by_shares:
                    # Its rounding is not scikit-learn's.
                    unlink(
                        row == _BELOW,
                        begin,
                        end - begin,
                        n,
                        case,
                        is_cut,
                        rank_of_case,
                        target_by_rank,
                        center[node],
                        link,
                        deviations[row],
                    )
                    continue
                _clear(fenwick, n)
                if row >= _WITH_MISSING:
                    for i in range(end, start[node + 1]):
                        rank = rank_of_case[case[i]]
                        _add(fenwick, n, rank, target_by_rank[begin + rank] - center[node], weight_of_case[case[i]])
                    deviations[_MISSING, 0] = _deviation(fenwick, n, _top(n), target_by_rank, begin, center[node])
                _walk(
                    row % 2 == _BELOW,
                    begin,
                    end - begin,
                    n,
                    case,
                    is_cut,
                    rank_of_case,
                    target_by_rank,
                    weight_of_case,
                    center[node],
                    fenwick,
                    deviations[row],
                )
            before = deviations[_WITH_MISSING if n_missing > 0 else _BELOW, last]
            if n_missing > 0 and n_missing >= min_rows and last + 1 >= min_rows:
                if missing >= min_leaf and known >= min_leaf:
                    worth[node] = -deviations[_BELOW, last] - deviations[_MISSING, 0]
                    gain[node] = (before + worth[node]) / (known + missing)
                    missing_side[node] = _KNOWN_OR_NOT
            passed = 0.0
            for i in range(last):
                passed += weight_of_case[case[begin + i]]
                if not is_cut[i]:
                    continue
                for side in range(0 if n_missing > 0 else _NO_SIDE, 2 if n_missing > 0 else 0):
                    n_left = i + 1
                    left = passed
                    right = known - passed
                    below = deviations[_BELOW, i]
                    above = deviations[_ABOVE, i]
                    if side == 0:
                        n_left += n_missing
                        left += missing
                        below = deviations[_BELOW + _WITH_MISSING, i]
                    elif side == 1:
                        right += missing
                        above = deviations[_ABOVE + _WITH_MISSING, i]
                    if n_left < min_rows or last + 1 + n_missing - n_left < min_rows:
                        continue
                    if left < min_leaf or right < min_leaf or left <= 0.0 or right <= 0.0:
                        continue
                    if by_shares:
                        found = -right * (above / right) - left * (below / left)
                    else:
                        found = -above - below
                    if found > worth[node] + tolerance * before:
                        worth[node] = found
                        gain[node] = (before + found) / (known + missing)
                        missing_side[node] = side
                        if by_shares:
                            gain[node] = before / (known + missing)
                            gain[node] -= right / (known + missing) * (above / right)
                            gain[node] -= left / (known + missing) * (below / left)
                            if side == _NO_SIDE and missing_is_value:
                                missing_side[node] = 0 if n_left > last + 1 - n_left else 1
                        lower[node] = value[begin + i]
                        upper[node] = value[begin + i + 1]


def rest_deviations(
    start: cython.longlong[::1],
    group_start: cython.longlong[::1],
    group_of_case: cython.int[::1],
    case_by_group: cython.int[::1],
    end_of_group: cython.longlong[::1],
    rank_of_case: cython.int[::1],
    target_by_rank: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double[::1],
    fenwick: cython.double[:, ::1],
    deviation: cython.double[::1],
) -> None:
    """Fills `deviation` with the absolute error of all cases of a node but those of the group; 0 if there are none.

    case_by_group holds the cases group by group, those of group g up to end_of_group[g]; of other cases, with a group
    below 0, none counts. `fenwick` is scratch, with room for the cases of the largest node and one more.
    """
    node: cython.Py_ssize_t
    group: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t
    first: cython.Py_ssize_t
    rank: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    n_inside: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            begin = start[node]
            n = start[node + 1] - begin
            _clear(fenwick, n)
            n_inside = 0
            for i in range(begin, start[node + 1]):
                if group_of_case[i] >= 0:
                    n_inside += 1
                    rank = rank_of_case[i]
                    _add(fenwick, n, rank, target_by_rank[begin + rank] - center[node], weight_of_case[i])
            for group in range(group_start[node], group_start[node + 1]):
                first = end_of_group[group - 1] if group > 0 else 0
                deviation[group] = 0.0
                if end_of_group[group] - first == n_inside:
                    continue
                for i in range(first, end_of_group[group]):
                    rank = rank_of_case[case_by_group[i]]
                    _add(
                        fenwick,
                        n,
                        rank,
                        target_by_rank[begin + rank] - center[node],
                        -weight_of_case[case_by_group[i]],
                    )
                deviation[group] = _deviation(fenwick, n, _top(n), target_by_rank, begin, center[node])
                for i in range(first, end_of_group[group]):
                    rank = rank_of_case[case_by_group[i]]
                    _add(
                        fenwick, n, rank, target_by_rank[begin + rank] - center[node], weight_of_case[case_by_group[i]]
                    )
