"""Grow one tree of a forest depth first, from columns of ranks that all trees share.

Only the numbers of the rows are kept for each tree. The nodes are the same as those grown level by level.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import At, Found, Plan, Scratch
    from treecli.kernels.best_mixed import clear_entries, score_entries
    from treecli.kernels.choose import first_best, set_merits
    from treecli.kernels.codes import BY_GAIN, DEVIANCE, GINI, GROUPS, MEAN, ONE_AGAINST_REST, SHIFT, SPREAD
    from treecli.kernels.drawing import child_key, draw_next, put_back
    from treecli.kernels.forest_args import Bag, Here, Ranked
    from treecli.kernels.gain_bounds import cannot_win, pure_gain
    from treecli.kernels.impurity import total
    from treecli.kernels.mixed_args import Columns, Subtrees
    from treecli.kernels.part_ranks import count_ranks, part, set_class_weights, set_means, set_moments
    from treecli.kernels.scan_ranks import scan_classes, scan_numbers, set_known
    from treecli.kernels.sort_ranks import copy_block, sort_by_rank, take_in_order
    from treecli.kernels.stop import may_split

    _ALL_KNOWN = 2
    # The columns of pending nodes.
    _NODE, _LO, _HI, _DEPTH, _BLOCK = range(5)
    # The block that has the ranks of a pending node.
    _NO_BLOCK, _LARGE_BLOCK, _SMALL_BLOCK = range(3)
    # The entries of progress.
    _N_PENDING, _N_NODES, _N_TABLE = range(3)
    _LARGE = 4

_PAYLOAD = cython.declare(cython.ulonglong, 0xFFFFFFFF)
INFINITY = cython.declare(cython.double, float("inf"))
_ROUNDING = cython.declare(cython.double, 1e-12)
_NAN = cython.declare(cython.double, float("nan"))

PENDING_COLUMNS = 5

DONE = 0
TABLE = 1
"""Return codes of grow: done, or no room for more table entries."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _score_labels(
    here: Here,
    at: At,
    bag: Bag,
    ranked: Ranked,
    columns: Columns,
    plan: Plan,
    found: Found,
    scratch: Scratch,
) -> cython.bint:
    """Set entry at.place of `found` to the best split on labels; return whether the node has two of them."""
    n: cython.Py_ssize_t = count_ranks(here, at.place, bag, ranked, columns)
    on_left: cython.double
    if at.place > 0 and n > 2 and plan.rank == BY_GAIN and plan.impurity == GINI and plan.nominal == GROUPS:
        if cannot_win(n, at, columns, found, ranked.n_ranks.shape[0] * plan.tolerance + _ROUNDING):
            clear_entries(n, columns)
            return True
    at.row = at.place if at.place < columns.tables.table.shape[0] else 0
    on_left = score_entries(n, ranked.n_labels[here.attribute], at, columns, plan, found, scratch)
    if bag.n_known[at.place] < here.hi - here.lo:
        bag.balance[at.place] = total(scratch.sums, _ALL_KNOWN, plan.is_numeric) - 2.0 * on_left
    return n >= 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _score_numbers(
    here: Here,
    is_walked: cython.bint,
    at: At,
    bag: Bag,
    ranked: Ranked,
    nodes: Subtrees,
    plan: Plan,
    found: Found,
) -> cython.bint:
    """Set entry at.place of `found` to the best threshold; return whether the node has two values."""
    n: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_classes: cython.Py_ssize_t = nodes.outcomes.shape[1]
    if not plan.is_numeric:
        for c in range(n_classes):
            bag.known[c] = cython.cast(cython.longlong, nodes.outcomes[here.node, c])
    n = take_in_order(here, bag, ranked) if is_walked else sort_by_rank(here, bag, ranked)
    bag.n_known[at.place] = n
    if n == 0:
        return False
    if plan.is_numeric:
        scan_numbers(at.place, n, at.weight, bag, found, plan)
    else:
        if is_walked and n < here.hi - here.lo:
            set_known(bag, n, n_classes)
        scan_classes(at.place, n, at.weight, bag, found, plan)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mark(here: Here, bag: Bag, is_on: cython.bint) -> cython.void:
    """Set the weights and classes of the rows of a large node, or set them to 0 again."""
    i: cython.Py_ssize_t
    for i in range(here.lo, here.hi):
        bag.payload_of_row[bag.case[i] >> SHIFT] = cython.cast(cython.uint, bag.case[i] & _PAYLOAD) if is_on else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _draw(key: cython.ulonglong, n_sampled: cython.Py_ssize_t, bag: Bag) -> cython.void:
    """Set the first of bag.drawn to the attributes drawn at a node, in ascending order."""
    a: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    n_attributes: cython.Py_ssize_t = bag.is_drawn.shape[0]
    for a in range(n_sampled):
        bag.is_drawn[a if n_sampled == n_attributes else draw_next(key, a, bag.draws)] = 1
    for a in range(n_attributes):  # without branches: the processor cannot predict what is drawn
        bag.drawn[n] = cython.cast(cython.int, a)
        n += bag.is_drawn[a]
        bag.is_drawn[a] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_table(
    here: Here, place: cython.Py_ssize_t, n_labels: cython.int, nodes: Subtrees, columns: Columns, plan: Plan
) -> cython.void:
    """Store the branch of each label from here.table on; `place` is that of the split in `found`."""
    b: cython.Py_ssize_t
    row: cython.Py_ssize_t = place if place < columns.tables.table.shape[0] else 0
    if plan.nominal == ONE_AGAINST_REST and not plan.missing_is_value:
        for b in range(n_labels):
            nodes.table[here.table + b] = b != columns.label[place]
        return
    for b in range(n_labels):
        nodes.table[here.table + b] = columns.tables.table[row, b]
        if columns.tables.table[row, b] < 0 and plan.nominal == ONE_AGAINST_REST:
            nodes.table[here.table + b] = 1  # labels that do not occur at the node belong to the rest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push(
    here: Here,
    side: cython.Py_ssize_t,
    n_pending: cython.Py_ssize_t,
    depth: cython.longlong,
    key: cython.ulonglong,
    block: cython.longlong,
    bag: Bag,
) -> cython.void:
    bag.pending[n_pending, _NODE] = here.child + side
    bag.pending[n_pending, _LO] = here.middle if side else here.lo
    bag.pending[n_pending, _HI] = here.hi if side else here.middle
    bag.pending[n_pending, _DEPTH] = depth
    bag.pending[n_pending, _BLOCK] = block
    bag.pending_key[n_pending] = child_key(key, side)


