"""The best two-way split by rpart's improvement. Use rpart's formula and summation order; compare exactly.

A case of class c counts scale_c times its weight: by its prior and its costs. Of a set of cases, n_c is the weight of
class c, W = sum of scale_c n_c and p_c = scale_c n_c / W. The impurity of the set is

    W I = sum over c of W f(p_c),  f(p) = p (1 - p) for Gini's index, f(p) = -p ln p for entropy,

and a split into L and R improves it by W I - (W_L I_L + W_R I_R). A numeric target is taken as its differences d from
the mean of all cases with a known value. Their sum S = sum of w d is 0, so the sum of squares falls by
S_L²/W_L + S_R²/W_R.

Improvements are compared exactly, so every sum has a fixed order: cases in the order of the column, classes in class
order and, within a class, L before R. `found.first` is the branch with the smaller mean of the target or, for classes,
of the class numbers; rpart calls it the left son.
"""

import cython
from cython.cimports.libc.math import log

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Cases, Found, Labels, Order, Plan, Scratch, Tables
    from treecli.kernels.codes import ENTROPY, NO_BRANCH

    # The rows of Scratch.sides.
    _LEFT, _RIGHT = range(2)

NOT_A_NUMBER = cython.declare(cython.double, float("nan"))

SCRATCH_ROWS = 2
"""The rows of Scratch.sides, with a column for each outcome: the class weights, or weight and sum, of each side."""


