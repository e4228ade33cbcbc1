"""The best cuts of a numeric column by a numeric target, from cases in ascending order mixed from all open nodes.

The cases of a node come in the order in which score_sums.best_cut takes them, and are added by its arithmetic, so the
cuts are bit-identical. A node keeps a few sums, whatever the number of its values.
"""

import cython
from cython.cimports.libc.math import log2

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.codes import DEVIATION, KNOWN_OR_NOT, NO_SIDE
    from treecli.kernels.impurity import deviation, xlog2

    # The rows of sums: weight, sum and sum of squares about the node's centre, for each node.
    _LEFT, _RIGHT, _MISSING, _LEFT_JOINED, _RIGHT_JOINED = range(5)
    # The columns of a node's numbers.
    _LAST, _KNOWN, _MISSING_WEIGHT, _BEFORE, _SLACK, _LEAST, _BEST_LEFT, _N_CUTS = range(8)

LEFT, RIGHT, MISSING, N_SUMS = 0, 1, 2, 5
N_NUMBERS = 8
"""Rows and columns that are read or filled elsewhere, and how many there are."""

_NAN = cython.declare(cython.double, float("nan"))
INFINITY = cython.declare(cython.double, float("inf"))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _spread(
    row: cython.Py_ssize_t, node: cython.Py_ssize_t, sums: cython.double[:, :, ::1], plan: Plan
) -> cython.double:
    """Return weight times impurity of one side of a node."""
    inner: cython.double
    if sums[row, node, 0] <= 0.0:
        return 0.0
    inner = sums[row, node, 2] - sums[row, node, 1] * sums[row, node, 1] / sums[row, node, 0]
    if plan.impurity == DEVIATION:
        return deviation(sums[row, node, 0], inner, plan.least_variance)
    return inner if inner > 0.0 else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _joined(
    side: cython.Py_ssize_t, node: cython.Py_ssize_t, sums: cython.double[:, :, ::1], plan: Plan
) -> cython.double:
    """Return the spread of one side with the missing cases added."""
    c: cython.Py_ssize_t
    joined: cython.Py_ssize_t = _LEFT_JOINED if side == _LEFT else _RIGHT_JOINED
    for c in range(3):
        sums[joined, node, c] = sums[side, node, c] + sums[_MISSING, node, c]
    return _spread(joined, node, sums, plan)


def add_missing(
    node: cython.int[::1], y: cython.double[::1], weight: cython.double[::1], sums: cython.double[:, :, ::1]
) -> None:
    """Add cases without a value to sums[MISSING], in their order; `y` as in `scan`."""
    i: cython.Py_ssize_t
    own: cython.Py_ssize_t
    with cython.nogil:
        for i in range(node.shape[0]):
            own = node[i]
            sums[_MISSING, own, 0] += weight[i]
            sums[_MISSING, own, 1] += weight[i] * y[i]
            sums[_MISSING, own, 2] += weight[i] * y[i] * y[i]


