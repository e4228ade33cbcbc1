"""One side of a threshold: its cases, and the best split that the limits allow it."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.ahead_args import Ahead
    from treecli.kernels.args import Cases, Plan
    from treecli.kernels.best_mixed import score_labels
    from treecli.kernels.codes import DEVIANCE
    from treecli.kernels.impurity import spread, total
    from treecli.kernels.score_sums import best_cut
    from treecli.kernels.stop import may_split

    RIGHT = 1
    # The entry of Ahead.progress, and the row of Ahead.sums.
    STEPS = 0
    ALL = 2

INFINITY = cython.declare(cython.double, float("inf"))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_first_left(ahead: Ahead, cases: Cases, node: cython.Py_ssize_t) -> cython.void:
    """Set the first threshold that each case of a node is not above, and what is not above each threshold."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t = ahead.start[node]
    a: cython.Py_ssize_t = ahead.attribute
    mass: cython.double = 0.0
    for i in range(cases.start[node], cases.start[node + 1]):
        while j < ahead.start[node + 1] and not ahead.blocks.value[a, i] <= ahead.number[j]:
            ahead.n_left[j] = cython.cast(cython.int, i - cases.start[node])
            ahead.mass[j] = mass
            j += 1
        ahead.first_left[ahead.blocks.case[a, i]] = cython.cast(cython.int, j)
        mass += ahead.mass_of_case[ahead.blocks.case[a, i]]
    while j < ahead.start[node + 1]:
        ahead.n_left[j] = cython.cast(cython.int, cases.start[node + 1] - cases.start[node])
        ahead.mass[j] = mass
        j += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def take_side(ahead: Ahead, cases: Cases, plan: Plan) -> cython.void:
    """Copy the cases of the side that is looked at, and sum them."""
    node: cython.Py_ssize_t = ahead.node
    threshold: cython.Py_ssize_t = ahead.threshold
    is_right: cython.bint = ahead.branch == RIGHT
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    y: cython.double
    for c in range(ahead.sums.shape[1]):
        ahead.sums[ALL, c] = 0.0
    for k in range(cases.start[node], cases.start[node + 1]):
        if (ahead.first_left[k] <= threshold) == is_right:
            ahead.place[k] = -1
            continue
        ahead.place[k] = cython.cast(cython.int, n)
        ahead.side.row[n] = cases.row[k]
        ahead.side.weight[n] = cases.weight[k]
        ahead.side.target[n] = cases.target[k]
        ahead.side.label[n] = cases.label[k]
        if plan.is_numeric:
            y = cases.target[k] - cases.center[node]
            ahead.sums[ALL, 0] += cases.weight[k]
            ahead.sums[ALL, 1] += cases.weight[k] * y
            ahead.sums[ALL, 2] += cases.weight[k] * y * y
        else:
            ahead.sums[ALL, cases.label[k]] += cases.weight[k]
        n += 1
    ahead.n_side = n
    ahead.is_taken = True
    for c in range(ahead.sums.shape[1]):
        ahead.side.totals[0, c] = ahead.sums[ALL, c]
    ahead.side.center[0] = cases.center[node]
    ahead.weight = total(ahead.side.totals, 0, plan.is_numeric)
    ahead.spread = spread(ahead.side.totals, 0, plan.impurity, plan.least_variance)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_open(ahead: Ahead, plan: Plan) -> cython.bint:
    """Return whether the side whose outcomes are row ALL of ahead.sums may be split."""
    c: cython.Py_ssize_t
    for c in range(ahead.sums.shape[1]):
        ahead.outcomes[0, c] = ahead.sums[ALL, c]
    if plan.is_numeric:
        ahead.outcomes[0, DEVIANCE] = ahead.sums[ALL, 2] - ahead.sums[ALL, 1] * ahead.sums[ALL, 1] / ahead.sums[ALL, 0]
    return may_split(ahead.outcomes, 0, ahead.weight, ahead.weight, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gain_after(ahead: Ahead, left: cython.double, plan: Plan) -> cython.double:
    """Return the weight times the gain of a further split that leaves `left` of the side in row ALL of ahead.sums."""
    return ahead.spread - left if is_open(ahead, plan) and ahead.spread > left else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_worth(
    ahead: Ahead, gained: cython.double, weight: cython.double, left: cython.Py_ssize_t, right: cython.Py_ssize_t
) -> cython.void:
    """Set the worth of ahead.threshold, whose further splits gain so much times the weight.

    If it is the largest so far, raise the floor to it, and keep the bounds of both sides, which are two rows of
    ahead.bound.
    """
    node: cython.Py_ssize_t = ahead.node
    a: cython.Py_ssize_t
    worth: cython.double = ahead.own[ahead.threshold] + gained / weight
    ahead.worth[ahead.threshold] = worth
    if worth > ahead.floor[node]:
        ahead.floor[node] = worth
        ahead.kept_at[node] = ahead.threshold
        for a in range(ahead.is_done.shape[0]):
            ahead.kept_bound[2 * node, a] = ahead.bound[left, a]
            ahead.kept_bound[2 * node + 1, a] = ahead.bound[right, a]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lowest(ahead: Ahead, row: cython.Py_ssize_t) -> cython.double:
    """Return the least bound of a row."""
    a: cython.Py_ssize_t
    least: cython.double = INFINITY
    for a in range(ahead.is_done.shape[0]):
        if ahead.bound[row, a] < least:
            least = ahead.bound[row, a]
    return 0.0 if least == INFINITY else least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_best(ahead: Ahead, cases: Cases, attribute: cython.Py_ssize_t, plan: Plan) -> cython.double:
    """Set entry `attribute` of `found` to the best allowed split of the side that was taken; return what it leaves."""
    node: cython.Py_ssize_t = ahead.node
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    place: cython.int
    ahead.at.node = 0
    ahead.at.first = 0
    ahead.at.after = ahead.n_side
    ahead.at.weight = ahead.weight
    if ahead.columns.n_labels[attribute] >= 0:
        score_labels(attribute, ahead.at, ahead.side, ahead.columns, plan, ahead.found, ahead.scratch)
    else:
        for i in range(cases.start[node], cases.start[node + 1]):
            # Without a branch: which side a case takes cannot be predicted.
            place = ahead.place[ahead.blocks.case[attribute, i]]
            ahead.part.case[n] = place
            ahead.part.value[n] = ahead.blocks.value[attribute, i]
            n += place >= 0
        ahead.at.place = attribute
        ahead.at.begin = 0
        ahead.at.end = n
        ahead.at.last = n
        best_cut(ahead.at, ahead.side, ahead.part, plan, ahead.found, ahead.scratch)
    ahead.progress[STEPS] += 2 * (cases.start[node + 1] - cases.start[node])
    if ahead.found.gain[attribute] == -INFINITY:
        return ahead.spread
    return ahead.spread - ahead.found.gain[attribute] * ahead.weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def next_attribute(ahead: Ahead, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the attribute with the least bound in a row among those that are not done; -1 if all are."""
    a: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    for a in range(ahead.is_done.shape[0]):
        if not ahead.is_done[a] and (best < 0 or ahead.bound[row, a] < ahead.bound[row, best]):
            best = a
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gain_of_side(ahead: Ahead, cases: Cases, row: cython.Py_ssize_t, plan: Plan) -> cython.double:
    """Return the weight times the gain of the best allowed split of a side, in the order of the bounds in a row."""
    a: cython.Py_ssize_t
    best: cython.Py_ssize_t
    left: cython.double
    least: cython.double
    n_attributes: cython.Py_ssize_t = ahead.is_done.shape[0]
    take_side(ahead, cases, plan)
    if not is_open(ahead, plan):
        return 0.0
    least = ahead.spread
    for a in range(n_attributes):
        ahead.is_done[a] = 0
    while True:
        best = next_attribute(ahead, row)
        if best < 0 or ahead.bound[row, best] >= least:
            return ahead.spread - least
        ahead.is_done[best] = 1
        left = set_best(ahead, cases, best, plan)
        if left < least:
            least = left
