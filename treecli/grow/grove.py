"""Grow trees on several samples of the same rows together: a grove.

On a few hundred rows, most of the time of a tree is Python's own: the plan, the levels, the arrays. Here that happens
once for all samples, and the columns are sorted once. A grove is one tree whose root asks for the number of the sample;
its branches are the trees that the samples would give one by one, without scores and notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli import plugins
from treecli.errors import TreecliError
from treecli.grow import groupings, mixed, packedgrove
from treecli.grow.candidates import Codes, Flags, Floats, Indices
from treecli.grow.level import MemoryLevel, SortedCases, are_whole, with_weight
from treecli.grow.loop import are_open
from treecli.grow.nodes import Nodes, as_tree
from treecli.grow.packedgrove import PackedGrower
from treecli.grow.plan import counts_in_average, open_root, plan_of
from treecli.grow.trim import are_idle, wrong_weights
from treecli.kernels import codes, samples
from treecli.kernels.level_order import level_order
from treecli.options.sampling import ALL
from treecli.outcomes.rows import MANY_CLASSES
from treecli.records import dataclass
from treecli.settings.growing import RANDOM
from treecli.settings.searching import GREEDY
from treecli.splits import MANY_LABELS
from treecli.splits._registry import kinds
from treecli.threads import FEW_CASES
from treecli.tree import ALL_BRANCHES, LEAF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset
    from treecli.kernels.args import Plan
    from treecli.settings import Settings
    from treecli.tree import Tree

ENGINE = "memory"

ROOT_KIND = "multiway"


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows in the order in which a tree would get them, and whether each of them is held aside for pruning.

    Values of rows that are held aside count where a rule counts all rows, as those of rows without a target do.
    """

    rows: NDArray[np.integer[Any]]
    is_aside: Flags | None = None


