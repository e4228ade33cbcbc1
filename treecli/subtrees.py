"""The lists of all cases by each attribute, and the nodes of the tree that is grown on them in one go."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from math import ceil, isfinite
from typing import Any

import numpy as np

from treecli.candidates import Codes, Floats, Indices
from treecli.criteria import Criterion
from treecli.data import Dataset
from treecli.kernels import children, choose, grow_packed, impurity, lists
from treecli.settings import Settings
from treecli.threads import FEW_CASES, OnProgress, Shared
from treecli.tree import LEAF

ENTRY_BITS = 32
"""An entry of a list holds a row, its class, and one bit more."""

PORTIONS = 16
"""A node is split by all threads together while it holds more than one in so many of the cases."""

MOST_TOGETHER = 64
"""No more nodes are split so: of a tree that loses its cases one by one, all nodes are large."""

PURE_SHARE = 1e-12
"""A numeric target varies no more once its variance has fallen to this share of the variance of all cases."""

BUCKETS = 2.0**32 - 1
"""Values are sorted by the part of their range that they lie in, of so many, before they are compared."""


def row_shift(dataset: Dataset) -> int:
    """How many bits of an entry are not the row's."""
    n_classes = len(dataset.schema.target.labels) if dataset.schema.is_classification else 1
    return 1 + (n_classes - 1).bit_length()


@dataclass(slots=True)
class Nodes:
    """Nodes in the order in which they were made; the children of an inner node are two that follow each other."""

    attribute: Codes
    neighbour: Codes
    """The rows whose values lie on both sides of the cut."""
    merit: Floats
    """Gain and split information."""
    first_child: Codes
    outcomes: Floats
    sums: Floats
    """Of a numeric target: centre, and sum and squares of the differences from it."""

    @classmethod
    def room_for(cls, n: int, n_outcomes: int) -> Nodes:
        return cls(
            np.empty(n, np.int32),
            np.empty((n, 2), np.int32),
            np.zeros((n, 2)),
            np.empty(n, np.int32),
            np.empty((n, n_outcomes)),
            np.empty((n, 3)),
        )

    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.attribute, self.neighbour, self.merit, self.first_child, self.outcomes, self.sums

    def take(self, nodes: Any) -> Nodes:
        return Nodes(*(values[nodes].copy() for values in self.arrays()))

    def make_leaves(self, nodes: slice) -> None:
        self.attribute[nodes] = LEAF
        self.first_child[nodes] = 0

    def in_level_order(self) -> Nodes:
        """The nodes level by level, each level in the order of its parents."""
        order = np.empty(len(self.attribute), np.int32)
        grow_packed.level_order(self.first_child, order)
        nodes = Nodes(*(values[order] for values in self.arrays()))  # an index copies, unlike a slice
        is_inner = nodes.first_child > 0
        nodes.first_child[is_inner] = 1 + 2 * np.arange(np.count_nonzero(is_inner))
        return nodes


@dataclass(frozen=True, slots=True)
class Task:
    """An open node: its number among those that were made first, where its cases stand, and its live attributes."""

    node: int
    lo: int
    hi: int
    depth: int
    live: Codes

    @property
    def size(self) -> int:
        return self.hi - self.lo

    def __lt__(self, other: Task) -> bool:
        """Larger nodes come first."""
        return (-self.size, self.node) < (-other.size, other.node)


