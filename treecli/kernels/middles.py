"""Means and medians of the values of each node, as thresholds."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Cases, Order

_ROUNDING = cython.declare(cython.double, 1e-9)
_MEAN_ROUNDING = cython.declare(cython.double, 1e-12)


def middles(cases: Cases, order: Order, is_median: cython.bint, out: cython.double[::1]) -> None:
    """Fill `out` with the mean or the median of each node's known values, moved below the largest of them."""
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    weight: cython.double
    passed: cython.double
    middle: cython.double
    slip: cython.double
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            begin = cases.start[node]
            end = begin + order.n_known[node]
            out[node] = 0.0
            if begin == end:
                continue
            weight = 0.0
            middle = 0.0
            for i in range(begin, end):
                weight += cases.weight[order.case[i]]
                middle += cases.weight[order.case[i]] * order.value[i]
            middle /= weight
            if middle - middle != 0.0:  # the sum overflowed
                middle = 0.0
                for i in range(begin, end):
                    middle += cases.weight[order.case[i]] / weight * order.value[i]
            if not is_median:
                # A value equal to the mean up to rounding is the mean: tripling all weights must not move the cut.
                slip = _MEAN_ROUNDING * max(abs(order.value[begin]), abs(order.value[end - 1]))
                for i in range(begin, end):
                    if abs(order.value[i] - middle) <= slip:
                        middle = order.value[i]
                        break
            else:
                passed = 0.0
                for i in range(begin, end):
                    passed += cases.weight[order.case[i]]
                    middle = order.value[i]
                    if passed > weight / 2.0 + _ROUNDING or i == end - 1:
                        break
                    if passed >= weight / 2.0 - _ROUNDING:
                        middle = order.value[i] / 2.0 + order.value[i + 1] / 2.0
                        break
            if not middle < order.value[end - 1]:
                # All values lie on one side: use the largest value below the maximum, the nearest threshold that cuts.
                i = end - 1
                while i > begin and not order.value[i] < order.value[end - 1]:
                    i -= 1
                middle = order.value[i]
            out[node] = middle
