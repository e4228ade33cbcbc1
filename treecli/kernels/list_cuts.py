"""All cuts of the open nodes on one ordered attribute, where other searches look at the best one only."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.ahead_runs import spread_of
    from treecli.kernels.args import Cases, Found, Order, Plan
    from treecli.kernels.codes import ENTROPY

_BEFORE = cython.declare(cython.Py_ssize_t, 0)
_AFTER = cython.declare(cython.Py_ssize_t, 1)


def list_cuts(
    cases: Cases,
    order: Order,
    least: cython.double[::1],
    xlog2_of: cython.double[::1],
    count: cython.double[:, ::1],
    node_of: cython.longlong[::1],
    found: Found,
    plan: Plan,
) -> int:
    """Fill `found` with the cuts whose branches both have the least weight of their node; return how many.

    No value is missing and all weights are whole, so that sums do not depend on their order. xlog2_of has the
    logarithms of split information, and `count` is room for the outcomes of two branches.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    n_classes: cython.Py_ssize_t = count.shape[1]
    is_looked_up: cython.bint
    weight: cython.double
    before: cython.double
    whole: cython.double
    decrease: cython.double
    gap: cython.double = order.gap
    case_at: cython.int[::1] = order.case
    value: cython.double[::1] = order.value
    label: cython.int[::1] = cases.label
    weight_of: cython.double[::1] = cases.weight
    gain: cython.double[::1] = found.gain
    info: cython.double[::1] = found.split_info
    lower: cython.double[::1] = found.lower
    upper: cython.double[::1] = found.upper
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            weight = 0.0
            before = 0.0
            for c in range(n_classes):
                count[_BEFORE, c] = 0.0
                count[_AFTER, c] = cases.totals[node, c]
                weight += cases.totals[node, c]
            is_looked_up = plan.impurity == ENTROPY and weight < plan.xlog2_of.shape[0]
            whole = spread_of(count, _AFTER, is_looked_up, plan)
            for i in range(cases.start[node], cases.start[node + 1] - 1):
                k = case_at[i]
                c = label[k]
                count[_BEFORE, c] += weight_of[k]
                count[_AFTER, c] -= weight_of[k]
                before += weight_of[k]
                if not value[i + 1] - value[i] > gap or before < least[node] or weight - before < least[node]:
                    continue
                decrease = (
                    whole - spread_of(count, _BEFORE, is_looked_up, plan) - spread_of(count, _AFTER, is_looked_up, plan)
                )
                gain[n] = (decrease if decrease > 0.0 else 0.0) / weight
                info[n] = (
                    xlog2_of[cython.cast(cython.Py_ssize_t, weight)]
                    - xlog2_of[cython.cast(cython.Py_ssize_t, before)]
                    - xlog2_of[cython.cast(cython.Py_ssize_t, weight - before)]
                ) / weight
                lower[n] = value[i]
                upper[n] = value[i + 1]
                node_of[n] = node
                n += 1
    return n
