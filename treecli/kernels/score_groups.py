"""The best split of a nominal attribute, for every open node at once, from tables of counts.

A table has an entry for each label that occurs at the node, in the order of the labels, with the outcomes of the
cases that have it. Where missing values count as a label of their own, they are the last one.
"""

import cython
from cython.cimports.libc.math import fabs

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.impurity import spread, xlog2
    from treecli.kernels.pearson import degrees_of_freedom, statistic

NO_BRANCH = -1

SCRATCH_ROWS = 3

INFINITY = cython.declare(cython.double, float("inf"))
_GINI = cython.declare(cython.int, 1)
_ROUNDING = cython.declare(cython.double, 1e-9)
_POWER_STEPS = cython.declare(cython.int, 200)
_NO_BRANCH = cython.declare(cython.int, -1)

# The rows of the scratch table.
_LEFT = cython.declare(cython.Py_ssize_t, 0)
_RIGHT = cython.declare(cython.Py_ssize_t, 1)
_KNOWN = cython.declare(cython.Py_ssize_t, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weight(outcomes: cython.double[:, ::1], row: cython.Py_ssize_t, is_numeric: cython.bint) -> cython.double:
    i: cython.Py_ssize_t
    total: cython.double = 0.0
    if is_numeric:
        return outcomes[row, 0]
    for i in range(outcomes.shape[1]):
        total += outcomes[row, i]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_known(
    scratch: cython.double[:, ::1],
    outcomes: cython.double[:, ::1],
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.void:
    c: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    for c in range(outcomes.shape[1]):
        scratch[_KNOWN, c] = 0.0
        for entry in range(begin, end):
            scratch[_KNOWN, c] += outcomes[entry, c]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _gain_of_two(
    scratch: cython.double[:, ::1],
    before: cython.double,
    weight: cython.double,
    min_leaf: cython.double,
    tolerance: cython.double,
    impurity: cython.int,
    is_numeric: cython.bint,
) -> cython.double:
    """What the left and right rows of the scratch table gain, or -inf where one of them is too small."""
    i: cython.Py_ssize_t
    left: cython.double = 0.0
    right: cython.double = 0.0
    left_squares: cython.double = 0.0
    right_squares: cython.double = 0.0
    if is_numeric:
        left = scratch[_LEFT, 0]
        right = scratch[_RIGHT, 0]
    else:
        for i in range(scratch.shape[1]):
            left += scratch[_LEFT, i]
            right += scratch[_RIGHT, i]
            left_squares += scratch[_LEFT, i] * scratch[_LEFT, i]
            right_squares += scratch[_RIGHT, i] * scratch[_RIGHT, i]
    if left <= 0.0 or right <= 0.0 or left < min_leaf - tolerance or right < min_leaf - tolerance:
        return -INFINITY
    if impurity == _GINI:  # as impurity.spread, whose call would cost more than its work
        return (before - (left - left_squares / left) - (right - right_squares / right)) / weight
    return (before - spread(scratch, _LEFT, impurity) - spread(scratch, _RIGHT, impurity)) / weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _information_of_two(
    scratch: cython.double[:, ::1], weight: cython.double, known: cython.double, is_numeric: cython.bint
) -> cython.double:
    """The bits that the left and right rows of the scratch table spend; missing values are a third outcome."""
    left: cython.double = _weight(scratch, _LEFT, is_numeric)
    return (xlog2(weight) - xlog2(weight - known) - xlog2(left) - xlog2(known - left)) / weight


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _move(
    scratch: cython.double[:, ::1],
    outcomes: cython.double[:, ::1],
    entry: cython.Py_ssize_t,
    sign: cython.double,
) -> cython.void:
    """Moves an entry from right to left, or back."""
    c: cython.Py_ssize_t
    for c in range(outcomes.shape[1]):
        scratch[_LEFT, c] += sign * outcomes[entry, c]
        scratch[_RIGHT, c] -= sign * outcomes[entry, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _start_right(scratch: cython.double[:, ::1]) -> cython.void:
    c: cython.Py_ssize_t
    for c in range(scratch.shape[1]):
        scratch[_LEFT, c] = 0.0
        scratch[_RIGHT, c] = scratch[_KNOWN, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def multiway_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    outcomes: cython.double[:, ::1],
    n_rows: cython.longlong[::1],
    weight: cython.double,
    impurity: cython.int,
    is_numeric: cython.bint,
    min_leaf: cython.double,
    min_rows: cython.double,
    tolerance: cython.double,
    scratch: cython.double[:, ::1],
    place: cython.Py_ssize_t,
    gain: cython.double[::1],
    split_info: cython.double[::1],
) -> cython.void:
    """Sets entry `place` of the last two arrays to what one branch a label is worth to one node, as multiway says.

    Its entries are those from `begin` to `end`.
    """
    entry: cython.Py_ssize_t
    n_large: cython.Py_ssize_t = 0
    known: cython.double
    in_branch: cython.double
    after: cython.double = 0.0
    info: cython.double
    gain[place] = -INFINITY
    split_info[place] = 0.0
    if end - begin < 2:
        return
    _add_known(scratch, outcomes, begin, end)
    known = _weight(scratch, _KNOWN, is_numeric)
    info = xlog2(weight) - xlog2(weight - known)
    for entry in range(begin, end):
        in_branch = _weight(outcomes, entry, is_numeric)
        if in_branch > 0.0 and in_branch >= min_leaf - tolerance and n_rows[entry] >= min_rows:
            n_large += 1
        after += spread(outcomes, entry, impurity)
        info -= xlog2(in_branch)
    if n_large < 2:
        return
    gain[place] = (spread(scratch, _KNOWN, impurity) - after) / weight
    if not is_numeric and fabs(gain[place] * known) < tolerance:
        gain[place] = 0.0
    split_info[place] = info / weight


def multiway(
    start: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    n_rows: cython.longlong[::1],
    weights: cython.double[::1],
    impurity: cython.int,
    is_numeric: cython.bint,
    min_leaf: cython.double,
    min_rows: cython.double,
    tolerance: cython.double,
    wants_chi2: cython.bint,
    scratch: cython.double[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    chi2: cython.double[::1],
    freedom: cython.longlong[::1],
) -> None:
    """Fills the last four arrays with what one branch a label is worth; gain is -inf where that cannot be.

    weights[i] is the weight of all cases of node i, those with a missing value included. At least two branches weigh
    `min_leaf` and hold `min_rows` cases.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            multiway_of(
                start[node],
                start[node + 1],
                outcomes,
                n_rows,
                weights[node],
                impurity,
                is_numeric,
                min_leaf,
                min_rows,
                tolerance,
                scratch,
                node,
                gain,
                split_info,
            )
            chi2[node] = 0.0
            freedom[node] = 0
            if wants_chi2 and gain[node] != -INFINITY:
                chi2[node] = statistic(outcomes, start[node], start[node + 1] - start[node])
                freedom[node] = degrees_of_freedom(outcomes, start[node], start[node + 1] - start[node])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def two_way_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    code: cython.int[::1],
    order: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    n_rows: cython.longlong[::1],
    weight: cython.double,
    impurity: cython.int,
    is_numeric: cython.bint,
    min_leaf: cython.double,
    min_rows: cython.double,
    tolerance: cython.double,
    is_one_against_rest: cython.bint,
    by_ratio: cython.bint,
    n_exhaustive: cython.Py_ssize_t,
    scratch: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    table: cython.int[:, ::1],
    place: cython.Py_ssize_t,
    gain: cython.double[::1],
    split_info: cython.double[::1],
) -> cython.void:
    """Sets a row of `table` and entry `place` of the last two arrays to the best grouping of one node, as two_way says.

    Its entries are those from `begin` to `end`. Of the row, the first `width` places are set. The scratch table keeps
    the two groups.
    """
    entry: cython.Py_ssize_t
    n_entries: cython.Py_ssize_t = end - begin
    i: cython.Py_ssize_t
    known: cython.double
    before: cython.double
    found: cython.double
    worth: cython.double
    best_worth: cython.double
    slack: cython.double
    best: cython.longlong
    step: cython.longlong
    mask: cython.longlong
    bit: cython.Py_ssize_t
    is_left: cython.bint
    known_rows: cython.longlong
    left_rows: cython.longlong
    gain[place] = -INFINITY
    split_info[place] = 0.0
    for i in range(width):
        table[row, i] = _NO_BRANCH
    if n_entries < 2:
        return
    _add_known(scratch, outcomes, begin, begin + n_entries)
    known = _weight(scratch, _KNOWN, is_numeric)
    before = spread(scratch, _KNOWN, impurity)
    slack = tolerance * before / weight if is_numeric else tolerance
    best = -1
    best_worth = -INFINITY
    left_rows = 0
    known_rows = 0
    for i in range(n_entries):
        known_rows += n_rows[begin + i]
    if is_one_against_rest:
        for i in range(n_entries):
            _start_right(scratch)
            _move(scratch, outcomes, begin + i, 1.0)
            left_rows = n_rows[begin + i]
            if left_rows < min_rows or known_rows - left_rows < min_rows:
                continue
            found = _gain_of_two(scratch, before, weight, min_leaf, tolerance, impurity, is_numeric)
            worth = found
            if by_ratio:
                worth = found / _information_of_two(scratch, weight, known, is_numeric)
            if worth > best_worth + slack:
                best_worth = worth
                gain[place] = found
                best = i
    elif n_entries <= n_exhaustive:
        # Gray code: each step moves one label, and the first label never leaves branch 0.
        _start_right(scratch)
        mask = 0
        for step in range(1, 1 << (n_entries - 1)):
            bit = 0
            while (step >> bit) & 1 == 0:
                bit += 1
            mask ^= 1 << bit
            _move(scratch, outcomes, begin + 1 + bit, 1.0 if (mask >> bit) & 1 else -1.0)
            left_rows += n_rows[begin + 1 + bit] if (mask >> bit) & 1 else -n_rows[begin + 1 + bit]
            if left_rows < min_rows or known_rows - left_rows < min_rows:
                continue
            found = _gain_of_two(scratch, before, weight, min_leaf, tolerance, impurity, is_numeric)
            if found > gain[place] + slack or (found > gain[place] - slack and best >= 0 and mask < best):
                gain[place] = found
                best = mask
    else:
        _start_right(scratch)
        for i in range(n_entries - 1):
            _move(scratch, outcomes, order[begin + i], 1.0)
            left_rows += n_rows[order[begin + i]]
            if left_rows < min_rows or known_rows - left_rows < min_rows:
                continue
            found = _gain_of_two(scratch, before, weight, min_leaf, tolerance, impurity, is_numeric)
            if found > gain[place] + slack:
                gain[place] = found
                best = i
    if best < 0:
        return
    _start_right(scratch)
    for i in range(n_entries):
        entry = begin + i
        if is_one_against_rest:
            is_left = i == best
        elif n_entries <= n_exhaustive:
            is_left = i > 0 and (best >> (i - 1)) & 1
        else:
            entry = order[begin + i]
            is_left = i <= best
        table[row, code[entry]] = 0 if is_left else 1
        if is_left:
            _move(scratch, outcomes, entry, 1.0)
    if not is_one_against_rest and table[row, code[begin]] == 1:
        for i in range(width):
            if table[row, i] != _NO_BRANCH:
                table[row, i] = 1 - table[row, i]
    split_info[place] = _information_of_two(scratch, weight, known, is_numeric)
    if not is_numeric and fabs(gain[place] * known) < tolerance:
        gain[place] = 0.0


def two_way(
    start: cython.longlong[::1],
    code: cython.int[::1],
    order: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    n_rows: cython.longlong[::1],
    weights: cython.double[::1],
    impurity: cython.int,
    is_numeric: cython.bint,
    min_leaf: cython.double,
    min_rows: cython.double,
    tolerance: cython.double,
    is_one_against_rest: cython.bint,
    by_ratio: cython.bint,
    n_exhaustive: cython.Py_ssize_t,
    wants_chi2: cython.bint,
    scratch: cython.double[:, ::1],
    table: cython.int[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    chi2: cython.double[::1],
    freedom: cython.longlong[::1],
) -> None:
    """Fills the last five arrays with the best grouping of each node's labels into two branches.

    One label against the rest; or, for nodes with at most `n_exhaustive` labels, every grouping; or else the
    groupings that cut the labels in two where they stand in `order`. table[node, label] is the branch, and
    NO_BRANCH for labels that do not occur. Branch 0 is the one label, or the group that holds the first label.
    Of groupings whose gains differ by no more than the tolerance, the first in that order wins. Both branches weigh
    at least `min_leaf` and hold at least `min_rows` cases.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            two_way_of(
                start[node],
                start[node + 1],
                code,
                order,
                outcomes,
                n_rows,
                weights[node],
                impurity,
                is_numeric,
                min_leaf,
                min_rows,
                tolerance,
                is_one_against_rest,
                by_ratio,
                n_exhaustive,
                scratch,
                node,
                table.shape[1],
                table,
                node,
                gain,
                split_info,
            )
            chi2[node] = 0.0
            freedom[node] = 0
            if wants_chi2 and gain[node] != -INFINITY:
                chi2[node] = statistic(scratch, _LEFT, 2)
                freedom[node] = degrees_of_freedom(scratch, _LEFT, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def principal_scores_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    outcomes: cython.double[:, ::1],
    n_exhaustive: cython.Py_ssize_t,
    mean: cython.double[::1],
    direction: cython.double[::1],
    following: cython.double[::1],
    score: cython.double[::1],
) -> cython.void:
    """Fills `score` for the entries of one node, those from `begin` to `end`, as principal_scores says."""
    n: cython.Py_ssize_t = outcomes.shape[1]
    entry: cython.Py_ssize_t
    c: cython.Py_ssize_t
    most: cython.Py_ssize_t
    _step: cython.int
    weight: cython.double
    total: cython.double
    along: cython.double
    length: cython.double
    change: cython.double
    if end - begin <= n_exhaustive:
        for entry in range(begin, end):
            score[entry] = 0.0
        return
    total = 0.0
    for c in range(n):
        mean[c] = 0.0
        for entry in range(begin, end):
            mean[c] += outcomes[entry, c]
        total += mean[c]
    if total <= 0.0:
        return
    # The class whose share varies most is never at right angles to the component sought.
    most = 0
    length = -1.0
    for c in range(n):
        mean[c] /= total
        along = 0.0
        for entry in range(begin, end):
            weight = _weight(outcomes, entry, False)
            if weight > 0.0:
                along += weight * (outcomes[entry, c] / weight - mean[c]) * (outcomes[entry, c] / weight - mean[c])
        if along > length:
            length = along
            most = c
    for c in range(n):
        direction[c] = 1.0 if c == most else 0.0
    for _step in range(_POWER_STEPS):
        for c in range(n):
            following[c] = 0.0
        for entry in range(begin, end):
            weight = _weight(outcomes, entry, False)
            if weight <= 0.0:
                continue
            along = 0.0
            for c in range(n):
                along += (outcomes[entry, c] / weight - mean[c]) * direction[c]
            for c in range(n):
                following[c] += weight * along * (outcomes[entry, c] / weight - mean[c])
        most = 0
        for c in range(n):
            if fabs(following[c]) > fabs(following[most]) * (1.0 + _ROUNDING):
                most = c
        length = following[most]
        if length == 0.0:
            break
        change = 0.0
        for c in range(n):
            following[c] /= length
            change += fabs(following[c] - direction[c])
            direction[c] = following[c]
        if change < _ROUNDING:
            break
    for entry in range(begin, end):
        weight = _weight(outcomes, entry, False)
        score[entry] = 0.0
        for c in range(n):
            if weight > 0.0:
                score[entry] += outcomes[entry, c] / weight * direction[c]


def principal_scores(
    start: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    n_exhaustive: cython.Py_ssize_t,
    mean: cython.double[::1],
    direction: cython.double[::1],
    following: cython.double[::1],
    score: cython.double[::1],
) -> None:
    """Fills `score` with each label's place along the first principal component of the class shares.

    Nodes with at most `n_exhaustive` labels have 0 for each of theirs: they do without.
    Cutting this order in two is the heuristic of Coppersmith, Hong and Hosking (1999) for three or more classes.
    The component is found by power iteration on the labels' class shares, weighted by their cases, and points to
    the class it weighs most.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            principal_scores_of(start[node], start[node + 1], outcomes, n_exhaustive, mean, direction, following, score)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def order_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    score: cython.double[::1],
    spare: cython.longlong[::1],
    order: cython.longlong[::1],
) -> cython.void:
    """Fills `order` for the entries of one node, those from `begin` to `end`, as order_by says."""
    width: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    left: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    right: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    i: cython.Py_ssize_t
    is_sorted: cython.bint
    is_sorted = True
    for i in range(begin, end):
        order[i] = i
        if i > begin and score[i] < score[i - 1]:
            is_sorted = False
    width = end - begin if is_sorted else 1
    while width < end - begin:  # merges runs of this width
        for i in range(begin, end):
            spare[i] = order[i]
        lo = begin
        while lo < end:
            middle = lo + width if lo + width < end else end
            hi = lo + 2 * width if lo + 2 * width < end else end
            left = lo
            right = middle
            for i in range(lo, hi):
                if left < middle and (right >= hi or not score[spare[right]] < score[spare[left]]):
                    order[i] = spare[left]
                    left += 1
                else:
                    order[i] = spare[right]
                    right += 1
            lo = hi
        width *= 2


def order_by(
    start: cython.longlong[::1],
    score: cython.double[::1],
    spare: cython.longlong[::1],
    order: cython.longlong[::1],
) -> None:
    """Fills `order` with the entries of each node by score, equal ones as they stand; `spare` is scratch as long."""
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            order_of(start[node], start[node + 1], score, spare, order)
