"""Grow whole subtrees of mixed data depth first: labels, missing values, fractional cases, any weights.

The nodes are the same as those grown level by level, computed by the same functions in the same order. The cases of all
open nodes are contiguous, and so are their entries in the order of each numeric attribute. The node whose cases are
last is split next, and the cases of its children replace them.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Found, Moves, Order, Plan, Scratch, Sent
    from treecli.kernels.best_drawn import score_drawn
    from treecli.kernels.best_mixed import score_labels, score_node
    from treecli.kernels.choose import first_best, set_merits
    from treecli.kernels.codes import DEVIANCE, KNOWN_OR_NOT, MULTIWAY, ONE_AGAINST_REST, SPREAD
    from treecli.kernels.drawing import child_key
    from treecli.kernels.impurity import total
    from treecli.kernels.mixed_args import Columns, Subtrees, Work
    from treecli.kernels.node_surrogates import fuller_branch_of, has_room, resolve_of
    from treecli.kernels.partition import (
        child_outcomes_of,
        clear_children_of,
        count_moved_of,
        move_cases_of,
        move_order_of,
        send_by_table_of,
        send_by_value_of,
        send_one_label_of,
    )
    from treecli.kernels.places import place_cases_of, place_order_of, place_order_of_many
    from treecli.kernels.stop import may_split

_NO_PLACE = cython.declare(cython.longlong, -1)
_NAN = cython.declare(cython.double, float("nan"))

# The columns of pending nodes.
_NODE = cython.declare(cython.Py_ssize_t, 0)
_LO = cython.declare(cython.Py_ssize_t, 1)
_HI = cython.declare(cython.Py_ssize_t, 2)
_DEPTH = cython.declare(cython.Py_ssize_t, 3)
_N_LIVE = cython.declare(cython.Py_ssize_t, 4)
_IS_WHOLE = cython.declare(cython.Py_ssize_t, 5)
_N_PEELS = cython.declare(cython.Py_ssize_t, 6)

PENDING_COLUMNS = 7

# The entries of progress.
_N_PENDING = cython.declare(cython.Py_ssize_t, 0)
_N_NODES = cython.declare(cython.Py_ssize_t, 1)
_N_TABLE = cython.declare(cython.Py_ssize_t, 2)

_CASES = cython.declare(cython.int, 1)
_NODES = cython.declare(cython.int, 2)
_TABLE = cython.declare(cython.int, 3)
_REST = cython.declare(cython.int, 4)
_PEEL = cython.declare(cython.int, 5)
_SURROGATES = cython.declare(cython.int, 6)
_SPARSE_TABLE = cython.declare(cython.Py_ssize_t, 4)
_MOST_WORK = cython.declare(cython.longlong, 1 << 26)

DONE = 0
CASES = 1
NODES = 2
TABLE = 3
REST = 4
PEEL = 5
SURROGATES = 6
"""Return codes of grow: done; no room for more cases, nodes or table entries; about a second has passed, and the
caller may show progress; the last pending node is to be split by kernels.peel; or no room for more surrogates."""

# A node is peeled after this many splits in a row in which at most one in _PEEL_SHARE cases left.
_MANY_PEELS = cython.declare(cython.longlong, 4)
_PEEL_SHARE = cython.declare(cython.longlong, 8)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _to_mean_and_deviance(
    child: cython.Py_ssize_t, around: cython.double, outcomes: cython.double[:, ::1], cases: Cases
) -> cython.void:
    """Turn a child's sums into the outcomes that a tree keeps, and set its centre and its sums about it."""
    weight: cython.double = outcomes[child, 0] if outcomes[child, 0] > 0.0 else 1.0
    shift: cython.double = outcomes[child, 1] / weight
    mean: cython.double = 0.0
    rest: cython.double = 0.0
    if outcomes[child, 0] > 0.0:
        mean = around + shift
        rest = outcomes[child, 1] - weight * (mean - around)
    outcomes[child, 2] = outcomes[child, 2] - shift * outcomes[child, 1]
    if outcomes[child, 2] < 0.0:
        outcomes[child, 2] = 0.0
    outcomes[child, 1] = mean
    cases.center[child] = mean
    cases.totals[child, 0] = outcomes[child, 0]
    cases.totals[child, 1] = rest
    cases.totals[child, 2] = outcomes[child, 2] + rest * rest / weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_one_label(
    begin: cython.Py_ssize_t,
    n_labels: cython.int,
    label: cython.int,
    most_listed: cython.Py_ssize_t,
    table: cython.int[::1],
) -> cython.void:
    """Write the table that sends one label down branch 0, and all others down branch 1; sparse if labels are many."""
    b: cython.int
    if n_labels > most_listed:
        table[begin] = n_labels
        table[begin + 1] = 1
        table[begin + 2] = label
        table[begin + 3] = 0
        return
    for b in range(n_labels):
        table[begin + b] = b != label


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_table(
    best: cython.Py_ssize_t,
    n_table: cython.Py_ssize_t,
    at: At,
    columns: Columns,
    plan: Plan,
    nodes: Subtrees,
    cases: Cases,
) -> cython.Py_ssize_t:
    """Set the table, and the branch of missing values, of the node that attribute `best` splits by its labels.

    Row 0 of columns.tables.table has the groups of its labels where they are grouped. Returns the number of children.
    Without missing values as a label, columns.label has the label that is split off.
    """
    node: cython.Py_ssize_t = at.node
    n_labels: cython.int = columns.n_labels[best]
    b: cython.Py_ssize_t
    j: cython.Py_ssize_t
    missing: cython.int
    if plan.nominal == MULTIWAY:
        for b in range(n_labels):
            nodes.table[n_table + b] = cython.cast(cython.int, b)
        if plan.missing_is_value:
            for j in range(at.first, at.after):
                if columns.labels.code_of_row[columns.slot[best] + columns.labels.step * cases.row[j]] < 0:
                    nodes.missing_to[node] = n_labels
                    return n_labels + 1
        return n_labels
    if plan.nominal == ONE_AGAINST_REST and not plan.missing_is_value:
        set_one_label(n_table, n_labels, columns.label[best], columns.most_listed, nodes.table)
        return 2
    missing = columns.tables.table[0, n_labels]
    if plan.missing_to == SPREAD:
        nodes.missing_to[node] = missing
    nodes.parts_missing[node] = missing >= 0
    for b in range(n_labels):
        if columns.tables.table[0, b] == missing:
            nodes.parts_missing[node] = 0
    for b in range(n_labels):
        nodes.table[n_table + b] = columns.tables.table[0, b]
        if columns.tables.table[0, b] < 0 and plan.nominal == ONE_AGAINST_REST:
            nodes.table[n_table + b] = 1  # labels that do not occur at the node belong to the rest
        if nodes.parts_missing[node]:
            nodes.table[n_table + b] = 0
    if nodes.parts_missing[node] and plan.missing_to == SPREAD:
        nodes.missing_to[node] = 1
    return 2


