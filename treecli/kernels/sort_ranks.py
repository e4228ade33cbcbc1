"""The cases of one node sorted by the ranks of an attribute.

Ranks are gathered and sorted at each node, for the drawn attributes only: lists that are kept sorted would have to be
partitioned for all attributes. Few cases are sorted by counting smaller ranks, without branches; others by a radix sort
of as many leading bits as the number of cases needs; those of very large nodes stand in the order of the whole column.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.codes import SHIFT
    from treecli.kernels.forest_args import Bag, Here, Ranked

    _FEW = 48
    _PLACE_BITS = 6
    _MOST_DIGIT_BITS = 11
    _STEPS_PER_CASE = 4

_PAYLOAD = cython.declare(cython.ulonglong, 0xFFFFFFFF)

DIGITS = 2 << 11
"""The length of Bag.digit."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _copy_ranks(
    rank_of: cython.uint[:, ::1],
    out: cython.uint[:, ::1],
    case_at: cython.ulonglong[::1],
    here: Here,
    first: cython.Py_ssize_t,
) -> cython.void:
    """Copy the ranks of the cases of a node into `out`, from its place `first` on."""
    lo: cython.Py_ssize_t = here.lo
    hi: cython.Py_ssize_t = here.hi
    a: cython.Py_ssize_t
    i: cython.Py_ssize_t
    for a in range(rank_of.shape[0]):
        for i in range(lo, hi):
            out[a, first + i - lo] = rank_of[a, case_at[i] >> SHIFT]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def copy_block(here: Here, first: cython.Py_ssize_t, bag: Bag, ranked: Ranked) -> cython.void:
    """Copy the ranks of the cases of a node into the block from its place `first` on, and number their rows within it.

    The cases may already be in the block, elsewhere: then they move closer together.
    """
    lo: cython.Py_ssize_t = here.lo
    hi: cython.Py_ssize_t = here.hi
    is_local: cython.bint = here.is_local
    i: cython.Py_ssize_t
    row: cython.ulonglong
    if is_local:
        _copy_ranks(bag.block, bag.block, bag.case, here, first)
    else:
        _copy_ranks(ranked.rank, bag.block, bag.case, here, first)
    for i in range(lo, hi):
        row = bag.case[i] >> SHIFT
        if bag.is_numeric:
            bag.own[0, first + i - lo] = bag.own[0, row] if is_local else ranked.target[row]
            bag.own[1, first + i - lo] = bag.own[1, row] if is_local else bag.weight[row]
        bag.case[i] = (cython.cast(cython.ulonglong, first + i - lo) << SHIFT) | (bag.case[i] & _PAYLOAD)


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
def _begin_digits(digit: cython.longlong[::1], first: cython.Py_ssize_t, n_digits: cython.Py_ssize_t) -> cython.void:
    """Turn the counts of digits into the places where the keys of each digit begin."""
    j: cython.Py_ssize_t
    begin: cython.longlong = 0
    count: cython.longlong
    for j in range(first, first + n_digits):
        count = digit[j]
        digit[j] = begin
        begin += count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort_by_digits(
    bag: Bag, n: cython.Py_ssize_t, lowest: cython.ulonglong, first_bit: cython.int, n_bits: cython.int
) -> cython.void:
    """Sort the first n keys, less the lowest, by `n_bits` bits from the first on, stably, in two passes."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    half: cython.int = (n_bits + 1) // 2
    n_digits: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, 1) << half
    below: cython.ulonglong = cython.cast(cython.ulonglong, n_digits - 1)
    rank: cython.ulonglong
    key: cython.ulonglong
    for j in range(2 * n_digits):
        bag.digit[j] = 0
    for i in range(n):
        rank = (bag.key[i] - lowest) >> first_bit
        bag.digit[rank & below] += 1
        bag.digit[n_digits + ((rank >> half) & below)] += 1
    _begin_digits(bag.digit, 0, n_digits)
    _begin_digits(bag.digit, n_digits, n_digits)
    for i in range(n):
        key = bag.key[i]
        j = cython.cast(cython.Py_ssize_t, ((key - lowest) >> first_bit) & below)
        bag.spare_key[bag.digit[j]] = key
        bag.digit[j] += 1
    for i in range(n):
        key = bag.spare_key[i]
        j = n_digits + cython.cast(cython.Py_ssize_t, ((key - lowest) >> (first_bit + half)) & below)
        bag.key[bag.digit[j]] = key
        bag.digit[j] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insert(bag: Bag, n: cython.Py_ssize_t) -> cython.bint:
    """Sort the first n keys, which are nearly in order, by rank; return False if that would take long."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    own: cython.ulonglong
    steps: cython.Py_ssize_t = 0
    for i in range(1, n):
        own = bag.key[i]
        if bag.key[i - 1] >> SHIFT <= own >> SHIFT:
            continue
        j = i
        while j > 0 and bag.key[j - 1] >> SHIFT > own >> SHIFT:
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
def _sort_many(bag: Bag, n: cython.Py_ssize_t, least: cython.ulonglong, spread: cython.ulonglong) -> cython.void:
    """Sort the first n keys by rank, stably; ranks begin at `least`, and the greatest is larger by `spread`."""
    n_bits: cython.int = _bits(spread)
    needed: cython.int = 2 * _bits(n) - 2
    dropped: cython.int = 0
    if needed > 2 * _MOST_DIGIT_BITS:
        needed = 2 * _MOST_DIGIT_BITS
    if n_bits > needed:
        dropped = n_bits - needed
        n_bits = needed
    _sort_by_digits(bag, n, least << SHIFT, SHIFT + dropped, n_bits)
    if dropped > 0 and not _insert(bag, n):
        # Ranks clump: sort by all bits, from the lowest.
        n_bits += dropped
        needed = 2 * _MOST_DIGIT_BITS
        _sort_by_digits(bag, n, least << SHIFT, SHIFT, n_bits if n_bits < needed else needed)
        if n_bits > needed:
            _sort_by_digits(bag, n, least << SHIFT, SHIFT + needed, n_bits - needed)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_keys(
    bag: Bag, n: cython.Py_ssize_t, least: cython.uint, most: cython.uint, has_few: cython.bint
) -> cython.void:
    """Sort n keys by rank into bag.key, stably; they stand in bag.spare_key if they are few, else in bag.key."""
    i: cython.Py_ssize_t
    rank: cython.uint
    if has_few:
        for i in range(n):
            rank = cython.cast(cython.uint, bag.spare_key[i] >> SHIFT) - least
            bag.small[i] = cython.cast(cython.int, (rank << _PLACE_BITS) | i)
        _sort_few(bag, n)
    else:
        _sort_many(bag, n, cython.cast(cython.ulonglong, least), most - least)  # 64 bits where not compiled


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _take_keys(
    rank_of: cython.uint[:, ::1],
    case_at: cython.ulonglong[::1],
    out: cython.ulonglong[::1],
    here: Here,
    bag: Bag,
    ranked: Ranked,
) -> cython.Py_ssize_t:
    """Fill `out` with the keys of the cases of a node that have a value, and set here.least and here.most.

    The arrays are arguments because the compiler keeps their addresses: nothing that is written can change them.
    """
    lo: cython.Py_ssize_t = here.lo
    a: cython.Py_ssize_t = here.attribute
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    case: cython.ulonglong
    rank: cython.uint
    missing: cython.uint = cython.cast(cython.uint, ranked.n_ranks[a])
    least: cython.uint = missing
    most: cython.uint = 0
    has_places: cython.bint = bag.is_numeric
    in_class: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << bag.class_bits) - 1
    for i in range(lo, here.hi):
        case = case_at[i]
        rank = rank_of[a, case >> SHIFT]
        case = cython.cast(cython.ulonglong, i - lo) if has_places else case & _PAYLOAD
        out[n] = (cython.cast(cython.ulonglong, rank) << SHIFT) | case
        if rank == missing:
            if not has_places:
                bag.known[case & in_class] -= cython.cast(cython.longlong, case >> bag.class_bits)
            continue
        n += 1
        least = rank if rank < least else least
        most = rank if rank > most else most
    here.least = least
    here.most = most
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_by_rank(here: Here, bag: Bag, ranked: Ranked) -> cython.Py_ssize_t:
    """Fill bag.key with the cases of a node that have a value of its attribute, sorted by it; return their number.

    A key is the rank, above the weight and class of the case or, for a numeric target, above its place in the node.
    Equal ranks keep their order. The weights of classes without a value are taken off bag.known. Returns 0 if all
    ranks are equal.
    """
    n: cython.Py_ssize_t
    has_few: cython.bint = here.hi - here.lo <= _FEW
    if here.is_local:
        if has_few:
            n = _take_keys(bag.block, bag.case, bag.spare_key, here, bag, ranked)
        else:
            n = _take_keys(bag.block, bag.case, bag.key, here, bag, ranked)
    elif has_few:
        n = _take_keys(ranked.rank, bag.case, bag.spare_key, here, bag, ranked)
    else:
        n = _take_keys(ranked.rank, bag.case, bag.key, here, bag, ranked)
    if n == 0 or here.least == here.most:
        return 0
    sort_keys(bag, n, here.least, here.most, has_few)
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def take_in_order(here: Here, bag: Bag, ranked: Ranked) -> cython.Py_ssize_t:
    """As sort_by_rank, for a node with many of all rows: bag.payload_of_row has its cases."""
    a: cython.Py_ssize_t = here.attribute
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    rank: cython.ulonglong = 0
    entry: cython.uint
    payload: cython.ulonglong
    slot: cython.Py_ssize_t = ranked.slot[a]
    for i in range(ranked.n_known[a]):
        entry = ranked.order[slot, i]
        rank += cython.cast(cython.ulonglong, entry & 1)
        payload = cython.cast(cython.ulonglong, bag.payload_of_row[entry >> 1])
        bag.key[n] = (rank << SHIFT) | payload
        n += payload != 0
    if n == 0 or bag.key[0] >> SHIFT == bag.key[n - 1] >> SHIFT:
        return 0
    return n


def sort(here: Here, bag: Bag, ranked: Ranked) -> int:
    """As sort_by_rank, for callers in Python."""
    n: cython.Py_ssize_t
    with cython.nogil:
        n = sort_by_rank(here, bag, ranked)
    return n
