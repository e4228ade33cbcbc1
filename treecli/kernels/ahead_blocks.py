"""The cases of a node in blocks, by the order of each attribute, and the outcomes of one side of a threshold in them.

Where the class seldom changes in the order of an attribute, its blocks are runs of cases of one class: no cut within
a run is better than both at its ends (Fayyad and Irani 1992). Otherwise they have about as many cases as there are
blocks.
"""

import cython

if not cython.compiled:  # compiled modules cimport these in the .pxd file
    from treecli.kernels.ahead_args import Ahead, Blocks
    from treecli.kernels.args import Cases, Plan
    from treecli.kernels.mixed_args import Columns

    LEFT, RIGHT = range(2)
    # The entry of Ahead.progress.
    STEPS = 0
    RUN_ENDS, RUN_ALONE, RUN_CODES = 1, 2, 4

_MOST_RUNS = cython.declare(cython.Py_ssize_t, 8)
"""There may be this many times more runs than blocks of equal size."""

_ROWS_BY_THRESHOLD = cython.declare(cython.Py_ssize_t, 4)

_CASES_BY_ROW = cython.declare(cython.Py_ssize_t, 3)
"""This times the root of a node's cases is passed between two rows: copying more rows takes longer than that."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _divide_into_runs(
    blocks: Blocks,
    cases: Cases,
    node: cython.Py_ssize_t,
    a: cython.Py_ssize_t,
    last_run: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Divide the cases of a node into runs by the order of an attribute; return how many.

    `last_run` is room for a number by class, each negative.
    """
    first: cython.Py_ssize_t = cases.start[node]
    last: cython.Py_ssize_t = cases.start[node + 1]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t = first
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    label: cython.int
    is_alone: cython.bint
    before: cython.int = -1
    while j < last:
        i = j
        label = cases.label[blocks.case[a, i]]
        is_alone = True
        j += 1
        while j < last and not blocks.value[a, j - 1] < blocks.value[a, j]:
            is_alone = is_alone and cases.label[blocks.case[a, j]] == label
            j += 1
        if is_alone:
            if label != before:
                blocks.run[a, first + node + n] = RUN_CODES * label + RUN_ALONE + RUN_ENDS
                n += 1
            for k in range(i, j):
                blocks.run_of[a, blocks.case[a, k]] = cython.cast(cython.int, n - 1)
            before = label
            continue
        begin = n
        for k in range(i, j):
            label = cases.label[blocks.case[a, k]]
            if last_run[label] < begin:
                last_run[label] = n
                blocks.run[a, first + node + n] = RUN_CODES * label
                n += 1
            blocks.run_of[a, blocks.case[a, k]] = cython.cast(cython.int, last_run[label])
        blocks.run[a, first + node + n - 1] += RUN_ENDS
        before = -1
    return n


