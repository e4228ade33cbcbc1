"""Split a node in packed lists that loses few cases at a time, without moving the cases that remain.

Gain ratio prefers such splits: in a large tree most of the work would be to scan and partition nodes that are nearly
the same as before. Here a split takes time for the cases that leave and for the blocks of the lists (scan_remaining);
the lists are partitioned once, when no more cases leave. It is for two classes and exact sums: the nodes are those of
grow_packed.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.best_remaining import best_remaining
    from treecli.kernels.open_blocks import open_cases, open_list
    from treecli.kernels.packed_args import Lists, Peeling, Search, Subtree
    from treecli.kernels.packed_lists import part_list
    from treecli.kernels.stop import may_split

    # The columns of Peeling.child.
    _CHILD, _SIZE, _DEPTH = range(3)

CHILD_COLUMNS = 3

PEEL_SHARE = 16
"""A split peels a node if at most one in this number of its cases leaves."""

LEAST_PEELED = 512
"""Smaller nodes are split one by one."""

_PEEL_SHARE = cython.declare(cython.longlong, PEEL_SHARE)
_CLOSED = cython.declare(cython.int, -(1 << 31))

# So many cases are looked up at once.
_TOGETHER = cython.declare(cython.Py_ssize_t, 16)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_peel(n_left: cython.longlong, n: cython.longlong) -> cython.bint:
    """Return whether few of n cases are on one side."""
    return n_left * _PEEL_SHARE <= n or (n - n_left) * _PEEL_SHARE <= n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leave_blocks(a: cython.Py_ssize_t, n_leaving: cython.Py_ssize_t, search: Search, peeling: Peeling) -> cython.void:
    """Take the cases in search.spare (see _let_leave) out of the blocks of a list."""
    first: cython.Py_ssize_t = a * peeling.n_opened
    is_first: cython.int
    b: cython.Py_ssize_t
    s: cython.Py_ssize_t
    i: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    end: cython.Py_ssize_t
    block_of = cython.declare(cython.Py_ssize_t[16])
    while i < n_leaving:
        end = i + _TOGETHER if i + _TOGETHER < n_leaving else n_leaving
        # The table is large: the processor waits for several of its lines at once.
        for k in range(i, end):
            block_of[k - i] = peeling.block[first + search.spare[n_leaving + k]]
        for k in range(i, end):
            b = block_of[k - i]
            s = b >> peeling.stretch_bits
            is_first = 1 - cython.cast(cython.int, (search.spare[k] >> 1) & 1)
            peeling.blocks.size[a, b] -= 1
            peeling.blocks.first[a, b] -= is_first
            peeling.stretches.size[a, s] -= 1
            peeling.stretches.first[a, s] -= is_first
            if is_first:
                peeling.blocks.bottom[a, b] -= 1.0 - peeling.blocks.share[a, b]
                peeling.stretches.bottom[a, s] -= 1.0 - peeling.stretches.share[a, s]
            else:
                peeling.blocks.top[a, b] += peeling.blocks.share[a, b]
                peeling.stretches.top[a, s] += peeling.stretches.share[a, s]
        i = end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_leaving(
    best: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling, subtree: Subtree, node: cython.Py_ssize_t
) -> cython.void:
    """Set the outcomes of the child, `node`, that the cases on the smaller side of the cut leave for."""
    n_left: cython.longlong = peeling.n_left[best]
    to_left: cython.bint = n_left * 2 <= peeling.n
    size: cython.longlong = n_left if to_left else peeling.n - n_left
    i: cython.Py_ssize_t = peeling.begin[best] if to_left else peeling.end[best] - 1
    step: cython.Py_ssize_t = 1 if to_left else -1
    own: cython.uint
    subtree.outcomes[node, 0] = 0.0
    subtree.outcomes[node, 1] = 0.0
    while size > 0:
        own = lists.entry[i]
        if lists.goes_left[own >> lists.row_shift]:
            subtree.outcomes[node, (own >> 1) & 1] += 1.0
            size -= 1
        i += step


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _let_leave(
    best: cython.Py_ssize_t,
    number: cython.int,
    is_last: cython.bint,
    lists: Lists,
    search: Search,
    peeling: Peeling,
) -> cython.void:
    """Take the cases on the smaller side of the cut out of the lists; after the last cut, blocks are not needed.

    `number` is that of the child they leave for, or _CLOSED. Meanwhile search.spare has their entries and then their
    numbers.
    """
    n_left: cython.longlong = peeling.n_left[best]
    to_left: cython.bint = n_left * 2 <= peeling.n
    size: cython.longlong = n_left if to_left else peeling.n - n_left
    i: cython.Py_ssize_t = peeling.begin[best] if to_left else peeling.end[best] - 1
    step: cython.Py_ssize_t = 1 if to_left else -1
    n_leaving: cython.Py_ssize_t = 0
    row: cython.Py_ssize_t
    j: cython.Py_ssize_t
    peeling.n -= size
    while n_leaving < size:
        row = lists.entry[i] >> lists.row_shift
        if lists.goes_left[row]:
            if not is_last:
                search.spare[n_leaving] = lists.entry[i]
                search.spare[size + n_leaving] = cython.cast(cython.uint, peeling.state[row])
            peeling.state[row] = number
            lists.goes_left[row] = 0
            n_leaving += 1
        i += step
    if not is_last:
        for j in range(search.last):
            _leave_blocks(search.live[j], n_leaving, search, peeling)
    if to_left:
        peeling.begin[best] = i
    else:
        peeling.end[best] = i + 1
    peeling.last[best] = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _split(
    best: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling, subtree: Subtree, found: Found
) -> cython.Py_ssize_t:
    """Set the split of the node and its children, the next two nodes; return the child of the cases that leave."""
    node: cython.Py_ssize_t = search.node
    child: cython.Py_ssize_t = peeling.n_nodes
    leaving: cython.Py_ssize_t = child if peeling.n_left[best] * 2 <= peeling.n else child + 1
    others: cython.Py_ssize_t = 2 * child + 1 - leaving
    i: cython.Py_ssize_t
    subtree.attribute[node] = cython.cast(cython.int, best)
    subtree.first_child[node] = child
    subtree.neighbour[node, 0] = peeling.neighbour[best, 0]
    subtree.neighbour[node, 1] = peeling.neighbour[best, 1]
    subtree.cost[node] = found.cost[best]
    for i in range(child, child + 2):
        subtree.attribute[i] = -1
        subtree.first_child[i] = 0
    _count_leaving(best, lists, search, peeling, subtree, leaving)
    for i in range(2):
        subtree.outcomes[others, i] = subtree.outcomes[node, i] - subtree.outcomes[leaving, i]
    peeling.n_nodes += 2
    return leaving


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move_list(
    a: cython.Py_ssize_t, n_open: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling
) -> cython.void:
    """Put the cases that remain first in a list, and behind them those of each open child together."""
    start: cython.Py_ssize_t = a * lists.stride
    to: cython.Py_ssize_t = start + peeling.lo + peeling.n
    group: cython.longlong = 0
    state: cython.int
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    own: cython.uint
    part_list(lists, search, a)
    for c in range(n_open):
        search.place[c] = to
        search.group[c] = -1
        to += peeling.child[c, _SIZE]
    # part_list has left the cases that do not remain in search.spare.
    for i in range(peeling.n_opened - peeling.n):
        own = search.spare[i]
        group += own & 1
        state = peeling.state[own >> lists.row_shift]
        if state == _CLOSED:
            continue
        c = -1 - state
        lists.entry[search.place[c]] = (own >> 1 << 1) | (group != search.group[c])
        search.group[c] = group
        search.place[c] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_child(
    peeling: Peeling,
    n_children: cython.Py_ssize_t,
    node: cython.Py_ssize_t,
    size: cython.longlong,
    depth: cython.longlong,
) -> cython.void:
    peeling.child[n_children, _CHILD] = cython.cast(cython.int, node)
    peeling.child[n_children, _SIZE] = cython.cast(cython.int, size)
    peeling.child[n_children, _DEPTH] = cython.cast(cython.int, depth)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_cut(best: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling) -> cython.void:
    """Make the cut of attribute `best` in `search` the first of a chain."""
    place: cython.Py_ssize_t = best * lists.stride + search.cut[best] + 1
    peeling.n_left[best] = search.cut[best] + 1 - search.lo
    peeling.neighbour[best, 0] = cython.cast(cython.int, lists.entry[place - 1] >> lists.row_shift)
    peeling.neighbour[best, 1] = cython.cast(cython.int, lists.entry[place] >> lists.row_shift)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _peel(
    best: cython.Py_ssize_t,
    lists: Lists,
    search: Search,
    subtree: Subtree,
    found: Found,
    peeling: Peeling,
    plan: Plan,
) -> cython.Py_ssize_t:
    """Do what peel_node does between the opening of the lists and moving their cases."""
    n_open: cython.Py_ssize_t = 0
    lo: cython.Py_ssize_t = search.lo
    hi: cython.Py_ssize_t = search.hi
    depth: cython.longlong = search.depth
    leaving: cython.Py_ssize_t
    n_leaving: cython.longlong
    number: cython.int
    is_last: cython.bint = False
    j: cython.Py_ssize_t
    if best >= 0:
        for j in range(search.last):
            if search.cut[search.live[j]] >= 0:
                peeling.last[search.live[j]] = search.live[j] * lists.stride + search.cut[search.live[j]] + 1
    search.first = 0
    while not is_last:
        if best < 0:
            search.lo = 0
            search.hi = peeling.n
            best = best_remaining(lists, search, subtree, found, peeling, plan)
        if best < 0:
            search.node = -1
            break
        is_last = not is_peel(peeling.n_left[best], peeling.n)
        if (
            peeling.n_nodes + 2 > subtree.attribute.shape[0]
            or n_open + 2 > peeling.child.shape[0]
            or (peeling.n * 2 < peeling.n_opened and not is_last)
        ):
            is_last = False
            break
        n_leaving = peeling.n_left[best]
        if n_leaving * 2 > peeling.n:
            n_leaving = peeling.n - n_leaving
        leaving = _split(best, lists, search, peeling, subtree, found)
        search.node = 2 * peeling.n_nodes - 3 - leaving
        depth += 1
        number = _CLOSED
        if depth < plan.max_depth and may_split(subtree.outcomes, leaving, n_leaving, n_leaving, plan):
            number = -1 - cython.cast(cython.int, n_open)
            _add_child(peeling, n_open, leaving, n_leaving, depth)
            n_open += 1
        _let_leave(best, number, is_last, lists, search, peeling)
        if depth >= plan.max_depth or not may_split(subtree.outcomes, search.node, peeling.n, peeling.n, plan):
            search.node = -1
            break
        best = -1
    search.lo = lo
    search.hi = hi
    if search.node >= 0:
        _add_child(peeling, n_open, search.node, peeling.n, depth)
        n_open += 1
    peeling.n_peels = 0 if is_last else peeling.many
    return n_open


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def peel_node(
    best: cython.Py_ssize_t,
    lists: Lists,
    search: Search,
    subtree: Subtree,
    found: Found,
    peeling: Peeling,
    plan: Plan,
) -> cython.Py_ssize_t:
    """Split the node of `search`, and then its larger child, as long as few cases leave; return how many are open.

    `best` is the attribute of the first cut, which set_cut has set, or -1 if it is to be found. The first cut after
    which more cases leave is the last one. The open nodes are in peeling.child. The peeling.n cases that remain are the
    first of the node, those of the children follow in their order. If the cases that remain are to be split further,
    their node is the last child, and peeling.n_peels tells whether it should be peeled again.
    """
    n_open: cython.Py_ssize_t
    j: cython.Py_ssize_t
    open_cases(lists, search, subtree, peeling)
    for j in range(search.last):
        open_list(search.live[j], lists, peeling)
    n_open = _peel(best, lists, search, subtree, found, peeling, plan)
    for j in range(search.last):
        _move_list(search.live[j], n_open, lists, search, peeling)
    return n_open


def number_cases(lists: Lists, search: Search, subtree: Subtree, peeling: Peeling) -> None:
    """Begin the chain of a node. It takes four steps, of which threads take the second and the last list by list."""
    with cython.nogil:
        open_cases(lists, search, subtree, peeling)


def divide(a: cython.Py_ssize_t, lists: Lists, peeling: Peeling) -> None:
    """Divide a list into blocks, the second step."""
    with cython.nogil:
        open_list(a, lists, peeling)


def peel(
    best: cython.Py_ssize_t,
    lists: Lists,
    search: Search,
    subtree: Subtree,
    found: Found,
    peeling: Peeling,
    plan: Plan,
) -> int:
    """Split the nodes of the chain, the third step; see peel_node, whose number of open nodes is returned.

    `best` is the attribute of the first cut, which is in `search`, or -1 if it is to be found.
    """
    n_open: cython.Py_ssize_t
    with cython.nogil:
        if best >= 0:
            set_cut(best, lists, search, peeling)
        n_open = _peel(best, lists, search, subtree, found, peeling, plan)
    return n_open


def move(a: cython.Py_ssize_t, n_open: cython.Py_ssize_t, lists: Lists, search: Search, peeling: Peeling) -> None:
    """Move the cases of a list to their nodes, the last step. search.spare has room for those that do not remain."""
    with cython.nogil:
        _move_list(a, n_open, lists, search, peeling)
