"""The best surrogate of a two-way split on one column, for one node or every open node; sums and ties follow rpart."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Cases, Labels, Order
    from treecli.kernels.codes import NO_BRANCH
    from treecli.kernels.surrogate_args import Agreement, Splits

SIDES = 2

_FEWEST = cython.declare(cython.Py_ssize_t, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weigh_branches_of(
    node: cython.Py_ssize_t, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, cases: Cases, splits: Splits
) -> cython.Py_ssize_t:
    """Set splits.weight at one node and splits.step of its cases; return the number of cases without a branch."""
    i: cython.Py_ssize_t
    branch: cython.int
    weight_0: cython.double = 0.0
    weight_1: cython.double = 0.0
    n_lacking: cython.Py_ssize_t = 0
    has_counts: cython.bint = splits.step.shape[0] > 0
    for i in range(begin, end):
        branch = splits.branch[i]
        n_lacking += branch < 0
        weight_0 += cases.weight[i] * (branch == 0)
        weight_1 += cases.weight[i] * (branch == 1)
        if has_counts:
            splits.step[i] = 1 if branch == 0 else (-1 if branch == 1 else 0)
    splits.weight[0, node] = weight_0
    splits.weight[1, node] = weight_1
    return n_lacking


def weigh_branches(cases: Cases, splits: Splits) -> None:
    """Set splits.weight at every node that is asked, and splits.step of its cases."""
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            if splits.is_asked[node]:
                weigh_branches_of(node, cases.start[node], cases.start[node + 1], cases, splits)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_cut(
    place: cython.Py_ssize_t,
    i: cython.Py_ssize_t,
    low_branch: cython.int,
    agreeing: cython.double,
    order: Order,
    found: Agreement,
) -> cython.void:
    """Set the cut at a place: it lies before entry i of the order."""
    found.low_branch[place] = low_branch
    found.agreeing[place] = agreeing
    found.lower[place] = order.value[i - 1]
    found.upper[place] = order.value[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def cut_of_counts(
    node: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    order: Order,
    splits: Splits,
    found: Agreement,
) -> cython.void:
    """Like cut_of, for a node whose cases have weight 1; its entries without a value are those from `end` to `last`.

    With d cases of branch 0 more than of branch 1 below a cut, it agrees with the split on n_1 + d cases if values
    below it take branch 0, and on n_0 - d cases if they take branch 1.
    """
    i: cython.Py_ssize_t
    n_0: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, splits.weight[0, node])
    n_1: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, splits.weight[1, node])
    d: cython.Py_ssize_t = 0
    n_known: cython.Py_ssize_t = 0
    first_cut: cython.Py_ssize_t = begin
    last_cut: cython.Py_ssize_t = end
    best: cython.Py_ssize_t
    step: cython.int
    found.agreeing[place] = 0.0
    for i in range(end, last):
        step = splits.step[order.case[i]]
        n_0 -= step > 0
        n_1 -= step < 0
    best = n_0 if n_0 > n_1 else n_1
    if n_0 + n_1 < 2 * _FEWEST:
        return
    while n_known < _FEWEST:
        step = splits.step[order.case[first_cut]]
        n_known += step != 0
        d += cython.cast(cython.Py_ssize_t, step)
        first_cut += 1
    n_known = 0
    while n_known < _FEWEST:
        last_cut -= 1
        n_known += splits.step[order.case[last_cut]] != 0
    for i in range(first_cut, last_cut + 1):
        if (n_1 + d > best or n_0 - d > best) and order.value[i] != order.value[i - 1]:
            if n_1 + d > best:
                best = n_1 + d
                _set_cut(place, i, 0, best, order, found)
            else:
                best = n_0 - d
                _set_cut(place, i, 1, best, order, found)
        # The cast widens the 8 bits of a step where the kernel is not compiled.
        d += cython.cast(cython.Py_ssize_t, splits.step[order.case[i]])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def cut_of(
    place: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    cases: Cases,
    order: Order,
    splits: Splits,
    found: Agreement,
) -> cython.void:
    """Set a place of `found` to the cut of a node, as best_cuts does; its known values stand from `begin` to `end`."""
    i: cython.Py_ssize_t
    n_below: cython.Py_ssize_t = 0
    n_above: cython.Py_ssize_t = 0
    branch: cython.int
    below_0: cython.double = 0.0
    below_1: cython.double = 0.0
    above_0: cython.double = 0.0
    above_1: cython.double = 0.0
    in_0: cython.double
    in_1: cython.double
    best: cython.double
    found.agreeing[place] = 0.0
    for i in range(begin, end):
        # Arithmetic instead of jumps, which would be mispredicted.
        branch = splits.branch[order.case[i]]
        above_0 += cases.weight[order.case[i]] * (branch == 0)
        above_1 += cases.weight[order.case[i]] * (branch == 1)
        n_above += branch >= 0
    best = above_0 if above_0 > above_1 else above_1
    for i in range(begin, end):
        if n_above < _FEWEST:
            break
        if n_below >= _FEWEST and order.value[i] != order.value[i - 1]:
            if below_0 + above_1 > best:
                best = below_0 + above_1
                _set_cut(place, i, 0, best, order, found)
            elif below_1 + above_0 > best:
                best = below_1 + above_0
                _set_cut(place, i, 1, best, order, found)
        branch = splits.branch[order.case[i]]
        n_below += branch >= 0
        n_above -= branch >= 0
        in_0 = cases.weight[order.case[i]] * (branch == 0)
        in_1 = cases.weight[order.case[i]] * (branch == 1)
        below_0 += in_0
        above_0 -= in_0
        below_1 += in_1
        above_1 -= in_1


def best_cuts(cases: Cases, order: Order, splits: Splits, found: Agreement) -> None:
    """Fill `found` with each node's cut that agrees with the split on the largest weight.

    A cut must send at least two cases to each side, and agree better than sending all cases to one branch.
    """
    node: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            found.agreeing[node] = 0.0
            if not splits.is_asked[node]:
                continue
            begin = cases.start[node]
            end = begin + order.n_known[node]
            if splits.step.shape[0] > 0:
                cut_of_counts(node, node, begin, end, cases.start[node + 1], order, splits, found)
            else:
                cut_of(node, begin, end, cases, order, splits, found)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def groups_of(
    node: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    cases: Cases,
    labels: Labels,
    splits: Splits,
    found: Agreement,
) -> cython.void:
    """Set a place of `found` to the table of a node, as best_groups does; its cases are those from `begin` to `end`."""
    i: cython.Py_ssize_t
    label: cython.int
    branch: cython.int
    usual: cython.int
    n_wrong: cython.longlong
    n_taken_0: cython.longlong
    n_taken_1: cython.longlong
    total_0: cython.double = 0.0
    total_1: cython.double = 0.0
    first: cython.Py_ssize_t = labels.first
    step: cython.Py_ssize_t = labels.step
    n_labels: cython.Py_ssize_t = labels.n_codes
    has_counts: cython.bint = splits.step.shape[0] > 0
    found.agreeing[place] = 0.0
    for i in range(n_labels):
        found.table[place, i] = NO_BRANCH
        found.sides[0, i] = 0.0
        found.sides[1, i] = 0.0
        found.n_cases[0, i] = 0
        found.n_cases[1, i] = 0
    for i in range(begin, end):
        label = labels.code_of_row[first + step * cases.row[i]]
        branch = splits.branch[i]
        if label < 0 or branch < 0:
            continue
        if has_counts:
            found.n_cases[branch, label] += 1
            continue
        found.sides[branch, label] += cases.weight[i]
        found.n_cases[branch, label] += 1
        if branch == 0:
            total_0 += cases.weight[i]
        else:
            total_1 += cases.weight[i]
    if has_counts:
        for i in range(n_labels):
            found.sides[0, i] = cython.cast(cython.double, found.n_cases[0, i])
            found.sides[1, i] = cython.cast(cython.double, found.n_cases[1, i])
            total_0 += found.sides[0, i]
            total_1 += found.sides[1, i]
    usual = 1 - splits.first[node]
    if total_0 > total_1:
        usual = 0
    elif total_1 > total_0:
        usual = 1
    n_wrong = 0
    n_taken_0 = 0
    n_taken_1 = 0
    for i in range(n_labels):
        if found.n_cases[0, i] + found.n_cases[1, i] == 0:
            continue
        found.table[place, i] = usual
        if found.sides[0, i] > found.sides[1, i]:
            found.table[place, i] = 0
        elif found.sides[1, i] > found.sides[0, i]:
            found.table[place, i] = 1
        found.agreeing[place] += found.sides[found.table[place, i], i]
        n_wrong += found.n_cases[1 - found.table[place, i], i]
        if found.table[place, i] == 0:
            n_taken_0 += found.n_cases[0, i] + found.n_cases[1, i]
        else:
            n_taken_1 += found.n_cases[0, i] + found.n_cases[1, i]
    if n_taken_0 == 0 or n_taken_1 == 0:  # all cases take one branch: any excess agreement is rounding
        found.agreeing[place] = 0.0
    if splits.has_slip:
        n_taken_0, n_taken_1 = n_wrong, n_taken_0 + n_taken_1 - n_wrong
    if n_taken_0 < _FEWEST or n_taken_1 < _FEWEST:
        found.agreeing[place] = 0.0


def best_groups(cases: Cases, labels: Labels, splits: Splits, found: Agreement) -> None:
    """Fill `found` with each node's table: a label takes the branch to which the split sends most of its weight.

    Labels that tie take the majority branch of all cases or, if that ties too, the branch that is not `first`. A label
    without a case of known branch has NO_BRANCH. Both branches must take at least two cases, otherwise the agreement is
    0; with splits.has_slip, at least two cases must agree with the split, and at least two must not.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            found.agreeing[node] = 0.0
            if splits.is_asked[node]:
                groups_of(node, node, cases.start[node], cases.start[node + 1], cases, labels, splits, found)
