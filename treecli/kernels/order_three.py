"""Orders of the labels at a node: by any scores, and by the class shares of three classes."""

import cython
from cython.cimports.libc.math import fabs, sqrt

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.mixed_args import Columns

    MOST_OF_THREE = 128
    _FEW_ENTRIES = 12
    _THREE = 3

_ROUNDING = cython.declare(cython.double, 1e-9)
_POWER_STEPS = cython.declare(cython.int, 200)
_MOST_RATIO = cython.declare(cython.double, 0.85)
_NEAR = cython.declare(cython.double, 1e-6)
_ROOT_TWO = cython.declare(cython.double, 2.0**0.5)
_ROOT_SIX = cython.declare(cython.double, 6.0**0.5)


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
    """Fill `order` for the entries of one node, `begin` to `end` (exclusive); see order_labels.order_by."""
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def principal_of_three(
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
    off_first: cython.double[MOST_OF_THREE]
    off_second: cython.double[MOST_OF_THREE]
    off_third: cython.double[MOST_OF_THREE]
    weight_of: cython.double[MOST_OF_THREE]
    if not cython.compiled:
        off_first, off_second, off_third, weight_of = ([0.0] * MOST_OF_THREE for _ in range(4))
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
def _component_of_three(
    n: cython.Py_ssize_t, outcomes: cython.double[:, ::1], score: cython.double[::1]
) -> cython.bint:
    """Fill `score` with the scores of principal_of_three, less a number, up to _NEAR; return False if it may not agree.

    Class shares add up to 1, so their differences from the mean lie in a plane, where the component has a closed form.
    Power iteration gets there, up to its rounding, if the other component is clearly smaller; the largest number of the
    direction gives its sign, and must be clear, too.
    """
    i: cython.Py_ssize_t
    weight: cython.double
    mean_across: cython.double = 0.0
    mean_along: cython.double = 0.0
    total: cython.double = 0.0
    across: cython.double
    along: cython.double
    # The weighted squares and products of the places of the labels in the plane.
    of_across: cython.double = 0.0
    of_along: cython.double = 0.0
    of_both: cython.double = 0.0
    half: cython.double
    root: cython.double
    middle: cython.double
    to_first: cython.double
    to_second: cython.double
    to_third: cython.double
    most: cython.double
    for i in range(n):
        total += outcomes[i, 0] + outcomes[i, 1] + outcomes[i, 2]
        mean_across += outcomes[i, 0] - outcomes[i, 1]
        mean_along += outcomes[i, 0] + outcomes[i, 1] - 2.0 * outcomes[i, 2]
    mean_across /= total
    mean_along /= total
    for i in range(n):
        weight = outcomes[i, 0] + outcomes[i, 1] + outcomes[i, 2]
        across = (outcomes[i, 0] - outcomes[i, 1]) / weight - mean_across
        along = (outcomes[i, 0] + outcomes[i, 1] - 2.0 * outcomes[i, 2]) / weight - mean_along
        of_across += weight * across * across
        of_along += weight * along * along
        of_both += weight * across * along
    of_across /= 2.0
    of_along /= 6.0
    of_both /= _ROOT_TWO * _ROOT_SIX
    half = (of_across - of_along) / 2.0
    middle = (of_across + of_along) / 2.0
    root = sqrt(half * half + of_both * of_both)
    if not middle - root < _MOST_RATIO * (middle + root):
        return False
    across = half + root if half >= 0.0 else of_both
    along = of_both if half >= 0.0 else root - half
    across /= _ROOT_TWO
    along /= _ROOT_SIX
    to_first = along + across
    to_second = along - across
    to_third = -2.0 * along
    most = to_first
    if fabs(to_second) > fabs(most):
        most = to_second
    if fabs(to_third) > fabs(most):
        most = to_third
    half = (1.0 - _NEAR) * fabs(most)
    if (fabs(to_first) > half) + (fabs(to_second) > half) + (fabs(to_third) > half) != 1:
        return False
    across /= most
    along /= most
    for i in range(n):
        weight = outcomes[i, 0] + outcomes[i, 1] + outcomes[i, 2]
        score[i] = (outcomes[i, 0] - outcomes[i, 1]) / weight * across
        score[i] += (outcomes[i, 0] + outcomes[i, 1] - 2.0 * outcomes[i, 2]) / weight * along
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_clear(n: cython.Py_ssize_t, columns: Columns) -> cython.bint:
    """Return whether the scores of neighbours in the order differ clearly, except those of equal class shares."""
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    one: cython.Py_ssize_t
    other: cython.Py_ssize_t
    weight: cython.double
    of_other: cython.double
    for i in range(n - 1):
        one = columns.tables.order[i]
        other = columns.tables.order[i + 1]
        if columns.score[other] - columns.score[one] > _NEAR:
            continue
        weight = 0.0
        of_other = 0.0
        for c in range(_THREE):
            weight += columns.tables.outcomes[one, c]
            of_other += columns.tables.outcomes[other, c]
        for c in range(_THREE):
            if columns.tables.outcomes[one, c] * of_other != columns.tables.outcomes[other, c] * weight:
                return False
    return True


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
    if columns.tables.outcomes.shape[1] != _THREE or n > MOST_OF_THREE:
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
    elif columns.are_whole and _component_of_three(n, columns.tables.outcomes, columns.score):
        order_of(0, n, columns.score, columns.spare, columns.tables.order)
        if _is_clear(n, columns):
            return True
        principal_of_three(0, n, columns.tables.outcomes, columns.score)
    else:
        principal_of_three(0, n, columns.tables.outcomes, columns.score)
    order_of(0, n, columns.score, columns.spare, columns.tables.order)
    return True
