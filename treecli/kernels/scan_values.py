"""The best cuts of a numeric column whose cases come in ascending order, range by range, mixed from all open nodes.

The cuts are tried in the order and by the rules of score_sums.best_cut, which then scores the cut that is found: a node
keeps the sums on the left of its last two improvements, whatever the number of its values.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import ENTROPY, GINI, NO_SIDE
    from treecli.kernels.impurity import spread, total, xlog2

# The columns of a node's numbers.
_LAST = cython.declare(cython.Py_ssize_t, 0)
_LEFT_WEIGHT = cython.declare(cython.Py_ssize_t, 1)
_GAIN = cython.declare(cython.Py_ssize_t, 2)
_LOWER = cython.declare(cython.Py_ssize_t, 3)
_UPPER = cython.declare(cython.Py_ssize_t, 4)
_LOWER_BEFORE = cython.declare(cython.Py_ssize_t, 5)
_UPPER_BEFORE = cython.declare(cython.Py_ssize_t, 6)
_LEFT_TERMS = cython.declare(cython.Py_ssize_t, 7)
_RIGHT_TERMS = cython.declare(cython.Py_ssize_t, 8)
_SPREAD = cython.declare(cython.Py_ssize_t, 9)
_KNOWN_WEIGHT = cython.declare(cython.Py_ssize_t, 10)
_MISSING_WEIGHT = cython.declare(cython.Py_ssize_t, 11)
_LEAST = cython.declare(cython.Py_ssize_t, 12)
_FIRST = cython.declare(cython.Py_ssize_t, 13)

LAST, LOWER, UPPER, LOWER_BEFORE, UPPER_BEFORE, FIRST, N_NUMBERS = 0, 3, 4, 5, 6, 13, 14
"""Columns of the numbers that are read afterwards, and how many columns there are."""

# The rows of sums with one row of each for a node.
_LEFT = cython.declare(cython.Py_ssize_t, 0)
_KNOWN = cython.declare(cython.Py_ssize_t, 1)
_MISSING = cython.declare(cython.Py_ssize_t, 2)
_WON = cython.declare(cython.Py_ssize_t, 3)
_WON_BEFORE = cython.declare(cython.Py_ssize_t, 4)
_RIGHT = cython.declare(cython.Py_ssize_t, 5)
_JOINED = cython.declare(cython.Py_ssize_t, 6)

LEFT, KNOWN, MISSING, WON, WON_BEFORE, N_SUMS = 0, 1, 2, 3, 4, 7

_FEW = cython.declare(cython.Py_ssize_t, 8)
_NAN = cython.declare(cython.double, float("nan"))
INFINITY = cython.declare(cython.double, float("inf"))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _term(count: cython.double, impurity: cython.int) -> cython.double:
    return xlog2(count) if impurity == ENTROPY else count * count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _from_terms(weight: cython.double, terms: cython.double, impurity: cython.int) -> cython.double:
    return xlog2(weight) - terms if impurity == ENTROPY else weight - terms / weight


def begin(sums: cython.double[:, :, ::1], number: cython.double[:, ::1], plan: Plan) -> None:
    """Prepare a scan; sums[KNOWN] and sums[MISSING] are given, by node and class, and all others are 0."""
    node: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = sums.shape[2]
    known: cython.double
    missing: cython.double
    least: cython.double
    with cython.nogil:
        for node in range(number.shape[0]):
            number[node, _LAST] = _NAN
            number[node, _LOWER] = _NAN
            number[node, _LOWER_BEFORE] = _NAN
            known = total(sums[_KNOWN], node, False)
            missing = total(sums[_MISSING], node, False)
            number[node, _KNOWN_WEIGHT] = known
            number[node, _MISSING_WEIGHT] = missing
            for c in range(n):
                sums[_JOINED, node, c] = sums[_KNOWN, node, c]
                number[node, _RIGHT_TERMS] += _term(sums[_KNOWN, node, c], plan.impurity)
                if plan.missing_is_value:
                    sums[_JOINED, node, c] += sums[_MISSING, node, c]
            number[node, _SPREAD] = spread(sums[_JOINED], node, plan.impurity, plan.least_variance)
            least = plan.min_leaf
            if plan.branch_share > 0.0:
                least = plan.branch_share * known / n
                if least < plan.min_leaf + plan.tolerance:
                    least = plan.min_leaf
                elif least > plan.most_branch_share:
                    least = plan.most_branch_share
                if known < 2.0 * least - plan.tolerance:
                    least = INFINITY
            least -= plan.tolerance
            number[node, _LEAST] = least
            number[node, _GAIN] = -INFINITY if plan.zero_gain else 0.0
            if plan.missing_is_value and missing > 0.0 and known > 0.0 and missing >= least and known >= least:
                number[node, _GAIN] = number[node, _SPREAD] - spread(
                    sums[_KNOWN], node, plan.impurity, plan.least_variance
                )
                number[node, _GAIN] -= spread(sums[_MISSING], node, plan.impurity, plan.least_variance)
                number[node, _GAIN] /= known + missing


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _try(
    node: cython.Py_ssize_t,
    upper: cython.double,
    sums: cython.double[:, :, ::1],
    number: cython.double[:, ::1],
    is_stepwise: cython.bint,
    plan: Plan,
) -> cython.void:
    """Try the cut between a node's last value and `upper`, as score_sums.best_cut does."""
    side: cython.int
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = sums.shape[2]
    left: cython.double = number[node, _LEFT_WEIGHT]
    known: cython.double = number[node, _KNOWN_WEIGHT]
    missing: cython.double = number[node, _MISSING_WEIGHT]
    least: cython.double = number[node, _LEAST]
    right: cython.double = known - left
    after: cython.double
    gained: cython.double
    if left <= 0.0 or right <= 0.0:
        return
    if not is_stepwise or (plan.missing_is_value and missing > 0.0):
        for c in range(n):
            sums[_RIGHT, node, c] = sums[_KNOWN, node, c] - sums[_LEFT, node, c]
    for side in range(NO_SIDE, 2):
        if plan.missing_is_value and missing > 0.0:
            if side == NO_SIDE:
                continue
            if side == 0:
                if left + missing < least or right < least:
                    continue
                for c in range(n):
                    sums[_JOINED, node, c] = sums[_LEFT, node, c] + sums[_MISSING, node, c]
                after = spread(sums[_RIGHT], node, plan.impurity, plan.least_variance)
            else:
                if left < least or right + missing < least:
                    continue
                for c in range(n):
                    sums[_JOINED, node, c] = sums[_RIGHT, node, c] + sums[_MISSING, node, c]
                after = spread(sums[_LEFT], node, plan.impurity, plan.least_variance)
            after += spread(sums[_JOINED], node, plan.impurity, plan.least_variance)
            gained = (number[node, _SPREAD] - after) / (known + missing)
        else:
            if side != NO_SIDE or left < least or right < least:
                return
            if is_stepwise:
                after = _from_terms(left, number[node, _LEFT_TERMS], plan.impurity)
                after += _from_terms(right, number[node, _RIGHT_TERMS], plan.impurity)
            else:
                after = spread(sums[_LEFT], node, plan.impurity, plan.least_variance) + spread(
                    sums[_RIGHT], node, plan.impurity, plan.least_variance
                )
            gained = (number[node, _SPREAD] - after) / (known + missing)
        if gained * known < plan.tolerance and gained * known > -plan.tolerance:
            gained = 0.0
        if gained > number[node, _GAIN] + plan.tolerance:
            number[node, _GAIN] = gained
            if number[node, _LOWER] != number[node, _LAST]:
                number[node, _LOWER_BEFORE] = number[node, _LOWER]
                number[node, _UPPER_BEFORE] = number[node, _UPPER]
                number[node, _LOWER] = number[node, _LAST]
                number[node, _UPPER] = upper
                for c in range(n):
                    sums[_WON_BEFORE, node, c] = sums[_WON, node, c]
                    sums[_WON, node, c] = sums[_LEFT, node, c]


