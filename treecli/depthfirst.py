"""Whole subtrees depth first, whatever the data hold: labels, missing values, weights.

The same subtrees as level by level, by the same kernels. Python runs once for many nodes instead of once for each level
and attribute, and what a small node holds stays in the processor's cache.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treecli.candidates import Codes, Flags, Floats, Indices, Terms
from treecli.data import Schema
from treecli.kernels import best_mixed, grow_mixed, score_groups, score_sums
from treecli.memory import MemoryEngine
from treecli.missing import Policy
from treecli.opennodes import OpenNodes
from treecli.tree import ALL_BRANCHES, LEAF, STAYS

ASKED = {"multiway": best_mixed.MULTIWAY, "binary": best_mixed.ONE_AGAINST_REST, "subset": best_mixed.GROUPS}
"""The choices of --nominal that are found so."""

LEAST_ROOM = 64
"""More than there are, for so many cases, nodes and entries of tables there is room at first."""

NODES_PER_CASE = 4
"""So many nodes are made room for at first: what is not used costs nothing, and arrays that grow are copied."""

MOST_NUMBERS = 1 << 22
"""But not for more numbers than this in an array."""

DIRECTIONS = 3
"""Rows of scratch for the search of a principal component."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds the growth of a tree, as the kernel is told."""

    is_ratio: bool
    least: float
    """The least weight of a node that may be split."""
    least_deviance: float
    min_gain: float
    gain_of_all: bool
    root_weight: float
    max_depth: int


@dataclass(slots=True)
class Grown:
    """Nodes in the order in which they were made: first those that were given, then those below them.

    A leaf has no branches, and nothing else that counts but its outcomes. `first_child` counts among these nodes.
    """

    attribute: Codes
    parts_missing: Flags
    neighbour: Floats
    """The values on both sides of a cut."""
    missing_to: Codes
    first_child: Indices
    n_branches: Codes
    worth: Floats
    """The merit of the split, and the gain of all cases together."""
    table_start: Indices
    outcomes: Floats
    table: Codes


class Finisher:
    """What all nodes have in common that are finished so."""

    def __init__(
        self,
        engine: MemoryEngine,
        schema: Schema,
        terms: Terms,
        policy: Policy,
        nominal: str,
        is_counted: Flags,
        limits: Limits,
    ) -> None:
        self.terms, self.limits = terms, limits
        self.xlog2_of = engine.xlog2_of
        labelled = [a for a, attribute in enumerate(schema.attributes) if attribute.kind == "nominal"]
        self.ordered = [a for a, attribute in enumerate(schema.attributes) if attribute.kind != "nominal"]
        slot_of = np.zeros(len(schema.attributes), np.int32)
        slot_of[labelled] = np.arange(len(labelled))
        slot_of[self.ordered] = np.arange(len(self.ordered))
        self.n_labels_of = np.full(len(schema.attributes), -1, np.int32)
        self.n_labels_of[labelled] = [len(schema.attributes[a].labels) for a in labelled]
        # Row by row: the labels of a small node's few cases lie side by side then.
        codes = np.empty((len(engine.columns[labelled[0]]) if labelled else 0, len(labelled)), np.int32)
        for slot, a in enumerate(labelled):
            codes[:, slot] = engine.columns[a]
        self.attributes = slot_of, self.n_labels_of, is_counted.astype(np.uint8), codes.ravel(), len(labelled)
        self.rules = (
            terms.impurity,
            terms.is_numeric,
            terms.missing_is_value,
            policy.spreads,
            STAYS if policy.stays else ALL_BRANCHES,
            ASKED[nominal],
            limits.is_ratio,
            terms.most_exhaustive,
            terms.min_leaf,
            limits.least,
            limits.least_deviance,
            limits.min_gain,
            limits.gain_of_all,
            limits.root_weight,
            limits.max_depth,
            terms.tolerance,
            terms.zero_gain,
            terms.value_gap,
            terms.branch_share,
            terms.most_branch_share,
            terms.cut_cost,
        )

    def grow(self, nodes: OpenNodes, outcomes: Floats, depth: int) -> Grown:
        """The subtrees of these nodes, whose outcomes are given as a tree keeps them."""
        work = _Work(self, nodes, outcomes, depth)
        while (short_of := work.go_on()) != grow_mixed.DONE:
            work.make_room(short_of)
        return work.grown()


