"""Split a node that loses few cases at a time, and then the child that has the others, without moving the others.

A split like that takes time for the cases that leave, where a stable partition would move all: a tree that loses its
cases one by one would take time quadratic in the cases for that alone. The cuts of ordered attributes are still all
scored at each node. The nodes are those of grow_mixed; cases are moved once, when no more of them leave.
It is for classes, weights that are integers, and no missing values: sums are then exact in any order.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.best_mixed import score_entries
    from treecli.kernels.choose import first_best, set_merits
    from treecli.kernels.codes import ONE_AGAINST_REST, SPREAD
    from treecli.kernels.equal_labels import list_labels, remove, set_apart
    from treecli.kernels.grow_mixed import set_one_label
    from treecli.kernels.impurity import total
    from treecli.kernels.peel_args import Chain
    from treecli.kernels.places import place_cases_of, place_order_of_many
    from treecli.kernels.score_groups import best_label_of
    from treecli.kernels.score_sums import best_cut
    from treecli.kernels.stop import may_split

INFINITY = cython.declare(cython.double, float("inf"))
_NAN = cython.declare(cython.double, float("nan"))

PEEL_SHARE = 8
"""A split peels a node if at most one in this number of its cases leaves."""

_PEEL_SHARE = cython.declare(cython.longlong, PEEL_SHARE)
_MOST_WORK = cython.declare(cython.longlong, 1 << 26)
_SPARSE_TABLE = cython.declare(cython.Py_ssize_t, 4)

# The row of all known cases in Scratch.sums.
_KNOWN = cython.declare(cython.Py_ssize_t, 2)

# Values of Chain.branch.
_REMAINS = cython.declare(cython.int, -1)
_GONE = cython.declare(cython.int, -2)

# The columns of Chain.child.
_CHILD = cython.declare(cython.Py_ssize_t, 0)
_SIZE = cython.declare(cython.Py_ssize_t, 1)
_CHILD_DEPTH = cython.declare(cython.Py_ssize_t, 2)
_CHILD_LIVE = cython.declare(cython.Py_ssize_t, 3)

CHILD_COLUMNS = 4

# The columns of Work.pending and the entries of Work.progress: see grow_mixed.
_NODE = cython.declare(cython.Py_ssize_t, 0)
_LO = cython.declare(cython.Py_ssize_t, 1)
_HI = cython.declare(cython.Py_ssize_t, 2)
_DEPTH = cython.declare(cython.Py_ssize_t, 3)
_N_LIVE = cython.declare(cython.Py_ssize_t, 4)
_IS_WHOLE = cython.declare(cython.Py_ssize_t, 5)
_N_PEELS = cython.declare(cython.Py_ssize_t, 6)
_N_PENDING = cython.declare(cython.Py_ssize_t, 0)
_N_NODES = cython.declare(cython.Py_ssize_t, 1)
_N_TABLE = cython.declare(cython.Py_ssize_t, 2)

# Why it stops: no case leaves any more, a split that is no peel, and as grow_mixed.
_DONE = cython.declare(cython.int, 0)
_NODES = cython.declare(cython.int, 2)
_TABLE = cython.declare(cython.int, 3)
_REST = cython.declare(cython.int, 4)
_NO_PEEL = cython.declare(cython.int, 6)

_MANY_PEELS = cython.declare(cython.longlong, 4)
_FEW_LABELS = cython.declare(cython.longlong, 64)

# How many peels must follow before a node is tried again: after a split that is no peel, and never.
_NOT_SOON = cython.declare(cython.longlong, -16)
_NEVER = cython.declare(cython.longlong, -(1 << 40))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _code_of(slot: cython.Py_ssize_t, place: cython.Py_ssize_t, chain: Chain) -> cython.int:
    """Return the code of the case at a place in the nominal column `slot`; negative if it is missing."""
    return chain.columns.labels.code_of_row[slot + chain.columns.labels.step * chain.work.cases.row[place]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open(chain: Chain, lo: cython.Py_ssize_t, n_live: cython.Py_ssize_t) -> cython.bint:
    """Copy the orders and count the labels of the cases from `lo` on; return False if a value is missing."""
    n: cython.Py_ssize_t = chain.n_cases
    j: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    first: cython.Py_ssize_t
    own: cython.Py_ssize_t
    label: cython.int
    for j in range(n_live):
        slot = chain.columns.slot[chain.columns.live[j]]
        if chain.columns.n_labels[chain.columns.live[j]] < 0:
            begin = slot * chain.columns.stride + lo
            if chain.work.order.value[begin + n - 1] != chain.work.order.value[begin + n - 1]:
                return False
            chain.begin[slot] = 0
            for i in range(n):
                chain.order.case[slot * n + i] = chain.work.order.case[begin + i]
                chain.order.value[slot * n + i] = chain.work.order.value[begin + i]
            continue
        first = chain.first_label[slot]
        for own in range(first, chain.first_label[slot + 1]):
            chain.case[own] = -1
            chain.tables.n_rows[own] = 0
            for c in range(chain.tables.outcomes.shape[1]):
                chain.tables.outcomes[own, c] = 0.0
        chain.n_occurring[slot] = 0
        for i in range(n):
            label = _code_of(slot, lo + i, chain)
            if label < 0:
                return False
            own = first + label
            chain.n_occurring[slot] += chain.tables.n_rows[own] == 0
            chain.tables.n_rows[own] += 1
            chain.tables.outcomes[own, chain.work.cases.label[lo + i]] += chain.work.cases.weight[lo + i]
            chain.next_case[slot * n + i] = chain.case[own]
            chain.case[own] = cython.cast(cython.int, i)
        list_labels(slot, chain)
    for i in range(n):
        chain.branch[i] = _REMAINS
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _score_labels(a: cython.Py_ssize_t, chain: Chain) -> cython.void:
    """Set gain and split information of a nominal attribute of which two labels or more occur."""
    slot: cython.Py_ssize_t = chain.columns.slot[a]
    first: cython.Py_ssize_t = chain.first_label[slot]
    n_outcomes: cython.Py_ssize_t = chain.tables.outcomes.shape[1]
    n_entries: cython.Py_ssize_t = 0
    best: cython.Py_ssize_t
    own: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    if chain.plan.nominal != ONE_AGAINST_REST:
        for own in range(first, chain.first_label[slot + 1]):
            if chain.tables.n_rows[own] > 0:
                chain.columns.tables.code[n_entries] = cython.cast(cython.int, own - first)
                for c in range(n_outcomes):
                    chain.columns.tables.outcomes[n_entries, c] = chain.tables.outcomes[own, c]
                n_entries += 1
        chain.at.place = a
        score_entries(
            n_entries, chain.columns.n_labels[a], chain.at, chain.columns, chain.plan, chain.found, chain.scratch
        )
        return
    if chain.n_listed[slot] > 2 * chain.n_listed_first[slot] + _FEW_LABELS:
        list_labels(slot, chain)
    n_entries = chain.n_listed[slot]
    for c in range(n_outcomes):
        chain.scratch.sums[_KNOWN, c] = chain.nodes.outcomes[chain.at.node, c]
    for i in range(n_entries):
        for c in range(n_outcomes):
            chain.columns.tables.outcomes[i, c] = chain.tables.outcomes[chain.listed[first + i], c]
    chain.at.place = a
    chain.at.begin = 0
    chain.at.end = n_entries
    best = best_label_of(chain.at, chain.columns.tables, chain.plan, chain.found, chain.scratch)
    chain.columns.label[a] = cython.cast(cython.int, chain.listed[first + best] - first) if best >= 0 else -1
    for i in range(n_entries):
        for c in range(n_outcomes):
            chain.columns.tables.outcomes[i, c] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _score(chain: Chain, n: cython.Py_ssize_t, n_live: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Set the best split on every live attribute for the n remaining cases, as best_mixed.score_node does."""
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    is_live: cython.bint
    for j in range(n_live, chain.columns.live.shape[0]):
        chain.found.gain[chain.columns.live[j]] = -INFINITY
    j = 0
    while j < n_live:
        a = chain.columns.live[j]
        slot = chain.columns.slot[a]
        chain.found.gain[a] = -INFINITY
        if chain.columns.n_labels[a] < 0:
            begin = slot * chain.n_cases + chain.begin[slot]
            is_live = chain.order.value[begin] < chain.order.value[begin + n - 1]
            if is_live:
                chain.at.place = a
                chain.at.begin = begin
                chain.at.end = begin + n
                chain.at.last = begin + n
                best_cut(chain.at, chain.work.cases, chain.order, chain.plan, chain.found, chain.scratch)
        else:
            is_live = chain.n_occurring[slot] >= 2
            if is_live:
                _score_labels(a, chain)
        if is_live:
            j += 1
        else:
            n_live -= 1
            chain.columns.live[j] = chain.columns.live[n_live]
            chain.columns.live[n_live] = cython.cast(cython.int, a)
    return n_live


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_leaving(
    chain: Chain, lo: cython.Py_ssize_t, n: cython.Py_ssize_t, best: cython.Py_ssize_t
) -> cython.longlong:
    """Set chain.leaving to the cases that leave by a split on attribute `best`, and return their number.

    It is negative if they take branch 1, and 0 if the split is no peel.
    """
    slot: cython.Py_ssize_t = chain.columns.slot[best]
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n_leaving: cython.longlong = 0
    middle: cython.Py_ssize_t
    own: cython.Py_ssize_t
    case: cython.int
    i: cython.Py_ssize_t
    if chain.columns.n_labels[best] >= 0:
        if chain.plan.nominal != ONE_AGAINST_REST:
            return 0
        own = chain.first_label[slot] + chain.columns.label[best]
        if chain.tables.n_rows[own] * _PEEL_SHARE > n:
            return 0
        case = chain.case[own]
        while case >= 0:
            if chain.branch[case] == _REMAINS:
                chain.leaving[n_leaving] = case
                n_leaving += 1
            case = chain.next_case[slot * chain.n_cases + case]
        return n_leaving
    begin = slot * chain.n_cases + chain.begin[slot]
    end = begin + n
    while begin < end:  # the first value above the cut
        middle = begin + (end - begin) // 2
        if chain.order.value[middle] <= chain.found.lower[best]:
            begin = middle + 1
        else:
            end = middle
    middle = begin
    begin = slot * chain.n_cases + chain.begin[slot]
    end = begin + n
    if (middle - begin) * _PEEL_SHARE <= n:
        for i in range(begin, middle):
            chain.leaving[i - begin] = cython.cast(cython.int, chain.order.case[i] - lo)
        return middle - begin
    if (end - middle) * _PEEL_SHARE <= n:
        for i in range(middle, end):
            chain.leaving[i - middle] = cython.cast(cython.int, chain.order.case[i] - lo)
        return middle - end
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _make_children(
    chain: Chain,
    lo: cython.Py_ssize_t,
    best: cython.Py_ssize_t,
    n_leaving: cython.longlong,
    n_nodes: cython.Py_ssize_t,
    n_table: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Set the split of the node on attribute `best`, and its children; return the number of table entries afterwards.

    `n_leaving` is that of _find_leaving.
    """
    node: cython.Py_ssize_t = chain.at.node
    n_labels: cython.int = chain.columns.n_labels[best]
    leaving: cython.Py_ssize_t = n_nodes if n_leaving > 0 else n_nodes + 1
    others: cython.Py_ssize_t = n_nodes + 1 if n_leaving > 0 else n_nodes
    place: cython.Py_ssize_t
    i: cython.longlong
    c: cython.Py_ssize_t
    for c in range(chain.nodes.outcomes.shape[1]):
        chain.nodes.outcomes[leaving, c] = 0.0
    for i in range(n_leaving if n_leaving > 0 else -n_leaving):
        place = lo + chain.leaving[i]
        chain.nodes.outcomes[leaving, chain.work.cases.label[place]] += chain.work.cases.weight[place]
    for c in range(chain.nodes.outcomes.shape[1]):
        chain.nodes.outcomes[others, c] = chain.nodes.outcomes[node, c] - chain.nodes.outcomes[leaving, c]
    chain.nodes.missing_to[node] = chain.plan.missing_to
    if chain.plan.missing_to == SPREAD and not chain.plan.spreads:
        chain.nodes.missing_to[node] = total(chain.nodes.outcomes, n_nodes + 1, False) > total(
            chain.nodes.outcomes, n_nodes, False
        )
    chain.nodes.parts_missing[node] = 0
    chain.nodes.attribute[node] = cython.cast(cython.int, best)
    chain.nodes.neighbour[node, 0] = chain.found.lower[best]
    chain.nodes.neighbour[node, 1] = chain.found.upper[best]
    chain.nodes.cost[node] = chain.found.cost[best] if n_labels < 0 else 0.0
    chain.nodes.first_child[node] = cython.cast(cython.int, n_nodes)
    chain.nodes.n_branches[node] = 2
    chain.nodes.table_start[node] = n_table
    for i in range(n_nodes, n_nodes + 2):
        chain.work.sent.decrease[i] = _NAN
        chain.work.sent.information[i] = 0.0
        chain.nodes.attribute[i] = -1
        chain.nodes.first_child[i] = 0
        chain.nodes.n_branches[i] = 0
    if n_labels >= 0:
        set_one_label(n_table, n_labels, chain.columns.label[best], chain.columns.most_listed, chain.nodes.table)
        n_table += _SPARSE_TABLE if n_labels > chain.columns.most_listed else n_labels
    return n_table


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _forget_labels(
    chain: Chain, lo: cython.Py_ssize_t, n_leaving: cython.longlong, slot: cython.Py_ssize_t
) -> cython.void:
    """Subtract the leaving cases from the counts of a nominal column."""
    i: cython.longlong
    place: cython.Py_ssize_t
    own: cython.int
    for i in range(n_leaving):
        place = lo + chain.leaving[i]
        own = cython.cast(cython.int, chain.first_label[slot]) + _code_of(slot, place, chain)
        set_apart(own, slot, chain)
        chain.tables.outcomes[own, chain.work.cases.label[place]] -= chain.work.cases.weight[place]
        chain.tables.n_rows[own] -= 1
        if chain.tables.n_rows[own] == 0:
            chain.n_occurring[slot] -= 1
            remove(own, slot, chain)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _forget_places(chain: Chain, lo: cython.Py_ssize_t, n: cython.Py_ssize_t, slot: cython.Py_ssize_t) -> cython.void:
    """Remove the cases that have left from the order of an attribute, in which n cases stand."""
    begin: cython.Py_ssize_t = slot * chain.n_cases + chain.begin[slot]
    to: cython.Py_ssize_t = begin
    own: cython.int
    value: cython.double
    i: cython.Py_ssize_t
    for i in range(begin, begin + n):
        own = chain.order.case[i]
        value = chain.order.value[i]
        chain.order.case[to] = own
        chain.order.value[to] = value
        to += chain.branch[own - lo] == _REMAINS


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _forget(
    chain: Chain,
    lo: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    n_live: cython.Py_ssize_t,
    best: cython.Py_ssize_t,
    n_leaving: cython.longlong,
) -> cython.void:
    """Remove the leaving cases, some of n, from all counts and orders; `n_leaving` is that of _find_leaving."""
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    for j in range(n_live):
        a = chain.columns.live[j]
        if chain.columns.n_labels[a] >= 0:
            _forget_labels(chain, lo, n_leaving if n_leaving > 0 else -n_leaving, chain.columns.slot[a])
        elif a != best:
            _forget_places(chain, lo, n, chain.columns.slot[a])
        elif n_leaving > 0:
            chain.begin[chain.columns.slot[a]] += n_leaving


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move(chain: Chain, lo: cython.Py_ssize_t, n_live: cython.Py_ssize_t, n_children: cython.Py_ssize_t) -> cython.void:
    """Move the cases, and their entries in the orders, to the children; see chain.child."""
    end: cython.longlong = lo
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    a: cython.Py_ssize_t
    for i in range(chain.n_cases):
        chain.work.sent.branch[lo + i] = chain.branch[i]
    for i in range(n_children):
        chain.place[i] = end
        end += chain.child[i, _SIZE]
    chain.at.begin = lo
    chain.at.end = lo + chain.n_cases
    chain.at.last = end
    if n_children == 0:
        return
    place_cases_of(chain.at, chain.work.sent, chain.place, chain.work.moves, chain.work.cases, False)
    for j in range(n_live):
        a = chain.columns.live[j]
        if chain.columns.n_labels[a] >= 0:
            continue
        end = lo
        for i in range(n_children):
            chain.place[i] = end
            end += chain.child[i, _SIZE]
        place_order_of_many(
            chain.at, chain.columns.slot[a] * chain.columns.stride, chain.place, chain.work.moves, chain.work.order
        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push(chain: Chain, n_pending: cython.Py_ssize_t, child: cython.Py_ssize_t, lo: cython.longlong) -> cython.longlong:
    """Make a child of the chain a pending node with the cases from `lo` on; return where they end."""
    chain.work.pending[n_pending, _NODE] = chain.child[child, _CHILD]
    chain.work.pending[n_pending, _LO] = lo
    chain.work.pending[n_pending, _HI] = lo + chain.child[child, _SIZE]
    chain.work.pending[n_pending, _DEPTH] = chain.child[child, _CHILD_DEPTH]
    chain.work.pending[n_pending, _N_LIVE] = chain.child[child, _CHILD_LIVE]
    chain.work.pending[n_pending, _IS_WHOLE] = 1
    chain.work.pending[n_pending, _N_PEELS] = 0
    return lo + chain.child[child, _SIZE]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_child(
    chain: Chain,
    n_children: cython.Py_ssize_t,
    node: cython.Py_ssize_t,
    size: cython.longlong,
    depth: cython.longlong,
    n_live: cython.Py_ssize_t,
) -> cython.void:
    chain.child[n_children, _CHILD] = node
    chain.child[n_children, _SIZE] = size
    chain.child[n_children, _CHILD_DEPTH] = depth
    chain.child[n_children, _CHILD_LIVE] = n_live


def peel(chain: Chain) -> int:
    """Split the last pending node, and the larger child of each split, as long as few cases leave; return why it stops.

    What remains is pending afterwards, as are the open children that cases have left for.
    """
    top: cython.Py_ssize_t = chain.work.progress[_N_PENDING] - 1
    n_nodes: cython.Py_ssize_t = chain.work.progress[_N_NODES]
    n_table: cython.Py_ssize_t = chain.work.progress[_N_TABLE]
    node: cython.Py_ssize_t = chain.work.pending[top, _NODE]
    lo: cython.Py_ssize_t = chain.work.pending[top, _LO]
    depth: cython.longlong = chain.work.pending[top, _DEPTH]
    n_live: cython.Py_ssize_t = chain.work.pending[top, _N_LIVE]
    n_live_first: cython.Py_ssize_t = n_live
    n_attributes: cython.Py_ssize_t = chain.columns.live.shape[0]
    n: cython.Py_ssize_t = chain.n_cases
    n_children: cython.Py_ssize_t = 0
    n_seen: cython.longlong = 0
    stops: cython.int = _NO_PEEL
    weight: cython.double
    share: cython.double
    best: cython.Py_ssize_t
    n_leaving: cython.longlong
    leaving: cython.Py_ssize_t
    is_open: cython.bint
    size: cython.longlong
    i: cython.Py_ssize_t
    end: cython.longlong
    chain.at.is_whole = True
    chain.at.only_at = _NAN
    with cython.nogil:
        if not _open(chain, lo, n_live):
            chain.work.pending[top, _N_PEELS] = _NEVER
            n = 0
        while n > 0:
            if n_seen > _MOST_WORK:
                stops = _REST
                break
            n_seen += n * n_live
            chain.at.node = node
            weight = total(chain.nodes.outcomes, node, False)
            chain.at.weight = weight
            n_live = _score(chain, n, n_live)
            share = weight / chain.plan.root_weight if chain.plan.gain_of_all else 1.0
            set_merits(chain.found, n_attributes, share, chain.plan)
            best = first_best(chain.found, n_attributes, chain.plan.tolerance)
            if best < 0:
                stops = _DONE
                break
            n_leaving = _find_leaving(chain, lo, n, best)
            if n_leaving == 0:
                stops = _NO_PEEL
                break
            if n_nodes + 2 > chain.nodes.attribute.shape[0] or top + n_children + 3 > chain.work.pending.shape[0]:
                stops = _NODES
                break
            if n_table + _SPARSE_TABLE + chain.columns.n_labels[best] > chain.nodes.table.shape[0]:
                stops = _TABLE
                break
            n_table = _make_children(chain, lo, best, n_leaving, n_nodes, n_table)
            leaving = n_nodes if n_leaving > 0 else n_nodes + 1
            node = n_nodes + 1 if n_leaving > 0 else n_nodes
            n_nodes += 2
            depth += 1
            size = n_leaving if n_leaving > 0 else -n_leaving
            is_open = depth < chain.plan.max_depth
            if is_open:
                weight = total(chain.nodes.outcomes, leaving, False)
                is_open = may_split(chain.nodes.outcomes, leaving, weight, weight, chain.plan)
            for i in range(size):
                chain.branch[chain.leaving[i]] = cython.cast(cython.int, n_children) if is_open else _GONE
            if is_open:
                _add_child(chain, n_children, leaving, size, depth, n_live)
                n_children += 1
            is_open = depth < chain.plan.max_depth
            if is_open:
                weight = total(chain.nodes.outcomes, node, False)
                is_open = may_split(chain.nodes.outcomes, node, weight, weight, chain.plan)
            if not is_open:
                stops = _DONE
                break
            _forget(chain, lo, n, n_live, best, n_leaving)
            n -= size
        if n > 0:
            if stops != _DONE:
                for i in range(chain.n_cases):
                    if chain.branch[i] == _REMAINS:
                        chain.branch[i] = cython.cast(cython.int, n_children)
                _add_child(chain, n_children, node, n, depth, n_live)
                n_children += 1
            _move(chain, lo, n_live_first, n_children)
            end = lo
            for i in range(n_children):
                end = _push(chain, top + i, i, end)
            if stops != _DONE:
                chain.work.pending[top + n_children - 1, _N_PEELS] = _NOT_SOON if stops == _NO_PEEL else _MANY_PEELS
            chain.work.progress[_N_PENDING] = top + n_children
            chain.work.progress[_N_NODES] = n_nodes
            chain.work.progress[_N_TABLE] = n_table
    return _DONE if stops == _NO_PEEL else stops
