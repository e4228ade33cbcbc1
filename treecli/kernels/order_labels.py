"""Orders of the labels at a node, which groupings in two cut: by any score, and by the class shares."""

import cython
from cython.cimports.libc.math import fabs

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.mixed_args import Columns

    _MOST_KEPT = 512
    _MOST_OF_THREE = 128
    _FEW_ENTRIES = 12
    _THREE = 3

_ROUNDING = cython.declare(cython.double, 1e-9)
_POWER_STEPS = cython.declare(cython.int, 200)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weight(outcomes: cython.double[:, ::1], row: cython.Py_ssize_t) -> cython.double:
    """Return the total weight of a row of classes."""
    c: cython.Py_ssize_t
    total: cython.double = 0.0
    for c in range(outcomes.shape[1]):
        total += outcomes[row, c]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _principal_of_three(
    begin: cython.Py_ssize_t, end: cython.Py_ssize_t, outcomes: cython.double[:, ::1], score: cython.double[::1]
) -> cython.void:
    """As principal_scores_of for three classes and few entries: the same operations, on local variables."""
    entry: cython.Py_ssize_t
    i: cython.Py_ssize_t
    _step: cython.int
    n: cython.Py_ssize_t = end - begin
    weight: cython.double
    along: cython.double
    change: cython.double
    length: cython.double
    first: cython.double = 0.0
    second: cython.double = 0.0
    third: cython.double = 0.0
    to_first: cython.double
    to_second: cython.double
    to_third: cython.double
    next_first: cython.double
    next_second: cython.double
    next_third: cython.double
    # Of each entry: how far its class shares lie from the mean, and its weight.
    off_first: cython.double[_MOST_OF_THREE]
    off_second: cython.double[_MOST_OF_THREE]
    off_third: cython.double[_MOST_OF_THREE]
    weight_of: cython.double[_MOST_OF_THREE]
    if not cython.compiled:
        off_first, off_second, off_third, weight_of = ([0.0] * _MOST_OF_THREE for _ in range(4))
    for entry in range(begin, end):
        first += outcomes[entry, 0]
        second += outcomes[entry, 1]
        third += outcomes[entry, 2]
    length = first + second + third
    if length <= 0.0:
        return
    first /= length
    second /= length
    third /= length
    to_first = 0.0
    to_second = 0.0
    to_third = 0.0
    for i in range(n):
        weight = outcomes[begin + i, 0] + outcomes[begin + i, 1] + outcomes[begin + i, 2]
        weight_of[i] = weight
        off_first[i] = outcomes[begin + i, 0] / weight - first if weight > 0.0 else 0.0
        off_second[i] = outcomes[begin + i, 1] / weight - second if weight > 0.0 else 0.0
        off_third[i] = outcomes[begin + i, 2] / weight - third if weight > 0.0 else 0.0
        to_first += weight * off_first[i] * off_first[i]
        to_second += weight * off_second[i] * off_second[i]
        to_third += weight * off_third[i] * off_third[i]
    # Start with the class whose share varies most: it is never orthogonal to the component.
    if to_third > to_first and to_third > to_second:
        to_first, to_second, to_third = 0.0, 0.0, 1.0
    elif to_second > to_first:
        to_first, to_second, to_third = 0.0, 1.0, 0.0
    else:
        to_first, to_second, to_third = 1.0, 0.0, 0.0
    for _step in range(_POWER_STEPS):
        next_first = 0.0
        next_second = 0.0
        next_third = 0.0
        for i in range(n):
            along = weight_of[i] * (off_first[i] * to_first + off_second[i] * to_second + off_third[i] * to_third)
            next_first += along * off_first[i]
            next_second += along * off_second[i]
            next_third += along * off_third[i]
        length = next_first
        if fabs(next_second) > fabs(length) * (1.0 + _ROUNDING):
            length = next_second
        if fabs(next_third) > fabs(length) * (1.0 + _ROUNDING):
            length = next_third
        if length == 0.0:
            break
        next_first /= length
        next_second /= length
        next_third /= length
        change = fabs(next_first - to_first) + fabs(next_second - to_second) + fabs(next_third - to_third)
        to_first = next_first
        to_second = next_second
        to_third = next_third
        if change < _ROUNDING:
            break
    for i in range(n):
        weight = weight_of[i]
        score[begin + i] = 0.0
        if weight > 0.0:
            score[begin + i] = (
                outcomes[begin + i, 0] / weight * to_first
                + outcomes[begin + i, 1] / weight * to_second
                + outcomes[begin + i, 2] / weight * to_third
            )


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
    """Fill `score` for the entries of one node, `begin` to `end` (exclusive); see principal_scores."""
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
    i: cython.Py_ssize_t
    # Of each entry, if they are few: how far its class shares lie from the mean, and its weight.
    keeps: cython.bint = (end - begin) * n <= _MOST_KEPT
    off: cython.double[_MOST_KEPT]
    weight_of: cython.double[_MOST_KEPT]
    if not cython.compiled:
        off, weight_of = [0.0] * _MOST_KEPT, [0.0] * _MOST_KEPT
    if end - begin <= n_exhaustive:
        for entry in range(begin, end):
            score[entry] = 0.0
        return
    if n == _THREE and end - begin <= _MOST_OF_THREE:
        _principal_of_three(begin, end, outcomes, score)
        return
    total = 0.0
    for c in range(n):
        mean[c] = 0.0
        for entry in range(begin, end):
            mean[c] += outcomes[entry, c]
        total += mean[c]
    if total <= 0.0:
        return
    for c in range(n):
        mean[c] /= total
    if keeps:
        for entry in range(begin, end):
            weight = _weight(outcomes, entry)
            weight_of[entry - begin] = weight
            for c in range(n):
                off[(entry - begin) * n + c] = outcomes[entry, c] / weight - mean[c] if weight > 0.0 else 0.0
    # Start with the class whose share varies most: it is never orthogonal to the component.
    most = 0
    length = -1.0
    for c in range(n):
        along = 0.0
        for entry in range(begin, end):
            if keeps:
                i = (entry - begin) * n + c
                along += weight_of[entry - begin] * off[i] * off[i]
                continue
            weight = _weight(outcomes, entry)
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
            along = 0.0
            if keeps:
                i = (entry - begin) * n
                for c in range(n):
                    along += off[i + c] * direction[c]
                along = weight_of[entry - begin] * along
                for c in range(n):
                    following[c] += along * off[i + c]
                continue
            weight = _weight(outcomes, entry)
            if weight <= 0.0:
                continue
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
        weight = _weight(outcomes, entry)
        score[entry] = 0.0
        for c in range(n):
            if weight > 0.0:
                score[entry] += outcomes[entry, c] / weight * direction[c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def order_by_share(n: cython.Py_ssize_t, columns: Columns) -> cython.bint:
    """Order the first n entries of a node with three classes by principal_scores_of; return False if they are many.

    Where only two of the classes occur, and weights are whole numbers, the order is that of the first one's shares.
    """
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    first: cython.double = 0.0
    second: cython.double = 0.0
    third: cython.double = 0.0
    if columns.tables.outcomes.shape[1] != _THREE or n > _MOST_OF_THREE:
        return False
    for i in range(n):
        first += columns.tables.outcomes[i, 0]
        second += columns.tables.outcomes[i, 1]
        third += columns.tables.outcomes[i, 2]
    if columns.are_whole and (first == 0.0 or second == 0.0 or third == 0.0):
        c = 0 if first > 0.0 else 1
        for i in range(n):
            columns.score[i] = columns.tables.outcomes[i, c] / (
                columns.tables.outcomes[i, 0] + columns.tables.outcomes[i, 1] + columns.tables.outcomes[i, 2]
            )
    else:
        _principal_of_three(0, n, columns.tables.outcomes, columns.score)
    order_of(0, n, columns.score, columns.spare, columns.tables.order)
    return True


def principal_scores(
    start: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    n_exhaustive: cython.Py_ssize_t,
    mean: cython.double[::1],
    direction: cython.double[::1],
    following: cython.double[::1],
    score: cython.double[::1],
) -> None:
    """Fill `score` with each label's place along the first principal component of the class shares.

    The scores of nodes with at most `n_exhaustive` labels are 0: they are not needed.
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
    """Fill `order` for the entries of one node, `begin` to `end` (exclusive); see order_by."""
    width: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    left: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    right: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    i: cython.Py_ssize_t
    is_sorted: cython.bint
    if end - begin <= _FEW_ENTRIES:  # without branches: the place of an entry is the number of those before it
        for i in range(begin, end):
            left = begin
            for right in range(begin, i):
                left += score[right] <= score[i]
            for right in range(i + 1, end):
                left += score[right] < score[i]
            order[left] = i
        return
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
    """Fill `order` with the entries of each node sorted by score (stable); `spare` is scratch of the same length."""
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            order_of(start[node], start[node + 1], score, spare, order)
