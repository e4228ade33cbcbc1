"""Error-based pruning with subtree raising, which needs the training rows."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treecli.data import MISSING, Dataset
from treecli.errors import UsageError
from treecli.kernels import raise_args, raise_subtrees, row_stack
from treecli.kernels.estimate import Estimate
from treecli.model import TreeModel
from treecli.outcomes.counts import SparseCounts
from treecli.tree import LEAF, Tree

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray
    from treecli.predict.grove import Rows

ROOM_PER_ROW = 4
"""Initial stack entries per row."""

EXACT = 2.0**53
"""Whole numbers up to this one, and their sums, are exact."""


def raised(model: TreeModel, dataset: Dataset, estimate: Estimate, without: str = "--no-raise") -> Tree:
    """The tree in which every node is a leaf, its largest branch, or unchanged, whichever has the least estimate.

    `without` is the option that leaves this out, for messages.
    """
    _check(model, without)
    assert dataset.target is not None
    rows = np.flatnonzero((dataset.target >= 0) & (dataset.weights > 0)).astype(np.int32)
    return _pruned(model, dataset, {0: rows}, estimate)


def raised_in_grove(model: TreeModel, dataset: Dataset, rows: Sequence[Rows], estimate: Estimate) -> Tree:
    """The grove in which the tree of each sample is pruned with the rows of that sample."""
    _check(model)
    assert dataset.target is not None
    counts = (dataset.target >= 0) & (dataset.weights > 0)
    of_root = {root: own[counts[own]].astype(np.int32) for root, own in zip(model.tree.children(0), rows, strict=True)}
    return _pruned(model, dataset, of_root, estimate)


def _check(model: TreeModel, without: str = "--no-raise") -> None:
    """Raises a UsageError if the routes of missing values do not follow from a branch."""
    if model.settings.missing.policy in ("surrogate", "stay"):
        raise UsageError(f"subtrees cannot be raised with --missing {model.settings.missing.policy}", f"add {without}")


def _pruned(model: TreeModel, dataset: Dataset, rows_of_root: Mapping[int, CodeArray], estimate: Estimate) -> Tree:
    """The tree in which the parts below these nodes are pruned, each with its own rows."""
    n_rows = max(*map(len, rows_of_root.values()), 1)
    values = _Values(model.tree, dataset)
    room = max(_Work(model, dataset, values, 1).stack_size(rows_of_root) + 2 * n_rows, ROOM_PER_ROW * n_rows)
    while True:
        work = _Work(model, dataset, values, room)
        if all(work.prune(estimate, root, rows) for root, rows in rows_of_root.items()):
            return work.tree(model.tree)
        room *= 2


class _Values:
    """The values of the attributes that a tree asks about: rows of `block`, of which attribute a has `slot[a]`."""

    def __init__(self, tree: Tree, dataset: Dataset) -> None:
        # The root of a grove asks for the sample, which is no column of the data.
        used = sorted({*tree.attribute}.intersection(range(len(dataset.schema.columns))))
        columns = [_values(dataset, attribute) for attribute in used]
        self.slot = np.zeros(len(dataset.schema.columns) + 1, np.int32)
        together = _read_together(columns)
        if together is not None:
            self.block, self.slot[used] = together
        else:
            self.block = np.array(columns, np.float64).reshape(len(used), dataset.n_rows)
            self.slot[used] = np.arange(len(used))


def _read_together(columns: list[np.ndarray]) -> tuple[np.ndarray, list[int]] | None:
    """Return the matrix that the columns are rows of, and their places in it, so that none is copied; or None."""
    block = columns[0].base if columns else None
    if not isinstance(block, np.ndarray) or block.ndim != 2 or block.dtype != np.float64:
        return None
    if not block.flags.c_contiguous or any(each.base is not block or each.strides != (8,) for each in columns):
        return None
    offsets = [each.__array_interface__["data"][0] - block.__array_interface__["data"][0] for each in columns]
    if any(len(each) != block.shape[1] for each in columns) or any(each % block.strides[0] for each in offsets):
        return None
    return block, [each // block.strides[0] for each in offsets]


class _Work:
    """A copy of a tree's arrays, to be pruned in place."""

    def __init__(self, model: TreeModel, dataset: Dataset, values: _Values, room: int) -> None:
        tree = model.tree
        n = tree.n_nodes
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
            slot=values.slot[np.minimum(tree.attribute, len(values.slot) - 1)],
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
        self.weights = dataset.weights
        self.are_sums_exact = bool((self.weights == np.floor(self.weights)).all() and self.weights.sum() < EXACT)
        self.row, self.weight = np.zeros(room, np.int32), np.zeros(room)
        classes = np.array(dataset.target, np.int32)
        self.rows = raise_args.Rows(values.block, classes, self.row, self.weight, np.empty(dataset.n_rows, np.int32))
        self.room = raise_args.Room(
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

    def stack_size(self, rows_of_root: Mapping[int, CodeArray]) -> int:
        """The stack entries needed to reach every node below these roots; 0 if rows do not weigh 1."""
        if not (self.weights == 1).all():
            return 0
        return max(row_stack.stack_size(self.nodes, self.room, root) for root in rows_of_root)

    def prune(self, estimate: Estimate, root: int, rows: CodeArray) -> bool:
        """Whether the stack was large enough; if so, the tree is pruned below `root`, with these rows."""
        n_rows = len(rows)
        self.row[:n_rows], self.weight[:n_rows] = rows, self.weights[rows]
        return raise_subtrees.prune(self.nodes, self.rows, n_rows, self.room, estimate, root, self.are_sums_exact)

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
