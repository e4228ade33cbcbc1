"""Count the cases of one node by label, and part them between two children."""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.codes import DEVIANCE, MEAN, SHIFT, WEIGHT
    from treecli.kernels.count_labels import sort_codes
    from treecli.kernels.forest_args import Bag, Here, Ranked
    from treecli.kernels.mixed_args import Columns, Subtrees

    _THREE = 3

_PAYLOAD = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_SPARSE = cython.declare(cython.int, 2)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _weight(case: cython.ulonglong, bag: Bag) -> cython.double:
    """Return the weight of a case of a tree with classes."""
    return cython.cast(cython.double, (case & _PAYLOAD) >> bag.class_bits)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_moments(here: Here, mean: cython.double, bag: Bag, ranked: Ranked) -> cython.void:
    """Set the differences from the mean, and the weights, of the cases of a node with a numeric target."""
    lo: cython.Py_ssize_t = here.lo
    hi: cython.Py_ssize_t = here.hi
    is_local: cython.bint = here.is_local
    i: cython.Py_ssize_t
    row: cython.Py_ssize_t
    for i in range(lo, hi):
        row = cython.cast(cython.Py_ssize_t, bag.case[i] >> SHIFT)
        bag.moment[0, i - lo] = (bag.own[0, row] if is_local else ranked.target[row]) - mean
        bag.moment[1, i - lo] = bag.own[1, row] if is_local else bag.weight[row]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _count_cases(
    rank_of: cython.uint[:, ::1],
    case_at: cython.ulonglong[::1],
    count: cython.longlong[::1],
    here: Here,
    n_classes: cython.Py_ssize_t,
    class_bits: cython.int,
) -> cython.void:
    """Add the weights of the cases of a node to the counts of their labels and classes."""
    a: cython.Py_ssize_t = here.attribute
    i: cython.Py_ssize_t
    code: cython.Py_ssize_t
    case: cython.ulonglong
    in_class: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << class_bits) - 1
    for i in range(here.lo, here.hi):
        case = case_at[i]
        code = rank_of[a, case >> SHIFT]
        count[code * n_classes + (case & in_class)] += cython.cast(cython.longlong, (case & _PAYLOAD) >> class_bits)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take_counts(
    count: cython.longlong[::1],
    outcomes: cython.double[:, ::1],
    code_of: cython.int[::1],
    n_labels: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Make an entry for each label that occurs, and set the counts of the labels to 0; return the number of entries."""
    n_classes: cython.Py_ssize_t = outcomes.shape[1]
    code: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    own: cython.longlong
    weight: cython.longlong
    second: cython.longlong
    third: cython.longlong
    if n_classes == _THREE:  # the same without loops over classes, which take longer than what they do
        for code in range(n_labels):
            own = count[_THREE * code]
            second = count[_THREE * code + 1]
            third = count[_THREE * code + 2]
            outcomes[n, 0] = cython.cast(cython.double, own)
            outcomes[n, 1] = cython.cast(cython.double, second)
            outcomes[n, 2] = cython.cast(cython.double, third)
            count[_THREE * code] = 0
            count[_THREE * code + 1] = 0
            count[_THREE * code + 2] = 0
            code_of[n] = cython.cast(cython.int, code)
            n += own + second + third > 0
        n_labels = 0
    for code in range(n_labels):
        weight = 0
        for c in range(n_classes):
            own = count[code * n_classes + c]
            weight += own
            outcomes[n, c] = cython.cast(cython.double, own)
            count[code * n_classes + c] = 0
        code_of[n] = cython.cast(cython.int, code)
        n += weight > 0
    for c in range(n_classes):
        outcomes[n, c] = 0.0
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_all(here: Here, place: cython.Py_ssize_t, bag: Bag, ranked: Ranked, columns: Columns) -> cython.Py_ssize_t:
    """As count_ranks, for classes: all labels are counted in bag.count, missing values after them.

    bag.n_known is one less than the number of cases if values are missing, however many.
    """
    n_labels: cython.Py_ssize_t = ranked.n_labels[here.attribute]
    n_classes: cython.Py_ssize_t = columns.tables.outcomes.shape[1]
    c: cython.Py_ssize_t
    missing: cython.longlong = 0
    if here.is_local:
        _count_cases(bag.block, bag.case, bag.count, here, n_classes, bag.class_bits)
    else:
        _count_cases(ranked.rank, bag.case, bag.count, here, n_classes, bag.class_bits)
    for c in range(n_classes):
        missing += bag.count[n_labels * n_classes + c]
        bag.count[n_labels * n_classes + c] = 0
    bag.n_known[place] = here.hi - here.lo - (missing > 0)
    return _take_counts(bag.count, columns.tables.outcomes, columns.tables.code, n_labels)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_ranks(here: Here, place: cython.Py_ssize_t, bag: Bag, ranked: Ranked, columns: Columns) -> cython.Py_ssize_t:
    """Make an entry of columns.tables for each label that occurs at a node, in the order of the labels.

    Returns their number, and sets entry `place` of bag.n_known. The outcomes begin with zeros.
    """
    lo: cython.Py_ssize_t = here.lo
    hi: cython.Py_ssize_t = here.hi
    is_local: cython.bint = here.is_local
    a: cython.Py_ssize_t = here.attribute
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    code: cython.Py_ssize_t
    case: cython.ulonglong
    n_labels: cython.Py_ssize_t = ranked.n_labels[a]
    n_outcomes: cython.Py_ssize_t = columns.tables.outcomes.shape[1]
    in_class: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << bag.class_bits) - 1
    is_sparse: cython.bint = _SPARSE * (hi - lo) < n_labels
    n_missing: cython.longlong = 0
    w: cython.double
    y: cython.double
    if not is_sparse and not bag.is_numeric:
        return _count_all(here, place, bag, ranked, columns)
    for i in range(lo, hi):
        case = bag.case[i]
        code = bag.block[a, case >> SHIFT] if is_local else ranked.rank[a, case >> SHIFT]
        if code == n_labels:
            n_missing += 1
            continue
        if columns.labels.entry[code] < 0:
            columns.labels.entry[code] = 0
            columns.tables.code[n] = cython.cast(cython.int, code)
            n += 1
        if bag.is_numeric:
            w = bag.moment[1, i - lo]
            y = bag.moment[0, i - lo]
            columns.tables.outcomes[code, 0] += w
            columns.tables.outcomes[code, 1] += w * y
            columns.tables.outcomes[code, 2] += w * y * y
        else:
            columns.tables.outcomes[code, case & in_class] += _weight(case, bag)
    bag.n_known[place] = hi - lo - n_missing
    if is_sparse:
        sort_codes(columns.tables.code, 0, n)
    else:
        n = 0
        for code in range(n_labels):
            if columns.labels.entry[code] == 0:
                columns.tables.code[n] = cython.cast(cython.int, code)
                n += 1
    for i in range(n):
        code = columns.tables.code[i]
        columns.labels.entry[code] = -1
        if code == i:
            continue
        for c in range(n_outcomes):
            columns.tables.outcomes[i, c] = columns.tables.outcomes[code, c]
            columns.tables.outcomes[code, c] = 0.0
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def part(here: Here, bag: Bag, ranked: Ranked, nodes: Subtrees) -> cython.Py_ssize_t:
    """Move the cases of the right branch behind those of the left, stably; return where they begin.

    For a numeric target, bag.moment is in the order from before. The table of the node's labels has an entry more than
    there are labels, for missing values.
    """
    lo: cython.Py_ssize_t = here.lo
    hi: cython.Py_ssize_t = here.hi
    is_local: cython.bint = here.is_local
    a: cython.Py_ssize_t = here.attribute
    lower: cython.uint = here.lower
    table: cython.Py_ssize_t = here.table
    missing_to: cython.int = here.missing_to
    i: cython.Py_ssize_t
    left: cython.Py_ssize_t = lo
    right: cython.Py_ssize_t = 0
    case: cython.ulonglong
    rank: cython.uint
    missing: cython.uint = cython.cast(cython.uint, ranked.n_ranks[a])
    goes_right: cython.Py_ssize_t
    is_plain: cython.bint = ranked.n_labels[a] < 0 and (not ranked.has_missing[a] or missing_to == 1)
    if is_plain:
        for i in range(lo, hi):
            case = bag.case[i]
            rank = bag.block[a, case >> SHIFT] if is_local else ranked.rank[a, case >> SHIFT]
            goes_right = rank > lower
            bag.case[left] = case
            bag.spare[right] = case
            left += 1 - goes_right
            right += goes_right
    elif ranked.n_labels[a] >= 0:
        nodes.table[table + missing] = missing_to
        for i in range(lo, hi):
            case = bag.case[i]
            rank = bag.block[a, case >> SHIFT] if is_local else ranked.rank[a, case >> SHIFT]
            goes_right = nodes.table[table + rank]
            bag.case[left] = case
            bag.spare[right] = case
            left += 1 - goes_right
            right += goes_right
    else:
        for i in range(lo, hi):
            case = bag.case[i]
            rank = bag.block[a, case >> SHIFT] if is_local else ranked.rank[a, case >> SHIFT]
            goes_right = rank > lower
            goes_right = missing_to if rank == missing else goes_right
            bag.case[left] = case
            bag.spare[right] = case
            left += 1 - goes_right
            right += goes_right
    for i in range(right):
        bag.case[left + i] = bag.spare[i]
    return left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_class_weights(here: Here, bag: Bag, nodes: Subtrees) -> cython.void:
    """Set the class weights of both children: those of the smaller one are counted."""
    child: cython.Py_ssize_t = here.child
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    begin: cython.Py_ssize_t = here.lo
    end: cython.Py_ssize_t = here.middle
    counted: cython.Py_ssize_t = child
    in_class: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << bag.class_bits) - 1
    case: cython.ulonglong
    if here.hi - here.middle < here.middle - here.lo:
        begin = here.middle
        end = here.hi
        counted = child + 1
    for c in range(nodes.outcomes.shape[1]):
        bag.left[c] = 0
    for i in range(begin, end):
        case = bag.case[i]
        bag.left[case & in_class] += cython.cast(cython.longlong, (case & _PAYLOAD) >> bag.class_bits)
    for c in range(nodes.outcomes.shape[1]):
        nodes.outcomes[counted, c] = cython.cast(cython.double, bag.left[c])
        nodes.outcomes[2 * child + 1 - counted, c] = nodes.outcomes[here.node, c] - bag.left[c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_means(here: Here, bag: Bag, ranked: Ranked, nodes: Subtrees) -> cython.void:
    """Set weight, mean and deviance of both children, from sums about the node's mean."""
    is_local: cython.bint = here.is_local
    i: cython.Py_ssize_t
    side: cython.Py_ssize_t
    row: cython.Py_ssize_t
    around: cython.double = nodes.outcomes[here.node, MEAN]
    w: cython.double
    y: cython.double
    weight: cython.double
    added: cython.double
    squares: cython.double
    for side in range(2):
        weight = 0.0
        added = 0.0
        squares = 0.0
        for i in range(here.middle if side else here.lo, here.hi if side else here.middle):
            row = cython.cast(cython.Py_ssize_t, bag.case[i] >> SHIFT)
            y = (bag.own[0, row] if is_local else ranked.target[row]) - around
            w = bag.own[1, row] if is_local else bag.weight[row]
            weight += w
            added += w * y
            squares += w * y * y
        nodes.outcomes[here.child + side, WEIGHT] = weight
        nodes.outcomes[here.child + side, MEAN] = around + added / weight
        squares -= added / weight * added
        nodes.outcomes[here.child + side, DEVIANCE] = squares if squares > 0.0 else 0.0