class Grove:
    """A data set prepared for growing trees on samples of its rows."""

    def __init__(self, dataset: Dataset, plan: Plan, engine: Any) -> None:
        self._dataset = dataset
        self._plan = plan
        self._label_of_row: Codes = engine.label_of_row
        self._has_target = self._label_of_row >= 0
        self._ordered = [a for a, own in enumerate(dataset.schema.attributes) if own.kind != "nominal"]
        self._slot = np.zeros(len(dataset.schema.attributes), np.int32)
        self._slot[self._ordered] = np.arange(len(self._ordered))
        n_rows = dataset.n_rows
        columns = [engine.column(a) for a in self._ordered]
        self._column = np.array(columns, np.float64).reshape(len(columns), n_rows)
        self._row_in_order = np.argsort(self._column, axis=1, kind="stable").astype(np.int32)
        self._value_in_order = np.take_along_axis(self._column, self._row_in_order, axis=1)
        self._rank, self._n_ranks = _ranks(self._row_in_order, self._value_in_order)
        weights = dataset.weights
        self._has_equal_weights = bool(n_rows) and bool(weights[0] > 0) and bool((weights == weights[0]).all())
        self._are_whole = are_whole(weights)
        self._is_inside = np.zeros((0, n_rows), np.uint8)
        self._grow = mixed.roots_grower(engine, self._move)
        self._packed: PackedGrower | None = None
        if not packedgrove.refuses(plan, dataset):
            self._packed = PackedGrower(dataset, plan, self._column, self._value_in_order, self._move)

    @classmethod
    def of(cls, dataset: Dataset, settings: Settings) -> Grove | None:
        """Return the prepared data set; None if trees must be grown one by one."""
        if _refuses(dataset, settings):
            return None
        try:
            plan = plan_of(settings, dataset)
        except TreecliError:
            return None  # each tree meets the error itself
        engine = plugins.load("engines", ENGINE).Engine(dataset, plan, 1)
        n_classes = dataset.schema.n_outcomes
        labels = engine.label_of_row
        outcomes = np.bincount(labels[labels >= 0], minlength=n_classes).astype(np.float64)[None, :]
        open_root(plan, outcomes, dataset.n_rows, dataset.schema)
        if plan.arithmetic != codes.SUMS or plan.gain_of_all or plan.policy.is_refused:
            return None
        if groupings.warnings(settings, dataset.schema, set(), is_measured=False):
            return None
        if plan.by_surrogates or mixed.refuses(plan, engine) is not None or not _has_clear_values(dataset, plan):
            return None
        return cls(dataset, plan, engine)

    def grown(self, given: Sequence[Sample]) -> Tree | None:
        """Return the trees of the samples as the branches of one root; None if they must be grown one by one."""
        counted = {len(sample.rows) for sample in given}
        settings, schema = self._plan.settings, self._dataset.schema
        are_counted = [counts_in_average(settings, schema, n_rows) for n_rows in counted]
        rows = [self._cases(sample) for sample in given]
        if any((own != are_counted[0]).any() for own in are_counted) or not all(map(len, rows)):
            return None
        self._plan.is_counted = are_counted[0].astype(np.uint8)
        self._is_inside = np.zeros((len(given), self._dataset.n_rows), np.uint8)
        for inside, sample in zip(self._is_inside, given, strict=True):
            inside[sample.rows] = 1
        level = self._level(rows)
        size = np.diff(level.start)
        is_open = are_open(level.outcomes, size, 0, self._plan)
        nodes = self._nodes(level, is_open, rows)
        if settings.stopping.collapse:
            idle = are_idle(nodes.first_child, nodes.n_branches, wrong_weights(np.asarray(nodes.outcomes)))
            nodes.n_branches[idle] = 0
        return as_tree(_below_one_root(nodes, len(given), len(schema.attributes)))

    def _nodes(self, level: MemoryLevel, is_open: Flags, rows: Sequence[Codes]) -> Nodes:
        """Return the nodes of all trees, the roots first."""
        if self._packed is not None and level.n_cases <= packedgrove.most_cases(self._dataset):
            return self._packed.grow(level, is_open)
        is_whole = np.full(len(rows), self._are_whole)
        if not self._are_whole:
            is_whole = np.array([are_whole(self._dataset.weights[own]) for own in rows])
        return self._grow(level, is_open, is_whole)

    def _cases(self, sample: Sample) -> Codes:
        """Return the rows of a sample that are training cases, in order."""
        rows = sample.rows
        has_target = self._has_target[rows]
        if sample.is_aside is not None:
            has_target &= ~sample.is_aside
        if not self._has_equal_weights:
            return rows[with_weight(has_target, self._dataset.weights[rows])].astype(np.int32)
        return (rows if has_target.all() else rows[has_target]).astype(np.int32)

    def _level(self, rows: Sequence[Codes]) -> MemoryLevel:
        """Return the level of the roots of all samples."""
        n_samples, n_classes = len(rows), self._dataset.schema.n_outcomes
        start = np.zeros(n_samples + 1, np.int64)
        np.cumsum([len(own) for own in rows], out=start[1:])
        row = np.concatenate(rows)
        label, weight = self._label_of_row[row], np.asarray(self._dataset.weights[row], np.float64)
        class_of_sample = np.repeat(np.arange(n_samples) * n_classes, np.diff(start)) + label
        summed = np.bincount(class_of_sample, weight, n_samples * n_classes)
        outcomes = np.asarray(summed, np.float64).reshape(n_samples, n_classes)
        n_ordered = len(self._ordered)
        case, value = np.empty((n_ordered, len(row)), np.int32), np.empty((n_ordered, len(row)))
        place = np.empty(int(self._n_ranks.max(initial=0)) + 1, np.int64)
        samples.sort_cases(self._rank, self._n_ranks, start, row, place, self._column, case, value)
        # The accelerator does not ask for the number of known values.
        none = np.empty(0, np.int64)
        orders = {a: SortedCases(case[i], value[i], none, self._plan.value_gap) for i, a in enumerate(self._ordered)}
        center, target = np.zeros(n_samples), np.zeros(len(row))
        of_cases = start, row, label, target, weight, center, outcomes.copy()
        return MemoryLevel(
            np.arange(n_samples), outcomes, 0, *of_cases, orders, self._are_whole, np.zeros(n_samples, np.uint64)
        )

    def _move(self, nodes: Nodes, own: Indices, number: Floats) -> Floats:
        """Return the largest value up to each threshold among the rows of its sample.

        J48 raises thresholds by almost a tolerance where values are close. No value of the data set lies in between,
        because the accelerator refuses values within a tolerance of each other.
        """
        tolerance = min(self._plan.tolerance, self._plan.value_gap)
        sample = np.arange(len(nodes), dtype=np.int32)
        samples.pass_down(0, nodes.first_child, nodes.n_branches, sample)
        moved, slot, sample = number.copy(), self._slot[nodes.attribute[own]], sample[own]
        samples.move_to_values(
            self._value_in_order, self._row_in_order, self._is_inside, slot, sample, tolerance, moved
        )
        return moved


