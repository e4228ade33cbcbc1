"""Grow whole subtrees from packed lists: numeric attributes without missing values, all weights 1.

The tree is the same as that grown level by level. Growing is depth first, so that the cases of a node stay in the
processor's cache. The cases of a node have the same range in all lists, which are partitioned in place; that is stable.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.best_packed import best_attribute, scan_lists
    from treecli.kernels.codes import CONSTANT
    from treecli.kernels.packed_args import Lists, Peeling, Search, Subtree
    from treecli.kernels.packed_lists import part_list, send_cases, set_children
    from treecli.kernels.peel_packed import is_peel, peel_node, set_cut
    from treecli.kernels.stop import may_split

    # The columns of `pending`: an open node, its cases, its depth, how many attributes are not constant there, and how
    # many splits above it in a row were peels.
    _NODE, _LO, _HI, _DEPTH, _N_LIVE, _N_PEELS = range(6)

    # The columns of Peeling.child.
    _CHILD, _SIZE, _CHILD_DEPTH = range(3)

INFINITY = cython.declare(cython.double, float("inf"))

PENDING_COLUMNS = 6
N_PEELS = 5
"""The column with the number of peels."""

# The entries of `progress`.
_N_WAITING = cython.declare(cython.Py_ssize_t, 0)
_N_NODES = cython.declare(cython.Py_ssize_t, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _make_leaf(subtree: Subtree, node: cython.Py_ssize_t) -> cython.void:
    subtree.attribute[node] = -1
    subtree.first_child[node] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_split(
    lists: Lists,
    search: Search,
    best: cython.Py_ssize_t,
    middle: cython.Py_ssize_t,
    child: cython.Py_ssize_t,
    found: Found,
    subtree: Subtree,
) -> cython.void:
    """Set the split of the node on the attribute `best`; its children, `child` and the next, are leaves."""
    node: cython.Py_ssize_t = search.node
    place: cython.Py_ssize_t = best * lists.stride + middle
    subtree.attribute[node] = cython.cast(cython.int, best)
    subtree.first_child[node] = child
    subtree.neighbour[node, 0] = lists.entry[place - 1] >> lists.row_shift
    subtree.neighbour[node, 1] = lists.entry[place] >> lists.row_shift
    subtree.cost[node] = found.cost[best]
    _make_leaf(subtree, child)
    _make_leaf(subtree, child + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _varying_first(search: Search, n_live: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Put the attributes that are not constant first in search.live, and return how many these are."""
    j: cython.Py_ssize_t = 0
    a: cython.int
    while j < n_live:
        a = search.live[j]
        if search.cut[a] == CONSTANT:
            n_live -= 1
            search.live[j] = search.live[n_live]
            search.live[n_live] = a
        else:
            j += 1
    return n_live


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part_live(
    lists: Lists,
    search: Search,
    n_live: cython.Py_ssize_t,
    best: cython.Py_ssize_t,
    is_numeric: cython.bint,
) -> cython.void:
    """Partition the lists of the live attributes, except that of `best`, which splits the node and is in order."""
    j: cython.Py_ssize_t
    for j in range(n_live):
        if search.live[j] != best:
            part_list(lists, search, search.live[j])
    if is_numeric:
        part_list(lists, search, lists.n_attributes)


def split(
    lists: Lists,
    search: Search,
    best: cython.Py_ssize_t,
    child: cython.Py_ssize_t,
    found: Found,
    subtree: Subtree,
    plan: Plan,
) -> None:
    """Split one node on the attribute `best`: sets its split, its children, `child` and the next, and goes_left."""
    middle: cython.Py_ssize_t = search.cut[best] + 1
    with cython.nogil:
        _set_split(lists, search, best, middle, child, found, subtree)
        send_cases(lists, search, best, middle)
        set_children(lists, search, best, middle, subtree, child, plan)


def open_root(search: Search, subtree: Subtree, pending: cython.int[:, ::1], progress: cython.longlong[::1]) -> None:
    """Make the node that `search` has the first and only one, which waits to be split."""
    _make_leaf(subtree, 0)
    pending[0, _NODE] = 0
    pending[0, _LO] = search.lo
    pending[0, _HI] = search.hi
    pending[0, _DEPTH] = cython.cast(cython.int, search.depth)
    pending[0, _N_LIVE] = search.live.shape[0]
    pending[0, _N_PEELS] = 0
    progress[_N_WAITING] = 1
    progress[_N_NODES] = 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push(
    n_children: cython.Py_ssize_t,
    pending: cython.int[:, ::1],
    n_pending: cython.Py_ssize_t,
    search: Search,
    peeling: Peeling,
) -> cython.Py_ssize_t:
    """Make the open nodes of a peeled node pending, and return how many nodes are."""
    lo: cython.Py_ssize_t = search.lo + peeling.n
    c: cython.Py_ssize_t
    for c in range(n_children):
        pending[n_pending, _NODE] = peeling.child[c, _CHILD]
        pending[n_pending, _LO] = cython.cast(cython.int, lo)
        lo += peeling.child[c, _SIZE]
        pending[n_pending, _HI] = cython.cast(cython.int, lo)
        pending[n_pending, _DEPTH] = peeling.child[c, _CHILD_DEPTH]
        pending[n_pending, _N_LIVE] = cython.cast(cython.int, search.last)
        pending[n_pending, _N_PEELS] = 0
        n_pending += 1
    if search.node >= 0:
        pending[n_pending - 1, _LO] = cython.cast(cython.int, search.lo)
        pending[n_pending - 1, _HI] = cython.cast(cython.int, search.lo + peeling.n)
        pending[n_pending - 1, _N_PEELS] = peeling.n_peels
    return n_pending


