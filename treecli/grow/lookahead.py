"""Lookahead: a split is worth the gain of the subtree that a greedy search grows below it in a few levels.

Every split of a node is tried on a copy of the node: the copies are one level, their children the next, and the engine
scores all of them at once. Only the chosen split is kept; the children are searched again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from math import ceil, inf, log2
from sys import float_info
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.errors import UsageError
from treecli.grow import choose
from treecli.grow.alternatives import Alternatives, alternatives
from treecli.grow.candidates import NO_GAIN, Candidates, Floats, Indices
from treecli.grow.followups import FollowUps
from treecli.grow.loop import are_open
from treecli.grow.sweeping import Sweep, Valued, Worth, first_best
from treecli.kernels import codes
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan

ROOM = 1 << 22
"""The largest number of copied cases times orders that are tried at a time."""


EACH, BEST, COMPETING = range(3)
"""The attributes whose best split is needed: each, the best of all, or those that may have at least average gain."""

SWEPT = 0.02
"""The steps that a case takes which the compiled loops pass."""

MOST_TRIED = 1 << 27
"""The most cases that are passed to estimate the work: about a second."""


@dataclass(frozen=True, slots=True)
class Lookahead:
    """Chooses splits by the gain of `n_levels` further levels, of the best `beam` splits per attribute (None: all)."""

    engine: Any
    plan: Plan
    n_levels: int
    beam: int | None
    has_observers: bool = False
    kept: list[tuple[MemoryLevel, Sequence[Alternatives], list[Valued]]] = field(default_factory=list)
    """The root, its splits and the best of them, if these are known from the estimate of the work."""

    def pick(
        self, level: MemoryLevel, candidates: Sequence[Candidates], chooser: choose.Chooser
    ) -> tuple[Sequence[Candidates], choose.Chosen]:
        """Return the best split of every attribute by the gain of its subtree, and the best of all.

        Equal ones: the larger gain by itself, then the first. Without observers, attributes that are not chosen may
        lack a split if the gain ranks them, and have another than their best one if the gain ratio ranks them.
        """
        if self.kept and self.kept[0][0] is level:
            _, tried, valued = self.kept.pop()
        else:
            tried = self._tried(level, candidates)
            valued = self._valued(level, tried, self.n_levels, self._needs())
        second = np.zeros((len(candidates), level.n_nodes))
        for own, found in zip(tried, valued, strict=True):
            second[own.attribute, found.node] = own.splits.gain[found.place]
        best = _best_of(tried, valued, candidates)
        return best, chooser.choose(level, best, second)

    def opened_by(self, level: MemoryLevel, own: Alternatives) -> tuple[MemoryLevel | None, Indices, Indices]:
        """Return the open children of splits, one for each node of the level: their level, nodes and branches."""
        decision = self._decided(own)
        children, place = self._opened(level, decision)
        parent = np.repeat(np.arange(level.n_nodes), np.diff(decision.first_child))[place]
        return children, parent, place - decision.first_child[parent]

    def best_below(self, level: MemoryLevel, n_levels: int) -> tuple[Sequence[Candidates], Indices]:
        """Return splits of every attribute by the gain of this many further levels, and the best one's attribute.

        They are those that give the worth of the splits above. Attributes that are not the best may lack a split.
        """
        candidates: Sequence[Candidates] = self._candidates(level)
        if n_levels > 0:
            tried = self._tried(level, candidates)
            candidates = _best_of(tried, self._valued(level, tried, n_levels, BEST), candidates)
        gains, info = np.array([c.gain for c in candidates]), np.array([c.split_info for c in candidates])
        return candidates, self._first_of(level, gains, info)

    def _needs(self) -> int:
        """Return which attributes the choice of a split compares."""
        plan = self.plan
        if self.has_observers or plan.rank not in (codes.BY_GAIN, codes.BY_RATIO):
            return EACH
        if plan.rank == codes.BY_GAIN:
            return BEST
        # Minimal gains exclude attributes from the average.
        is_free = plan.min_gain == -np.inf and plan.least_share <= 0 and plan.chi2_alpha == np.inf
        return COMPETING if is_free else EACH

    def work(self, root: MemoryLevel) -> float:
        """Return about how many steps the search takes: cases times attributes, for every split that is tried.

        Where thresholds are left out by bounds, how many cannot be foreseen: look ahead from the root, for a while.
        """
        if not root.n_nodes or self.plan.max_depth <= 1:
            return 0.0
        plan, tried = self.plan, self._tried(root, self._candidates(root))
        n_levels = min(ceil(log2(max(root.n_cases, 2))), plan.max_depth)
        n_splits = sum(len(own) for own in tried)
        by_hand, of_one = n_splits, float(root.n_cases * len(self.engine.columns))
        swept = 0.0
        if not FollowUps.refuses(self.engine, root):
            thresholds = [own for own in tried if own.attribute in root.orders]
            by_hand -= sum(len(own) for own in thresholds)
            swept = self._swept_from(root, thresholds, is_all=len(thresholds) == len(tried))
        # Below the greatest depth there is nothing to look at.
        n_ahead = min(self.n_levels, plan.max_depth - 1)
        of_copies = of_one if n_ahead > 1 else 0.0
        of_level = (by_hand * of_one + swept + of_copies) * n_levels
        try:
            return float(n_splits) ** (n_ahead - 1) * of_level
        except OverflowError:
            return inf

    def _swept_from(self, root: MemoryLevel, thresholds: Sequence[Alternatives], *, is_all: bool) -> float:
        """Return the steps that it takes to look one level ahead from the thresholds of the root.

        If these are all splits and all were tried, they are kept for `pick`.
        """
        most_steps = MOST_TRIED // max(len(thresholds), 1)
        ahead = FollowUps(self.engine, root, self._slack(root), most_steps)
        needs = self._needs() if self.n_levels == 1 else BEST
        found = self._swept(root, ahead, thresholds, {}, needs)
        n_steps, n_decided = sum(each[0] for each in ahead.progress), sum(each[1] for each in ahead.progress)
        if all(steps <= most_steps for steps, _ in ahead.progress):
            if is_all and self.n_levels == 1:
                self.kept[:] = [(root, thresholds, found)]
            return SWEPT * n_steps
        return SWEPT * n_steps * max(sum(len(own) for own in thresholds) / max(n_decided, 1), 1.0)

    def _candidates(self, level: MemoryLevel) -> list[Candidates]:
        """Return the best split of every attribute at the nodes of a level."""
        engine = self.engine
        found: list[Candidates] = engine.map(
            lambda a: engine.candidates(level, a), range(len(engine.columns)), level.n_cases
        )
        return found

    def _tried(self, level: MemoryLevel, candidates: Sequence[Candidates]) -> list[Alternatives]:
        found = [alternatives(self.engine, level, a, usual) for a, usual in enumerate(candidates)]
        return found if self.beam is None else [own.best(self.beam, self._slack(level)) for own in found]

    def _slack(self, level: MemoryLevel) -> Floats:
        """Return the difference up to which gains of a node are equal."""
        if not self.plan.is_numeric:
            return np.full(level.n_nodes, self.plan.tolerance)
        outcomes = level.outcomes
        return self.plan.tolerance * outcomes[:, codes.DEVIANCE] / outcomes[:, codes.WEIGHT]

    def _valued(self, level: MemoryLevel, tried: Sequence[Alternatives], n_levels: int, needs: int) -> list[Valued]:
        """Return the best of the splits that are tried, by attribute; `needs` says of which attributes."""
        slack = self._slack(level)
        is_swept = n_levels == 1 and level.depth + 1 < self.plan.max_depth
        ahead = None
        if is_swept and not FollowUps.refuses(self.engine, level):
            ahead = FollowUps(self.engine, level, slack)
        by_hand = [own for own in tried if ahead is None or not ahead.takes(own.attribute)]
        found = {}
        for own, worth in zip(by_hand, self._worth(level, by_hand, n_levels), strict=True):
            node, place = first_best(own.node, worth.gain, own.splits.gain, slack)
            found[own.attribute] = Valued(node, place, Worth(worth.gain[place], worth.split_info[place]))
        if ahead is not None:
            thresholds = [own for own in tried if ahead.takes(own.attribute)]
            every = self._swept(level, ahead, thresholds, found, needs)
            found |= {own.attribute: value for own, value in zip(thresholds, every, strict=True)}
        return [found[own.attribute] for own in tried]

    def _swept(
        self,
        level: MemoryLevel,
        ahead: FollowUps,
        thresholds: Sequence[Alternatives],
        others: Mapping[int, Valued],
        needs: int,
    ) -> list[Valued]:
        """Return the best thresholds, by attribute; `others` has the splits on the other attributes."""
        ahead.expect(thresholds)
        sweep = Sweep(self.engine, self.plan, level, ahead)
        if needs == COMPETING:
            return sweep.competing(thresholds, others)
        if needs == EACH:
            return sweep.each(thresholds)
        floor = np.full(level.n_nodes, NO_GAIN)
        for own in others.values():
            floor[own.node] = np.maximum(floor[own.node], own.worth.gain)
        return sweep.each(thresholds, floor)

    def _worth(self, level: MemoryLevel, tried: Sequence[Alternatives], n_levels: int) -> list[Worth]:
        """Return the gain of the subtrees of every split that is tried, each on a copy of its node."""
        found = [Worth(own.splits.gain.copy(), own.splits.split_info.copy()) for own in tried]
        if level.depth + 1 >= self.plan.max_depth:
            return found
        place_of = {own.attribute: place for place, own in enumerate(tried)}
        for part in _portions(level, tried):
            copies = level.taken(np.concatenate([own.node[begin:end] for own, begin, end in part]))
            decision = _joined([self._decided(own.taken(np.arange(begin, end))) for own, begin, end in part])
            below = self._below(copies, decision, n_levels - 1)
            done = 0
            for own, begin, end in part:
                value = found[place_of[own.attribute]]
                value.gain[begin:end] += below.gain[done : done + end - begin]
                value.split_info[begin:end] += below.split_info[done : done + end - begin]
                done += end - begin
        return found

    def _decided(self, own: Alternatives) -> choose.Decision:
        n = len(own)
        nothing = np.broadcast_to(0.0, (own.attribute + 1, n))
        chosen = choose.Chosen(np.full(n, own.attribute, np.int32), nothing, nothing, nothing)
        return choose.decided({own.attribute: own.splits}, chosen, self.plan)

    def _below(self, level: MemoryLevel, decision: choose.Decision, n_levels: int) -> Worth:
        """Return what the best splits of the children add to the gain of every split of the level."""
        plan = self.plan
        found = Worth(np.zeros(level.n_nodes), np.zeros(level.n_nodes))
        children, place = self._opened(level, decision)
        if children is not None:
            parent = np.repeat(np.arange(level.n_nodes), np.diff(decision.first_child))[place]
            share = children.weights(plan) / level.weights(plan)[parent]
            best = self._best(children, n_levels)
            np.add.at(found.gain, parent, share * best.gain)
            np.add.at(found.split_info, parent, share * best.split_info)
        return found

    def _opened(self, level: MemoryLevel, decision: choose.Decision) -> tuple[MemoryLevel | None, Indices]:
        """Return the level of the children that may be split, None without any, and their places among all children."""
        engine, plan = self.engine, self.plan
        sent = engine.send(level, decision)
        outcomes = engine.outcomes(sent)
        is_open = are_open(outcomes, sent.n_rows() if plan.counts_rows else None, level.depth + 1, plan)
        children = engine.open(sent, outcomes, is_open, 0) if is_open.any() else None
        return children, np.flatnonzero(is_open)

    def _best(self, level: MemoryLevel, n_levels: int) -> Worth:
        """Return the largest gain of every node in this many further levels: 0 if none of its splits gains."""
        candidates = self._candidates(level)
        if n_levels == 0:
            gains = np.array([c.gain for c in candidates])
            info = np.array([c.split_info for c in candidates])
        else:
            tried = self._tried(level, candidates)
            gains = np.full((len(candidates), level.n_nodes), NO_GAIN)
            info = np.zeros_like(gains)
            valued = self._valued(level, tried, n_levels, BEST)
            for own, value in zip(tried, valued, strict=True):
                gains[own.attribute, value.node] = value.worth.gain
                info[own.attribute, value.node] = value.worth.split_info
        best = self._first_of(level, gains, info)
        nodes = np.arange(level.n_nodes)
        gain = gains[best, nodes]
        does_gain = gain > 0
        return Worth(np.where(does_gain, gain, 0.0), np.where(does_gain, info[best, nodes], 0.0))

    def _first_of(self, level: MemoryLevel, gains: Floats, info: Floats) -> Indices:
        """Return the attribute with the largest gain at each node.

        Equal ones: the one with the least information under the gain ratio, else the first.
        """
        is_best = gains >= gains.max(axis=0, initial=NO_GAIN) - self._slack(level)
        # Only the gain ratio depends on the information.
        return np.asarray(np.where(is_best, info if self.plan.rank == codes.BY_RATIO else 0.0, np.inf).argmin(axis=0))


def _best_of(
    tried: Sequence[Alternatives], valued: Sequence[Valued], candidates: Sequence[Candidates]
) -> list[Candidates]:
    """Return the best split of every attribute, with the gain of its subtree."""
    return [
        _replaced(usual, found.node, own.splits.taken(found.place), found.worth)
        for own, found, usual in zip(tried, valued, candidates, strict=True)
    ]


def _replaced(usual: Candidates, node: Indices, splits: Candidates, worth: Worth) -> Candidates:
    """Return the candidates of an attribute with other splits at some nodes; at the others it has none."""
    n = len(usual.gain)
    place = np.zeros(n, np.int64)
    place[node] = np.arange(len(node))
    if not len(node):
        return replace(usual, gain=np.full(n, NO_GAIN))
    gain, split_info = np.full(n, NO_GAIN), np.zeros(n)
    gain[node], split_info[node] = worth.gain, worth.split_info
    return replace(splits.taken(place), gain=gain, split_info=split_info)


def _portions(level: MemoryLevel, tried: Sequence[Alternatives]) -> Iterator[list[tuple[Alternatives, int, int]]]:
    """Yield splits whose copies of cases fit into memory, as ranges of the alternatives of each attribute."""
    first = np.concatenate([[0], np.cumsum([len(own) for own in tried])]).tolist()
    if not first[-1]:
        return
    n_cases = np.cumsum(np.diff(level.start)[np.concatenate([own.node for own in tried])])
    portion = (n_cases - 1) // max(ROOM // (1 + len(level.orders)), 1)
    for begin, end in pairwise([0, *(np.flatnonzero(np.diff(portion)) + 1).tolist(), first[-1]]):
        ranges = [(own, max(begin - at, 0), min(end - at, len(own))) for own, at in zip(tried, first, strict=False)]
        yield [each for each in ranges if each[1] < each[2]]


def _joined(decisions: Sequence[choose.Decision]) -> choose.Decision:
    """Return the decisions on consecutive nodes of a level as one; each has an attribute of its own."""
    first = decisions[0]
    if len(decisions) == 1:
        return first
    names = ("attribute", "kind", "number", "missing_to", "first", "merit", "gain", "cost")
    together = {name: np.concatenate([getattr(each, name) for each in decisions]) for name in names}
    n_branches = np.concatenate([np.diff(each.first_child) for each in decisions])
    return replace(
        first,
        first_child=np.concatenate([[0], np.cumsum(n_branches)]),
        tables={attribute: table for each in decisions for attribute, table in each.tables.items()},
        bounds={attribute: own for each in decisions for attribute, own in each.bounds.items()},
        printed={},
        **together,
    )


def refuse_endless(work: float, limit: float, text: str) -> None:
    """Raise a UsageError if the search would take more steps than the limit."""
    if work > limit:
        about, needed, hint = min(work, float_info.max), work * 1.1, "bound it by --beam 3 or --max-depth"
        raise UsageError(
            f"--search {text} would take about {about:.1e} steps, more than --most-work {limit:.1e}",
            hint if needed == inf else f"{hint}, or allow it: --most-work {needed:.1e}",
        )
