"""The best surrogate of a two-way split on one column, for every open node. Sums and ties follow rpart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Cases, Order
    from treecli.kernels.codes import NO_BRANCH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIDES = 2

_FEWEST = cython.declare(cython.Py_ssize_t, 2)


@cython.cclass
class Splits:
    """The two-way splits of a level that need surrogates.

    The `branch` of a case is 0 or 1, or negative if its value is missing; such cases are ignored. `first` is the branch
    with the smaller mean. Only nodes with `is_asked` are processed. `step` is 1, -1 or 0 for cases of branch 0, of
    branch 1 and without a branch; it is empty if not all weights are 1.
    """

    branch: NDArray[np.int32]
    first: NDArray[np.int32]
    is_asked: NDArray[np.uint8]
    step: NDArray[np.int8]

    def __init__(
        self,
        branch: NDArray[np.int32],
        first: NDArray[np.int32],
        is_asked: NDArray[np.uint8],
        step: NDArray[np.int8],
    ) -> None:
        self.branch = branch
        self.first = first
        self.is_asked = is_asked
        self.step = step


@cython.cclass
class Agreement:
    """The best surrogate of each node on one column, and the weight on which it agrees with the split; 0 if none.

    A cut lies between `lower` and `upper`, and sends values below it to `low_branch`; `table` routes labels.
    """

    agreeing: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    low_branch: NDArray[np.int32]
    table: NDArray[np.int32]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut_of_counts(
    node: cython.Py_ssize_t,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    order: Order,
    splits: Splits,
    found: Agreement,
) -> cython.void:
    """Find the cut of one node whose cases have weight 1, as best_cuts does.

    With d cases of branch 0 more than of branch 1 below a cut, it agrees with the split on n_1 + d cases if values
    below it take branch 0, and on n_0 - d cases if they take branch 1.
    """
    i: cython.Py_ssize_t
    n_0: cython.Py_ssize_t = 0
    n_1: cython.Py_ssize_t = 0
    d: cython.Py_ssize_t = 0
    n_known: cython.Py_ssize_t = 0
    first_cut: cython.Py_ssize_t = begin
    last_cut: cython.Py_ssize_t = end
    best: cython.Py_ssize_t
    step: cython.int
    for i in range(begin, end):
        step = splits.step[order.case[i]]
        n_0 += step > 0
        n_1 += step < 0
    best = n_0 if n_0 > n_1 else n_1
    if n_0 + n_1 < 2 * _FEWEST:
        return
    while n_known < _FEWEST:
        step = splits.step[order.case[first_cut]]
        n_known += step != 0
        d += cython.cast(cython.Py_ssize_t, step)
        first_cut += 1
    n_known = 0
    while n_known < _FEWEST:
        last_cut -= 1
        n_known += splits.step[order.case[last_cut]] != 0
    for i in range(first_cut, last_cut + 1):
        if (n_1 + d > best or n_0 - d > best) and order.value[i] != order.value[i - 1]:
            found.low_branch[node] = 0 if n_1 + d > best else 1
            best = n_1 + d if n_1 + d > best else n_0 - d
            found.agreeing[node] = cython.cast(cython.double, best)
            found.lower[node] = order.value[i - 1]
            found.upper[node] = order.value[i]
        # The cast widens the 8 bits of a step where the kernel is not compiled.
        d += cython.cast(cython.Py_ssize_t, splits.step[order.case[i]])


def best_cuts(cases: Cases, order: Order, splits: Splits, found: Agreement) -> None:
    """Fill `found` with each node's cut that agrees with the split on the largest weight.

    A cut must send at least two cases to each side, and agree better than sending all cases to one branch.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n_below: cython.Py_ssize_t
    n_above: cython.Py_ssize_t
    branch: cython.int
    below_0: cython.double
    below_1: cython.double
    above_0: cython.double
    above_1: cython.double
    in_0: cython.double
    in_1: cython.double
    best: cython.double
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            found.agreeing[node] = 0.0
            if not splits.is_asked[node]:
                continue
            begin = cases.start[node]
            end = begin + order.n_known[node]
            if splits.step.shape[0] > 0:
                _best_cut_of_counts(node, begin, end, order, splits, found)
                continue
            n_below = 0
            n_above = 0
            below_0 = 0.0
            below_1 = 0.0
            above_0 = 0.0
            above_1 = 0.0
            for i in range(begin, end):
                # Arithmetic instead of jumps, which would be mispredicted.
                branch = splits.branch[order.case[i]]
                above_0 += cases.weight[order.case[i]] * (branch == 0)
                above_1 += cases.weight[order.case[i]] * (branch == 1)
                n_above += branch >= 0
            best = above_0 if above_0 > above_1 else above_1
            for i in range(begin, end):
                if n_above < _FEWEST:
                    break
                if n_below >= _FEWEST and order.value[i] != order.value[i - 1]:
                    if below_0 + above_1 > best:
                        best = below_0 + above_1
                        found.low_branch[node] = 0
                        found.agreeing[node] = best
                        found.lower[node] = order.value[i - 1]
                        found.upper[node] = order.value[i]
                    elif below_1 + above_0 > best:
                        best = below_1 + above_0
                        found.low_branch[node] = 1
                        found.agreeing[node] = best
                        found.lower[node] = order.value[i - 1]
                        found.upper[node] = order.value[i]
                branch = splits.branch[order.case[i]]
                n_below += branch >= 0
                n_above -= branch >= 0
                in_0 = cases.weight[order.case[i]] * (branch == 0)
                in_1 = cases.weight[order.case[i]] * (branch == 1)
                below_0 += in_0
                above_0 -= in_0
                below_1 += in_1
                above_1 -= in_1


