"""Growing a tree level by level: score every split of all open nodes, choose, add children, go down."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

from treecli import plugins
from treecli.candidates import NO_GAIN, Candidates, Codes, Flags, Floats, Indices, Terms, joined
from treecli.criteria import Criterion
from treecli.data import Dataset, Schema
from treecli.errors import DataError, UsageError
from treecli.kernels import impurity
from treecli.memory import Decision, MemoryEngine
from treecli.missing import Policy
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.tree import ALL_BRANCHES, LEAF, Tree, kinds

PURE_SHARE = 1e-12
"""A numeric target varies no more once its variance has fallen to this share of the variance of all cases."""

OnProgress = Callable[[float], None]


def criterion_for(settings: Settings, schema: Schema) -> tuple[str, Criterion]:
    """The criterion that the settings ask for, or the usual one for this kind of target, with its name."""
    name = settings.criterion or ("gainratio" if schema.is_classification else "variance")
    criterion: Criterion = plugins.load("criteria", name).CRITERION
    if (criterion.target == "nominal") != schema.is_classification:
        fitting = [
            n for n in plugins.names("criteria") if plugins.load("criteria", n).CRITERION.target != criterion.target
        ]
        kind = "nominal" if schema.is_classification else "numeric"
        raise UsageError(
            f"criterion '{name}' is for a {criterion.target} target, but '{schema.target.name}' is {kind}",
            f"use {' or '.join(fitting)}, or say --type {schema.target.name}={criterion.target}",
        )
    return name, criterion


def grow(
    dataset: Dataset, settings: Settings, *, jobs: int | None = None, on_progress: OnProgress | None = None
) -> Tree:
    """The tree that these settings grow on the data."""
    growth = Growth(dataset, settings, jobs)
    try:
        while growth.is_open:
            growth.add_level()
            if on_progress is not None:
                on_progress(growth.share_done)
    finally:
        growth.engine.close()
    tree, improvement = growth.tree()
    if settings.max_leaves is not None:
        tree = best_first(tree, improvement, settings.max_leaves)
    if settings.collapse and dataset.schema.is_classification:
        tree = collapsed_where_idle(tree)
    return tree


@dataclass(slots=True)
class _Level:
    """The nodes of one level, as leaves until a split is set."""

    outcomes: Floats
    kind: np.ndarray
    attribute: Codes
    number: Floats
    missing_to: Codes
    first_child: Indices
    n_branches: Codes
    score: Floats
    improvement: Floats
    table_size: Indices
    table: Codes

    @classmethod
    def of_leaves(cls, outcomes: Floats) -> _Level:
        n = len(outcomes)
        return cls(
            outcomes,
            np.full(n, LEAF, np.int8),
            np.full(n, LEAF, np.int32),
            np.zeros(n),
            np.full(n, ALL_BRANCHES, np.int32),
            np.zeros(n, np.int64),
            np.zeros(n, np.int32),
            np.zeros(n),
            np.zeros(n),
            np.zeros(n, np.int64),
            np.empty(0, np.int32),
        )


class Growth:
    """A tree on its way: finished levels, and the open nodes of the last one."""

    def __init__(self, dataset: Dataset, settings: Settings, jobs: int | None) -> None:
        self._settings = settings
        self._schema = dataset.schema
        _, self._criterion = criterion_for(settings, dataset.schema)
        if settings.chi2_alpha is not None and not dataset.schema.is_classification:
            name = dataset.schema.target.name
            raise UsageError(
                f"--chi2-alpha tests whether branches differ in their classes, but '{name}' is numeric",
                f"leave it out, or say --type {name}=nominal",
            )
        self._policy: Policy = plugins.load("missing", settings.missing).POLICY
        if self._policy.is_refused:
            _refuse_missing(dataset)
        self._nominal = plugins.load("splits", settings.nominal)
        self._terms = Terms(
            impurity=impurity.CODES[self._criterion.impurity],
            is_numeric=not dataset.schema.is_classification,
            min_leaf=settings.min_leaf,
            tolerance=settings.tolerance,
            missing_is_value=self._policy.is_value,
            wants_chi2=settings.chi2_alpha is not None,
            by_ratio=self._criterion.is_ratio,
            zero_gain=settings.zero_gain,
            value_gap=settings.value_gap,
            branch_share=settings.branch_share,
            most_branch_share=settings.most_branch_share,
            cut_cost=settings.cut_cost,
        )
        self._is_counted = self._counts_in_average(dataset.n_rows)
        self.engine = MemoryEngine(dataset, self._terms, spreads=self._policy.spreads, jobs=jobs)
        root = self.engine.root_outcomes()
        self._levels = [_Level.of_leaves(root)]
        self._least_deviance = PURE_SHARE * root[0, -1] / max(self._weights(root)[0], 1.0)
        self._n_nodes = 1
        self._notes: dict[int, dict[str, Any]] = {}
        self._n_rows = max(dataset.n_rows, 1)
        # Where the open nodes stand in the last level.
        self._open: Indices = np.flatnonzero(self._may_split(root))

    @property
    def is_open(self) -> bool:
        return len(self._open) > 0

    @property
    def share_done(self) -> float:
        """How much of the data has come to rest in leaves."""
        return 1.0 - min(self.engine.n_cases / self._n_rows, 1.0) if self.is_open else 1.0

    def add_level(self) -> None:
        """Splits the open nodes where that can be done, and adds their children."""
        level = self._levels[-1]
        candidates = self.engine.map(self.candidates, range(len(self._schema.attributes)))
        chosen, score, gain = self._choose(candidates)
        decision = self._decide(candidates, chosen)
        children = self.engine.children(decision)
        is_split = chosen >= 0
        nodes = self._open[is_split]
        level.kind[nodes] = self._kinds(candidates, chosen)[is_split]
        level.attribute[nodes] = chosen[is_split]
        level.number[nodes] = decision.number[is_split]
        level.missing_to[nodes] = decision.missing_to[is_split]
        level.first_child[nodes] = self._n_nodes + decision.first_child[:-1][is_split]
        level.n_branches[nodes] = np.diff(decision.first_child)[is_split]
        level.score[nodes] = score[is_split]
        level.improvement[nodes] = (gain * self._weights(level.outcomes[self._open]))[is_split]
        self._keep_tables(level, decision)
        self._note_printed(candidates, chosen)
        self._levels.append(_Level.of_leaves(children))
        self._n_nodes += len(children)
        is_open = self._may_split(children)
        self._open = np.flatnonzero(is_open)
        self.engine.descend(decision, is_open, children)

    def tree(self) -> tuple[Tree, Floats]:
        """The finished tree, and by how much each of its splits lowers the total impurity."""
        levels = self._levels
        tree = Tree(self._schema.n_outcomes)
        for name in ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score", "table"):
            values: array[Any] = getattr(tree, name)
            for level in levels:
                values.frombytes(getattr(level, name).astype(values.typecode).tobytes())
        for level in levels:
            tree.outcomes.frombytes(level.outcomes.tobytes())
        sizes = np.concatenate([level.table_size for level in levels])
        tree.table_start.frombytes(np.cumsum(sizes).tobytes())
        tree.notes = self._notes
        return tree, np.concatenate([level.improvement for level in levels])

    def _counts_in_average(self, n_rows: int) -> Flags:
        """Whether an attribute counts in the average gain: not if it has very many labels, unless all have."""
        share = self._settings.many_labels
        if share is None:
            return np.ones(len(self._schema.attributes), bool)
        is_counted = np.array([a.is_numeric or len(a.labels) < share * n_rows for a in self._schema.attributes])
        return is_counted if is_counted.any() else ~is_counted

    def _weights(self, outcomes: Floats) -> Floats:
        return outcomes.sum(axis=1) if self._schema.is_classification else outcomes[:, 0]

    def _may_split(self, outcomes: Floats) -> Flags:
        """Whether a node of the last level is neither too deep, too small nor pure."""
        settings, depth = self._settings, len(self._levels) - 1
        if settings.max_depth is not None and depth >= settings.max_depth:
            return np.zeros(len(outcomes), bool)
        if settings.max_leaves is not None and depth >= settings.max_leaves - 1:
            return np.zeros(len(outcomes), bool)
        weight = self._weights(outcomes)
        if self._schema.is_classification:
            is_mixed = outcomes.max(axis=1) < weight - settings.tolerance * np.minimum(weight, 1.0)
        else:
            is_mixed = outcomes[:, 2] > self._least_deviance * weight
        least = 2 * settings.min_leaf if settings.min_split is None else settings.min_split
        return np.asarray(is_mixed & (weight >= least - settings.tolerance) & (weight > 0))

    def candidates(self, attribute: int) -> Candidates:
        """The best split on an attribute at every open node."""
        kind = self._schema.attributes[attribute].kind
        if kind == "nominal":
            return joined([self._nominal.best(tables, self._terms) for tables in self.engine.count(attribute)])
        where = self._settings.threshold
        is_single = where in ("mean", "median")
        middles = self.engine.middles(attribute, is_median=where == "median") if is_single else None
        found = threshold.best(self.engine.cuts(attribute, middles), middles, is_ordinal=kind == "ordinal")
        if where != "datavalue":
            return found
        # Values that no threshold may part are not told apart here either.
        tolerance = min(self._settings.tolerance, self._settings.value_gap)
        return threshold.at_data_values(
            found, self.engine.occurring(attribute), self.engine.column(attribute), tolerance
        )

    def _choose(self, candidates: list[Candidates]) -> tuple[Codes, Floats, Floats]:
        """The attribute that splits each open node, or LEAF, with its merit and its gain."""
        settings = self._settings
        gain = np.array([c.gain for c in candidates])
        if settings.chi2_alpha is not None:
            gain[np.array([c.test.p_values() for c in candidates]) > settings.chi2_alpha] = NO_GAIN
        if settings.min_gain is not None:
            gain[gain < settings.min_gain - settings.tolerance] = NO_GAIN
        merit = self._criterion.merit(gain, np.array([c.split_info for c in candidates]), self._is_counted)
        if not settings.zero_gain:
            merit[merit <= settings.tolerance] = NO_GAIN
        chosen = np.full(gain.shape[1], LEAF, np.int32)
        best = np.full(gain.shape[1], NO_GAIN)
        slack = settings.tolerance * (1.0 if self._schema.is_classification else self._variances())
        for attribute, merits in enumerate(merit):
            # Not "merits > best + slack" alone: -inf + slack would let a split that cannot be made tie with none.
            is_better = np.isfinite(merits) & (merits > best + slack)
            chosen[is_better] = attribute
            best[is_better] = merits[is_better]
        return chosen, best, np.where(chosen >= 0, gain[chosen, np.arange(len(chosen))], 0.0)

    def _variances(self) -> Floats:
        outcomes = self._levels[-1].outcomes[self._open]
        return outcomes[:, 2] / outcomes[:, 0]

    def _decide(self, candidates: list[Candidates], chosen: Codes) -> Decision:
        """What the chosen candidates ask, in the form in which the engine sends cases down."""
        n = len(chosen)
        n_branches, number, missing_to = np.zeros(n, np.int64), np.zeros(n), np.full(n, ALL_BRANCHES, np.int32)
        tables: dict[int, Codes] = {}
        for attribute in np.unique(chosen[chosen >= 0]).tolist():
            found, nodes = candidates[attribute], np.flatnonzero(chosen == attribute)
            n_branches[nodes] = found.n_branches[nodes]
            missing_to[nodes] = found.missing_to[nodes]
            if found.number is not None:
                number[nodes] = found.number[nodes]
            if found.table is not None:
                # Where known values are parted from missing ones, all labels take the first branch.
                tables[attribute] = np.where(found.parts_missing[nodes, None], 0, found.table[nodes])
                number[nodes] = np.where(found.parts_missing[nodes], np.inf, 0.0)
        first_child = np.concatenate([[0], np.cumsum(n_branches)])
        return Decision(chosen, first_child, number, missing_to, tables)

    def _kinds(self, candidates: list[Candidates], chosen: Codes) -> np.ndarray:
        kind = np.full(len(chosen), LEAF, np.int8)
        for attribute in np.unique(chosen[chosen >= 0]).tolist():
            found, nodes = candidates[attribute], chosen == attribute
            kind[nodes] = kinds().index(found.kind)
            kind[nodes & found.parts_missing] = kinds().index("known")
        return kind

    def _note_printed(self, candidates: list[Candidates], chosen: Codes) -> None:
        """Remembers the thresholds that J48 prints otherwise than it tests them."""
        first = self._n_nodes - len(self._levels[-1].kind)
        for attribute in np.unique(chosen[chosen >= 0]).tolist():
            found = candidates[attribute]
            if found.printed is None or found.number is None:
                continue
            for i in np.flatnonzero((chosen == attribute) & (found.printed != found.number)).tolist():
                self._notes[int(first + self._open[i])] = {"printed": float(found.printed[i])}

    def _keep_tables(self, level: _Level, decision: Decision) -> None:
        """Puts the tables from labels to branches into the order of the nodes."""
        known = kinds().index("known")
        nodes_of, sizes = {}, np.zeros(len(self._open), np.int64)
        for attribute, table in decision.tables.items():
            nodes = np.flatnonzero(decision.attribute == attribute)
            has_table = level.kind[self._open[nodes]] != known
            nodes_of[attribute] = nodes[has_table], table[has_table]
            sizes[nodes[has_table]] = table.shape[1]
        start = np.cumsum(sizes) - sizes
        level.table = np.empty(int(sizes.sum()), np.int32)
        for nodes, table in nodes_of.values():
            level.table[start[nodes, None] + np.arange(table.shape[1])] = table
        level.table_size[self._open] = sizes


def _refuse_missing(dataset: Dataset) -> None:
    for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True):
        n_missing = int(np.count_nonzero(column != column if attribute.is_numeric else column < 0))
        if n_missing:
            raise DataError(
                f"'{attribute.name}' is missing in {n_missing} of {dataset.n_rows} rows; --missing error allows none",
                "choose another way for --missing, or leave the column out with -x",
            )


def best_first(tree: Tree, improvement: Floats, max_leaves: int) -> Tree:
    """The tree that always splits the leaf that gains most, up to a number of leaves.

    A node's split does not depend on when it is made, so the full tree holds all that best-first growth can choose
    from. Of equal gains, the node that comes first in level order wins.
    """
    kept: set[int] = set()
    heap: list[tuple[float, int]] = []
    n_leaves = 1
    heappush(heap, (-float(improvement[0]), 0))
    while heap:
        _, node = heappop(heap)
        if tree.is_leaf(node) or n_leaves + tree.n_branches[node] - 1 > max_leaves:
            continue
        kept.add(node)
        n_leaves += tree.n_branches[node] - 1
        for child in tree.children(node):
            heappush(heap, (-float(improvement[child]), child))
    return tree.collapsed(lambda node: node not in kept)


COLLAPSE_SLACK = 1e-3
"""C4.5's: leaves below a node must save at least this much of an error."""


def collapsed_where_idle(tree: Tree) -> Tree:
    """The tree without subtrees whose leaves make no fewer training errors than their root would, as in C4.5."""
    outcomes = np.frombuffer(tree.outcomes).reshape(-1, tree.n_outcomes)
    as_leaf = (outcomes.sum(axis=1) - outcomes.max(axis=1)).tolist()
    below = list(as_leaf)
    for node in reversed(range(tree.n_nodes)):
        if not tree.is_leaf(node):
            below[node] = sum(below[child] for child in tree.children(node))
    return tree.collapsed(lambda node: below[node] >= as_leaf[node] - COLLAPSE_SLACK)
