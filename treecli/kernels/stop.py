"""Stopping rules: decide whether a node may be split."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import DEVIANCE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def may_split(
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    weight: cython.double,
    size: cython.double,
    plan: Plan,
) -> cython.bint:
    """Return whether a node is neither too small nor pure.

    Its outcomes are in the tree's format; `size` is its weight, or its number of cases if rows are counted.
    """
    c: cython.Py_ssize_t
    most: cython.double = 0.0
    if not size >= plan.least_split or not weight > 0.0:
        return False
    if plan.is_numeric:
        return outcomes[node, DEVIANCE] > plan.pure_deviance * weight
    for c in range(outcomes.shape[1]):
        if outcomes[node, c] > most:
            most = outcomes[node, c]
    return most < weight - plan.tolerance * (weight if weight < 1.0 else 1.0)


def are_open(
    outcomes: cython.double[:, ::1],
    weight: cython.double[::1],
    size: cython.double[::1],
    plan: Plan,
    is_open: cython.uchar[::1],
) -> None:
    """Fill `is_open` with whether each node may be split."""
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(outcomes.shape[0]):
            is_open[node] = may_split(outcomes, node, weight[node], size[node], plan)
