"""Merge labels of an attribute with similar class distributions, as in CHAID (Kass 1980).

The tables have an entry for each label that occurs at a node; missing values, if they count as a label, are last.
"""

import cython
from cython.cimports.libc.math import log

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.pearson import degrees_of_freedom, log_p, statistic

_NONE = cython.declare(cython.Py_ssize_t, -1)
_FEWEST = cython.declare(cython.Py_ssize_t, 2)


@cython.cclass
class Limits:
    """Which groups may be merged, and which must be.

    is_ordered          only neighbours may be merged
    missing_code        the code of missing values
    alpha               groups are merged while the p-value of the test between them is above it
    min_leaf, min_rows  the least weight of a group, and its least number of cases
    tolerance           statistics and weights that differ by no more are equal
    """

    __slots__ = ("alpha", "is_ordered", "min_leaf", "min_rows", "missing_code", "tolerance")

    def __init__(
        self,
        *,
        is_ordered: cython.bint,
        missing_code: cython.int,
        alpha: cython.double,
        min_leaf: cython.double,
        min_rows: cython.double,
        tolerance: cython.double,
    ):
        self.is_ordered = is_ordered
        self.missing_code = missing_code
        self.alpha = alpha
        self.min_leaf = min_leaf
        self.min_rows = min_rows
        self.tolerance = tolerance


