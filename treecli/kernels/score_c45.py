"""Gains and split information in the 32-bit floats of C4.5 release 8.

C4.5 keeps weights, counts, sums of logarithms, gains and values as 32-bit floats, and computes with doubles in between.
Which of two nearly equal splits wins depends on that rounding, so each of these numbers is rounded at the same place.
"""

import cython
from cython.cimports.libc.math import log2

SCRATCH_ROWS = 2
"""The rows of the tables of class weights and of their terms: one for each side of a cut."""

INFINITY = cython.declare(cython.double, float("inf"))
_LEFT = cython.declare(cython.Py_ssize_t, 0)
_RIGHT = cython.declare(cython.Py_ssize_t, 1)
_LARGEST_SINGLE = cython.declare(cython.double, 3.4028234663852886e38)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _single(x: cython.double, box: cython.float[::1]) -> cython.double:
    """The number rounded to 32 bits; `box` is an array of one such number."""
    if x > _LARGEST_SINGLE:
        x = _LARGEST_SINGLE
    elif x < -_LARGEST_SINGLE:
        x = -_LARGEST_SINGLE
    box[0] = x
    return cython.cast(cython.double, box[0])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _xlog2(x: cython.double, xlog2_of: cython.double[::1]) -> cython.double:
    """As impurity.xlog2, whose values for whole numbers are in xlog2_of."""
    whole: cython.Py_ssize_t
    if x < xlog2_of.shape[0] and x >= 0.0:
        whole = cython.cast(cython.Py_ssize_t, x)
        if whole == x:
            return xlog2_of[whole]
    return x * log2(x) if x > 0.0 else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _information(
    weights: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    xlog2_of: cython.double[::1],
    box: cython.float[::1],
) -> cython.double:
    """Weight times entropy of one row of class weights."""
    c: cython.Py_ssize_t
    count: cython.double
    total: cython.double = 0.0
    terms: cython.double = 0.0
    for c in range(weights.shape[1]):
        count = _single(weights[row, c], box)
        total = _single(total + count, box)
        terms = _single(terms + _xlog2(count, xlog2_of), box)
    return _single(_xlog2(total, xlog2_of) - terms, box)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def multiway_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    outcomes: cython.double[:, ::1],
    weight: cython.double,
    min_leaf: cython.double,
    xlog2_of: cython.double[::1],
    box: cython.float[::1],
    scratch: cython.double[:, ::1],
    place: cython.Py_ssize_t,
    gain: cython.double[::1],
    split_info: cython.double[::1],
) -> cython.void:
    """Sets entry `place` of the last two arrays for one branch a label at one node, as multiway says."""
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
    gain[place] = -INFINITY
    split_info[place] = 0.0
    if end - begin < 2:
        return
    for c in range(outcomes.shape[1]):
        scratch[_LEFT, c] = 0.0
    for entry in range(begin, end):
        in_branch = 0.0
        for c in range(outcomes.shape[1]):
            scratch[_LEFT, c] += outcomes[entry, c]
            in_branch += outcomes[entry, c]
        in_branch = _single(in_branch, box)
        if in_branch >= min_leaf:
            n_large += 1
        known = _single(known + in_branch, box)
        terms = _single(terms + _xlog2(in_branch, xlog2_of), box)
        after = _single(after + _information(outcomes, entry, xlog2_of, box), box)
    if n_large < 2 or known <= 0.0:
        return
    unknown = _single(weight - known, box)
    if unknown < 0.0:
        unknown = 0.0
    whole = _single(known + unknown, box)
    terms = _single(terms + _xlog2(unknown, xlog2_of), box)
    before = _single(_information(scratch, _LEFT, xlog2_of, box) / known, box)
    after = _single(after / known, box)
    gain[place] = _single((1.0 - _single(unknown / whole, box)) * (before - after), box)
    split_info[place] = _single(_single(_xlog2(whole, xlog2_of) - terms, box) / whole, box)


