"""The decrease of impurity by splits that have been made, and their split information.

The search finds the best split by running sums, whose rounding depends on the way through the data. Here both numbers
come from the outcomes of the branches alone, so they do not depend on how the tree was grown. Class weights are
multiplied by plan.class_scale.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import BY_RATIO, DEVIANCE, DEVIATION, ENTROPY, GINI
    from treecli.kernels.impurity import deviation, spread, xlog2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scaled_weight(outcomes: cython.double[:, ::1], row: cython.Py_ssize_t, plan: Plan) -> cython.double:
    """Return the weight of one row of outcomes."""
    c: cython.Py_ssize_t
    weight: cython.double = 0.0
    if plan.is_numeric:
        return outcomes[row, 0]
    for c in range(outcomes.shape[1]):
        weight += plan.class_scale[c] * outcomes[row, c]
    return weight


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _left_over(weight: cython.double, terms: cython.double, impurity: cython.int) -> cython.double:
    """Return weight times impurity; `terms` are the sum of n log2 n or of n * n over the classes, or the largest n."""
    if weight <= 0.0:
        return 0.0
    if impurity == ENTROPY:
        return xlog2(weight) - terms
    if impurity == GINI:
        return weight - terms / weight
    return weight - terms


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _with_term(terms: cython.double, count: cython.double, impurity: cython.int) -> cython.double:
    if impurity == ENTROPY:
        return terms + xlog2(count)
    if impurity == GINI:
        return terms + count * count
    return count if count > terms else terms


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def decrease_of(
    outcomes: cython.double[:, ::1], first: cython.Py_ssize_t, after: cython.Py_ssize_t, plan: Plan
) -> cython.double:
    """Return weight times impurity of all cases of some branches, minus the same of each branch.

    The branches are the rows from `first` to before `after`. Outcomes are additive: class weights, or weight, sum and
    sum of squares of a numeric target about one centre for all branches.
    """
    row: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = outcomes.shape[1]
    impurity: cython.int = plan.impurity
    weight: cython.double = 0.0
    terms: cython.double = 0.0
    added: cython.double = 0.0
    squares: cython.double = 0.0
    count: cython.double
    branches: cython.double = 0.0
    if plan.is_numeric:
        for row in range(first, after):
            if outcomes[row, 0] > 0.0:
                if plan.impurity == DEVIATION:
                    terms += spread(outcomes, row, DEVIATION, plan.least_variance)
                weight += outcomes[row, 0]
                added += outcomes[row, 1]
                squares += outcomes[row, 2]
                branches += outcomes[row, 2] - outcomes[row, 1] * outcomes[row, 1] / outcomes[row, 0]
        if plan.impurity == DEVIATION:
            squares -= added * added / weight if weight > 0.0 else 0.0
            return deviation(weight, squares, plan.least_variance) - terms
        return squares - added * added / weight - branches if weight > 0.0 else 0.0
    for row in range(first, after):
        added = 0.0
        terms = 0.0
        for c in range(n):
            count = plan.class_scale[c] * outcomes[row, c]
            added += count
            terms = _with_term(terms, count, impurity)
        weight += added
        branches += _left_over(added, terms, impurity)
    terms = 0.0
    for c in range(n):
        count = 0.0
        for row in range(first, after):
            count += outcomes[row, c]
        terms = _with_term(terms, plan.class_scale[c] * count, impurity)
    return _left_over(weight, terms, impurity) - branches


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def information_of(
    outcomes: cython.double[:, ::1],
    first: cython.Py_ssize_t,
    after: cython.Py_ssize_t,
    unknown: cython.double,
    plan: Plan,
) -> cython.double:
    """Return the split information of some branches times the node's weight; `unknown` weight is one more branch."""
    row: cython.Py_ssize_t
    in_branch: cython.double
    weight: cython.double = unknown
    info: cython.double = xlog2(unknown)
    for row in range(first, after):
        in_branch = scaled_weight(outcomes, row, plan)
        weight += in_branch
        info += xlog2(in_branch)
    return xlog2(weight) - info


def informations(
    first_child: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    unknown: cython.double[::1],
    plan: Plan,
    information: cython.double[::1],
) -> None:
    """Set the split information of the nodes with children and unknown weight, from the known cases of the children."""
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(unknown.shape[0]):
            if unknown[node] > 0.0 and first_child[node + 1] > first_child[node]:
                information[node] = information_of(
                    outcomes, first_child[node], first_child[node + 1], unknown[node], plan
                )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _left_of(outcomes: cython.double[:, ::1], node: cython.Py_ssize_t, plan: Plan) -> cython.double:
    """Return weight times variance or standard deviation of a node in the tree's format."""
    if plan.impurity == DEVIATION:
        return deviation(outcomes[node, 0], outcomes[node, DEVIANCE], plan.least_variance)
    return outcomes[node, DEVIANCE]


def of_splits(
    first_child: cython.longlong[::1],
    n_branches: cython.int[::1],
    outcomes: cython.double[:, ::1],
    plan: Plan,
    weight: cython.double[::1],
    decrease: cython.double[::1],
    information: cython.double[::1],
) -> None:
    """Fill the weight of every node and, where `decrease` is NaN, the decrease and the information of its split.

    Outcomes are in the tree's format, and node i has n_branches[i] children from first_child[i] on.
    """
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    first: cython.Py_ssize_t
    after: cython.Py_ssize_t
    left: cython.double
    with cython.nogil:
        for node in range(outcomes.shape[0]):
            weight[node] = scaled_weight(outcomes, node, plan)
            first = first_child[node]
            after = first + n_branches[node]
            if first == after or decrease[node] == decrease[node]:
                continue
            if plan.is_numeric:
                left = 0.0
                for child in range(first, after):
                    left += _left_of(outcomes, child, plan)
                decrease[node] = _left_of(outcomes, node, plan) - left
            else:
                decrease[node] = decrease_of(outcomes, first, after, plan)
            if plan.rank == BY_RATIO:
                information[node] = information_of(outcomes, first, after, 0.0, plan)
