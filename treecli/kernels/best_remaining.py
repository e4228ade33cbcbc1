"""The attribute that splits a node which is peeled, by gain ratio without the best cuts of those that cannot win."""

import cython

from treecli.kernels.choose import AVERAGE_SLACK, LEAST_INFORMATION

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.best_packed import best_attribute
    from treecli.kernels.codes import BY_RATIO
    from treecli.kernels.packed_args import Lists, Peeling, Search, Subtree
    from treecli.kernels.rule_out import is_ruled_out, set_known
    from treecli.kernels.scan_remaining import open_remaining, scan_remaining

INFINITY = cython.declare(cython.double, float("inf"))

_AVERAGE_SLACK = cython.declare(cython.double, AVERAGE_SLACK)
_LEAST_INFORMATION = cython.declare(cython.double, LEAST_INFORMATION)

# More than rounding changes of gains and ratios, and by how many slacks they differ clearly.
_ROUNDING = cython.declare(cython.double, 1e-9)
_CLEARLY = cython.declare(cython.double, 16.0)

# Gains that are not known may be at least and at most so many times a lower bound.
_LEAST_TIMES = cython.declare(cython.double, 1.02)
_RESERVE = cython.declare(cython.double, 0.6)
_MOST_TRIED = cython.declare(cython.int, 2)
_MOST_TIMES = cython.declare(cython.double, 2.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan(
    a: cython.Py_ssize_t, lists: Lists, search: Search, found: Found, peeling: Peeling, plan: Plan
) -> cython.void:
    """Find the best cut of an attribute."""
    scan_remaining(a, lists, search, found, peeling, plan)
    peeling.most[a] = found.gain[a]
    peeling.is_scanned[a] = True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_others(lists: Lists, search: Search, found: Found, peeling: Peeling, plan: Plan) -> cython.void:
    """Find the best cuts of the attributes that are not scanned."""
    j: cython.Py_ssize_t
    for j in range(search.last):
        if not peeling.is_scanned[search.live[j]]:
            _scan(search.live[j], lists, search, found, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_scanned(
    lists: Lists, search: Search, subtree: Subtree, found: Found, peeling: Peeling, plan: Plan
) -> cython.Py_ssize_t:
    """Scan the attribute that would win by what is known, until one does that is scanned, and return it; or -1."""
    best: cython.Py_ssize_t = best_attribute(lists, search, subtree, found, plan)
    while best >= 0 and not peeling.is_scanned[best]:
        _scan(best, lists, search, found, peeling, plan)
        best = best_attribute(lists, search, subtree, found, plan)
    return best


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_counted(a: cython.Py_ssize_t, share: cython.double, found: Found, plan: Plan) -> cython.bint:
    """Return whether the gain of an attribute counts in the average, as in choose.set_merits."""
    if found.gain[a] * share < plan.min_gain or not plan.is_counted[a]:
        return False
    return found.split_info[a] > _LEAST_INFORMATION


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _times(
    best: cython.Py_ssize_t, share: cython.double, search: Search, found: Found, peeling: Peeling, plan: Plan
) -> cython.double:
    """Return how many times their lower bounds the gains that are not known may be.

    The gain of `best` is then still at least average. Negative if that is not clear, or if an attribute might have less
    than the minimum gain.
    """
    most: cython.double = found.gain[best] + _AVERAGE_SLACK - _CLEARLY * plan.tolerance - _ROUNDING
    known: cython.double = 0.0
    unknown: cython.double = 0.0
    n_counted: cython.longlong = 0
    a: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for j in range(search.last):
        a = search.live[j]
        if not peeling.is_scanned[a] and found.gain[a] * share < plan.min_gain + _ROUNDING:
            return -1.0
        if not _is_counted(a, share, found, plan):
            continue
        n_counted += 1
        known += found.gain[a]
        if not peeling.is_scanned[a]:
            unknown += found.gain[a]
    peeling.least_gain = known / n_counted - _AVERAGE_SLACK - _CLEARLY * plan.tolerance - _ROUNDING
    return _RESERVE * (most * n_counted - known) / unknown + 1.0 if unknown > 0.0 else -1.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_certain(
    best: cython.Py_ssize_t, share: cython.double, search: Search, found: Found, peeling: Peeling, plan: Plan
) -> cython.bint:
    """Return whether `best` wins whatever the gains are that lie between the lower bounds and peeling.most.

    The attributes that are not scanned have lower ratios.
    """
    clearly: cython.double = _CLEARLY * plan.tolerance + _ROUNDING
    ratio: cython.double = found.gain[best] / found.split_info[best]
    own: cython.double
    least: cython.double = 0.0
    most: cython.double = 0.0
    n_counted: cython.longlong = 0
    a: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for j in range(search.last):
        a = search.live[j]
        if _is_counted(a, share, found, plan):
            n_counted += 1
            least += found.gain[a]
            most += peeling.most[a]
    if found.gain[best] < most / n_counted - _AVERAGE_SLACK + clearly:
        return False
    for j in range(search.last):
        a = search.live[j]
        if a == best or not peeling.is_scanned[a] or found.split_info[a] <= _LEAST_INFORMATION:
            continue
        own = found.gain[a] / found.split_info[a]
        if own > ratio - clearly and found.gain[a] >= least / n_counted - _AVERAGE_SLACK - clearly:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_known(search: Search, found: Found, peeling: Peeling) -> cython.Py_ssize_t:
    """Return the attribute whose bounds on the gain are furthest apart, or -1 if all are scanned."""
    most: cython.double = 0.0
    least: cython.Py_ssize_t = -1
    a: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for j in range(search.last):
        a = search.live[j]
        if not peeling.is_scanned[a] and peeling.most[a] - found.gain[a] > most:
            most = peeling.most[a] - found.gain[a]
            least = a
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_ratio(
    lists: Lists, search: Search, subtree: Subtree, found: Found, peeling: Peeling, plan: Plan
) -> cython.Py_ssize_t:
    """Return the attribute that clearly wins by gain ratio; -1 if none does."""
    share: cython.double = peeling.n / plan.root_weight if plan.gain_of_all else 1.0
    ratio: cython.double
    times: cython.double
    n_tried: cython.int
    a: cython.Py_ssize_t
    best: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for j in range(search.last):
        a = search.live[j]
        peeling.is_scanned[a] = False
        if not set_known(a, lists, search, found, peeling, plan):
            _scan(a, lists, search, found, peeling, plan)
    best = _best_scanned(lists, search, subtree, found, peeling, plan)
    if best < 0 or found.gain[best] <= _CLEARLY * plan.tolerance + _ROUNDING:
        return -1
    times = _times(best, share, search, found, peeling, plan)
    if times < 0.0:
        return -1
    times = times if times < _MOST_TIMES else _MOST_TIMES
    times = times if times > _LEAST_TIMES else _LEAST_TIMES
    ratio = found.gain[best] / found.split_info[best] - (_CLEARLY * plan.tolerance + _ROUNDING)
    for j in range(search.last):
        a = search.live[j]
        n_tried = 0
        while not peeling.is_scanned[a] and not is_ruled_out(a, times, ratio, lists, search, found, peeling, plan):
            n_tried += 1
            # With a better cut, it may be ruled out.
            if (
                search.most == -INFINITY
                or n_tried > _MOST_TRIED
                or not set_known(a, lists, search, found, peeling, plan)
            ):
                _scan(a, lists, search, found, peeling, plan)
    while True:
        best = best_attribute(lists, search, subtree, found, plan)
        if best < 0 or not peeling.is_scanned[best] or not found.gain[best] / found.split_info[best] > ratio:
            return -1
        if _is_certain(best, share, search, found, peeling, plan):
            return best
        a = _least_known(search, found, peeling)
        if a < 0:
            return -1
        _scan(a, lists, search, found, peeling, plan)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_remaining(
    lists: Lists, search: Search, subtree: Subtree, found: Found, peeling: Peeling, plan: Plan
) -> cython.Py_ssize_t:
    """Return the attribute that splits the node, or -1; its cut is in `peeling`."""
    best: cython.Py_ssize_t = -1
    j: cython.Py_ssize_t
    open_remaining(lists, search, subtree, peeling, plan)
    if plan.rank == BY_RATIO:
        best = _best_ratio(lists, search, subtree, found, peeling, plan)
        if best >= 0:
            return best
    else:
        for j in range(search.last):
            peeling.is_scanned[search.live[j]] = False
    _scan_others(lists, search, found, peeling, plan)
    return best_attribute(lists, search, subtree, found, plan)
