"""Gains and split information in the 32-bit floats of C4.5 release 8.

C4.5 keeps weights, counts, sums of logarithms, gains and values as 32-bit floats, and computes with doubles in between.
Which of two nearly equal splits wins depends on that rounding, so each of these numbers is rounded at the same place.
"""

import cython
from cython.cimports.libc.math import log2

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from numpy import float32

    from treecli.kernels.args import At, Cases, Found, Order, Plan, Scratch, Tables

    # The rows of the scratch tables: the sides of a cut.
    _LEFT, _RIGHT = range(2)

SCRATCH_ROWS = 2
"""The rows of Scratch.sides, counted and terms, with a column for each class; the latter two begin with zeros."""

INFINITY = cython.declare(cython.double, float("inf"))
_LARGEST_SINGLE = cython.declare(cython.double, 3.4028234663852886e38)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _single(x: cython.double) -> cython.double:
    """Return the number rounded to 32 bits."""
    rounded: cython.float
    if x > _LARGEST_SINGLE:
        x = _LARGEST_SINGLE
    elif x < -_LARGEST_SINGLE:
        x = -_LARGEST_SINGLE
    if not cython.compiled:
        return float(float32(x))
    rounded = x
    return rounded


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _xlog2(x: cython.double, plan: Plan) -> cython.double:
    """Like impurity.xlog2; values for integers are looked up in plan.xlog2_of."""
    whole: cython.Py_ssize_t
    if x < plan.xlog2_of.shape[0] and x >= 0.0:
        whole = cython.cast(cython.Py_ssize_t, x)
        if whole == x:
            return plan.xlog2_of[whole]
    return x * log2(x) if x > 0.0 else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _information(weights: cython.double[:, ::1], row: cython.Py_ssize_t, plan: Plan) -> cython.double:
    """Weight times entropy of one row of class weights."""
    c: cython.Py_ssize_t
    count: cython.double
    total: cython.double = 0.0
    terms: cython.double = 0.0
    for c in range(weights.shape[1]):
        count = _single(weights[row, c])
        total = _single(total + count)
        terms = _single(terms + _xlog2(count, plan))
    return _single(_xlog2(total, plan) - terms)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _multiway_of(at: At, tables: Tables, plan: Plan, found: Found, scratch: Scratch) -> cython.void:
    """Set entry at.node of `found` for one branch per label at one node; see multiway."""
    node: cython.Py_ssize_t = at.node
    entry: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_large: cython.Py_ssize_t = 0
    in_branch: cython.double
    known: cython.double = 0.0
    unknown: cython.double
    whole: cython.double
    before: cython.double
    after: cython.double = 0.0
    terms: cython.double = 0.0
    for c in range(tables.outcomes.shape[1]):
        scratch.sides[_LEFT, c] = 0.0
    for entry in range(at.begin, at.end):
        in_branch = 0.0
        for c in range(tables.outcomes.shape[1]):
            scratch.sides[_LEFT, c] += tables.outcomes[entry, c]
            in_branch += tables.outcomes[entry, c]
        in_branch = _single(in_branch)
        if in_branch >= plan.min_leaf:
            n_large += 1
        known = _single(known + in_branch)
        terms = _single(terms + _xlog2(in_branch, plan))
        after = _single(after + _information(tables.outcomes, entry, plan))
    if n_large < 2 or known <= 0.0:
        return
    unknown = _single(tables.weights[node] - known)
    if unknown < 0.0:
        unknown = 0.0
    whole = _single(known + unknown)
    terms = _single(terms + _xlog2(unknown, plan))
    before = _single(_information(scratch.sides, _LEFT, plan) / known)
    after = _single(after / known)
    found.gain[node] = _single((1.0 - _single(unknown / whole)) * (before - after))
    found.split_info[node] = _single(_single(_xlog2(whole, plan) - terms) / whole)


