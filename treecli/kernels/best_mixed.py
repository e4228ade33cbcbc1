"""The best split of one node of mixed data: the worth of each attribute, and the attribute that is chosen."""

import cython

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.cases import count_labels_of
    from treecli.kernels.impurity import total
    from treecli.kernels.score_groups import multiway_of, order_of, principal_scores_of, two_way_of
    from treecli.kernels.score_sums import best_cut

INFINITY = cython.declare(cython.double, float("inf"))
_NAN = cython.declare(cython.double, float("nan"))
_LEAST_INFORMATION = cython.declare(cython.double, 1e-9)
_AVERAGE_SLACK = cython.declare(cython.double, 1e-3)
_MULTIWAY = cython.declare(cython.int, 0)
_ONE_AGAINST_REST = cython.declare(cython.int, 1)
_GROUPS = cython.declare(cython.int, 2)

MULTIWAY = 0
ONE_AGAINST_REST = 1
GROUPS = 2
"""What is asked of labels: the numbers by which this kernel knows it."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def first_unknown(value: cython.double[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where the missing values begin, which come last."""
    middle: cython.Py_ssize_t
    while begin < end:
        middle = begin + (end - begin) // 2
        if value[middle] == value[middle]:
            begin = middle + 1
        else:
            end = middle
    return begin


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_labels(
    a: cython.Py_ssize_t,
    slot: cython.Py_ssize_t,
    n_slots: cython.Py_ssize_t,
    n_labels: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    row_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double,
    weight: cython.double,
    code_of_row: cython.int[::1],
    impurity: cython.int,
    is_numeric: cython.bint,
    missing_is_value: cython.bint,
    min_leaf: cython.double,
    tolerance: cython.double,
    asked: cython.int,
    by_ratio: cython.bint,
    n_exhaustive: cython.Py_ssize_t,
    entry_of_label: cython.longlong[::1],
    code: cython.int[::1],
    counts: cython.double[:, ::1],
    places: cython.longlong[:, ::1],
    label_score: cython.double[::1],
    sums: cython.double[:, ::1],
    table: cython.int[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
) -> cython.Py_ssize_t:
    """Sets gain and split information of a nominal attribute at one node; gives the number of labels that occur.

    With fewer than two there is no split. table[0] is set to the branch of each label, and of missing values behind
    them, where labels are grouped. `counts` begins and ends with zeros, `entry_of_label` with negative numbers; places
    has zeros in its first row, and scratch in the others; so are label_score and sums scratch.
    """
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    within: cython.double
    n_entries: cython.Py_ssize_t = count_labels_of(
        lo,
        hi,
        row_of_case,
        class_of_case,
        target_of_case,
        weight_of_case,
        center,
        is_numeric,
        slot,
        n_slots,
        code_of_row,
        cython.cast(cython.int, n_labels) if missing_is_value else -1,
        n_labels + missing_is_value,
        entry_of_label,
        0,
        code,
        counts,
    )
    gain[a] = -INFINITY
    if n_entries >= 2 and asked == _MULTIWAY:
        multiway_of(
            0,
            n_entries,
            counts,
            places[0],
            weight,
            impurity,
            is_numeric,
            min_leaf,
            0.0,
            tolerance,
            sums,
            a,
            gain,
            split_info,
        )
    elif n_entries >= 2:
        for i in range(n_entries):
            places[2, i] = i
        if asked == _GROUPS:
            if is_numeric or counts.shape[1] <= 2:
                n_exhaustive = 0
                for i in range(n_entries):
                    within = total(counts, i, is_numeric)
                    label_score[i] = counts[i, 1 if is_numeric else counts.shape[1] - 1]
                    label_score[i] /= within if within > 0.0 else 1.0
            else:
                principal_scores_of(0, n_entries, counts, n_exhaustive, sums[3], sums[4], sums[5], label_score)
            order_of(0, n_entries, label_score, places[1], places[2])
        two_way_of(
            0,
            n_entries,
            code,
            places[2],
            counts,
            places[0],
            weight,
            impurity,
            is_numeric,
            min_leaf,
            0.0,
            tolerance,
            asked == _ONE_AGAINST_REST,
            by_ratio,
            n_exhaustive,
            sums,
            0,
            n_labels + 1,
            table,
            a,
            gain,
            split_info,
        )
    for i in range(n_entries):
        for c in range(counts.shape[1]):
            counts[i, c] = 0.0
    return n_entries


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def most_merit(
    is_ratio: cython.bint,
    zero_gain: cython.bint,
    min_gain: cython.double,
    share: cython.double,
    tolerance: cython.double,
    slack: cython.double,
    is_counted: cython.uchar[::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    merit: cython.double[::1],
) -> cython.Py_ssize_t:
    """The attribute of most merit, the first of equals, or -1; as Growth and the criteria rank them.

    merit[0] is set to how much that is.
    """
    a: cython.Py_ssize_t
    average: cython.double = 0.0
    n_counted: cython.Py_ssize_t = 0
    worth: cython.double
    most: cython.double = -INFINITY
    best: cython.Py_ssize_t = -1
    for a in range(gain.shape[0]):
        if gain[a] * share < min_gain:
            gain[a] = -INFINITY
    if is_ratio:
        for a in range(gain.shape[0]):
            if is_counted[a] and gain[a] > -INFINITY and split_info[a] > _LEAST_INFORMATION:
                average += gain[a]
                n_counted += 1
        if n_counted == 0:
            return -1
        average /= n_counted
    for a in range(gain.shape[0]):
        worth = gain[a]
        if worth == -INFINITY:
            continue
        if is_ratio:
            if split_info[a] <= _LEAST_INFORMATION or worth < average - _AVERAGE_SLACK:
                continue
            worth /= split_info[a]
        if not zero_gain and worth <= tolerance:
            continue
        if worth > most + slack:
            most = worth
            best = a
    merit[0] = most
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_node(
    node: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    n_live: cython.Py_ssize_t,
    is_whole: cython.bint,
    live: cython.int[::1],
    slot_of: cython.int[::1],
    n_labels_of: cython.int[::1],
    n_nominal: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    case: cython.int[::1],
    value: cython.double[::1],
    row_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double,
    weight: cython.double,
    totals: cython.double[:, ::1],
    code_of_row: cython.int[::1],
    impurity: cython.int,
    is_numeric: cython.bint,
    missing_is_value: cython.bint,
    min_leaf: cython.double,
    tolerance: cython.double,
    zero_gain: cython.bint,
    value_gap: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    cut_cost: cython.bint,
    asked: cython.int,
    is_ratio: cython.bint,
    n_exhaustive: cython.Py_ssize_t,
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
    table: cython.int[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    missing_side: cython.int[::1],
) -> cython.Py_ssize_t:
    """Sets what is found of every live attribute at one node, and gives how many stay live below it.

    Those that do not are moved behind the others in `live`: their values are all one, here and further down.
    """
    j: cython.Py_ssize_t = 0
    a: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    is_live: cython.bint
    for j in range(n_live, live.shape[0]):
        gain[live[j]] = -INFINITY
    j = 0
    while j < n_live:
        a = live[j]
        if n_labels_of[a] < 0:
            begin = slot_of[a] * stride
            end = first_unknown(value, begin + lo, begin + hi)
            is_live = end > begin + lo and (
                value[begin + lo] < value[end - 1] or (missing_is_value and end < begin + hi)
            )
            gain[a] = -INFINITY
            if is_live:
                best_cut(
                    begin + lo,
                    end,
                    begin + hi,
                    case,
                    value,
                    class_of_case,
                    target_of_case,
                    weight_of_case,
                    center,
                    totals,
                    node,
                    impurity,
                    is_numeric,
                    _NAN,
                    missing_is_value,
                    min_leaf,
                    0.0,
                    tolerance,
                    zero_gain,
                    value_gap,
                    branch_share,
                    most_branch_share,
                    cut_cost,
                    False,
                    is_whole,
                    xlog2_of,
                    sides,
                    counted,
                    term,
                    a,
                    gain,
                    split_info,
                    lower,
                    upper,
                    missing_side,
                )
        else:
            is_live = 2 <= score_labels(
                a,
                slot_of[a],
                n_nominal,
                n_labels_of[a],
                lo,
                hi,
                row_of_case,
                class_of_case,
                target_of_case,
                weight_of_case,
                center,
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
                table,
                gain,
                split_info,
            )
        if is_live:
            j += 1
        else:
            n_live -= 1
            live[j] = live[n_live]
            live[n_live] = cython.cast(cython.int, a)
    return n_live
