"""Grow a tree level by level: score all splits of the open nodes, choose, add the children, repeat.

This is the reference implementation. Accelerators return the same nodes, or refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow import choose, sampling
from treecli.grow.constraints import constraints_of
from treecli.grow.nodes import Graft, Nodes, assembled, pack_tables, settled
from treecli.grow.plan import PURE_SHARE, risks
from treecli.grow.proposals import Proposals, members_of, with_proposals
from treecli.grow.small import NodesAside, SmallNodes
from treecli.kernels import stop

if TYPE_CHECKING:
    from treecli.grow.candidates import Candidates, Flags, Floats, Indices
    from treecli.grow.level import MemoryLevel
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.threads import OnProgress

Pick = Callable[["MemoryLevel", Sequence["Candidates"], choose.Chooser], tuple[Sequence["Candidates"], choose.Chosen]]
"""Given a level and the best split of every attribute at its nodes, return the splits to choose from and the choice."""


def best_by_itself(
    level: MemoryLevel, candidates: Sequence[Candidates], chooser: choose.Chooser
) -> tuple[Sequence[Candidates], choose.Chosen]:
    """Return the given candidates, and the best of each node."""
    return candidates, chooser.choose(level, candidates)


class Loop:
    """A tree being grown: the nodes of each level, and the open nodes of the last one (`level`)."""

    def __init__(
        self,
        engine: Any,
        plan: Plan,
        observers: Sequence[Observer] = (),
        pick: Pick = best_by_itself,
        root: MemoryLevel | None = None,
    ) -> None:
        self._engine = engine
        self._pick = pick
        self._plan = plan
        self._observers = observers
        self._small: NodesAside | None = None
        members = members_of(plan, engine.schema)
        self.proposals = Proposals(engine, members) if members else None
        self._chooser = choose.Chooser(plan)
        self.constraints = constraints_of(plan, engine.schema)
        level: MemoryLevel = engine.root() if root is None else root
        self._root = level.outcomes
        self._n_cases = level.n_cases
        self._levels = [Nodes.leaves(level.outcomes)]
        self._n_nodes = 1
        is_open = self._may_split(level.outcomes, level.size, 0)
        self.level = level.part(is_open)
        self.constraints.open_root(is_open)

    def leave_small_nodes_to(self, grow: Callable[[MemoryLevel], Nodes], most_cases: int | None = None) -> None:
        """Use an accelerator for nodes with up to `most_cases` cases; None: a limit that keeps all threads busy."""
        self._small = SmallNodes(grow, self._engine.shared, self._n_cases, most_cases)

    def set_aside_by(self, aside: NodesAside) -> None:
        """Let the engine choose the nodes that are set aside, and grow their subtrees."""
        self._small = aside

    def run(self, on_progress: OnProgress | None = None) -> Nodes:
        """Split levels until no node is open, then grow the nodes set aside; return all nodes in level order."""
        try:
            self._set_aside()
            while self.level.n_nodes:
                self._add_level()
                self._set_aside()
                if on_progress is not None:
                    on_progress(self._share_done)
            whole = None if self._small is None else self._small.joined()
            nodes = assembled(self._levels, self._grafts(on_progress), whole)
        finally:
            self._engine.close()
        nodes.features = () if self.proposals is None else tuple(self.proposals.chosen)
        return nodes

    def _grafts(self, on_progress: OnProgress | None) -> Iterable[Graft]:
        """Return the subtrees of the nodes set aside, one after the other; none is kept."""

        def tell(graft: Graft) -> Graft:
            if on_progress is not None:
                on_progress(self._share_done)
            return graft

        return () if self._small is None else map(tell, self._small.grown())

    @property
    def _share_done(self) -> float:
        """The share of the cases that are in leaves."""
        n_open = self.level.n_cases + (0 if self._small is None else self._small.n_cases)
        return 1.0 - min(n_open / max(self._n_cases, 1), 1.0)

    def _candidates(self, level: MemoryLevel) -> Sequence[Candidates]:
        """Return the best split of every attribute at the open nodes that may be split by it."""
        engine = self._engine
        n_attributes = len(engine.schema.attributes)
        if self._plan.n_sampled < n_attributes:
            return sampling.candidates(engine, level, self.constraints)
        found: list[Candidates] = engine.map(lambda a: engine.candidates(level, a), range(n_attributes), level.n_cases)
        return self.constraints.allowed(engine, level, found)

    def _add_level(self) -> None:
        """Split the open nodes that can be split, and add their children."""
        engine, level = self._engine, self.level
        engine.begin_level(level)
        candidates = self._candidates(level)
        if self.proposals is None:
            candidates, chosen = self._pick(level, candidates, self._chooser)
            chosen = self.constraints.chosen(chosen)
            engine.accept(level, chosen)
            decision = choose.decided(candidates, chosen, self._plan)
        else:
            added = self.proposals.added(level, candidates, self._chooser)
            candidates = [*candidates, *added.candidates]
            with with_proposals(self._plan, len(added.candidates)):
                chosen = self.constraints.chosen(self._chooser.choose(level, candidates))
            decision = choose.decided(candidates, chosen, self._plan)
            decision = self.proposals.settled(decision, added, self._n_nodes)
        sent = engine.send(level, decision)
        outcomes = engine.outcomes(sent)
        last, first_of_level = self._levels[-1], self._n_nodes - len(self._levels[-1])
        places = level.numbers - first_of_level
        choose.set_splits(last, places, decision, self._n_nodes)
        last.decrease[places], last.information[places] = sent.decrease, sent.information
        for i, number in decision.printed.items():
            last.note(int(level.numbers[i]), "printed", number)
        for observe in self._observers:
            for node, remarks in observe(level, candidates, chosen).items():
                for name, remark in remarks.items():
                    last.note(node, name, remark)
        last.surrogates |= {int(level.numbers[i]): own for i, own in sent.surrogates.items()}
        last.outcomes = settled(last.outcomes)
        pack_tables(last)
        self._levels.append(Nodes.leaves(outcomes))
        is_open = self._may_split(outcomes, sent.n_rows() if self._plan.counts_rows else None, level.depth + 1)
        self.constraints.pass_down(decision, outcomes, is_open)
        self.level = engine.open(sent, outcomes, is_open, self._n_nodes, is_consumed=not self._observers)
        self._n_nodes += len(outcomes)

    def _may_split(self, outcomes: Floats, n_rows: Indices | None, depth: int) -> Flags:
        """Return whether each node may be split: not too deep, too small, pure, or of too low a risk."""
        plan = self._plan
        is_open = are_open(outcomes, n_rows, depth, plan)
        if plan.alpha == -np.inf or not is_open.any():
            return is_open
        # The margin keeps some nodes too many open; trim.split_as_grown applies the exact limit later.
        risk = risks(plan, outcomes, self._root, self._engine.schema)
        return np.asarray(is_open & (risk > plan.alpha - PURE_SHARE * abs(plan.alpha)))

    def _set_aside(self) -> None:
        """Set small nodes aside for the accelerator."""
        if self._small is not None and self.level.n_nodes:
            self.level = self._small.set_aside(self.level)


def are_open(outcomes: Floats, n_rows: Indices | None, depth: int, plan: Plan) -> Flags:
    """Return whether each node may be split: not too deep, too small or pure."""
    if depth >= plan.max_depth:
        return np.zeros(len(outcomes), bool)
    weight = choose.weights(outcomes, plan)
    size = n_rows.astype(np.float64) if plan.counts_rows and n_rows is not None else weight
    is_open = np.empty(len(outcomes), np.uint8)
    stop.are_open(outcomes, weight, size, plan, is_open)
    return is_open.astype(bool)
