"""Error-based pruning with subtree raising, which needs the training rows."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from treecli.data import MISSING, Dataset
from treecli.errors import UsageError
from treecli.kernels import raise_args, raise_subtrees
from treecli.kernels.estimate import Estimate
from treecli.model import TreeModel
from treecli.outcomes.counts import SparseCounts
from treecli.tree import LEAF, Tree

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

ROOM_PER_ROW = 4
"""Initial stack entries per row."""


def raised(model: TreeModel, dataset: Dataset, confidence: float, z: float, *, is_c45: bool) -> Tree:
    """The tree in which every node is a leaf, its largest branch, or unchanged, whichever has the least estimate."""
    assert dataset.target is not None
    if model.settings.missing.policy in ("surrogate", "stay"):
        raise UsageError(f"subtrees cannot be raised with --missing {model.settings.missing.policy}", "add --no-raise")
    rows = np.flatnonzero((dataset.target >= 0) & (dataset.weights > 0)).astype(np.int32)
    room = ROOM_PER_ROW * max(len(rows), 1)
    while True:
        work = _Work(model, dataset, rows, room)
        if work.prune(Estimate(confidence, z, is_c45)):
            return work.tree(model.tree)
        room *= 2


class _Work:
    """A copy of a tree's arrays, to be pruned in place."""

    def __init__(self, model: TreeModel, dataset: Dataset, rows: CodeArray, room: int) -> None:
        tree = model.tree
        n = tree.n_nodes
        attribute = np.array(tree.attribute, np.int32)
        used = np.array(sorted({*tree.attribute} - {LEAF}), np.int32)
        further_start = np.array(tree.further_start, np.int64)
        table_start, table = _tables(tree)
        self.first_child = np.array(tree.first_child, np.int32)
        self.n_branches = np.array(tree.n_branches, np.int32)
        self.counts: FloatArray = (
            tree.outcomes.matrix(np.arange(n))
            if isinstance(tree.outcomes, SparseCounts)
            else np.array(tree.outcomes).reshape(n, tree.n_outcomes)
        )
        self.source = np.arange(n, dtype=np.int64)
        self.nodes = raise_args.Nodes(
            slot=np.searchsorted(used, attribute).astype(np.int32),
            number=np.array(tree.number),
            further_start=further_start[:-1].copy(),
            further_size=np.diff(further_start),
            further=np.array(tree.further),
            table_start=table_start[:-1].copy(),
            table_size=np.diff(table_start),
            table=table,
            missing_to=np.array(tree.missing_to, np.int32),
            first_child=self.first_child,
            n_branches=self.n_branches,
            counts=self.counts,
            source=self.source,
        )
        self.n_rows = len(rows)
        row, weight = np.zeros(room, np.int32), np.zeros(room)
        row[: self.n_rows], weight[: self.n_rows] = rows, dataset.weights[rows]
        block = np.array([_values(dataset, attribute) for attribute in used.tolist()]).reshape(
            len(used), dataset.n_rows
        )
        classes = np.array(dataset.target, np.int32)
        self.rows = raise_args.Rows(block, classes, row, weight, np.empty(self.n_rows, np.int32))

    def prune(self, estimate: Estimate) -> bool:
        """Whether the stack was large enough; if so, the tree is pruned."""
        n = len(self.source)
        room = raise_args.Room(
            share=np.empty(n),
            begin=np.empty(n, np.int64),
            end=np.empty(n, np.int64),
            expected=np.empty(n),
            path=np.empty(n + 1, np.int64),
            next_child=np.empty(n + 1, np.int64),
            top_before=np.empty(n + 1, np.int64),
            pending=np.empty(n + 1, np.int64),
            scratch=np.empty((1, self.counts.shape[1])),
        )
        return raise_subtrees.prune(self.nodes, self.rows, self.n_rows, room, estimate)

    def tree(self, original: Tree) -> Tree:
        """The nodes reachable from the root, renumbered in level order."""
        first_child, n_branches = self.first_child.tolist(), self.n_branches.tolist()
        source = self.source.tolist()
        kept, tests = [0], []
        for node in kept:  # grows during the loop: a queue
            first = first_child[node]
            kept.extend(range(first, first + n_branches[node]) if first else ())
            tests.append(source[node] if first else LEAF)
        counts = self.counts[kept]
        if isinstance(original.outcomes, SparseCounts):
            return original.rearranged(tests, SparseCounts.of_matrix(counts))
        return original.rearranged(tests, array("d", counts.tobytes()))


def _tables(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """The tables from labels to branches with an entry for each label, and where each begins."""
    start, table = np.array(tree.table_start, np.int64), np.array(tree.table, np.int32)
    is_packed = (np.diff(start) > 0) & (np.array(tree.number) > 0)
    if not is_packed.any():
        return start, table
    each = [
        np.array(tree.split(node).table, np.int32) if is_packed[node] else table[start[node] : start[node + 1]]
        for node in range(tree.n_nodes)
    ]
    return np.concatenate([[0], np.cumsum([len(own) for own in each])]), np.concatenate(each)


def _values(dataset: Dataset, attribute: int) -> np.ndarray:
    """An attribute's values for the kernel: codes as numbers, NaN for missing."""
    column = dataset.column(attribute)
    if dataset.schema.columns[attribute].is_numeric:
        return column
    return np.where(column <= MISSING, np.nan, column)
