"""Orders of the labels at a node, which groupings in two cut: by any score, and by the class shares."""

import cython
from cython.cimports.libc.math import fabs

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.order_three import MOST_OF_THREE, order_of, principal_of_three

    _MOST_KEPT = 512
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
    if n == _THREE and end - begin <= MOST_OF_THREE:
        principal_of_three(begin, end, outcomes, score)
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
