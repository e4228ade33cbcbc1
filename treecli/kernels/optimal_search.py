"""Branch and bound for the best tree of a given depth.

A problem is a set of cases and a depth. Its tests are tried in the order of their values in trees of depth two; a test
is skipped if lower bounds on its two sides together exceed the best tree so far. Bounds come from cases that no tree
gets right, from solved problems (Memory, keyed by the set), and from the sides of tests tried before: a set whose best
tree costs v, less cases that weigh w together, still costs v - w (Demirović et al. 2022: similarity lower bound).

Among trees of equal value, every node has the test that comes first. Where a tree makes no errors but those that no
tree avoids, the search ends with that tree; one with fewer leaves may exist. The order of the tests does not depend on
limits or threads, so neither does the result.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.optimal_args import Memory, Problem, Room
    from treecli.kernels.optimal_pairs import LEAVES, NO_TEST, leaf_value, popcount, solve_pairs

_LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_FACTOR = cython.declare(cython.ulonglong, 0x2C1B3C6D)
_MOST = cython.declare(cython.longlong, 1 << 61)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slot(memory: Memory, room: Room, depth: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the slot of the problem at this depth, or the free slot where it belongs."""
    w: cython.Py_ssize_t
    is_same: cython.bint
    mask: cython.Py_ssize_t = memory.key.shape[0] - 1
    mixed: cython.ulonglong = depth
    for w in range(room.sets.shape[1]):
        # 32 bits at a time, so that no product exceeds 64 bits: uncompiled, that is a warning.
        mixed = ((mixed ^ (room.sets[depth, w] & _LOW)) * _FACTOR) & _LOW
        mixed ^= mixed >> 15
        mixed = ((mixed ^ (room.sets[depth, w] >> 32)) * _FACTOR) & _LOW
        mixed ^= mixed >> 13
    slot: cython.Py_ssize_t = mixed & mask
    while memory.depth[slot] != 0:
        is_same = memory.depth[slot] == depth
        for w in range(room.sets.shape[1]):
            if not is_same:
                break
            is_same = memory.key[slot, w] == room.sets[depth, w]
        if is_same:
            break
        slot = (slot + 1) & mask
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _remember(
    memory: Memory, room: Room, depth: cython.Py_ssize_t, value: cython.longlong, is_exact: cython.bint
) -> cython.void:
    """Keep the value of the problem at this depth, unless the table is full."""
    i: cython.Py_ssize_t
    if memory.key.shape[0] == 0:
        return
    slot: cython.Py_ssize_t = _slot(memory, room, depth)
    if memory.depth[slot] == 0:
        if 4 * memory.n_kept > 3 * memory.key.shape[0]:
            return
        memory.n_kept += 1
        memory.depth[slot] = depth
        memory.is_exact[slot] = False
        memory.value[slot] = 0
        for i in range(room.sets.shape[1]):
            memory.key[slot, i] = room.sets[depth, i]
    if memory.is_exact[slot] or (not is_exact and value <= memory.value[slot]):
        return
    memory.value[slot] = value
    memory.is_exact[slot] = is_exact
    if is_exact:
        for i in range(memory.tree.shape[1]):
            memory.tree[slot, i] = room.tree[depth, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weight_lost(
    problem: Problem, room: Room, depth: cython.Py_ssize_t, test: cython.Py_ssize_t, other: cython.Py_ssize_t
) -> cython.longlong:
    """Return the most that the cases of sets[depth] can cost where `test` holds and `other` does not."""
    s: cython.Py_ssize_t
    w: cython.Py_ssize_t = 0
    n: cython.longlong
    total: cython.longlong = 0
    for s in range(problem.segment_end.shape[0]):
        n = 0
        while w < problem.segment_end[s]:
            n += popcount(room.sets[depth, w] & problem.tests[test, w] & ~problem.tests[other, w])
            w += 1
        total += n * problem.segment_cost[s]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _floor(problem: Problem, room: Room, depth: cython.Py_ssize_t) -> cython.longlong:
    """Return the cost of the cases of sets[depth] that no tree gets right."""
    s: cython.Py_ssize_t
    w: cython.Py_ssize_t = 0
    n: cython.longlong
    total: cython.longlong = 0
    for s in range(problem.segment_end.shape[0]):
        n = 0
        while w < problem.segment_end[s]:
            n += popcount(room.sets[depth, w] & problem.minority[w])
            w += 1
        total += n * problem.segment_weight[s]
    return LEAVES * total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bound(problem: Problem, room: Room, depth: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.void:
    """Raise the lower bounds on both sides of the k-th test by those of the tests tried before."""
    i: cython.Py_ssize_t
    lost: cython.longlong
    gained: cython.longlong
    left: cython.longlong
    right: cython.longlong
    test: cython.Py_ssize_t = room.order[depth, k]
    for i in range(room.n_open[depth]):
        if i == k or room.left_bound[depth, i] + room.right_bound[depth, i] == 0:
            continue
        lost = LEAVES * _weight_lost(problem, room, depth, room.order[depth, i], test)
        gained = LEAVES * _weight_lost(problem, room, depth, test, room.order[depth, i])
        left = room.left_bound[depth, i] - lost
        right = room.right_bound[depth, i] - gained
        # A tree for a set is one for a larger set, too; for a smaller one, its leaves may be too small.
        if left > room.left_bound[depth, k] and (problem.is_free or gained == 0):
            room.left_bound[depth, k] = left
        if right > room.right_bound[depth, k] and (problem.is_free or lost == 0):
            room.right_bound[depth, k] = right


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _take_side(
    problem: Problem, room: Room, depth: cython.Py_ssize_t, test: cython.Py_ssize_t, is_left: cython.bint
) -> cython.void:
    """Make the cases where a test holds, or does not hold, the problem of the next smaller depth."""
    w: cython.Py_ssize_t
    for w in range(room.sets.shape[1]):
        if is_left:
            room.sets[depth - 1, w] = room.sets[depth, w] & problem.tests[test, w]
        else:
            room.sets[depth - 1, w] = room.sets[depth, w] & ~problem.tests[test, w]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _put_side(room: Room, to: cython.Py_ssize_t, depth: cython.Py_ssize_t, is_left: cython.bint) -> cython.void:
    """Copy tree[depth - 1] to one side of tree[to], which has one level more."""
    i: cython.Py_ssize_t
    source: cython.Py_ssize_t = 0
    width: cython.Py_ssize_t = 1
    place: cython.Py_ssize_t = 1
    while place + width < room.tree.shape[1]:
        for i in range(width):
            room.tree[to, place + i + (0 if is_left else width)] = room.tree[depth - 1, source + i]
        source += width
        place += 2 * width
        width *= 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open(problem: Problem, room: Room, depth: cython.Py_ssize_t) -> cython.longlong:
    """List the tests of sets[depth], best first, and return the value of the best tree of depth two."""
    best: cython.longlong = solve_pairs(problem, room, depth, 2)
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    step: cython.Py_ssize_t = 1
    test: cython.int
    hint: cython.longlong
    n: cython.Py_ssize_t = room.n_tests
    room.n_open[depth] = n
    for i in range(n):
        room.order[depth, i] = room.test[i]
        room.hint[depth, i] = room.value[i]
        room.left_bound[depth, i] = 0
        room.right_bound[depth, i] = 0
    # Shell sort by value, then by number; the list is short beside the search.
    while step < n:
        step = 3 * step + 1
    while step > 1:
        step //= 3
        for i in range(step, n):
            test = room.order[depth, i]
            hint = room.hint[depth, i]
            k = i
            while k >= step and (
                room.hint[depth, k - step] > hint
                or (room.hint[depth, k - step] == hint and room.order[depth, k - step] > test)
            ):
                room.order[depth, k] = room.order[depth, k - step]
                room.hint[depth, k] = room.hint[depth, k - step]
                k -= step
            room.order[depth, k] = test
            room.hint[depth, k] = hint
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _raise_bound(
    bound: cython.longlong[:, ::1],
    depth: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
    value: cython.longlong,
    floor: cython.longlong,
) -> cython.void:
    """Raise the bound on one side of the k-th test to its value.

    A problem with more than two levels ends at its floor, so that a tree with fewer leaves may exist.
    """
    if depth > 3 and value < floor + LEAVES:
        value = min(value, floor + 2)
    if value > bound[depth, k]:
        bound[depth, k] = value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _try(
    problem: Problem,
    room: Room,
    memory: Memory,
    depth: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
    limit: cython.longlong,
    spare: cython.Py_ssize_t,
) -> cython.longlong:
    """Return the least value of a tree whose root has the k-th test, or a lower bound above `limit`.

    Sets the bounds of the test. If the value is at most `limit`, tree[spare] is that tree.
    """
    left: cython.longlong
    right: cython.longlong
    left_floor: cython.longlong
    right_floor: cython.longlong
    test: cython.Py_ssize_t = room.order[depth, k]
    _bound(problem, room, depth, k)
    _take_side(problem, room, depth, test, True)
    left_floor = _floor(problem, room, depth - 1)
    room.left_bound[depth, k] = max(room.left_bound[depth, k], left_floor + problem.leaf_fee)
    _take_side(problem, room, depth, test, False)
    right_floor = _floor(problem, room, depth - 1)
    room.right_bound[depth, k] = max(room.right_bound[depth, k], right_floor + problem.leaf_fee)
    left = room.left_bound[depth, k]
    right = room.right_bound[depth, k]
    if left + right > limit:
        return left + right
    room.tree[spare, 0] = test
    right = _solve(problem, room, memory, depth - 1, limit - left)
    _raise_bound(room.right_bound, depth, k, right, right_floor)
    if left + right > limit or room.stop[0]:
        return left + right
    _put_side(room, spare, depth, False)
    _take_side(problem, room, depth, test, True)
    left = _solve(problem, room, memory, depth - 1, limit - right)
    _raise_bound(room.left_bound, depth, k, left, left_floor)
    if not room.stop[0]:
        _put_side(room, spare, depth, True)
    return left + right


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _solve(
    problem: Problem, room: Room, memory: Memory, depth: cython.Py_ssize_t, limit: cython.longlong
) -> cython.longlong:
    """Return the least value of a tree for sets[depth], and tree[depth]; or a lower bound, if that is above `limit`.

    If the search is stopped, the result is a lower bound.
    """
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    value: cython.longlong
    allowed: cython.longlong
    skipped: cython.longlong = _MOST
    best: cython.longlong = leaf_value(problem, room, room.sets, depth)
    floor: cython.longlong = _floor(problem, room, depth)
    spare: cython.Py_ssize_t = room.tree.shape[0] // 2 + depth
    if problem.leaf_fee == 1:
        # Any number of leaves: where the search ends at the floor must not depend on the limit.
        limit = limit | (LEAVES - 1)
    for i in range(room.tree.shape[1]):
        room.tree[depth, i] = NO_TEST
    if best <= floor + 2 * problem.leaf_fee or room.node_size < problem.min_split:
        return best
    if floor + problem.leaf_fee > limit:
        return floor + problem.leaf_fee
    if depth > 1 and memory.key.shape[0] > 0:
        slot = _slot(memory, room, depth)
        if memory.depth[slot] != 0 and (memory.is_exact[slot] or memory.value[slot] > limit):
            memory.n_found += 1
            for i in range(memory.tree.shape[1]):
                room.tree[depth, i] = memory.tree[slot, i]
            return memory.value[slot]
    if depth <= 2:
        room.n_solved += 1
        best = solve_pairs(problem, room, depth, depth)
        if room.stop[0]:
            return min(best, floor + problem.leaf_fee)
        if depth > 1:
            _remember(memory, room, depth, best, True)
        return best
    best = _open(problem, room, depth)
    for k in range(room.n_open[depth]):
        if best < floor + LEAVES:
            break
        if room.stop[0]:
            return min(best, floor + problem.leaf_fee)
        allowed = min(limit, best if room.order[depth, k] <= room.tree[depth, 0] else best - 1)
        value = _try(problem, room, memory, depth, k, allowed, spare)
        if value > allowed:
            skipped = min(skipped, value)
        elif not room.stop[0]:
            best = value
            for i in range(room.tree.shape[1]):
                room.tree[depth, i] = room.tree[spare, i]
    if room.stop[0]:
        return min(best, floor + problem.leaf_fee)
    if best > limit:
        best = min(best, skipped)
    _remember(memory, room, depth, best, best <= limit)
    return best


def open_root(problem: Problem, room: Room, depth: cython.Py_ssize_t) -> int:
    """Return the least value of a tree of at most two levels for sets[depth]; tree[depth] is that tree.

    If the depth is greater, the tests are listed in order[depth].
    """
    value: cython.longlong
    with cython.nogil:
        value = _open(problem, room, depth) if depth > 2 else solve_pairs(problem, room, depth, depth)
    return int(value)


def try_root(
    problem: Problem,
    room: Room,
    memory: Memory,
    depth: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
    limit: cython.longlong,
) -> int:
    """Return the least value of a tree whose root has the k-th test, or a lower bound above `limit`.

    If the value is at most `limit` and the search was not stopped, the last tree of the room is that tree.
    """
    value: cython.longlong
    with cython.nogil:
        value = _try(problem, room, memory, depth, k, limit, room.tree.shape[0] // 2 + depth)
    return int(value)


def root_floor(problem: Problem, room: Room, depth: cython.Py_ssize_t) -> int:
    """Return a lower bound on the value of every tree for sets[depth]."""
    return int(_floor(problem, room, depth) + problem.leaf_fee)
