"""Samples of the same rows, for trees that are grown together: their cases in order, and facts about their nodes."""

import cython


def sort_cases(
    rank: cython.int[:, ::1],
    n_ranks: cython.longlong[::1],
    start: cython.longlong[::1],
    row: cython.int[::1],
    place: cython.longlong[::1],
    column: cython.double[:, ::1],
    case: cython.int[:, ::1],
    value: cython.double[:, ::1],
) -> None:
    """Fill case[attribute] with the cases of each sample sorted by rank, and `value` with their values.

    Equal ranks keep the order of the sample. rank[attribute, row] is below n_ranks[attribute]. The cases of sample s
    are start[s] to start[s + 1]; `place` has room for a number for each rank, and one more.
    """
    a: cython.Py_ssize_t
    s: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for a in range(case.shape[0]):
            for s in range(start.shape[0] - 1):
                for k in range(n_ranks[a] + 1):
                    place[k] = 0
                for i in range(start[s], start[s + 1]):
                    place[rank[a, row[i]] + 1] += 1
                place[0] = start[s]
                for k in range(n_ranks[a]):
                    place[k + 1] += place[k]
                for i in range(start[s], start[s + 1]):
                    k = rank[a, row[i]]
                    case[a, place[k]] = cython.cast(cython.int, i)
                    value[a, place[k]] = column[a, row[i]]
                    place[k] += 1


def move_to_values(
    value: cython.double[:, ::1],
    row: cython.int[:, ::1],
    is_inside: cython.uchar[:, ::1],
    attribute: cython.int[::1],
    sample: cython.int[::1],
    tolerance: cython.double,
    number: cython.double[::1],
) -> None:
    """Move each number down to the largest value of its attribute in its sample that is not above it by the tolerance.

    value[attribute] are all values in ascending order, missing values last, and row[attribute] their rows. A sample
    without such a value leaves the number as it is.
    """
    i: cython.Py_ssize_t
    a: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    most: cython.double
    with cython.nogil:
        for i in range(number.shape[0]):
            a = attribute[i]
            most = number[i]
            low = 0
            high = value.shape[1]
            while low < high:
                middle = (low + high) // 2
                if value[a, middle] <= most or value[a, middle] - most < tolerance:
                    low = middle + 1
                else:
                    high = middle
            while low > 0:
                low -= 1
                if is_inside[sample[i], row[a, low]]:
                    number[i] = value[a, low]
                    break


def pass_down(
    begin: cython.Py_ssize_t, first_child: cython.longlong[::1], n_branches: cython.int[::1], number: cython.int[::1]
) -> None:
    """Give the descendants of nodes from `begin` on their ancestor's number; children come after their parents."""
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    with cython.nogil:
        for node in range(begin, number.shape[0]):
            for child in range(first_child[node], first_child[node] + n_branches[node]):
                number[child] = number[node]


def sum_leaves(first_child: cython.longlong[::1], n_branches: cython.int[::1], number: cython.double[::1]) -> None:
    """Replace the number of each inner node by the sum over its children, in order; children come after parents."""
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    of_children: cython.double
    with cython.nogil:
        node = number.shape[0]
        while node > 0:
            node -= 1
            if n_branches[node] > 0:
                of_children = 0.0
                for child in range(first_child[node], first_child[node] + n_branches[node]):
                    of_children += number[child]
                number[node] = of_children
