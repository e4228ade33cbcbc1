"""Sets of literals for the open nodes of a level, found by hill climbing (ID2-of-3, Murphy and Pazzani 1991).

The values of an attribute at a node are bins: labels, or the values between thresholds. A literal is one bin (x = v),
or all bins up to one (x <= t) or above it (x > t). One table of the outcomes by state and bin scores all literals of an
attribute at once; a case's state says whether one literal more would change its side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treecli.expressions import Holds
from treecli.grow.thresholds import shortened
from treecli.kernels import codes, impurity

if TYPE_CHECKING:
    from treecli.grow.candidates import Codes, Flags, Floats, Indices
    from treecli.grow.level import MemoryLevel
    from treecli.grow.proposals import OpenNodes
    from treecli.kernels.args import Plan

MOST_LITERALS = 5

MOST_THRESHOLDS = 20
"""Of each attribute at a node, spread evenly over the boundary points if there are more."""

LEAST_IMPROVEMENT = 1e-6
"""The gain that a literal must add, as a share of the node's impurity."""

ROOM = 1 << 22
"""The largest number of outcomes in a table; larger levels are searched in portions of nodes."""

FEWEST_CASES = 4

_SAME = 1e-9
_EQUAL, _AT_MOST, _ABOVE = range(3)
_FAR_BELOW, _ONE_BELOW, _AT, _OVER = range(4)
"""The states of a case: the number of its literals that hold, compared with m."""


class Column(NamedTuple):
    """The bins of one attribute: of each case, below 0 if missing, and the thresholds of each node between them."""

    bin: Indices
    n_bins: int
    thresholds: Floats | None


class Literal(NamedTuple):
    """A literal of a node: attribute, comparison and bin."""

    attribute: int
    comparison: int
    bin: int


