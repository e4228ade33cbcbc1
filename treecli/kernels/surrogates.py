"""The test on another attribute that agrees best with a two-way split, for every open node at once.

branch_of_case is 0 or 1 where the split sends a case down a branch, and negative where it does not know the value;
such cases do not count. Only nodes with is_asked are looked at. Sums and ties are rpart's.
"""

import cython

NO_BRANCH = -1

SIDES = 2

_NO_BRANCH = cython.declare(cython.int, -1)
_FEWEST = cython.declare(cython.Py_ssize_t, 2)


def best_cuts(
    start: cython.longlong[::1],
    n_known: cython.longlong[::1],
    case: cython.int[::1],
    value: cython.double[::1],
    branch_of_case: cython.int[::1],
    weight_of_case: cython.double[::1],
    is_asked: cython.uchar[::1],
    agreeing: cython.double[::1],
    lower: cython.double[::1],
    upper: cython.double[::1],
    low_branch: cython.int[::1],
) -> None:
    """Fills the last four arrays with each node's cut that sends most weight where the split does; 0 where none does.

    Node i owns the entries from start[i] on, n_known[i] of them with a value, sorted. A cut must send two cases or more
    to each side, and agree better than sending all cases one way. low_branch is the branch of the values below it.
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
        for node in range(start.shape[0] - 1):
            agreeing[node] = 0.0
            if not is_asked[node]:
                continue
            begin = start[node]
            end = begin + n_known[node]
            n_below = 0
            n_above = 0
            below_0 = 0.0
            below_1 = 0.0
            above_0 = 0.0
            above_1 = 0.0
            for i in range(begin, end):
                # Sums of 0 and not branches, which would go either way at random.
                branch = branch_of_case[case[i]]
                above_0 += weight_of_case[case[i]] * (branch == 0)
                above_1 += weight_of_case[case[i]] * (branch == 1)
                n_above += branch >= 0
            best = above_0 if above_0 > above_1 else above_1
            for i in range(begin, end):
                if n_above < _FEWEST:
                    break
                if n_below >= _FEWEST and value[i] != value[i - 1]:
                    if below_0 + above_1 > best:
                        best = below_0 + above_1
                        low_branch[node] = 0
                        agreeing[node] = best
                        lower[node] = value[i - 1]
                        upper[node] = value[i]
                    elif below_1 + above_0 > best:
                        best = below_1 + above_0
                        low_branch[node] = 1
                        agreeing[node] = best
                        lower[node] = value[i - 1]
                        upper[node] = value[i]
                branch = branch_of_case[case[i]]
                n_below += branch >= 0
                n_above -= branch >= 0
                in_0 = weight_of_case[case[i]] * (branch == 0)
                in_1 = weight_of_case[case[i]] * (branch == 1)
                below_0 += in_0
                above_0 -= in_0
                below_1 += in_1
                above_1 -= in_1


def best_groups(
    start: cython.longlong[::1],
    row_of_case: cython.int[::1],
    code_of_row: cython.int[::1],
    branch_of_case: cython.int[::1],
    weight_of_case: cython.double[::1],
    first: cython.int[::1],
    is_asked: cython.uchar[::1],
    has_slip: cython.bint,
    sides: cython.double[:, ::1],
    n_cases: cython.longlong[:, ::1],
    agreeing: cython.double[::1],
    table: cython.int[:, ::1],
) -> None:
    """Fills the last two arrays: each label goes where the split sends most of its weight, those that tie with most
    of all cases, or, if these tie too, not down the branch `first`.

    A label that occurs in no case whose branch is known has NO_BRANCH. Both branches must take two cases or more, else
    the agreement is 0; with `has_slip` two cases must go where the split sends them, and two must not. `sides` and
    `n_cases` are scratch: branches × labels.
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
    with cython.nogil:
        for node in range(start.shape[0] - 1):
            agreeing[node] = 0.0
            if not is_asked[node]:
                continue
            for i in range(table.shape[1]):
                table[node, i] = _NO_BRANCH
                sides[0, i] = 0.0
                sides[1, i] = 0.0
                n_cases[0, i] = 0
                n_cases[1, i] = 0
            total_0 = 0.0
            total_1 = 0.0
            for i in range(start[node], start[node + 1]):
                label = code_of_row[row_of_case[i]]
                branch = branch_of_case[i]
                if label < 0 or branch < 0:
                    continue
                sides[branch, label] += weight_of_case[i]
                n_cases[branch, label] += 1
                if branch == 0:
                    total_0 += weight_of_case[i]
                else:
                    total_1 += weight_of_case[i]
            usual = 1 - first[node]
            if total_0 > total_1:
                usual = 0
            elif total_1 > total_0:
                usual = 1
            n_wrong = 0
            n_taken_0 = 0
            n_taken_1 = 0
            for i in range(table.shape[1]):
                if n_cases[0, i] + n_cases[1, i] == 0:
                    continue
                table[node, i] = usual
                if sides[0, i] > sides[1, i]:
                    table[node, i] = 0
                elif sides[1, i] > sides[0, i]:
                    table[node, i] = 1
                agreeing[node] += sides[table[node, i], i]
                n_wrong += n_cases[1 - table[node, i], i]
                if table[node, i] == 0:
                    n_taken_0 += n_cases[0, i] + n_cases[1, i]
                else:
                    n_taken_1 += n_cases[0, i] + n_cases[1, i]
            if n_taken_0 == 0 or n_taken_1 == 0:  # all go one way: it agrees more than that only by rounding
                agreeing[node] = 0.0
            if has_slip:
                n_taken_0, n_taken_1 = n_wrong, n_taken_0 + n_taken_1 - n_wrong
            if n_taken_0 < _FEWEST or n_taken_1 < _FEWEST:
                agreeing[node] = 0.0
