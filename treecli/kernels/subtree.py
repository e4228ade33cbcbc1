"""Whole subtrees in one go: classes, numeric attributes without missing values, every case of weight 1.

The same answers as the level-by-level way, which takes on everything else. Depth first, so that the cases of a node
stay in the processor's cache; each attribute's cases stand sorted in a list, and a stable partition keeps them so.
"""

import cython
from cython.cimports.libc.math import log2

INFINITY = cython.declare(cython.double, float("inf"))
_ENTROPY = cython.declare(cython.int, 0)
_LEAST_INFORMATION = cython.declare(cython.double, 1e-9)
_AVERAGE_SLACK = cython.declare(cython.double, 1e-3)

# The rows of the scratch table for counts.
_LEFT = cython.declare(cython.Py_ssize_t, 0)
_RIGHT = cython.declare(cython.Py_ssize_t, 1)

SCRATCH_ROWS = 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _before(
    counts: cython.int[:, ::1], node: cython.Py_ssize_t, n: cython.double, impurity: cython.int
) -> cython.double:
    """The spread of a node: weight times impurity."""
    c: cython.Py_ssize_t
    inner: cython.double = 0.0
    count: cython.double
    for c in range(counts.shape[1]):
        count = counts[node, c]
        if impurity == _ENTROPY:
            if count > 0.0:
                inner += count * log2(count)
        else:
            inner += count * count
    if impurity == _ENTROPY:
        return n * log2(n) - inner
    return n - inner / n


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _scan(
    case: cython.int[:, ::1],
    value: cython.double[:, ::1],
    class_of_case: cython.uchar[::1],
    xlog2_of: cython.double[::1],
    impurity: cython.int,
    min_leaf: cython.longlong,
    tolerance: cython.double,
    counts: cython.int[:, ::1],
    node: cython.Py_ssize_t,
    before: cython.double,
    a: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    scratch: cython.longlong[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    cut: cython.longlong[::1],
) -> cython.void:
    """Sets gain, split information and place of the best cut of one attribute; the place is -1 where there is none."""
    n_classes: cython.Py_ssize_t = counts.shape[1]
    n: cython.double = hi - lo
    slack: cython.double = tolerance * n
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_left: cython.longlong = 0
    n_right: cython.longlong = hi - lo
    left_in_class: cython.longlong
    right_in_class: cython.longlong
    first_left: cython.longlong = 0
    first_right: cython.longlong
    is_first: cython.longlong
    squares_left: cython.longlong = 0
    squares_right: cython.longlong = 0
    terms_left: cython.double = 0.0
    terms_right: cython.double = 0.0
    after: cython.double
    found: cython.double = -INFINITY
    best: cython.Py_ssize_t = -1
    gain[a] = -INFINITY
    split_info[a] = 0.0
    cut[a] = -1
    if not value[a, lo] < value[a, hi - 1]:
        return
    if n_classes == 2:
        first_right = cython.cast(cython.longlong, counts[node, 0])
        for i in range(lo, hi - 1):
            n_left += 1
            n_right -= 1
            is_first = cython.cast(cython.longlong, class_of_case[case[a, i]] == 0)
            first_left += is_first
            first_right -= is_first
            if not value[a, i] < value[a, i + 1] or n_left < min_leaf or n_right < min_leaf:
                continue
            if impurity == _ENTROPY:
                after = (
                    xlog2_of[n_left]
                    - xlog2_of[first_left]
                    - xlog2_of[n_left - first_left]
                    + xlog2_of[n_right]
                    - xlog2_of[first_right]
                    - xlog2_of[n_right - first_right]
                )
            else:
                squares_left = first_left * first_left + (n_left - first_left) * (n_left - first_left)
                squares_right = first_right * first_right + (n_right - first_right) * (n_right - first_right)
                after = n - squares_left / cython.cast(cython.double, n_left)
                after -= squares_right / cython.cast(cython.double, n_right)
            if before - after > found + slack:
                found = before - after
                best = i
    else:
        for c in range(n_classes):
            scratch[_LEFT, c] = 0
            scratch[_RIGHT, c] = cython.cast(cython.longlong, counts[node, c])
            squares_right += scratch[_RIGHT, c] * scratch[_RIGHT, c]
            terms_right += xlog2_of[scratch[_RIGHT, c]]
        for i in range(lo, hi - 1):
            n_left += 1
            n_right -= 1
            c = class_of_case[case[a, i]]
            left_in_class = scratch[_LEFT, c]
            right_in_class = scratch[_RIGHT, c]
            scratch[_LEFT, c] = left_in_class + 1
            scratch[_RIGHT, c] = right_in_class - 1
            if impurity == _ENTROPY:
                terms_left += xlog2_of[left_in_class + 1] - xlog2_of[left_in_class]
                terms_right += xlog2_of[right_in_class - 1] - xlog2_of[right_in_class]
            else:
                squares_left += 2 * left_in_class + 1
                squares_right -= 2 * right_in_class - 1
            if not value[a, i] < value[a, i + 1] or n_left < min_leaf or n_right < min_leaf:
                continue
            if impurity == _ENTROPY:
                after = xlog2_of[n_left] - terms_left + xlog2_of[n_right] - terms_right
            else:
                after = n - squares_left / cython.cast(cython.double, n_left)
                after -= squares_right / cython.cast(cython.double, n_right)
            if before - after > found + slack:
                found = before - after
                best = i
    if best < 0:
        return
    cut[a] = best
    gain[a] = 0.0 if found < tolerance else found / n
    n_left = best - lo + 1
    n_right = hi - lo - n_left
    split_info[a] = (xlog2_of[hi - lo] - xlog2_of[n_left] - xlog2_of[n_right]) / n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose(
    is_ratio: cython.bint,
    tolerance: cython.double,
    gain: cython.double[::1],
    split_info: cython.double[::1],
    cut: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """The attribute of most merit, the first of equals, or -1; as criteria/gain.py and criteria/gainratio.py rank."""
    a: cython.Py_ssize_t
    average: cython.double = 0.0
    n_usable: cython.Py_ssize_t = 0
    worth: cython.double
    most: cython.double = -INFINITY
    best: cython.Py_ssize_t = -1
    for a in range(cut.shape[0]):
        if cut[a] >= 0 and split_info[a] > _LEAST_INFORMATION:
            average += gain[a]
            n_usable += 1
    if n_usable > 0:
        average /= n_usable
    for a in range(cut.shape[0]):
        if cut[a] < 0:
            continue
        worth = gain[a]
        if is_ratio:
            if split_info[a] <= _LEAST_INFORMATION or gain[a] < average - _AVERAGE_SLACK:
                continue
            worth = gain[a] / split_info[a]
        if worth > most + tolerance:
            most = worth
            best = a
    return best


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _part(
    case: cython.int[:, ::1],
    value: cython.double[:, ::1],
    goes_left: cython.uchar[::1],
    a: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    spare_case: cython.int[::1],
    spare_value: cython.double[::1],
) -> cython.void:
    """Puts the cases that go left before the others, each side in the order in which they stood."""
    i: cython.Py_ssize_t
    to: cython.Py_ssize_t = lo
    n_right: cython.Py_ssize_t = 0
    is_left: cython.Py_ssize_t
    for i in range(lo, hi):
        # Both stores and one step: a branch here would go either way at random, and be mispredicted.
        is_left = cython.cast(cython.Py_ssize_t, goes_left[case[a, i]])
        spare_case[n_right] = case[a, i]
        spare_value[n_right] = value[a, i]
        case[a, to] = case[a, i]
        value[a, to] = value[a, i]
        to += is_left
        n_right += 1 - is_left
    for i in range(n_right):
        case[a, to + i] = spare_case[i]
        value[a, to + i] = spare_value[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    case: cython.int[:, ::1],
    class_of_case: cython.uchar[::1],
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    counts: cython.int[:, ::1],
    node: cython.Py_ssize_t,
) -> cython.bint:
    """Sets the class counts of a node, and says whether it holds more than one class."""
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for c in range(counts.shape[1]):
        counts[node, c] = 0
    for i in range(lo, hi):
        counts[node, class_of_case[case[0, i]]] += 1
    for c in range(counts.shape[1]):
        if counts[node, c] == hi - lo:
            return False
    return True


def count(
    case: cython.int[:, ::1],
    class_of_case: cython.uchar[::1],
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    counts: cython.int[:, ::1],
) -> bool:
    """Sets the class counts of the cases from lo to hi, and says whether they are of more than one class."""
    return _count(case, class_of_case, lo, hi, counts, 0)


def scan(
    case: cython.int[:, ::1],
    value: cython.double[:, ::1],
    class_of_case: cython.uchar[::1],
    xlog2_of: cython.double[::1],
    impurity: cython.int,
    min_leaf: cython.longlong,
    tolerance: cython.double,
    counts: cython.int[:, ::1],
    a: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    scratch: cython.longlong[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    cut: cython.longlong[::1],
) -> None:
    """Sets gain, split information and place of the best cut of one attribute among the cases from lo to hi."""
    before: cython.double
    with cython.nogil:
        before = _before(counts, 0, hi - lo, impurity)
        _scan(
            case,
            value,
            class_of_case,
            xlog2_of,
            impurity,
            min_leaf,
            tolerance,
            counts,
            0,
            before,
            a,
            lo,
            hi,
            scratch,
            gain,
            split_info,
            cut,
        )


def choose(
    is_ratio: cython.bint,
    tolerance: cython.double,
    gain: cython.double[::1],
    split_info: cython.double[::1],
    cut: cython.longlong[::1],
) -> int:
    """The attribute of most merit, the first of equals, or -1."""
    return _choose(is_ratio, tolerance, gain, split_info, cut)


def mark(
    case: cython.int[:, ::1],
    a: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    last_left: cython.longlong,
    goes_left: cython.uchar[::1],
) -> None:
    """Notes which of the cases from lo to hi go left: those up to a place in the list of one attribute."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(lo, hi):
            goes_left[case[a, i]] = i <= last_left


def part(
    case: cython.int[:, ::1],
    value: cython.double[:, ::1],
    goes_left: cython.uchar[::1],
    a: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    spare_case: cython.int[::1],
    spare_value: cython.double[::1],
) -> None:
    """Puts the cases that go left before the others in the list of one attribute."""
    with cython.nogil:
        _part(case, value, goes_left, a, lo, hi, spare_case, spare_value)


def grow(
    case: cython.int[:, ::1],
    value: cython.double[:, ::1],
    class_of_case: cython.uchar[::1],
    goes_left: cython.uchar[::1],
    xlog2_of: cython.double[::1],
    impurity: cython.int,
    is_ratio: cython.bint,
    min_split: cython.double,
    min_leaf: cython.longlong,
    max_depth: cython.longlong,
    tolerance: cython.double,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    spare_case: cython.int[::1],
    spare_value: cython.double[::1],
    scratch: cython.longlong[:, ::1],
    gain: cython.double[::1],
    split_info: cython.double[::1],
    cut: cython.longlong[::1],
    pending: cython.int[::1],
    begin: cython.int[::1],
    end: cython.int[::1],
    depth: cython.int[::1],
    attribute: cython.int[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    gain_of_node: cython.double[::1],
    information: cython.double[::1],
    first_child: cython.int[::1],
    counts: cython.int[:, ::1],
) -> int:
    """Grows the tree of the cases from `first` to `last`; gives the number of nodes that it filled in, as made.

    case[a] and value[a] are the cases sorted by attribute a, and are partitioned in place. A leaf has the attribute
    -1; the two children of an inner node follow each other. xlog2_of[n] is n log2 n.
    """
    n_nodes: cython.int = 1
    n_pending: cython.Py_ssize_t = 1
    node: cython.int
    a: cython.Py_ssize_t
    i: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    best: cython.Py_ssize_t
    before: cython.double
    is_mixed: cython.bint
    with cython.nogil:
        pending[0] = 0
        begin[0] = first
        end[0] = last
        depth[0] = 0
        while n_pending > 0:
            n_pending -= 1
            node = pending[n_pending]
            lo = begin[node]
            hi = end[node]
            attribute[node] = -1
            first_child[node] = 0
            is_mixed = _count(case, class_of_case, lo, hi, counts, node)
            if not is_mixed or hi - lo < min_split - tolerance or depth[node] >= max_depth:
                continue
            before = _before(counts, node, hi - lo, impurity)
            for a in range(case.shape[0]):
                _scan(
                    case,
                    value,
                    class_of_case,
                    xlog2_of,
                    impurity,
                    min_leaf,
                    tolerance,
                    counts,
                    node,
                    before,
                    a,
                    lo,
                    hi,
                    scratch,
                    gain,
                    split_info,
                    cut,
                )
            best = _choose(is_ratio, tolerance, gain, split_info, cut)
            if best < 0:
                continue
            attribute[node] = best
            lower[node] = value[best, cut[best]]
            upper[node] = value[best, cut[best] + 1]
            gain_of_node[node] = gain[best]
            information[node] = split_info[best]
            first_child[node] = n_nodes
            for i in range(lo, hi):
                goes_left[case[best, i]] = i <= cut[best]
            for a in range(case.shape[0]):
                if a != best:
                    _part(case, value, goes_left, a, lo, hi, spare_case, spare_value)
            begin[n_nodes] = lo
            end[n_nodes] = cut[best] + 1
            begin[n_nodes + 1] = cut[best] + 1
            end[n_nodes + 1] = hi
            depth[n_nodes] = depth[node] + 1
            depth[n_nodes + 1] = depth[node] + 1
            pending[n_pending] = n_nodes + 1
            pending[n_pending + 1] = n_nodes
            n_pending += 2
            n_nodes += 2
    return n_nodes
