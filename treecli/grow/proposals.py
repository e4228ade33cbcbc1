"""Features proposed while a tree grows: scored beside the attributes, and kept if a node's split asks about them.

Every open node may have several proposals. The k-th proposals of all nodes make one more candidate: a number for each
case, sorted within its node and cut by the plan's scorer. A threshold on a proposal lies halfway between two values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from treecli import plugins
from treecli.errors import UsageError
from treecli.expressions import Expression, values_of
from treecli.grow import choose, thresholds
from treecli.grow.candidates import NO_GAIN, Candidates, Floats
from treecli.grow.level import SortedCases, sorted_cases
from treecli.records import dataclass

if TYPE_CHECKING:
    from types import ModuleType

    from treecli.data import Feature, Schema
    from treecli.grow.candidates import Codes, Flags, Indices
    from treecli.grow.choose import Chooser, Decision
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan

Result = TypeVar("Result")

LARGE_NODES = 1000
"""Nodes with so many cases on average are sorted one by one."""


class Scored(NamedTuple):
    """Numbers for the cases of a level, and their best threshold at every node."""

    values: Floats
    candidates: Candidates


class Proposal(NamedTuple):
    """A feature for one open node, by the node's index in its level."""

    node: int
    feature: Feature
    scored: Scored | None = None
    """The same for all proposals of a level whose features its values are, if the member has scored them already."""


