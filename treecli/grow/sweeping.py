"""The thresholds of a level with the largest gain one level ahead, found in compiled loops.

Under the gain ratio, only attributes whose gain is at least average compete. An attribute whose thresholds are all
worth less than a lower bound of the average is left out before its best threshold is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli.grow.alternatives import Alternatives
from treecli.grow.candidates import NO_GAIN, Flags, Floats, Indices
from treecli.grow.followups import ENDLESS, FollowUps, most_of
from treecli.kernels import codes
from treecli.kernels.choose import AVERAGE_SLACK, LEAST_INFORMATION
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan

PROBES = (0.5,)
"""Where thresholds are tried first, besides the best one by itself: shares of the thresholds of a node."""

FEW = 100
"""The best of so few thresholds of a node is found at once."""

ROUNDING = 1e-9
"""More than rounding changes a mean of gains, far less than matters."""

CASES_OF_ONE = 64
"""Looking ahead from the thresholds of a case takes at least the time that other work takes for so many cases."""

MARGIN = 8.0
"""A threshold is surely found again if only gains above its own, less this many slacks, are searched."""


class Worth(NamedTuple):
    """The gain of the subtrees below some splits, and the split information of their leaves."""

    gain: Floats
    split_info: Floats


class Valued(NamedTuple):
    """The best split on one attribute: the nodes that have one, its place among those that are tried, its worth."""

    node: Indices
    place: Indices
    worth: Worth


@dataclass(frozen=True, slots=True)
class Sweep:
    """The nodes of a level, whose ordered attributes have thresholds that are looked ahead from."""

    engine: Any
    plan: Plan
    level: MemoryLevel
    ahead: FollowUps

    @property
    def slack(self) -> Floats:
        """By node: the difference up to which gains are equal."""
        return self.ahead.slack

    def each(self, thresholds: Sequence[Alternatives], floor: Floats | None = None) -> list[Valued]:
        """Return the best threshold of every attribute; with a `floor`, which is raised, only the best ones of all."""

        def valued(own: Alternatives) -> Valued:
            gain = self.ahead.worth(own, self._everything() if floor is None else floor)
            node, place = first_best(own.node, gain, own.splits.gain, self.slack)
            return self._valued(own, node, place, gain[place])

        if floor is None:
            return self.mapped(valued, thresholds)
        order = self._promising(thresholds, floor)
        if self.ahead.most_steps < ENDLESS:
            # The floor is raised by one attribute after the other, so that the number of steps does not vary.
            found = [valued(thresholds[i]) for i in order]
        else:
            found = self.mapped(valued, [thresholds[i] for i in order])
        return [found[i] for i in np.argsort(order)]

    def competing(self, thresholds: Sequence[Alternatives], others: Mapping[int, Valued]) -> list[Valued]:
        """Return the best threshold of every attribute whose gain may be at least average.

        Other attributes have a threshold that is worth less than the average, but not the best one; which of them are
        at least average stays the same. `others` has the splits of the other attributes.
        """
        if any((own.splits.split_info <= LEAST_INFORMATION).any() for own in thresholds):
            return self.each(thresholds)
        search = _Search(self, thresholds, others)
        search.probe()
        search.raise_to(search.floor())
        search.raise_to(search.doubtful())
        return search.valued()

    def _promising(self, thresholds: Sequence[Alternatives], floor: Floats) -> Indices:
        """Return the places of the attributes, first those of which a few thresholds are worth most; raise the floor.

        A high floor leaves out most thresholds of all attributes but the best.
        """
        size = np.diff(self.level.start)

        def worth(own: Alternatives) -> float:
            place = _probes(own, few=0)
            few = own.taken(place[size[own.node[place]] > FEW])
            gain = self.ahead.worth(few, floor)
            node, place = first_best(few.node, gain, few.splits.gain, self.slack)
            is_found = np.isfinite(gain[place])
            return float((size[node] * gain[place])[is_found].sum())

        return np.argsort([-each for each in self.mapped(worth, thresholds)], kind="stable")

    def mapped(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        """Return the results for all tasks, by several threads if they take long enough."""
        found: list[Any] = self.engine.map(function, tasks, CASES_OF_ONE * self.level.n_cases)
        return found

    def _everything(self) -> Floats:
        return np.full(self.level.n_nodes, NO_GAIN)

    def _valued(self, own: Alternatives, node: Indices, place: Indices, gain: Floats) -> Valued:
        info = own.splits.split_info[place]
        if self.plan.rank == codes.BY_RATIO:  # only the gain ratio depends on it
            info = info + self.ahead.information(own, node, place)
        return Valued(node, place, Worth(gain, info))


class _Search:
    """Thresholds of attributes (rows) at the nodes of a level (columns) with bounds of their gain one level ahead."""

    def __init__(self, sweep: Sweep, thresholds: Sequence[Alternatives], others: Mapping[int, Valued]) -> None:
        self._sweep, self._thresholds = sweep, thresholds
        shape = len(thresholds), sweep.level.n_nodes
        self._low, self._high = np.full(shape, NO_GAIN), np.full(shape, np.inf)
        """The gain of some threshold, and what no threshold exceeds."""
        self._place = np.zeros(shape, np.int64)
        self._is_best = np.zeros(shape, bool)
        self._other = np.full((len(others), shape[1]), NO_GAIN)
        """The gains of other attributes."""
        for row, own in enumerate(others.values()):
            has_split = own.worth.split_info > LEAST_INFORMATION
            self._other[row, own.node[has_split]] = own.worth.gain[has_split]
        is_counted = np.asarray(sweep.plan.is_counted).astype(bool)
        self._is_counted = is_counted[[*(own.attribute for own in thresholds), *others]]

    def probe(self) -> None:
        """Look ahead from a few thresholds of each attribute, or from all of them if they are few."""
        places = [_probes(own) for own in self._thresholds]
        for row, own in enumerate(self._thresholds):
            n, n_tried = (np.bincount(each, minlength=self._low.shape[1]) for each in (own.node, own.node[places[row]]))
            self._is_best[row] = n == n_tried
            self._high[row, n == 0] = NO_GAIN
        few = [own.taken(place) for own, place in zip(self._thresholds, places, strict=True)]
        for row, (node, place, gain) in enumerate(self._best(few, np.full(self._low.shape, NO_GAIN))):
            self._low[row, node], self._place[row, node] = gain, places[row][place]
        self._high = np.where(self._is_best, self._low, self._high)

    def floor(self) -> Floats:
        """Return the gain above which thresholds are of interest; infinity where the best one is known."""
        average = self._average(self._low) - AVERAGE_SLACK - ROUNDING
        return np.where(self._is_best, np.inf, np.maximum(self._low - MARGIN * self._sweep.slack, average))

    def doubtful(self) -> Floats:
        """Return the floor of a further search: infinity where it is certain which attributes are at least average."""
        least = self._average(self._low) - AVERAGE_SLACK - ROUNDING
        most = self._average(np.where(self._is_best, self._low, self._high)) - AVERAGE_SLACK + ROUNDING
        is_close = (self._is_best & (self._low >= least) & (self._low < most)) | (~self._is_best & (self._high > least))
        is_doubtful = is_close.any(axis=0) | ((self._other >= least) & (self._other < most)).any(axis=0)
        return np.where(is_doubtful & ~self._is_best, self._low - MARGIN * self._sweep.slack, np.inf)

    def raise_to(self, floor: Floats) -> None:
        """Find the best thresholds whose gain is above the floor; the others do not exceed it."""
        found = self._best(self._thresholds, floor)
        for row, (node, place, gain) in enumerate(found):
            is_above = gain > floor[row, node]
            best = node[is_above]
            self._high[row] = np.minimum(self._high[row], floor[row])
            self._low[row, best], self._place[row, best] = gain[is_above], place[is_above]
            self._high[row, best], self._is_best[row, best] = gain[is_above], True

    def valued(self) -> list[Valued]:
        """Return the thresholds; the information below them only where they may be at least average."""
        sweep = self._sweep
        least = self._average(self._low) - AVERAGE_SLACK - ROUNDING
        competes = self._is_best & (self._low >= least) & np.isfinite(self._low)

        def of(row: int) -> Valued:
            own, node = self._thresholds[row], np.flatnonzero(np.isfinite(self._low[row]))
            place, info = self._place[row, node], self._low[row].copy()
            info[node] = own.splits.split_info[place]
            full = np.flatnonzero(competes[row])
            info[full] = sweep._valued(own, full, self._place[row, full], self._low[row, full]).worth.split_info
            return Valued(node, place, Worth(self._low[row, node], info[node]))

        return sweep.mapped(of, range(len(self._thresholds)))

    def _best(self, thresholds: Sequence[Alternatives], floor: Floats) -> list[tuple[Indices, Indices, Floats]]:
        """Return the best of the thresholds above the floor: nodes, places and gains, by attribute."""
        sweep = self._sweep

        def best(row: int) -> tuple[Indices, Indices, Floats]:
            own = thresholds[row]
            if not (floor[row] < np.inf).any():
                return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
            gain = sweep.ahead.worth(own, floor[row].copy())
            node, place = first_best(own.node, gain, own.splits.gain, sweep.slack)
            is_found = np.isfinite(gain[place])
            return node[is_found], place[is_found], gain[place[is_found]]

        return sweep.mapped(best, range(len(thresholds)))

    def _average(self, gain: Floats) -> Floats:
        """Return the mean gain of the attributes that count and have a split; -inf if there is none."""
        everything = np.concatenate([gain, self._other])[self._is_counted]
        has_split: Flags = np.isfinite(everything)
        n = has_split.sum(axis=0)
        total = np.where(has_split, everything, 0.0).sum(axis=0)
        return np.where(n > 0, total / np.maximum(n, 1), NO_GAIN)


def _probes(own: Alternatives, few: int = FEW) -> Indices:
    """Return the places of the thresholds that are tried first: all if a node has few."""
    if not len(own):
        return np.zeros(0, np.int64)
    start = np.flatnonzero(np.concatenate([[True], own.node[1:] != own.node[:-1]]))
    size = np.diff(np.concatenate([start, [len(own)]]))
    _, first_most = most_of(own)
    at_shares = [(start + share * size).astype(np.int64) for share in PROBES]
    in_few = np.flatnonzero(np.repeat(size <= few, size))
    return np.unique(np.concatenate([first_most, in_few, *at_shares]))


def first_best(node: Indices, value: Floats, second: Floats, slack: Floats) -> tuple[Indices, Indices]:
    """Return the nodes that occur, and the place of the best entry of each.

    Values that differ by at most the node's slack are equal; then the larger `second` decides, then the first place.
    `node` is in ascending order.
    """
    if not len(node):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    place = np.arange(len(node))
    for own in (value, second):
        start = np.flatnonzero(np.concatenate([[True], node[1:] != node[:-1]]))
        size = np.diff(np.concatenate([start, [len(node)]]))
        least = np.maximum.reduceat(own[place], start) - slack[node[start]]
        is_best = own[place] >= np.repeat(least, size)
        node, place = node[is_best], place[is_best]
    is_first = np.concatenate([[True], node[1:] != node[:-1]])
    return node[is_first], place[is_first]