def grow(work: Work, columns: Columns, nodes: Subtrees, at: At, plan: Plan, found: Found, scratch: Scratch) -> int:
    """Split the pending nodes, and their children, until none is left, and return why it stops.

    With more room the work goes on where it stopped. `nodes` is filled in for each node that is made; work.cases.center
    and totals, and nodes.outcomes, are given for the nodes that were there.
    """
    cases: Cases = work.cases
    order: Order = work.order
    sent: Sent = work.sent
    moves: Moves = work.moves
    stride: cython.Py_ssize_t = columns.stride
    n_attributes: cython.Py_ssize_t = columns.live.shape[0]
    n_pending: cython.Py_ssize_t = work.progress[_N_PENDING]
    n_nodes: cython.Py_ssize_t = work.progress[_N_NODES]
    n_table: cython.Py_ssize_t = work.progress[_N_TABLE]
    is_numeric: cython.bint = plan.is_numeric
    short_of: cython.int = 0
    node: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    after: cython.Py_ssize_t
    depth: cython.longlong
    key: cython.ulonglong = 0
    n_live: cython.Py_ssize_t
    is_whole: cython.bint
    n_peels: cython.longlong
    weight: cython.double
    of_child: cython.double
    share: cython.double
    slack: cython.double
    best: cython.Py_ssize_t
    n_labels: cython.Py_ssize_t
    n_children: cython.Py_ssize_t
    size: cython.Py_ssize_t
    is_one_label: cython.bint = plan.nominal == ONE_AGAINST_REST and not plan.missing_is_value
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    j: cython.Py_ssize_t
    has_surrogates: cython.bint
    is_any_open: cython.bint
    is_spread: cython.bint
    n_open: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    n_seen: cython.longlong = 0
    at.only_at = _NAN
    with cython.nogil:
        while n_pending > 0:
            if n_seen > _MOST_WORK:
                short_of = _REST
                break
            node = work.pending[n_pending - 1, _NODE]
            lo = work.pending[n_pending - 1, _LO]
            hi = work.pending[n_pending - 1, _HI]
            depth = work.pending[n_pending - 1, _DEPTH]
            is_whole = work.pending[n_pending - 1, _IS_WHOLE] != 0
            n_peels = work.pending[n_pending - 1, _N_PEELS]
            if n_peels >= _MANY_PEELS and is_whole and hi - lo >= columns.least_peeled:
                short_of = _PEEL
                break
            n_seen += (hi - lo) * work.pending[n_pending - 1, _N_LIVE]
            weight = total(nodes.outcomes, node, is_numeric)
            at.node = node
            at.first = lo
            at.after = hi
            at.weight = weight
            at.is_whole = is_whole
            n_live = work.pending[n_pending - 1, _N_LIVE]
            if work.draws:
                key = cython.cast(cython.ulonglong, work.pending_key[n_pending - 1])
                score_drawn(key, work, at, columns, plan, found, scratch)
            else:
                n_live = score_node(n_live, at, cases, order, columns, plan, found, scratch)
            share = weight / plan.root_weight if plan.gain_of_all else 1.0
            slack = plan.tolerance
            if is_numeric:
                slack *= nodes.outcomes[node, DEVIANCE] / nodes.outcomes[node, 0]
            set_merits(found, n_attributes, share, plan)
            best = first_best(found, n_attributes, slack)
            if best < 0:
                n_pending -= 1
                continue
            n_labels = columns.n_labels[best]
            size = _SPARSE_TABLE if is_one_label and n_labels > columns.most_listed else n_labels
            n_children = 2 if n_labels < 0 or plan.nominal != MULTIWAY else n_labels + plan.missing_is_value
            if n_nodes + n_children > nodes.attribute.shape[0] or n_pending + n_children > work.pending.shape[0]:
                short_of = _NODES
                break
            if n_table + size > nodes.table.shape[0]:
                short_of = _TABLE
                break
            has_surrogates = plan.by_surrogates and n_children == 2
            if has_surrogates and not has_room(columns.tables.table.shape[1], work.surrogates):
                short_of = _SURROGATES
                break
            nodes.missing_to[node] = plan.missing_to
            nodes.parts_missing[node] = 0
            if n_labels < 0:
                if plan.missing_to == SPREAD:
                    nodes.missing_to[node] = 1 if found.missing_side[best] == KNOWN_OR_NOT else found.missing_side[best]
                nodes.parts_missing[node] = found.missing_side[best] == KNOWN_OR_NOT
                send_by_value_of(
                    columns.slot[best] * stride + lo,
                    columns.slot[best] * stride + hi,
                    order,
                    found.lower[best],
                    found.missing_side[best],
                    nodes.missing_to[node],
                    sent.branch,
                )
            else:
                if plan.nominal != MULTIWAY and not is_one_label:
                    # Recompute the grouping of the chosen attribute, which later attributes have overwritten.
                    score_labels(best, at, cases, columns, plan, found, scratch)
                n_children = _set_table(best, n_table, at, columns, plan, nodes, cases)
                columns.labels.first = columns.slot[best]
                if is_one_label:
                    send_one_label_of(
                        lo, hi, cases, columns.labels, columns.label[best], nodes.missing_to[node], sent.branch
                    )
                else:
                    send_by_table_of(
                        lo, hi, cases, columns.labels, n_table, nodes.table, nodes.missing_to[node], sent.branch
                    )
            if has_surrogates:
                resolve_of(best, n_live, n_nodes, at, columns, work, plan)
            clear_children_of(n_nodes, n_nodes + n_children, sent)
            child_outcomes_of(lo, hi, node, n_nodes, n_nodes + n_children, cases, sent, plan)
            if has_surrogates:
                nodes.missing_to[node] = fuller_branch_of(at, sent.branch)
            is_any_open = False
            for b in range(n_children):
                if is_numeric:
                    _to_mean_and_deviance(n_nodes + b, cases.center[node], nodes.outcomes, cases)
                work.begin_of_child[b] = _NO_PLACE
                if depth + 1 < plan.max_depth:
                    of_child = total(nodes.outcomes, n_nodes + b, is_numeric)
                    if may_split(nodes.outcomes, n_nodes + b, of_child, of_child, plan):
                        work.begin_of_child[b] = 0
                        is_any_open = True
            after = lo
            if is_any_open:
                after = count_moved_of(lo, hi, n_nodes, n_children, sent, work.begin_of_child)
                if after > stride:
                    short_of = _CASES
                    break
            nodes.attribute[node] = cython.cast(cython.int, best)
            nodes.neighbour[node, 0] = found.lower[best]
            nodes.neighbour[node, 1] = found.upper[best]
            nodes.cost[node] = found.cost[best] if n_labels < 0 else 0.0
            nodes.first_child[node] = cython.cast(cython.int, n_nodes)
            nodes.n_branches[node] = cython.cast(cython.int, n_children)
            nodes.table_start[node] = n_table
            if n_labels >= 0 and not nodes.parts_missing[node]:
                n_table += size
            for b in range(n_nodes, n_nodes + n_children):
                sent.decrease[b] = _NAN
                sent.information[b] = 0.0
                nodes.attribute[b] = -1
                nodes.first_child[b] = 0
                nodes.n_branches[b] = 0
            n_nodes += n_children
            n_pending -= 1
            if not is_any_open:
                continue
            for b in range(n_children):
                work.place[b] = work.begin_of_child[b]
            at.begin = lo
            at.end = hi
            at.last = after
            is_spread = work.begin_of_child[n_children] > 0
            if is_spread:
                move_cases_of(at, n_nodes - n_children, n_children, sent, work.place, moves, cases, is_numeric)
            else:
                place_cases_of(at, sent, work.place, moves, cases, is_numeric)
            is_whole = is_whole and not is_spread
            n_open = 0
            middle = after
            for b in range(n_children):
                if work.begin_of_child[b] == _NO_PLACE:
                    continue
                n_open += 1
                if n_open == 2:
                    middle = work.begin_of_child[b]
                work.pending[n_pending, _NODE] = n_nodes - n_children + b
                work.pending[n_pending, _LO] = work.begin_of_child[b]
                work.pending[n_pending, _HI] = work.place[b]
                work.pending[n_pending, _DEPTH] = depth + 1
                work.pending[n_pending, _N_LIVE] = n_live
                work.pending[n_pending, _IS_WHOLE] = is_whole
                work.pending[n_pending, _N_PEELS] = 0
                if (work.place[b] - work.begin_of_child[b]) * _PEEL_SHARE >= (hi - lo) * (_PEEL_SHARE - 1):
                    work.pending[n_pending, _N_PEELS] = n_peels + 1
                if work.draws:
                    work.pending_key[n_pending] = child_key(key, b)
                n_pending += 1
            for j in range(0 if work.draws else n_live):
                a = columns.live[j]
                if columns.n_labels[a] >= 0:
                    continue
                if n_open <= 2 and not is_spread:
                    place_order_of(at, columns.slot[a] * stride, middle, moves, order)
                    continue
                for b in range(n_children):
                    work.place[b] = work.begin_of_child[b]
                if is_spread:
                    move_order_of(at, columns.slot[a] * stride, work.place, moves, order)
                else:
                    place_order_of_many(at, columns.slot[a] * stride, work.place, moves, order)
    work.progress[_N_PENDING] = n_pending
    work.progress[_N_NODES] = n_nodes
    work.progress[_N_TABLE] = n_table
    return short_of
