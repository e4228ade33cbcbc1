"""The best trees of depth one and two on a set of cases, from the class counts of all pairs of tests.

The counts of both tests true give the other three combinations by subtraction (Demirović et al. 2022, MurTree: the
specialised algorithm for trees of depth two).

The value of a tree is LEAVES * (cost + penalty * leaves) + leaves, a whole number: equal costs go to fewer leaves.
"""

import cython

if not cython.compiled:  # compiled modules have these from the .pxd file
    from treecli.kernels.optimal_args import Problem, Room

    def popcount(word: int) -> int:
        """Return the number of bits that are set."""
        return int(word).bit_count()

    NO_TEST = -1
    # More than the leaves of the deepest tree.
    LEAVES = 32

_MOST = cython.declare(cython.longlong, 1 << 61)
# The words of tests that are listed however little time there is: about a tenth of a second.
_LEAST_WORDS = cython.declare(cython.Py_ssize_t, 1 << 24)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def risk(problem: Problem, counts: cython.longlong[:, ::1], row: cython.Py_ssize_t) -> cython.longlong:
    """Return the least cost of one label for these class counts."""
    c: cython.Py_ssize_t
    label: cython.Py_ssize_t
    total: cython.longlong = 0
    most: cython.longlong = 0
    if not problem.has_costs:
        for c in range(problem.n_classes):
            total += counts[row, c]
            if counts[row, c] > most:
                most = counts[row, c]
        return total - most
    most = _MOST
    for label in range(problem.n_classes):
        total = 0
        for c in range(problem.n_classes):
            total += counts[row, c] * problem.costs[c, label]
        if total < most:
            most = total
    return most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def leaf_value(
    problem: Problem, room: Room, sets: cython.ulonglong[:, ::1], depth: cython.Py_ssize_t
) -> cython.longlong:
    """Return the value of a leaf with the cases of a set; fills `node_count` and `node_size`."""
    s: cython.Py_ssize_t
    w: cython.Py_ssize_t = 0
    n: cython.longlong
    room.node_size = 0.0
    for s in range(problem.n_classes):
        room.cell[0, s] = 0
    for s in range(problem.segment_end.shape[0]):
        n = 0
        while w < problem.segment_end[s]:
            n += popcount(sets[depth, w])
            w += 1
        room.cell[0, problem.segment_class[s]] += n * problem.segment_weight[s]
        room.node_size += n * problem.segment_size[s]
    for s in range(problem.n_classes):
        room.node_count[s] = room.cell[0, s]
    return LEAVES * risk(problem, room.cell, 0) + problem.leaf_fee


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_words(problem: Problem, room: Room, depth: cython.Py_ssize_t) -> cython.void:
    """List the words of the set that are not empty, and their segments."""
    s: cython.Py_ssize_t
    w: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    room.n_segments = 0
    for s in range(problem.segment_end.shape[0]):
        room.segment_begin[room.n_segments] = n
        while w < problem.segment_end[s]:
            if room.sets[depth, w] != 0:
                room.word[n] = w
                n += 1
            w += 1
        if n > room.segment_begin[room.n_segments]:
            room.segment_end[room.n_segments] = n
            room.segment[room.n_segments] = s
            room.n_segments += 1
    room.n_words = n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_tests(problem: Problem, room: Room, depth: cython.Py_ssize_t) -> cython.void:
    """List the tests that divide the set, with class counts; of nested tests that divide it equally, the first."""
    tests: cython.ulonglong[:, ::1] = problem.tests
    rows: cython.ulonglong[:, ::1] = room.rows
    count: cython.longlong[:, ::1] = room.count
    j: cython.Py_ssize_t
    s: cython.Py_ssize_t
    w: cython.Py_ssize_t
    c: cython.Py_ssize_t
    k: cython.Py_ssize_t = 0
    n: cython.longlong
    n_all: cython.longlong
    n_set: cython.longlong = 0
    n_last: cython.longlong = -1
    size: cython.double
    for w in range(room.n_words):
        n_set += popcount(room.sets[depth, room.word[w]])
    for j in range(tests.shape[0]):
        if room.stop[0] and j * room.n_words > _LEAST_WORDS:
            break
        n_all = 0
        size = 0.0
        for c in range(problem.n_classes):
            count[k, c] = 0
        for s in range(room.n_segments):
            n = 0
            for w in range(room.segment_begin[s], room.segment_end[s]):
                rows[k, w] = tests[j, room.word[w]] & room.sets[depth, room.word[w]]
                n += popcount(rows[k, w])
            n_all += n
            count[k, problem.segment_class[room.segment[s]]] += n * problem.segment_weight[room.segment[s]]
            size += n * problem.segment_size[room.segment[s]]
        if not problem.is_nested[j]:
            n_last = -1
        if n_all == n_last:
            continue
        n_last = n_all
        if n_all == 0 or n_all == n_set:
            continue
        if not problem.is_free and (size < problem.min_leaf or room.node_size - size < problem.min_leaf):
            continue
        room.test[k] = j
        room.size[k] = size
        k += 1
    room.n_tests = k


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _start_sides(problem: Problem, room: Room) -> cython.void:
    """Set the value of both sides of each test to that of a leaf."""
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for k in range(room.n_tests):
        room.left[k] = LEAVES * risk(problem, room.count, k) + problem.leaf_fee
        for c in range(problem.n_classes):
            room.cell[0, c] = room.node_count[c] - room.count[k, c]
        room.right[k] = LEAVES * risk(problem, room.cell, 0) + problem.leaf_fee
        room.left_test[k] = NO_TEST
        room.right_test[k] = NO_TEST


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _offer(
    room: Room, k: cython.Py_ssize_t, left: cython.longlong, right: cython.longlong, test: cython.int
) -> cython.void:
    """Keep a test below test k if it is better than the tests before it."""
    if left < room.left[k]:
        room.left[k] = left
        room.left_test[k] = test
    if right < room.right[k]:
        room.right[k] = right
        room.right_test[k] = test


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _two_classes(problem: Problem, room: Room) -> cython.void:
    """Offer every test below every other: two classes, without costs and without limits on leaves."""
    rows: cython.ulonglong[:, ::1] = room.rows
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    s: cython.Py_ssize_t
    w: cython.Py_ssize_t
    n: cython.longlong
    a: cython.longlong
    b: cython.longlong
    both: cython.longlong
    first: cython.longlong
    second: cython.longlong
    neither: cython.longlong
    left_a: cython.longlong
    left_b: cython.longlong
    n_a: cython.longlong = room.node_count[0]
    n_b: cython.longlong = room.node_count[1]
    fee: cython.longlong = 2 * problem.leaf_fee
    best_left: cython.longlong
    best_right: cython.longlong
    left: cython.longlong
    right: cython.longlong
    for i in range(room.n_tests):
        if room.stop[0]:
            break
        left_a = room.count[i, 0]
        left_b = room.count[i, 1]
        best_left = room.left[i]
        best_right = room.right[i]
        for j in range(i + 1, room.n_tests):
            a = 0
            b = 0
            for s in range(room.n_segments):
                n = 0
                for w in range(room.segment_begin[s], room.segment_end[s]):
                    n += popcount(rows[i, w] & rows[j, w])
                n = n * problem.segment_weight[room.segment[s]]
                if problem.segment_class[room.segment[s]] == 0:
                    a += n
                else:
                    b += n
            both = min(a, b)
            first = min(left_a - a, left_b - b)
            second = min(room.count[j, 0] - a, room.count[j, 1] - b)
            neither = min(n_a - left_a - room.count[j, 0] + a, n_b - left_b - room.count[j, 1] + b)
            left = LEAVES * (both + first) + fee
            right = LEAVES * (second + neither) + fee
            if left < best_left:
                best_left = left
                room.left_test[i] = room.test[j]
            if right < best_right:
                best_right = right
                room.right_test[i] = room.test[j]
            _offer(room, j, LEAVES * (both + second) + fee, LEAVES * (first + neither) + fee, room.test[i])
        room.left[i] = best_left
        room.right[i] = best_right


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _any_classes(problem: Problem, room: Room) -> cython.void:
    """Offer every test below every other."""
    rows: cython.ulonglong[:, ::1] = room.rows
    cell: cython.longlong[:, ::1] = room.cell
    count: cython.longlong[:, ::1] = room.count
    is_free: cython.bint = problem.is_free
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    s: cython.Py_ssize_t
    w: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.longlong
    both: cython.longlong
    first: cython.longlong
    second: cython.longlong
    neither: cython.longlong
    fee: cython.longlong = 2 * problem.leaf_fee
    size: cython.double
    for i in range(room.n_tests):
        if room.stop[0]:
            break
        for j in range(i + 1, room.n_tests):
            size = 0.0
            for c in range(problem.n_classes):
                cell[0, c] = 0
            for s in range(room.n_segments):
                n = 0
                for w in range(room.segment_begin[s], room.segment_end[s]):
                    n += popcount(rows[i, w] & rows[j, w])
                cell[0, problem.segment_class[room.segment[s]]] += n * problem.segment_weight[room.segment[s]]
                if not is_free:
                    size += n * problem.segment_size[room.segment[s]]
            for c in range(problem.n_classes):
                cell[1, c] = count[i, c] - cell[0, c]
                cell[2, c] = count[j, c] - cell[0, c]
                cell[3, c] = room.node_count[c] - count[i, c] - cell[2, c]
            both = risk(problem, cell, 0)
            first = risk(problem, cell, 1)
            second = risk(problem, cell, 2)
            neither = risk(problem, cell, 3)
            if is_free:
                _offer(room, i, LEAVES * (both + first) + fee, LEAVES * (second + neither) + fee, room.test[j])
                _offer(room, j, LEAVES * (both + second) + fee, LEAVES * (first + neither) + fee, room.test[i])
            else:
                _offer_large(problem, room, i, j, size)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _offer_large(
    problem: Problem, room: Room, i: cython.Py_ssize_t, j: cython.Py_ssize_t, both: cython.double
) -> cython.void:
    """Offer tests i and j to each other where nodes and leaves are large enough; `both`: the size of both true."""
    fee: cython.longlong = 2 * problem.leaf_fee
    first: cython.double = room.size[i] - both
    second: cython.double = room.size[j] - both
    neither: cython.double = room.node_size - room.size[i] - second
    least: cython.double = problem.min_leaf
    a: cython.longlong = risk(problem, room.cell, 0)
    b: cython.longlong = risk(problem, room.cell, 1)
    c: cython.longlong = risk(problem, room.cell, 2)
    d: cython.longlong = risk(problem, room.cell, 3)
    # Sides are divided only if both parts and the side itself are large enough.
    i_left: cython.longlong = LEAVES * (a + b) + fee if min(both, first) >= least else _MOST
    i_right: cython.longlong = LEAVES * (c + d) + fee if min(second, neither) >= least else _MOST
    j_left: cython.longlong = LEAVES * (a + c) + fee if min(both, second) >= least else _MOST
    j_right: cython.longlong = LEAVES * (b + d) + fee if min(first, neither) >= least else _MOST
    if room.size[i] < problem.min_split:
        i_left = _MOST
    if room.node_size - room.size[i] < problem.min_split:
        i_right = _MOST
    if room.size[j] < problem.min_split:
        j_left = _MOST
    if room.node_size - room.size[j] < problem.min_split:
        j_right = _MOST
    _offer(room, i, i_left, i_right, room.test[j])
    _offer(room, j, j_left, j_right, room.test[i])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def solve_pairs(problem: Problem, room: Room, depth: cython.Py_ssize_t, levels: cython.Py_ssize_t) -> cython.longlong:
    """Return the least value of a tree of one or two levels on sets[depth]; tree[depth] is that tree.

    Ties go to the test that comes first. `value` has the least value of each test at the root. If the search is
    stopped, the tree need not be the best.
    """
    k: cython.Py_ssize_t
    best: cython.longlong = leaf_value(problem, room, room.sets, depth)
    place: cython.Py_ssize_t = NO_TEST
    for k in range(room.tree.shape[1]):
        room.tree[depth, k] = NO_TEST
    _list_words(problem, room, depth)
    _list_tests(problem, room, depth)
    _start_sides(problem, room)
    if levels > 1:
        if problem.n_classes == 2 and not problem.has_costs and problem.is_free:
            _two_classes(problem, room)
        else:
            _any_classes(problem, room)
    for k in range(room.n_tests):
        room.value[k] = room.left[k] + room.right[k]
        if room.value[k] < best:
            best = room.value[k]
            place = k
    if place != NO_TEST:
        room.tree[depth, 0] = room.test[place]
        room.tree[depth, 1] = room.left_test[place]
        room.tree[depth, 2] = room.right_test[place]
    return best
