"""The labels that occur at a node: the weights of the outcomes of each, and the number of its cases."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Cases, Labels, Plan, Tables

_SPARSE = cython.declare(cython.int, 16)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_codes(code: cython.int[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
    """Sort the codes from `begin` to `end` (Shell 1959)."""
    gap: cython.Py_ssize_t = (end - begin) // 2
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    own: cython.int
    while gap > 0:
        for i in range(begin + gap, end):
            own = code[i]
            j = i
            while j >= begin + gap and code[j - gap] > own:
                code[j] = code[j - gap]
                j -= gap
            code[j] = own
        gap = 1 if gap == 2 else gap * 5 // 11


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_labels_of(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    center: cython.double,
    cases: Cases,
    labels: Labels,
    tables: Tables,
    first_entry: cython.Py_ssize_t,
    is_numeric: cython.bint,
) -> cython.Py_ssize_t:
    """Make the entries of one node from `first_entry` on, as count_labels does, and return the number after the last.

    Its cases are those from `begin` to `end`. The outcomes of the entries begin with zeros.
    """
    case: cython.Py_ssize_t
    label: cython.int
    i: cython.Py_ssize_t
    n_entries: cython.Py_ssize_t = first_entry
    first: cython.Py_ssize_t = labels.first
    step: cython.Py_ssize_t = labels.step
    missing_code: cython.int = labels.missing_code
    # Sort few cases: scanning all labels at each of many small nodes would take quadratic time.
    is_sparse: cython.bint = _SPARSE * (end - begin) < labels.n_codes
    y: cython.double
    w: cython.double
    for case in range(begin, end):
        label = labels.code_of_row[first + step * cases.row[case]]
        if label < 0:
            label = missing_code
        if label >= 0 and labels.entry[label] < 0:
            labels.entry[label] = 0
            if is_sparse:
                tables.code[n_entries] = label
                n_entries += 1
    if is_sparse:
        sort_codes(tables.code, first_entry, n_entries)
        for i in range(first_entry, n_entries):
            labels.entry[tables.code[i]] = i
    else:
        for i in range(labels.n_codes):
            if labels.entry[i] == 0:
                labels.entry[i] = n_entries
                tables.code[n_entries] = i
                n_entries += 1
    for case in range(begin, end):
        label = labels.code_of_row[first + step * cases.row[case]]
        if label < 0:
            label = missing_code
        if label < 0:
            continue
        # Written out: as an argument of a function, the view of the outcomes would be copied.
        if is_numeric:
            y = cases.target[case] - center
            w = cases.weight[case]
            tables.outcomes[labels.entry[label], 0] += w
            tables.outcomes[labels.entry[label], 1] += w * y
            tables.outcomes[labels.entry[label], 2] += w * y * y
        else:
            tables.outcomes[labels.entry[label], cases.label[case]] += cases.weight[case]
    for i in range(first_entry, n_entries):
        labels.entry[tables.code[i]] = -1
    return n_entries


def count_labels(cases: Cases, labels: Labels, tables: Tables, plan: Plan) -> None:
    """Fill `tables` with an entry for each label that occurs at a node, in the order of the labels."""
    node: cython.Py_ssize_t
    n_entries: cython.Py_ssize_t = 0
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            tables.start[node] = n_entries
            n_entries = count_labels_of(
                cases.start[node],
                cases.start[node + 1],
                cases.center[node],
                cases,
                labels,
                tables,
                n_entries,
                plan.is_numeric,
            )
        tables.start[cases.start.shape[0] - 1] = n_entries


def count_rows(cases: Cases, labels: Labels, tables: Tables) -> None:
    """Count the cases of each entry that count_labels has made."""
    node: cython.Py_ssize_t
    case: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    label: cython.int
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            for entry in range(tables.start[node], tables.start[node + 1]):
                labels.entry[tables.code[entry]] = entry
            for case in range(cases.start[node], cases.start[node + 1]):
                label = labels.code_of_row[cases.row[case]]
                if label < 0:
                    label = labels.missing_code
                if label >= 0:
                    tables.n_rows[labels.entry[label]] += 1
            for entry in range(tables.start[node], tables.start[node + 1]):
                labels.entry[tables.code[entry]] = -1
