"""The best split of one node: the cut of each attribute, and the attribute that is chosen."""

import cython
from cython.cimports.libc.math import ceil

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.scan_classes import scan_classes
    from treecli.kernels.scan_numbers import scan_numbers

INFINITY = cython.declare(cython.double, float("inf"))
_GAIN = cython.declare(cython.Py_ssize_t, 0)
_INFORMATION = cython.declare(cython.Py_ssize_t, 1)
_WORTH = cython.declare(cython.Py_ssize_t, 2)
_LEAST_INFORMATION = cython.declare(cython.double, 1e-9)
_AVERAGE_SLACK = cython.declare(cython.double, 1e-3)

CONSTANT = -2
"""In the place of a cut: all values of the node are equal, and so they are below it."""

FOUND_ROWS = 3
"""Gain and split information of an attribute's best cut, and what ranks it."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def least_side(
    n: cython.longlong,
    n_classes: cython.Py_ssize_t,
    min_side: cython.longlong,
    min_leaf: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    tolerance: cython.double,
) -> cython.longlong:
    """How many cases each side of a cut must have; as many as there are where no cut can do."""
    least: cython.double
    if branch_share <= 0.0:
        return min_side if min_side < n else n
    least = branch_share * n / n_classes
    if least < min_leaf + tolerance:
        least = min_leaf
    elif least > most_branch_share:
        least = most_branch_share
    if n < 2.0 * least - tolerance:
        return n
    min_side = cython.cast(cython.longlong, ceil(least - tolerance))
    return min_side if min_side > 1 else 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_lists(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    row_shift: cython.int,
    live: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    is_numeric: cython.bint,
    target_of_row: cython.double[::1],
    sums: cython.double[:, ::1],
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    xlog2_of: cython.double[::1],
    impurity: cython.int,
    by_remainders: cython.bint,
    min_side: cython.longlong,
    tolerance: cython.double,
    zero_gain: cython.bint,
    cut_cost: cython.bint,
    stops: cython.bint,
    value_gap: cython.double,
    is_single: cython.bint,
    close: cython.int[::1],
    values: cython.double[:, ::1],
    scratch: cython.longlong[:, ::1],
    found: cython.double[:, ::1],
    cut: cython.longlong[::1],
) -> cython.void:
    if is_numeric:
        scan_numbers(
            entry,
            source,
            stride,
            row_shift,
            live,
            first,
            last,
            lo,
            hi,
            target_of_row,
            sums,
            node,
            by_remainders,
            min_side,
            tolerance,
            zero_gain,
            value_gap,
            is_single,
            close,
            values,
            found,
            cut,
        )
    else:
        scan_classes(
            entry,
            source,
            stride,
            row_shift,
            live,
            first,
            last,
            lo,
            hi,
            outcomes,
            node,
            xlog2_of,
            impurity,
            by_remainders,
            min_side,
            tolerance,
            zero_gain,
            cut_cost,
            stops,
            value_gap,
            is_single,
            close,
            values,
            scratch,
            found,
            cut,
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_attribute(
    is_ratio: cython.bint,
    by_remainders: cython.bint,
    zero_gain: cython.bint,
    min_gain: cython.double,
    share: cython.double,
    tolerance: cython.double,
    slack: cython.double,
    found: cython.double[:, ::1],
    cut: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """The attribute of most merit, the first of equals, or -1; as Growth and the criteria rank them."""
    a: cython.Py_ssize_t
    average: cython.double = 0.0
    n_usable: cython.Py_ssize_t = 0
    worth: cython.double
    most: cython.double = -INFINITY
    best: cython.Py_ssize_t = -1
    if is_ratio:
        for a in range(cut.shape[0]):
            if cut[a] >= 0 and not found[_GAIN, a] * share < min_gain and found[_INFORMATION, a] > _LEAST_INFORMATION:
                average += found[_GAIN, a]
                n_usable += 1
        if n_usable > 0:
            average /= n_usable
    for a in range(cut.shape[0]):
        if cut[a] < 0 or found[_GAIN, a] * share < min_gain:
            continue
        worth = found[_GAIN, a]
        if is_ratio:
            if found[_INFORMATION, a] <= _LEAST_INFORMATION or worth < average - _AVERAGE_SLACK:
                continue
            worth /= found[_INFORMATION, a]
        if not zero_gain and worth <= tolerance:
            continue
        if by_remainders:
            worth = found[_WORTH, a]
        if worth > most + slack:
            most = worth
            best = a
    return best


def scan(
    entry: cython.uint[::1],
    source: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    row_shift: cython.int,
    live: cython.int[::1],
    place: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    is_numeric: cython.bint,
    target_of_row: cython.double[::1],
    sums: cython.double[:, ::1],
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    xlog2_of: cython.double[::1],
    impurity: cython.int,
    by_remainders: cython.bint,
    min_side: cython.longlong,
    min_leaf: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    tolerance: cython.double,
    zero_gain: cython.bint,
    cut_cost: cython.bint,
    value_gap: cython.double,
    is_single: cython.bint,
    close: cython.int[::1],
    values: cython.double[:, ::1],
    scratch: cython.longlong[:, ::1],
    found: cython.double[:, ::1],
    cut: cython.longlong[::1],
) -> None:
    """Sets what is found of one live attribute, and its cut, among the cases from lo to hi."""
    with cython.nogil:
        min_side = least_side(
            hi - lo, outcomes.shape[1], min_side, min_leaf, branch_share, most_branch_share, tolerance
        )
        scan_lists(
            entry,
            source,
            stride,
            row_shift,
            live,
            place,
            place + 1,
            lo,
            hi,
            is_numeric,
            target_of_row,
            sums,
            outcomes,
            node,
            xlog2_of,
            impurity,
            by_remainders,
            min_side,
            tolerance,
            zero_gain,
            cut_cost,
            False,
            value_gap,
            is_single,
            close,
            values,
            scratch,
            found,
            cut,
        )


def choose(
    is_ratio: cython.bint,
    by_remainders: cython.bint,
    zero_gain: cython.bint,
    min_gain: cython.double,
    share: cython.double,
    tolerance: cython.double,
    slack: cython.double,
    found: cython.double[:, ::1],
    cut: cython.longlong[::1],
) -> int:
    """The attribute of most merit, the first of equals, or -1."""
    return best_attribute(is_ratio, by_remainders, zero_gain, min_gain, share, tolerance, slack, found, cut)