@dataclass(frozen=True)
class OpenNodes:
    """The open nodes of a level, as members of `features` see them.

    Node i has the cases level.start[i] to level.start[i + 1] (exclusive). `best` has the best split of each node on an
    attribute: its `attribute` (negative if there is none), `number`, `gain` and `score`.
    """

    engine: Any
    level: MemoryLevel
    best: Decision
    parent: Indices
    """By node: the index of its parent in the level before; -1 without one."""
    is_by_attribute: Flags
    """By node: whether an attribute splits its parent, not a proposal."""
    _kept: dict[str, Any] = field(default_factory=dict)

    def kept(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what a member computes once for all levels of a tree."""
        if name not in self._kept:
            self._kept[name] = compute()
        found: Result = self._kept[name]
        return found

    @property
    def schema(self) -> Schema:
        """The attributes; derived columns that the data had before growing count as attributes."""
        schema: Schema = self.engine.schema
        return schema

    @property
    def plan(self) -> Plan:
        plan: Plan = self.engine.plan
        return plan

    def column(self, attribute: int) -> Floats | Codes:
        """Return the values of an attribute, one per case; ordinal labels are positions, NaN if missing."""
        values: Floats | Codes = self.engine.columns[attribute][self.level.row]
        return values

    def values(self, expression: Expression) -> Floats:
        """Return the value of an expression, one per case."""
        return values_of(expression, self.column, self.level.n_cases)

    def scored(self, values: Floats) -> Candidates:
        """Return the best threshold at every node on a number for each case, as the tree's own splits are scored.

        `gain` is NO_GAIN where there is none. A member may call it as often as it likes, with other numbers.
        """
        return scored(values, self.level, self.plan)

    def random(self, node: int) -> np.random.Generator:
        """Return a generator of random numbers that depends on the seed and the node's number in the tree."""
        return np.random.default_rng([self.plan.settings.computing.seed, int(self.level.numbers[node])])


class Proposals:
    """The features proposed for the levels of one tree; `chosen` has those that splits ask about, in order."""

    def __init__(self, engine: Any, members: Sequence[ModuleType]) -> None:
        self._engine, self._plan = engine, engine.plan
        self._members = members
        self._n_attributes = len(engine.schema.attributes)
        self.chosen: list[Feature] = []
        self.last: Added | None = None
        """The proposals of the last level, for observers."""
        self._number_of: dict[Feature, int] = {}
        self._kept: dict[str, Any] = {}
        self._split: tuple[Decision, int] | None = None
        """The splits of the last level, and the number of their first child."""

    def added(self, level: MemoryLevel, candidates: Sequence[Candidates], chooser: Chooser) -> Added:
        """Return the proposals for a level, given the candidates of the attributes."""
        best = choose.decided(candidates, copy(chooser).choose(level, candidates), self._plan)
        nodes = OpenNodes(self._engine, level, best, *self._parents(level), self._kept)
        per_node: list[list[Proposal]] = [[] for _ in range(level.n_nodes)]
        for member in self._members:
            for proposal in member.propose(nodes):
                per_node[proposal.node].append(proposal)
        n_most = max(map(len, per_node), default=0)
        slots = [
            _Slot(nodes, [own[place] if place < len(own) else None for own in per_node]) for place in range(n_most)
        ]
        self.last = Added(slots, [slot.candidates for slot in slots])
        return self.last

    def _parents(self, level: MemoryLevel) -> tuple[Indices, Flags]:
        """Return the place of each node's parent in the level before, and whether an attribute splits that."""
        if self._split is None:
            return np.full(level.n_nodes, -1), np.zeros(level.n_nodes, bool)
        decision, first_number = self._split
        parent = np.searchsorted(decision.first_child, level.numbers - first_number, side="right") - 1
        return parent, decision.attribute[parent] < self._n_attributes

    def settled(self, decision: Decision, added: Added, first_number: int) -> Decision:
        """Return the decision with the numbers of derived columns, and with the values that they are split by.

        `first_number` is the number of the first child.
        """
        self._split = decision, first_number
        attribute = decision.attribute.copy()
        values: Floats | None = None
        for node in np.flatnonzero(decision.attribute >= self._n_attributes).tolist():
            slot = added.slots[attribute[node] - self._n_attributes]
            feature = slot.features[node]
            assert feature is not None
            if feature not in self._number_of:
                self._number_of[feature] = self._n_attributes + len(self.chosen)
                self.chosen.append(feature)
            attribute[node] = self._number_of[feature]
            begin, end = slot.nodes.level.start[node : node + 2]
            values = np.full(slot.nodes.level.n_cases, np.nan) if values is None else values
            values[begin:end] = slot.values[begin:end]
        return replace(decision, attribute=attribute, values=values)


class _Slot:
    """At most one proposal for each node, scored together."""

    def __init__(self, nodes: OpenNodes, proposals: Sequence[Proposal | None]) -> None:
        self.nodes = nodes
        self.features = [None if own is None else own.feature for own in proposals]
        scored = [own.scored for own in proposals if own is not None]
        self._scored = scored[0] if all(own is scored[0] for own in scored) else None

    @cached_property
    def values(self) -> Floats:
        """The number of each case; NaN at nodes without a proposal, if the proposals were not scored before."""
        if self._scored is not None:
            return self._scored.values
        level, columns = self.nodes.level, self.nodes.engine.columns
        found = np.full(level.n_cases, np.nan)
        for node, feature in enumerate(self.features):
            if feature is not None:
                begin, end = level.start[node : node + 2]
                rows = level.row[begin:end]
                column_of = _taken(columns, rows)
                found[begin:end] = values_of(feature.expression(), column_of, len(rows))
        return found

    @cached_property
    def candidates(self) -> Candidates:
        level = self.nodes.level
        is_proposed = np.array([feature is not None for feature in self.features])
        if self._scored is not None:
            found = self._scored.candidates
            return replace(found, gain=np.where(is_proposed, found.gain, NO_GAIN))
        part = level.without_attribute_orders().part(is_proposed)
        found = scored(self.values[is_proposed[level.node_of_case]], part, self.nodes.plan)
        place = np.maximum(np.cumsum(is_proposed) - 1, 0)
        return replace(found.taken(place), gain=np.where(is_proposed, found.gain[place], NO_GAIN))


class Added(NamedTuple):
    """The proposals of a level, and their candidates, which follow those of the attributes."""

    slots: Sequence[_Slot]
    candidates: Sequence[Candidates]


def _taken(columns: Sequence[Any], rows: Codes) -> Any:
    return lambda attribute: columns[attribute][rows]


def scored(values: Floats, level: MemoryLevel, plan: Plan) -> Candidates:
    """Return the best threshold at every node of a level on a number for each case; the level needs no orders."""
    return thresholds.on_numbers(level, sorted_within(values, level, plan), plan)


def sorted_within(values: Floats, level: MemoryLevel, plan: Plan) -> SortedCases:
    """Return the cases of each node sorted by a number, missing ones last; equal numbers keep their order."""
    if level.n_nodes == 1:
        return sorted_cases(values, plan.value_gap)
    if level.n_nodes and level.n_cases >= LARGE_NODES * level.n_nodes:
        parts = [sorted_cases(values[begin:end], plan.value_gap) for begin, end in pairwise(level.start.tolist())]
        case = np.concatenate([own.case + begin for own, begin in zip(parts, level.start[:-1].tolist(), strict=True)])
        n_known = np.concatenate([own.n_known for own in parts])
        return SortedCases(case, np.concatenate([own.value for own in parts]), n_known, plan.value_gap)
    node_of_case = level.node_of_case
    by_value = sorted_cases(values, plan.value_gap)
    # A stable sort of small integers takes time in proportion to their number.
    kind = np.uint16 if level.n_nodes <= np.iinfo(np.uint16).max else np.int64
    case = by_value.case[np.argsort(node_of_case[by_value.case].astype(kind), kind="stable")]
    n_known = np.bincount(node_of_case[values == values], minlength=level.n_nodes)
    return SortedCases(case, values[case], n_known.astype(np.int64), plan.value_gap)


def members_of(plan: Plan, schema: Schema) -> list[ModuleType]:
    """Return the modules that propose features under a plan; raise UsageError if one of them cannot."""
    return [_member(name, schema) for name in plan.settings.splitting.splits or ()]


def _member(name: str, schema: Schema) -> ModuleType:
    member = plugins.load("features", name)
    if not hasattr(member, "propose"):
        raise UsageError(f"--splits {name}: such columns are not found while a tree grows")
    if hasattr(member, "check"):
        member.check(schema)
    return member


@contextmanager
def with_proposals(plan: Plan, n_proposed: int) -> Iterator[None]:
    """Count no proposal in the average gain of the gain ratio while the body runs."""
    counted = plan.is_counted
    plan.is_counted = np.concatenate([np.asarray(counted), np.zeros(n_proposed, np.uint8)])
    try:
        yield
    finally:
        plan.is_counted = counted
