"""Growth of a model tree exactly as Weka's M5P does it: the order of rows and of sums decides between near ties.

The fifth root of a variance that is 0 up to rounding is about 0.001, far more than the difference that decides
between two columns. So no step here may be replaced by an equivalent one.
"""

import cython
from cython.cimports.libc.math import fabs, pow, sqrt

_MULTIPLIER = cython.declare(cython.longlong, 25214903917)
_LAST_BITS = cython.declare(cython.longlong, (1 << 48) - 1)
_END_OF_RUNS = cython.declare(cython.longlong, 1 << 31)
_GAP = cython.declare(cython.double, 1e-10)
_FIFTH = cython.declare(cython.double, 0.2)
_BETTER = cython.declare(cython.double, 1e-6)
_PURE_SHARE = cython.declare(cython.double, 0.05)


@cython.cclass
class Growth:
    """The columns and targets of all rows, and the nodes in the order in which they are made, level by level.

    value[c, r]        column c of row r; no value is NaN
    row                the rows; node i has the places begin[i] to end[i] (exclusive) of it
    order              by depth: the rows of the split nodes, in the order of the last column
    column, threshold  the split of a node; column -1: a leaf. first_child: of two, 0 for a leaf
    mean               the mean of the targets, summed in the order of the last column, of a leaf in that of its parent
    limits             the least rows of a node that is split, the least of a branch, the greatest depth
    """

    __slots__ = (
        "begin",
        "column",
        "depth",
        "end",
        "first_child",
        "limits",
        "mean",
        "order",
        "row",
        "spare",
        "target",
        "threshold",
    )
    __slots__ += ("value",)

    def __init__(
        self,
        value: cython.double[:, ::1],
        target: cython.double[::1],
        row: cython.int[::1],
        limits: cython.longlong[::1],
        room: cython.longlong[:, ::1],
        numbers: cython.double[:, ::1],
        order: cython.int[:, ::1],
    ):
        self.value = value
        self.target = target
        self.row = row
        self.limits = limits
        self.begin = room[0]
        self.end = room[1]
        self.column = room[2]
        self.first_child = room[3]
        self.depth = room[4]
        self.spare = room[5]
        self.threshold = numbers[0]
        self.mean = numbers[1]
        self.order = order


def shuffle(row: cython.int[::1], seed: cython.longlong) -> None:
    """Shuffle rows in place with the numbers of java.util.Random, from the last to the second."""
    state: cython.longlong = (seed ^ _MULTIPLIER) & _LAST_BITS
    drawn: cython.longlong
    bound: cython.longlong
    other: cython.longlong
    last: cython.Py_ssize_t
    with cython.nogil:
        for last in range(row.shape[0] - 1, 0, -1):
            bound = last + 1
            while True:
                state = _next(state)
                drawn = state >> 17
                if bound & (bound - 1) == 0:
                    other = (bound * drawn) >> 31
                    break
                other = drawn % bound
                if drawn - other + bound - 1 < _END_OF_RUNS:
                    break
            row[last], row[other] = row[other], row[last]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _next(state: cython.longlong) -> cython.longlong:
    """Return the next state; by halves, so that no product exceeds 63 bits."""
    low: cython.longlong = state & 16777215
    high: cython.longlong = state >> 24
    return (low * _MULTIPLIER + 11 + (((high * (_MULTIPLIER & 16777215)) & 16777215) << 24)) & _LAST_BITS