@cython.cclass
class Groups:
    """Working space for the groups of one node, with room for the entries of the largest node.

    A group has the number of its first entry:
    pooled[group, class], weight[group], rows[group]   its class weights, their sum, and its cases
    joined_to[entry]                                   the group that an entry was added to, or itself
    partner[group], chi2[group], freedom[group]        the later group that differs least, and the test between them
    table                                              room for the class weights of all groups
    """

    __slots__ = ("chi2", "freedom", "joined_to", "partner", "pooled", "rows", "table", "weight")

    def __init__(
        self,
        *,
        pooled: cython.double[:, ::1],
        table: cython.double[:, ::1],
        weight: cython.double[::1],
        rows: cython.longlong[::1],
        joined_to: cython.longlong[::1],
        partner: cython.longlong[::1],
        chi2: cython.double[::1],
        freedom: cython.longlong[::1],
    ):
        self.pooled = pooled
        self.table = table
        self.weight = weight
        self.rows = rows
        self.joined_to = joined_to
        self.partner = partner
        self.chi2 = chi2
        self.freedom = freedom


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _difference(groups: Groups, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.double:
    """Pearson's statistic of two groups; exactly 0 where their counts are whole and in proportion."""
    c: cython.Py_ssize_t
    crossed: cython.double
    total: cython.double = 0.0
    for c in range(groups.pooled.shape[1]):
        if groups.pooled[a, c] + groups.pooled[b, c] > 0.0:
            crossed = groups.weight[b] * groups.pooled[a, c] - groups.weight[a] * groups.pooled[b, c]
            total += crossed * crossed / (groups.pooled[a, c] + groups.pooled[b, c])
    return total / (groups.weight[a] * groups.weight[b])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _freedom(groups: Groups, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.longlong:
    """Return the number of classes that occur in two groups, minus one."""
    c: cython.Py_ssize_t
    n: cython.longlong = -1
    for c in range(groups.pooled.shape[1]):
        if groups.pooled[a, c] + groups.pooled[b, c] > 0.0:
            n += 1
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_nearer(
    chi2: cython.double,
    freedom: cython.longlong,
    than_chi2: cython.double,
    than_freedom: cython.longlong,
    tolerance: cython.double,
) -> cython.bint:
    """Return whether the first test has the larger p-value: for equal degrees of freedom the smaller statistic."""
    if freedom == than_freedom:
        return chi2 < than_chi2 - tolerance
    return log_p(chi2, freedom) > log_p(than_chi2, than_freedom) + tolerance


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _seek(groups: Groups, limits: Limits, group: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
    """Find the later group that differs least from this one; if labels are ordered, the next group."""
    other: cython.Py_ssize_t
    found: cython.double
    found_freedom: cython.longlong
    groups.partner[group] = _NONE
    for other in range(group + 1, n):
        if groups.joined_to[other] != other:
            continue
        found = _difference(groups, group, other)
        found_freedom = _freedom(groups, group, other)
        if groups.partner[group] == _NONE or _is_nearer(
            found, found_freedom, groups.chi2[group], groups.freedom[group], limits.tolerance
        ):
            groups.partner[group] = other
            groups.chi2[group] = found
            groups.freedom[group] = found_freedom
        if limits.is_ordered:
            break


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join(groups: Groups, group: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.void:
    """Add the later of two groups to the earlier."""
    c: cython.Py_ssize_t
    for c in range(groups.pooled.shape[1]):
        groups.pooled[group, c] += groups.pooled[other, c]
    groups.weight[group] += groups.weight[other]
    groups.rows[group] += groups.rows[other]
    groups.joined_to[other] = group


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _most_similar(
    groups: Groups, limits: Limits, group: cython.Py_ssize_t, n: cython.Py_ssize_t, floating: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return the group that differs least from this one and may be merged with it; ties go to the first."""
    other: cython.Py_ssize_t
    below: cython.Py_ssize_t = _NONE
    above: cython.Py_ssize_t = _NONE
    best: cython.Py_ssize_t = _NONE
    found: cython.double
    found_freedom: cython.longlong
    best_found: cython.double = 0.0
    best_freedom: cython.longlong = 0
    for other in range(n):
        if groups.joined_to[other] == other and other != floating:
            if other < group:
                below = other
            elif other > group and above == _NONE:
                above = other
    for other in range(n):
        if groups.joined_to[other] != other or other == group:
            continue
        if limits.is_ordered and group != floating and other != floating and other != below and other != above:
            continue
        found = _difference(groups, group, other)
        found_freedom = _freedom(groups, group, other)
        if best == _NONE or _is_nearer(found, found_freedom, best_found, best_freedom, limits.tolerance):
            best = other
            best_found = found
            best_freedom = found_freedom
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _log_p_of_all(groups: Groups, n: cython.Py_ssize_t, with_floating: cython.Py_ssize_t) -> cython.double:
    """Return the logarithm of the p-value of all groups, the last entry on its own or counted with another."""
    entry: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_rows: cython.Py_ssize_t = 0
    for entry in range(n):
        if groups.joined_to[entry] != entry or (entry == n - 1 and with_floating != _NONE):
            continue
        for c in range(groups.pooled.shape[1]):
            groups.table[n_rows, c] = groups.pooled[entry, c]
            if entry == with_floating:
                groups.table[n_rows, c] += groups.pooled[n - 1, c]
        n_rows += 1
    return log_p(statistic(groups.table, 0, n_rows), degrees_of_freedom(groups.table, 0, n_rows))


def merge(
    start: cython.longlong[::1],
    code: cython.int[::1],
    outcomes: cython.double[:, ::1],
    n_rows: cython.longlong[::1],
    limits: Limits,
    groups: Groups,
    group: cython.int[::1],
    n_groups: cython.longlong[::1],
) -> None:
    """Fill the last two arrays with the group of each entry, numbered by first entry, and each node's group count.

    The two groups that differ least are merged while the p-value of the test between them is above `alpha` and there
    are more than two groups; ties go to the first pair. If labels are ordered, only adjacent groups are merged; missing
    values are then processed last, and join the group that differs least from them if that makes all groups together no
    less significant. Finally, groups that weigh less than `min_leaf` or hold fewer than `min_rows` cases are merged
    with the group that differs least from them, smallest first, down to two groups.
    """
    is_ordered: cython.bint = limits.is_ordered
    tolerance: cython.double = limits.tolerance
    pooled: cython.double[:, ::1] = groups.pooled
    weight: cython.double[::1] = groups.weight
    rows: cython.longlong[::1] = groups.rows
    joined_to: cython.longlong[::1] = groups.joined_to
    partner: cython.longlong[::1] = groups.partner
    chi2: cython.double[::1] = groups.chi2
    freedom: cython.longlong[::1] = groups.freedom
    node: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    n: cython.Py_ssize_t
    n_known: cython.Py_ssize_t
    left: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    best: cython.Py_ssize_t
    other: cython.Py_ssize_t
    floating: cython.Py_ssize_t
    found: cython.double
    found_freedom: cython.longlong
    log_alpha: cython.double = log(limits.alpha) if limits.alpha > 0.0 else -float("inf")
    following: cython.int
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            begin = start[node]
            n = start[node + 1] - begin
            for i in range(n):
                weight[i] = 0.0
                for c in range(outcomes.shape[1]):
                    pooled[i, c] = outcomes[begin + i, c]
                    weight[i] += outcomes[begin + i, c]
                rows[i] = n_rows[begin + i]
                joined_to[i] = i
            floating = _NONE
            if is_ordered and n > 1 and code[begin + n - 1] == limits.missing_code:
                floating = n - 1
            n_known = n if floating == _NONE else n - 1
            left = n_known
            if left > _FEWEST:
                for i in range(n_known):
                    _seek(groups, limits, i, n_known)
            while left > _FEWEST:
                best = _NONE
                for i in range(n_known):
                    if joined_to[i] != i or partner[i] == _NONE:
                        continue
                    if best == _NONE or _is_nearer(chi2[i], freedom[i], chi2[best], freedom[best], tolerance):
                        best = i
                if log_p(chi2[best], freedom[best]) <= log_alpha:
                    break
                other = partner[best]
                _join(groups, best, other)
                left -= 1
                for i in range(other):
                    if joined_to[i] != i:
                        continue
                    if i == best or partner[i] == best or partner[i] == other:
                        _seek(groups, limits, i, n_known)
                    elif i < best and not is_ordered:
                        found = _difference(groups, i, best)
                        found_freedom = _freedom(groups, i, best)
                        if _is_nearer(found, found_freedom, chi2[i], freedom[i], tolerance) or (
                            best < partner[i] and not _is_nearer(chi2[i], freedom[i], found, found_freedom, tolerance)
                        ):
                            partner[i] = best
                            chi2[i] = found
                            freedom[i] = found_freedom
            if floating != _NONE:
                other = _most_similar(groups, limits, floating, n, floating)
                found = _log_p_of_all(groups, n, other)
                if found <= _log_p_of_all(groups, n, _NONE) + tolerance and left > 1:
                    _join(groups, other, floating)
                    floating = _NONE
                else:
                    left += 1
            while left > _FEWEST:
                best = _NONE
                for i in range(n):
                    if joined_to[i] != i or (weight[i] >= limits.min_leaf - tolerance and rows[i] >= limits.min_rows):
                        continue
                    if best == _NONE or weight[i] < weight[best]:
                        best = i
                if best == _NONE:
                    break
                other = _most_similar(groups, limits, best, n, floating)
                if floating == best or floating == other:
                    floating = _NONE
                _join(groups, min(best, other), max(best, other))
                left -= 1
            following = 0
            for i in range(n):
                if joined_to[i] == i:
                    group[begin + i] = following
                    following += 1
                else:
                    group[begin + i] = group[begin + joined_to[i]]
            n_groups[node] = following
