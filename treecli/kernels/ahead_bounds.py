"""Lower bounds of what the best split of one side of a threshold leaves, from counts of blocks of cases.

The spread, weight times impurity, does not fall when cases are added. A block of cases that follow each other in the
order of an attribute need not be cut where the spread of the cases before and after it is already too much.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.ahead_args import Ahead
    from treecli.kernels.ahead_blocks import count_side, weigh_all_runs, weigh_runs
    from treecli.kernels.ahead_runs import least_of_runs
    from treecli.kernels.ahead_sides import next_attribute, set_best, take_side
    from treecli.kernels.args import Cases, Plan
    from treecli.kernels.codes import ENTROPY, GINI, VARIANCE
    from treecli.kernels.impurity import xlog2

    LEFT, RIGHT = range(2)
    # The entry of Ahead.progress.
    STEPS = 0
    # The rows of Ahead.sums: cases of one side before and after a cut, all of them, and before a block or some cases.
    BEFORE, AFTER, ALL, BLOCK, CHUNK = range(5)
    CHUNK_SIZE = 8
    MOST_PRESENT = 3

SUMS = 5
"""The rows of Ahead.sums."""

INFINITY = cython.declare(cython.double, float("inf"))
_FEW = cython.declare(cython.Py_ssize_t, 4)
_MANY = cython.declare(cython.double, 0.9)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _xlog2(x: cython.double, plan: Plan) -> cython.double:
    """Like impurity.xlog2; values for integers are looked up in plan.xlog2_of."""
    whole: cython.Py_ssize_t
    if x < plan.xlog2_of.shape[0] and x >= 0.0:
        whole = cython.cast(cython.Py_ssize_t, x)
        if whole == x:
            return plan.xlog2_of[whole]
    return xlog2(x)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _spread_of(ahead: Ahead, row: cython.Py_ssize_t, plan: Plan) -> cython.double:
    """Return the spread of a row of ahead.sums: like impurity.spread, with looked-up logarithms."""
    c: cython.Py_ssize_t
    weight: cython.double = 0.0
    inner: cython.double = 0.0
    if ahead.is_looked_up:
        for c in range(ahead.sums.shape[1]):
            weight += ahead.sums[row, c]
            inner += plan.xlog2_of[cython.cast(cython.Py_ssize_t, ahead.sums[row, c])]
        return plan.xlog2_of[cython.cast(cython.Py_ssize_t, weight)] - inner
    if plan.impurity == ENTROPY:
        for c in range(ahead.sums.shape[1]):
            weight += ahead.sums[row, c]
            inner += _xlog2(ahead.sums[row, c], plan)
        return _xlog2(weight, plan) - inner if weight > 0.0 else 0.0
    if plan.impurity == GINI:
        for c in range(ahead.sums.shape[1]):
            weight += ahead.sums[row, c]
            inner += ahead.sums[row, c] * ahead.sums[row, c]
        return weight - inner / weight if weight > 0.0 else 0.0
    if plan.impurity == VARIANCE:
        if ahead.sums[row, 0] <= 0.0:
            return 0.0
        inner = ahead.sums[row, 2] - ahead.sums[row, 1] * ahead.sums[row, 1] / ahead.sums[row, 0]
        return inner if inner > 0.0 else 0.0
    for c in range(ahead.sums.shape[1]):
        weight += ahead.sums[row, c]
        if ahead.sums[row, c] > inner:
            inner = ahead.sums[row, c]
    return weight - inner


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(
    ahead: Ahead, row: cython.Py_ssize_t, k: cython.Py_ssize_t, center: cython.double, cases: Cases, plan: Plan
) -> cython.void:
    """Add a case to a row of ahead.sums."""
    w: cython.double = cases.weight[k]
    y: cython.double
    if plan.is_numeric:
        y = cases.target[k] - center
        ahead.sums[row, 0] += w
        ahead.sums[row, 1] += w * y
        ahead.sums[row, 2] += w * y * y
    else:
        ahead.sums[row, cases.label[k]] += w


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _copy_sums(ahead: Ahead, source: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.void:
    c: cython.Py_ssize_t
    for c in range(ahead.sums.shape[1]):
        ahead.sums[row, c] = ahead.sums[source, c]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _set_rest(ahead: Ahead) -> cython.void:
    """Set the cases after the cut to those that are not before it."""
    c: cython.Py_ssize_t
    for c in range(ahead.sums.shape[1]):
        ahead.sums[AFTER, c] = ahead.sums[ALL, c] - ahead.sums[BEFORE, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cut_block(
    ahead: Ahead, cases: Cases, attribute: cython.Py_ssize_t, b: cython.Py_ssize_t, plan: Plan
) -> cython.double:
    """Return the spread that the best cut of a side within block b leaves; if it is not below ahead.least, a bound.

    Row BLOCK of ahead.sums has the cases of the side before the block. Again a few cases at a time are passed before
    single cuts are scored.
    """
    node: cython.Py_ssize_t = ahead.node
    threshold: cython.Py_ssize_t = ahead.threshold
    is_left: cython.bint = ahead.branch == LEFT
    place: cython.Py_ssize_t = cases.start[node] + node + b
    begin: cython.Py_ssize_t = ahead.blocks.begin[attribute, place]
    before: cython.double = ahead.below[b - 1] if b > 0 else 0.0
    least: cython.double = ahead.least
    i: cython.Py_ssize_t = begin
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n: cython.Py_ssize_t
    center: cython.double = cases.center[node]
    left: cython.double
    after: cython.double
    found: cython.double = INFINITY
    end = ahead.blocks.begin[attribute, place + 1]
    ahead.progress[STEPS] += end - begin
    _copy_sums(ahead, BLOCK, BEFORE)
    while i < end:
        _copy_sums(ahead, BEFORE, CHUNK)
        j = i
        n = 0
        while j < end and (
            n < CHUNK_SIZE or not ahead.blocks.value[attribute, j - 1] < ahead.blocks.value[attribute, j]
        ):
            k = ahead.blocks.case[attribute, j]
            if (ahead.first_left[k] <= threshold) == is_left:
                _add(ahead, BEFORE, k, center, cases, plan)
                n += 1
            j += 1
        if n == 0:
            break
        _set_rest(ahead)
        after = _spread_of(ahead, AFTER, plan)
        left = _spread_of(ahead, BEFORE, plan)
        if left + after < found:
            found = left + after
        if found < least:
            least = found
        if before + after >= least:
            if before + after < found:
                found = before + after
        elif n > 1:
            _copy_sums(ahead, CHUNK, BEFORE)
            n = 0
            while i < j - 1:
                k = ahead.blocks.case[attribute, i]
                if (ahead.first_left[k] <= threshold) == is_left:
                    _add(ahead, BEFORE, k, center, cases, plan)
                    n = 1
                i += 1
                if n > 0 and ahead.blocks.value[attribute, i - 1] < ahead.blocks.value[attribute, i]:
                    n = 0
                    _set_rest(ahead)
                    after = _spread_of(ahead, BEFORE, plan) + _spread_of(ahead, AFTER, plan)
                    if after < found:
                        found = after
                        if found < least:
                            least = found
            k = ahead.blocks.case[attribute, i]
            if (ahead.first_left[k] <= threshold) == is_left:
                _add(ahead, BEFORE, k, center, cases, plan)
        before = left
        i = j
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_inside(ahead: Ahead, b: cython.Py_ssize_t, enough: cython.double, plan: Plan) -> cython.double:
    """Return a lower bound of what a cut of a side within block b leaves, from the classes of the block.

    The spread of both branches is concave in the class weights of one of them. So it is least where each class of the
    block is in one branch, as in a block that the cut divides without error. Row BLOCK of ahead.sums has the cases
    before the block. A bound that is below `enough` need not be the best one.
    """
    c: cython.Py_ssize_t
    chosen: cython.int
    bit: cython.int
    n_present: cython.int = 0
    left: cython.double
    least: cython.double = INFINITY
    # Local: otherwise the views are loaded again after each sum.
    sums: cython.double[:, ::1] = ahead.sums
    count: cython.double[:, ::1] = ahead.count
    n_classes: cython.Py_ssize_t = sums.shape[1]
    for c in range(n_classes):
        n_present += count[b, c] > 0.0
    if n_present > MOST_PRESENT:
        return 0.0
    # All classes in the same branch: these are the ends of the block.
    for chosen in range(1, (1 << n_present) - 1):
        bit = 1
        for c in range(n_classes):
            sums[BEFORE, c] = sums[BLOCK, c]
            if count[b, c] > 0.0:
                if chosen & bit:
                    sums[BEFORE, c] += count[b, c]
                bit <<= 1
            sums[AFTER, c] = sums[ALL, c] - sums[BEFORE, c]
        left = _spread_of(ahead, BEFORE, plan) + _spread_of(ahead, AFTER, plan)
        if left < least:
            least = left
            if least < enough:
                return least
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bound_blocks(ahead: Ahead, n_blocks: cython.Py_ssize_t, least: cython.double, plan: Plan) -> cython.Py_ssize_t:
    """Set `inside` to lower bounds of what cuts within blocks of a side leave; return how many are below `least`."""
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    before: cython.double
    for c in range(ahead.sums.shape[1]):
        ahead.sums[BLOCK, c] = 0.0
    for b in range(n_blocks):
        ahead.inside[b] = (ahead.below[b - 1] if b > 0 else 0.0) + ahead.above[b]
        if ahead.inside[b] < least and not plan.is_numeric:
            before = _least_inside(ahead, b, least, plan)
            if before > ahead.inside[b]:
                ahead.inside[b] = before
        n += ahead.inside[b] < least
        for c in range(ahead.sums.shape[1]):
            ahead.sums[BLOCK, c] += ahead.count[b, c]
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _after(ahead: Ahead, cases: Cases, attribute: cython.Py_ssize_t, least: cython.double, plan: Plan) -> cython.double:
    """Return the spread that the best split of a side on an attribute leaves; if it is not below `least`, a bound.

    Splits have no limits, and labels have a branch each, which leaves no more than any grouping of them.
    """
    node: cython.Py_ssize_t = ahead.node
    n_outcomes: cython.Py_ssize_t = ahead.sums.shape[1]
    n_blocks: cython.Py_ssize_t
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_cut: cython.Py_ssize_t
    before: cython.double
    found: cython.double = INFINITY
    if ahead.blocks.in_runs[attribute, node]:
        n_blocks = weigh_runs(ahead, cases, attribute)
        return least_of_runs(ahead, cases.start[node] + node, attribute, n_blocks, plan)
    n_blocks = count_side(ahead, cases, attribute, plan)
    for c in range(n_outcomes):
        ahead.sums[BEFORE, c] = 0.0
    if ahead.columns.n_labels[attribute] >= 0:
        found = 0.0
        for b in range(n_blocks):
            for c in range(n_outcomes):
                ahead.sums[BEFORE, c] = ahead.count[b, c]
            found += _spread_of(ahead, BEFORE, plan)
        return found
    for b in range(n_blocks):
        for c in range(n_outcomes):
            ahead.sums[BEFORE, c] += ahead.count[b, c]
        _set_rest(ahead)
        ahead.below[b] = _spread_of(ahead, BEFORE, plan)
        ahead.above[b] = _spread_of(ahead, AFTER, plan) if b + 1 < n_blocks else 0.0
        if ahead.below[b] + ahead.above[b] < found:
            found = ahead.below[b] + ahead.above[b]
    if found < least:
        least = found
    n_cut = _bound_blocks(ahead, n_blocks, least, plan)
    if n_cut > _MANY * n_blocks and n_blocks > _FEW:
        # Blocks do not help, as in noise: pass all cases at once.
        if not plan.is_numeric:
            n_blocks = weigh_all_runs(ahead, cases, attribute)
            return least_of_runs(ahead, cases.start[node] + node, attribute, n_blocks, plan)
        if not ahead.is_taken:
            take_side(ahead, cases, plan)
        return set_best(ahead, cases, attribute, ahead.free)
    for c in range(n_outcomes):
        ahead.sums[BLOCK, c] = 0.0
    for b in range(n_blocks):
        if ahead.inside[b] >= least:
            if ahead.inside[b] < found:
                found = ahead.inside[b]
        else:
            ahead.least = least
            before = _cut_block(ahead, cases, attribute, b, plan)
            if before < found:
                found = before
                if found < least:
                    least = found
        for c in range(n_outcomes):
            ahead.sums[BLOCK, c] += ahead.count[b, c]
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def least_left(ahead: Ahead, cases: Cases, row: cython.Py_ssize_t, enough: cython.double, plan: Plan) -> cython.double:
    """Return the spread that the best split of a side leaves, or a lower bound that is above `enough`.

    Attributes are tried in the order of their bounds in a row of ahead.bound, which are raised to what they leave.
    """
    a: cython.Py_ssize_t
    c: cython.Py_ssize_t
    best: cython.Py_ssize_t
    left: cython.double
    least: cython.double
    n_attributes: cython.Py_ssize_t = ahead.is_done.shape[0]
    count_side(ahead, cases, n_attributes, plan)
    ahead.weight = 0.0
    for c in range(ahead.sums.shape[1]):
        ahead.sums[ALL, c] = ahead.count[0, c]
        ahead.weight += ahead.count[0, c]
    if plan.is_numeric:
        ahead.weight = ahead.count[0, 0]
    ahead.spread = _spread_of(ahead, ALL, plan)
    ahead.is_taken = False
    least = ahead.spread
    for a in range(n_attributes):
        ahead.is_done[a] = 0
    while True:
        best = next_attribute(ahead, row)
        if best < 0 or ahead.bound[row, best] >= least:
            return least
        if ahead.bound[row, best] > enough:
            return ahead.bound[row, best]
        ahead.is_done[best] = 1
        left = _after(ahead, cases, best, least, plan)
        if left > ahead.bound[row, best]:
            ahead.bound[row, best] = left
        if left < least:
            least = left
