"""Grow the trees of a forest from columns of ranks, made once and shared by all of them.

The trees are the same as those grown level by level, many times as fast (docs/performance.md). Thresholds lie halfway
between values. Where splits are in two, weights of classes are whole numbers and missing values take the heavier
branch, the kernel grow_forest grows them; otherwise grow_mixed does, with attributes drawn at each node.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.discretizers import NONE
from treecli.grow import mixed, thresholds
from treecli.grow.candidates import Codes, Cuts, Floats, Indices, empty_test
from treecli.grow.level import MemoryLevel, are_whole, with_weight
from treecli.grow.loop import are_open
from treecli.grow.mixed_columns import Shared, found_of, room_for_labels, scratch_of
from treecli.grow.nodes import Graft, Nodes, as_tree, assembled, pack_tables, settled
from treecli.grow.plan import open_root
from treecli.grow.ranks import Columns
from treecli.kernels import codes, forest_tree, grow_forest, sort_ranks
from treecli.kernels.args import At, Plan
from treecli.kernels.forest_args import Bag, TreeArrays
from treecli.kernels.level_order import level_order
from treecli.kernels.mixed_args import Subtrees
from treecli.outcomes.rows import MANY_CLASSES
from treecli.splits import MANY_LABELS
from treecli.splits._registry import kinds
from treecli.tree import LEAF, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from treecli.data import Dataset, Schema

MOST_IN_BLOCK = 1 << 14
"""The ranks of nodes with up to so many cases are copied side by side; they stay in the processor's cache."""

MOST_IN_SMALL_BLOCK = 1 << 10
"""The ranks of nodes with up to so many cases are copied once more, closer together."""

ROWS_PER_BLOCK = 4
"""A block holds at most one of so many rows: larger nodes are scanned in the order of the whole column."""

MOST_RANK_BITS = 25
"""The most bits of a rank: with the place of a case in a small node they are a 32-bit number."""

MOST_WEIGHT = 2.0**22
"""A weight and a class are a 32-bit number, and the product of two sums of weights is a 64-bit one."""

EXACT_PARTS = 1 << 10
"""Sums of weights that are multiples of 1 / EXACT_PARTS are exact, in any order."""

LEAST_TABLE = 1 << 12

MOST_TABLES = 1 << 20
"""The entries of the tables from labels to branches that are kept while the attributes of a node are compared."""


def refuses(plan: Plan, dataset: Dataset) -> str | None:
    """Return why the trees cannot be grown from shared ranks; None if they can."""
    return _refuses_plan(plan) or _refuses_data(plan, dataset)


