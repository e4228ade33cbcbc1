"""Lists of the labels of one attribute in which equal ones, those with the same outcomes, are listed once.

As cases leave a node, labels change. A label that changes becomes one of its own, even if it now equals another.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.peel_args import Chain
    from treecli.kernels.score_groups import earlier_equal


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_labels(slot: cython.Py_ssize_t, chain: Chain) -> cython.void:
    """List the labels that occur, the first of equal ones each, for the attribute in column `slot`."""
    first: cython.Py_ssize_t = chain.first_label[slot]
    n: cython.Py_ssize_t = 0
    other: cython.Py_ssize_t
    own: cython.int
    leader: cython.int
    for own in range(first, chain.first_label[slot + 1]):
        if chain.tables.n_rows[own] == 0:
            continue
        other = earlier_equal(own, first, chain.tables, chain.scratch.slots)
        chain.before[own] = -1
        chain.after[own] = -1
        leader = own
        if other >= 0:
            leader = chain.leader[other]
            chain.before[own] = chain.last[leader]
            chain.after[chain.last[leader]] = own
        else:
            chain.listed[first + n] = own
            n += 1
        chain.leader[own] = leader
        chain.last[leader] = own
    chain.n_listed[slot] = n
    chain.n_listed_first[slot] = n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insert(own: cython.int, slot: cython.Py_ssize_t, chain: Chain) -> cython.void:
    first: cython.Py_ssize_t = chain.first_label[slot]
    i: cython.Py_ssize_t = first + chain.n_listed[slot]
    while i > first and chain.listed[i - 1] > own:
        chain.listed[i] = chain.listed[i - 1]
        i -= 1
    chain.listed[i] = own
    chain.n_listed[slot] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_apart(own: cython.int, slot: cython.Py_ssize_t, chain: Chain) -> cython.void:
    """List a label that is about to change apart from those that it equals."""
    before: cython.int = chain.before[own]
    after: cython.int = chain.after[own]
    if before < 0 and after < 0:
        return
    if after >= 0:
        chain.before[after] = before
    if before >= 0:
        chain.after[before] = after
        _insert(own, slot, chain)
    else:
        _insert(after, slot, chain)
    chain.before[own] = -1
    chain.after[own] = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def remove(own: cython.int, slot: cython.Py_ssize_t, chain: Chain) -> cython.void:
    """Remove a label that is listed apart and no longer occurs."""
    end: cython.Py_ssize_t = chain.first_label[slot] + chain.n_listed[slot]
    i: cython.Py_ssize_t = chain.first_label[slot]
    while chain.listed[i] != own:
        i += 1
    while i + 1 < end:
        chain.listed[i] = chain.listed[i + 1]
        i += 1
    chain.n_listed[slot] -= 1
