"""Whole subtrees in one go: numeric attributes without missing values, every case of weight 1.

The same answers as the level-by-level way, which takes on everything else. Depth first, so that the cases of a node
stay in the processor's cache. Each attribute has a list of entries (see the kernel lists) in the order of its values;
parting the lists keeps that order. A node of an even level has its cases in the first half of `entry`, one of an odd
level in the second, each attribute's at the same places.
"""

import cython

if not cython.compiled:  # compiled, these come through the .pxd file beside this one
    from treecli.kernels.children import may_split, part_list, send_cases, set_children
    from treecli.kernels.choose import best_attribute, least_side, scan_lists

_CONSTANT = cython.declare(cython.longlong, -2)
_GAIN = cython.declare(cython.Py_ssize_t, 0)
_INFORMATION = cython.declare(cython.Py_ssize_t, 1)
_DEVIANCE = cython.declare(cython.Py_ssize_t, 2)

# What is kept of a node that waits to be split.
_NODE = cython.declare(cython.Py_ssize_t, 0)
_LO = cython.declare(cython.Py_ssize_t, 1)
_HI = cython.declare(cython.Py_ssize_t, 2)
_DEPTH = cython.declare(cython.Py_ssize_t, 3)
_N_LIVE = cython.declare(cython.Py_ssize_t, 4)

PENDING_COLUMNS = 5