def _refuses_plan(plan: Plan) -> str | None:
    settings = plan.settings
    impurities = (codes.VARIANCE,) if plan.is_numeric else (codes.ENTROPY, codes.GINI)
    reasons = {
        "features are proposed": settings.splitting.splits is not None,
        "attributes are projected": settings.inputs.project is not None,
        "attributes are forced (--force)": settings.inputs.force is not None,
        "predictions must be monotone (--monotone)": settings.inputs.monotone is not None,
        "the impurity is neither entropy, Gini index nor variance": plan.impurity not in impurities,
        "the criterion ranks by its own function or by tests": plan.rank not in (codes.BY_GAIN, codes.BY_RATIO),
        "another program's arithmetic decides": plan.arithmetic != codes.SUMS,
        "thresholds do not lie halfway": settings.splitting.threshold != "midpoint",
        "numbers are cut into bins": settings.splitting.discretize != NONE,
        "splits are tested by chi-square": plan.wants_chi2,
        "classes have priors or costs": plan.is_scaled,
        "splits must lower the risk": settings.stopping.cp is not None,
        "leaves are limited (--max-leaves)": settings.stopping.max_leaves is not None,
        "leaves are collapsed": settings.stopping.collapse,
        "splits must gain a share of the best": plan.least_share > 0,
        "sizes are counted in rows": plan.counts_rows,
        "values that equal a threshold go up": plan.is_strict,
        "values are 32-bit floats": plan.is_single,
        "missing values go by surrogates": plan.by_surrogates,
        "competitors or ties are kept": settings.computing.is_observed,
        "a branch must hold a share of the cases, or thresholds cost bits": plan.branch_share > 0 or plan.cut_cost,
        "labels are counted out of the average gain": settings.splitting.many_labels is not None,
        "another search is used": settings.searching.search != "greedy",
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _refuses_data(plan: Plan, dataset: Dataset) -> str | None:
    schema, target = dataset.schema, dataset.target
    if target is None or not len(target) or not schema.attributes:
        return "there are no targets or attributes"
    if not (np.isfinite(target).all() if plan.is_numeric else (target >= 0).all()):
        return "a target is missing"
    if not (dataset.weights > 0).all() or len(with_weight(target == target, dataset.weights)) < dataset.n_rows:
        return "a row has no weight"
    if any(map(_has_missing, dataset.columns)) and not plan.settings.missing.blank_rows:
        return "rows without any value do not count"
    has_labels = any(attribute.kind == "nominal" for attribute in schema.attributes)
    if has_labels and plan.nominal not in (codes.MULTIWAY, codes.ONE_AGAINST_REST, codes.GROUPS):
        return "labels are merged, or grouped in a way of their own"
    return None


def has_whole_cases(plan: Plan, dataset: Dataset) -> bool:
    """Return whether all splits are in two, and cases are never split: then the fastest kernel grows the trees."""
    has_labels = any(attribute.kind == "nominal" for attribute in dataset.schema.attributes)
    if has_labels and plan.nominal == codes.MULTIWAY:
        return False
    parts = dataset.weights * (EXACT_PARTS if plan.is_numeric else 1)
    if plan.missing_to == codes.STAYS or not (parts == np.floor(parts)).all():
        return False
    is_simple = not (plan.missing_is_value or plan.spreads)
    return is_simple or not any(map(_has_missing, dataset.columns))


def _has_missing(column: np.ndarray) -> bool:
    return bool((column != column).any() if column.dtype == np.float64 else (column < 0).any())


def refuses_tree(columns: Columns, plan: Plan, n_drawn: Indices) -> str | None:
    """Return why a tree with these draws cannot be grown from shared ranks; None if it can."""
    if not columns.least_gap > plan.value_gap:
        return "values lie too close for a threshold between them"
    rank_bits = columns.most_ranks.bit_length()
    if rank_bits > MOST_RANK_BITS:
        return "there are too many values"
    is_counted = columns.mixed is None and not plan.is_numeric
    if is_counted and float((columns.weights * n_drawn).sum()) >= MOST_WEIGHT:
        return "weights are too large"
    return None


def grow(columns: Columns, plan: Plan, n_drawn: Indices) -> Nodes:
    """Return the nodes of a tree in level order; `n_drawn` is how often each row counts. Sets the plan's root."""
    rows = np.flatnonzero(n_drawn)
    weights = columns.weights * n_drawn
    if columns.mixed is not None:
        return _grow_mixed(columns, columns.mixed, plan, rows.astype(np.int32), weights)
    room = _filled_room(columns, plan, rows, weights)
    nodes = _in_level_order(room, columns, plan)
    columns.rooms.append(room)
    return nodes


def grow_bare(columns: Columns, plan: Plan, n_drawn: Indices) -> Tree:
    """Return the tree that `grow` gives the nodes of, without scores. Sets the plan's root."""
    is_small = np.asarray(columns.ranked.n_labels).max() <= MANY_LABELS and columns.schema.n_outcomes <= MANY_CLASSES
    if columns.mixed is not None or not is_small:
        return as_tree(grow(columns, plan, n_drawn), is_consumed=True)
    rows = np.flatnonzero(n_drawn)
    room = _filled_room(columns, plan, rows, columns.weights * n_drawn)
    tree = _tree(room, columns, plan)
    columns.rooms.append(room)
    return tree


def _filled_room(columns: Columns, plan: Plan, rows: Indices, weights: Floats) -> _Room:
    """Return the arrays of the fastest kernel, with the nodes of a tree on these rows."""
    root = _root(columns, plan, rows, weights)[0]
    open_root(plan, root, len(rows) if plan.impurity == codes.ENTROPY else 0, columns.schema)
    # A thread takes the room that another tree has left: new memory would have to be cleared.
    room: _Room = columns.rooms.pop() if columns.rooms else _Room(columns, plan)
    room.open_root(rows, weights, root, columns, plan)
    while room.go_on(columns, plan) != grow_forest.DONE:
        pass
    return room


@dataclass(slots=True)
class _Data:
    """The data as the growing of mixed subtrees asks for them."""

    schema: Schema
    plan: Plan
    columns: Sequence[NDArray[Any]]

    def column(self, attribute: int) -> Floats:
        return np.asarray(self.columns[attribute], np.float64)


def prepared(plan: Plan, dataset: Dataset) -> Shared:
    """Return what all trees share, besides the ranks, that are not grown by the fastest kernel."""
    return Shared(_Data(dataset.schema, plan, dataset.columns))


def _grow_mixed(columns: Columns, prepared: Shared, plan: Plan, rows: Codes, weights: Floats) -> Nodes:
    """Return the nodes of a tree on labels with a branch each, fractions of cases, or any weights."""
    outcomes, totals, center = _root(columns, plan, rows, weights)
    target = np.asarray(columns.ranked.target)[rows] if plan.is_numeric else np.zeros(len(rows))
    start, key = np.array([0, len(rows)], np.int64), np.array([plan.tree_key], np.uint64)
    of_cases = start, rows, columns.label_of_row[rows], target, weights[rows], center, totals
    level = MemoryLevel(np.zeros(1, np.int64), outcomes, 0, *of_cases, {}, are_whole(weights[rows]), key)
    open_root(plan, outcomes, len(rows), columns.schema)
    root = Nodes.leaves(settled(outcomes.copy()))
    if not are_open(outcomes, None, 0, plan)[0]:
        return assembled([root], [])
    bag = columns.rooms.pop() if columns.rooms else mixed_bag(len(columns.weights), len(columns.schema.attributes))
    nodes = mixed.grow_drawn(prepared.under(plan), level, (bag, columns.ranked))
    columns.rooms.append(bag)
    return assembled([root], [Graft(np.zeros(1, np.int64), nodes)])


def mixed_bag(n_rows: int, n_attributes: int) -> Bag:
    """Return scratch for drawing attributes, and for sorting the cases of a node."""
    bag = Bag()
    bag.key, bag.spare_key = np.empty((2, n_rows + 1), np.uint64)
    bag.small, bag.digit = np.empty(64, np.int32), np.empty(sort_ranks.DIGITS, np.int64)
    bag.draws = np.arange(n_attributes, dtype=np.int32)
    return bag


class _Room:
    """The arrays that the kernel fills while it grows a tree, with room for the largest tree."""

    def __init__(self, columns: Columns, plan: Plan) -> None:
        n, n_attributes, n_outcomes = len(columns.weights), len(columns.schema.attributes), columns.schema.n_outcomes
        self.bag = _bag(n, n_attributes, n_outcomes, plan)
        self.nodes = _nodes(2 * n + 1, n_outcomes)
        most_labels = max(int(np.asarray(columns.ranked.n_labels).max()), 1)
        self.bag.count = np.zeros((most_labels + 1) * n_outcomes, np.int64)
        self._labels = room_for_labels(most_labels, n_outcomes, plan)
        self._labels.are_whole = not plan.is_numeric
        self._labels.label = np.full(n_attributes, -1, np.int32)
        n_tables = min(n_attributes, max(MOST_TABLES // (most_labels + 1), 1))
        self._labels.tables.table = np.empty((n_tables, most_labels + 1), np.int32)
        self._cut = np.empty(2 * n + 1, np.int32)
        self._levels = np.empty((4, 2 * n + 1), np.int32)
        self._lower, self._upper = np.empty((2, 2 * n + 1))
        self._found, self._scratch = found_of(n_attributes), scratch_of(n_outcomes)

    def open_root(self, rows: Indices, weights: Floats, root: Floats, columns: Columns, plan: Plan) -> None:
        """Make the root the only node; it is pending if it may be split."""
        bag, nodes = self.bag, self.nodes
        bag.weight, bag.is_numeric = weights, plan.is_numeric
        bag.class_bits = (len(columns.schema.target.labels) - 1).bit_length()
        bag.case = rows.astype(np.uint64) << codes.SHIFT
        if not plan.is_numeric:
            payload = weights[rows].astype(np.int64) << bag.class_bits | columns.label_of_row[rows]
            bag.case = np.asarray(bag.case) | payload.astype(np.uint64)
        bag.pending[0] = np.array([0, 0, len(rows), 0, 0])
        bag.pending_key[0] = plan.tree_key
        bag.progress = np.array([int(are_open(root, None, 0, plan)[0]), 1, 0], np.int64)
        bag.decrease[0], bag.information[0] = np.nan, 0.0
        np.asarray(nodes.outcomes)[0] = root[0]
        nodes.attribute[0] = LEAF
        nodes.first_child[0] = nodes.n_branches[0] = nodes.table_start[0] = 0

    def arrays(self) -> TreeArrays:
        """Return the arrays of a new tree, without those that the tree has."""
        found = TreeArrays()
        found.level, found.next_place, found.next_child, found.next_table = self._levels
        found.cut, found.lower, found.upper = self._cut, self._lower, self._upper
        return found

    def go_on(self, columns: Columns, plan: Plan) -> int:
        """Run the kernel until it stops, and return the reason: done, or the table was full and is larger now."""
        given = self._labels, At(), plan, self._found, self._scratch
        short_of: int = grow_forest.grow(self.bag, columns.ranked, self.nodes, *given)
        if short_of == grow_forest.TABLE:
            table = np.asarray(self.nodes.table)
            self.nodes.table = np.concatenate([table, np.empty(len(table) + len(self._labels.score), np.int32)])
        return short_of


def _root(columns: Columns, plan: Plan, rows: NDArray[Any], weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the root's outcomes in the tree's format, as sums, and the centre of these."""
    target = np.asarray(columns.ranked.target)[rows] if plan.is_numeric else np.zeros(0)
    label, n_outcomes = columns.label_of_row[rows], columns.schema.n_outcomes
    totals, center = plan.scorer.root(label, target, weights[rows], n_outcomes, plan)
    outcomes: Floats = totals.copy()
    if plan.is_numeric:
        weight, total, squares = totals[0]
        outcomes[0, 1:] = center[0] + total / weight, max(squares - total / weight * total, 0.0)
    return outcomes, totals, center


def _bag(n_rows: int, n_attributes: int, n_outcomes: int, plan: Plan) -> Bag:
    """Return scratch for the cases of a tree."""
    bag = mixed_bag(n_rows, n_attributes)
    bag.spare = np.empty(n_rows, np.uint64)
    bag.payload_of_row = np.zeros(0 if plan.is_numeric else n_rows, np.uint32)
    bag.in_large = max(min(MOST_IN_BLOCK, n_rows // ROWS_PER_BLOCK), 1)
    bag.in_small = min(MOST_IN_SMALL_BLOCK, bag.in_large // 2)
    in_blocks = bag.in_large + bag.in_small
    bag.block = np.empty((n_attributes, in_blocks), np.uint32)
    bag.own = np.empty((2, in_blocks if plan.is_numeric else 0))
    bag.moment = np.empty((2, n_rows if plan.is_numeric else 0))
    bag.drawn, bag.is_drawn = np.empty(n_attributes, np.int32), np.zeros(n_attributes, np.uint8)
    bag.lower, bag.upper = np.full((2, n_attributes), -1, np.int32)
    bag.n_known, bag.balance = np.zeros(n_attributes, np.int64), np.zeros(n_attributes)
    bag.known, bag.left, bag.right = np.zeros((3, n_outcomes), np.int64)
    bag.pending = np.empty((n_rows + 1, grow_forest.PENDING_COLUMNS), np.int64)
    bag.pending_key = np.empty(n_rows + 1, np.uint64)
    bag.decrease, bag.information = np.empty((2, 2 * n_rows + 1))
    return bag


def _nodes(room: int, n_outcomes: int) -> Subtrees:
    """Return room for nodes."""
    nodes = Subtrees()
    nodes.attribute, nodes.missing_to, nodes.first_child, nodes.n_branches = np.empty((4, room), np.int32)
    nodes.neighbour, nodes.outcomes = np.empty((room, 2)), np.empty((room, n_outcomes))
    nodes.table_start, nodes.table = np.empty(room, np.int64), np.empty(LEAST_TABLE, np.int32)
    return nodes


def _in_level_order(room: _Room, columns: Columns, plan: Plan) -> Nodes:
    """Return the nodes of the tree that the kernel has grown, with thresholds."""
    bag, grown = room.bag, room.nodes
    n, n_table = np.asarray(bag.progress)[1:].tolist()
    n_labels = np.asarray(columns.ranked.n_labels)
    n_branches = np.asarray(grown.n_branches)[:n]
    order = np.empty(n, np.int32)
    level_order(np.asarray(grown.first_child)[:n].astype(np.int64), n_branches, order)
    nodes = Nodes.leaves(settled(np.asarray(grown.outcomes).take(order, axis=0)))
    nodes.attribute, nodes.n_branches = np.asarray(grown.attribute)[order], n_branches[order]
    inner = np.flatnonzero(nodes.is_inner)
    nodes.first_child[inner] = 1 + np.cumsum(nodes.n_branches[inner]) - nodes.n_branches[inner]
    entry, attribute = order[inner], nodes.attribute[inner]
    is_ordered = n_labels[attribute] < 0
    nodes.kind[inner] = kinds().index("threshold")
    if not is_ordered.all():
        nodes.kind[inner[~is_ordered]] = kinds().index(plan.settings.splitting.nominal)
    nodes.missing_to[inner] = np.asarray(grown.missing_to)[entry]
    nodes.decrease[inner] = np.asarray(bag.decrease)[entry]
    nodes.information[inner] = np.asarray(bag.information)[entry]
    if n_table:
        nodes.table = np.asarray(grown.table)[:n_table].copy()
        nodes.table_start[inner] = np.asarray(grown.table_start)[entry]
        nodes.table_size[inner] = np.maximum(n_labels[attribute], 0)
    first_value = np.asarray(columns.ranked.first_value)[attribute[is_ordered]]
    ranks = np.asarray(grown.neighbour).take(entry[is_ordered], axis=0).T.astype(np.int64)
    lower, upper = np.asarray(columns.ranked.value)[first_value + ranks]
    sides, gain = np.full(len(lower), codes.NO_SIDE, np.int32), np.zeros(len(lower))
    cuts = Cuts(gain, gain, lower, upper, sides, empty_test(len(lower)))
    number = thresholds.halfway(cuts, None, is_ordinal=False).number
    assert number is not None
    is_ordinal = np.array([own.kind == "ordinal" for own in columns.schema.attributes])[attribute[is_ordered]]
    nodes.number[inner[is_ordered]] = np.where(is_ordinal, np.floor(number), number)
    pack_tables(nodes)
    return nodes


def _tree(room: _Room, columns: Columns, plan: Plan) -> Tree:
    """Return the tree that the kernel has grown: as _in_level_order and as_tree, in less time."""
    n, n_table = np.asarray(room.bag.progress)[1:].tolist()
    n_outcomes = columns.schema.n_outcomes
    outcomes = array("d", [0.0]) * (n * n_outcomes)
    tree = Tree.of_leaves(n_outcomes, outcomes)
    tree.table = array("i", [0]) * n_table
    found = room.arrays()
    for name in ("kind", "attribute", "missing_to", "first_child", "n_branches", "table_start", "table"):
        own = getattr(tree, name)
        # numpy does not view an empty array.
        setattr(found, name, np.frombuffer(own, own.typecode) if own else np.empty(0, np.int32))
    found.outcomes = np.frombuffer(outcomes).reshape(n, n_outcomes)
    kind_of = kinds().index("threshold"), kinds().index(plan.settings.splitting.nominal)
    n_cuts = forest_tree.take_nodes(room.nodes, columns.ranked, *kind_of, found)
    cut = np.asarray(found.cut)[:n_cuts]
    number = thresholds.between(np.asarray(found.lower)[:n_cuts], np.asarray(found.upper)[:n_cuts], is_strict=False)
    is_ordinal = np.array([own.kind == "ordinal" for own in columns.schema.attributes])
    if is_ordinal.any():
        number = np.where(is_ordinal[np.asarray(found.attribute)[cut]], np.floor(number), number)
    np.frombuffer(tree.number)[cut] = number
    return tree
