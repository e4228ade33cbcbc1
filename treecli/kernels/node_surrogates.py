"""The surrogates of one node that is grown depth first, as grow/surrogates.py finds them for all nodes of a level."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Order, Plan
    from treecli.kernels.codes import SPREAD, STAYS
    from treecli.kernels.mixed_args import Columns, Work
    from treecli.kernels.partition import child_outcomes_of, clear_children_of, first_unknown
    from treecli.kernels.surrogate_args import Agreement, Splits, Surrogates
    from treecli.kernels.surrogates import cut_of, cut_of_counts, groups_of, weigh_branches_of


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_room(most_labels: cython.Py_ssize_t, surrogates: Surrogates) -> cython.bint:
    """Return whether there is room for the surrogates of one more node; attributes have up to `most_labels` labels."""
    return (
        surrogates.n_kept + surrogates.most <= surrogates.node.shape[0]
        and surrogates.n_entries + surrogates.most * most_labels <= surrogates.table.shape[0]
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find(
    best: cython.Py_ssize_t,
    n_live: cython.Py_ssize_t,
    at: At,
    cases: Cases,
    order: Order,
    columns: Columns,
    splits: Splits,
    found: Agreement,
) -> cython.void:
    """Find the best surrogate on every live attribute but `best`; one that is constant at the node has none."""
    a: cython.Py_ssize_t
    j: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    for a in range(columns.live.shape[0]):
        found.agreeing[a] = 0.0
    for j in range(n_live):
        a = columns.live[j]
        if a == best:
            continue
        if columns.n_labels[a] >= 0:
            columns.labels.first = columns.slot[a]
            columns.labels.n_codes = columns.n_labels[a]
            groups_of(0, a, at.first, at.after, cases, columns.labels, splits, found)
            continue
        begin = columns.slot[a] * columns.stride + at.first
        last = columns.slot[a] * columns.stride + at.after
        end = first_unknown(order.value, begin, last)
        if splits.step.shape[0] > 0:
            cut_of_counts(0, a, begin, end, last, order, splits, found)
        else:
            cut_of(a, begin, end, cases, order, splits, found)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(
    a: cython.Py_ssize_t,
    agreement: cython.double,
    adjusted: cython.double,
    at: At,
    columns: Columns,
    surrogates: Surrogates,
) -> cython.void:
    """Keep the surrogate that was found on an attribute."""
    label: cython.Py_ssize_t
    kept: cython.Py_ssize_t = surrogates.n_kept
    surrogates.node[kept] = cython.cast(cython.int, at.node)
    surrogates.attribute[kept] = cython.cast(cython.int, a)
    surrogates.agreement[kept] = agreement
    surrogates.adjusted[kept] = adjusted
    surrogates.lower[kept] = surrogates.found.lower[a]
    surrogates.upper[kept] = surrogates.found.upper[a]
    surrogates.low_branch[kept] = surrogates.found.low_branch[a]
    for label in range(columns.n_labels[a]):
        surrogates.table[surrogates.n_entries + label] = surrogates.found.table[a, label]
    if columns.n_labels[a] > 0:
        surrogates.n_entries += columns.n_labels[a]
    surrogates.n_kept = kept + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rank(at: At, columns: Columns, surrogates: Surrogates) -> cython.void:
    """Keep the useful surrogates of a node by agreement, largest first; ties go to the first attribute."""
    a: cython.Py_ssize_t
    own: cython.Py_ssize_t
    last: cython.Py_ssize_t = surrogates.n_kept + surrogates.most
    weight_0: cython.double = surrogates.splits.weight[0, 0]
    weight_1: cython.double = surrogates.splits.weight[1, 0]
    total: cython.double = weight_0 + weight_1
    usual: cython.double = (weight_0 if weight_0 > weight_1 else weight_1) / total
    agreement: cython.double
    while surrogates.n_kept < last:
        own = -1
        agreement = usual
        for a in range(columns.live.shape[0]):
            if surrogates.found.agreeing[a] / total > agreement:
                agreement = surrogates.found.agreeing[a] / total
                own = a
        if own < 0:
            return
        surrogates.found.agreeing[own] = 0.0
        _keep(own, agreement, (agreement - usual) / (1.0 - usual), at, columns, surrogates)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _send(
    n_left: cython.Py_ssize_t,
    first_kept: cython.Py_ssize_t,
    at: At,
    cases: Cases,
    order: Order,
    columns: Columns,
    splits: Splits,
    surrogates: Surrogates,
) -> cython.void:
    """Set the branch of the `n_left` cases without one: by the first surrogate whose value is known.

    The surrogates of the node are those from `first_kept` on. Without such a value it is the heavier branch.
    """
    i: cython.Py_ssize_t
    a: cython.Py_ssize_t
    kept: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    last: cython.Py_ssize_t
    n_waiting: cython.Py_ssize_t
    label: cython.int
    low: cython.int
    usual: cython.int = STAYS
    for kept in range(first_kept, surrogates.n_kept):
        if n_left == 0:
            return
        a = surrogates.attribute[kept]
        if columns.n_labels[a] < 0:
            low = surrogates.low_branch[kept]
            begin = columns.slot[a] * columns.stride + at.first
            last = columns.slot[a] * columns.stride + at.after
            for i in range(begin, first_unknown(order.value, begin, last)):
                if splits.branch[order.case[i]] < 0:
                    splits.branch[order.case[i]] = low if order.value[i] <= surrogates.lower[kept] else 1 - low
        n_waiting = n_left
        n_left = 0
        for i in range(n_waiting):
            if columns.n_labels[a] >= 0:
                label = columns.labels.code_of_row[
                    columns.slot[a] + columns.labels.step * cases.row[surrogates.lacking[i]]
                ]
                if label >= 0:
                    splits.branch[surrogates.lacking[i]] = surrogates.found.table[a, label]
            if splits.branch[surrogates.lacking[i]] < 0:
                surrogates.lacking[n_left] = surrogates.lacking[i]
                n_left += 1
    if splits.weight[0, 0] > splits.weight[1, 0]:
        usual = 0
    elif splits.weight[1, 0] > splits.weight[0, 0]:
        usual = 1
    for i in range(n_left):
        splits.branch[surrogates.lacking[i]] = usual


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def resolve_of(
    best: cython.Py_ssize_t,
    n_live: cython.Py_ssize_t,
    first_child: cython.Py_ssize_t,
    at: At,
    columns: Columns,
    work: Work,
    plan: Plan,
) -> cython.void:
    """Find the surrogates of a node that attribute `best` splits in two, and send its cases without a branch by them.

    The cases of the node are at.first to at.after (exclusive); work.sent.branch has their branches. The first `n_live`
    of columns.live are not constant. The decrease is set for the cases that the split itself sends.
    """
    i: cython.Py_ssize_t
    first_kept: cython.Py_ssize_t = work.surrogates.n_kept
    n_lacking: cython.Py_ssize_t = weigh_branches_of(0, at.first, at.after, work.cases, work.surrogates.splits)
    n_listed: cython.Py_ssize_t = 0
    _find(
        best,
        n_live,
        at,
        work.cases,
        work.order,
        columns,
        work.surrogates.splits,
        work.surrogates.found,
    )
    _rank(at, columns, work.surrogates)
    if n_lacking == 0:
        return
    for i in range(at.first, at.after):
        if work.sent.branch[i] < 0:
            work.surrogates.lacking[n_listed] = cython.cast(cython.int, i)
            n_listed += 1
    clear_children_of(first_child, first_child + 2, work.sent)
    child_outcomes_of(at.first, at.after, at.node, first_child, first_child + 2, work.cases, work.sent, plan)
    for i in range(n_lacking):  # were sent down the heavier branch
        work.sent.branch[work.surrogates.lacking[i]] = SPREAD
    _send(
        n_lacking,
        first_kept,
        at,
        work.cases,
        work.order,
        columns,
        work.surrogates.splits,
        work.surrogates,
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fuller_branch_of(at: At, branch: cython.int[::1]) -> cython.int:
    """Return the branch of a node with more cases, or STAYS if both have as many."""
    i: cython.Py_ssize_t
    n_more: cython.Py_ssize_t = 0
    for i in range(at.first, at.after):
        n_more += 1 if branch[i] == 0 else (-1 if branch[i] == 1 else 0)
    return 0 if n_more > 0 else (1 if n_more < 0 else STAYS)
