"""Count rows by node, code and class, and send rows to the nodes of the next level; batch by batch.

A row belongs to the open node `node[row]`; rows with a negative number are in leaves or set aside, and stay there.
"""

import cython


def count(
    node: cython.int[::1],
    code: cython.ushort[::1],
    label: cython.ushort[::1],
    counts: cython.longlong[:, :, ::1],
    scale: cython.double[::1],
    unknown: cython.double[::1],
) -> None:
    """Add 1 to the counter of every row in an open node; `counts` is indexed by node, code and class.

    The last code stands for a missing value. unknown[node] sums the class scales of such rows, in the order of the
    rows: the scales are no whole numbers.
    """
    row: cython.Py_ssize_t
    missing: cython.int = cython.cast(cython.int, counts.shape[1]) - 1
    with cython.nogil:
        for row in range(node.shape[0]):
            if node[row] >= 0:
                counts[node[row], code[row], label[row]] += 1
                if code[row] == missing:
                    unknown[node[row]] += scale[label[row]]


def count_weights(
    node: cython.int[::1],
    code: cython.ushort[::1],
    label: cython.ushort[::1],
    weight: cython.longlong[::1],
    counts: cython.longlong[:, :, ::1],
    scale: cython.double[::1],
    unknown: cython.double[::1],
) -> None:
    """Like `count`, but add the weight of the row."""
    row: cython.Py_ssize_t
    missing: cython.int = cython.cast(cython.int, counts.shape[1]) - 1
    with cython.nogil:
        for row in range(node.shape[0]):
            if node[row] >= 0:
                counts[node[row], code[row], label[row]] += weight[row]
                if code[row] == missing:
                    unknown[node[row]] += weight[row] * scale[label[row]]


def send_by_code(
    node: cython.int[::1],
    code: cython.ushort[::1],
    start: cython.longlong[::1],
    table: cython.int[::1],
    to: cython.int[::1],
) -> None:
    """Set the new node of the rows in nodes that this column splits: node i has the table from start[i] on.

    start[i] is negative if another column splits node i.
    """
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(node.shape[0]):
            if node[row] >= 0 and start[node[row]] >= 0:
                to[row] = table[start[node[row]] + code[row]]


def send_by_number(
    node: cython.int[::1],
    value: cython.double[::1],
    number: cython.double[::1],
    is_split: cython.uchar[::1],
    children: cython.int[:, ::1],
    to: cython.int[::1],
) -> None:
    """Set the new node of the rows in nodes that this column splits: up to the number, above it, or missing."""
    row: cython.Py_ssize_t
    own: cython.int
    with cython.nogil:
        for row in range(node.shape[0]):
            own = node[row]
            if own < 0 or not is_split[own]:
                continue
            if value[row] != value[row]:
                to[row] = children[own, 2]
            elif value[row] <= number[own]:
                to[row] = children[own, 0]
            else:
                to[row] = children[own, 1]


def count_cases(
    node: cython.int[::1],
    code: cython.ushort[::1],
    label: cython.ushort[::1],
    weight: cython.double[::1],
    counts: cython.double[:, :, ::1],
) -> None:
    """Add the weight of every case in an open node to its counter, in the order of the cases."""
    case: cython.Py_ssize_t
    with cython.nogil:
        for case in range(node.shape[0]):
            if node[case] >= 0:
                counts[node[case], code[case], label[case]] += weight[case]


def add_children(
    node: cython.int[::1],
    child: cython.int[::1],
    label: cython.ushort[::1],
    weight: cython.double[::1],
    outcomes: cython.double[:, ::1],
    share: cython.double[::1],
    known: cython.double[::1],
) -> None:
    """Add the cases that have a child to its class weights, its weight and the weight of its parent, in their order."""
    case: cython.Py_ssize_t
    n_children: cython.Py_ssize_t = outcomes.shape[0]
    with cython.nogil:
        for case in range(node.shape[0]):
            if 0 <= child[case] < n_children:
                outcomes[child[case], label[case]] += weight[case]
                share[child[case]] += weight[case]
                known[node[case]] += weight[case]


def count_targets(
    node: cython.int[::1],
    code: cython.ushort[::1],
    target: cython.double[::1],
    weight: cython.double[::1],
    center: cython.double[::1],
    sums: cython.double[:, :, ::1],
) -> None:
    """Like `count_cases` for a numeric target: add weight, sum and sum of squares about the centre of the node."""
    case: cython.Py_ssize_t
    own: cython.Py_ssize_t
    w: cython.double
    y: cython.double
    with cython.nogil:
        for case in range(node.shape[0]):
            own = node[case]
            if own >= 0:
                w = weight[case]
                y = target[case] - center[own]
                sums[own, code[case], 0] += w
                sums[own, code[case], 1] += w * y
                sums[own, code[case], 2] += w * y * y


def add_targets(
    node: cython.int[::1],
    child: cython.int[::1],
    target: cython.double[::1],
    weight: cython.double[::1],
    center: cython.double[::1],
    outcomes: cython.double[:, ::1],
    share: cython.double[::1],
    known: cython.double[::1],
) -> None:
    """Like `add_children` for a numeric target, whose sums are about the centre of the parent."""
    case: cython.Py_ssize_t
    n_children: cython.Py_ssize_t = outcomes.shape[0]
    own: cython.Py_ssize_t
    w: cython.double
    y: cython.double
    with cython.nogil:
        for case in range(node.shape[0]):
            own = child[case]
            if 0 <= own < n_children:
                w = weight[case]
                y = target[case] - center[node[case]]
                outcomes[own, 0] += w
                outcomes[own, 1] += w * y
                outcomes[own, 2] += w * y * y
                share[own] += w
                known[node[case]] += w
