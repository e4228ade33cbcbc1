"""Skewing (Page and Ray 2003): choose variables by their gain under other distributions of the cases.

A trial favours a value of each attribute and multiplies the weights of cases that have it. The attributes of a parity
gain nothing in the data, but do in most trials. Weights of trials choose the variable, and the threshold of a numeric
one; branches, outcomes and children have the cases' own weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli.grow.alternatives import spreads
from treecli.grow.candidates import NO_GAIN, Candidates, Codes, Flags, Floats, Indices, joined
from treecli.kernels.middles import middles
from treecli.records import dataclass
from treecli.tree import LEAF

if TYPE_CHECKING:
    from treecli.grow.choose import Chooser, Chosen
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan

ROOM = 1 << 22
"""The largest number of copied cases times orders in one batch of trials."""

MOST_FAVOURED = 8
"""The most labels of an attribute that sequential skewing favours, which bounds its time."""

FEW_EFFECTIVE = 30.0
"""With fewer effective cases at the root, trials show chance rather than the function."""


class Groups(NamedTuple):
    """The value of one attribute in each case as a number from 0, negative if missing, and how many a node has."""

    of_case: Codes
    n: Indices


@dataclass(frozen=True)
class Trials:
    """The nodes of a level, with the groups of values that trials favour."""

    engine: Any
    level: MemoryLevel
    skew: float

    @cached_property
    def groups(self) -> list[Groups]:
        """The groups of every attribute: its labels, or the halves below and above the median."""
        return [self._groups(a) for a in range(len(self.engine.columns))]

    def _groups(self, attribute: int) -> Groups:
        level = self.level
        node, n_nodes = level.node_of_case, level.n_nodes
        if attribute in level.orders:
            value, median = self.engine.columns[attribute][level.row], np.empty(n_nodes)
            middles(level.cases, level.orders[attribute].args, True, median)
            is_above = value > median[node]
            has_above = np.bincount(node[is_above], minlength=n_nodes) > 0
            code = np.where(has_above[node], is_above, value >= median[node]).astype(np.int64)
            code[value != value] = -1
        else:
            code = self.engine.labels(attribute)[1][level.row].astype(np.int64)
        is_known = code >= 0
        key = node[is_known] * (int(code.max(initial=0)) + 1) + code[is_known]
        found, of_known = np.unique(key, return_inverse=True)
        n = np.bincount(found // (int(code.max(initial=0)) + 1), minlength=n_nodes)
        first = np.cumsum(n) - n
        of_case = np.full(level.n_cases, -1, np.int32)
        of_case[is_known] = of_known - first[node[is_known]]
        return Groups(of_case, n)

    def log_factor(self, attribute: int, favoured: Indices) -> Floats:
        """Return the logarithm of each case's factor; `favoured` has the group of each trial (row) and node (column).

        A case without a value has the mean of the factors.
        """
        groups, node = self.groups[attribute], self.level.node_of_case
        n = np.maximum(groups.n, 1)
        other = np.log((1 - self.skew) / np.maximum(n - 1, 1))
        factor: Floats = np.where(groups.of_case == favoured[:, node], np.log(self.skew), other[node])
        factor[:, groups.of_case < 0] = -np.log(n)[node[groups.of_case < 0]]
        factor[:, (groups.n < 2)[node]] = 0.0
        return factor

    def weighted(self, log_weight: Floats) -> MemoryLevel:
        """Return a copy of the nodes for each trial (row), whose cases have other weights; a node's total stays."""
        level = self.level
        n_trials, n_nodes = len(log_weight), level.n_nodes
        most = np.maximum.reduceat(log_weight, level.start[:-1], axis=1)
        weight = np.exp(log_weight - most[:, level.node_of_case]) * level.weight
        total = np.add.reduceat(weight, level.start[:-1], axis=1)
        usual = np.add.reduceat(level.weight, level.start[:-1])
        weight *= (usual / total)[:, level.node_of_case]
        copies = level.taken(np.tile(np.arange(n_nodes), n_trials))
        n_classes = level.totals.shape[1]
        place = copies.node_of_case * n_classes + copies.label
        sums: Floats = np.bincount(place, weight.ravel(), minlength=n_trials * n_nodes * n_classes).astype(np.float64)
        totals: Floats = sums.reshape(-1, n_classes)
        return replace(copies, weight=weight.ravel(), totals=totals, outcomes=totals, is_whole=False)


class Tried(NamedTuple):
    """Some trials: the nodes with their weights, trial after trial, and the candidates of each attribute there.

    `favoured` has, for each attribute that is skewed, the group of each trial (row) and node (column); `counts` has for
    each attribute what each trial adds to its count.
    """

    weighted: MemoryLevel
    favoured: Mapping[int, Indices]
    candidates: Mapping[int, Candidates]
    counts: Mapping[int, Floats]


