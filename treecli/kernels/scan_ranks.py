"""The best cut of one attribute at one node, from its cases sorted by rank."""

import cython
from cython.cimports.libc.math import log2

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.args import Found, Plan
    from treecli.kernels.codes import BY_RATIO, ENTROPY, SHIFT
    from treecli.kernels.forest_args import Bag
    from treecli.kernels.impurity import xlog2

_PAYLOAD = cython.declare(cython.ulonglong, 0xFFFFFFFF)
INFINITY = cython.declare(cython.double, float("inf"))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _xlog2(n: cython.longlong, plan: Plan) -> cython.double:
    """Return n log2 n."""
    if n < plan.xlog2_of.shape[0]:
        return plan.xlog2_of[n]
    return n * log2(n)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _spread(counts: cython.longlong[::1], n_classes: cython.Py_ssize_t, plan: Plan) -> cython.double:
    """Return weight times impurity of class weights."""
    c: cython.Py_ssize_t
    weight: cython.longlong = 0
    terms: cython.double = 0.0
    for c in range(n_classes):
        weight += counts[c]
        if plan.impurity == ENTROPY:
            terms += _xlog2(counts[c], plan)
        else:
            terms += cython.cast(cython.double, counts[c]) * counts[c]
    if weight <= 0:
        return 0.0
    return _xlog2(weight, plan) - terms if plan.impurity == ENTROPY else weight - terms / weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_known(bag: Bag, n: cython.Py_ssize_t, n_classes: cython.Py_ssize_t) -> cython.void:
    """Set bag.known to the class weights of the first n keys."""
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    key: cython.ulonglong
    in_class: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << bag.class_bits) - 1
    for c in range(n_classes):
        bag.known[c] = 0
    for i in range(n):
        key = bag.key[i]
        bag.known[key & in_class] += cython.cast(cython.longlong, (key & _PAYLOAD) >> bag.class_bits)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _information(left: cython.double, known: cython.double, weight: cython.double) -> cython.double:
    """Return the split information of two branches, with missing values as a third part."""
    return (xlog2(weight) - xlog2(left) - xlog2(known - left) - xlog2(weight - known)) / weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_two(
    place: cython.Py_ssize_t, n: cython.Py_ssize_t, weight: cython.double, bag: Bag, found: Found, plan: Plan
) -> cython.void:
    """As scan_classes, for two classes and the Gini index.

    With l and r cases on both sides, and `apart` the cases of the second class on the left times all cases less all of
    the second class times l, the gain is 2 apart² / (l r) divided by the known weight and by the node's.
    """
    i: cython.Py_ssize_t
    key: cython.ulonglong
    next_key: cython.ulonglong = bag.key[0]
    w: cython.longlong
    second: cython.longlong = bag.known[1]
    known: cython.longlong = bag.known[0] + second
    left: cython.longlong = 0
    of_both: cython.longlong = 0
    of_class: cython.longlong[2]
    best_left: cython.longlong = 0
    scale: cython.double = 2.0 / (known * weight)
    nothing: cython.double = plan.tolerance / known
    gained: cython.double
    best: cython.double = -INFINITY if plan.zero_gain else 0.0
    slack: cython.double = plan.tolerance
    apart: cython.double
    bottom: cython.double
    best_top: cython.double = -1.0
    best_bottom: cython.double = 1.0
    least: cython.double = plan.min_leaf - slack
    lower: cython.ulonglong = 0
    upper: cython.ulonglong = 0
    if not cython.compiled:
        of_class = [0, 0]
    of_class[0] = -second
    of_class[1] = known - second
    for i in range(n - 1):
        key = next_key
        next_key = bag.key[i + 1]
        w = cython.cast(cython.longlong, (key & _PAYLOAD) >> 1)
        left += w
        of_both += w * of_class[key & 1]
        apart = cython.cast(cython.double, of_both)
        bottom = cython.cast(cython.double, left * (known - left))
        # One branch instead of two: where many values are equal, the processor cannot predict which are.
        if not (apart * apart * best_bottom > best_top * bottom) & ((key ^ next_key) >> SHIFT != 0):
            continue
        if left < least or known - left < least:
            continue
        gained = scale * apart * apart / bottom
        if gained < nothing:
            gained = 0.0
        if gained > best + slack:
            best = gained
            best_top = apart * apart
            best_bottom = bottom
            best_left = left
            lower = key >> SHIFT
            upper = next_key >> SHIFT
    bag.lower[place] = cython.cast(cython.int, lower)
    bag.upper[place] = cython.cast(cython.int, upper)
    bag.balance[place] = cython.cast(cython.double, known - 2 * best_left)
    found.gain[place] = -INFINITY
    found.split_info[place] = 0.0
    if best_left == 0 or (not plan.zero_gain and best < slack):
        return
    found.gain[place] = best
    if plan.rank == BY_RATIO:
        found.split_info[place] = _information(best_left, known, weight)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_gini(
    place: cython.Py_ssize_t, n: cython.Py_ssize_t, weight: cython.double, bag: Bag, found: Found, plan: Plan
) -> cython.void:
    """As scan_classes, for the Gini index: sums of squares are whole numbers, which doubles hold exactly.

    They are added as integers: where classes repeat, each sum waits for the one before it, and integers wait less.
    """
    n_classes: cython.Py_ssize_t = bag.known.shape[0]
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    key: cython.ulonglong
    next_key: cython.ulonglong = bag.key[0]
    class_bits: cython.int = bag.class_bits
    in_class: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << class_bits) - 1
    w: cython.longlong
    moved: cython.longlong
    n_known: cython.longlong = 0
    n_left: cython.longlong = 0
    sum_left: cython.longlong = 0
    sum_right: cython.longlong = 0
    known: cython.double
    left: cython.double
    right: cython.double
    best_left: cython.double = 0.0
    left_squares: cython.double
    right_squares: cython.double
    before: cython.double = _spread(bag.known, n_classes, plan)
    after: cython.double
    gained: cython.double
    best: cython.double = -INFINITY if plan.zero_gain else 0.0
    slack: cython.double = plan.tolerance
    top: cython.double
    bottom: cython.double
    best_top: cython.double = -1.0
    best_bottom: cython.double = 1.0
    least: cython.double = plan.min_leaf - slack
    lower: cython.ulonglong = 0
    upper: cython.ulonglong = 0
    for c in range(n_classes):
        w = bag.known[c]
        n_known += w
        sum_right += w * w
        bag.left[c] = 0
        bag.right[c] = 2 * w
    known = cython.cast(cython.double, n_known)
    for i in range(n - 1):
        key = next_key
        next_key = bag.key[i + 1]
        w = cython.cast(cython.longlong, (key & _PAYLOAD) >> class_bits)
        n_left += w
        c = cython.cast(cython.Py_ssize_t, key & in_class)
        # (l + w)² = l² + w (2 l + w), and r² + w (2 l + w) - 2 w (l + r) on the other side
        moved = 2 * bag.left[c] + w
        bag.left[c] += w
        sum_left += w * moved
        sum_right += w * (moved - bag.right[c])
        left = cython.cast(cython.double, n_left)
        right = cython.cast(cython.double, n_known - n_left)
        left_squares = cython.cast(cython.double, sum_left)
        right_squares = cython.cast(cython.double, sum_right)
        top = left_squares * right + right_squares * left
        bottom = left * right
        # One branch instead of two, as in _scan_two.
        if (not top * best_bottom > best_top * bottom) | ((key ^ next_key) >> SHIFT == 0):
            continue
        if left < least or right < least:
            continue
        after = left - left_squares / left
        after += right - right_squares / right
        gained = (before - after) / weight
        if gained * known < slack and gained * known > -slack:
            gained = 0.0
        if gained > best + slack:
            best = gained
            best_top = top
            best_bottom = bottom
            best_left = left
            lower = key >> SHIFT
            upper = next_key >> SHIFT
    bag.lower[place] = cython.cast(cython.int, lower)
    bag.upper[place] = cython.cast(cython.int, upper)
    bag.balance[place] = known - 2.0 * best_left
    found.gain[place] = -INFINITY
    found.split_info[place] = 0.0
    if best_left == 0.0 or (not plan.zero_gain and best < slack):
        return
    found.gain[place] = best
    if plan.rank == BY_RATIO:
        found.split_info[place] = _information(best_left, known, weight)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_classes(
    place: cython.Py_ssize_t, n: cython.Py_ssize_t, weight: cython.double, bag: Bag, found: Found, plan: Plan
) -> cython.void:
    """Set entry `place` of `found` and of bag.lower to the best cut of the first n keys of a node of this weight.

    bag.known has the class weights of the keys. The rules are those of score_sums.best_cut. A cut is scored in full
    only if a cheaper comparison does not exclude that it is better than the best so far.
    """
    n_classes: cython.Py_ssize_t = bag.known.shape[0]
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    key: cython.ulonglong
    next_key: cython.ulonglong = bag.key[0]
    class_bits: cython.int = bag.class_bits
    in_class: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << class_bits) - 1
    w: cython.longlong
    known: cython.longlong = 0
    left: cython.longlong = 0
    right: cython.longlong
    best_left: cython.longlong = 0
    left_terms: cython.double = 0.0
    right_terms: cython.double = 0.0
    before: cython.double
    after: cython.double
    gained: cython.double
    best: cython.double = -INFINITY if plan.zero_gain else 0.0
    top: cython.double
    best_top: cython.double = -1.0
    least: cython.double = plan.min_leaf - plan.tolerance
    if plan.impurity != ENTROPY:
        if n_classes == 2:
            _scan_two(place, n, weight, bag, found, plan)
        else:
            _scan_gini(place, n, weight, bag, found, plan)
        return
    for c in range(n_classes):
        known += bag.known[c]
        bag.left[c] = 0
        bag.right[c] = bag.known[c]
        right_terms += _xlog2(bag.known[c], plan)
    before = _spread(bag.known, n_classes, plan)
    for i in range(n - 1):
        key = next_key
        next_key = bag.key[i + 1]
        w = cython.cast(cython.longlong, (key & _PAYLOAD) >> class_bits)
        left += w
        c = cython.cast(cython.Py_ssize_t, key & in_class)
        left_terms -= _xlog2(bag.left[c], plan)
        right_terms -= _xlog2(bag.right[c], plan)
        bag.left[c] += w
        bag.right[c] -= w
        left_terms += _xlog2(bag.left[c], plan)
        right_terms += _xlog2(bag.right[c], plan)
        if (key ^ next_key) >> SHIFT == 0:
            continue
        right = known - left
        # Less the same number for all cuts, so that larger is better; rounding errors are far below the slack.
        top = left_terms + right_terms - _xlog2(left, plan) - _xlog2(right, plan)
        if not (top > best_top or best_left == 0):
            continue
        if left < least or right < least:
            continue
        after = _spread(bag.left, n_classes, plan) + _spread(bag.right, n_classes, plan)
        gained = (before - after) / weight
        if gained * known < plan.tolerance and gained * known > -plan.tolerance:
            gained = 0.0
        if gained > best + plan.tolerance:
            best = gained
            best_top = top
            best_left = left
            bag.lower[place] = cython.cast(cython.int, key >> SHIFT)
            bag.upper[place] = cython.cast(cython.int, next_key >> SHIFT)
    bag.balance[place] = cython.cast(cython.double, known - 2 * best_left)
    found.gain[place] = -INFINITY
    found.split_info[place] = 0.0
    if best_left == 0 or (not plan.zero_gain and best < plan.tolerance):
        return
    found.gain[place] = best
    if plan.rank == BY_RATIO:
        found.split_info[place] = _information(best_left, known, weight)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_numbers(
    place: cython.Py_ssize_t, n: cython.Py_ssize_t, weight: cython.double, bag: Bag, found: Found, plan: Plan
) -> cython.void:
    """As scan_classes, for a numeric target: bag.moment has the differences of the cases and their weights."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    key: cython.ulonglong
    next_key: cython.ulonglong = bag.key[0]
    w: cython.double
    left: cython.double = 0.0
    left_sum: cython.double = 0.0
    right: cython.double = 0.0
    right_sum: cython.double = 0.0
    known: cython.double = 0.0
    added: cython.double = 0.0
    squares: cython.double = 0.0
    before: cython.double
    gained: cython.double
    slack: cython.double
    best: cython.double = -INFINITY if plan.zero_gain else 0.0
    best_left: cython.double = 0.0
    top: cython.double
    bottom: cython.double
    best_top: cython.double = -1.0
    best_bottom: cython.double = 1.0
    least: cython.double = plan.min_leaf - plan.tolerance
    for i in range(n):
        k = cython.cast(cython.Py_ssize_t, bag.key[i] & _PAYLOAD)
        w = bag.moment[1, k]
        known += w
        added += w * bag.moment[0, k]
        squares += w * bag.moment[0, k] * bag.moment[0, k]
    before = squares - added * added / known
    if before < 0.0:
        before = 0.0
    slack = plan.tolerance * before / weight
    right = known
    right_sum = added
    for i in range(n - 1):
        key = next_key
        next_key = bag.key[i + 1]
        k = cython.cast(cython.Py_ssize_t, key & _PAYLOAD)
        w = bag.moment[1, k]
        left += w
        left_sum += w * bag.moment[0, k]
        if (key ^ next_key) >> SHIFT == 0:
            continue
        right = known - left
        right_sum = added - left_sum
        top = left_sum * left_sum * right + right_sum * right_sum * left
        bottom = left * right
        if not top * best_bottom > best_top * bottom:
            continue
        if left <= 0.0 or right <= 0.0 or left < least or right < least:
            continue
        gained = (top / bottom - added * added / known) / weight
        if gained > best + slack:
            best = gained
            best_top = top
            best_bottom = bottom
            best_left = left
            bag.lower[place] = cython.cast(cython.int, key >> SHIFT)
            bag.upper[place] = cython.cast(cython.int, next_key >> SHIFT)
    bag.balance[place] = known - 2.0 * best_left
    found.gain[place] = -INFINITY
    found.split_info[place] = 0.0
    if best_left == 0.0 or (not plan.zero_gain and best < plan.tolerance):
        return
    found.gain[place] = best
    if plan.rank == BY_RATIO:
        found.split_info[place] = _information(best_left, known, weight)