def scan(
    node: cython.int[::1],
    value: cython.double[::1],
    label: cython.ushort[::1],
    weight: cython.double[::1],
    sums: cython.double[:, :, ::1],
    number: cython.double[:, ::1],
    plan: Plan,
) -> None:
    """Go on with cases of greater values, in ascending order; values of a node that differ up to the gap are not cut.

    Afterwards number[:, LOWER] and number[:, UPPER] are the values beside the best cut so far (NaN: none), and
    sums[WON] the classes on its left; LOWER_BEFORE, UPPER_BEFORE and WON_BEFORE are those of the cut that it replaced.
    """
    i: cython.Py_ssize_t
    own: cython.Py_ssize_t
    c: cython.Py_ssize_t
    impurity: cython.int = plan.impurity
    gap: cython.double = plan.value_gap
    is_stepwise: cython.bint = sums.shape[2] > _FEW and (impurity == ENTROPY or impurity == GINI)
    with cython.nogil:
        for i in range(node.shape[0]):
            own = node[i]
            if number[own, _LAST] != number[own, _LAST]:
                number[own, _FIRST] = value[i]
            elif number[own, _LAST] + gap < value[i]:
                _try(own, value[i], sums, number, is_stepwise, plan)
            c = label[i]
            if is_stepwise:
                number[own, _LEFT_TERMS] -= _term(sums[_LEFT, own, c], impurity)
                number[own, _RIGHT_TERMS] -= _term(sums[_KNOWN, own, c] - sums[_LEFT, own, c], impurity)
            sums[_LEFT, own, c] += weight[i]
            number[own, _LEFT_WEIGHT] += weight[i]
            if is_stepwise:
                number[own, _LEFT_TERMS] += _term(sums[_LEFT, own, c], impurity)
                number[own, _RIGHT_TERMS] += _term(sums[_KNOWN, own, c] - sums[_LEFT, own, c], impurity)
            number[own, _LAST] = value[i]