class Finisher:
    """The lists of all cases by each attribute, and the nodes that have been split so far."""

    def __init__(self, dataset: Dataset, settings: Settings, criterion: Criterion, shared: Shared) -> None:
        assert dataset.target is not None
        self._shared = shared
        self._columns = dataset.columns
        self._is_numeric = not dataset.schema.is_classification
        self._n_attributes = len(dataset.columns)
        self._n_outcomes = dataset.schema.n_outcomes
        n = self._n_cases = dataset.n_rows
        self._row_shift = row_shift(dataset)
        self._half = (self._n_attributes + self._is_numeric) * n
        self._entry = np.empty(2 * self._half, np.uint32)
        self._goes_left = np.empty(n, np.uint8)
        self._is_ratio = criterion.is_ratio
        self._by_remainders = settings.computing.arithmetic == "remainders"
        self._tolerance = settings.computing.tolerance
        self._zero_gain = settings.stopping.zero_gain
        least = (
            settings.stopping.min_leaf
            if settings.stopping.counts_rows
            else settings.stopping.min_leaf - settings.computing.tolerance
        )
        self._min_side = min(max(ceil(least), 1), n)
        self._min_split = (
            2 * settings.stopping.min_leaf if settings.stopping.min_split is None else settings.stopping.min_split
        ) - settings.computing.tolerance
        depths = [] if settings.stopping.max_depth is None else [settings.stopping.max_depth]
        if settings.stopping.max_leaves is not None:
            depths.append(settings.stopping.max_leaves - 1)
        # No tree is deeper than there are cases.
        self._max_depth = min([*depths, n])
        self._min_gain = (
            -np.inf if settings.stopping.min_gain is None else settings.stopping.min_gain - settings.computing.tolerance
        )
        self._gain_of_all = settings.stopping.gain_of_all
        self._value_gap = settings.splitting.value_gap
        self._is_single = settings.predicting.single_precision and self._by_remainders
        self._target_of_row = np.asarray(dataset.target, np.float64) if self._is_numeric else np.empty(0)
        self._xlog2_of = np.arange(0 if self._is_numeric else n + 1, dtype=np.float64)
        self._xlog2_of[1:] *= np.log2(self._xlog2_of[1:])
        class_of_row = np.zeros(n, np.uint32) if self._is_numeric else dataset.target.astype(np.uint32)
        self._entry_of_row = np.arange(n, dtype=np.uint32) << np.uint32(self._row_shift)
        self._entry_of_row |= class_of_row << np.uint32(1)
        self._is_live = np.zeros(self._n_attributes, bool)
        self._is_close = np.zeros(self._n_attributes, bool)
        shared.do(self._sort, range(self._n_attributes))
        self._entry[self._n_attributes * n : self._half] = self._entry_of_row[: self._half - self._n_attributes * n]
        self._close = np.where(self._is_close, np.cumsum(self._is_close) - 1, -1).astype(np.int32)
        close = [column for column, is_close in zip(dataset.columns, self._is_close, strict=True) if is_close]
        self._values = np.stack(close) if close else np.empty((0, n))
        self._scoring = (
            impurity.CODES[criterion.impurity],
            self._by_remainders,
            self._min_side,
            settings.stopping.min_leaf,
            settings.splitting.branch_share,
            settings.splitting.most_branch_share,
            settings.computing.tolerance,
            settings.stopping.zero_gain,
            settings.splitting.cut_cost,
            settings.splitting.value_gap,
            self._is_single,
            self._close,
            self._values,
        )
        self._set_root(dataset, settings)

    def _sort(self, attribute: int) -> None:
        """Fills the list of an attribute."""
        column: Floats = np.ascontiguousarray(self._columns[attribute], np.float64)
        n, begin = self._n_cases, attribute * self._n_cases
        low, high = float(column.min()), float(column.max())
        if low == high:
            self._entry[begin : begin + n] = self._entry_of_row
            return
        self._is_live[attribute] = True
        with np.errstate(all="ignore"):
            scale = float(np.float64(BUCKETS) / (np.float64(high) - low))
        key, is_arranged = np.empty(n, np.uint64), False
        if isfinite(scale) and scale > 0:
            lists.set_keys(column, low, scale, self._entry_of_row, key)
            key.sort()
            is_arranged = lists.arrange(key, column, self._row_shift, begin, self._entry)
        if not is_arranged:
            order = np.argsort(column, kind="stable")
            in_order = column[order]
            key[0], key[1:] = 0, np.cumsum(in_order[1:] > in_order[:-1])
            key <<= np.uint64(ENTRY_BITS)
            key |= self._entry_of_row[order]
            lists.arrange(key, column, self._row_shift, begin, self._entry)
        if self._value_gap > 0:
            self._is_close[attribute] = lists.closest(
                column, self._row_shift, begin, begin + n, self._value_gap, self._is_single, self._entry
            )

    def _set_root(self, dataset: Dataset, settings: Settings) -> None:
        self._top = Nodes.room_for(1 + 2 * MOST_TOGETHER, self._n_outcomes)
        self._top.make_leaves(slice(None))
        self._n_top = 1
        self._least_deviance = 0.0
        if not self._is_numeric:
            self._top.outcomes[0] = np.bincount(np.asarray(dataset.target), minlength=self._n_outcomes)
            return
        # The same sums in the same order as the engine in memory has them.
        target, weights = self._target_of_row, dataset.weights
        center = 0.0 if self._by_remainders else np.average(target, weights=weights)
        differences = target - center
        if self._by_remainders:
            total, squares = np.cumsum(differences)[-1], np.cumsum(differences**2)[-1]
        else:
            total, squares = np.sum(differences), np.sum(differences**2)
        shift = total / self._n_cases
        deviance = max(squares - shift * total, 0.0)
        self._top.sums[0] = center, total, squares
        self._top.outcomes[0] = self._n_cases, center + shift, deviance
        usual = PURE_SHARE * deviance / self._n_cases
        self._least_deviance = usual if settings.stopping.pure_impurity is None else settings.stopping.pure_impurity

    def split_big_nodes(self) -> None:
        """Splits the nodes that hold many of the cases, and sets aside the others as subtrees to be grown."""
        live = np.flatnonzero(self._is_live).astype(np.int32)
        self._subtrees: list[Task] = []
        root = Task(0, 0, self._n_cases, 0, live)
        if self._max_depth > 0 and self._is_open(root):
            heappush(self._subtrees, root)
        while self._subtrees and self._n_top < len(self._top.attribute):
            largest = self._subtrees[0].size
            if largest < FEW_CASES or largest * PORTIONS <= self._n_cases:
                break
            for child in self._split(heappop(self._subtrees)):
                heappush(self._subtrees, child)

    def _is_open(self, task: Task) -> bool:
        limits = self._is_numeric, self._least_deviance, self._min_split
        is_open: bool = children.is_open(self._top.outcomes, task.node, task.size, *limits)
        return is_open

    def _split(self, task: Task) -> list[Task]:
        """Splits one node with all threads, and gives those of its children that are open."""
        top, node, lo, hi = self._top, task.node, task.lo, task.hi
        source, stride = self._half if task.depth % 2 else 0, self._n_cases
        target = self._half - source
        found, cut = np.empty((choose.FOUND_ROWS, self._n_attributes)), np.full(self._n_attributes, -1, np.int64)

        def scan(place: int) -> None:
            choose.scan(
                self._entry,
                source,
                stride,
                self._row_shift,
                task.live,
                place,
                lo,
                hi,
                self._is_numeric,
                self._target_of_row,
                top.sums,
                top.outcomes,
                node,
                self._xlog2_of,
                *self._scoring,
                self._scratch(),
                found,
                cut,
            )

        self._shared.do(scan, range(len(task.live)))
        slack = 0.0 if self._by_remainders else self._tolerance
        if self._is_numeric:
            slack *= top.outcomes[node, 2] / (hi - lo)
        share = (hi - lo) / self._n_cases if self._gain_of_all else 1.0
        ranking = self._is_ratio, self._by_remainders, self._zero_gain, self._min_gain, share, self._tolerance, slack
        best = choose.choose(*ranking, found, cut)
        if best < 0:
            return []
        last_left, child = int(cut[best]), self._n_top
        self._n_top += 2
        top.attribute[node], top.first_child[node] = best, child
        at = source + best * stride + last_left
        top.neighbour[node] = self._entry[at : at + 2] >> np.uint32(self._row_shift)
        top.merit[node] = found[:2, best]
        where = self._entry, source, stride, self._row_shift, best, lo, hi, last_left, self._goes_left
        sums = self._target_of_row, top.sums, top.outcomes, node, child
        children.split(*where, self._is_numeric, self._by_remainders, *sums)
        if task.depth + 1 >= self._max_depth:
            return []
        live = task.live[cut[task.live] != choose.CONSTANT]
        both = (
            Task(child, lo, last_left + 1, task.depth + 1, live),
            Task(child + 1, last_left + 1, hi, task.depth + 1, live),
        )
        opened = [task for task in both if self._is_open(task)]

        def part(a: int) -> None:
            begin = a * stride
            places = self._entry, source + begin, target + begin, self._row_shift, lo, hi, last_left, self._goes_left
            children.part(*places)

        if opened:
            self._shared.do(part, [*live, self._n_attributes] if self._is_numeric else live)
        return opened

    def _scratch(self) -> Indices:
        return np.empty((2, self._n_outcomes), np.int64)

    def finish(self, on_progress: OnProgress | None) -> Nodes:
        """All nodes, after the subtrees have been grown, the largest first."""
        tasks = sorted(self._subtrees)
        top = self._top.take(slice(0, self._n_top))
        made = [top]
        n_made = self._n_top
        n_done = 0
        for task, grown in zip(tasks, self._shared.map(self._grow, tasks), strict=True):
            is_inner = grown.first_child > 0
            # The subtree's root has a place already; its other nodes follow all that were made before.
            grown.first_child[is_inner] += n_made - 1
            for values, own in zip(top.arrays(), grown.arrays(), strict=True):
                values[task.node] = own[0]
            made.append(Nodes(*(own[1:] for own in grown.arrays())))
            n_made += len(grown.attribute) - 1
            n_done += task.size
            if on_progress is not None:
                on_progress(n_done / self._n_cases)
        if on_progress is not None:
            on_progress(1.0)
        return Nodes(*(np.concatenate(values) for values in zip(*(part.arrays() for part in made), strict=True)))

    def _grow(self, task: Task) -> Nodes:
        levels = min(self._max_depth - task.depth, ENTRY_BITS)
        n_leaves = min(max(task.size // self._min_side, 1), 1 << levels)
        nodes = Nodes.room_for(2 * n_leaves, self._n_outcomes)
        nodes.outcomes[0], nodes.sums[0] = self._top.outcomes[task.node], self._top.sums[task.node]
        n_nodes = grow_packed.grow(
            self._entry,
            self._n_cases,
            self._row_shift,
            task.live.copy(),
            task.lo,
            task.hi,
            task.depth,
            self._goes_left,
            self._is_numeric,
            self._target_of_row,
            self._xlog2_of,
            self._is_ratio,
            *self._scoring,
            self._max_depth,
            self._min_split,
            self._least_deviance,
            self._min_gain,
            self._gain_of_all,
            self._n_cases,
            self._scratch(),
            np.empty((choose.FOUND_ROWS, self._n_attributes)),
            np.empty(self._n_attributes, np.int64),
            np.empty((n_leaves + 1, grow_packed.PENDING_COLUMNS), np.int32),
            *nodes.arrays(),
        )
        return nodes.take(slice(0, n_nodes))
