"""Growing in one go where nothing special is asked for: classes, numbers, no missing values, every case of weight 1.

The same tree as level by level, several times as fast (docs/performance.md). Nodes that hold much of the data are
split one by one, their attributes shared out to threads; the subtrees below them are grown whole, shared out likewise.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import ceil
from os import cpu_count
from typing import Any

import numpy as np

from treecli.candidates import Candidates, Codes, Cuts, Floats, Indices, empty_test
from treecli.criteria import Criterion
from treecli.data import Dataset
from treecli.kernels import impurity, subtree
from treecli.kernels.cuts import NO_SIDE
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.tree import ALL_BRANCHES, LEAF, Tree, kinds

PORTIONS = 8
"""A node is split by all threads together while it holds more than one in so many of the cases."""

MOST_CLASSES = 256
"""The class of a case is a byte."""

NO_LIMIT = np.iinfo(np.int64).max

IMPURITIES = ("entropy", "gini")
MISSING = ("fractional", "majority", "branch", "error")

FREE = (
    *("criterion", "nominal", "threshold", "missing", "unseen", "max_depth", "min_split", "min_leaf", "max_leaves"),
    *("seed", "laplace", "collapse", "tolerance"),
)
"""The settings that may be other than usual."""


def applies(dataset: Dataset, settings: Settings, criterion: Criterion) -> bool:
    """Whether this way can grow what is asked for."""
    if criterion.impurity not in IMPURITIES or criterion.is_test or settings.threshold not in ("midpoint", "datavalue"):
        return False
    usual = Settings()
    if replace(settings, **{name: getattr(usual, name) for name in FREE}) != usual or settings.missing not in MISSING:
        return False
    schema, target = dataset.schema, dataset.target
    return (
        all(attribute.is_numeric for attribute in schema.attributes)
        and schema.is_classification
        and len(schema.target.labels) <= MOST_CLASSES
        and target is not None
        and 0 < len(target) < np.iinfo(np.int32).max // 2
        and bool((target >= 0).all())
        and bool((dataset.weights == 1.0).all())
        and not any(np.isnan(column).any() for column in dataset.columns)
    )


def grown(
    dataset: Dataset,
    settings: Settings,
    criterion: Criterion,
    jobs: int | None,
    on_progress: Callable[[float], None] | None,
) -> tuple[Tree, Floats]:
    """The tree, and by how much each of its splits lowers the total impurity."""
    with ThreadPoolExecutor(jobs or cpu_count() or 1) as threads:
        finisher = _Finisher(dataset, settings, criterion, threads)
        finisher.split_big_nodes()
        nodes = finisher.finish(on_progress)
    return _tree(nodes.in_level_order(), dataset, settings, criterion)


@dataclass(slots=True)
class _Nodes:
    """Nodes in the order in which they were made; the children of an inner node are two that follow each other."""

    attribute: Codes
    lower: Floats
    upper: Floats
    gain: Floats
    information: Floats
    first_child: Codes
    counts: Codes

    @classmethod
    def room_for(cls, n: int, n_classes: int) -> _Nodes:
        return cls(
            np.full(n, LEAF, np.int32),
            np.zeros(n),
            np.zeros(n),
            np.zeros(n),
            np.zeros(n),
            np.zeros(n, np.int32),
            np.zeros((n, n_classes), np.int32),
        )

    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.attribute, self.lower, self.upper, self.gain, self.information, self.first_child, self.counts

    def take(self, nodes: Any) -> _Nodes:
        return _Nodes(*(values[nodes].copy() for values in self.arrays()))

    def in_level_order(self) -> _Nodes:
        """The nodes level by level, each level in the order of its parents."""
        order = [np.zeros(1, np.int64)]
        while len(order[-1]):
            first = self.first_child[order[-1]].astype(np.int64)
            first = first[first > 0]
            order.append(np.stack([first, first + 1], axis=1).ravel())
        nodes = self.take(np.concatenate(order))
        is_inner = nodes.first_child > 0
        nodes.first_child[is_inner] = 1 + 2 * np.arange(np.count_nonzero(is_inner))
        return nodes


class _Finisher:
    """The attribute lists of all cases, and the nodes that have been split so far."""

    def __init__(self, dataset: Dataset, settings: Settings, criterion: Criterion, threads: ThreadPoolExecutor) -> None:
        assert dataset.target is not None
        self._threads = threads
        self._n_attributes = len(dataset.columns)
        self._n_classes = len(dataset.schema.target.labels)
        n = self._n_cases = dataset.n_rows
        self._case = np.empty((self._n_attributes, n), np.int32)
        self._value = np.empty((self._n_attributes, n))
        self._class_of_case = dataset.target.astype(np.uint8)
        self._goes_left = np.empty(n, np.uint8)
        self._xlog2_of = np.arange(n + 1, dtype=np.float64)
        self._xlog2_of[1:] *= np.log2(self._xlog2_of[1:])
        self._impurity = impurity.CODES[criterion.impurity]
        self._is_ratio = criterion.is_ratio
        self._tolerance = settings.tolerance
        self._min_leaf = max(ceil(settings.min_leaf - settings.tolerance), 1)
        self._min_split = 2 * settings.min_leaf if settings.min_split is None else settings.min_split
        self._max_depth = NO_LIMIT if settings.max_depth is None else settings.max_depth
        if settings.max_leaves is not None:
            self._max_depth = min(self._max_depth, settings.max_leaves - 1)

        def sort(a: int) -> None:
            column = dataset.columns[a]
            self._case[a] = np.argsort(column)
            np.take(column, self._case[a], out=self._value[a])

        self._for_all(sort)

    def _for_all(self, work: Callable[[int], None]) -> None:
        for _ in self._threads.map(work, range(self._n_attributes)):
            pass

    def split_big_nodes(self) -> None:
        """Splits the nodes that hold many of the cases, and sets aside the others as subtrees to be grown."""
        self._top = _Nodes.room_for(1, self._n_classes)
        self._subtrees: list[tuple[int, int, int, int]] = []
        made = [self._top]
        n_made = 1
        pending = [(0, 0, self._n_cases, 0)]
        while pending:
            node, lo, hi, depth = pending.pop()
            if (hi - lo) * PORTIONS <= self._n_cases or depth >= self._max_depth:
                self._subtrees.append((node, lo, hi, depth))
                continue
            place = made[0] if node == 0 else made[(node + 1) // 2]
            last_left = self._split(place, 0 if node == 0 else (node + 1) % 2, lo, hi)
            if last_left is None:
                continue
            place.first_child[0 if node == 0 else (node + 1) % 2] = n_made
            made.append(_Nodes.room_for(2, self._n_classes))
            pending += [(n_made, lo, last_left + 1, depth + 1), (n_made + 1, last_left + 1, hi, depth + 1)]
            n_made += 2
        self._top = _joined(made)

    def _split(self, nodes: _Nodes, place: int, lo: int, hi: int) -> int | None:
        """Splits one node with all threads; gives the place of the last case that goes left, or None for a leaf."""
        counts = nodes.counts[place : place + 1]
        is_mixed = subtree.count(self._case, self._class_of_case, lo, hi, counts)
        if not is_mixed or hi - lo < self._min_split - self._tolerance:
            return None
        gain, information = np.empty(self._n_attributes), np.empty(self._n_attributes)
        cut = np.empty(self._n_attributes, np.int64)

        def scan(a: int) -> None:
            scratch = np.empty((subtree.SCRATCH_ROWS, self._n_classes), np.int64)
            limits = self._xlog2_of, self._impurity, self._min_leaf, self._tolerance, counts
            lists = self._case, self._value, self._class_of_case
            subtree.scan(*lists, *limits, a, lo, hi, scratch, gain, information, cut)

        self._for_all(scan)
        best = subtree.choose(self._is_ratio, self._tolerance, gain, information, cut)
        if best < 0:
            return None
        last_left = int(cut[best])
        nodes.attribute[place] = best
        nodes.lower[place], nodes.upper[place] = self._value[best, last_left], self._value[best, last_left + 1]
        nodes.gain[place], nodes.information[place] = gain[best], information[best]
        subtree.mark(self._case, best, lo, hi, last_left, self._goes_left)

        def part(a: int) -> None:
            if a != best:
                spare = np.empty(hi - lo, np.int32), np.empty(hi - lo)
                subtree.part(self._case, self._value, self._goes_left, a, lo, hi, *spare)

        self._for_all(part)
        return last_left

    def finish(self, on_progress: Callable[[float], None] | None) -> _Nodes:
        """All nodes, after the subtrees have been grown, the largest first."""
        tasks = sorted(self._subtrees, key=lambda task: task[1] - task[2])
        made = [self._top]
        n_made = len(self._top.attribute)
        n_done = 0
        for (node, lo, hi, _), grown in zip(tasks, self._threads.map(self._grow, tasks), strict=True):
            is_inner = grown.first_child > 0
            # The subtree's root has a place already; its other nodes follow all that were made before.
            grown.first_child[is_inner] += n_made - 1
            for values, own in zip(self._top.arrays(), grown.arrays(), strict=True):
                values[node] = own[0]
            made.append(grown.take(slice(1, None)))
            n_made += len(grown.attribute) - 1
            n_done += hi - lo
            if on_progress is not None:
                on_progress(n_done / self._n_cases)
        if on_progress is not None:
            on_progress(1.0)
        return _joined(made)

    def _grow(self, task: tuple[int, int, int, int]) -> _Nodes:
        _, lo, hi, depth = task
        n = hi - lo
        most = 2 * n
        nodes = _Nodes.room_for(most, self._n_classes)
        n_nodes = subtree.grow(
            self._case,
            self._value,
            self._class_of_case,
            self._goes_left,
            self._xlog2_of,
            self._impurity,
            self._is_ratio,
            self._min_split,
            self._min_leaf,
            self._max_depth - depth,
            self._tolerance,
            lo,
            hi,
            np.empty(n, np.int32),
            np.empty(n),
            np.empty((subtree.SCRATCH_ROWS, self._n_classes), np.int64),
            np.empty(self._n_attributes),
            np.empty(self._n_attributes),
            np.empty(self._n_attributes, np.int64),
            *(np.empty(most, np.int32) for _ in range(4)),
            *nodes.arrays(),
        )
        return nodes.take(slice(0, n_nodes))


def _joined(parts: list[_Nodes]) -> _Nodes:
    return _Nodes(*(np.concatenate(values) for values in zip(*(part.arrays() for part in parts), strict=True)))


def _tree(nodes: _Nodes, dataset: Dataset, settings: Settings, criterion: Criterion) -> tuple[Tree, Floats]:
    """The nodes as a tree, with thresholds where the settings want them."""
    is_inner = nodes.first_child > 0
    number = np.zeros(len(is_inner))
    for a in np.unique(nodes.attribute[is_inner]).tolist():
        of_attribute = np.flatnonzero(nodes.attribute == a)
        found = _candidates(nodes, of_attribute)
        if settings.threshold == "datavalue":
            column = dataset.columns[a]
            found = threshold.at_data_values(found, np.unique(column), column, 0.0)
        assert found.number is not None
        number[of_attribute] = found.number
    weight = nodes.counts.sum(axis=1, dtype=np.float64)
    missing_to = np.full(len(is_inner), ALL_BRANCHES, np.int32)
    if settings.missing != "fractional":
        left = nodes.first_child[is_inner]
        missing_to[is_inner] = weight[left + 1] > weight[left]
    merit = nodes.gain / np.where(is_inner, nodes.information, 1.0) if criterion.is_ratio else nodes.gain
    tree = Tree(nodes.counts.shape[1])
    for values, own in (
        (tree.kind, np.where(is_inner, kinds().index("threshold"), LEAF)),
        (tree.attribute, nodes.attribute),
        (tree.number, number),
        (tree.missing_to, missing_to),
        (tree.first_child, nodes.first_child),
        (tree.n_branches, np.where(is_inner, 2, 0)),
        (tree.score, np.where(is_inner, merit, 0.0)),
        (tree.outcomes, nodes.counts.ravel()),
    ):
        values.frombytes(np.ascontiguousarray(own).astype(values.typecode).tobytes())
    for start in (tree.table_start, tree.further_start):
        start.frombytes(np.zeros(len(is_inner), np.int64).tobytes())
    return tree, nodes.gain * weight


def _candidates(nodes: _Nodes, chosen: Indices) -> Candidates:
    n = len(chosen)
    sides = np.full(n, NO_SIDE, np.int32)
    cuts = Cuts(
        nodes.gain[chosen], nodes.information[chosen], nodes.lower[chosen], nodes.upper[chosen], sides, empty_test(n)
    )
    return threshold.best(cuts, None, is_ordinal=False)
