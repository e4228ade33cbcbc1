"""A coarse tree (BOAT; Gehrke, Ganti, Ramakrishnan and Loh 1999): at each node an attribute that is expected to split
it, with the values whose branch is certain; rows with other values are held.

    coarse = coarse_tree(trees, data, limits)
    coarse.cells(n, column)              # by row: its cell, or HELD
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli.kernels import count_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset
    from treecli.grow.candidates import Codes, Floats, Indices
    from treecli.grow.coded import CodedColumn, CodedData
    from treecli.splits import Split
    from treecli.tree import Tree

HELD = -1
"""The branch of values that may go down several branches, and the cell of rows that have such a value."""

AGREEMENT = 0.6
"""The share of the trees that must split a node by the attribute by which the tree of the sample splits it."""

LEAST_TREES = 2

LEAST_HELD = 256
"""Of very many values, one of so many is held on both sides of a threshold, at least."""

MOST_HELD = 0.25
"""A test that holds a greater share of the sample at its node is not worth it."""

Place = tuple["Tree", int]
"""A tree and one of its nodes."""


class Expected(NamedTuple):
    """An expected split: the branch of each code (HELD: uncertain), or of numbers up to `low` and above `high`."""

    attribute: int
    branch: Codes
    low: float = 0.0
    high: float = 0.0

    def branches(self, values: NDArray[Any], column: CodedColumn) -> Codes:
        """Return the branch of each value of a data set."""
        if not len(self.branch):
            return np.where(values <= self.low, 0, np.where(values > self.high, 1, HELD)).astype(np.int32)
        if values.dtype != np.float64:
            return np.asarray(np.append(self.branch, HELD)[values], np.int32)  # a missing label is -1
        assert column.values is not None
        code = np.minimum(np.searchsorted(column.values, values), column.n_codes - 1)
        return np.where(values == values, self.branch[code], HELD).astype(np.int32)


class Coarse:
    """The nodes of a coarse tree; the children of a node are consecutive. The leaves are cells, numbered from 0.

    The cells below node i are first_cell[i] to last_cell[i] (exclusive).
    """

    def __init__(self, tests: Sequence[Expected | None], children: Sequence[Sequence[int]]) -> None:
        self.tests = tests
        self.children = children
        n = len(tests)
        self.first_cell, self.last_cell = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.n_cells = 0
        self._number_cells()
        depth = np.zeros(n, np.int64)
        for node, own in enumerate(children):
            depth[own] = depth[node] + 1
        self._steps = [self._moves(np.flatnonzero(depth == own)) for own in range(int(depth.max()))]

    def _number_cells(self) -> None:
        open_nodes = [(0, False)]
        while open_nodes:
            node, is_done = open_nodes.pop()
            if is_done:
                self.last_cell[node] = self.n_cells
                continue
            self.first_cell[node] = self.n_cells
            open_nodes.append((node, True))
            if self.tests[node] is None:
                self.n_cells += 1
            open_nodes.extend((child, False) for child in reversed(self.children[node]))

    def _moves(self, nodes: Indices) -> list[tuple[int, Any]]:
        """Return by attribute how rows leave these nodes: as in count_codes.send_by_code, or by two numbers."""
        moves: list[tuple[int, Any]] = []
        tests = {int(node): test for node in nodes if (test := self.tests[node]) is not None}
        for a in sorted({test.attribute for test in tests.values()}):
            own = {node: test for node, test in tests.items() if test.attribute == a}
            if not len(next(iter(own.values())).branch):
                moves.append((a, own))
                continue
            start = np.full(len(self.tests), -1, np.int64)
            tables, size = [], 0
            for node, test in own.items():
                start[node] = size
                to = np.array([*self.children[node], HELD], np.int32)  # HELD is the last
                tables.append(np.append(to[test.branch], HELD).astype(np.int32))  # a missing value has the last code
                size += len(tables[-1])
            moves.append((a, (start, np.concatenate(tables))))
        return moves

    def limits(self, attribute: int) -> list[float]:
        """Return the numbers between which values of an attribute are held, at any node."""
        own = [test for test in self.tests if test is not None and test.attribute == attribute and not len(test.branch)]
        return [number for test in own for number in (test.low, test.high) if np.isfinite(number)]

    def cells(self, n: int, column: Callable[[int], NDArray[Any]]) -> Codes:
        """Return the cell of each of n rows, whose codes or numbers `column` gives by attribute; HELD if uncertain."""
        node = np.zeros(n, np.int32)
        for moves in self._steps:
            to = node.copy()
            for a, own in moves:
                if isinstance(own, dict):
                    self._send_by_numbers(node, column(a), own, to)
                else:
                    start, table = own
                    count_codes.send_by_code(node, column(a), start, table, to)
            node = to
        return np.append(self.first_cell, HELD)[node].astype(np.int32)

    def _send_by_numbers(self, node: Codes, value: Floats, tests: dict[int, Expected], to: Codes) -> None:
        for own, test in tests.items():
            rows = np.flatnonzero(node == own)
            values = value[rows]
            below, above = self.children[own]
            to[rows] = np.where(values <= test.low, below, np.where(values > test.high, above, HELD))


class Limits(NamedTuple):
    """A node is not divided if it has at most this share of the sample, or if there are as many cells already."""

    share: float
    most_cells: int


def coarse_tree(trees: Sequence[Tree], data: CodedData, sample: Dataset, limits: Limits) -> Coarse:
    """Return the tests that most trees agree on, the heaviest nodes first; the first tree is that of the sample."""
    weights = trees[0].weights(is_classification=True)
    values = {
        a: np.unique(np.asarray(own)[own == own])
        for a, own in enumerate(sample.columns)
        if not data.columns[a].is_dense
    }
    least = limits.share * weights[0]
    tests: list[Expected | None] = [None]
    children: list[list[int]] = [[]]
    n_cells = 1
    root = [(tree, 0) for tree in trees]
    waiting: list[tuple[float, int, list[Place], Indices]] = [(-weights[0], 0, root, np.arange(sample.n_rows))]
    while waiting:
        weight, node, places, rows = heappop(waiting)
        if -weight <= least or trees[0].is_leaf(places[0][1]):
            continue
        found = _agreed(places, data, values)
        if found is None:
            continue
        test, of_branches = found
        branch = test.branches(np.asarray(sample.columns[test.attribute])[rows], data.columns[test.attribute])
        is_full = n_cells + len(of_branches) - 1 > limits.most_cells
        if is_full or np.count_nonzero(branch == HELD) > MOST_HELD * len(rows):
            continue
        tests[node] = test
        children[node] = list(range(len(tests), len(tests) + len(of_branches)))
        n_cells += len(of_branches) - 1
        for place, (number, own) in enumerate(zip(children[node], of_branches, strict=True)):
            tests.append(None)
            children.append([])
            heappush(waiting, (-weights[own[0][1]], number, own, rows[branch == place]))
    return Coarse(tests, children)


def _agreed(
    places: list[Place], data: CodedData, values: dict[int, Floats]
) -> tuple[Expected, list[list[Place]]] | None:
    """Return the test of a node, and the places of each of its branches; None if the trees do not agree."""
    tree, node = places[0]
    own = tree.split(node)
    agreeing = []
    for other, at in places:
        if not other.is_leaf(at) and other.attribute[at] == own.attribute and other.kind[at] == tree.kind[node]:
            agreeing.append((other, at, other.split(at)))
    if len(agreeing) < max(AGREEMENT * len(places), min(LEAST_TREES, len(places))):
        return None
    column = data.columns[own.attribute]
    if own.KIND == "threshold":
        test = _interval(own.attribute, [split.number for _, _, split in agreeing], column, values)
        same = [list(range(2))] * len(agreeing)
    elif column.is_dense:
        test, same = _labels([split for _, _, split in agreeing], len(tree.children(node)), column)
    else:
        return None
    of_branches: list[list[Place]] = [
        [
            (other, other.children(at)[branch_of[branch]])
            for (other, at, _), branch_of in zip(agreeing, same, strict=True)
            if branch_of[branch] >= 0
        ]
        for branch in range(len(tree.children(node)))
    ]
    return test, of_branches


def _interval(attribute: int, numbers: list[float], column: CodedColumn, values: dict[int, Floats]) -> Expected:
    """Return the test by thresholds; values from the least to the greatest, and half of that on both sides, are held.

    If the trees agree on one threshold, the values beside it are held: of very many, some more on both sides, so that
    the cuts inside the next bins are clearly worse.
    """
    low, high = min(numbers), max(numbers)
    half = (high - low) / 2
    if np.isfinite(low - half) and np.isfinite(high + half):
        low, high = low - half, high + half
    known = values[attribute] if column.values is None else column.values
    first, last = (int(place) for place in np.searchsorted(known, [low, high], side="right"))
    further = 1 if column.is_dense else 1 + len(known) // LEAST_HELD
    first, last = max(first - further, 0), min(last + further, len(known))
    if column.is_dense:
        code = np.arange(column.n_codes)
        return Expected(attribute, np.where(code < first, 0, np.where(code < last, HELD, 1)).astype(np.int32))
    below = float(known[first - 1]) if first > 0 else -np.inf
    above = float(known[last - 1]) if last < len(known) else np.inf
    return Expected(attribute, np.empty(0, np.int32), below, above)


def _labels(splits: list[Split], n_branches: int, column: CodedColumn) -> tuple[Expected, list[list[int]]]:
    """Return the test by labels, as the first split groups them, and by split its branch for each branch of the first.

    A branch may have no label: that of missing values. Labels that other splits group otherwise, and those that the
    first does not know, are held.
    """
    tables = [np.array(split.table or [0] * column.n_codes, np.int32) for split in splits]
    branch = tables[0].copy()
    same = [list(range(n_branches))]
    for own in tables[1:]:
        branch_of = []
        for place in range(n_branches):
            theirs = own[(tables[0] == place) & (own >= 0)]
            branch_of.append(int(np.bincount(theirs).argmax()) if len(theirs) else HELD)
        expected = np.array([*branch_of, HELD])[tables[0]]
        branch[(own >= 0) & (own != expected)] = HELD
        same.append(branch_of)
    return Expected(splits[0].attribute, branch), same
