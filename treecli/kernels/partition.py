"""Assign cases to branches, and move them to children in stable order.

A row of the data is one case, or several with fractions of its weight where a missing value has sent it down several
branches. The functions that end in `_of` do their work for one node.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Labels, Moves, Order, Plan, Sent
    from treecli.kernels.codes import KNOWN_OR_NOT, SPREAD
    from treecli.kernels.decrease import decrease_of, information_of

_NO_PLACE = cython.declare(cython.longlong, -1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(
    outcomes: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    is_numeric: cython.bint,
    label: cython.int,
    y: cython.double,
    w: cython.double,
) -> cython.void:
    if is_numeric:
        outcomes[row, 0] += w
        outcomes[row, 1] += w * y
        outcomes[row, 2] += w * y * y
    else:
        outcomes[row, label] += w


def send_by_number(
    nodes: cython.longlong[::1],
    cases: Cases,
    value_of_row: cython.double[::1],
    number: cython.double[::1],
    missing_to: cython.int[::1],
    branch: cython.int[::1],
) -> None:
    """Set the branch of every case of these nodes: 0 up to the node's number, 1 above it."""
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    value: cython.double
    with cython.nogil:
        for i in range(nodes.shape[0]):
            node = nodes[i]
            for case in range(cases.start[node], cases.start[node + 1]):
                value = value_of_row[cases.row[case]]
                if value != value:
                    branch[case] = missing_to[node]
                elif value <= number[node]:
                    branch[case] = 0
                else:
                    branch[case] = 1


def send_by_label(
    nodes: cython.longlong[::1],
    cases: Cases,
    code_of_row: cython.int[::1],
    table: cython.int[:, ::1],
    missing_to: cython.int[::1],
    branch: cython.int[::1],
) -> None:
    """Set the branch of every case of these nodes by its label; table[i] belongs to the i-th of them."""
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    label: cython.int
    with cython.nogil:
        for i in range(nodes.shape[0]):
            node = nodes[i]
            for case in range(cases.start[node], cases.start[node + 1]):
                label = code_of_row[cases.row[case]]
                branch[case] = missing_to[node] if label < 0 else table[i, label]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def share_of(
    node: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    after: cython.Py_ssize_t,
    known: cython.double,
    unknown: cython.double,
    sent: Sent,
    plan: Plan,
) -> cython.void:
    """Turn the known weights of the children into shares, and set the decrease, as child_outcomes does.

    `known` and `unknown` are the weights of the cases with and without a branch.
    """
    child: cython.Py_ssize_t
    if unknown > 0.0 and sent.decrease[node] != sent.decrease[node]:
        # Only here are the sums those of known values.
        sent.decrease[node] = decrease_of(sent.outcomes, first, after, plan)
        sent.information[node] = information_of(sent.outcomes, first, after, unknown, plan)
    for child in range(first, after):
        if known > 0.0:
            sent.share[child] /= known
            if sent.share[child] <= plan.tolerance:
                sent.share[child] = 0.0
        else:
            sent.share[child] = 1.0 / (after - first)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def spread_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    node: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    after: cython.Py_ssize_t,
    cases: Cases,
    sent: Sent,
    plan: Plan,
) -> cython.void:
    """Add the cases without a branch to the children by their shares, as child_outcomes does."""
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    heaviest: cython.Py_ssize_t
    y: cython.double = 0.0
    center: cython.double = cases.center[node]
    is_numeric: cython.bint = plan.is_numeric
    if not plan.spreads and sent.missing_to[node] == SPREAD:
        heaviest = first
        for child in range(first, after):
            if sent.share[child] > sent.share[heaviest]:
                heaviest = child
        sent.missing_to[node] = cython.cast(cython.int, heaviest - first)
    for case in range(begin, end):
        if sent.branch[case] != SPREAD:
            continue
        if is_numeric:
            y = cases.target[case] - center
        if not plan.spreads:
            sent.branch[case] = sent.missing_to[node]
            child = first + sent.missing_to[node]
            _add(sent.outcomes, child, is_numeric, cases.label[case], y, cases.weight[case])
            continue
        for child in range(first, after):
            if sent.share[child] > 0.0:
                _add(sent.outcomes, child, is_numeric, cases.label[case], y, cases.weight[case] * sent.share[child])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def clear_children_of(first: cython.Py_ssize_t, after: cython.Py_ssize_t, sent: Sent) -> cython.void:
    """Set the outcomes and the shares of the children from `first` to before `after` to zeros."""
    child: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for child in range(first, after):
        sent.share[child] = 0.0
        for c in range(sent.outcomes.shape[1]):
            sent.outcomes[child, c] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def child_outcomes_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    node: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    after: cython.Py_ssize_t,
    cases: Cases,
    sent: Sent,
    plan: Plan,
) -> cython.void:
    """Sum the outcomes and the shares of the children of one node, as child_outcomes does.

    Its cases are those from `begin` to `end`, its children those from `first` to before `after`.
    """
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    known: cython.double = 0.0
    unknown: cython.double = 0.0
    y: cython.double = 0.0
    w: cython.double
    center: cython.double = cases.center[node]
    is_numeric: cython.bint = plan.is_numeric
    for case in range(begin, end):
        if sent.branch[case] <= SPREAD:
            unknown += cases.weight[case] * (1.0 if is_numeric else plan.class_scale[cases.label[case]])
            continue
        child = first + sent.branch[case]
        w = cases.weight[case]
        # Written out: as an argument of a function, the view of the outcomes would be copied.
        if is_numeric:
            y = cases.target[case] - center
            sent.outcomes[child, 0] += w
            sent.outcomes[child, 1] += w * y
            sent.outcomes[child, 2] += w * y * y
        else:
            sent.outcomes[child, cases.label[case]] += w
        sent.share[child] += w
        known += w
    share_of(node, first, after, known, unknown, sent, plan)
    spread_of(begin, end, node, first, after, cases, sent, plan)


