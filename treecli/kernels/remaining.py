"""The cases that remain at a node which is peeled: their orders and counts, and the best splits among them."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.best_mixed import score_entries
    from treecli.kernels.codes import ONE_AGAINST_REST
    from treecli.kernels.equal_labels import list_labels, remove, set_apart
    from treecli.kernels.peel_args import REMAINS, Chain
    from treecli.kernels.score_groups import best_label_of
    from treecli.kernels.score_sums import best_cut

INFINITY = cython.declare(cython.double, float("inf"))
_FEW_LABELS = cython.declare(cython.longlong, 64)

# The row of all known cases in Scratch.sums.
_KNOWN = cython.declare(cython.Py_ssize_t, 2)


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
def open_chain(chain: Chain, lo: cython.Py_ssize_t, n_live: cython.Py_ssize_t) -> cython.bint:
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
        chain.branch[i] = REMAINS
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
def score_remaining(chain: Chain, n: cython.Py_ssize_t, n_live: cython.Py_ssize_t) -> cython.Py_ssize_t:
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
        to += chain.branch[own - lo] == REMAINS


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def forget(
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