def best_groups(
    cases: Cases,
    code_of_row: cython.int[::1],
    splits: Splits,
    has_slip: cython.bint,
    sides: cython.double[:, ::1],
    n_cases: cython.longlong[:, ::1],
    found: Agreement,
) -> None:
    """Fill `found` with each node's table: a label takes the branch to which the split sends most of its weight.

    Labels that tie take the majority branch of all cases or, if that ties too, the branch that is not `first`. A label
    without a case of known branch has NO_BRANCH. Both branches must take at least two cases, otherwise the agreement is
    0; with `has_slip`, at least two cases must agree with the split, and at least two must not. `sides` and `n_cases`
    are scratch: branches × labels.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    label: cython.int
    branch: cython.int
    usual: cython.int
    n_wrong: cython.longlong
    n_taken_0: cython.longlong
    n_taken_1: cython.longlong
    total_0: cython.double
    total_1: cython.double
    has_counts: cython.bint = splits.step.shape[0] > 0
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            found.agreeing[node] = 0.0
            if not splits.is_asked[node]:
                continue
            for i in range(found.table.shape[1]):
                found.table[node, i] = NO_BRANCH
                sides[0, i] = 0.0
                sides[1, i] = 0.0
                n_cases[0, i] = 0
                n_cases[1, i] = 0
            total_0 = 0.0
            total_1 = 0.0
            for i in range(cases.start[node], cases.start[node + 1]):
                label = code_of_row[cases.row[i]]
                branch = splits.branch[i]
                if label < 0 or branch < 0:
                    continue
                if has_counts:
                    n_cases[branch, label] += 1
                    continue
                sides[branch, label] += cases.weight[i]
                n_cases[branch, label] += 1
                if branch == 0:
                    total_0 += cases.weight[i]
                else:
                    total_1 += cases.weight[i]
            if has_counts:
                for i in range(found.table.shape[1]):
                    sides[0, i] = cython.cast(cython.double, n_cases[0, i])
                    sides[1, i] = cython.cast(cython.double, n_cases[1, i])
                    total_0 += sides[0, i]
                    total_1 += sides[1, i]
            usual = 1 - splits.first[node]
            if total_0 > total_1:
                usual = 0
            elif total_1 > total_0:
                usual = 1
            n_wrong = 0
            n_taken_0 = 0
            n_taken_1 = 0
            for i in range(found.table.shape[1]):
                if n_cases[0, i] + n_cases[1, i] == 0:
                    continue
                found.table[node, i] = usual
                if sides[0, i] > sides[1, i]:
                    found.table[node, i] = 0
                elif sides[1, i] > sides[0, i]:
                    found.table[node, i] = 1
                found.agreeing[node] += sides[found.table[node, i], i]
                n_wrong += n_cases[1 - found.table[node, i], i]
                if found.table[node, i] == 0:
                    n_taken_0 += n_cases[0, i] + n_cases[1, i]
                else:
                    n_taken_1 += n_cases[0, i] + n_cases[1, i]
            if n_taken_0 == 0 or n_taken_1 == 0:  # all cases take one branch: any excess agreement is rounding
                found.agreeing[node] = 0.0
            if has_slip:
                n_taken_0, n_taken_1 = n_wrong, n_taken_0 + n_taken_1 - n_wrong
            if n_taken_0 < _FEWEST or n_taken_1 < _FEWEST:
                found.agreeing[node] = 0.0