def grow(
    bag: Bag, ranked: Ranked, nodes: Subtrees, columns: Columns, at: At, plan: Plan, found: Found, scratch: Scratch
) -> int:
    """Split the pending nodes, and their children, until none is left, and return why it stops.

    `nodes` is filled in for each node that is made; it has room for two nodes per case.
    """
    here: Here = Here()
    n_attributes: cython.Py_ssize_t = ranked.n_ranks.shape[0]
    n_rows: cython.Py_ssize_t = ranked.rank.shape[1]
    n_pending: cython.Py_ssize_t = bag.progress[_N_PENDING]
    n_nodes: cython.Py_ssize_t = bag.progress[_N_NODES]
    n_table: cython.Py_ssize_t = bag.progress[_N_TABLE]
    is_numeric: cython.bint = plan.is_numeric
    is_short: cython.bint = False
    is_walked: cython.bint
    has_live: cython.bint
    key: cython.ulonglong
    depth: cython.longlong
    block: cython.longlong
    n_drawn: cython.Py_ssize_t
    n_labels: cython.int
    best: cython.Py_ssize_t
    most_gain: cython.double
    a: cython.Py_ssize_t
    side: cython.Py_ssize_t
    weight: cython.double
    slack: cython.double
    missing_to: cython.int
    with cython.nogil:
        while n_pending > 0:
            n_pending -= 1
            here.node = bag.pending[n_pending, _NODE]
            here.lo = bag.pending[n_pending, _LO]
            here.hi = bag.pending[n_pending, _HI]
            block = bag.pending[n_pending, _BLOCK]
            here.is_local = block != _NO_BLOCK
            depth = bag.pending[n_pending, _DEPTH]
            key = cython.cast(cython.ulonglong, bag.pending_key[n_pending])
            if block == _NO_BLOCK and here.hi - here.lo <= bag.in_large:
                copy_block(here, 0, bag, ranked)
                block = _LARGE_BLOCK
                here.is_local = True
            if block == _LARGE_BLOCK and here.hi - here.lo <= bag.in_small:
                copy_block(here, bag.in_large, bag, ranked)
                block = _SMALL_BLOCK
            bag.pending[n_pending, _BLOCK] = block
            weight = total(nodes.outcomes, here.node, is_numeric)
            at.weight = weight
            slack = plan.tolerance
            if is_numeric:
                slack *= nodes.outcomes[here.node, DEVIANCE] / weight
                set_moments(here, nodes.outcomes[here.node, MEAN], bag, ranked)
            is_walked = not here.is_local and not is_numeric and _LARGE * (here.hi - here.lo) > n_rows
            if is_walked:
                _mark(here, bag, True)
            _draw(key, plan.n_sampled, bag)
            n_drawn = 0
            has_live = False
            most_gain = pure_gain(here.node, weight, nodes, plan)
            while n_drawn < plan.most_drawn and (n_drawn < plan.n_sampled or not has_live):
                if n_drawn >= plan.n_sampled:
                    bag.drawn[n_drawn] = draw_next(key, n_drawn, bag.draws)
                here.attribute = bag.drawn[n_drawn]
                at.place = n_drawn
                found.gain[n_drawn] = -INFINITY
                n_drawn += 1
                if ranked.n_labels[here.attribute] >= 0:
                    has_live |= _score_labels(here, at, bag, ranked, columns, plan, found, scratch)
                else:
                    has_live |= _score_numbers(here, is_walked, at, bag, ranked, nodes, plan, found)
                if found.gain[at.place] >= most_gain:
                    break  # the others gain no more, and of equal ones the first wins
            if plan.n_sampled < n_attributes:
                put_back(key, n_drawn if n_drawn > plan.n_sampled else plan.n_sampled, bag.draws)
            if is_walked:
                _mark(here, bag, False)
            set_merits(found, n_drawn, weight / plan.root_weight if plan.gain_of_all else 1.0, plan)
            best = first_best(found, n_drawn, slack)
            if best < 0:
                continue
            a = bag.drawn[best]
            here.attribute = a
            here.child = n_nodes
            here.table = n_table
            here.lower = 0
            n_labels = ranked.n_labels[a]
            if n_labels >= 0:
                if n_table + n_labels >= nodes.table.shape[0]:  # one more entry is needed while cases are parted
                    n_pending += 1
                    is_short = True
                    break
                if plan.nominal == GROUPS and best >= columns.tables.table.shape[0]:
                    # Recompute the grouping of the chosen attribute, which later attributes have overwritten.
                    at.place = best
                    _score_labels(here, at, bag, ranked, columns, plan, found, scratch)
                _set_table(here, best, n_labels, nodes, columns, plan)
                n_table += n_labels
            else:
                here.lower = cython.cast(cython.uint, bag.lower[best])
                nodes.neighbour[here.node, 0] = bag.lower[best]
                nodes.neighbour[here.node, 1] = bag.upper[best]
            missing_to = 0
            if bag.n_known[best] < here.hi - here.lo:
                missing_to = bag.balance[best] > 0.0
                bag.decrease[here.node] = found.gain[best] * weight
                bag.information[here.node] = found.split_info[best] * weight
            here.missing_to = missing_to
            here.middle = part(here, bag, ranked, nodes)
            if is_numeric:
                set_means(here, bag, ranked, nodes)
            else:
                set_class_weights(here, bag, nodes)
            nodes.missing_to[here.node] = SPREAD
            if not plan.spreads:
                if bag.n_known[best] == here.hi - here.lo:
                    missing_to = total(nodes.outcomes, here.child + 1, is_numeric) > total(
                        nodes.outcomes, here.child, is_numeric
                    )
                nodes.missing_to[here.node] = missing_to
            nodes.attribute[here.node] = cython.cast(cython.int, a)
            nodes.first_child[here.node] = cython.cast(cython.int, here.child)
            nodes.n_branches[here.node] = 2
            nodes.table_start[here.node] = here.table
            n_nodes += 2
            # The left child is pushed last, so that it is split next.
            for side in range(1, -1, -1):
                nodes.attribute[here.child + side] = -1
                nodes.first_child[here.child + side] = 0
                nodes.n_branches[here.child + side] = 0
                nodes.table_start[here.child + side] = 0
                bag.decrease[here.child + side] = _NAN
                bag.information[here.child + side] = 0.0
                if depth + 1 < plan.max_depth:
                    weight = total(nodes.outcomes, here.child + side, is_numeric)
                    if may_split(nodes.outcomes, here.child + side, weight, weight, plan):
                        _push(here, side, n_pending, depth + 1, key, block, bag)
                        n_pending += 1
    bag.progress[_N_PENDING] = n_pending
    bag.progress[_N_NODES] = n_nodes
    bag.progress[_N_TABLE] = n_table
    return TABLE if is_short else DONE