def grow(
    entry: cython.uint[::1],
    stride: cython.Py_ssize_t,
    row_shift: cython.int,
    live: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    first_depth: cython.longlong,
    goes_left: cython.uchar[::1],
    is_numeric: cython.bint,
    target_of_row: cython.double[::1],
    xlog2_of: cython.double[::1],
    is_ratio: cython.bint,
    impurity: cython.int,
    by_remainders: cython.bint,
    min_side: cython.longlong,
    min_leaf: cython.double,
    branch_share: cython.double,
    most_branch_share: cython.double,
    tolerance: cython.double,
    zero_gain: cython.bint,
    cut_cost: cython.bint,
    value_gap: cython.double,
    is_single: cython.bint,
    close: cython.int[::1],
    values: cython.double[:, ::1],
    max_depth: cython.longlong,
    least: cython.double,
    least_deviance: cython.double,
    min_gain: cython.double,
    gain_of_all: cython.bint,
    n_all: cython.double,
    scratch: cython.longlong[:, ::1],
    found: cython.double[:, ::1],
    cut: cython.longlong[::1],
    pending: cython.int[:, ::1],
    attribute: cython.int[::1],
    neighbour: cython.int[:, ::1],
    merit: cython.double[:, ::1],
    first_child: cython.int[::1],
    outcomes: cython.double[:, ::1],
    sums: cython.double[:, ::1],
) -> int:
    """Grows the tree of the open node whose cases stand from `first` to `last`; gives the number of its nodes.

    The last six arrays are filled in; row 0 of outcomes and sums is given. A leaf has the attribute -1; the two
    children of an inner node follow each other. The list of attribute a begins at a * stride in each half of `entry`;
    for a numeric target one more list has the cases in the order of the file. `live` are the attributes that are not
    constant. neighbour[node] are the rows on both sides of the cut, merit[node] gain and split information;
    xlog2_of[n] is n log2 n.
    """
    half: cython.Py_ssize_t = entry.shape[0] // 2
    n_attributes: cython.Py_ssize_t = cut.shape[0]
    n_nodes: cython.int = 1
    n_pending: cython.Py_ssize_t = 1
    n_live: cython.Py_ssize_t
    node: cython.int
    child: cython.int
    a: cython.Py_ssize_t
    j: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    depth: cython.longlong
    source: cython.Py_ssize_t
    target: cython.Py_ssize_t
    best: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    size: cython.double
    share: cython.double
    slack: cython.double
    stops: cython.bint = not is_numeric and not is_ratio and not cut_cost
    opens_left: cython.bint
    opens_right: cython.bint
    with cython.nogil:
        attribute[0] = -1
        first_child[0] = 0
        pending[0, _NODE] = 0
        pending[0, _LO] = first
        pending[0, _HI] = last
        pending[0, _DEPTH] = first_depth
        pending[0, _N_LIVE] = live.shape[0]
        for a in range(n_attributes):
            cut[a] = _CONSTANT
        while n_pending > 0:
            n_pending -= 1
            node = pending[n_pending, _NODE]
            lo = pending[n_pending, _LO]
            hi = pending[n_pending, _HI]
            depth = pending[n_pending, _DEPTH]
            n_live = pending[n_pending, _N_LIVE]
            size = cython.cast(cython.double, hi - lo)
            source = half if depth % 2 else 0
            target = half - source
            for j in range(n_live, live.shape[0]):
                cut[live[j]] = _CONSTANT
            scan_lists(
                entry,
                source,
                stride,
                row_shift,
                live,
                0,
                n_live,
                lo,
                hi,
                is_numeric,
                target_of_row,
                sums,
                outcomes,
                node,
                xlog2_of,
                impurity,
                by_remainders,
                least_side(hi - lo, outcomes.shape[1], min_side, min_leaf, branch_share, most_branch_share, tolerance),
                tolerance,
                zero_gain,
                cut_cost,
                stops,
                value_gap,
                is_single,
                close,
                values,
                scratch,
                found,
                cut,
            )
            share = size / n_all if gain_of_all else 1.0
            slack = 0.0 if by_remainders else tolerance
            if is_numeric:
                slack *= outcomes[node, _DEVIANCE] / size
            best = best_attribute(is_ratio, by_remainders, zero_gain, min_gain, share, tolerance, slack, found, cut)
            if best < 0:
                continue
            middle = cut[best] + 1
            child = n_nodes
            attribute[node] = best
            neighbour[node, 0] = entry[source + best * stride + middle - 1] >> row_shift
            neighbour[node, 1] = entry[source + best * stride + middle] >> row_shift
            merit[node, _GAIN] = found[_GAIN, best]
            merit[node, _INFORMATION] = found[_INFORMATION, best]
            first_child[node] = child
            n_nodes += 2
            for a in range(child, n_nodes):
                attribute[a] = -1
                first_child[a] = 0
            if is_numeric:
                send_cases(entry, source, stride, row_shift, best, lo, hi, middle - 1, goes_left)
            set_children(
                entry,
                source,
                stride,
                row_shift,
                best,
                lo,
                hi,
                middle - 1,
                goes_left,
                is_numeric,
                by_remainders,
                target_of_row,
                sums,
                outcomes,
                node,
                child,
            )
            if depth + 1 >= max_depth:
                continue
            opens_left = may_split(outcomes, child, middle - lo, is_numeric, least_deviance, least)
            opens_right = may_split(outcomes, child + 1, hi - middle, is_numeric, least_deviance, least)
            if not opens_left and not opens_right:
                continue
            if not is_numeric:
                send_cases(entry, source, stride, row_shift, best, lo, hi, middle - 1, goes_left)
            j = 0
            while j < n_live:
                a = live[j]
                if cut[a] == _CONSTANT:
                    n_live -= 1
                    live[j] = live[n_live]
                    live[n_live] = a
                    continue
                part_list(entry, source + a * stride, target + a * stride, row_shift, lo, hi, middle - 1, goes_left)
                j += 1
            if is_numeric:
                a = n_attributes * stride
                part_list(entry, source + a, target + a, row_shift, lo, hi, middle - 1, goes_left)
            if opens_right:
                pending[n_pending, _NODE] = child + 1
                pending[n_pending, _LO] = middle
                pending[n_pending, _HI] = hi
                pending[n_pending, _DEPTH] = depth + 1
                pending[n_pending, _N_LIVE] = n_live
                n_pending += 1
            if opens_left:
                pending[n_pending, _NODE] = child
                pending[n_pending, _LO] = lo
                pending[n_pending, _HI] = middle
                pending[n_pending, _DEPTH] = depth + 1
                pending[n_pending, _N_LIVE] = n_live
                n_pending += 1
    return n_nodes


def level_order(first_child: cython.int[::1], order: cython.int[::1]) -> None:
    """Fills `order` with the nodes level by level, each level in the order of its parents."""
    n_met: cython.Py_ssize_t = 1
    i: cython.Py_ssize_t
    with cython.nogil:
        order[0] = 0
        for i in range(first_child.shape[0]):
            if first_child[order[i]] > 0:
                order[n_met] = first_child[order[i]]
                order[n_met + 1] = first_child[order[i]] + 1
                n_met += 2
