"""The medians of groups of cases, for every open node at once: its cases stand in the order of their target."""

import cython
from cython.cimports.libc.math import fabs

_ALL_GROUPS = cython.declare(cython.int, -1)
_ROUNDING = cython.declare(cython.double, 1e-12)


def group_medians(
    start: cython.longlong[::1],
    group_start: cython.longlong[::1],
    group_of_case: cython.int[::1],
    share: cython.double[::1],
    case_by_rank: cython.int[::1],
    target_by_rank: cython.double[::1],
    weight_of_case: cython.double[::1],
    weight: cython.double[::1],
    passed: cython.double[::1],
    median: cython.double[::1],
    deviation: cython.double[::1],
) -> None:
    """Fills the last two arrays with the median of every group of cases and its absolute error; 0 for an empty group.

    The groups of node i are group_start[i] and on; group_of_case counts from there. A case of the group -1 belongs to
    all of them, each with its share of the case's weight; one below that to none. `weight` is that of each group. Where
    just half of it lies below, the median is halfway between the two cases in the middle. `passed` is scratch.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    group: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    pass_: cython.int
    w: cython.double
    is_spread: cython.bint
    with cython.nogil:
        for group in range(weight.shape[0]):
            passed[group] = 0.0
            median[group] = 0.0
            deviation[group] = 0.0
        for node in range(start.shape[0] - 1):
            # First the medians, then the differences from them.
            for pass_ in range(2):
                for i in range(start[node], start[node + 1]):
                    if group_of_case[case_by_rank[i]] < _ALL_GROUPS:
                        continue
                    is_spread = group_of_case[case_by_rank[i]] == _ALL_GROUPS
                    begin = group_start[node]
                    end = group_start[node + 1]
                    if not is_spread:
                        begin += group_of_case[case_by_rank[i]]
                        end = begin + 1
                    for group in range(begin, end):
                        w = weight_of_case[case_by_rank[i]]
                        if is_spread:
                            w *= share[group]
                        if w <= 0.0:
                            continue
                        if pass_ == 1:
                            deviation[group] += w * fabs(target_by_rank[i] - median[group])
                        elif passed[group] < (0.5 - _ROUNDING) * weight[group]:
                            passed[group] += w
                            median[group] = target_by_rank[i]
                        elif passed[group] <= (0.5 + _ROUNDING) * weight[group]:
                            median[group] = (median[group] + target_by_rank[i]) / 2.0
                            passed[group] = weight[group]
