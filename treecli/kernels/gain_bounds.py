"""Upper bounds of the gain of a node, by which attributes that cannot be chosen are not scored."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Found, Plan
    from treecli.kernels.codes import BY_GAIN
    from treecli.kernels.impurity import spread
    from treecli.kernels.mixed_args import Columns, Subtrees

INFINITY = cython.declare(cython.double, float("inf"))
_SMALL_WEIGHT = cython.declare(cython.double, 128.0)
_MOST_TOLERANCE = cython.declare(cython.double, 1e-8)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def cannot_win(n: cython.Py_ssize_t, at: At, columns: Columns, found: Found, margin: cython.double) -> cython.bint:
    """Return whether an attribute scored before gains more, by the margin, than any grouping of n labels can.

    The gain of a branch for each label is an upper bound of the gain of their groupings, by the Gini index.
    """
    n_classes: cython.Py_ssize_t = columns.tables.outcomes.shape[1]
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    own: cython.double
    weight: cython.double
    squares: cython.double
    bound: cython.double = 0.0
    most: cython.double = found.gain[0]
    for i in range(1, at.place):
        if found.gain[i] > most:
            most = found.gain[i]
    most = (most - margin) * at.weight
    for i in range(n):
        weight = 0.0
        squares = 0.0
        for c in range(n_classes):
            own = columns.tables.outcomes[i, c]
            weight += own
            squares += own * own
        bound += squares / weight
    own = 0.0
    weight = 0.0
    squares = 0.0
    for c in range(n_classes):
        own = 0.0
        for i in range(n):
            own += columns.tables.outcomes[i, c]
        weight += own
        squares += own * own
    return bound - squares / weight < most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pure_gain(node: cython.Py_ssize_t, weight: cython.double, nodes: Subtrees, plan: Plan) -> cython.double:
    """Return the gain, less the tolerance, of a split of a small node into pure branches; infinity if it is unknown.

    No other split gains as much, so later attributes need not be scored. In larger nodes such splits are rare, and
    others may gain as much up to the tolerance.
    """
    if plan.rank != BY_GAIN or plan.is_numeric or weight > _SMALL_WEIGHT or not 0.0 < plan.tolerance < _MOST_TOLERANCE:
        return INFINITY
    return spread(nodes.outcomes, node, plan.impurity, plan.least_variance) / weight - 0.5 * plan.tolerance
