"""Medians of groups of cases, and the absolute errors about them."""

import cython
from cython.cimports.libc.math import fabs

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Cases, Order
    from treecli.kernels.codes import SPREAD

_ROUNDING = cython.declare(cython.double, 1e-12)

NO_GROUP = -2
"""The group of a case that belongs to none; SPREAD: it belongs to all groups of its node."""


@cython.cclass
class Groups:
    """Groups of the cases of each node: node i has the groups from start[i] to start[i + 1]."""

    start: cython.longlong[::1]
    of_case: cython.int[::1]
    """The group of each case, counted from the first of its node; SPREAD or NO_GROUP."""
    share: cython.double[::1]
    """The share of each group in the weight of cases that belong to all groups of a node."""
    weight: cython.double[::1]
    """The weight of each group."""
    case: cython.int[::1]
    """The cases group by group."""
    end: cython.longlong[::1]
    """Where each group ends in `case`; the first begins at 0."""
    median: cython.double[::1]
    deviation: cython.double[::1]
    """The absolute error of each group about its median, or that of the rest of its node."""
    passed: cython.double[::1]
    """Scratch with a place for each group."""


def group_medians(cases: Cases, by_target: Order, groups: Groups) -> None:
    """Fill groups.median, and groups.deviation with the absolute error about it; 0 for an empty group.

    Where just half of the weight lies below, the median is halfway between the two cases in the middle.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.int
    own: cython.int
    group: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    first_group: cython.Py_ssize_t
    after_group: cython.Py_ssize_t
    pass_: cython.int
    w: cython.double
    start: cython.longlong[::1] = cases.start
    group_start: cython.longlong[::1] = groups.start
    share: cython.double[::1] = groups.share
    case: cython.int[::1] = by_target.case
    target: cython.double[::1] = by_target.value
    of_case: cython.int[::1] = groups.of_case
    weight_of_case: cython.double[::1] = cases.weight
    weight: cython.double[::1] = groups.weight
    passed: cython.double[::1] = groups.passed
    median: cython.double[::1] = groups.median
    deviation: cython.double[::1] = groups.deviation
    with cython.nogil:
        for group in range(weight.shape[0]):
            passed[group] = 0.0
            median[group] = 0.0
            deviation[group] = 0.0
        for node in range(start.shape[0] - 1):
            first_group = group_start[node]
            after_group = group_start[node + 1]
            # First the medians, then the differences from them.
            for pass_ in range(2):
                for i in range(start[node], start[node + 1]):
                    k = case[i]
                    own = of_case[k]
                    if own < SPREAD:
                        continue
                    begin = first_group + own
                    end = begin + 1
                    if own == SPREAD:
                        begin = first_group
                        end = after_group
                    for group in range(begin, end):
                        w = weight_of_case[k]
                        if own == SPREAD:
                            w *= share[group]
                        if w <= 0.0:
                            continue
                        if pass_ == 1:
                            deviation[group] += w * fabs(target[i] - median[group])
                        elif passed[group] < (0.5 - _ROUNDING) * weight[group]:
                            passed[group] += w
                            median[group] = target[i]
                        elif passed[group] <= (0.5 + _ROUNDING) * weight[group]:
                            median[group] = (median[group] + target[i]) / 2.0
                            passed[group] = weight[group]
