"""Grow subtrees depth first on any data: nominal attributes, missing values, weights.

The subtrees are the same as those grown level by level, computed by the same kernels. Python runs once for many nodes
instead of once per level and attribute, and the cases of a small node stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli.discretizers import NONE
from treecli.grow import mixed_thresholds
from treecli.grow.candidates import Codes, Flags, Indices
from treecli.grow.level import MemoryLevel
from treecli.grow.mixed_columns import Move, Shared, columns_of, found_of, scratch_of
from treecli.grow.nodes import Nodes, chained, pack_tables, settled
from treecli.grow.peeling import NEVER, chain_of
from treecli.grow.room import longer, more, wider
from treecli.kernels import codes, grow_mixed
from treecli.kernels.args import At, Cases, Moves, Order, Plan, Sent
from treecli.kernels.forest_args import Bag, Ranked
from treecli.kernels.mixed_args import Subtrees, Work
from treecli.options.sampling import ALL
from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import MANY_CLASSES
from treecli.splits import MANY_LABELS
from treecli.splits._registry import kinds
from treecli.tree import ALL_BRANCHES, LEAF

if TYPE_CHECKING:
    from treecli.grow.surrogate_lists import SurrogateLists

IMPURITIES = (codes.ENTROPY, codes.GINI, codes.ERROR, codes.VARIANCE)
"""The impurities that are computed from sums."""

RANKS = (codes.BY_GAIN, codes.BY_RATIO)

SAFE_GAPS = 4
"""Values this many tolerances apart are separated by a cut between them, wherever the threshold is placed."""

NODES_PER_CASE = 4
"""Initial capacity in nodes per case: unused capacity is free, while growing an array copies it."""

MOST_NUMBERS = 1 << 22
"""The limit on the initial size of an array."""

ENTRIES_PER_NODE = 32
"""Entries of tables that take the memory of a node."""

SPARSE_TABLE = 4
"""The length of the sparse table of one label against the rest."""


class Part(NamedTuple):
    """The numbers of some nodes, the subtrees below them, and the number of cases of nodes that wait to be split."""

    roots: Indices
    nodes: Nodes
    n_waiting: int = 0


def refuses(plan: Plan, engine: Any) -> str | None:
    """Return why subtrees cannot be grown depth first under this plan; None if they can."""
    settings = plan.settings
    reasons = {
        "features are proposed": settings.splitting.splits is not None,
        "attributes are drawn at each node": settings.sampling.features != ALL,
        "attributes are forced (--force)": settings.inputs.force is not None,
        "predictions must be monotone (--monotone)": settings.inputs.monotone is not None,
        "the impurity is absolute error or standard deviation": plan.impurity not in IMPURITIES,
        "the criterion ranks candidates by its own function or by tests": plan.rank not in RANKS,
        "another program's arithmetic decides": plan.arithmetic != codes.SUMS,
        "labels are grouped in a way of their own": plan.nominal in (codes.MERGED, codes.OTHER_GROUPS),
        "thresholds are means, medians or random": settings.splitting.threshold not in ("midpoint", "datavalue"),
        "numbers are cut into bins": settings.splitting.discretize != NONE,
        "splits are tested by chi-square": plan.wants_chi2,
        "splits must save a risk (cp)": plan.alpha > -np.inf,
        "splits must reach a share of the best improvement": plan.least_share > 0,
        "priors or costs weigh the classes": plan.is_scaled,
        "sizes are counted in rows": plan.counts_rows,
        "a value that equals a threshold goes up": plan.is_strict,
    }
    refusal = next((reason for reason, holds in reasons.items() if holds), None)
    if refusal is None and not _are_apart(plan, engine):
        refusal = "values lie within the tolerance of each other"
    return refusal


def _are_apart(plan: Plan, engine: Any) -> bool:
    """Return whether a threshold at a data value always separates the two values around the cut.

    J48's thresholds may not, if values lie within the tolerance of each other.
    """
    tolerance = min(plan.tolerance, plan.value_gap)
    if plan.settings.splitting.threshold != "datavalue" or tolerance == 0:
        return True
    if plan.value_gap < SAFE_GAPS * tolerance:
        return False
    attributes = engine.schema.attributes
    return all(engine.least_gap(a) > tolerance for a, own in enumerate(attributes) if own.kind != "nominal")


def grower(engine: Any) -> Callable[[MemoryLevel], Nodes]:
    """Return a function that grows the subtrees of the nodes of a level, whose orders are freed."""
    shared = Shared(engine, by_row=False)

    def grow(level: MemoryLevel) -> Nodes:
        growing = _Growing(shared, level)
        level.orders.clear()  # copied
        return growing.run()

    return grow


def parts_grower(engine: Any, most_nodes: int | None) -> Callable[[MemoryLevel], Iterator[Part]]:
    """Return a function that grows such subtrees in parts of about `most_nodes` nodes, if these can be set apart.

    The roots of a part are nodes of the parts before it, by their numbers in these: the first part, then the nodes of
    the others without their roots.
    """
    shared = Shared(engine, most_nodes=most_nodes, by_row=False)

    def grow(level: MemoryLevel) -> Iterator[Part]:
        growing = _Growing(shared, level)
        level.orders.clear()  # copied
        return growing.parts()

    return grow


def roots_grower(engine: Any, move: Move) -> Callable[[MemoryLevel, Flags, Flags], Nodes]:
    """Return a function that grows the trees of the roots that are open, given which roots have whole weights.

    The roots come first among the nodes. `move` places thresholds at data values.
    """
    shared = Shared(engine, move)
    return lambda level, is_open, is_whole: _Growing(shared, level, is_open, is_whole).run()


def grow_drawn(shared: Shared, root: MemoryLevel, drawing: tuple[Bag, Ranked]) -> Nodes:
    """Return the nodes of a tree with attributes drawn at each node, given the scratch for that and the ranks."""
    return _Growing(shared, root, drawing=drawing).run()


class _Growing:
    """The subtrees of some nodes: the arrays that the kernel fills, enlarged when full."""

    def __init__(
        self,
        shared: Shared,
        level: MemoryLevel,
        is_open: Flags | None = None,
        is_whole: Flags | None = None,
        drawing: tuple[Bag, Ranked] | None = None,
    ) -> None:
        self._shared, self._drawing = shared, drawing
        self._plan: Plan = shared.plan
        n_nodes, n_cases = level.n_nodes, level.n_cases
        n_attributes, n_outcomes = len(shared.n_labels), level.outcomes.shape[1]
        self._work, self._nodes, self._columns = Work(), Subtrees(), columns_of(shared, n_outcomes)
        if drawing is not None:
            self._columns.least_peeled = NEVER
        self._pending = np.empty((n_nodes, grow_mixed.PENDING_COLUMNS), np.int64)
        self._pending[:, 0] = np.arange(n_nodes)
        self._pending[:, 1], self._pending[:, 2] = level.start[:-1], level.start[1:]
        self._pending[:, 3:5] = level.depth, n_attributes
        self._pending[:, 5] = level.is_whole if is_whole is None else is_whole
        self._pending[:, 6] = 0
        self._pending_key = level.key.copy()
        if is_open is not None and not is_open.all():
            self._pending, self._pending_key = self._pending[is_open], self._pending_key[is_open]
        self._progress = np.array([len(self._pending), n_nodes, 0], np.int64)
        self._work.progress = self._progress
        self._work.begin_of_child, self._work.place = np.empty((2, shared.most_labels + 2), np.int64)
        ordered = [level.orders[a] for a in shared.ordered] if drawing is None else []
        n_orders = len(ordered) if drawing is None else self._plan.n_sampled + 1
        self._case, self._value = np.empty((n_orders, n_cases), np.int32), np.empty((n_orders, n_cases))
        for place, own in enumerate(ordered):
            self._case[place], self._value[place] = own.case, own.value
        self._row, self._label = level.row, level.label
        if shared.code_of_row is None:
            self._columns.labels.code_of_row = shared.codes_of(level.row)
            self._row = np.arange(n_cases, dtype=np.int32)
        self._target, self._weight = level.target, level.weight
        self._center, self._outcomes = level.center, level.outcomes
        # For classes, outcomes and totals are the same.
        self._totals = level.totals if self._plan.is_numeric else np.empty((n_nodes, 0))
        self._share = np.zeros(n_nodes)
        self._attribute = np.full(n_nodes, LEAF, np.int32)
        self._parts_missing = np.zeros(n_nodes, np.uint8)
        self._neighbour, self._cost = np.zeros((n_nodes, 2)), np.zeros(n_nodes)
        self._decrease, self._information = np.full(n_nodes, np.nan), np.zeros(n_nodes)
        self._missing_to, self._first_child, self._n_branches = np.zeros((3, n_nodes), np.int32)
        self._table_start = np.zeros(n_nodes, np.int64)
        self._found, self._scratch = found_of(n_attributes), scratch_of(n_outcomes)
        self._surrogates: SurrogateLists | None = None
        if self._plan.by_surrogates:
            from treecli.grow.surrogate_lists import SurrogateLists

            self._surrogates = SurrogateLists(shared.engine.schema, self._plan, shared.n_labels, level.weight)
            self._work.surrogates = self._surrogates.args
        self._make_room_for_cases(more(n_cases))
        expected = min(NODES_PER_CASE * n_cases, MOST_NUMBERS // n_outcomes)
        if shared.most_nodes is not None:
            expected = min(expected, shared.most_nodes)
        self._make_room_for_nodes(more(max(n_nodes, expected // 2)))
        self._table: Codes = np.empty(expected, np.int32)
        self._n_done = 0
        self._roots: Indices = np.arange(n_nodes)

    def run(self) -> Nodes:
        """Return the subtrees; the given nodes come first."""
        first, *others = self.parts()
        return chained(first.nodes, [(part.roots, part.nodes) for part in others]) if others else first.nodes

    def parts(self) -> Iterator[Part]:
        """Yield the subtrees in one part or several, as `parts_grower` says."""
        while (short_of := self._go_on()) != grow_mixed.DONE:
            if short_of == grow_mixed.PEEL:
                short_of = self._peel()
            if short_of == grow_mixed.CASES:
                self._make_room_for_cases(more(len(self._row)))
            elif short_of == grow_mixed.SURROGATES:
                assert self._surrogates is not None
                self._surrogates.make_room()
            elif short_of == grow_mixed.NODES and self._is_full_of_nodes() and self._can_set_apart():
                yield self._set_apart()
            elif short_of == grow_mixed.NODES:
                self._make_room_for_nodes(more(len(self._pending)))
            elif short_of == grow_mixed.TABLE and len(self._table) >= self._most_entries and self._can_set_apart():
                yield self._set_apart()
            elif short_of == grow_mixed.TABLE:
                self._table = longer(self._table, more(len(self._table)) + self._shared.most_labels)
        yield Part(self._roots, self._grown())

    def _is_full_of_nodes(self) -> bool:
        """Return whether so many nodes are made that they are set apart."""
        most_nodes = self._shared.most_nodes
        return self._outcomes.shape[1] > MANY_CLASSES or (most_nodes is not None and len(self._pending) >= most_nodes)

    @property
    def _most_entries(self) -> int:
        """The number of entries of tables from which on nodes are set apart."""
        most_nodes = self._shared.most_nodes
        return MOST_NUMBERS if most_nodes is None else min(ENTRIES_PER_NODE * most_nodes, MOST_NUMBERS)

    def _can_set_apart(self) -> bool:
        """Return whether setting nodes apart makes room: a number per class or label is needed for the others only."""
        shared, n_pending = self._shared, int(self._progress[0])
        has_much = self._outcomes.shape[1] > MANY_CLASSES or shared.most_labels > MANY_LABELS
        has_room = 2 * n_pending + shared.most_labels <= len(self._pending)
        return has_room and (has_much or shared.most_nodes is not None)

    def _set_apart(self) -> Part:
        """Return the nodes made so far, with outcomes and tables kept sparsely, and number from the pending ones."""
        n_pending, n_nodes = self._progress[:2].tolist()
        done = self._grown()
        if not isinstance(done.outcomes, SparseCounts):
            done.outcomes = done.outcomes.copy()
        part = Part(self._roots, done, int(np.diff(self._pending[:n_pending, 1:3]).sum()))
        waiting = self._pending[:n_pending, 0].copy()
        n_before = self._n_done
        place = np.concatenate([self._roots, n_before + np.arange(n_nodes - len(self._roots))]) if n_before else None
        self._n_done += n_nodes - (len(self._roots) if n_before else 0)
        self._roots = waiting if place is None else place[waiting]
        for name in ("_center", "_totals", "_outcomes"):
            values = getattr(self, name)
            values[:n_pending] = values[waiting]
        self._pending[:n_pending, 0] = np.arange(n_pending)
        self._decrease[:n_pending], self._information[:n_pending] = np.nan, 0.0
        self._attribute[:n_pending] = LEAF
        self._first_child[:n_pending] = 0
        self._n_branches[:n_pending] = 0
        self._progress[1:] = n_pending, 0
        return part

    def _go_on(self) -> int:
        """Run the kernel until it stops, and return the reason: done, or which array is full."""
        work, nodes, plan = self._work, self._nodes, self._plan
        totals = self._totals if plan.is_numeric else self._outcomes
        no_starts = np.empty(0, np.int64)
        work.pending, work.pending_key = self._pending, self._pending_key
        work.draws = self._drawing is not None
        if self._drawing is not None:
            work.bag, work.ranked = self._drawing
        of_case = self._row, self._label, self._target, self._weight
        work.cases = Cases(no_starts, *of_case, self._center, totals)
        work.order = Order(self._case.ravel(), self._value.ravel(), no_starts, plan.value_gap)
        work.sent = Sent(no_starts, self._branch, self._share, self._missing_to, self._outcomes)
        work.sent.decrease, work.sent.information = self._decrease, self._information
        work.moves = self._moves
        nodes.attribute, nodes.parts_missing, nodes.neighbour = self._attribute, self._parts_missing, self._neighbour
        nodes.missing_to, nodes.first_child, nodes.n_branches = self._missing_to, self._first_child, self._n_branches
        nodes.cost, nodes.table_start, nodes.table = self._cost, self._table_start, self._table
        nodes.outcomes = self._outcomes
        self._columns.stride = len(self._row)
        short_of: int = grow_mixed.grow(work, self._columns, nodes, At(), plan, self._found, self._scratch)
        return short_of

    def _peel(self) -> int:
        """Peel the last pending node until it loses more than few cases, and return why that stops."""
        from treecli.kernels import peel  # few trees are peeled

        lo, hi = self._pending[self._progress[0] - 1, 1:3].tolist()
        chain = chain_of(hi - lo, self._shared.n_labels, self._outcomes.shape[1], self._plan.value_gap)
        chain.work, chain.columns, chain.nodes = self._work, self._columns, self._nodes
        chain.at, chain.plan, chain.found, chain.scratch = At(), self._plan, self._found, self._scratch
        short_of: int = peel.peel(chain)
        return short_of

    def _make_room_for_cases(self, room: int) -> None:
        self._case, self._value = wider(self._case, room), wider(self._value, room)
        self._row, self._label = longer(self._row, room), longer(self._label, room)
        self._target, self._weight = longer(self._target, room), longer(self._weight, room)
        self._branch = np.empty(room, np.int32)
        if self._surrogates is not None:
            self._surrogates.take_branches(self._branch)
        self._moves = Moves()
        self._moves.start = np.empty(room + 1, np.int32)
        self._moves.to, self._moves.branch, self._moves.spare = np.empty((3, room), np.int32)
        self._moves.number = np.empty(room)

    def _make_room_for_nodes(self, room: int) -> None:
        room += self._shared.most_labels
        for name in (
            *("_pending", "_center", "_totals", "_outcomes", "_share", "_attribute", "_parts_missing", "_neighbour"),
            *("_pending_key", "_cost", "_decrease", "_information", "_missing_to", "_first_child", "_n_branches"),
            "_table_start",
        ):
            setattr(self, name, longer(getattr(self, name), room))

    def _grown(self) -> Nodes:
        shared, n = self._shared, int(self._progress[1])
        nodes = Nodes.leaves(settled(self._outcomes[:n]))
        # Copies: the arrays are used again if the subtrees are grown in parts.
        nodes.attribute, nodes.n_branches = self._attribute[:n].copy(), self._n_branches[:n].copy()
        is_inner = nodes.is_inner
        is_apart = self._parts_missing[:n].astype(bool) & is_inner
        kind = np.where(is_apart, kinds().index("known"), shared.kind_of[nodes.attribute])
        nodes.kind = np.where(is_inner, kind, LEAF).astype(np.int8)
        nodes.first_child = self._first_child[:n].astype(np.int64)
        nodes.missing_to = np.where(is_inner, self._missing_to[:n], ALL_BRANCHES).astype(np.int32)
        nodes.cost = np.where(is_inner, self._cost[:n], 0.0)
        nodes.decrease, nodes.information = self._decrease[:n].copy(), self._information[:n].copy()
        nodes.table, nodes.table_start = self._table[: self._progress[2]].copy(), self._table_start[:n].copy()
        # These take no room until the subtrees are joined.
        nodes.score = nodes.improvement = np.broadcast_to(0.0, n)
        nodes.further_start = nodes.further_size = np.broadcast_to(np.int64(0), n)
        nodes.first = np.broadcast_to(np.int32(0), n)
        n_labels = np.maximum(shared.n_labels, 0)
        nodes.table_size = np.where(is_inner & ~is_apart, n_labels[nodes.attribute], 0).astype(np.int64)
        is_packed = nodes.table_size > self._columns.most_listed
        nodes.table_size[is_packed] = SPARSE_TABLE
        nodes.number = np.where(is_apart, np.inf, is_packed)
        mixed_thresholds.place(nodes, self._neighbour[:n], is_apart, shared)
        pack_tables(nodes)
        if self._surrogates is not None:
            nodes.surrogates = self._surrogates.taken()
        return nodes