def multiway(tables: Tables, at: At, plan: Plan, found: Found, scratch: Scratch) -> None:
    """Fill gain and split_info of `found` for one branch per label, with all class weights in the tables.

    The gain is -inf where fewer than two branches weigh plan.min_leaf.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(tables.start.shape[0] - 1):
            at.node = node
            at.begin = tables.start[node]
            at.end = tables.start[node + 1]
            found.gain[node] = -INFINITY
            found.split_info[node] = 0.0
            if at.end - at.begin >= 2:
                _multiway_of(at, tables, plan, found, scratch)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _side(side: cython.Py_ssize_t, plan: Plan, scratch: Scratch) -> cython.double:
    """Like _information for one side of a cut; from one cut to the next only few logarithms change.

    scratch.terms[side, c] is the term of class c when its weight was scratch.counted[side, c].
    """
    c: cython.Py_ssize_t
    count: cython.double
    total: cython.double = 0.0
    terms: cython.double = 0.0
    for c in range(scratch.sides.shape[1]):
        count = scratch.sides[side, c]
        if count != scratch.counted[side, c]:
            scratch.counted[side, c] = count
            scratch.terms[side, c] = _xlog2(count, plan)
        total = _single(total + count)
        terms = _single(terms + scratch.terms[side, c])
    return _single(_xlog2(total, plan) - terms)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_branch(known: cython.double, n_classes: cython.Py_ssize_t, plan: Plan) -> cython.double:
    """Return the minimum weight of each side of a cut."""
    least: cython.double = _single(plan.branch_share * known / n_classes)
    if least <= plan.min_leaf:
        return plan.min_leaf
    if least > plan.most_branch_share:
        return plan.most_branch_share
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut(at: At, cases: Cases, order: Order, plan: Plan, found: Found, scratch: Scratch) -> cython.void:
    """Set entry at.node of `found` to the best cut of one node, as best_cuts does.

    Its cases are at.begin to at.last (exclusive) in the order; missing values start at at.end.
    """
    node: cython.Py_ssize_t = at.node
    n_classes: cython.Py_ssize_t = scratch.sides.shape[1]
    gap: cython.double = order.gap
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    k: cython.int
    w: cython.double
    here: cython.double
    following: cython.double
    known: cython.double = 0.0
    unknown: cython.double = 0.0
    whole: cython.double
    known_share: cython.double
    least: cython.double
    before: cython.double
    left: cython.double = 0.0
    best_left: cython.double = 0.0
    gain: cython.double
    best: cython.double = -INFINITY
    terms: cython.double
    n_cuts: cython.longlong = 0
    for c in range(n_classes):
        scratch.sides[_LEFT, c] = 0.0
        scratch.sides[_RIGHT, c] = cases.totals[node, c]
    for i in range(at.end, at.last):
        k = order.case[i]
        w = cases.weight[k]
        scratch.sides[_RIGHT, cases.label[k]] -= w
        unknown += w
    unknown = _single(unknown)
    for c in range(n_classes):
        scratch.sides[_RIGHT, c] = _single(scratch.sides[_RIGHT, c])
        known = _single(known + scratch.sides[_RIGHT, c])
    if known < 2.0 * plan.min_leaf:
        return
    whole = _single(known + unknown)
    known_share = 1.0 - _single(unknown / whole)
    least = _least_branch(known, n_classes, plan)
    # Not rounded, unlike that of a nominal attribute: this decided between equal partitions in a data set compared.
    before = _side(_RIGHT, plan, scratch) / known
    following = _single(order.value[at.begin])
    for i in range(at.begin, at.end - 1):
        here = following
        following = _single(order.value[i + 1])
        k = order.case[i]
        w = _single(cases.weight[k])
        c = cases.label[k]
        scratch.sides[_LEFT, c] = _single(scratch.sides[_LEFT, c] + w)
        scratch.sides[_RIGHT, c] = _single(scratch.sides[_RIGHT, c] - w)
        left = _single(left + w)
        if not here < following - gap or left < least:
            continue
        if _single(known - left) < least:
            break
        n_cuts += 1
        gain = _single(_side(_LEFT, plan, scratch) + _side(_RIGHT, plan, scratch))
        gain = _single(known_share * (before - _single(gain / known)))
        if gain > best:
            best = gain
            best_left = left
            found.lower[node] = order.value[i]
            found.upper[node] = order.value[i + 1]
    if n_cuts == 0:
        return
    found.cost[node] = log2(n_cuts)
    best = _single(best - found.cost[node] / whole)
    if best <= 0.0:
        return
    found.gain[node] = best
    terms = _single(_xlog2(best_left, plan))
    terms = _single(terms + _xlog2(_single(known - best_left), plan))
    terms = _single(terms + _xlog2(unknown, plan))
    found.split_info[node] = _single(_single(_xlog2(whole, plan) - terms) / whole)


def best_cuts(cases: Cases, order: Order, at: At, plan: Plan, found: Found, scratch: Scratch) -> None:
    """Fill gain, split_info, lower and upper of `found` with the best cut of every node.

    The gain is -inf if no cut gains more than its cost: log2 of the number of cuts, per case. Settings documents
    branch_share and most_branch_share. Ties go to the lowest cut.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            at.node = node
            at.begin = cases.start[node]
            at.end = at.begin + order.n_known[node]
            at.last = cases.start[node + 1]
            found.gain[node] = -INFINITY
            found.split_info[node] = 0.0
            found.cost[node] = 0.0
            if at.end > at.begin:
                _best_cut(at, cases, order, plan, found, scratch)
