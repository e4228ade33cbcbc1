"""The best split of a nominal column for every open node, from tables of counts.

A table has an entry for each label that occurs at the node, in the order of the labels, with the outcomes of the
cases that have it. Where missing values count as a label of their own, they are the last one.
"""

import cython
from cython.cimports.libc.math import fabs, floor

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Found, Plan, Scratch, Tables
    from treecli.kernels.codes import BY_RATIO, GINI, NO_BRANCH, ONE_AGAINST_REST
    from treecli.kernels.impurity import spread, xlog2
    from treecli.kernels.pearson import degrees_of_freedom, statistic

SCRATCH_ROWS = 3
"""The rows of Scratch.sums, with a column for each outcome: left, right, and all known cases."""

SLOTS = 1024
"""The length of Scratch.slots."""

INFINITY = cython.declare(cython.double, float("inf"))
_SLOTS = cython.declare(cython.Py_ssize_t, SLOTS)
_MANY_LABELS = cython.declare(cython.Py_ssize_t, 64)
_THREE = cython.declare(cython.Py_ssize_t, 3)
_FACTOR = cython.declare(cython.double, 3.141592653589793)

_LEFT = cython.declare(cython.Py_ssize_t, 0)
_RIGHT = cython.declare(cython.Py_ssize_t, 1)
_KNOWN = cython.declare(cython.Py_ssize_t, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weight(outcomes: cython.double[:, ::1], row: cython.Py_ssize_t, is_numeric: cython.bint) -> cython.double:
    i: cython.Py_ssize_t
    total: cython.double = 0.0
    if is_numeric:
        return outcomes[row, 0]
    for i in range(outcomes.shape[1]):
        total += outcomes[row, i]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_known(at: At, tables: Tables, scratch: Scratch) -> cython.void:
    """Set the row of all known cases of the scratch table to the sum of the entries from at.begin to at.end."""
    c: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    for c in range(tables.outcomes.shape[1]):
        scratch.sums[_KNOWN, c] = 0.0
        for entry in range(at.begin, at.end):
            scratch.sums[_KNOWN, c] += tables.outcomes[entry, c]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _gain_of_two(before: cython.double, at: At, plan: Plan, scratch: Scratch) -> cython.double:
    """Return the gain of the left and right rows of the scratch table, or -inf where one of them is too small."""
    i: cython.Py_ssize_t
    left: cython.double = 0.0
    right: cython.double = 0.0
    left_squares: cython.double = 0.0
    right_squares: cython.double = 0.0
    if plan.is_numeric:
        left = scratch.sums[_LEFT, 0]
        right = scratch.sums[_RIGHT, 0]
    else:
        for i in range(scratch.sums.shape[1]):
            left += scratch.sums[_LEFT, i]
            right += scratch.sums[_RIGHT, i]
            left_squares += scratch.sums[_LEFT, i] * scratch.sums[_LEFT, i]
            right_squares += scratch.sums[_RIGHT, i] * scratch.sums[_RIGHT, i]
    if left <= 0.0 or right <= 0.0 or left < plan.min_leaf - plan.tolerance or right < plan.min_leaf - plan.tolerance:
        return -INFINITY
    if plan.impurity == GINI:  # inlined impurity.spread: the call would cost more than the computation
        return (before - (left - left_squares / left) - (right - right_squares / right)) / at.weight
    return (
        before
        - spread(scratch.sums, _LEFT, plan.impurity, plan.least_variance)
        - spread(scratch.sums, _RIGHT, plan.impurity, plan.least_variance)
    ) / at.weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _information_of_two(known: cython.double, at: At, scratch: Scratch, is_numeric: cython.bint) -> cython.double:
    """Return the split information of the scratch table's left and right rows, with missing values as a third part."""
    left: cython.double = _weight(scratch.sums, _LEFT, is_numeric)
    return (xlog2(at.weight) - xlog2(at.weight - known) - xlog2(left) - xlog2(known - left)) / at.weight


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _move(entry: cython.Py_ssize_t, sign: cython.double, tables: Tables, scratch: Scratch) -> cython.void:
    """Move an entry from right to left, or back."""
    c: cython.Py_ssize_t
    for c in range(tables.outcomes.shape[1]):
        scratch.sums[_LEFT, c] += sign * tables.outcomes[entry, c]
        scratch.sums[_RIGHT, c] -= sign * tables.outcomes[entry, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _start_right(scratch: Scratch) -> cython.void:
    c: cython.Py_ssize_t
    for c in range(scratch.sums.shape[1]):
        scratch.sums[_LEFT, c] = 0.0
        scratch.sums[_RIGHT, c] = scratch.sums[_KNOWN, c]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _set_apart(entry: cython.Py_ssize_t, tables: Tables, scratch: Scratch) -> cython.void:
    """Put one entry on the left, and all others on the right."""
    c: cython.Py_ssize_t
    for c in range(tables.outcomes.shape[1]):
        scratch.sums[_LEFT, c] = tables.outcomes[entry, c]
        scratch.sums[_RIGHT, c] = scratch.sums[_KNOWN, c] - tables.outcomes[entry, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def earlier_equal(
    entry: cython.Py_ssize_t, begin: cython.Py_ssize_t, tables: Tables, slots: cython.longlong[::1]
) -> cython.Py_ssize_t:
    """Return an earlier entry, from `begin` on, with the same outcomes and number of cases; -1 if none is known.

    The entry is noted in `slots`, whose other contents do not matter: what is found there is compared.
    """
    c: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    other: cython.Py_ssize_t
    mixed: cython.double = 0.0
    for c in range(tables.outcomes.shape[1]):
        mixed = mixed * _FACTOR + tables.outcomes[entry, c]
    mixed *= _FACTOR
    slot = cython.cast(cython.Py_ssize_t, (mixed - floor(mixed)) * _SLOTS) & (_SLOTS - 1)
    other = slots[slot]
    slots[slot] = entry
    if other < begin or other >= entry or tables.n_rows[other] != tables.n_rows[entry]:
        return -1
    for c in range(tables.outcomes.shape[1]):
        if tables.outcomes[other, c] != tables.outcomes[entry, c]:
            return -1
    return other


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_label_of(at: At, tables: Tables, plan: Plan, found: Found, scratch: Scratch) -> cython.Py_ssize_t:
    """Set entry at.place of `found` to the best split of one label against the rest; return its entry, or -1.

    The entries are those from at.begin to at.end, the weight of the node is at.weight, and the scratch table has the
    sum of all known cases, where it keeps the two groups. An entry with the outcomes of an earlier one is not scored:
    it would tie, and the first wins.
    """
    place: cython.Py_ssize_t = at.place
    is_numeric: cython.bint = plan.is_numeric
    min_rows: cython.double = plan.min_rows
    known: cython.double = _weight(scratch.sums, _KNOWN, is_numeric)
    before: cython.double = spread(scratch.sums, _KNOWN, plan.impurity, plan.least_variance)
    slack: cython.double = plan.tolerance * before / at.weight if is_numeric else plan.tolerance
    skips: cython.bint = not is_numeric and at.end - at.begin > _MANY_LABELS
    entry: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    best_worth: cython.double = -INFINITY
    gained: cython.double
    worth: cython.double
    known_rows: cython.longlong = 0
    left_rows: cython.longlong
    found.gain[place] = -INFINITY
    found.split_info[place] = 0.0
    for entry in range(at.begin, at.end):
        known_rows += tables.n_rows[entry]
    for entry in range(at.begin, at.end):
        if skips and earlier_equal(entry, at.begin, tables, scratch.slots) >= 0:
            continue
        left_rows = tables.n_rows[entry]
        if left_rows < min_rows or known_rows - left_rows < min_rows:
            continue
        _set_apart(entry, tables, scratch)
        gained = _gain_of_two(before, at, plan, scratch)
        worth = gained
        if plan.rank == BY_RATIO:
            worth = gained / _information_of_two(known, at, scratch, is_numeric)
        if worth > best_worth + slack:
            best_worth = worth
            found.gain[place] = gained
            best = entry
    if best < 0:
        return best
    _set_apart(best, tables, scratch)
    found.split_info[place] = _information_of_two(known, at, scratch, is_numeric)
    if not is_numeric and fabs(found.gain[place] * known) < plan.tolerance:
        found.gain[place] = 0.0
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def multiway_of(at: At, tables: Tables, plan: Plan, found: Found, scratch: Scratch) -> cython.void:
    """Set entry at.place of `found` to one branch per label at one node; see multiway.

    Its entries are those from at.begin to at.end, its weight is at.weight.
    """
    entry: cython.Py_ssize_t
    n_large: cython.Py_ssize_t = 0
    known: cython.double
    in_branch: cython.double
    after: cython.double = 0.0
    info: cython.double
    weight: cython.double = at.weight
    place: cython.Py_ssize_t = at.place
    is_numeric: cython.bint = plan.is_numeric
    least: cython.double = plan.min_leaf - plan.tolerance
    found.gain[place] = -INFINITY
    found.split_info[place] = 0.0
    if at.end - at.begin < 2:
        return
    add_known(at, tables, scratch)
    known = _weight(scratch.sums, _KNOWN, is_numeric)
    info = xlog2(weight) - xlog2(weight - known)
    for entry in range(at.begin, at.end):
        in_branch = _weight(tables.outcomes, entry, is_numeric)
        if in_branch > 0.0 and in_branch >= least and tables.n_rows[entry] >= plan.min_rows:
            n_large += 1
        after += spread(tables.outcomes, entry, plan.impurity, plan.least_variance)
        info -= xlog2(in_branch)
    if n_large < 2:
        return
    found.gain[place] = (spread(scratch.sums, _KNOWN, plan.impurity, plan.least_variance) - after) / weight
    if not is_numeric and fabs(found.gain[place] * known) < plan.tolerance:
        found.gain[place] = 0.0
    found.split_info[place] = info / weight


def multiway(tables: Tables, at: At, plan: Plan, found: Found, scratch: Scratch) -> None:
    """Fill `found` for one branch per label; gain is -inf if that split is not allowed.

    At least two branches must weigh plan.min_leaf and hold plan.min_rows cases.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(tables.start.shape[0] - 1):
            at.place = node
            at.begin = tables.start[node]
            at.end = tables.start[node + 1]
            at.weight = tables.weights[node]
            multiway_of(at, tables, plan, found, scratch)
            found.chi2[node] = 0.0
            found.freedom[node] = 0
            if plan.wants_chi2 and found.gain[node] != -INFINITY:
                found.chi2[node] = statistic(tables.outcomes, at.begin, at.end - at.begin)
                found.freedom[node] = degrees_of_freedom(tables.outcomes, at.begin, at.end - at.begin)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cut_three(at: At, tables: Tables, plan: Plan, found: Found, scratch: Scratch) -> cython.double:
    """As two_way_of for the cuts of tables.order, three classes and the Gini index.

    The operations are those of add_known, _move and _gain_of_two, on local variables.
    """
    begin: cython.Py_ssize_t = at.begin
    n_entries: cython.Py_ssize_t = at.end - begin
    i: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    best: cython.Py_ssize_t = -1
    place: cython.Py_ssize_t = at.place
    weight: cython.double = at.weight
    slack: cython.double = plan.tolerance
    least: cython.double = plan.min_leaf - plan.tolerance
    most: cython.double = -INFINITY
    known: cython.double
    before: cython.double
    gained: cython.double
    left: cython.double
    right: cython.double
    left_squares: cython.double
    right_squares: cython.double
    left_first: cython.double = 0.0
    left_second: cython.double = 0.0
    left_third: cython.double = 0.0
    right_first: cython.double = 0.0
    right_second: cython.double = 0.0
    right_third: cython.double = 0.0
    is_first: cython.bint = False
    for entry in range(begin, at.end):
        right_first += tables.outcomes[entry, 0]
        right_second += tables.outcomes[entry, 1]
        right_third += tables.outcomes[entry, 2]
    scratch.sums[_KNOWN, 0] = right_first
    scratch.sums[_KNOWN, 1] = right_second
    scratch.sums[_KNOWN, 2] = right_third
    known = right_first + right_second + right_third
    before = 0.0
    if known > 0.0:
        before = known - (right_first * right_first + right_second * right_second + right_third * right_third) / known
    for i in range(n_entries - 1):
        entry = tables.order[begin + i]
        left_first += tables.outcomes[entry, 0]
        left_second += tables.outcomes[entry, 1]
        left_third += tables.outcomes[entry, 2]
        right_first -= tables.outcomes[entry, 0]
        right_second -= tables.outcomes[entry, 1]
        right_third -= tables.outcomes[entry, 2]
        left = left_first + left_second + left_third
        right = right_first + right_second + right_third
        if left <= 0.0 or right <= 0.0 or left < least or right < least:
            continue
        left_squares = left_first * left_first + left_second * left_second + left_third * left_third
        right_squares = right_first * right_first + right_second * right_second + right_third * right_third
        gained = (before - (left - left_squares / left) - (right - right_squares / right)) / weight
        if gained > most + slack:
            most = gained
            best = i
    found.gain[place] = most
    if best < 0:
        return 0.0
    _start_right(scratch)
    for i in range(best + 1):
        is_first |= tables.order[begin + i] == begin
        _move(tables.order[begin + i], 1.0, tables, scratch)
    # Branch 0 is that of the first label.
    for i in range(n_entries):
        tables.table[at.row, tables.code[tables.order[begin + i]]] = (i <= best) != is_first
    left = _weight(scratch.sums, _LEFT, False)
    found.split_info[place] = _information_of_two(known, at, scratch, False)
    if fabs(most * known) < plan.tolerance:
        found.gain[place] = 0.0
    return left if is_first else known - left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def two_way_of(
    at: At, width: cython.Py_ssize_t, tables: Tables, plan: Plan, found: Found, scratch: Scratch
) -> cython.double:
    """Set row at.row of tables.table and entry at.place of `found` to the best grouping of one node, as two_way does.

    Its entries are those from at.begin to at.end, its weight is at.weight. Of the row, the first `width` places are
    set. The scratch table keeps the two groups. Returns the weight of the first branch; 0 if there is no grouping.
    """
    begin: cython.Py_ssize_t = at.begin
    row: cython.Py_ssize_t = at.row
    place: cython.Py_ssize_t = at.place
    weight: cython.double = at.weight
    is_numeric: cython.bint = plan.is_numeric
    min_rows: cython.double = plan.min_rows
    entry: cython.Py_ssize_t
    n_entries: cython.Py_ssize_t = at.end - begin
    i: cython.Py_ssize_t
    known: cython.double
    before: cython.double
    gained: cython.double
    slack: cython.double
    best: cython.longlong
    step: cython.longlong
    mask: cython.longlong
    bit: cython.Py_ssize_t
    is_left: cython.bint
    is_first: cython.bint
    is_of_three: cython.bint
    known_rows: cython.longlong
    left_rows: cython.longlong
    left: cython.double
    found.gain[place] = -INFINITY
    found.split_info[place] = 0.0
    for i in range(width):
        tables.table[row, i] = NO_BRANCH
    if n_entries < 2:
        return 0.0
    is_of_three = plan.impurity == GINI and tables.outcomes.shape[1] == _THREE and min_rows <= 0.0
    if is_of_three and tables.kind != ONE_AGAINST_REST and n_entries > tables.n_exhaustive:
        return _cut_three(at, tables, plan, found, scratch)
    add_known(at, tables, scratch)
    if tables.kind == ONE_AGAINST_REST:
        best = best_label_of(at, tables, plan, found, scratch)
        if best >= 0:
            for entry in range(begin, at.end):
                tables.table[row, tables.code[entry]] = 0 if entry == best else 1
            return _weight(scratch.sums, _LEFT, is_numeric)
        return 0.0
    known = _weight(scratch.sums, _KNOWN, is_numeric)
    before = spread(scratch.sums, _KNOWN, plan.impurity, plan.least_variance)
    slack = plan.tolerance * before / weight if is_numeric else plan.tolerance
    best = -1
    left_rows = 0
    known_rows = 0
    for i in range(n_entries):
        known_rows += tables.n_rows[begin + i]
    if n_entries <= tables.n_exhaustive:
        # Gray code: each step moves one label, and the first label never leaves branch 0.
        _start_right(scratch)
        mask = 0
        for step in range(1, 1 << (n_entries - 1)):
            bit = 0
            while (step >> bit) & 1 == 0:
                bit += 1
            mask ^= 1 << bit
            _move(begin + 1 + bit, 1.0 if (mask >> bit) & 1 else -1.0, tables, scratch)
            left_rows += tables.n_rows[begin + 1 + bit] if (mask >> bit) & 1 else -tables.n_rows[begin + 1 + bit]
            if left_rows < min_rows or known_rows - left_rows < min_rows:
                continue
            gained = _gain_of_two(before, at, plan, scratch)
            if gained > found.gain[place] + slack or (gained > found.gain[place] - slack and best >= 0 and mask < best):
                found.gain[place] = gained
                best = mask
    else:
        _start_right(scratch)
        for i in range(n_entries - 1):
            _move(tables.order[begin + i], 1.0, tables, scratch)
            left_rows += tables.n_rows[tables.order[begin + i]]
            if left_rows < min_rows or known_rows - left_rows < min_rows:
                continue
            gained = _gain_of_two(before, at, plan, scratch)
            if gained > found.gain[place] + slack:
                found.gain[place] = gained
                best = i
    if best < 0:
        return 0.0
    _start_right(scratch)
    # Branch 0 is that of the first label; in a Gray code it is never on the left.
    is_first = False
    if n_entries > tables.n_exhaustive:
        for i in range(best + 1):
            is_first |= tables.order[begin + i] == begin
    for i in range(n_entries):
        entry = begin + i
        if n_entries <= tables.n_exhaustive:
            is_left = i > 0 and (best >> (i - 1)) & 1
        else:
            entry = tables.order[begin + i]
            is_left = i <= best
        tables.table[row, tables.code[entry]] = is_left != is_first
        if is_left:
            _move(entry, 1.0, tables, scratch)
    left = _weight(scratch.sums, _LEFT, is_numeric)
    found.split_info[place] = _information_of_two(known, at, scratch, is_numeric)
    if not is_numeric and fabs(found.gain[place] * known) < plan.tolerance:
        found.gain[place] = 0.0
    return left if is_first else known - left


def two_way(tables: Tables, at: At, plan: Plan, found: Found, scratch: Scratch) -> None:
    """Fill `found`, and tables.table, with the best grouping of each node's labels into two branches.

    One label against the rest; or, for nodes with at most tables.n_exhaustive labels, every grouping; or else the
    groupings that cut the labels in two where they stand in tables.order. table[node, label] is the branch, and
    NO_BRANCH for labels that do not occur. Branch 0 is the one label, or the group that holds the first label. Gains
    that differ by at most the tolerance tie, and the first grouping in that order wins. Both branches weigh at
    least plan.min_leaf and hold at least plan.min_rows cases.
    """
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(tables.start.shape[0] - 1):
            at.place = node
            at.row = node
            at.begin = tables.start[node]
            at.end = tables.start[node + 1]
            at.weight = tables.weights[node]
            two_way_of(at, tables.table.shape[1], tables, plan, found, scratch)
            found.chi2[node] = 0.0
            found.freedom[node] = 0
            if plan.wants_chi2 and found.gain[node] != -INFINITY:
                found.chi2[node] = statistic(scratch.sums, _LEFT, 2)
                found.freedom[node] = degrees_of_freedom(scratch.sums, _LEFT, 2)
