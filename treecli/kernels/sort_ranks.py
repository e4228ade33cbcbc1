"""The cases of one node sorted by the ranks of an attribute.

Ranks are gathered and sorted at each node, for the drawn attributes only: lists that are kept sorted would have to be
partitioned for all attributes. Few cases are sorted by counting smaller ranks, without branches; others by a radix sort
of as many leading bits as the number of cases needs; those of very large nodes stand in the order of the whole column.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.forest_args import Bag, Here, Ranked

    _FEW = 48
    _PLACE_BITS = 6
    _MOST_DIGIT_BITS = 11
    _STEPS_PER_CASE = 4

DIGITS = 2 << 11
"""The length of Bag.digit."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def copy_block(here: Here, bag: Bag, ranked: Ranked) -> cython.void:
    """Copy the ranks of the cases of a node into the block, and number their rows within it."""
    lo: cython.Py_ssize_t = here.lo
    hi: cython.Py_ssize_t = here.hi
    a: cython.Py_ssize_t
    i: cython.Py_ssize_t
    shift: cython.int = bag.shift
    below: cython.uint = cython.cast(cython.uint, (1 << shift) - 1)
    for a in range(ranked.n_ranks.shape[0]):
        for i in range(lo, hi):
            bag.block[a, i - lo] = ranked.rank[a, bag.case[i] >> shift]
    for i in range(lo, hi):
        if shift == 0:
            bag.own[0, i - lo] = ranked.target[bag.case[i]]
            bag.own[1, i - lo] = bag.weight[bag.case[i]]
        bag.case[i] = cython.cast(cython.uint, (i - lo) << shift) | (bag.case[i] & below)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort_few(bag: Bag, n: cython.Py_ssize_t) -> cython.void:
    """Sort the first n of spare_key into `key`; bag.small has their ranks, with their places in the lowest bits."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    own: cython.int
    place: cython.int
    for i in range(n):
        own = bag.small[i]
        place = 0
        for j in range(n):
            place += bag.small[j] < own
        bag.key[place] = bag.spare_key[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pass(
    source: cython.ulonglong[::1],
    target: cython.ulonglong[::1],
    n: cython.Py_ssize_t,
    first_bit: cython.int,
    n_bits: cython.int,
    digit: cython.longlong[::1],
) -> cython.void:
    """Sort the first n keys by some of their bits, stably."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    begin: cython.longlong = 0
    count: cython.longlong
    below: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << n_bits) - 1
    for j in range(1 << n_bits):
        digit[j] = 0
    for i in range(n):
        digit[(source[i] >> first_bit) & below] += 1
    for j in range(1 << n_bits):
        count = digit[j]
        digit[j] = begin
        begin += count
    for i in range(n):
        j = (source[i] >> first_bit) & below
        target[digit[j]] = source[i]
        digit[j] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insert(bag: Bag, n: cython.Py_ssize_t, shift: cython.int) -> cython.bint:
    """Sort the first n keys, which are nearly in order, by rank; return False if that would take long."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    own: cython.ulonglong
    steps: cython.Py_ssize_t = 0
    for i in range(1, n):
        own = bag.key[i]
        if bag.key[i - 1] >> shift <= own >> shift:
            continue
        j = i
        while j > 0 and bag.key[j - 1] >> shift > own >> shift:
            bag.key[j] = bag.key[j - 1]
            j -= 1
            steps += 1
        bag.key[j] = own
        if steps > _STEPS_PER_CASE * n:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bits(number: cython.ulonglong) -> cython.int:
    """Return the number of bits of a number."""
    n: cython.int = 0
    while number > 0:
        number >>= 1
        n += 1
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort_many(bag: Bag, n: cython.Py_ssize_t, shift: cython.int, spread: cython.ulonglong) -> cython.void:
    """Sort the first n keys by rank, stably; ranks begin at 0, and the greatest is `spread`."""
    n_bits: cython.int = _bits(spread)
    needed: cython.int = 2 * _bits(n)
    dropped: cython.int = 0
    half: cython.int
    done: cython.int = 0
    i: cython.Py_ssize_t
    if needed > 2 * _MOST_DIGIT_BITS:
        needed = 2 * _MOST_DIGIT_BITS
    if n_bits > needed:
        dropped = n_bits - needed
        n_bits = needed
    half = (n_bits + 1) // 2
    _pass(bag.key, bag.spare_key, n, shift + dropped, half, bag.digit)
    _pass(bag.spare_key, bag.key, n, shift + dropped + half, n_bits - half, bag.digit)
    if dropped > 0 and not _insert(bag, n, shift):
        # Ranks clump: sort by all bits, from the lowest.
        n_bits += dropped
        while done < n_bits:
            _pass(bag.key, bag.spare_key, n, shift + done, _MOST_DIGIT_BITS, bag.digit)
            for i in range(n):
                bag.key[i] = bag.spare_key[i]
            done += _MOST_DIGIT_BITS


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_by_rank(here: Here, bag: Bag, ranked: Ranked) -> cython.Py_ssize_t:
    """Fill bag.key with the cases of a node that have a value of its attribute, sorted by it; return their number.

    A key is the rank, less the least one at the node, above the weight and class of the case or, for a numeric target,
    above its place in the node. Equal ranks keep their order. bag.least is set to the least rank. Returns 0 if all
    ranks are equal.
    """
    lo: cython.Py_ssize_t = here.lo
    hi: cython.Py_ssize_t = here.hi
    is_local: cython.bint = here.is_local
    a: cython.Py_ssize_t = here.attribute
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    shift: cython.int = bag.shift
    key_shift: cython.int = bag.key_shift
    below: cython.uint = cython.cast(cython.uint, (1 << shift) - 1)
    case: cython.uint
    payload: cython.ulonglong
    rank: cython.uint
    missing: cython.uint = cython.cast(cython.uint, ranked.n_ranks[a])
    least: cython.uint = missing
    most: cython.uint = 0
    has_missing: cython.bint = ranked.has_missing[a] != 0
    has_places: cython.bint = shift == 0
    lowest: cython.ulonglong
    for i in range(lo, hi):
        case = bag.case[i]
        rank = bag.block[a, case >> shift] if is_local else ranked.rank[a, case >> shift]
        payload = cython.cast(cython.ulonglong, i - lo) if has_places else cython.cast(cython.ulonglong, case & below)
        bag.spare_key[n] = (cython.cast(cython.ulonglong, rank) << key_shift) | payload
        if has_missing and rank == missing:
            continue
        n += 1
        least = rank if rank < least else least
        most = rank if rank > most else most
    if n == 0 or least == most:
        return 0
    bag.least = least
    lowest = cython.cast(cython.ulonglong, least) << key_shift
    if n <= _FEW:
        for i in range(n):
            bag.spare_key[i] -= lowest
            bag.small[i] = cython.cast(cython.int, ((bag.spare_key[i] >> key_shift) << _PLACE_BITS) | i)
        _sort_few(bag, n)
    else:
        for i in range(n):
            bag.key[i] = bag.spare_key[i] - lowest
        _sort_many(bag, n, key_shift, most - least)
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def take_in_order(here: Here, bag: Bag, ranked: Ranked) -> cython.Py_ssize_t:
    """As sort_by_rank, for a node with many of all rows: bag.payload_of_row has its cases."""
    a: cython.Py_ssize_t = here.attribute
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    shift: cython.int = bag.shift
    rank: cython.ulonglong = 0
    entry: cython.uint
    payload: cython.ulonglong
    slot: cython.Py_ssize_t = ranked.slot[a]
    for i in range(ranked.n_known[a]):
        entry = ranked.order[slot, i]
        rank += entry & 1
        payload = bag.payload_of_row[entry >> 1]
        bag.key[n] = (rank << shift) | payload
        n += payload != 0
    if n == 0 or bag.key[0] >> shift == bag.key[n - 1] >> shift:
        return 0
    bag.least = 0
    return n


def sort(here: Here, bag: Bag, ranked: Ranked) -> int:
    """As sort_by_rank, for callers in Python."""
    n: cython.Py_ssize_t
    with cython.nogil:
        n = sort_by_rank(here, bag, ranked)
    return n