def divide(blocks: Blocks, cases: Cases, columns: Columns, last_run: cython.longlong[::1], plan: Plan) -> None:
    """Divide the cases of each node into blocks; `last_run` is room for a number by class."""
    node: cython.Py_ssize_t
    a: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    size: cython.Py_ssize_t
    n: cython.Py_ssize_t
    n_all: cython.Py_ssize_t
    n_outcomes: cython.Py_ssize_t = last_run.shape[0]
    blocks.most = 0
    with cython.nogil:
        for node in range(cases.start.shape[0] - 1):
            first = cases.start[node]
            last = cases.start[node + 1]
            size = 1
            while size * size < last - first:
                size += 1
            n_all = n_outcomes
            for a in range(blocks.n_blocks.shape[0]):
                n = 0
                blocks.in_runs[a, node] = 0
                if columns.n_labels[a] >= 0:
                    for k in range(first, last):
                        i = columns.labels.code_of_row[columns.slot[a] + columns.labels.step * cases.row[k]]
                        if columns.labels.entry[i] < 0:
                            columns.labels.entry[i] = n
                            n += 1
                        blocks.block_of[a, k] = cython.cast(cython.int, columns.labels.entry[i])
                    for k in range(first, last):
                        i = columns.labels.code_of_row[columns.slot[a] + columns.labels.step * cases.row[k]]
                        columns.labels.entry[i] = -1
                    n_all += n * n_outcomes
                else:
                    if not plan.is_numeric:
                        for i in range(n_outcomes):
                            last_run[i] = -1
                        n = _divide_into_runs(blocks, cases, node, a, last_run)
                        blocks.n_runs[a, node] = cython.cast(cython.int, n)
                        blocks.in_runs[a, node] = n <= _MOST_RUNS * size
                    if blocks.in_runs[a, node]:
                        n_all += n
                    else:
                        n = _divide_equally(blocks, cases, node, a, size)
                        n_all += n * n_outcomes
                blocks.n_blocks[a, node] = cython.cast(cython.int, n)
            if n_all > blocks.most:
                blocks.most = n_all


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _divide_equally(
    blocks: Blocks, cases: Cases, node: cython.Py_ssize_t, a: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Divide the cases of a node into blocks of at least `size` by the order of an attribute; return how many."""
    first: cython.Py_ssize_t = cases.start[node]
    last: cython.Py_ssize_t = cases.start[node + 1]
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    blocks.begin[a, first + node] = cython.cast(cython.int, first)
    for i in range(first, last):
        blocks.block_of[a, blocks.case[a, i]] = cython.cast(cython.int, n)
        if i + 1 == last or (
            i + 1 - blocks.begin[a, first + node + n] >= size and blocks.value[a, i] < blocks.value[a, i + 1]
        ):
            n += 1
            blocks.begin[a, first + node + n] = cython.cast(cython.int, i + 1)
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_cases(
    ahead: Ahead, cases: Cases, a: cython.Py_ssize_t, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, plan: Plan
) -> cython.void:
    """Add cases, in the order of the thresholds' attribute, to the blocks of an attribute in the last row of `counted`.

    The attribute after the last one is a single block of all cases.
    """
    n_attributes: cython.Py_ssize_t = ahead.is_done.shape[0]
    n_outcomes: cython.Py_ssize_t = ahead.sums.shape[1]
    every: cython.Py_ssize_t = ahead.counted.shape[0] - 1
    place: cython.Py_ssize_t = ahead.counted_begin[a]
    own: cython.Py_ssize_t = ahead.attribute
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    w: cython.double
    y: cython.double
    counted: cython.double[:, ::1] = ahead.counted
    run_of: cython.int[:, ::1] = ahead.blocks.run_of
    block_of: cython.int[:, ::1] = ahead.blocks.block_of
    case_at: cython.int[:, ::1] = ahead.blocks.case
    label: cython.int[::1] = cases.label
    weight: cython.double[::1] = cases.weight
    if a < n_attributes and ahead.blocks.in_runs[a, ahead.node]:
        for i in range(begin, end):
            k = case_at[own, i]
            counted[every, place + run_of[a, k]] += weight[k]
        return
    for i in range(begin, end):
        k = case_at[own, i]
        b = place
        if a < n_attributes:
            b += block_of[a, k] * n_outcomes
        w = weight[k]
        if plan.is_numeric:
            y = cases.target[k] - cases.center[ahead.node]
            counted[every, b] += w
            counted[every, b + 1] += w * y
            counted[every, b + 2] += w * y * y
        else:
            counted[every, b + label[k]] += w


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_blocks(ahead: Ahead, cases: Cases, node: cython.Py_ssize_t, plan: Plan) -> cython.void:
    """Fill `counted` for a node; the fewer its thresholds, the fewer rows."""
    n_attributes: cython.Py_ssize_t = ahead.is_done.shape[0]
    n_outcomes: cython.Py_ssize_t = ahead.sums.shape[1]
    begin: cython.Py_ssize_t = cases.start[node]
    size: cython.Py_ssize_t = cases.start[node + 1] - begin
    every: cython.Py_ssize_t = ahead.counted.shape[0] - 1
    most_rows: cython.Py_ssize_t = _ROWS_BY_THRESHOLD * (ahead.start[node + 1] - ahead.start[node])
    n_rows: cython.Py_ssize_t = 1
    n: cython.Py_ssize_t = 0
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    end: cython.Py_ssize_t
    kept: cython.Py_ssize_t
    counted: cython.double[:, ::1] = ahead.counted
    while n_rows < every and n_rows < most_rows and _CASES_BY_ROW * n_rows * _CASES_BY_ROW * n_rows < size:
        n_rows += 1
    ahead.counted_step = (size + n_rows - 1) // n_rows
    n_rows = (size + ahead.counted_step - 1) // ahead.counted_step
    for a in range(n_attributes):
        ahead.counted_begin[a] = n
        n += ahead.blocks.n_blocks[a, node] * (1 if ahead.blocks.in_runs[a, node] else n_outcomes)
    ahead.counted_begin[n_attributes] = n
    n += n_outcomes
    for a in range(n_attributes + 1):
        end = n if a == n_attributes else ahead.counted_begin[a + 1]
        for b in range(ahead.counted_begin[a], end):
            counted[every, b] = 0.0
        for kept in range(n_rows):
            for b in range(ahead.counted_begin[a], end):
                counted[kept, b] = counted[every, b]
            _count_cases(
                ahead,
                cases,
                a,
                begin + kept * ahead.counted_step,
                begin + min((kept + 1) * ahead.counted_step, size),
                plan,
            )
    ahead.progress[STEPS] += size * n_attributes


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _counted_row(ahead: Ahead, cases: Cases) -> cython.Py_ssize_t:
    """Return the row of `counted` with the most cases that are not above the threshold."""
    if ahead.n_left[ahead.threshold] == cases.start[ahead.node + 1] - cases.start[ahead.node]:
        return ahead.counted.shape[0] - 1
    return ahead.n_left[ahead.threshold] // ahead.counted_step


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_side(ahead: Ahead, cases: Cases, attribute: cython.Py_ssize_t, plan: Plan) -> cython.Py_ssize_t:
    """Set `count` to the outcomes of a side in the blocks of an attribute; return how many these are.

    The attribute after the last one is a single block of all cases.
    """
    n_attributes: cython.Py_ssize_t = ahead.is_done.shape[0]
    n_outcomes: cython.Py_ssize_t = ahead.sums.shape[1]
    n_blocks: cython.Py_ssize_t = 1
    every: cython.Py_ssize_t = ahead.counted.shape[0] - 1
    node: cython.Py_ssize_t = ahead.node
    n_left: cython.Py_ssize_t = ahead.n_left[ahead.threshold]
    row: cython.Py_ssize_t = _counted_row(ahead, cases)
    begin: cython.Py_ssize_t = cases.start[node]
    place: cython.Py_ssize_t = ahead.counted_begin[attribute]
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    y: cython.double
    if attribute < n_attributes:
        n_blocks = ahead.blocks.n_blocks[attribute, node]
    for b in range(n_blocks):
        for c in range(n_outcomes):
            ahead.count[b, c] = ahead.counted[row, place + b * n_outcomes + c]
    if row < every:
        for i in range(begin + row * ahead.counted_step, begin + n_left):
            k = ahead.blocks.case[ahead.attribute, i]
            b = ahead.blocks.block_of[attribute, k] if attribute < n_attributes else 0
            if plan.is_numeric:
                y = cases.target[k] - cases.center[node]
                ahead.count[b, 0] += cases.weight[k]
                ahead.count[b, 1] += cases.weight[k] * y
                ahead.count[b, 2] += cases.weight[k] * y * y
            else:
                ahead.count[b, cases.label[k]] += cases.weight[k]
        ahead.progress[STEPS] += n_left - row * ahead.counted_step
    if ahead.branch == RIGHT:
        for b in range(n_blocks):
            for c in range(n_outcomes):
                ahead.count[b, c] = ahead.counted[every, place + b * n_outcomes + c] - ahead.count[b, c]
    ahead.progress[STEPS] += n_blocks
    return n_blocks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weigh_runs(ahead: Ahead, cases: Cases, attribute: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Set `run_weight` to the weights of a side in the runs of an attribute; return how many."""
    node: cython.Py_ssize_t = ahead.node
    n_runs: cython.Py_ssize_t = ahead.blocks.n_runs[attribute, node]
    every: cython.Py_ssize_t = ahead.counted.shape[0] - 1
    n_left: cython.Py_ssize_t = ahead.n_left[ahead.threshold]
    row: cython.Py_ssize_t = _counted_row(ahead, cases)
    begin: cython.Py_ssize_t = cases.start[node]
    place: cython.Py_ssize_t = ahead.counted_begin[attribute]
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    counted: cython.double[:, ::1] = ahead.counted
    weight: cython.double[::1] = ahead.run_weight
    case_at: cython.int[:, ::1] = ahead.blocks.case
    run_of: cython.int[:, ::1] = ahead.blocks.run_of
    weight_of: cython.double[::1] = cases.weight
    own: cython.Py_ssize_t = ahead.attribute
    for r in range(n_runs):
        weight[r] = counted[row, place + r]
    if row < every:
        for i in range(begin + row * ahead.counted_step, begin + n_left):
            k = case_at[own, i]
            weight[run_of[attribute, k]] += weight_of[k]
        ahead.progress[STEPS] += n_left - row * ahead.counted_step
    if ahead.branch == RIGHT:
        for r in range(n_runs):
            weight[r] = counted[every, place + r] - weight[r]
    ahead.progress[STEPS] += n_runs
    return n_runs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def weigh_all_runs(ahead: Ahead, cases: Cases, attribute: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Like weigh_runs, for attributes whose blocks are not runs, and without `counted`."""
    node: cython.Py_ssize_t = ahead.node
    threshold: cython.Py_ssize_t = ahead.threshold
    is_left: cython.bint = ahead.branch == LEFT
    n_runs: cython.Py_ssize_t = ahead.blocks.n_runs[attribute, node]
    r: cython.Py_ssize_t
    k: cython.Py_ssize_t
    weight: cython.double[::1] = ahead.run_weight
    weight_of: cython.double[::1] = cases.weight
    first_left: cython.int[::1] = ahead.first_left
    run_of: cython.int[:, ::1] = ahead.blocks.run_of
    for r in range(n_runs):
        weight[r] = 0.0
    for k in range(cases.start[node], cases.start[node + 1]):
        # Without a branch: which side a case takes cannot be predicted.
        weight[run_of[attribute, k]] += weight_of[k] * ((first_left[k] <= threshold) == is_left)
    ahead.progress[STEPS] += cases.start[node + 1] - cases.start[node]
    return n_runs
