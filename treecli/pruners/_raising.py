"""Error-based pruning with subtree raising, for the methods that have the training rows at hand."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np

from treecli.data import MISSING, Dataset
from treecli.errors import UsageError
from treecli.kernels import raise_subtrees
from treecli.model import TreeModel
from treecli.tree import LEAF, Tree

ROOM_PER_ROW = 4
"""How many places on the stack of rows each row gets at first."""


def raised(model: TreeModel, dataset: Dataset, confidence: float, z: float, *, is_c45: bool) -> Tree:
    """The tree in which every node is a leaf, or its largest branch, or as it was, whichever is expected to be best."""
    assert dataset.target is not None
    if model.settings.missing.policy in ("surrogate", "stay"):
        raise UsageError(
            f"subtrees cannot be raised where missing values go by '{model.settings.missing.policy}'", "add --no-raise"
        )
    rows = np.flatnonzero((dataset.target >= 0) & (dataset.weights > 0)).astype(np.int32)
    room = ROOM_PER_ROW * max(len(rows), 1)
    while True:
        work = _Work(model, dataset, rows, room)
        if work.prune(confidence, z, is_c45):
            return work.tree(model.tree)
        room *= 2


class _Work:
    """A copy of a tree's arrays, to be pruned in place."""

    def __init__(self, model: TreeModel, dataset: Dataset, rows: np.ndarray, room: int) -> None:
        tree = model.tree
        n = tree.n_nodes
        self.attribute = np.array(tree.attribute, np.int32)
        used = np.unique(self.attribute[self.attribute >= 0])
        self.slot = np.searchsorted(used, self.attribute).astype(np.int32)
        self.block = np.array([_values(dataset, attribute) for attribute in used]).reshape(len(used), dataset.n_rows)
        self.class_of_row = np.array(dataset.target, np.int32)
        self.kind = np.array(tree.kind, np.int8)
        self.number = np.array(tree.number)
        further_start = np.array(tree.further_start, np.int64)
        self.further_start, self.further_size = further_start[:-1].copy(), np.diff(further_start)
        self.further = np.array(tree.further)
        table_start = np.array(tree.table_start, np.int64)
        self.table_start, self.table_size = table_start[:-1].copy(), np.diff(table_start)
        self.table = np.array(tree.table, np.int32)
        self.missing_to = np.array(tree.missing_to, np.int32)
        self.first_child = np.array(tree.first_child, np.int32)
        self.n_branches = np.array(tree.n_branches, np.int32)
        self.score = np.array(tree.score)
        self.counts = np.array(tree.outcomes).reshape(n, tree.n_outcomes)
        self.source = np.arange(n, dtype=np.int64)
        self.n_rows = len(rows)
        self.row, self.weight = np.zeros(room, np.int32), np.zeros(room)
        self.row[: self.n_rows], self.weight[: self.n_rows] = rows, dataset.weights[rows]

    def prune(self, confidence: float, z: float, is_c45: bool) -> bool:
        """Whether there was room enough to do it."""
        n = len(self.source)
        room_for: Callable[[], np.ndarray] = lambda: np.empty(n + 1, np.int64)  # noqa: E731
        return bool(
            raise_subtrees.prune(
                self.block,
                self.class_of_row,
                self.slot,
                self.attribute,
                self.kind,
                self.number,
                self.further_start,
                self.further_size,
                self.further,
                self.table_start,
                self.table_size,
                self.table,
                self.missing_to,
                self.first_child,
                self.n_branches,
                self.score,
                self.counts,
                self.source,
                confidence,
                z,
                is_c45,
                self.n_rows,
                self.row,
                self.weight,
                np.empty((1, self.counts.shape[1])),
                np.empty(self.n_rows, np.int32),
                np.empty(n),
                room_for(),
                room_for(),
                np.empty(n),
                room_for(),
                room_for(),
                room_for(),
                room_for(),
            )
        )

    def tree(self, original: Tree) -> Tree:
        """What is still reached from the root, numbered anew in level order."""
        levels = [np.zeros(1, np.int64)]
        while len(levels[-1]):
            inner = levels[-1][self.first_child[levels[-1]] > 0]
            first, n = self.first_child[inner].astype(np.int64), self.n_branches[inner]
            # The children of all, family by family: each first child, and on from there.
            before = np.cumsum(n) - n
            levels.append(np.repeat(first - before, n) + np.arange(n.sum()))
        kept = np.concatenate(levels)
        tests = np.where(self.first_child[kept] > 0, self.source[kept], LEAF)
        return original.rearranged(tests.tolist(), array("d", self.counts[kept].tobytes()))


def _values(dataset: Dataset, attribute: int) -> np.ndarray:
    """An attribute's values as the kernel takes them: codes as numbers, NaN where a value is missing."""
    column = dataset.columns[attribute]
    if dataset.schema.attributes[attribute].is_numeric:
        return column
    return np.where(column <= MISSING, np.nan, column)