def sorted_like_weka(value: cython.double[::1], row: cython.int[::1]) -> None:
    """Sort row numbers by their values in place; equal values end in Weka's order."""
    with cython.nogil:
        _sort(value, row, 0, row.shape[0] - 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _order_two(
    value: cython.double[::1], row: cython.int[::1], i: cython.Py_ssize_t, j: cython.Py_ssize_t
) -> cython.void:
    if value[row[i]] > value[row[j]]:
        row[i], row[j] = row[j], row[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort(
    value: cython.double[::1], row: cython.int[::1], left: cython.Py_ssize_t, right: cython.Py_ssize_t
) -> cython.void:
    """Sort the places from left to right: a quicksort about the median of the first, middle and last value."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    pivot: cython.double
    while right - left > 2:
        i = (left + right) // 2
        _order_two(value, row, left, i)
        _order_two(value, row, left, right)
        _order_two(value, row, i, right)
        row[i], row[right - 1] = row[right - 1], row[i]
        pivot = value[row[right - 1]]
        i = left
        j = right - 1
        while True:
            i += 1
            while value[row[i]] < pivot:
                i += 1
            j -= 1
            while value[row[j]] > pivot:
                j -= 1
            if i >= j:
                break
            row[i], row[j] = row[j], row[i]
        row[i], row[right - 1] = row[right - 1], row[i]
        # The ranges are independent; the shorter one is sorted by a call, so that calls nest only a few levels.
        if i - left < right - i:
            _sort(value, row, left, i - 1)
            left = i + 1
        else:
            _sort(value, row, i + 1, right)
            right = i - 1
    if right - left == 1:
        _order_two(value, row, left, right)
    elif right - left == 2:
        _order_two(value, row, left, left + 1)
        _order_two(value, row, left, right)
        _order_two(value, row, left + 1, right)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _root_of_variance(n: cython.double, total: cython.double, squares: cython.double) -> cython.double:
    """Return the fifth root of the variance of one side of a cut."""
    return pow(fabs(n * squares - total * total) / (n * n), _FIFTH)


def deviation(target: cython.double[::1], row: cython.int[::1]) -> float:
    """Return the standard deviation of the targets of these rows, with Weka's rounding."""
    return _deviation(target, row, 0, row.shape[0])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _deviation(
    target: cython.double[::1], row: cython.int[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.double:
    k: cython.Py_ssize_t
    y: cython.double
    total: cython.double = 0.0
    squares: cython.double = 0.0
    n: cython.double = end - begin
    for k in range(begin, end):
        y = target[row[k]]
        total += y
        squares += y * y
    return sqrt(fabs((squares - total * total / n) / n))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mean(growth: Growth, node: cython.Py_ssize_t) -> cython.double:
    k: cython.Py_ssize_t
    total: cython.double = 0.0
    for k in range(growth.begin[node], growth.end[node]):
        total += growth.target[growth.row[k]]
    return total / (growth.end[node] - growth.begin[node])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut(growth: Growth, c: cython.Py_ssize_t, node: cython.Py_ssize_t, best: cython.double) -> cython.double:
    """Return the value of the best cut of a column if it beats `best`, and store it in the node; else `best`.

    The node's rows end in the order of the column. A `best` of -1e300 means that there is none yet.
    """
    begin: cython.Py_ssize_t = growth.begin[node]
    n_rows: cython.Py_ssize_t = growth.end[node] - begin
    least: cython.Py_ssize_t = 1 if n_rows < 5 else n_rows // 5
    k: cython.Py_ssize_t
    found: cython.Py_ssize_t = -1
    y: cython.double
    n: cython.double = n_rows
    n_left: cython.double
    left: cython.double = 0.0
    left_squares: cython.double = 0.0
    right: cython.double = 0.0
    right_squares: cython.double = 0.0
    value: cython.double
    highest: cython.double = -1e300
    whole: cython.double
    _sort(growth.value[c], growth.row, begin, begin + n_rows - 1)
    for k in range(n_rows):
        y = growth.target[growth.row[begin + k]]
        left += y
        left_squares += y * y
    # As Weka computes the deviation of a node. It is the same for all cuts, but where two of them are equal in exact
    # arithmetic, its last bit decides.
    whole = pow(fabs((left_squares - left * left / n) / n), _FIFTH)
    left = 0.0
    left_squares = 0.0
    for k in range(least):
        y = growth.target[growth.row[begin + k]]
        left += y
        left_squares += y * y
    for k in range(least, n_rows):
        y = growth.target[growth.row[begin + k]]
        right += y
        right_squares += y * y
    for k in range(least, n_rows - least - 1):
        y = growth.target[growth.row[begin + k]]
        left += y
        left_squares += y * y
        right -= y
        right_squares -= y * y
        if growth.value[c, growth.row[begin + k + 1]] - growth.value[c, growth.row[begin + k]] < _GAP:
            continue
        if k + 1 < growth.limits[1] or n_rows - k - 1 < growth.limits[1]:
            continue
        n_left = k + 1
        value = whole - (n_left / n) * _root_of_variance(n_left, left, left_squares)
        value -= ((n - n_left) / n) * _root_of_variance(n - n_left, right, right_squares)
        if value > highest:
            highest = value
            found = k
    if found < 0 or not highest > best + _BETTER:
        return best
    growth.column[node] = c
    growth.threshold[node] = 0.5 * (
        growth.value[c, growth.row[begin + found]] + growth.value[c, growth.row[begin + found + 1]]
    )
    return highest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part(growth: Growth, node: cython.Py_ssize_t, child: cython.Py_ssize_t) -> cython.bint:
    """Move the node's rows to its two children, in their order; return whether both have some."""
    k: cython.Py_ssize_t
    begin: cython.Py_ssize_t = growth.begin[node]
    end: cython.Py_ssize_t = growth.end[node]
    middle: cython.Py_ssize_t = begin
    n_right: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t = growth.column[node]
    for k in range(begin, end):
        if growth.value[c, growth.row[k]] <= growth.threshold[node]:
            growth.row[middle] = growth.row[k]
            middle += 1
        else:
            growth.spare[n_right] = growth.row[k]
            n_right += 1
    for k in range(n_right):
        growth.row[middle + k] = cython.cast(cython.int, growth.spare[k])
    if middle == begin or middle == end:
        return False
    growth.begin[child] = begin
    growth.end[child] = middle
    growth.begin[child + 1] = middle
    growth.end[child + 1] = end
    return True


def grow(growth: Growth) -> int:
    """Split nodes until all are small or pure enough; return the number of nodes."""
    node: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t
    n_nodes: cython.Py_ssize_t = 1
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    best: cython.double
    overall: cython.double
    with cython.nogil:
        growth.begin[0] = 0
        growth.end[0] = growth.row.shape[0]
        growth.depth[0] = 0
        overall = _deviation(growth.target, growth.row, 0, growth.row.shape[0])
        while node < n_nodes:
            n = growth.end[node] - growth.begin[node]
            growth.column[node] = -1
            growth.first_child[node] = 0
            growth.mean[node] = _mean(growth, node)
            if (
                n >= growth.limits[0]
                and n >= 4
                and growth.depth[node] < growth.limits[2]
                and not _deviation(growth.target, growth.row, growth.begin[node], growth.end[node])
                < _PURE_SHARE * overall
            ):
                best = -1e300
                for c in range(growth.value.shape[0]):
                    best = _best_cut(growth, c, node, best)
                growth.mean[node] = _mean(growth, node)
                for i in range(growth.begin[node], growth.end[node]):
                    growth.order[growth.depth[node], i] = growth.row[i]
                if growth.column[node] >= 0 and _part(growth, node, n_nodes):
                    growth.first_child[node] = n_nodes
                    growth.depth[n_nodes] = growth.depth[node] + 1
                    growth.depth[n_nodes + 1] = growth.depth[node] + 1
                    n_nodes += 2
                else:
                    growth.column[node] = -1
            node += 1
    return n_nodes