def _refuses(dataset: Dataset, settings: Settings) -> bool:
    """Return whether the settings or the data need trees that are grown one by one."""
    schema, stopping = dataset.schema, settings.stopping
    return bool(
        not schema.is_classification
        or schema.derived
        or dataset.n_rows >= FEW_CASES
        or schema.n_outcomes > MANY_CLASSES
        or any(len(own.labels) > MANY_LABELS for own in schema.attributes)
        or settings.searching.search != GREEDY
        or settings.sampling.features != ALL
        or settings.splitting.threshold == RANDOM
        or settings.inputs.winnow
        or settings.inputs.project is not None
        or settings.computing.is_observed
        or settings.computing.arithmetic != "sums"
        or settings.predicting.has_models
        or settings.predicting.single_precision
        or not settings.missing.blank_rows
        or stopping.max_leaves is not None
    )


def _has_clear_values(dataset: Dataset, plan: Plan) -> bool:
    """Return whether no value depends on the sample: none is -inf, and no place in an order becomes a threshold."""
    attributes = dataset.schema.attributes
    if any((dataset.columns[a] == -np.inf).any() for a, own in enumerate(attributes) if own.is_numeric):
        return False
    return plan.settings.splitting.threshold != "datavalue" or all(own.kind != "ordinal" for own in attributes)


def _ranks(row: Codes, value: Floats) -> tuple[Codes, Indices]:
    """Return the rank of every row by each column, equal for equal values, and the number of ranks."""
    n_columns, n_rows = row.shape
    is_new = np.zeros((n_columns, n_rows), bool)
    # A missing value differs from itself; all of them have the last rank.
    is_new[:, 1:] = (value[:, 1:] != value[:, :-1]) & (value[:, :-1] == value[:, :-1])
    in_order = np.cumsum(is_new, axis=1)
    rank = np.empty((n_columns, n_rows), np.int32)
    np.put_along_axis(rank, row.astype(np.int64), in_order.astype(np.int32), axis=1)
    return rank, in_order.max(axis=1, initial=0) + 1


def _below_one_root(nodes: Nodes, n_samples: int, n_attributes: int) -> Nodes:
    """Return the nodes in level order below a root that asks for the number of the sample.

    The first nodes are the roots of the samples; nodes that they do not lead to are left out.
    """
    n_branches = np.concatenate([[n_samples], nodes.n_branches]).astype(np.int32)
    first_child = np.concatenate([[1], nodes.first_child + 1])
    order = np.empty(len(n_branches), np.int32)
    order = order[: level_order(first_child, n_branches, order)]
    own, of_all = order[1:] - 1, np.asarray(nodes.outcomes)
    taken = Nodes.leaves(np.concatenate([of_all[:n_samples].sum(axis=0)[None, :], of_all[own]]))
    is_inner = nodes.n_branches[own] > 0
    taken.n_branches = n_branches[order]
    taken.first_child = np.where(taken.n_branches > 0, 1 + np.cumsum(taken.n_branches) - taken.n_branches, 0)
    taken.kind[0], taken.attribute[0] = kinds().index(ROOT_KIND), n_attributes
    taken.kind[1:] = np.where(is_inner, nodes.kind[own], LEAF)
    taken.attribute[1:] = np.where(is_inner, nodes.attribute[own], LEAF)
    taken.number[1:] = np.where(is_inner, nodes.number[own], 0.0)
    taken.missing_to[1:] = np.where(is_inner, nodes.missing_to[own], ALL_BRANCHES)
    taken.table = np.concatenate([nodes.table, np.arange(n_samples)]).astype(np.int32)
    taken.table_start[0], taken.table_size[0] = len(nodes.table), n_samples
    taken.table_start[1:] = nodes.table_start[own]
    taken.table_size[1:] = np.where(is_inner, nodes.table_size[own], 0)
    return taken