def found(nodes: OpenNodes) -> Iterator[tuple[int, list[Holds]]]:
    """Yield nodes with the set of literals found there, at least two."""
    columns = [_column(nodes, attribute) for attribute in range(len(nodes.schema.attributes))]
    level, plan = nodes.level, nodes.plan
    size = max((column.n_bins for column in columns), default=1) * level.totals.shape[1] * 4
    step = max(ROOM // size, 1)
    for first in range(0, level.n_nodes, step):
        climb = _Climb(level, columns, plan, (first, min(first + step, level.n_nodes)))
        climb.run()
        for node, literals in enumerate(climb.literals, start=first):
            if len(literals) > 1:
                yield node, [_holds(nodes, columns, node, literal) for literal in literals]


def _holds(nodes: OpenNodes, columns: list[Column], node: int, literal: Literal) -> Holds:
    """Return a literal as an expression."""
    index, comparison, place = literal
    attribute, thresholds = nodes.schema.attributes[index], columns[index].thresholds
    if thresholds is None:
        return Holds(index, labels=(place,))
    threshold = float(thresholds[node, place])
    if attribute.is_numeric:
        return Holds(index, high=threshold) if comparison == _AT_MOST else Holds(index, low=threshold)
    last = int(np.floor(threshold))
    n_labels = len(attribute.labels)
    return Holds(index, labels=tuple(range(last + 1) if comparison == _AT_MOST else range(last + 1, n_labels)))


def _column(nodes: OpenNodes, attribute: int) -> Column:
    described, level = nodes.schema.attributes[attribute], nodes.level
    if described.kind == "nominal":
        return Column(nodes.column(attribute).astype(np.int64), len(described.labels), None)
    order = level.orders[attribute]
    node = level.node_of_case
    place = np.arange(level.n_cases) - level.start[node]
    is_known = place < order.n_known[node]
    value = np.where(is_known, order.value, 0.0)
    is_cut = np.zeros(level.n_cases, bool)
    is_cut[:-1] = is_known[1:] & (node[1:] == node[:-1]) & (value[:-1] + order.gap < value[1:])
    if not nodes.plan.is_numeric:
        is_cut &= _is_boundary(level.label[order.case], is_cut | ~is_known | (place == np.diff(level.start)[node] - 1))
    cut = np.flatnonzero(is_cut)
    n_cuts = np.bincount(node[cut], minlength=level.n_nodes)
    rank = np.arange(len(cut)) - (np.cumsum(n_cuts) - n_cuts)[node[cut]]
    n_own = np.maximum(n_cuts, 1)[node[cut]]
    few = np.minimum(n_own, MOST_THRESHOLDS)
    cut = cut[(rank + 1) * few // n_own > rank * few // n_own]
    n_cuts = np.bincount(node[cut], minlength=level.n_nodes)
    rank = np.arange(len(cut)) - (np.cumsum(n_cuts) - n_cuts)[node[cut]]
    thresholds = np.full((level.n_nodes, int(n_cuts.max(initial=0))), np.nan)
    low, high = value[cut], value[cut + 1]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = low / 2 + high / 2
    middle = np.where((low <= middle) & (middle < high), middle, low)
    thresholds[node[cut], rank] = shortened(middle, low, high)
    is_after = np.zeros(level.n_cases, np.int64)
    is_after[cut + 1] = 1
    after = np.cumsum(is_after)
    bins = np.empty(level.n_cases, np.int64)
    bins[order.case] = np.where(is_known, after - after[level.start[:-1]][node], -1)
    return Column(bins, thresholds.shape[1] + 1, thresholds)


def _is_boundary(label: Codes, is_last: Flags) -> Flags:
    """Return whether the block of equal values that ends at a place and the next are not both of one same class."""
    first = np.concatenate([[0], np.flatnonzero(is_last)[:-1] + 1])
    least, most = np.minimum.reduceat(label, first), np.maximum.reduceat(label, first)
    differs = np.zeros(len(first), bool)
    differs[:-1] = (least[:-1] != most[:-1]) | (least[1:] != most[1:]) | (least[:-1] != least[1:])
    found = np.zeros(len(label), bool)
    found[np.flatnonzero(is_last)] = differs
    return found


@dataclass
class _Step:
    """The best literal to add at each node, whether m rises with it, and the gain."""

    attribute: Indices
    comparison: Indices
    bin: Indices
    raises: Flags
    gain: Floats


class _Climb:
    """Nodes of a level, their sets of literals so far, and the cases that satisfy them."""

    def __init__(self, level: MemoryLevel, columns: list[Column], plan: Plan, nodes: tuple[int, int]) -> None:
        first, last = nodes
        own = slice(level.start[first], level.start[last])
        self._n_nodes = last - first
        self._columns = [
            Column(bins[own], n_bins, None if thresholds is None else thresholds[first:last])
            for bins, n_bins, thresholds in columns
        ]
        self._place = level.node_of_case[own] - first
        self._is_numeric = plan.is_numeric
        self._impurity = {codes.ERROR: codes.GINI, codes.ABSOLUTE: codes.VARIANCE}.get(plan.impurity, plan.impurity)
        self._least_variance = plan.least_variance
        weight = level.weight[own]
        if plan.is_scaled:
            weight = weight * np.asarray(plan.class_scale)[level.label[own]]
        total = np.bincount(self._place, weight, minlength=self._n_nodes)
        share = weight / total[self._place]
        self._least = np.maximum(plan.min_leaf / total, _SAME) - _SAME / 2
        self._label, self._n_outcomes = level.label[own], level.totals.shape[1]
        self._outcome = [share]
        if plan.is_numeric:
            away = level.target[own] - np.bincount(self._place, share * level.target[own])[self._place]
            self._outcome = [share, share * away, share * away**2]
        n_cases = len(self._place)
        self._is_known = np.ones(n_cases, bool)
        self._count = np.zeros(n_cases, np.int64)
        self._needed = np.zeros(self._n_nodes, np.int64)
        self.gain = np.zeros(self._n_nodes)
        self.literals: list[list[Literal]] = [[] for _ in range(self._n_nodes)]
        self._holds: list[Codes] = []
        self._steps: list[_Step] = []
        unsplit = self._spreads(self._table(np.zeros(n_cases, np.int64), 1))[:, 0]
        self._enough = LEAST_IMPROVEMENT * unsplit
        self._is_open = np.bincount(self._place, minlength=self._n_nodes) >= FEWEST_CASES

    def run(self) -> None:
        """Add literals while the gain rises, then remove those that are not needed."""
        for _ in range(MOST_LITERALS):
            step = self._best_step()
            self._is_open &= step.gain > self.gain + self._enough
            if not self._is_open.any():
                break
            self._add(step)
        self._clean_up()

    def _table(self, key: Indices, n_keys: int) -> Floats:
        """Return the outcomes by node and key; cases with a key below 0 are left out."""
        is_in = key >= 0
        cell = (self._place * n_keys + key)[is_in]
        shape = (self._n_nodes, n_keys, self._n_outcomes)
        if self._is_numeric:
            n_cells = self._n_nodes * n_keys
            sums = [np.bincount(cell, of_case[is_in], minlength=n_cells) for of_case in self._outcome]
            return np.asarray(np.stack(sums, axis=-1).reshape(shape), np.float64)
        cell = cell * self._n_outcomes + self._label[is_in]
        counts = np.bincount(cell, self._outcome[0][is_in], minlength=self._n_nodes * n_keys * self._n_outcomes)
        return np.asarray(counts.reshape(shape), np.float64)

    def _spreads(self, outcomes: Floats) -> Floats:
        """Return weight times impurity for tables of outcomes; the last axis is one outcome."""
        rows = np.ascontiguousarray(outcomes).reshape(-1, self._n_outcomes)
        out = np.empty(len(rows))
        impurity.spreads(rows, self._impurity, self._least_variance, out)
        return out.reshape(outcomes.shape[:-1])

    def _gains(self, true: Floats, whole: Floats) -> Floats:
        """Return the gain of tests from the outcomes of the cases that satisfy them, and of all known cases."""
        false = whole - true
        gain = self._spreads(whole) - self._spreads(true) - self._spreads(false)
        weights = [side[..., 0] if self._is_numeric else side.sum(axis=-1) for side in (true, false)]
        least = self._least.reshape(-1, *(1 for _ in gain.shape[1:]))
        return np.where((weights[0] >= least) & (weights[1] >= least), gain, -np.inf)

    def _best_step(self) -> _Step:
        """Return the best literal of all attributes for every node; ties go to the first."""
        n = self._n_nodes
        nothing = np.zeros(n, np.int64)
        best = _Step(nothing - 1, nothing.copy(), nothing.copy(), np.zeros(n, bool), np.full(n, -np.inf))
        compared = np.clip(self._count - self._needed[self._place] + 2, 0, 3)
        for attribute, column in enumerate(self._columns):
            if column.n_bins < 2:
                continue
            is_known = self._is_known & (column.bin >= 0)
            key = np.where(is_known, compared * column.n_bins + column.bin, -1)
            table = self._table(key, 4 * column.n_bins).reshape(n, 4, column.n_bins, self._n_outcomes)
            for comparison in (_EQUAL,) if column.thresholds is None else (_AT_MOST, _ABOVE):
                self._improve(best, table, attribute, comparison)
        return best

    def _improve(self, best: _Step, table: Floats, attribute: int, comparison: int) -> None:
        """Replace the best step at nodes where a literal of one attribute and comparison gains more."""
        by_state = table.sum(axis=2)
        whole = by_state.sum(axis=1)[:, None]
        holding = table
        if comparison != _EQUAL:
            holding = np.cumsum(table, axis=2)[:, :, :-1]
        if comparison == _ABOVE:
            holding = by_state[:, :, None] - holding
        blocked = self._blocked(attribute, comparison, holding.shape[2])
        for raises in (False, True):
            base = by_state[:, _OVER] if raises else by_state[:, _OVER] + by_state[:, _AT]
            gain = self._gains(base[:, None] + holding[:, _AT if raises else _ONE_BELOW], whole)
            gain[blocked] = -np.inf
            if not raises:
                gain[self._needed == 0] = -np.inf
            most = gain.max(axis=1)
            place = (gain >= most[:, None] - _SAME).argmax(axis=1)
            is_better = most > best.gain + _SAME
            best.gain[is_better], best.raises[is_better] = most[is_better], raises
            best.attribute[is_better], best.comparison[is_better] = attribute, comparison
            best.bin[is_better] = place[is_better]

    def _blocked(self, attribute: int, comparison: int, n_bins: int) -> Flags:
        """Return the literals that repeat, imply or negate one that a node has, or whose threshold it has not."""
        thresholds = self._columns[attribute].thresholds
        blocked = np.zeros((self._n_nodes, n_bins), bool) if thresholds is None else np.isnan(thresholds)
        for step in self._steps:
            has_other = (step.attribute == attribute) & (step.bin < n_bins)
            is_alike = step.comparison == comparison
            blocked[has_other, step.bin[has_other]] = True
            if comparison != _EQUAL or n_bins == 2:
                blocked[(step.attribute == attribute) & is_alike] = True
        return blocked

    def _add(self, step: _Step) -> None:
        """Add the literals to the sets of the open nodes."""
        is_open = self._is_open
        holds = np.zeros(len(self._place), np.int32)
        for attribute in sorted(set(step.attribute[is_open].tolist())):
            own = (is_open & (step.attribute == attribute))[self._place]
            place, bins = self._place[own], self._columns[attribute].bin[own]
            comparison, at = step.comparison[place], step.bin[place]
            is_true = np.select([comparison == _EQUAL, comparison == _AT_MOST], [bins == at, bins <= at], bins > at)
            holds[own] = np.where(bins < 0, -1, is_true)
        self._holds.append(holds)
        self._steps.append(replace(step, attribute=np.where(is_open, step.attribute, -1)))
        self._is_known &= holds >= 0
        self._count += np.maximum(holds, 0)
        self._needed[is_open & step.raises] += 1
        self.gain[is_open] = step.gain[is_open]
        for node in np.flatnonzero(is_open).tolist():
            place = (int(array[node]) for array in (step.attribute, step.comparison, step.bin))
            self.literals[node].append(Literal(*place))

    def _clean_up(self) -> None:
        """Remove literals without which the gain is no lower, with the same m or one less."""
        is_in = np.array([[slot < len(own) for own in self.literals] for slot in range(len(self._holds))], bool)
        for slot in range(len(self._holds)):
            others = [other for other in range(len(self._holds)) if other != slot]
            kept = [np.where(is_in[other][self._place], self._holds[other], 0) for other in others]
            count = sum(np.maximum(holds, 0) for holds in kept) + np.zeros(len(self._place), np.int64)
            is_known = np.logical_and.reduce([holds >= 0 for holds in kept], axis=0, initial=True)
            for less in (0, 1):
                needed = self._needed - less
                is_true = count >= needed[self._place]
                sides = self._table(np.where(is_known, is_true, -1), 2)
                gain = self._gains(sides[:, 1], sides.sum(axis=1))
                gone = is_in[slot] & (gain >= self.gain - _SAME) & (is_in.sum(axis=0) > 1) & (needed > 0)
                is_in[slot] &= ~gone
                self.gain[gone], self._needed[gone] = gain[gone], needed[gone]
        for node, own in enumerate(self.literals):
            self.literals[node] = [literal for slot, literal in enumerate(own) if is_in[slot, node]]