def child_outcomes(cases: Cases, sent: Sent, plan: Plan) -> None:
    """Sum the outcomes of every child and its share of its parent's known weight.

    If cases spread, a case without a branch goes down all branches, each with the child's share of its weight.
    Otherwise it takes the heaviest branch (ties: the first), and missing_to and the case's branch are set to it. If no
    value is known, the shares are equal; a share of at most the tolerance counts as 0. At nodes with such cases,
    decrease and information are set, unless they already are.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            if sent.first_child[node + 1] > sent.first_child[node]:
                child_outcomes_of(
                    cases.start[node],
                    cases.start[node + 1],
                    node,
                    sent.first_child[node],
                    sent.first_child[node + 1],
                    cases,
                    sent,
                    plan,
                )


def spread(cases: Cases, sent: Sent, known: cython.double[::1], plan: Plan) -> None:
    """Like child_outcomes, if the cases with a branch are already summed in sent.outcomes, sent.share and `known`.

    known[i] is the weight of such cases at node i; `cases` are those without a branch, and sent.branch is SPREAD.
    """
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    unknown: cython.double
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            if sent.first_child[node + 1] == sent.first_child[node]:
                continue
            unknown = 0.0
            for case in range(cases.start[node], cases.start[node + 1]):
                unknown += cases.weight[case] * (1.0 if plan.is_numeric else plan.class_scale[cases.label[case]])
            share_of(node, sent.first_child[node], sent.first_child[node + 1], known[node], unknown, sent, plan)
            spread_of(
                cases.start[node],
                cases.start[node + 1],
                node,
                sent.first_child[node],
                sent.first_child[node + 1],
                cases,
                sent,
                plan,
            )


def count_moves(cases: Cases, sent: Sent, moves: Moves, n_in_child: cython.longlong[::1]) -> None:
    """Count the cases of each open child, and set where the moves of each case begin."""
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    n_moves: cython.int = 0
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            for case in range(cases.start[node], cases.start[node + 1]):
                moves.start[case] = n_moves
                if sent.first_child[node + 1] == sent.first_child[node] or sent.branch[case] < SPREAD:
                    continue
                if sent.branch[case] != SPREAD:
                    child = sent.first_child[node] + sent.branch[case]
                    if sent.open_number[child] >= 0:
                        n_in_child[sent.open_number[child]] += 1
                        n_moves += 1
                    continue
                for child in range(sent.first_child[node], sent.first_child[node + 1]):
                    if sent.share[child] > 0.0 and sent.open_number[child] >= 0:
                        n_in_child[sent.open_number[child]] += 1
                        n_moves += 1
        moves.start[cases.start[cases.start.shape[0] - 1]] = n_moves


def make_moves(cases: Cases, sent: Sent, moves: Moves, next_place: cython.longlong[::1]) -> None:
    """Give every case its place, or places, in the open children; next_place[i] starts where child i does.

    Rows and weights at their new places are set in moves.spare and moves.number.
    """
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    child: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    move: cython.Py_ssize_t
    place: cython.longlong
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            for case in range(cases.start[node], cases.start[node + 1]):
                move = moves.start[case]
                if move == moves.start[case + 1]:
                    continue
                begin = sent.first_child[node]
                end = sent.first_child[node + 1]
                if sent.branch[case] != SPREAD:
                    begin += sent.branch[case]
                    end = begin + 1
                for child in range(begin, end):
                    if sent.open_number[child] < 0 or (sent.branch[case] == SPREAD and sent.share[child] <= 0.0):
                        continue
                    place = next_place[sent.open_number[child]]
                    next_place[sent.open_number[child]] = place + 1
                    moves.to[move] = cython.cast(cython.int, place)
                    moves.branch[place] = cython.cast(cython.int, sent.open_number[child])
                    moves.spare[place] = cases.row[case]
                    moves.number[place] = cases.weight[case]
                    if sent.branch[case] == SPREAD:
                        moves.number[place] = cases.weight[case] * sent.share[child]
                    move += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def first_unknown(value: cython.double[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the place of the first missing value; missing values are last."""
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
def send_by_value_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    order: Order,
    lower: cython.double,
    missing_side: cython.int,
    missing_to: cython.int,
    branch: cython.int[::1],
) -> cython.void:
    """Set the branch of every case: 0 up to the value below the cut, 1 above it.

    The cases stand from `begin` to `end` in the order.
    """
    i: cython.Py_ssize_t
    unknown: cython.Py_ssize_t = first_unknown(order.value, begin, end)
    for i in range(begin, unknown):
        branch[order.case[i]] = 0 if missing_side == KNOWN_OR_NOT or order.value[i] <= lower else 1
    for i in range(unknown, end):
        branch[order.case[i]] = missing_to


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def send_by_table_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    cases: Cases,
    labels: Labels,
    first: cython.Py_ssize_t,
    table: cython.int[::1],
    missing_to: cython.int,
    branch: cython.int[::1],
) -> cython.void:
    """Set the branch of every case by its label; the table of the node starts at `first`."""
    i: cython.Py_ssize_t
    label: cython.int
    for i in range(begin, end):
        label = labels.code_of_row[labels.first + labels.step * cases.row[i]]
        branch[i] = missing_to if label < 0 else table[first + label]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def send_one_label_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    cases: Cases,
    labels: Labels,
    own: cython.int,
    missing_to: cython.int,
    branch: cython.int[::1],
) -> cython.void:
    """Set the branch of every case: 0 for one label, 1 for all others."""
    i: cython.Py_ssize_t
    label: cython.int
    for i in range(begin, end):
        label = labels.code_of_row[labels.first + labels.step * cases.row[i]]
        branch[i] = missing_to if label < 0 else label != own


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_moved_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    n_branches: cython.Py_ssize_t,
    sent: Sent,
    place: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Set where the cases of each open child begin, and return where those of the last one end.

    place[b] is 0 for the open ones among the children, and negative for the others; place[n_branches] is set to the
    number of cases that go down several branches.
    """
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    n_spread: cython.longlong = 0
    n: cython.longlong
    next_place: cython.longlong = begin
    for i in range(begin, end):
        b = sent.branch[i]
        if b == SPREAD:
            n_spread += 1
        elif b >= 0 and place[b] >= 0:
            place[b] += 1
    for b in range(n_branches):
        if place[b] == _NO_PLACE:
            continue
        n = place[b]
        if sent.share[first + b] > 0.0:
            n += n_spread
        place[b] = next_place
        next_place += n
    place[n_branches] = n_spread
    return next_place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_cases_of(
    at: At,
    first: cython.Py_ssize_t,
    n_branches: cython.Py_ssize_t,
    sent: Sent,
    place: cython.longlong[::1],
    moves: Moves,
    cases: Cases,
    is_numeric: cython.bint,
) -> cython.void:
    """Move every case of a node to its place, or places, in the open children; `place` is overwritten.

    The cases stand from at.begin to at.end, the last that there are; those of the open children take their places, up
    to at.last. The moves of case i are those from start[i - at.begin] on; they are kept for move_order_of.
    """
    lo: cython.Py_ssize_t = at.begin
    hi: cython.Py_ssize_t = at.end
    after: cython.Py_ssize_t = at.last
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    m: cython.Py_ssize_t
    n_moves: cython.int = 0
    for i in range(lo, hi):
        moves.start[i - lo] = n_moves
        begin = sent.branch[i]
        if begin < SPREAD:
            continue
        end = begin + 1
        if begin == SPREAD:
            begin = 0
            end = n_branches
        for b in range(begin, end):
            if place[b] < 0 or (sent.branch[i] == SPREAD and sent.share[first + b] <= 0.0):
                continue
            moves.to[n_moves] = cython.cast(cython.int, place[b])
            moves.branch[n_moves] = cython.cast(cython.int, b)
            moves.number[place[b] - lo] = cases.weight[i]
            if sent.branch[i] == SPREAD:
                moves.number[place[b] - lo] = cases.weight[i] * sent.share[first + b]
            moves.spare[place[b] - lo] = cases.row[i]
            place[b] += 1
            n_moves += 1
    moves.start[hi - lo] = n_moves
    for i in range(hi - lo):
        for m in range(moves.start[i], moves.start[i + 1]):
            sent.branch[moves.to[m]] = cases.label[lo + i]
    # The moves now hold the branches, so the branch array is reused as scratch for the classes.
    for i in range(after - lo):
        cases.row[lo + i] = moves.spare[i]
        cases.weight[lo + i] = moves.number[i]
        cases.label[lo + i] = sent.branch[lo + i]
    if not is_numeric:
        return
    for i in range(hi - lo):
        for m in range(moves.start[i], moves.start[i + 1]):
            moves.number[moves.to[m] - lo] = cases.target[lo + i]
    for i in range(after - lo):
        cases.target[lo + i] = moves.number[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_order_of(
    at: At, begin: cython.Py_ssize_t, place: cython.longlong[::1], moves: Moves, order: Order
) -> cython.void:
    """Move the entries of one order as move_cases_of has moved the cases: a stable partition, never a sort.

    The order starts at `begin`. `place` is where the entries of each open child begin, and is used up.
    """
    lo: cython.Py_ssize_t = at.begin
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t
    b: cython.int
    own: cython.Py_ssize_t
    to: cython.longlong
    value: cython.double
    for i in range(begin + lo, begin + at.end):
        own = order.case[i] - lo
        value = order.value[i]
        for m in range(moves.start[own], moves.start[own + 1]):
            b = moves.branch[m]
            to = place[b]
            place[b] = to + 1
            moves.spare[to - lo] = moves.to[m]
            moves.number[to - lo] = value
    for i in range(at.last - lo):
        order.case[begin + lo + i] = moves.spare[i]
        order.value[begin + lo + i] = moves.number[i]