@cython.cclass
class Groupings:
    """Data for grouping labels, in addition to the count tables."""

    scaled: cython.double[::1]
    """The weight of each entry, each class by its scale."""
    known: cython.double[::1]
    """The same of each node's known values together."""
    is_exhaustive: cython.uchar[::1]
    """Whether all groupings of a node are tried."""
    is_left: cython.uchar[::1]
    """Scratch with a place for each label of a node."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _term(share: cython.double, is_entropy: cython.bint) -> cython.double:
    """Return the term f(p) of one class in the impurity.

    Rounding may leave a share just below 0, which has no logarithm: such a split is no candidate.
    """
    if not is_entropy:
        return share * (1.0 - share)
    if share < 0.0:
        return NOT_A_NUMBER
    return 0.0 if share == 0.0 else -share * log(share)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _impurity_of_all(weight: cython.double, plan: Plan, scratch: Scratch) -> cython.double:
    """W I while all cases are on the right; W is `weight`."""
    c: cython.Py_ssize_t
    is_entropy: cython.bint = plan.impurity == ENTROPY
    total: cython.double = 0.0
    for c in range(plan.class_scale.shape[0]):
        total += weight * _term(plan.class_scale[c] * scratch.sides[_RIGHT, c] / weight, is_entropy)
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _impurity_of_both(left: cython.double, right: cython.double, plan: Plan, scratch: Scratch) -> cython.double:
    """W_L I_L + W_R I_R; W_L and W_R are `left` and `right`."""
    c: cython.Py_ssize_t
    is_entropy: cython.bint = plan.impurity == ENTROPY
    total: cython.double = 0.0
    for c in range(plan.class_scale.shape[0]):
        total += left * _term(plan.class_scale[c] * scratch.sides[_LEFT, c] / left, is_entropy)
        total += right * _term(plan.class_scale[c] * scratch.sides[_RIGHT, c] / right, is_entropy)
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_left_first(left: cython.double, right: cython.double, plan: Plan, scratch: Scratch) -> cython.bint:
    """Return whether the mean class number, sum of c p_c, is smaller on the left."""
    c: cython.Py_ssize_t
    left_mean: cython.double = 0.0
    right_mean: cython.double = 0.0
    for c in range(plan.class_scale.shape[0]):
        left_mean += plan.class_scale[c] * scratch.sides[_LEFT, c] / left * c
        right_mean += plan.class_scale[c] * scratch.sides[_RIGHT, c] / right * c
    return left_mean < right_mean


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _may_cut(place: cython.Py_ssize_t, at: At, order: Order, min_rows: cython.double) -> cython.bint:
    """Return whether a cut is allowed after a place of the order: values differ, with enough cases on both sides."""
    return (
        place + 1 - at.begin >= min_rows
        and at.end - place - 1 >= min_rows
        and order.value[place + 1] != order.value[place]
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut_of_classes(at: At, cases: Cases, order: Order, plan: Plan, found: Found, scratch: Scratch) -> cython.void:
    """Set entry at.node of `found` to the best cut of one node, as best_cuts does, where the target has classes."""
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    k: cython.int
    node: cython.Py_ssize_t = at.node
    min_rows: cython.double = plan.min_rows
    w: cython.double
    left: cython.double = 0.0
    right: cython.double = 0.0
    before: cython.double
    after: cython.double
    least: cython.double
    for c in range(plan.class_scale.shape[0]):
        scratch.sides[_LEFT, c] = 0.0
        scratch.sides[_RIGHT, c] = 0.0
    for i in range(at.begin, at.end):
        k = order.case[i]
        w = cases.weight[k]
        c = cases.label[k]
        right += plan.class_scale[c] * w
        scratch.sides[_RIGHT, c] += w
    before = _impurity_of_all(right, plan, scratch)
    least = before
    for i in range(at.begin, at.end - 1):
        k = order.case[i]
        w = cases.weight[k]
        c = cases.label[k]
        right -= plan.class_scale[c] * w
        left += plan.class_scale[c] * w
        scratch.sides[_RIGHT, c] -= w
        scratch.sides[_LEFT, c] += w
        if not _may_cut(i, at, order, min_rows):
            continue
        after = _impurity_of_both(left, right, plan, scratch)
        if after < least:
            least = after
            found.lower[node] = order.value[i]
            found.upper[node] = order.value[i + 1]
            found.first[node] = 0 if _is_left_first(left, right, plan, scratch) else 1
    found.improvement[node] = before - least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_cut_of_numbers(at: At, cases: Cases, order: Order, plan: Plan, found: Found) -> cython.void:
    """Set entry at.node of `found` to the best cut of one node, as best_cuts does, where the target is numeric."""
    i: cython.Py_ssize_t
    k: cython.int
    node: cython.Py_ssize_t = at.node
    min_rows: cython.double = plan.min_rows
    w: cython.double
    mean: cython.double = 0.0
    left: cython.double = 0.0
    right: cython.double = 0.0
    left_sum: cython.double = 0.0
    right_sum: cython.double = 0.0
    improvement: cython.double
    most: cython.double = 0.0
    for i in range(at.begin, at.end):
        k = order.case[i]
        w = cases.weight[k]
        mean += cases.target[k] * w
        right += w
    mean /= right
    for i in range(at.begin, at.end - 1):
        k = order.case[i]
        w = cases.weight[k]
        left += w
        right -= w
        left_sum += (cases.target[k] - mean) * w
        right_sum -= (cases.target[k] - mean) * w
        if not _may_cut(i, at, order, min_rows):
            continue
        improvement = left_sum * left_sum / left + right_sum * right_sum / right
        if improvement > most:
            most = improvement
            found.lower[node] = order.value[i]
            found.upper[node] = order.value[i + 1]
            found.first[node] = 0 if left_sum < right_sum else 1
    found.improvement[node] = most


def best_cuts(cases: Cases, order: Order, at: At, plan: Plan, found: Found, scratch: Scratch) -> None:
    """Fill improvement, lower, upper and first of `found` with the best cut of every node.

    The improvement is 0 where there is none. Both sides of a cut hold at least plan.min_rows cases, and only cases with
    a known value count. Of equal cuts the lowest wins.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            at.node = node
            at.begin = cases.start[node]
            at.end = at.begin + order.n_known[node]
            found.improvement[node] = 0.0
            if at.begin == at.end or order.value[at.begin] == order.value[at.end - 1]:
                continue
            if plan.is_numeric:
                _best_cut_of_numbers(at, cases, order, plan, found)
            else:
                _best_cut_of_classes(at, cases, order, plan, found, scratch)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _entry_to_move(step: cython.longlong, at: At, tables: Tables, is_exhaustive: cython.bint) -> cython.Py_ssize_t:
    """Return the entry that changes sides at a step, of which the first is 1.

    All groupings, each once: those of the binary reflected Gray code (Gray 1953), in which step s moves the label whose
    number is the number of trailing zeros of s. The last label never moves. Otherwise one entry after the other moves
    to the left, in the tables' order.
    """
    label: cython.Py_ssize_t = 0
    if not is_exhaustive:
        return tables.order[at.begin + step - 1]
    while (step >> label) & 1 == 0:
        label += 1
    return at.begin + label


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(left_is_first: cython.bint, at: At, tables: Tables, groupings: Groupings, found: Found) -> cython.void:
    """Keep the present grouping as the best of the node: branch 0 has the first label, whichever side that is."""
    i: cython.Py_ssize_t
    found.first[at.node] = 0 if left_is_first == (groupings.is_left[0] == 1) else 1
    for i in range(at.end - at.begin):
        tables.table[at.node, tables.code[at.begin + i]] = 0 if groupings.is_left[i] == groupings.is_left[0] else 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_groups_of(
    at: At, tables: Tables, groupings: Groupings, plan: Plan, found: Found, scratch: Scratch
) -> cython.void:
    """Set entry at.node of `found` and of the table to the best grouping of one node, as best_groups does."""
    n: cython.Py_ssize_t = at.end - at.begin
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    step: cython.longlong
    n_steps: cython.longlong = n
    left_rows: cython.longlong = 0
    right_rows: cython.longlong = 0
    left: cython.double = 0.0
    right: cython.double = groupings.known[at.node]
    left_sum: cython.double = 0.0
    right_sum: cython.double = 0.0
    sign: cython.double
    before: cython.double = 0.0
    tried: cython.double
    best: cython.double
    is_better: cython.bint
    left_is_first: cython.bint
    is_numeric: cython.bint = plan.is_numeric
    is_exhaustive: cython.bint = groupings.is_exhaustive[at.node]
    for c in range(tables.outcomes.shape[1]):
        scratch.sides[_LEFT, c] = 0.0
        scratch.sides[_RIGHT, c] = 0.0
    for i in range(n):
        groupings.is_left[i] = 0
        right_rows += tables.n_rows[at.begin + i]
        if not is_numeric:
            for c in range(tables.outcomes.shape[1]):
                scratch.sides[_RIGHT, c] += tables.outcomes[at.begin + i, c]
    if not is_numeric:
        before = _impurity_of_all(right, plan, scratch)
    best = before
    if is_exhaustive:
        n_steps = cython.cast(cython.longlong, 1) << (n - 1)
    for step in range(1, n_steps):
        entry = _entry_to_move(step, at, tables, is_exhaustive)
        i = entry - at.begin
        groupings.is_left[i] = 1 - groupings.is_left[i]
        sign = 1.0 if groupings.is_left[i] else -1.0
        left_rows += tables.n_rows[entry] if groupings.is_left[i] else -tables.n_rows[entry]
        right_rows -= tables.n_rows[entry] if groupings.is_left[i] else -tables.n_rows[entry]
        if is_numeric:
            left += sign * tables.outcomes[entry, 0]
            right -= sign * tables.outcomes[entry, 0]
            left_sum += sign * tables.outcomes[entry, 1]
            right_sum -= sign * tables.outcomes[entry, 1]
        else:
            right -= sign * groupings.scaled[entry]
            left += sign * groupings.scaled[entry]
            for c in range(tables.outcomes.shape[1]):
                scratch.sides[_RIGHT, c] -= sign * tables.outcomes[entry, c]
                scratch.sides[_LEFT, c] += sign * tables.outcomes[entry, c]
        if left_rows < plan.min_rows or right_rows < plan.min_rows:
            continue
        if is_numeric:
            tried = left_sum * left_sum / left + right_sum * right_sum / right
            is_better = tried > best
            left_is_first = not left_sum / left > right_sum / right
        else:
            tried = _impurity_of_both(left, right, plan, scratch)
            is_better = tried < best
            left_is_first = is_better and _is_left_first(left, right, plan, scratch)
        if is_better:
            best = tried
            _keep(left_is_first, at, tables, groupings, found)
    found.improvement[at.node] = best if is_numeric else before - best


