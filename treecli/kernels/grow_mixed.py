"""Whole subtrees of mixed data, depth first: labels, missing values, fractions of cases, any weights.

The same answers as the level-by-level way, by the same functions in the same order. The cases of all open nodes stand
in a row, and so do their entries in the sorted list of each numeric attribute; the node whose cases are the last is
split next, and its children's cases take their place.
"""

import cython

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.best_mixed import most_merit, score_labels, score_node
    from treecli.kernels.cases import child_outcomes_of
    from treecli.kernels.impurity import total
    from treecli.kernels.passing import branches_by_table, branches_by_value, count_moved, move_cases, move_list

_ALL_BRANCHES = cython.declare(cython.int, -1)
_KNOWN_OR_NOT = cython.declare(cython.int, 2)
_MULTIWAY = cython.declare(cython.int, 0)
_ONE_AGAINST_REST = cython.declare(cython.int, 1)
_NO_PLACE = cython.declare(cython.longlong, -1)
_DEVIANCE = cython.declare(cython.Py_ssize_t, 2)

# What is kept of a node that waits to be split.
_NODE = cython.declare(cython.Py_ssize_t, 0)
_LO = cython.declare(cython.Py_ssize_t, 1)
_HI = cython.declare(cython.Py_ssize_t, 2)
_DEPTH = cython.declare(cython.Py_ssize_t, 3)
_N_LIVE = cython.declare(cython.Py_ssize_t, 4)
_IS_WHOLE = cython.declare(cython.Py_ssize_t, 5)

PENDING_COLUMNS = 6

# How far the work has come.
_N_PENDING = cython.declare(cython.Py_ssize_t, 0)
_N_NODES = cython.declare(cython.Py_ssize_t, 1)
_N_TABLE = cython.declare(cython.Py_ssize_t, 2)

_CASES = cython.declare(cython.int, 1)
_NODES = cython.declare(cython.int, 2)
_TABLE = cython.declare(cython.int, 3)
_REST = cython.declare(cython.int, 4)
_MOST_WORK = cython.declare(cython.longlong, 1 << 26)

DONE = 0
CASES = 1
NODES = 2
TABLE = 3
REST = 4
"""Why grow has come back: all is done; there is no room for more cases, nodes or entries of tables; or it has worked
for about a second, and whoever waits may want to say something."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _to_mean_and_deviance(
    child: cython.Py_ssize_t,
    around: cython.double,
    outcomes: cython.double[:, ::1],
    totals: cython.double[:, ::1],
    center: cython.double[::1],
) -> cython.void:
    """Turns a child's sums into what a tree keeps and what its own children are reckoned from; as MemoryEngine does."""
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
    center[child] = mean
    totals[child, 0] = outcomes[child, 0]
    totals[child, 1] = rest
    totals[child, 2] = outcomes[child, 2] + rest * rest / weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_split(
    outcomes: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    is_numeric: cython.bint,
    tolerance: cython.double,
    least_deviance: cython.double,
    least: cython.double,
) -> cython.bint:
    """Whether a node is neither too small nor pure; as Growth has it."""
    c: cython.Py_ssize_t
    weight: cython.double = total(outcomes, node, is_numeric)
    most: cython.double = 0.0
    if not weight >= least or not weight > 0.0:
        return False
    if is_numeric:
        return outcomes[node, _DEVIANCE] > least_deviance * weight
    for c in range(outcomes.shape[1]):
        if outcomes[node, c] > most:
            most = outcomes[node, c]
    return most < weight - tolerance * (weight if weight < 1.0 else 1.0)


