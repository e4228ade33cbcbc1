"""Rank candidates and choose the attribute that splits a node."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.codes import BY_RATIO, SKLEARN

INFINITY = cython.declare(cython.double, float("inf"))

LEAST_INFORMATION = 1e-9
"""A split with less split information sends all cases to one branch."""

AVERAGE_SLACK = 1e-3
"""C4.5's constant: a gain may be below the average by this much."""

_LEAST_INFORMATION = cython.declare(cython.double, LEAST_INFORMATION)
_AVERAGE_SLACK = cython.declare(cython.double, AVERAGE_SLACK)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_merits(found: Found, n: cython.Py_ssize_t, share: cython.double, plan: Plan) -> cython.void:
    """Set the merits of the candidates of one node, one for each of n attributes; -inf excludes a candidate.

    The merit is the gain, or the gain ratio of candidates whose gain is at least average: without that limit, splits
    with almost no split information would win. If no attribute counts in the average, all are excluded. In
    scikit-learn's arithmetic the merit is the improvement. `share` times the gain must reach the minimum gain.
    """
    a: cython.Py_ssize_t
    average: cython.double = 0.0
    n_counted: cython.Py_ssize_t = 0
    merit: cython.double
    min_gain: cython.double = plan.min_gain
    is_ratio: cython.bint = plan.rank == BY_RATIO
    for a in range(n):
        merit = found.gain[a]
        if merit * share < min_gain:
            merit = -INFINITY
        found.merit[a] = merit
        if is_ratio and plan.is_counted[a] and merit > -INFINITY and found.split_info[a] > _LEAST_INFORMATION:
            average += merit
            n_counted += 1
    if n_counted > 0:
        average /= n_counted
    for a in range(n):
        merit = found.merit[a]
        if merit == -INFINITY:
            continue
        if is_ratio:
            if n_counted == 0 or found.split_info[a] <= _LEAST_INFORMATION or merit < average - _AVERAGE_SLACK:
                found.merit[a] = -INFINITY
                continue
            merit /= found.split_info[a]
        if not plan.zero_gain and merit <= plan.tolerance:
            merit = -INFINITY
        elif plan.arithmetic == SKLEARN:
            merit = found.improvement[a]
        found.merit[a] = merit


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def first_best(found: Found, n: cython.Py_ssize_t, slack: cython.double) -> cython.Py_ssize_t:
    """Return the attribute of largest merit, or -1; merits that differ by at most the slack tie, and the first wins."""
    a: cython.Py_ssize_t
    most: cython.double = -INFINITY
    best: cython.Py_ssize_t = -1
    for a in range(n):
        if found.merit[a] > most + slack:
            most = found.merit[a]
            best = a
    return best


def merits(
    gain: cython.double[:, ::1],
    split_info: cython.double[:, ::1],
    improvement: cython.double[:, ::1],
    share: cython.double[::1],
    plan: Plan,
    found: Found,
    merit: cython.double[:, ::1],
) -> None:
    """Fill `merit` for all candidates of a level: rows are attributes, columns nodes.

    `found` is scratch with room for all attributes.
    """
    node: cython.Py_ssize_t
    a: cython.Py_ssize_t
    n: cython.Py_ssize_t = gain.shape[0]
    with cython.nogil:
        for node in range(gain.shape[1]):
            for a in range(n):
                found.gain[a] = gain[a, node]
                found.split_info[a] = split_info[a, node]
                found.improvement[a] = improvement[a, node]
            set_merits(found, n, share[node], plan)
            for a in range(n):
                merit[a, node] = found.merit[a]


def choose(
    merit: cython.double[:, ::1],
    slack: cython.double[::1],
    found: Found,
    chosen: cython.int[::1],
) -> None:
    """Fill `chosen` with the attribute that splits each node of a level; -1 if none does."""
    node: cython.Py_ssize_t
    a: cython.Py_ssize_t
    n: cython.Py_ssize_t = merit.shape[0]
    with cython.nogil:
        for node in range(merit.shape[1]):
            for a in range(n):
                found.merit[a] = merit[a, node]
            chosen[node] = cython.cast(cython.int, first_best(found, n, slack[node]))


def first_bests(
    start: cython.longlong[::1], gain: cython.double[::1], slack: cython.double[::1], best: cython.longlong[::1]
) -> None:
    """Fill `best` with the entry of largest gain of each node; -1 if there is none.

    Node i has the entries from start[i] to start[i + 1]. An entry replaces an earlier one only if its gain is larger by
    more than the slack.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    most: cython.double
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            best[node] = -1
            most = -INFINITY
            for i in range(start[node], start[node + 1]):
                if gain[i] > most + slack[node]:
                    most = gain[i]
                    best[node] = i
