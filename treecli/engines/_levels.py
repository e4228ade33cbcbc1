"""Levels of an engine that counts: nodes with their sizes, without their cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.candidates import CountTables
from treecli.grow.level import Level, MemoryLevel, SortedCases

if TYPE_CHECKING:
    from treecli.engines._parts import Divided
    from treecli.grow.candidates import Codes, Cuts, Flags, Floats, Indices
    from treecli.grow.choose import Decision
    from treecli.kernels.args import Plan
    from treecli.splits._surrogate import Surrogate

NO_ENTRY = -1


@dataclass(frozen=True)
class CountedLevel(Level):
    """Open nodes with the number of their cases; `slot` is the number of each among the children last sent."""

    size: Indices
    slot: Indices
    is_whole: bool
    sums: Floats | None = None
    mean: Floats | None = None
    """For a numeric target: weight, sum and sum of squares about the mean of each node."""

    @property
    def n_cases(self) -> int:
        return int(self.size.sum())

    @property
    def totals(self) -> Floats:
        """The additive outcomes of each node, as in MemoryLevel."""
        return self.outcomes if self.sums is None else self.sums

    @property
    def center(self) -> Floats:
        return np.zeros(self.n_nodes) if self.mean is None else self.mean

    def weights(self, plan: Plan) -> Floats:
        if plan.is_numeric:
            return self.totals[:, 0].copy()
        return np.asarray(self.outcomes @ np.asarray(plan.class_scale))

    def part(self, is_taken: Flags) -> CountedLevel:
        """Return a level of the selected nodes."""
        return CountedLevel(
            self.numbers[is_taken],
            self.outcomes[is_taken],
            self.depth,
            self.size[is_taken],
            self.slot[is_taken],
            self.is_whole,
            None if self.sums is None else self.sums[is_taken],
            None if self.mean is None else self.mean[is_taken],
        )


@dataclass(frozen=True)
class Counted:
    """The counts of one attribute at the nodes of a level: entries of known values, and the classes without a value.

    For numbers, an entry may stand for a range of values that no chosen cut divides: from `low` to CountTables.value.
    """

    tables: CountTables
    missing: Floats
    unknown: Floats
    """By node: the weight of the cases without a value times their class scales, added in the order of the rows."""
    low: Floats | None = None
    cuts: Cuts | None = None
    """The best cut of each node, found while the cases of a numeric target were read; then `tables` is empty."""

    def with_missing(self) -> CountTables:
        """Return the tables with missing values as the last label of each node where a value is missing."""
        tables, n_nodes = self.tables, len(self.missing)
        lacking = np.flatnonzero(self.missing.any(axis=1))
        if not len(lacking):
            return tables
        at = tables.start[lacking + 1]
        n_in_node = np.diff(tables.start)
        n_in_node[lacking] += 1
        return CountTables(
            tables.n_labels,
            np.concatenate([[0], np.cumsum(n_in_node)])[: n_nodes + 1],
            np.insert(tables.code, at, tables.n_labels).astype(np.int32),
            np.insert(tables.outcomes, at, self.missing[lacking], axis=0),
            np.insert(tables.n_rows, at, 0),
            tables.weights,
        )

    def between_ranges(self, cuts: Cuts) -> Cuts:
        """Return cuts of the highest values of entries, with the lowest value of the entry above each."""
        start, value, low = self.tables.start, self.tables.value, self.low
        assert value is not None
        assert low is not None
        upper = cuts.upper.copy()
        for node in range(len(upper)):
            own = slice(start[node], start[node + 1])
            place = np.searchsorted(value[own], upper[node])
            if place < start[node + 1] - start[node]:
                upper[node] = low[own][place]
        return replace(cuts, upper=upper)

    def cases(self) -> CountedCases:
        """Return the counts as weighted cases in the order of nodes and entries, missing values last."""
        tables, n_nodes = self.tables, len(self.missing)
        node_of_entry = np.repeat(np.arange(n_nodes), np.diff(tables.start))
        entry, label = np.nonzero(tables.outcomes)
        lacking, label_of_lacking = np.nonzero(self.missing)
        node = np.concatenate([node_of_entry[entry], lacking])
        weight = np.concatenate([tables.outcomes[entry, label], self.missing[lacking, label_of_lacking]])
        order = np.argsort(node, kind="stable")
        return CountedCases(
            np.concatenate([[0], np.cumsum(np.bincount(node, minlength=n_nodes))]),
            np.concatenate([label, label_of_lacking])[order].astype(np.int32),
            weight[order],
            np.concatenate([entry, np.full(len(lacking), NO_ENTRY)])[order],
            np.bincount(node_of_entry[entry], minlength=n_nodes),
        )


@dataclass(frozen=True)
class CountedCases:
    """Counts as weighted cases: one for each entry and class; node i has the cases start[i] to start[i + 1]."""

    start: Indices
    label: Codes
    weight: Floats
    entry: Indices
    """The entry of each case; NO_ENTRY if its value is missing."""
    n_known: Indices

    @cached_property
    def node(self) -> Indices:
        return np.repeat(np.arange(len(self.n_known)), np.diff(self.start))

    def padded(self, least: int) -> CountedCases:
        """Return at least so many known cases at each node, if it has as many rows: heavy cases are divided.

        A rule of C4.5 asks for a number of cases, whatever they weigh.
        """
        node = self.node
        is_few = (self.n_known < least)[node] & (self.entry != NO_ENTRY)
        if not is_few.any():
            return self
        n_parts = np.where(is_few, np.minimum(self.weight, least), 1).astype(np.int64)
        case = np.repeat(np.arange(len(node)), n_parts)
        is_last = np.ones(len(case), bool)
        is_last[:-1] = case[1:] != case[:-1]
        weight = np.where(is_last, (self.weight - n_parts + 1)[case], 1.0)
        n_known = np.bincount(node, np.where(self.entry != NO_ENTRY, n_parts, 0), len(self.n_known)).astype(np.int64)
        start = np.concatenate([[0], np.cumsum(np.bincount(node, n_parts, len(self.n_known)))]).astype(np.int64)
        return CountedCases(start, self.label[case], weight, self.entry[case], n_known)

    def level(self, level: CountedLevel, orders: dict[int, SortedCases]) -> MemoryLevel:
        """Return a level with these cases."""
        n = len(self.label)
        row, key = np.arange(n, dtype=np.int32), np.zeros(level.n_nodes, np.uint64)
        of_cases = self.start, row, self.label, np.zeros(n), self.weight, level.center, level.totals
        return MemoryLevel(level.numbers, level.outcomes, level.depth, *of_cases, orders, level.is_whole, key)


@dataclass
class SentCounts:
    """Splits of a level with the sums of their branches; fields with a default are set later."""

    level: CountedLevel
    decision: Decision
    counted: dict[int, Counted]
    """The counts of each attribute that splits a node."""
    decrease: Floats
    information: Floats
    children: Floats = field(default_factory=lambda: np.empty((0, 0)))
    divided: Divided | None = None
    """If rows were divided among the children."""
    sums: Floats = field(default_factory=lambda: np.empty((0, 0)))
    rest: Floats = field(default_factory=lambda: np.empty(0))
    """For a numeric target, as in SentCases."""
    surrogates: dict[int, Sequence[Surrogate]] = field(default_factory=dict)

    def n_rows(self) -> Indices:
        """Return the number of cases of each child; only for rows without weights."""
        n_rows: Indices = self.children.sum(axis=1).astype(np.int64)
        return n_rows
