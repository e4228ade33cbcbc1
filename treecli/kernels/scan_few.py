"""The best cut of an attribute by entropy among few cases of two classes, from packed lists.

At one node, the score of a cut is a sum of three terms and a constant: a term of the number of cases on the left, and
one of the number of those of each class there. Tables of the terms serve all attributes of the node, so a cut takes
three look-ups. Only cuts that may be better than the best so far are scored in full.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Plan
    from treecli.kernels.codes import ENTROPY, SKLEARN
    from treecli.kernels.packed_args import Lists, Search, Subtree
    from treecli.kernels.packed_lists import is_apart
    from treecli.kernels.score_classes import score_of_two

    # The rows of Search.terms.
    _ALL, _FIRST, _SECOND = range(3)

N_TERMS = 3
"""The rows of Search.terms."""

MOST_CASES = 512
"""The limit on cases. With more, it is faster to pass over groups of cuts."""

INFINITY = cython.declare(cython.double, float("inf"))

_MOST_CASES = cython.declare(cython.Py_ssize_t, MOST_CASES)

# More than rounding changes of a score, as a share of the cases.
_ROUNDING = cython.declare(cython.double, 1e-12)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _fill(
    row: cython.Py_ssize_t, n: cython.Py_ssize_t, xlog2_of: cython.double[::1], terms: cython.double[:, ::1]
) -> cython.void:
    """Set the terms of all numbers k of n cases on the left: k log2 k + (n - k) log2 (n - k)."""
    k: cython.Py_ssize_t
    for k in range(n + 1):
        terms[row, k] = xlog2_of[k] + xlog2_of[n - k]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_terms(lists: Lists, search: Search, subtree: Subtree, plan: Plan) -> cython.bint:
    """Return whether best_of_few finds the cuts of the node; if so, fill its tables."""
    n: cython.Py_ssize_t = search.hi - search.lo
    n_first: cython.Py_ssize_t
    if n > _MOST_CASES or plan.impurity != ENTROPY or plan.arithmetic == SKLEARN or subtree.outcomes.shape[1] != 2:
        return False
    n_first = cython.cast(cython.Py_ssize_t, subtree.outcomes[search.node, 0])
    _fill(_ALL, n, lists.xlog2_of, search.terms)
    _fill(_FIRST, n_first, lists.xlog2_of, search.terms)
    _fill(_SECOND, n - n_first, lists.xlog2_of, search.terms)
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _best(
    start: cython.Py_ssize_t,
    close: cython.int,
    entry: cython.uint[::1],
    terms: cython.double[:, ::1],
    lists: Lists,
    search: Search,
    subtree: Subtree,
    plan: Plan,
) -> cython.Py_ssize_t:
    """See best_of_few."""
    n: cython.Py_ssize_t = search.hi - search.lo
    n_first: cython.longlong = cython.cast(cython.longlong, subtree.outcomes[search.node, 0])
    min_side: cython.Py_ssize_t = search.min_side
    begin: cython.Py_ssize_t = start + search.lo
    i: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    n_left: cython.Py_ssize_t
    n_second: cython.Py_ssize_t = 0
    slack: cython.double = search.slack
    less: cython.double = search.before + _ROUNDING * n
    score: cython.double
    most: cython.double = -INFINITY if plan.zero_gain else 0.0
    bar: cython.double = most + slack - less
    for i in range(begin, begin + min_side - 1):
        n_second += cython.cast(cython.Py_ssize_t, (entry[i] >> 1) & 1)
    for n_left in range(min_side, n - min_side + 1):
        i = begin + n_left - 1
        n_second += cython.cast(cython.Py_ssize_t, (entry[i] >> 1) & 1)
        if not terms[_FIRST, n_left - n_second] + terms[_SECOND, n_second] - terms[_ALL, n_left] > bar:
            continue
        if not entry[i + 1] & 1 or (close >= 0 and not is_apart(lists, close, i, plan.value_gap)):
            continue
        score = score_of_two(n_left, n_left - n_second, n, n_first, lists, search, plan)
        if score > most + slack:
            most = score
            best = i
            bar = most + slack - less
    search.most = most
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_of_few(
    start: cython.Py_ssize_t, close: cython.int, lists: Lists, search: Search, subtree: Subtree, plan: Plan
) -> cython.Py_ssize_t:
    """Return the last entry on the left of the best cut, or -1; set its score in search.most. set_terms comes first."""
    # The views are arguments, which stay in registers.
    return _best(start, close, lists.entry, search.terms, lists, search, subtree, plan)