class Watched(NamedTuple):
    """All trials of a level, the candidates of the data by themselves, and the count of each attribute and node."""

    trials: Trials
    usual: Sequence[Candidates]
    tried: Sequence[Tried]
    plain_counts: Floats
    counts: Floats


@dataclass(frozen=True, slots=True)
class Skewing:
    """Chooses variables by trials: `n_trials` that skew all attributes, or (None) one attribute at a time."""

    engine: Any
    plan: Plan
    n_trials: int | None
    watch: Callable[[Watched], None] | None = None
    """Is called with the trials of each level."""

    def pick(
        self, level: MemoryLevel, candidates: Sequence[Candidates], chooser: Chooser
    ) -> tuple[Sequence[Candidates], Chosen]:
        """Return the candidates, and the attribute that most trials favour; the best by itself where none does.

        Equal ones: the better by itself, then the first.
        """
        plain = chooser.choose(level, candidates)
        found = _Found(self.engine, level, self.plan, candidates, is_watched=self.watch is not None)
        trials = Trials(self.engine, level, self.plan.settings.searching.skew)
        with _any_branch(self.plan):
            if self.n_trials is None:
                self._one_at_a_time(trials, found)
            else:
                self._all_at_once(trials, found)
        count = np.where(np.isfinite(plain.merit), found.count, NO_GAIN)
        most = count.max(axis=0, initial=NO_GAIN)
        slack = self.plan.tolerance
        merit = np.where(count >= most - slack, plain.merit, NO_GAIN)
        best = np.argmax(merit >= merit.max(axis=0, initial=NO_GAIN) - slack, axis=0).astype(np.int32)
        attribute = np.where((most > slack) & (plain.attribute != LEAF), best, plain.attribute)
        if self.watch is not None:
            self.watch(Watched(trials, candidates, found.tried, found.plain_counts, found.count))
        return found.splits(), replace(plain, attribute=attribute.astype(np.int32))

    def _all_at_once(self, trials: Trials, found: _Found) -> None:
        """Count the trials in which each attribute gains a sufficient share of the impurity."""
        assert self.n_trials is not None
        level, least = trials.level, self.plan.settings.searching.skew_gain
        n_attributes = len(self.engine.columns)
        drawn = uniform(self.plan.settings.computing.seed, level.numbers, self.n_trials * n_attributes)
        drawn = drawn.reshape(level.n_nodes, self.n_trials, n_attributes)
        found.add_plain(lambda share: share >= least)
        for begin, end in self._batches(level, self.n_trials):
            log_weight = np.zeros((end - begin, level.n_cases))
            favoured = {}
            for a in range(n_attributes):
                favoured[a] = np.floor(drawn[:, begin:end, a].T * trials.groups[a].n).astype(np.int64)
                log_weight += trials.log_factor(a, favoured[a])
            found.add(trials.weighted(log_weight), lambda share: share >= least, favoured)

    def _one_at_a_time(self, trials: Trials, found: _Found) -> None:
        """Add the shares of the impurity that each attribute gains while another one is skewed.

        Each attribute that is skewed counts twice, as the data by themselves do, whatever its number of labels.
        """
        level = trials.level
        found.add_plain(lambda share: 2 * share)
        for i, groups in enumerate(trials.groups):
            n = np.where(groups.n > 1, np.minimum(groups.n, MOST_FAVOURED), 0)
            for begin, end in self._batches(level, int(n.max(initial=0))):
                favoured = np.repeat(np.arange(begin, end)[:, None], level.n_nodes, axis=1)
                is_trial = favoured < n
                counts = np.where(is_trial, 2 / np.maximum(n, 1), 0.0)
                log_weight = trials.log_factor(i, favoured)
                weighted = trials.weighted(log_weight)
                found.add(weighted, lambda share, own=counts: share * own, {i: favoured}, without=i)

    def _batches(self, level: MemoryLevel, n_trials: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of trials whose copies of the cases fit into memory."""
        step = max(ROOM // (max(level.n_cases, 1) * (1 + len(level.orders))), 1)
        for begin in range(0, n_trials, step):
            yield begin, min(begin + step, n_trials)


class _Found:
    """The count of every attribute (row) at every node (column), and its best split in any trial."""

    def __init__(
        self, engine: Any, level: MemoryLevel, plan: Plan, candidates: Sequence[Candidates], *, is_watched: bool
    ) -> None:
        self._engine, self._level, self._plan, self._usual = engine, level, plan, candidates
        self._is_watched = is_watched
        self.tried: list[Tried] = []
        self.count = np.zeros((len(candidates), level.n_nodes))
        self.plain_counts = self.count
        self._best = list(candidates)
        self._most = np.zeros((len(candidates), level.n_nodes))

    def add_plain(self, counted: Any) -> None:
        """Count the gains in the data by themselves."""
        for a, own in enumerate(self._usual):
            self.count[a] += counted(np.maximum(own.gain, 0.0) / self._impurity(self._level))
        self.plain_counts = self.count.copy()

    def add(
        self, weighted: MemoryLevel, counted: Any, favoured: Mapping[int, Indices], without: int | None = None
    ) -> None:
        """Count the gains in trials: `counted` turns shares of the impurity, by trial and node, into counts."""
        engine, n_nodes = self._engine, self._level.n_nodes
        attributes = [a for a in range(len(self._usual)) if a != without]
        found = engine.map(lambda a: engine.candidates(weighted, a), attributes, weighted.n_cases)
        impurity = self._impurity(weighted)
        counts = {}
        for a, own in zip(attributes, found, strict=True):
            share = (np.maximum(own.gain, 0.0) / impurity).reshape(-1, n_nodes)
            counts[a] = counted(share)
            self.count[a] += counts[a].sum(axis=0)
            if own.number is not None:
                # The first of equal ones: rounding must not decide.
                trial = np.argmax(share >= share.max(axis=0) - self._plan.tolerance, axis=0)
                share_of = share[trial, np.arange(n_nodes)]
                is_better = share_of > self._most[a] + self._plan.tolerance
                both = joined([_plain(self._best[a]), _plain(own)])
                place = np.where(is_better, n_nodes + trial * n_nodes + np.arange(n_nodes), np.arange(n_nodes))
                self._best[a] = both.taken(place)
                self._most[a] = np.where(is_better, share_of, self._most[a])
        if self._is_watched:
            self.tried.append(Tried(weighted, favoured, dict(zip(attributes, found, strict=True)), counts))

    def _impurity(self, level: MemoryLevel) -> Floats:
        totals = level.totals * np.asarray(self._plan.class_scale) if self._plan.is_scaled else level.totals
        return np.asarray(np.maximum(spreads(totals, self._plan) / totals.sum(axis=1), np.finfo(float).tiny))

    def splits(self) -> list[Candidates]:
        """Return the usual candidates, except that thresholds are those of the trials with the largest gain."""
        return [
            usual if best.number is None or best is usual else self._with_threshold(a, usual, best)
            for a, (usual, best) in enumerate(zip(self._usual, self._best, strict=True))
        ]

    def _with_threshold(self, attribute: int, usual: Candidates, best: Candidates) -> Candidates:
        """Return the best threshold of the trials at each node where it leaves enough cases on both sides."""
        level, plan = self._level, self._plan
        assert best.number is not None
        value = self._engine.columns[attribute][level.row]
        side = level.node_of_case * 2 + (value > best.number[level.node_of_case])
        is_known, n = value == value, 2 * level.n_nodes
        weight = np.bincount(side[is_known], level.weight[is_known], minlength=n).reshape(-1, 2).min(axis=1)
        n_rows = np.bincount(side[is_known], minlength=n).reshape(-1, 2).min(axis=1)
        is_enough: Flags = (weight >= plan.min_leaf - plan.tolerance) & (n_rows >= max(plan.min_rows, 1))
        is_enough &= ~best.parts_missing & np.isfinite(best.gain) & np.isfinite(usual.gain)
        both = joined([_plain(usual), _plain(best)])
        place = np.arange(level.n_nodes) + np.where(is_enough, level.n_nodes, 0)
        return replace(both.taken(place), gain=usual.gain, split_info=usual.split_info, cost=usual.cost)


def _plain(own: Candidates) -> Candidates:
    """Return candidates without what only other programs' arithmetics give."""
    return replace(own, printed=None, improvement=None, cost=None)


@contextmanager
def _any_branch(plan: Plan) -> Iterator[None]:
    """Allow branches of any weight while the body runs: weights of trials do not measure a branch's size."""
    least = plan.min_leaf
    plan.min_leaf = 0.0
    try:
        yield
    finally:
        plan.min_leaf = least


def uniform(seed: int, numbers: Indices, n: int) -> Floats:
    """Return n numbers from 0 to below 1 for each node, which depend on the seed and the node's number alone.

    SplitMix64 (Steele et al. 2014) on the place of each number.
    """
    with np.errstate(over="ignore"):
        start = _mixed(np.uint64(seed % 2**64) + np.uint64(0x9E3779B97F4A7C15))
        of_node = _mixed(start + _mixed(numbers.astype(np.uint64) * np.uint64(0xBF58476D1CE4E5B9)))
        place = of_node[:, None] + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return np.asarray((_mixed(place) >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def _mixed(x: Any) -> Any:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def effective_cases(root: MemoryLevel, trials: Trials) -> float:
    """Return the expected effective number of cases of a trial at the root: (sum of weights)² / sum of squares."""
    skew, logarithm = trials.skew, 0.0
    for groups in trials.groups:
        n = int(groups.n[0])
        if n > 1:
            logarithm += np.log(n * (skew**2 + (1 - skew) ** 2 / (n - 1)))
    return float(root.n_cases * np.exp(-logarithm))