def best_groups(tables: Tables, groupings: Groupings, at: At, plan: Plan, found: Found, scratch: Scratch) -> None:
    """Fill improvement and first of `found`, and tables.table, with the best grouping of each node's labels.

    The improvement is 0 where there is none. All groupings are tried, or the cuts of the labels in the tables' order;
    of equal ones the first wins. The sums of a numeric target are about the mean of all entries of the node. Branch 0
    is the group with the first label.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for node in range(tables.start.shape[0] - 1):
            at.node = node
            at.begin = tables.start[node]
            at.end = tables.start[node + 1]
            found.improvement[node] = 0.0
            for i in range(tables.table.shape[1]):
                tables.table[node, i] = NO_BRANCH
            if at.end - at.begin >= 2:
                _best_groups_of(at, tables, groupings, plan, found, scratch)


def scaled_weights(cases: Cases, labels: Labels, tables: Tables, plan: Plan, groupings: Groupings) -> None:
    """Add the weight of every case, by the scale of its class, to the entry of its label and to its node.

    The entries are those of count_labels.count_labels.
    """
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    label: cython.int
    w: cython.double
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            for entry in range(tables.start[node], tables.start[node + 1]):
                labels.entry[tables.code[entry]] = entry
            for case in range(cases.start[node], cases.start[node + 1]):
                label = labels.code_of_row[cases.row[case]]
                if label < 0:
                    continue
                w = plan.class_scale[cases.label[case]] * cases.weight[case]
                groupings.scaled[labels.entry[label]] += w
                groupings.known[node] += w
            for entry in range(tables.start[node], tables.start[node + 1]):
                labels.entry[tables.code[entry]] = -1
