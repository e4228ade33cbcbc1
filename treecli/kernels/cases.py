"""Cases on their way down: counting them by label, sending them along branches, keeping their order.

The cases of an open node stand in a row: node i owns the numbers from start[i] to start[i + 1]. A row of the data
is one case, or several with fractions of its weight where a missing value has sent it down several branches.
"""

import cython

SPREAD = -1
"""The branch of a case that goes down every one, or down the heaviest; below it: the case goes down none."""

_SPREAD = cython.declare(cython.int, -1)
_SPARSE = cython.declare(cython.int, 16)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add(
    outcomes: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    is_numeric: cython.bint,
    class_code: cython.int,
    y: cython.double,
    w: cython.double,
) -> cython.void:
    if is_numeric:
        outcomes[row, 0] += w
        outcomes[row, 1] += w * y
        outcomes[row, 2] += w * y * y
    else:
        outcomes[row, class_code] += w


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort_codes(code: cython.int[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
    """Sorts the codes from `begin` to `end` (Shell 1959)."""
    gap: cython.Py_ssize_t = (end - begin) // 2
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    own: cython.int
    while gap > 0:
        for i in range(begin + gap, end):
            own = code[i]
            j = i
            while j >= begin + gap and code[j - gap] > own:
                code[j] = code[j - gap]
                j -= gap
            code[j] = own
        gap = 1 if gap == 2 else gap * 5 // 11


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_labels_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    row_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double,
    is_numeric: cython.bint,
    first_row: cython.Py_ssize_t,
    row_step: cython.Py_ssize_t,
    code_of_row: cython.int[::1],
    missing_code: cython.int,
    n_labels: cython.Py_ssize_t,
    entry_of_label: cython.longlong[::1],
    first_entry: cython.Py_ssize_t,
    code: cython.int[::1],
    outcomes: cython.double[:, ::1],
) -> cython.Py_ssize_t:
    """Makes the entries of one node from `first_entry` on, as count_labels says, and gives the number after the last.

    Its cases are those from `begin` to `end`. The codes of the attribute begin at `first_row`, one row's
    `row_step` after the other's. `entry_of_label` is negative for every label, before and after; the outcomes of the
    entries begin with zeros.
    """
    case: cython.Py_ssize_t
    label: cython.int
    i: cython.Py_ssize_t
    n_entries: cython.Py_ssize_t = first_entry
    # A few cases are sorted: to look at every label at each of many small nodes would take quadratic time.
    is_sparse: cython.bint = _SPARSE * (end - begin) < n_labels
    y: cython.double = 0.0
    for case in range(begin, end):
        label = code_of_row[first_row + row_step * row_of_case[case]]
        if label < 0:
            label = missing_code
        if label >= 0 and entry_of_label[label] < 0:
            entry_of_label[label] = 0
            if is_sparse:
                code[n_entries] = label
                n_entries += 1
    if is_sparse:
        _sort_codes(code, first_entry, n_entries)
        for i in range(first_entry, n_entries):
            entry_of_label[code[i]] = i
    else:
        for i in range(n_labels):
            if entry_of_label[i] == 0:
                entry_of_label[i] = n_entries
                code[n_entries] = i
                n_entries += 1
    for case in range(begin, end):
        label = code_of_row[first_row + row_step * row_of_case[case]]
        if label < 0:
            label = missing_code
        if label >= 0:
            if is_numeric:
                y = target_of_case[case] - center
            _add(outcomes, entry_of_label[label], is_numeric, class_of_case[case], y, weight_of_case[case])
    for i in range(first_entry, n_entries):
        entry_of_label[code[i]] = -1
    return n_entries


def count_labels(
    start: cython.longlong[::1],
    row_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double[::1],
    is_numeric: cython.bint,
    code_of_row: cython.int[::1],
    missing_code: cython.int,
    entry_of_label: cython.longlong[::1],
    label_start: cython.longlong[::1],
    code: cython.int[::1],
    outcomes: cython.double[:, ::1],
) -> None:
    """Fills the last three arrays with an entry for each label that occurs at a node, in the order of the labels.

    Missing values count as the label `missing_code`, or not at all where that is negative. `entry_of_label` is
    scratch, one place a label.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n_entries: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(entry_of_label.shape[0]):
            entry_of_label[i] = -1
        for node in range(start.shape[0] - 1):
            label_start[node] = n_entries
            n_entries = count_labels_of(
                start[node],
                start[node + 1],
                row_of_case,
                class_of_case,
                target_of_case,
                weight_of_case,
                center[node],
                is_numeric,
                0,
                1,
                code_of_row,
                missing_code,
                entry_of_label.shape[0],
                entry_of_label,
                n_entries,
                code,
                outcomes,
            )
        label_start[start.shape[0] - 1] = n_entries


def count_rows(
    start: cython.longlong[::1],
    row_of_case: cython.int[::1],
    code_of_row: cython.int[::1],
    missing_code: cython.int,
    entry_of_label: cython.longlong[::1],
    label_start: cython.longlong[::1],
    code: cython.int[::1],
    n_rows: cython.longlong[::1],
) -> None:
    """Adds up the cases of each entry that count_labels has made; `entry_of_label` is scratch, one place a label."""
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    label: cython.int
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            for entry in range(label_start[node], label_start[node + 1]):
                entry_of_label[code[entry]] = entry
            for case in range(start[node], start[node + 1]):
                label = code_of_row[row_of_case[case]]
                if label < 0:
                    label = missing_code
                if label >= 0:
                    n_rows[entry_of_label[label]] += 1


def branches_by_number(
    nodes: cython.longlong[::1],
    start: cython.longlong[::1],
    row_of_case: cython.int[::1],
    value_of_row: cython.double[::1],
    number: cython.double[::1],
    missing_to: cython.int[::1],
    branch_of_case: cython.int[::1],
) -> None:
    """Sets the branch of every case of these nodes: 0 up to the node's number, 1 above it."""
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    value: cython.double
    with cython.nogil:
        for i in range(nodes.shape[0]):
            node = nodes[i]
            for case in range(start[node], start[node + 1]):
                value = value_of_row[row_of_case[case]]
                if value != value:
                    branch_of_case[case] = missing_to[node]
                elif value <= number[node]:
                    branch_of_case[case] = 0
                else:
                    branch_of_case[case] = 1


def branches_by_label(
    nodes: cython.longlong[::1],
    start: cython.longlong[::1],
    row_of_case: cython.int[::1],
    code_of_row: cython.int[::1],
    table: cython.int[:, ::1],
    missing_to: cython.int[::1],
    branch_of_case: cython.int[::1],
) -> None:
    """Sets the branch of every case of these nodes by its label; table[i] belongs to the i-th of them."""
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    label: cython.int
    with cython.nogil:
        for i in range(nodes.shape[0]):
            node = nodes[i]
            for case in range(start[node], start[node + 1]):
                label = code_of_row[row_of_case[case]]
                branch_of_case[case] = missing_to[node] if label < 0 else table[i, label]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def child_outcomes_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    after: cython.Py_ssize_t,
    branch_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double,
    is_numeric: cython.bint,
    spreads: cython.bint,
    node: cython.Py_ssize_t,
    missing_to: cython.int[::1],
    tolerance: cython.double,
    share: cython.double[::1],
    outcomes: cython.double[:, ::1],
) -> cython.void:
    """Adds up the outcomes and the shares of the children of one node, as child_outcomes says.

    Its cases are those from `begin` to `end`, its children those from `first` to before `after`.
    """
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    heaviest: cython.Py_ssize_t
    known: cython.double
    y: cython.double = 0.0
    known = 0.0
    for case in range(begin, end):
        if branch_of_case[case] <= _SPREAD:
            continue
        child = first + branch_of_case[case]
        if is_numeric:
            y = target_of_case[case] - center
        _add(outcomes, child, is_numeric, class_of_case[case], y, weight_of_case[case])
        share[child] += weight_of_case[case]
        known += weight_of_case[case]
    for child in range(first, after):
        if known > 0.0:
            share[child] /= known
            if share[child] <= tolerance:
                share[child] = 0.0
        else:
            share[child] = 1.0 / (after - first)
    if not spreads and missing_to[node] == _SPREAD:
        heaviest = first
        for child in range(first, after):
            if share[child] > share[heaviest]:
                heaviest = child
        missing_to[node] = heaviest - first
    for case in range(begin, end):
        if branch_of_case[case] != _SPREAD:
            continue
        if is_numeric:
            y = target_of_case[case] - center
        if not spreads:
            branch_of_case[case] = missing_to[node]
            child = first + missing_to[node]
            _add(outcomes, child, is_numeric, class_of_case[case], y, weight_of_case[case])
            continue
        for child in range(first, after):
            if share[child] > 0.0:
                _add(outcomes, child, is_numeric, class_of_case[case], y, weight_of_case[case] * share[child])