def begin(
    n_known: cython.longlong[::1],
    sums: cython.double[:, :, ::1],
    number: cython.double[:, ::1],
    found: Found,
    plan: Plan,
) -> None:
    """Prepare a scan; sums[RIGHT] and sums[MISSING] are given, by node, and n_known counts the cases with a value."""
    node: cython.Py_ssize_t
    known: cython.double
    missing: cython.double
    least: cython.double
    after: cython.double
    with cython.nogil:
        for node in range(number.shape[0]):
            known = sums[_RIGHT, node, 0]
            missing = sums[_MISSING, node, 0]
            number[node, _LAST] = _NAN
            number[node, _KNOWN] = known
            number[node, _MISSING_WEIGHT] = missing
            if plan.missing_is_value and missing > 0.0:
                number[node, _BEFORE] = _joined(_RIGHT, node, sums, plan)
            else:
                number[node, _BEFORE] = _spread(_RIGHT, node, sums, plan)
            number[node, _SLACK] = plan.tolerance * number[node, _BEFORE] / (known + missing)
            found.gain[node] = -INFINITY
            found.split_info[node] = 0.0
            found.cost[node] = 0.0
            found.missing_side[node] = NO_SIDE
            least = plan.min_leaf
            if plan.branch_share > 0.0:
                least = plan.branch_share * known / 3
                if least < plan.min_leaf + plan.tolerance:
                    least = plan.min_leaf
                elif least > plan.most_branch_share:
                    least = plan.most_branch_share
                if n_known[node] < 2.0 * least - plan.tolerance:
                    number[node, _LEAST] = INFINITY
                    continue
            least -= plan.tolerance
            number[node, _LEAST] = least
            if not plan.zero_gain:
                found.gain[node] = 0.0
            if plan.missing_is_value and missing > 0.0 and known > 0.0 and missing >= least and known >= least:
                after = _spread(_RIGHT, node, sums, plan) + _spread(_MISSING, node, sums, plan)
                found.gain[node] = (number[node, _BEFORE] - after) / (known + missing)
                found.missing_side[node] = KNOWN_OR_NOT


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _try(
    node: cython.Py_ssize_t,
    upper: cython.double,
    sums: cython.double[:, :, ::1],
    number: cython.double[:, ::1],
    found: Found,
    plan: Plan,
) -> cython.void:
    """Try the cut between a node's last value and `upper`, as score_sums.best_cut does."""
    side: cython.int
    left: cython.double = sums[_LEFT, node, 0]
    known: cython.double = number[node, _KNOWN]
    missing: cython.double = number[node, _MISSING_WEIGHT]
    least: cython.double = number[node, _LEAST]
    right: cython.double = known - left
    after: cython.double
    gained: cython.double
    if left <= 0.0 or right <= 0.0:
        return
    for side in range(NO_SIDE, 2):
        if plan.missing_is_value and missing > 0.0:
            if side == NO_SIDE:
                continue
            if side == 0:
                if left + missing < least or right < least:
                    continue
                after = _joined(_LEFT, node, sums, plan) + _spread(_RIGHT, node, sums, plan)
            else:
                if left < least or right + missing < least:
                    continue
                after = _spread(_LEFT, node, sums, plan) + _joined(_RIGHT, node, sums, plan)
        else:
            if side != NO_SIDE or left < least or right < least:
                return
            after = _spread(_LEFT, node, sums, plan) + _spread(_RIGHT, node, sums, plan)
        number[node, _N_CUTS] += 1.0
        gained = (number[node, _BEFORE] - after) / (known + missing)
        if gained > found.gain[node] + number[node, _SLACK]:
            found.gain[node] = gained
            found.missing_side[node] = side
            found.lower[node] = number[node, _LAST]
            found.upper[node] = upper
            number[node, _BEST_LEFT] = left


def scan(
    node: cython.int[::1],
    value: cython.double[::1],
    y: cython.double[::1],
    weight: cython.double[::1],
    sums: cython.double[:, :, ::1],
    number: cython.double[:, ::1],
    found: Found,
    plan: Plan,
) -> None:
    """Go on with cases of equal or greater values, in ascending order; equal values are in the order of the rows.

    `y` are the differences of the target from the centres of the nodes.
    """
    i: cython.Py_ssize_t
    own: cython.Py_ssize_t
    w: cython.double
    gap: cython.double = plan.value_gap
    with cython.nogil:
        for i in range(node.shape[0]):
            own = node[i]
            if number[own, _LAST] + gap < value[i]:  # not for the first, NaN
                _try(own, value[i], sums, number, found, plan)
            w = weight[i]
            sums[_LEFT, own, 0] += w
            sums[_LEFT, own, 1] += w * y[i]
            sums[_LEFT, own, 2] += w * y[i] * y[i]
            sums[_RIGHT, own, 0] -= w
            sums[_RIGHT, own, 1] -= w * y[i]
            sums[_RIGHT, own, 2] -= w * y[i] * y[i]
            number[own, _LAST] = value[i]


def end(number: cython.double[:, ::1], found: Found, plan: Plan) -> None:
    """Complete the cuts after all cases; gain is -inf where there is none."""
    node: cython.Py_ssize_t
    known: cython.double
    missing: cython.double
    weight: cython.double
    left: cython.double
    with cython.nogil:
        for node in range(number.shape[0]):
            if number[node, _LEAST] == INFINITY:
                continue
            known = number[node, _KNOWN]
            missing = number[node, _MISSING_WEIGHT]
            weight = known + missing
            left = number[node, _BEST_LEFT]
            if found.missing_side[node] == NO_SIDE and left == 0.0:
                found.gain[node] = -INFINITY  # no cut was taken
            elif plan.cut_cost and found.missing_side[node] != KNOWN_OR_NOT:
                found.cost[node] = log2(number[node, _N_CUTS])
                found.gain[node] -= found.cost[node] / weight
            if not plan.zero_gain and found.gain[node] < plan.tolerance:
                found.gain[node] = -INFINITY
            if found.gain[node] == -INFINITY:
                continue
            if found.missing_side[node] == KNOWN_OR_NOT:
                found.split_info[node] = (xlog2(weight) - xlog2(known) - xlog2(missing)) / weight
            elif found.missing_side[node] == NO_SIDE:
                found.split_info[node] = xlog2(weight) - xlog2(left) - xlog2(known - left) - xlog2(missing)
                found.split_info[node] /= weight
            else:
                left += missing if found.missing_side[node] == 0 else 0.0
                found.split_info[node] = (xlog2(weight) - xlog2(left) - xlog2(weight - left)) / weight