def multiway(
    start: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    weights: cython.double[::1],
    min_leaf: cython.double,
    xlog2_of: cython.double[::1],
    box: cython.float[::1],
    scratch: cython.double[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
) -> None:
    """Fills the last two arrays for one branch a label; gain is -inf where fewer than two branches weigh `min_leaf`.

    Node i owns the entries of `outcomes` from start[i] on, the class weights of each label that occurs; weights[i] is
    the weight of all its cases, those with a missing value included.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            multiway_of(
                start[node],
                start[node + 1],
                outcomes,
                weights[node],
                min_leaf,
                xlog2_of,
                box,
                scratch,
                node,
                gain,
                split_info,
            )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _side(
    side: cython.Py_ssize_t,
    sides: cython.double[:, ::1],
    counted: cython.double[:, ::1],
    term: cython.double[:, ::1],
    xlog2_of: cython.double[::1],
    box: cython.float[::1],
) -> cython.double:
    """As _information for one side of a cut; from one cut to the next only few logarithms change."""
    c: cython.Py_ssize_t
    count: cython.double
    total: cython.double = 0.0
    terms: cython.double = 0.0
    for c in range(sides.shape[1]):
        count = sides[side, c]
        if count != counted[side, c]:
            counted[side, c] = count
            term[side, c] = _xlog2(count, xlog2_of)
        total = _single(total + count, box)
        terms = _single(terms + term[side, c], box)
    return _single(_xlog2(total, xlog2_of) - terms, box)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_cut(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    case: cython.int[::1],
    value: cython.double[::1],
    class_of_case: cython.int[::1],
    weight_of_case: cython.double[::1],
    totals: cython.double[:, ::1],
    node: cython.Py_ssize_t,
    min_leaf: cython.double,
    value_gap: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    xlog2_of: cython.double[::1],
    box: cython.float[::1],
    sides: cython.double[:, ::1],
    counted: cython.double[:, ::1],
    term: cython.double[:, ::1],
    place: cython.Py_ssize_t,
    gain: cython.double[::1],
    split_info: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
) -> cython.void:
    """Sets entry `place` of the last four arrays to the best cut of one node, as best_cuts says.

    Its cases stand from `begin` to `last`, those without a value from `end` on.
    """
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
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
    found: cython.double
    best: cython.double = -INFINITY
    terms: cython.double
    n_cuts: cython.longlong = 0
    gain[place] = -INFINITY
    split_info[place] = 0.0
    if begin == end:
        return
    for c in range(sides.shape[1]):
        sides[_LEFT, c] = 0.0
        sides[_RIGHT, c] = totals[node, c]
    for i in range(end, last):
        w = weight_of_case[case[i]]
        sides[_RIGHT, class_of_case[case[i]]] -= w
        unknown += w
    unknown = _single(unknown, box)
    for c in range(sides.shape[1]):
        sides[_RIGHT, c] = _single(sides[_RIGHT, c], box)
        known = _single(known + sides[_RIGHT, c], box)
    if known < 2.0 * min_leaf:
        return
    whole = _single(known + unknown, box)
    known_share = 1.0 - _single(unknown / whole, box)
    least = _single(branch_share * known / sides.shape[1], box)
    if least <= min_leaf:
        least = min_leaf
    elif least > most_branch_share:
        least = most_branch_share
    # Not rounded, unlike that of a nominal attribute: this decided between equal partitions in a set compared.
    before = _side(_RIGHT, sides, counted, term, xlog2_of, box) / known
    following = _single(value[begin], box)
    for i in range(begin, end - 1):
        here = following
        following = _single(value[i + 1], box)
        w = _single(weight_of_case[case[i]], box)
        c = class_of_case[case[i]]
        sides[_LEFT, c] = _single(sides[_LEFT, c] + w, box)
        sides[_RIGHT, c] = _single(sides[_RIGHT, c] - w, box)
        left = _single(left + w, box)
        if not here < following - value_gap or left < least:
            continue
        if _single(known - left, box) < least:
            break
        n_cuts += 1
        found = _single(
            _side(_LEFT, sides, counted, term, xlog2_of, box) + _side(_RIGHT, sides, counted, term, xlog2_of, box), box
        )
        found = _single(known_share * (before - _single(found / known, box)), box)
        if found > best:
            best = found
            best_left = left
            lower[place] = value[i]
            upper[place] = value[i + 1]
    if n_cuts == 0:
        return
    best = _single(best - log2(n_cuts) / whole, box)
    if best <= 0.0:
        return
    gain[place] = best
    terms = _single(_xlog2(best_left, xlog2_of), box)
    terms = _single(terms + _xlog2(_single(known - best_left, box), xlog2_of), box)
    terms = _single(terms + _xlog2(unknown, xlog2_of), box)
    split_info[place] = _single(_single(_xlog2(whole, xlog2_of) - terms, box) / whole, box)


def best_cuts(
    start: cython.longlong[::1],
    n_known: cython.longlong[::1],
    case: cython.int[::1],
    value: cython.double[::1],
    class_of_case: cython.int[::1],
    weight_of_case: cython.double[::1],
    totals: cython.double[:, ::1],
    min_leaf: cython.double,
    value_gap: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    xlog2_of: cython.double[::1],
    box: cython.float[::1],
    sides: cython.double[:, ::1],
    counted: cython.double[:, ::1],
    term: cython.double[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
) -> None:
    """Fills the last four arrays with the best cut of every node; gain is -inf where none gains more than it costs.

    Node i owns the entries from start[i] on, n_known[i] of them with a value, sorted; totals[i] are the class weights
    of all its cases. Settings says what value_gap, branch_share and most_branch_share ask for; a cut costs log2 of the
    number of cuts, per case. Of equal cuts the lowest wins. `counted` and `term` begin with zeros.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            best_cut(
                start[node],
                start[node] + n_known[node],
                start[node + 1],
                case,
                value,
                class_of_case,
                weight_of_case,
                totals,
                node,
                min_leaf,
                value_gap,
                branch_share,
                most_branch_share,
                xlog2_of,
                box,
                sides,
                counted,
                term,
                node,
                gain,
                split_info,
                lower,
                upper,
            )