def grow(
    progress: cython.longlong[::1],
    pending: cython.longlong[:, ::1],
    live: cython.int[::1],
    slot_of: cython.int[::1],
    n_labels_of: cython.int[::1],
    is_counted: cython.uchar[::1],
    code_of_row: cython.int[::1],
    n_nominal: cython.Py_ssize_t,
    case: cython.int[::1],
    value: cython.double[::1],
    row_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    branch_of_case: cython.int[::1],
    move_start: cython.int[::1],
    moved_to: cython.int[::1],
    branch_of_moved: cython.int[::1],
    spare: cython.int[::1],
    spare_number: cython.double[::1],
    impurity: cython.int,
    is_numeric: cython.bint,
    missing_is_value: cython.bint,
    spreads: cython.bint,
    missing_to_all: cython.int,
    asked: cython.int,
    is_ratio: cython.bint,
    n_exhaustive: cython.Py_ssize_t,
    min_leaf: cython.double,
    least: cython.double,
    least_deviance: cython.double,
    min_gain: cython.double,
    gain_of_all: cython.bint,
    root_weight: cython.double,
    max_depth: cython.longlong,
    tolerance: cython.double,
    zero_gain: cython.bint,
    value_gap: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    cut_cost: cython.bint,
    xlog2_of: cython.double[::1],
    sides: cython.double[:, ::1],
    counted: cython.double[:, ::1],
    term: cython.double[:, ::1],
    entry_of_label: cython.longlong[::1],
    code: cython.int[::1],
    counts: cython.double[:, ::1],
    places: cython.longlong[:, ::1],
    label_score: cython.double[::1],
    sums: cython.double[:, ::1],
    label_table: cython.int[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    missing_side: cython.int[::1],
    merit: cython.double[::1],
    begin_of_child: cython.longlong[::1],
    place: cython.longlong[::1],
    attribute: cython.int[::1],
    parts_missing: cython.uchar[::1],
    neighbour: cython.double[:, ::1],
    missing_to: cython.int[::1],
    first_child: cython.int[::1],
    n_branches: cython.int[::1],
    worth: cython.double[:, ::1],
    table_start: cython.longlong[::1],
    table: cython.int[::1],
    share: cython.double[::1],
    center: cython.double[::1],
    totals: cython.double[:, ::1],
    outcomes: cython.double[:, ::1],
) -> int:
    """Splits the open nodes in `pending`, and their children, until none is left, and gives why it comes back.

    progress counts pending nodes, nodes and entries of `table`; with more room the work goes on where it stopped. The
    arrays from `attribute` on are filled in for each node that is made, those from `center` on are given for the nodes
    that were there. A leaf has the attribute -1; the children of an inner node follow each other. `neighbour` are the
    values on both sides of a cut, `worth` is merit and total gain. The attributes in `live` are ordered ones, with a
    sorted list at slot_of[a] times the room for cases, or have n_labels_of[a] labels, whose codes are those of column
    slot_of[a] in the table code_of_row. missing_to_all, unless it is -1, is where all missing values go. What stands
    between is settings and scratch.
    """
    stride: cython.Py_ssize_t = row_of_case.shape[0]
    n_pending: cython.Py_ssize_t = progress[_N_PENDING]
    n_nodes: cython.Py_ssize_t = progress[_N_NODES]
    n_table: cython.Py_ssize_t = progress[_N_TABLE]
    short_of: cython.int = 0
    node: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    after: cython.Py_ssize_t
    depth: cython.longlong
    n_live: cython.Py_ssize_t
    is_whole: cython.bint
    weight: cython.double
    gained_share: cython.double
    slack: cython.double
    best: cython.Py_ssize_t
    n_labels: cython.Py_ssize_t
    n_children: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    j: cython.Py_ssize_t
    is_any_open: cython.bint
    n_seen: cython.longlong = 0
    with cython.nogil:
        while n_pending > 0:
            if n_seen > _MOST_WORK:
                short_of = _REST
                break
            node = pending[n_pending - 1, _NODE]
            lo = pending[n_pending - 1, _LO]
            hi = pending[n_pending - 1, _HI]
            depth = pending[n_pending - 1, _DEPTH]
            is_whole = pending[n_pending - 1, _IS_WHOLE] != 0
            n_seen += (hi - lo) * pending[n_pending - 1, _N_LIVE]
            weight = total(outcomes, node, is_numeric)
            n_live = score_node(
                node,
                lo,
                hi,
                pending[n_pending - 1, _N_LIVE],
                is_whole,
                live,
                slot_of,
                n_labels_of,
                n_nominal,
                stride,
                case,
                value,
                row_of_case,
                class_of_case,
                target_of_case,
                weight_of_case,
                center[node],
                weight,
                totals,
                code_of_row,
                impurity,
                is_numeric,
                missing_is_value,
                min_leaf,
                tolerance,
                zero_gain,
                value_gap,
                branch_share,
                most_branch_share,
                cut_cost,
                asked,
                is_ratio,
                n_exhaustive,
                xlog2_of,
                sides,
                counted,
                term,
                entry_of_label,
                code,
                counts,
                places,
                label_score,
                sums,
                label_table,
                gain,
                split_info,
                lower,
                upper,
                missing_side,
            )
            gained_share = weight / root_weight if gain_of_all else 1.0
            slack = tolerance * (outcomes[node, _DEVIANCE] / outcomes[node, 0]) if is_numeric else tolerance
            best = most_merit(
                is_ratio, zero_gain, min_gain, gained_share, tolerance, slack, is_counted, gain, split_info, merit
            )
            if best < 0:
                n_pending -= 1
                continue
            n_labels = n_labels_of[best]
            n_children = 2 if n_labels < 0 or asked != _MULTIWAY else n_labels + missing_is_value
            if n_nodes + n_children > attribute.shape[0] or n_pending + n_children > pending.shape[0]:
                short_of = _NODES
                break
            if n_table + n_labels > table.shape[0]:
                short_of = _TABLE
                break
            missing_to[node] = missing_to_all
            parts_missing[node] = 0
            if n_labels < 0:
                if missing_to_all == _ALL_BRANCHES:
                    missing_to[node] = 1 if missing_side[best] == _KNOWN_OR_NOT else missing_side[best]
                parts_missing[node] = missing_side[best] == _KNOWN_OR_NOT
                branches_by_value(
                    slot_of[best] * stride,
                    lo,
                    hi,
                    case,
                    value,
                    lower[best],
                    missing_side[best],
                    missing_to[node],
                    branch_of_case,
                )
            else:
                if asked == _MULTIWAY:
                    for b in range(n_labels):
                        table[n_table + b] = cython.cast(cython.int, b)
                    if missing_is_value:
                        n_children = n_labels
                        for j in range(lo, hi):
                            if code_of_row[slot_of[best] + n_nominal * row_of_case[j]] < 0:
                                missing_to[node] = cython.cast(cython.int, n_labels)
                                n_children = n_labels + 1
                                break
                else:
                    # Of all groupings that were tried, that of the attribute chosen is wanted again.
                    score_labels(
                        best,
                        slot_of[best],
                        n_nominal,
                        n_labels,
                        lo,
                        hi,
                        row_of_case,
                        class_of_case,
                        target_of_case,
                        weight_of_case,
                        center[node],
                        weight,
                        code_of_row,
                        impurity,
                        is_numeric,
                        missing_is_value,
                        min_leaf,
                        tolerance,
                        asked,
                        is_ratio,
                        n_exhaustive,
                        entry_of_label,
                        code,
                        counts,
                        places,
                        label_score,
                        sums,
                        label_table,
                        gain,
                        split_info,
                    )
                    if missing_to_all == _ALL_BRANCHES:
                        missing_to[node] = label_table[0, n_labels]
                    parts_missing[node] = label_table[0, n_labels] >= 0
                    for b in range(n_labels):
                        if label_table[0, b] == label_table[0, n_labels]:
                            parts_missing[node] = 0
                    for b in range(n_labels):
                        table[n_table + b] = label_table[0, b]
                        if label_table[0, b] < 0 and asked == _ONE_AGAINST_REST:
                            table[n_table + b] = 1  # labels that do not occur at the node are among the rest
                        if parts_missing[node]:
                            table[n_table + b] = 0
                    if parts_missing[node] and missing_to_all == _ALL_BRANCHES:
                        missing_to[node] = 1
                branches_by_table(
                    slot_of[best],
                    n_nominal,
                    lo,
                    hi,
                    row_of_case,
                    code_of_row,
                    n_table,
                    table,
                    missing_to[node],
                    branch_of_case,
                )
            for b in range(n_nodes, n_nodes + n_children):
                share[b] = 0.0
                for c in range(outcomes.shape[1]):
                    outcomes[b, c] = 0.0
            child_outcomes_of(
                lo,
                hi,
                n_nodes,
                n_nodes + n_children,
                branch_of_case,
                class_of_case,
                target_of_case,
                weight_of_case,
                center[node],
                is_numeric,
                spreads,
                node,
                missing_to,
                tolerance,
                share,
                outcomes,
            )
            is_any_open = False
            for b in range(n_children):
                if is_numeric:
                    _to_mean_and_deviance(n_nodes + b, center[node], outcomes, totals, center)
                begin_of_child[b] = _NO_PLACE
                if depth + 1 < max_depth and _may_split(
                    outcomes, n_nodes + b, is_numeric, tolerance, least_deviance, least
                ):
                    begin_of_child[b] = 0
                    is_any_open = True
            after = lo
            if is_any_open:
                after = count_moved(lo, hi, branch_of_case, n_nodes, n_children, share, begin_of_child)
                if after > stride:
                    short_of = _CASES
                    break
            attribute[node] = cython.cast(cython.int, best)
            neighbour[node, 0] = lower[best]
            neighbour[node, 1] = upper[best]
            worth[node, 0] = merit[0]
            worth[node, 1] = gain[best] * weight
            first_child[node] = cython.cast(cython.int, n_nodes)
            n_branches[node] = cython.cast(cython.int, n_children)
            table_start[node] = n_table
            if n_labels >= 0 and not parts_missing[node]:
                n_table += n_labels
            for b in range(n_nodes, n_nodes + n_children):
                attribute[b] = -1
                first_child[b] = 0
                n_branches[b] = 0
            n_nodes += n_children
            n_pending -= 1
            if not is_any_open:
                continue
            for b in range(n_children):
                place[b] = begin_of_child[b]
            move_cases(
                lo,
                hi,
                after,
                branch_of_case,
                n_nodes - n_children,
                n_children,
                share,
                is_numeric,
                place,
                move_start,
                moved_to,
                branch_of_moved,
                spare,
                spare_number,
                row_of_case,
                class_of_case,
                target_of_case,
                weight_of_case,
            )
            is_whole = is_whole and begin_of_child[n_children] == 0
            for b in range(n_children):
                if begin_of_child[b] == _NO_PLACE:
                    continue
                pending[n_pending, _NODE] = n_nodes - n_children + b
                pending[n_pending, _LO] = begin_of_child[b]
                pending[n_pending, _HI] = place[b]
                pending[n_pending, _DEPTH] = depth + 1
                pending[n_pending, _N_LIVE] = n_live
                pending[n_pending, _IS_WHOLE] = is_whole
                n_pending += 1
            for j in range(n_live):
                a = live[j]
                if n_labels_of[a] >= 0:
                    continue
                for b in range(n_children):
                    place[b] = begin_of_child[b]
                move_list(
                    slot_of[a] * stride,
                    lo,
                    hi,
                    after,
                    place,
                    move_start,
                    moved_to,
                    branch_of_moved,
                    spare,
                    spare_number,
                    case,
                    value,
                )
    progress[_N_PENDING] = n_pending
    progress[_N_NODES] = n_nodes
    progress[_N_TABLE] = n_table
    return short_of


def level_order(first_child: cython.longlong[::1], n_branches: cython.int[::1], order: cython.int[::1]) -> None:
    """Fills `order` with the nodes level by level, each level in the order of its parents; node 0 is the root."""
    n_met: cython.int = 1
    i: cython.Py_ssize_t
    b: cython.int
    with cython.nogil:
        order[0] = 0
        for i in range(order.shape[0]):
            for b in range(n_branches[order[i]]):
                order[n_met] = cython.cast(cython.int, first_child[order[i]] + b)
                n_met += 1