def child_outcomes(
    start: cython.longlong[::1],
    first_child: cython.longlong[::1],
    branch_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    center: cython.double[::1],
    is_numeric: cython.bint,
    spreads: cython.bint,
    missing_to: cython.int[::1],
    tolerance: cython.double,
    share: cython.double[::1],
    outcomes: cython.double[:, ::1],
) -> None:
    """Adds up the outcomes of every child and its share of its parent's known weight.

    The children of node i are first_child[i] and on. A case that has no branch yet goes down all of them if cases
    spread, each with the child's share of its weight, and otherwise down the heaviest, the first of equals; then
    missing_to[i] and the case's branch are set to it. Where nothing is known, the shares are equal; a share no
    larger than the tolerance is none.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            if first_child[node + 1] == first_child[node]:
                continue
            child_outcomes_of(
                start[node],
                start[node + 1],
                first_child[node],
                first_child[node + 1],
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


def count_moves(
    start: cython.longlong[::1],
    first_child: cython.longlong[::1],
    branch_of_case: cython.int[::1],
    share: cython.double[::1],
    open_number: cython.longlong[::1],
    n_in_child: cython.longlong[::1],
    move_start: cython.longlong[::1],
) -> None:
    """Counts the cases of each open child, and sets where the moves of each case begin in a list of all moves.

    open_number[child] is the child's place among the open ones, or negative if it has become a leaf.
    """
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    n_moves: cython.longlong = 0
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            for case in range(start[node], start[node + 1]):
                move_start[case] = n_moves
                if first_child[node + 1] == first_child[node] or branch_of_case[case] < _SPREAD:
                    continue
                if branch_of_case[case] != _SPREAD:
                    child = first_child[node] + branch_of_case[case]
                    if open_number[child] >= 0:
                        n_in_child[open_number[child]] += 1
                        n_moves += 1
                    continue
                for child in range(first_child[node], first_child[node + 1]):
                    if share[child] > 0.0 and open_number[child] >= 0:
                        n_in_child[open_number[child]] += 1
                        n_moves += 1
        move_start[start[start.shape[0] - 1]] = n_moves


def make_moves(
    start: cython.longlong[::1],
    first_child: cython.longlong[::1],
    branch_of_case: cython.int[::1],
    share: cython.double[::1],
    open_number: cython.longlong[::1],
    move_start: cython.longlong[::1],
    next_place: cython.longlong[::1],
    row_of_case: cython.int[::1],
    weight_of_case: cython.double[::1],
    moved_to: cython.int[::1],
    node_of_moved: cython.int[::1],
    row_of_moved: cython.int[::1],
    weight_of_moved: cython.double[::1],
) -> None:
    """Gives every case its place, or places, in the open children; next_place[i] starts where child i does."""
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    move: cython.longlong
    place: cython.longlong
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            for case in range(start[node], start[node + 1]):
                move = move_start[case]
                if move == move_start[case + 1]:
                    continue
                begin = first_child[node]
                end = first_child[node + 1]
                if branch_of_case[case] != _SPREAD:
                    begin += branch_of_case[case]
                    end = begin + 1
                for child in range(begin, end):
                    if open_number[child] < 0 or (branch_of_case[case] == _SPREAD and share[child] <= 0.0):
                        continue
                    place = next_place[open_number[child]]
                    next_place[open_number[child]] = place + 1
                    moved_to[move] = place
                    node_of_moved[place] = open_number[child]
                    row_of_moved[place] = row_of_case[case]
                    weight_of_moved[place] = weight_of_case[case]
                    if branch_of_case[case] == _SPREAD:
                        weight_of_moved[place] = weight_of_case[case] * share[child]
                    move += 1


def keep_order(
    case: cython.int[::1],
    value: cython.double[::1],
    move_start: cython.longlong[::1],
    moved_to: cython.int[::1],
    node_of_moved: cython.int[::1],
    next_place: cython.longlong[::1],
    n_known: cython.longlong[::1],
    new_case: cython.int[::1],
    new_value: cython.double[::1],
) -> None:
    """Fills the last two arrays with the sorted cases of the open children: a stable partition, never a sort."""
    i: cython.Py_ssize_t
    move: cython.longlong
    place: cython.longlong
    node: cython.int
    with cython.nogil:
        for i in range(case.shape[0]):
            for move in range(move_start[case[i]], move_start[case[i] + 1]):
                node = node_of_moved[moved_to[move]]
                place = next_place[node]
                next_place[node] = place + 1
                new_case[place] = moved_to[move]
                new_value[place] = value[i]
                if value[i] == value[i]:
                    n_known[node] += 1
