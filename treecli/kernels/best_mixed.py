"""The best split of one node of mixed data, for each attribute."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Found, Order, Plan, Scratch
    from treecli.kernels.codes import GROUPS, MULTIWAY, ONE_AGAINST_REST
    from treecli.kernels.count_labels import count_labels_of
    from treecli.kernels.impurity import total
    from treecli.kernels.mixed_args import Columns
    from treecli.kernels.order_labels import principal_scores_of
    from treecli.kernels.order_three import order_by_share, order_of
    from treecli.kernels.partition import first_unknown
    from treecli.kernels.score_groups import add_known, best_label_of, multiway_of, two_way_of
    from treecli.kernels.score_sums import best_cut

INFINITY = cython.declare(cython.double, float("inf"))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def clear_entries(n_entries: cython.Py_ssize_t, columns: Columns) -> cython.void:
    """Set the outcomes of the entries of columns.tables to zeros."""
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for i in range(n_entries):
        for c in range(columns.tables.outcomes.shape[1]):
            columns.tables.outcomes[i, c] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _order_entries(n_entries: cython.Py_ssize_t, columns: Columns, plan: Plan, scratch: Scratch) -> cython.void:
    """Order the entries of a node: by the share of the last class, the mean, or along the principal component."""
    i: cython.Py_ssize_t
    within: cython.double
    n_outcomes: cython.Py_ssize_t = columns.tables.outcomes.shape[1]
    is_numeric: cython.bint = plan.is_numeric
    if is_numeric or n_outcomes <= 2:
        for i in range(n_entries):
            within = total(columns.tables.outcomes, i, is_numeric)
            columns.score[i] = columns.tables.outcomes[i, 1 if is_numeric else n_outcomes - 1]
            columns.score[i] /= within if within > 0.0 else 1.0
    else:
        principal_scores_of(
            0,
            n_entries,
            columns.tables.outcomes,
            plan.n_exhaustive,
            scratch.sides[0],
            scratch.sides[1],
            scratch.sides[2],
            columns.score,
        )
    order_of(0, n_entries, columns.score, columns.spare, columns.tables.order)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_entries(
    n_entries: cython.Py_ssize_t,
    n_labels: cython.int,
    at: At,
    columns: Columns,
    plan: Plan,
    found: Found,
    scratch: Scratch,
) -> cython.double:
    """Set entry at.place of `found` to the best split of the labels counted in columns.tables; clear their outcomes.

    Returns the weight of the first of two branches; 0 if there is no split in two.

    With fewer than two entries there is no split. The label that is split off is set in entry at.place of columns.label
    or, where labels are grouped otherwise, row at.row of columns.tables.table to the branch of each label, then of
    missing values.
    """
    i: cython.Py_ssize_t
    best: cython.Py_ssize_t
    on_first: cython.double = 0.0
    n_outcomes: cython.Py_ssize_t = columns.tables.outcomes.shape[1]
    is_numeric: cython.bint = plan.is_numeric
    found.gain[at.place] = -INFINITY
    at.begin = 0
    at.end = n_entries
    if n_entries >= 2 and plan.nominal == MULTIWAY:
        multiway_of(at, columns.tables, plan, found, scratch)
    elif n_entries >= 2 and plan.nominal == ONE_AGAINST_REST and not plan.missing_is_value:
        add_known(at, columns.tables, scratch)
        best = best_label_of(at, columns.tables, plan, found, scratch)
        columns.label[at.place] = columns.tables.code[best] if best >= 0 else -1
        if best >= 0:
            on_first = total(columns.tables.outcomes, best, is_numeric)
    elif n_entries >= 2:
        columns.tables.n_exhaustive = plan.n_exhaustive
        if is_numeric or n_outcomes <= 2:
            columns.tables.n_exhaustive = 0
        if plan.nominal == GROUPS and n_entries > 2:  # two labels have one cut, whatever their order
            if is_numeric or n_entries <= columns.tables.n_exhaustive or not order_by_share(n_entries, columns):
                _order_entries(n_entries, columns, plan, scratch)
        else:
            for i in range(n_entries):
                columns.tables.order[i] = i
        on_first = two_way_of(at, n_labels + 1, columns.tables, plan, found, scratch)
    clear_entries(n_entries, columns)
    return on_first


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_labels(
    a: cython.Py_ssize_t, at: At, cases: Cases, columns: Columns, plan: Plan, found: Found, scratch: Scratch
) -> cython.Py_ssize_t:
    """Set gain and split information of a nominal attribute at one node; return the number of labels that occur.

    The outcomes of columns.tables are zeros on entry and on return, and its n_rows are zeros. The cases of the node are
    at.first to at.after (exclusive).
    """
    n_entries: cython.Py_ssize_t
    n_labels: cython.int = columns.n_labels[a]
    columns.labels.first = columns.slot[a]
    columns.labels.missing_code = n_labels if plan.missing_is_value else -1
    columns.labels.n_codes = n_labels + plan.missing_is_value
    n_entries = count_labels_of(
        at.first, at.after, cases.center[at.node], cases, columns.labels, columns.tables, 0, plan.is_numeric
    )
    at.place = a
    at.row = 0
    score_entries(n_entries, n_labels, at, columns, plan, found, scratch)
    return n_entries


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_node(
    n_live: cython.Py_ssize_t,
    at: At,
    cases: Cases,
    order: Order,
    columns: Columns,
    plan: Plan,
    found: Found,
    scratch: Scratch,
) -> cython.Py_ssize_t:
    """Set the best split on every live attribute at one node; return the number of attributes that stay live below it.

    Attributes that are constant at the node, and so below it, are moved behind the others in columns.live. The cases of
    the node are at.first to at.after (exclusive).
    """
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    is_live: cython.bint
    for j in range(n_live, columns.live.shape[0]):
        found.gain[columns.live[j]] = -INFINITY
    j = 0
    while j < n_live:
        a = columns.live[j]
        if columns.n_labels[a] < 0:
            begin = columns.slot[a] * columns.stride + at.first
            at.last = columns.slot[a] * columns.stride + at.after
            end = first_unknown(order.value, begin, at.last)
            is_live = end > begin and (
                order.value[begin] < order.value[end - 1] or (plan.missing_is_value and end < at.last)
            )
            found.gain[a] = -INFINITY
            if is_live:
                at.place = a
                at.begin = begin
                at.end = end
                best_cut(at, cases, order, plan, found, scratch)
        else:
            is_live = 2 <= score_labels(a, at, cases, columns, plan, found, scratch)
        if is_live:
            j += 1
        else:
            n_live -= 1
            columns.live[j] = columns.live[n_live]
            columns.live[n_live] = cython.cast(cython.int, a)
    return n_live
