"""Linear models at the nodes of a tree, by least squares and backward elimination, as in M5' (Wang, Witten 1997).

Node i has the rows row[begin[i]] to row[end[i]] (exclusive) and the columns column[first[i]] to column[first[i + 1]].
A row of weight w counts as w rows.
"""

import cython
from cython.cimports.libc.math import fabs, sqrt

_RIDGE = cython.declare(cython.double, 1e-8)
_COLLINEAR = cython.declare(cython.double, 1.5)


@cython.cclass
class Fit:
    """The columns (value[c, r]), targets and weights of all rows, the nodes, and room for the models.

    factor             the coefficient of each entry of `column`; 0 if the entry was dropped
    constant, error    by node: the intercept, and the root of the mean squared residual
    centred, cross     scratch: the columns of a node about their means, and their products with each other
    solution           scratch: the equations that are being solved
    """

    __slots__ = ("begin", "centred", "column", "constant", "cross", "end", "error", "factor", "first", "given", "kept")
    __slots__ += (
        "like_weka",
        "mean",
        "n_kept",
        "residual",
        "row",
        "sd",
        "solution",
        "standard",
        "target",
        "value",
        "weight",
    )

    def set_rows(
        self,
        value: cython.double[:, ::1],
        target: cython.double[::1],
        weight: cython.double[::1],
        row: cython.int[::1],
        begin: cython.longlong[::1],
        end: cython.longlong[::1],
    ):
        """Set the columns, targets and weights of all rows, and the rows of every node."""
        self.value = value
        self.target = target
        self.weight = weight
        self.row = row
        self.begin = begin
        self.end = end

    def set_columns(
        self,
        first: cython.longlong[::1],
        column: cython.longlong[::1],
        factor: cython.double[::1],
        constant: cython.double[::1],
        error: cython.double[::1],
    ):
        """Set the columns of every node, and the room for the results."""
        self.first = first
        self.column = column
        self.factor = factor
        self.constant = constant
        self.error = error

    def set_room(
        self,
        of_columns: cython.double[:, ::1],
        kept: cython.longlong[::1],
        centred: cython.double[:, ::1],
        cross: cython.double[:, ::1],
        solution: cython.double[:, ::1],
        residual: cython.double[::1],
    ):
        """Set the scratch arrays: for the columns of the node with the most columns, and for all rows."""
        self.mean = of_columns[0]
        self.sd = of_columns[1]
        self.standard = of_columns[2]
        self.kept = kept
        self.centred = centred
        self.cross = cross
        self.solution = solution
        self.residual = residual
        self.n_kept = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _centre(fit: Fit, node: cython.Py_ssize_t, n: cython.double) -> cython.double:
    """Centre the target and the columns that vary at the node; return the mean of the target.

    Fills residual, and for each kept column its mean, its standard deviation and its centred values.
    """
    begin: cython.Py_ssize_t = fit.begin[node]
    n_rows: cython.Py_ssize_t = fit.end[node] - begin
    first: cython.Py_ssize_t = fit.first[node]
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    r: cython.Py_ssize_t
    total: cython.double = 0.0
    squares: cython.double
    mean: cython.double
    varies: cython.bint
    centre: cython.double
    fit.n_kept = 0
    for k in range(n_rows):
        total += fit.weight[fit.row[begin + k]] * fit.target[fit.row[begin + k]]
    centre = fit.given[node] if fit.like_weka else total / n
    for k in range(n_rows):
        fit.residual[k] = fit.target[fit.row[begin + k]] - centre
    if n <= 1.0:
        return centre
    for e in range(first, fit.first[node + 1]):
        c = fit.column[e]
        total = 0.0
        varies = False
        for k in range(n_rows):
            r = fit.row[begin + k]
            total += fit.weight[r] * fit.value[c, r]
            if fit.value[c, r] != fit.value[c, fit.row[begin]]:
                varies = True
        if not varies:
            continue
        mean = total / n
        squares = 0.0
        for k in range(n_rows):
            r = fit.row[begin + k]
            fit.centred[fit.n_kept, k] = fit.value[c, r] - mean
            squares += fit.weight[r] * fit.centred[fit.n_kept, k] * fit.centred[fit.n_kept, k]
        if fit.like_weka:
            squares = 0.0
            for k in range(n_rows):
                r = fit.row[begin + k]
                squares += fit.value[c, r] * fit.value[c, r]
            squares -= total * total / n
        if not squares > 0.0:
            continue
        fit.mean[fit.n_kept] = mean
        fit.sd[fit.n_kept] = sqrt(squares / (n - 1.0))
        fit.kept[fit.n_kept] = e
        fit.n_kept += 1
    return centre


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _multiply(fit: Fit, node: cython.Py_ssize_t) -> cython.void:
    """Fill `cross` with the products of the standardized columns, and in its last column those with the target."""
    begin: cython.Py_ssize_t = fit.begin[node]
    n_rows: cython.Py_ssize_t = fit.end[node] - begin
    last: cython.Py_ssize_t = fit.cross.shape[1] - 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    r: cython.Py_ssize_t
    total: cython.double
    for i in range(fit.n_kept):
        for j in range(i, fit.n_kept):
            total = 0.0
            for k in range(n_rows):
                total += fit.weight[fit.row[begin + k]] * fit.centred[i, k] * fit.centred[j, k]
            total /= fit.sd[i] * fit.sd[j]
            fit.cross[i, j] = total
            fit.cross[j, i] = total
        total = 0.0
        for k in range(n_rows):
            r = fit.row[begin + k]
            total += fit.weight[r] * fit.centred[i, k] * (fit.target[r] if fit.like_weka else fit.residual[k])
        fit.cross[i, last] = total / fit.sd[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reduce(fit: Fit, active: cython.longlong[::1], n: cython.Py_ssize_t, ridge: cython.double) -> cython.bint:
    """Set up the equations of the active columns and eliminate below the diagonal; return False if singular."""
    last: cython.Py_ssize_t = fit.cross.shape[1] - 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    pivot: cython.Py_ssize_t
    share: cython.double
    for i in range(n):
        for j in range(n):
            fit.solution[i, j] = fit.cross[active[i], active[j]]
        fit.solution[i, i] += ridge
        fit.solution[i, n] = fit.cross[active[i], last]
    for i in range(n):
        pivot = i
        for k in range(i + 1, n):
            if fabs(fit.solution[k, i]) > fabs(fit.solution[pivot, i]):
                pivot = k
        if fit.solution[pivot, i] == 0.0:
            return False
        if pivot != i:
            for j in range(i, n + 1):
                fit.solution[i, j], fit.solution[pivot, j] = fit.solution[pivot, j], fit.solution[i, j]
        for k in range(i + 1, n):
            share = fit.solution[k, i] / fit.solution[i, i]
            for j in range(i, n + 1):
                fit.solution[k, j] -= share * fit.solution[i, j]
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _solve(fit: Fit, active: cython.longlong[::1], n: cython.Py_ssize_t) -> cython.void:
    """Fill standard[i] with the coefficient of the i-th active column, in standard deviations of the column."""
    ridge: cython.double = _RIDGE
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    left: cython.double
    while not _reduce(fit, active, n, ridge):
        ridge *= 10.0
    for i in range(n - 1, -1, -1):
        left = fit.solution[i, n]
        for j in range(i + 1, n):
            left -= fit.solution[i, j] * fit.standard[j]
        fit.standard[i] = left / fit.solution[i, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _squares(fit: Fit, node: cython.Py_ssize_t, active: cython.longlong[::1], n: cython.Py_ssize_t) -> cython.double:
    """Return the weighted sum of squared residuals of the solution."""
    begin: cython.Py_ssize_t = fit.begin[node]
    r: cython.Py_ssize_t
    constant: cython.double = 0.0
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    left: cython.double
    total: cython.double = 0.0
    if fit.like_weka:
        constant = fit.given[node]
        for i in range(n):
            constant -= fit.standard[i] / fit.sd[active[i]] * fit.mean[active[i]]
    for k in range(fit.end[node] - begin):
        r = fit.row[begin + k]
        if fit.like_weka:
            # Rounding decides where AIC is the same with a column and without it.
            left = 0.0
            for i in range(n):
                left += fit.standard[i] / fit.sd[active[i]] * fit.value[fit.column[fit.kept[active[i]]], r]
            left = left + constant - fit.target[r]
        else:
            left = fit.residual[k]
            for i in range(n):
                left -= fit.standard[i] / fit.sd[active[i]] * fit.centred[active[i], k]
        total += fit.weight[r] * left * left
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _without(active: cython.longlong[::1], n: cython.Py_ssize_t, place: cython.Py_ssize_t) -> cython.void:
    """Remove one of the active columns."""
    i: cython.Py_ssize_t
    for i in range(place, n - 1):
        active[i] = active[i + 1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _copy(source: cython.longlong[::1], to: cython.longlong[::1], n: cython.Py_ssize_t) -> cython.void:
    i: cython.Py_ssize_t
    for i in range(n):
        to[i] = source[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _extreme(fit: Fit, n: cython.Py_ssize_t, sign: cython.double) -> cython.Py_ssize_t:
    """Return the first place of the largest (sign 1) or smallest (sign -1) standardized coefficient."""
    i: cython.Py_ssize_t
    found: cython.Py_ssize_t = 0
    for i in range(1, n):
        if sign * fabs(fit.standard[i]) > sign * fabs(fit.standard[found]):
            found = i
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose(
    fit: Fit, node: cython.Py_ssize_t, weight: cython.double, active: cython.longlong[::1], spare: cython.longlong[::1]
) -> cython.Py_ssize_t:
    """Choose the columns of the model: `active` has their places among the kept ones; return their number.

    Columns whose standardized coefficient exceeds 1.5 go first: they are collinear. Then the column with the smallest
    goes as long as that lowers AIC = E' / E * (n - k) + 2 k'.
    """
    n: cython.Py_ssize_t = fit.n_kept
    i: cython.Py_ssize_t
    k: cython.double
    of_target: cython.double = 0.0
    begin: cython.Py_ssize_t = fit.begin[node]
    all_squares: cython.double
    best: cython.double
    y: cython.double
    tried: cython.double
    total: cython.double = 0.0
    for i in range(fit.end[node] - begin):
        y = fit.target[fit.row[begin + i]] if fit.like_weka else fit.residual[i]
        total += fit.weight[fit.row[begin + i]] * y
        of_target += fit.weight[fit.row[begin + i]] * y * y
    if fit.like_weka:
        # By this formula large targets that differ little have no deviation: all columns count as collinear.
        of_target = max(of_target - total * total / weight, 0.0)
    of_target = sqrt(of_target / (weight - 1.0))
    for i in range(n):
        active[i] = i
    _solve(fit, active, n)
    while n > 0:
        i = _extreme(fit, n, 1.0)
        if not fabs(fit.standard[i]) > _COLLINEAR * of_target:
            break
        _without(active, n, i)
        n -= 1
        _solve(fit, active, n)
    k = n + 1
    all_squares = _squares(fit, node, active, n)
    best = weight - k + 2.0 * k
    while n > 0:
        i = _extreme(fit, n, -1.0)
        _copy(active, spare, n)
        _without(active, n, i)
        _solve(fit, active, n - 1)
        tried = _squares(fit, node, active, n - 1)
        # 0 / 0 is not a number: no removal.
        tried = tried / all_squares * (weight - k) + 2.0 * n if all_squares > 0.0 else best
        if not tried < best:
            _copy(spare, active, n)
            _solve(fit, active, n)
            break
        best = tried
        n -= 1
    return n


def fit_models(fit: Fit, active: cython.longlong[::1], spare: cython.longlong[::1], given: cython.double[::1]) -> None:
    """Fill factor, constant and error of every node; those of a node without rows are 0.

    If `given` has the mean target of every node, with Weka's rounding, standard deviations have Weka's rounding too:
    they are computed from sums of squares.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    e: cython.Py_ssize_t
    n: cython.Py_ssize_t
    weight: cython.double
    constant: cython.double
    factor: cython.double
    squares: cython.double
    fit.given = given
    fit.like_weka = given.shape[0] > 0
    with cython.nogil:
        for node in range(fit.constant.shape[0]):
            for e in range(fit.first[node], fit.first[node + 1]):
                fit.factor[e] = 0.0
            weight = 0.0
            for i in range(fit.begin[node], fit.end[node]):
                weight += fit.weight[fit.row[i]]
            fit.constant[node] = 0.0
            fit.error[node] = 0.0
            if not weight > 0.0:
                continue
            constant = _centre(fit, node, weight)
            n = 0
            if fit.n_kept > 0:
                _multiply(fit, node)
                n = _choose(fit, node, weight, active, spare)
            squares = _squares(fit, node, active, n)
            for i in range(n):
                factor = fit.standard[i] / fit.sd[active[i]]
                fit.factor[fit.kept[active[i]]] = factor
                constant -= factor * fit.mean[active[i]]
            fit.constant[node] = constant
            fit.error[node] = sqrt(squares / weight)