def grow(
    lists: Lists,
    search: Search,
    subtree: Subtree,
    found: Found,
    pending: cython.int[:, ::1],
    progress: cython.longlong[::1],
    peeling: Peeling,
    plan: Plan,
) -> bool:
    """Grow the trees of the pending nodes, and return whether all are grown; if not, `subtree` is full.

    `progress` has the numbers of pending nodes and of nodes, `subtree` the outcomes and sums of the pending nodes; both
    are updated. search.live are the attributes that are not constant; found.gain is -inf for all others.
    """
    n_nodes: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, progress[_N_NODES])
    n_pending: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, progress[_N_WAITING])
    room: cython.Py_ssize_t = subtree.attribute.shape[0]
    n_all_live: cython.Py_ssize_t = search.live.shape[0]
    n_live: cython.Py_ssize_t
    child: cython.Py_ssize_t
    side: cython.Py_ssize_t
    j: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    best: cython.Py_ssize_t
    middle: cython.Py_ssize_t = 0
    is_numeric: cython.bint = plan.is_numeric
    may_peel: cython.bint
    goes_on: cython.bint
    opens_left: cython.bint
    opens_right: cython.bint
    n_peels: cython.int
    peels: cython.bint
    larger: cython.Py_ssize_t
    n_open: cython.Py_ssize_t
    with cython.nogil:
        search.first = 0
        while n_pending > 0 and n_nodes + 2 <= room:
            n_pending -= 1
            lo = pending[n_pending, _LO]
            hi = pending[n_pending, _HI]
            n_live = pending[n_pending, _N_LIVE]
            n_peels = pending[n_pending, _N_PEELS]
            search.node = pending[n_pending, _NODE]
            search.lo = lo
            search.hi = hi
            search.depth = pending[n_pending, _DEPTH]
            search.last = n_live
            for j in range(n_live, n_all_live):
                found.gain[search.live[j]] = -INFINITY
            best = -1
            may_peel = hi - lo >= peeling.least and n_peels + 1 >= peeling.many
            goes_on = may_peel and n_peels >= peeling.many
            if not goes_on:
                scan_lists(lists, search, subtree, found, plan)
                best = best_attribute(lists, search, subtree, found, plan)
                if best < 0:
                    continue
                middle = search.cut[best] + 1
                n_live = _varying_first(search, n_live)
                may_peel = may_peel and is_peel(middle - lo, hi - lo)
            if may_peel:
                search.last = n_live
                if not goes_on:
                    set_cut(best, lists, search, peeling)
                peeling.n_nodes = n_nodes
                n_open = peel_node(best, lists, search, subtree, found, peeling, plan)
                n_pending = _push(n_open, pending, n_pending, search, peeling)
                n_nodes = peeling.n_nodes
                continue
            child = n_nodes
            n_nodes += 2
            _set_split(lists, search, best, middle, child, found, subtree)
            if is_numeric:
                send_cases(lists, search, best, middle)
            set_children(lists, search, best, middle, subtree, child, plan)
            if search.depth + 1 >= plan.max_depth:
                continue
            opens_left = may_split(subtree.outcomes, child, middle - lo, middle - lo, plan)
            opens_right = may_split(subtree.outcomes, child + 1, hi - middle, hi - middle, plan)
            if not opens_left and not opens_right:
                continue
            if not is_numeric and n_live > 1:
                send_cases(lists, search, best, middle)
            _part_live(lists, search, n_live, best, is_numeric)
            peels = is_peel(middle - lo, hi - lo)
            larger = 1 if (middle - lo) * 2 <= hi - lo else 0
            # The left child is pushed last, so that it is split next.
            for side in range(1, -1, -1):
                if not (opens_right if side else opens_left):
                    continue
                pending[n_pending, _NODE] = child + side
                pending[n_pending, _LO] = middle if side else lo
                pending[n_pending, _HI] = hi if side else middle
                pending[n_pending, _DEPTH] = search.depth + 1
                pending[n_pending, _N_LIVE] = n_live
                pending[n_pending, _N_PEELS] = n_peels + 1 if side == larger and peels else 0
                n_pending += 1
    progress[_N_WAITING] = n_pending
    progress[_N_NODES] = n_nodes
    return n_pending == 0