@dataclass(slots=True)
class _Work:
    """Nodes on their way: the arrays that the kernel fills, which grow when they are full."""

    finisher: Finisher
    nodes: OpenNodes
    given: Floats
    depth: int
    progress: Indices = field(init=False)
    pending: Indices = field(init=False)
    lists: tuple[np.ndarray, ...] = field(init=False)
    of_case: tuple[np.ndarray, ...] = field(init=False)
    of_node: tuple[np.ndarray, ...] = field(init=False)
    table: Codes = field(init=False)
    scratch: tuple[np.ndarray, ...] = field(init=False)
    live: Codes = field(init=False)

    def __post_init__(self) -> None:
        nodes, n_nodes, n_cases = self.nodes, len(self.given), self.nodes.n_cases
        n_attributes, n_outcomes = len(self.finisher.n_labels_of), self.given.shape[1]
        self.live = np.arange(n_attributes, dtype=np.int32)
        self.progress = np.array([n_nodes, n_nodes, 0], np.int64)
        self.pending = np.empty((n_nodes, grow_mixed.PENDING_COLUMNS), np.int64)
        self.pending[:, 0] = np.arange(n_nodes)
        self.pending[:, 1], self.pending[:, 2] = nodes.start[:-1], nodes.start[1:]
        self.pending[:, 3:] = self.depth, n_attributes, nodes.are_whole
        ordered = [nodes.ordered[a] for a in self.finisher.ordered]
        self.lists = (
            np.array([own.case for own in ordered], np.int32).reshape(len(ordered), n_cases),
            np.array([own.value for own in ordered]).reshape(len(ordered), n_cases),
        )
        self.of_case = nodes.row_of_case, nodes.class_of_case, nodes.target_of_case, nodes.weight_of_case
        self.of_node = (
            np.full(n_nodes, LEAF, np.int32),
            np.zeros(n_nodes, np.uint8),
            np.zeros((n_nodes, 2)),
            np.zeros(n_nodes, np.int32),
            np.zeros(n_nodes, np.int32),
            np.zeros(n_nodes, np.int32),
            np.zeros((n_nodes, 2)),
            np.zeros(n_nodes, np.int64),
            np.zeros(n_nodes),
            nodes.center,
            nodes.outcomes,
            self.given,
        )
        self._make_room_for_cases(_more(n_cases))
        expected = min(NODES_PER_CASE * n_cases, MOST_NUMBERS // n_outcomes)
        self._make_room_for_nodes(_more(max(n_nodes, expected // 2)))
        self.table = np.empty(expected, np.int32)
        self.scratch = _scratch(n_attributes, n_outcomes, self._most_labels)

    def make_room(self, short_of: int) -> None:
        """Makes room for twice as many of what there is too little of, if it is room that is short."""
        if short_of == grow_mixed.CASES:
            self._make_room_for_cases(_more(len(self.of_case[0])))
        elif short_of == grow_mixed.NODES:
            self._make_room_for_nodes(_more(len(self.pending)))
        elif short_of == grow_mixed.TABLE:
            self.table = _longer(self.table, _more(len(self.table)) + self._most_labels)

    def _make_room_for_cases(self, room: int) -> None:
        self.lists = tuple(_longer(values, room, axis=1) for values in self.lists)
        self.of_case = (*(_longer(values, room) for values in self.of_case[:4]), *_spare(room))

    def _make_room_for_nodes(self, room: int) -> None:
        self.pending = _longer(self.pending, room + self._most_labels)
        self.of_node = tuple(_longer(values, room + self._most_labels) for values in self.of_node)

    @property
    def _most_labels(self) -> int:
        return int(self.finisher.n_labels_of.max(initial=1))

    def go_on(self) -> int:
        """Why the kernel has come back."""
        *of_node, share, center, totals, outcomes = self.of_node
        short_of: int = grow_mixed.grow(
            self.progress,
            self.pending,
            self.live,
            *self.finisher.attributes,
            *(values.ravel() for values in self.lists),
            *self.of_case,
            *self.finisher.rules,
            self.finisher.xlog2_of,
            *self.scratch,
            *of_node,
            self.table,
            share,
            center,
            totals if self.finisher.terms.is_numeric else outcomes,
            outcomes,
        )
        return short_of

    def grown(self) -> Grown:
        _, n_nodes, n_table = self.progress.tolist()
        attribute, apart, neighbour, missing_to, first_child, n_branches, worth, table_start, *_, outcomes = (
            values[:n_nodes] for values in self.of_node
        )
        of_split = attribute, apart, neighbour, missing_to, first_child, n_branches, worth, table_start
        return Grown(*of_split, outcomes, self.table[:n_table])


def _scratch(n_attributes: int, n_outcomes: int, n_labels: int) -> tuple[np.ndarray, ...]:
    """What the kernel writes on, in the order in which it takes it."""
    n_codes = n_labels + 1
    return (
        *np.zeros((3, score_sums.SCRATCH_ROWS, n_outcomes)),
        np.full(n_codes, -1, np.int64),
        np.empty(n_codes, np.int32),
        np.zeros((n_codes, n_outcomes)),
        np.zeros((3, n_codes), np.int64),
        np.empty(n_codes),
        np.empty((score_groups.SCRATCH_ROWS + DIRECTIONS, n_outcomes)),
        np.empty((1, n_codes), np.int32),
        *np.empty((4, n_attributes)),
        np.empty(n_attributes, np.int32),
        np.empty(1),
        *np.empty((2, n_codes + 1), np.int64),
    )


def _spare(room: int) -> tuple[np.ndarray, ...]:
    """Branches, moves and copies of so many cases."""
    return (
        np.empty(room, np.int32),
        np.empty(room + 1, np.int32),
        *np.empty((3, room), np.int32),
        np.empty(room),
    )


def _more(n: int) -> int:
    return 2 * n + LEAST_ROOM


def _longer(values: np.ndarray, room: int, *, axis: int = 0) -> Any:
    longer = np.empty((*values.shape[:axis], room, *values.shape[axis + 1 :]), values.dtype)
    longer[(slice(None),) * axis + (slice(0, values.shape[axis]),)] = values
    return longer
