"""The tree of a lesson, and the trees that grow if another question is picked at one of its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treecli.errors import CheckError
from treecli.model import TreeModel
from treecli.predict.predict import arrivals_of_rows
from treecli.teaching import trace as status
from treecli.teaching.candidates import Style
from treecli.teaching.observing import Growth, observed
from treecli.teaching.prunetrace import PruneTrace
from treecli.teaching.prunings import Subject, pruned
from treecli.teaching.trace import Candidate, NodeTrace, Trace
from treecli.teaching.tracing import places, traced
from treecli.tree import DEVIANCE
from treecli.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from treecli.data import Dataset
    from treecli.settings import Settings

MOST_CARDS = 60
"""With more rows, cards become counts."""

MOST_CANDIDATES = 6
"""Candidates that have a step of their own at the root, and that are spelled out at other nodes."""

MOST_PICKS = 5
"""Other picks at a node whose trees are grown."""

MOST_NODES = 31
"""The most nodes of a tree on the page."""

N_WAYS = 4
"""Thresholds or groups of labels that are listed."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A question that was picked at a node of the lesson's tree instead of the best one."""

    node: int
    attribute: int
    name: str


@dataclass(frozen=True)
class Picked:
    """A tree after a pick; `pick` is None for the tree that the learner grows."""

    pick: Pick | None
    model: TreeModel

    @property
    def n_leaves(self) -> int:
        return self.model.tree.n_leaves

    @cached_property
    def errors(self) -> float:
        """The weight of the training cases in leaves of another label; for a numeric target the squared errors."""
        tree = self.model.tree
        leaves = [self.model.node(node) for node in range(tree.n_nodes) if tree.is_leaf(node)]
        if self.model.schema.is_classification:
            return sum(leaf.errors for leaf in leaves)
        return sum(leaf.outcomes[DEVIANCE] for leaf in leaves)


@dataclass(frozen=True)
class Variant(Picked):
    """A tree of the lesson with its trace."""

    growth: Growth
    trace: Trace
    pruning: PruneTrace | None
    dataset: Dataset

    @property
    def nodes(self) -> tuple[NodeTrace, ...]:
        """The nodes by number."""
        return self.trace.nodes

    @cached_property
    def inner(self) -> list[int]:
        """The inner nodes, level by level."""
        return list(self.model.tree.inner_nodes())

    @cached_property
    def weight_of_row(self) -> NDArray[Any] | None:
        """The weight of every row at every node; None if there are too many rows for cards."""
        if self.dataset.n_rows > MOST_CARDS:
            return None
        return arrivals_of_rows(self.model, self.dataset)

    def frontier(self, grown: set[int]) -> Iterator[int]:
        """Yield the leaves of the tree in which only the nodes `grown` are split, in reading order."""
        pending = [0]
        while pending:
            node = pending.pop()
            if node in grown:
                pending.extend(reversed(self.model.tree.children(node)))
            else:
                yield node


@dataclass(frozen=True, slots=True)
class Nursery:
    """Grows the variants of a lesson from the same data, settings and pruning method."""

    dataset: Dataset
    model: TreeModel
    style: Style
    method: str | None
    options: Any

    def main(self) -> Variant:
        """Return the tree that the learner grows."""
        return self._variant(None, self.model, observed(self.dataset, self.model.settings))

    def others(self, main: Variant, node: int) -> Iterator[Variant]:
        """Yield the trees of the best other picks at a node, in the order of their columns."""
        for pick, growth in self._grown(main, node, {}):
            yield self._variant(pick, self._model(growth), growth)

    def further(self, main: Variant, kept: Variant, node: int) -> Iterator[Picked]:
        """Yield the trees of other picks at a node of a tree that was kept."""
        assert kept.pick is not None
        number = {place.number: place.grown for place in places(main.model, main.growth)}[kept.pick.node]
        for pick, growth in self._grown(kept, node, {number: kept.pick.attribute}):
            yield Picked(pick, self._model(growth))

    def _grown(self, own: Variant, node: int, picks: dict[int, int]) -> Iterator[tuple[Pick, Growth]]:
        """Yield the other picks at a node, and what grows with them and with earlier picks."""
        grown = {place.number: place.grown for place in places(own.model, own.growth)}
        for candidate in other_picks(own.nodes[node]):
            attribute = self._column(candidate)
            growth = observed(self.dataset, self.model.settings, picks | {grown[node]: attribute})
            yield Pick(node, attribute, candidate.attribute), growth

    def _model(self, growth: Growth) -> TreeModel:
        return TreeModel(self.model.schema, self.model.settings, self.model.lineage, growth.trimmed)

    def _column(self, candidate: Candidate) -> int:
        names = [quoted(column.name) for column in self.dataset.schema.columns]
        return names.index(candidate.attribute)

    def _variant(self, pick: Pick | None, model: TreeModel, growth: Growth) -> Variant:
        every = list(places(model, growth))
        trace = traced(model, growth, every, self.style, MOST_CANDIDATES)
        if [node.id for node in trace.nodes] != list(range(model.tree.n_nodes)):
            raise CheckError("the nodes of the trace are not those of the tree", "this is a fault in treecli")
        pruning = None
        if self.method is not None:
            pruning = pruned(self.method, Subject(model, self.options, self.style.digits))
        return Variant(pick, model, growth, trace, pruning, self.dataset)


@dataclass(frozen=True, slots=True)
class RootTrace:
    """The trace of a root by some criterion, with the name of its impurity."""

    trace: Trace
    impurity: str


def root_trace(dataset: Dataset, settings: Settings, style: Style) -> RootTrace:
    """Return the decision at the root of the tree that these settings grow."""
    growth = observed(dataset, settings.changed(max_depth=1))
    model = TreeModel(growth.schema, settings, (), growth.tree)
    root = next(iter(places(model, growth)))
    trace = traced(model, growth, [root], style, MOST_CANDIDATES)
    return RootTrace(trace, str(growth.plan.criterion.impurity))


def other_picks(node: NodeTrace) -> list[Candidate]:
    """Return the best splits that were possible but not chosen, in the order of their columns."""
    taking_part = (status.BEATEN, status.TIED, status.BELOW_AVERAGE)
    possible = [own for own in node.every if own.gain is not None and own.status in taking_part]
    best = sorted(possible, key=lambda own: -own.gain.exact if own.gain is not None else 0.0)[:MOST_PICKS]
    kept = {id(own) for own in best}
    return [own for own in possible if id(own) in kept]
