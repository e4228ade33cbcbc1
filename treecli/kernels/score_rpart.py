"""The best two-way split, scored class by class from the shares in both branches: rpart's arithmetic.

Which of two equally good splits comes out ahead is then decided as rpart decides it, down to the last bit: scores are
sums of the same terms in the same order, and only equal numbers are equal. `scale` is what a case of each class counts,
by its prior and its costs. Improvements are totals over the cases, in natural units where entropy is at work.
`first` is the branch with the smaller mean of the target, or of the class numbers, which rpart calls the left son.
"""

import cython
from cython.cimports.libc.math import log

NO_BRANCH = -1

LEFT_AND_RIGHT = 2
"""The rows of the scratch table of class weights."""

_NO_BRANCH = cython.declare(cython.int, -1)
_LEFT = cython.declare(cython.Py_ssize_t, 0)
_RIGHT = cython.declare(cython.Py_ssize_t, 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _impurity(share: cython.double, is_entropy: cython.bint) -> cython.double:
    if is_entropy:
        return 0.0 if share == 0.0 else -share * log(share)
    return share * (1.0 - share)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _whole(
    sides: cython.double[:, ::1],
    scale: cython.double[::1],
    weight: cython.double,
    is_entropy: cython.bint,
) -> cython.double:
    """Weight times impurity of the right row of the table."""
    c: cython.Py_ssize_t
    total: cython.double = 0.0
    for c in range(scale.shape[0]):
        total += weight * _impurity(scale[c] * sides[_RIGHT, c] / weight, is_entropy)
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _both(
    sides: cython.double[:, ::1],
    scale: cython.double[::1],
    left: cython.double,
    right: cython.double,
    is_entropy: cython.bint,
) -> cython.double:
    """Weight times impurity of both rows of the table; `left` and `right` are their weights."""
    c: cython.Py_ssize_t
    total: cython.double = 0.0
    for c in range(scale.shape[0]):
        total += left * _impurity(scale[c] * sides[_LEFT, c] / left, is_entropy)
        total += right * _impurity(scale[c] * sides[_RIGHT, c] / right, is_entropy)
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_left_first(
    sides: cython.double[:, ::1], scale: cython.double[::1], left: cython.double, right: cython.double
) -> cython.bint:
    """Whether the mean class number of the left row is the smaller one."""
    c: cython.Py_ssize_t
    left_mean: cython.double = 0.0
    right_mean: cython.double = 0.0
    for c in range(scale.shape[0]):
        left_mean += scale[c] * sides[_LEFT, c] / left * c
        right_mean += scale[c] * sides[_RIGHT, c] / right * c
    return left_mean < right_mean


def best_cuts(
    start: cython.longlong[::1],
    n_known: cython.longlong[::1],
    case: cython.int[::1],
    value: cython.double[::1],
    class_of_case: cython.int[::1],
    target_of_case: cython.double[::1],
    weight_of_case: cython.double[::1],
    scale: cython.double[::1],
    is_numeric: cython.bint,
    is_entropy: cython.bint,
    min_rows: cython.double,
    sides: cython.double[:, ::1],
    improvement: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    first: cython.int[::1],
) -> None:
    """Fills the last four arrays with the best cut of every node; the improvement is 0 where there is none.

    Node i owns the entries from start[i] on, n_known[i] of them with a value, sorted. Each side of a cut holds at
    least `min_rows` cases. Of equal cuts the lowest wins.
    """
    node: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    w: cython.double
    left: cython.double
    right: cython.double
    mean: cython.double
    left_sum: cython.double
    right_sum: cython.double
    before: cython.double
    found: cython.double
    best: cython.double
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            begin = start[node]
            end = begin + n_known[node]
            improvement[node] = 0.0
            if begin == end or value[begin] == value[end - 1]:
                continue
            left = 0.0
            right = 0.0
            left_sum = 0.0
            right_sum = 0.0
            mean = 0.0
            before = 0.0
            for c in range(scale.shape[0]):
                sides[_LEFT, c] = 0.0
                sides[_RIGHT, c] = 0.0
            for i in range(begin, end):
                w = weight_of_case[case[i]]
                if is_numeric:
                    right_sum += target_of_case[case[i]] * w
                    right += w
                else:
                    c = class_of_case[case[i]]
                    right += scale[c] * w
                    sides[_RIGHT, c] += w
            if is_numeric:
                # About its mean the sum of all differences is 0.
                mean = right_sum / right
                right_sum = 0.0
            else:
                before = _whole(sides, scale, right, is_entropy)
            best = before
            for i in range(begin, end - 1):
                w = weight_of_case[case[i]]
                if is_numeric:
                    left += w
                    right -= w
                    left_sum += (target_of_case[case[i]] - mean) * w
                    right_sum -= (target_of_case[case[i]] - mean) * w
                else:
                    c = class_of_case[case[i]]
                    right -= scale[c] * w
                    left += scale[c] * w
                    sides[_RIGHT, c] -= w
                    sides[_LEFT, c] += w
                if i + 1 - begin < min_rows or value[i + 1] == value[i]:
                    continue
                if end - i - 1 < min_rows:
                    break
                if is_numeric:
                    found = left_sum * left_sum / left + right_sum * right_sum / right
                    if found > best:
                        best = found
                        lower[node] = value[i]
                        upper[node] = value[i + 1]
                        first[node] = 0 if left_sum < right_sum else 1
                else:
                    found = _both(sides, scale, left, right, is_entropy)
                    if found < best:
                        best = found
                        lower[node] = value[i]
                        upper[node] = value[i + 1]
                        first[node] = 0 if _is_left_first(sides, scale, left, right) else 1
            improvement[node] = best if is_numeric else before - best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move(
    sides: cython.double[:, ::1], outcomes: cython.double[:, ::1], entry: cython.Py_ssize_t, sign: cython.double
) -> cython.void:
    """Moves the outcomes of an entry from right to left, or back."""
    c: cython.Py_ssize_t
    for c in range(outcomes.shape[1]):
        sides[_RIGHT, c] -= sign * outcomes[entry, c]
        sides[_LEFT, c] += sign * outcomes[entry, c]


def best_groups(
    start: cython.longlong[::1],
    code: cython.int[::1],
    order: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    scaled: cython.double[::1],
    n_rows: cython.longlong[::1],
    whole: cython.double[::1],
    scale: cython.double[::1],
    is_numeric: cython.bint,
    is_entropy: cython.bint,
    is_exhaustive: cython.uchar[::1],
    min_rows: cython.double,
    sides: cython.double[:, ::1],
    is_left: cython.uchar[::1],
    table: cython.int[:, ::1],
    improvement: cython.double[::1],
    first: cython.int[::1],
) -> None:
    """Fills the last three arrays with the best grouping of each node's labels; improvement 0 where there is none.

    Node i owns the entries from start[i] to start[i + 1], one for each label that occurs; scaled[entry] is the entry's
    weight, each class by its scale, and whole[i] that of all of them. Where is_exhaustive[i], all groupings are tried,
    in the order of the Gray code that moves the first label most often; elsewhere the cuts of the labels where they
    stand in `order`. Branch 0 is the group with the first label. `is_left` is scratch, one place a label.
    """
    node: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    step: cython.longlong
    n_steps: cython.longlong
    left_rows: cython.longlong
    right_rows: cython.longlong
    left: cython.double
    right: cython.double
    sign: cython.double
    before: cython.double
    found: cython.double
    best: cython.double
    is_better: cython.bint
    left_is_first: cython.bint
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            begin = start[node]
            n = start[node + 1] - begin
            improvement[node] = 0.0
            for i in range(table.shape[1]):
                table[node, i] = _NO_BRANCH
            if n < 2:
                continue
            left = 0.0
            right = whole[node]
            left_rows = 0
            right_rows = 0
            for c in range(outcomes.shape[1]):
                sides[_LEFT, c] = 0.0
                sides[_RIGHT, c] = 0.0
            for i in range(n):
                is_left[i] = 0
                right_rows += n_rows[begin + i]
                if not is_numeric:
                    for c in range(outcomes.shape[1]):
                        sides[_RIGHT, c] += outcomes[begin + i, c]
            before = 0.0 if is_numeric else _whole(sides, scale, right, is_entropy)
            best = before
            n_steps = n
            if is_exhaustive[node]:
                n_steps = cython.cast(cython.longlong, 1) << (n - 1)
            for step in range(1, n_steps):
                i = 0
                if is_exhaustive[node]:
                    while (step >> i) & 1 == 0:
                        i += 1
                    entry = begin + i
                else:
                    entry = order[begin + step - 1]
                i = entry - begin
                is_left[i] = 1 - is_left[i]
                sign = 1.0 if is_left[i] else -1.0
                left_rows += n_rows[entry] if is_left[i] else -n_rows[entry]
                right_rows -= n_rows[entry] if is_left[i] else -n_rows[entry]
                if is_numeric:
                    # Weights and sums of differences from the mean, of which those of all cases are 0.
                    left += sign * outcomes[entry, 0]
                    right -= sign * outcomes[entry, 0]
                    sides[_LEFT, 1] += sign * outcomes[entry, 1]
                    sides[_RIGHT, 1] -= sign * outcomes[entry, 1]
                else:
                    right -= sign * scaled[entry]
                    left += sign * scaled[entry]
                    _move(sides, outcomes, entry, sign)
                if left_rows < min_rows or right_rows < min_rows:
                    continue
                if is_numeric:
                    found = sides[_LEFT, 1] * sides[_LEFT, 1] / left + sides[_RIGHT, 1] * sides[_RIGHT, 1] / right
                    is_better = found > best
                    left_is_first = not sides[_LEFT, 1] / left > sides[_RIGHT, 1] / right
                else:
                    found = _both(sides, scale, left, right, is_entropy)
                    is_better = found < best
                    left_is_first = is_better and _is_left_first(sides, scale, left, right)
                if not is_better:
                    continue
                best = found
                # Branch 0 holds the first label, whichever side that is.
                first[node] = 0 if left_is_first == (is_left[0] == 1) else 1
                for i in range(n):
                    table[node, code[begin + i]] = 0 if is_left[i] == is_left[0] else 1
            improvement[node] = best if is_numeric else before - best


def scaled_weights(
    start: cython.longlong[::1],
    row_of_case: cython.int[::1],
    class_of_case: cython.int[::1],
    weight_of_case: cython.double[::1],
    scale: cython.double[::1],
    code_of_row: cython.int[::1],
    entry_of_label: cython.longlong[::1],
    label_start: cython.longlong[::1],
    code: cython.int[::1],
    scaled: cython.double[::1],
    whole: cython.double[::1],
) -> None:
    """Adds up the weights of each entry, each class by its scale; `whole` those of each node.

    The entries are those of kernels.cases.count_labels. `entry_of_label` is scratch, a place for each label.
    """
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    label: cython.int
    w: cython.double
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            for entry in range(label_start[node], label_start[node + 1]):
                entry_of_label[code[entry]] = entry
            for case in range(start[node], start[node + 1]):
                label = code_of_row[row_of_case[case]]
                if label < 0:
                    continue
                w = scale[class_of_case[case]] * weight_of_case[case]
                scaled[entry_of_label[label]] += w
                whole[node] += w
