"""Grow the trees of a forest from columns of ranks, made once and shared by all of them.

The trees are the same as those grown level by level, many times as fast (docs/performance.md). Thresholds lie halfway
between values, weights of classes are whole numbers, and missing values take the heavier branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli.discretizers import NONE
from treecli.grow import thresholds
from treecli.grow.candidates import Cuts, Floats, Indices, empty_test
from treecli.grow.loop import are_open
from treecli.grow.mixed import room_for_found, room_for_labels, room_for_sums
from treecli.grow.nodes import Nodes, assembled, pack_tables, settled
from treecli.grow.plan import open_root
from treecli.grow.ranks import Columns
from treecli.kernels import codes, grow_forest, sort_ranks
from treecli.kernels.args import At, Plan
from treecli.kernels.forest_args import Bag
from treecli.kernels.mixed_args import Subtrees
from treecli.tree import LEAF, kinds

if TYPE_CHECKING:
    from treecli.data import Dataset

MOST_IN_BLOCK = 1 << 14
"""The ranks of nodes with up to so many cases are copied side by side; they stay in the processor's cache."""

ROWS_PER_BLOCK = 4
"""A block holds at most one of so many rows: larger nodes are scanned in the order of the whole column."""

CASE_BITS = 32
PAYLOAD_BITS = 16
SMALL_KEY_BITS = 25
"""The bits of a case, of its weight and class, and of the ranks of a small node."""

PLACE_BITS = 32
"""For a numeric target: the bits of a case's place in its node."""

LEAST_TABLE = 1 << 12


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
        "missing values go by surrogates, or stay": plan.by_surrogates or plan.missing_to == codes.STAYS,
        "competitors are kept": settings.computing.competitors > 0,
        "a branch must hold a share of the cases, or thresholds cost bits": plan.branch_share > 0 or plan.cut_cost,
        "labels are counted out of the average gain": settings.splitting.many_labels is not None,
        "another search is used": settings.searching.search != "greedy",
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _refuses_data(plan: Plan, dataset: Dataset) -> str | None:
    schema, target = dataset.schema, dataset.target
    if target is None or not len(target) or not schema.attributes:
        return "there are no targets or attributes"
    has_labels = any(attribute.kind == "nominal" for attribute in schema.attributes)
    if has_labels and plan.nominal not in (codes.ONE_AGAINST_REST, codes.GROUPS):
        return "labels have a branch each, or are merged"
    if not (np.isfinite(target).all() if plan.is_numeric else (target >= 0).all()):
        return "a target is missing"
    if not (dataset.weights > 0).all():
        return "a row has no weight"
    if not plan.is_numeric and not (dataset.weights == np.floor(dataset.weights)).all():
        return "weights are not whole numbers"
    if any(_has_missing(column) for column in dataset.columns) and (plan.missing_is_value or plan.spreads):
        return "values are missing that do not take the heavier branch (--missing majority)"
    if any(_has_missing(column) for column in dataset.columns) and not plan.settings.missing.blank_rows:
        return "rows without any value do not count"
    return None


def _has_missing(column: np.ndarray) -> bool:
    return bool((column != column).any() if column.dtype == np.float64 else (column < 0).any())


def refuses_tree(columns: Columns, plan: Plan, n_drawn: Indices) -> str | None:
    """Return why a tree with these draws cannot be grown from shared ranks; None if it can."""
    if not columns.least_gap > plan.value_gap:
        return "values lie too close for a threshold between them"
    rank_bits = columns.most_ranks.bit_length()
    if rank_bits > SMALL_KEY_BITS:
        return "there are too many values"
    if plan.is_numeric:
        return None
    shift = sum(_bits(columns, columns.weights * n_drawn))
    if shift > PAYLOAD_BITS or len(n_drawn).bit_length() + shift > CASE_BITS:
        return "there are too many rows, classes or weights"
    return None


def _bits(columns: Columns, weights: Floats) -> tuple[int, int]:
    """Return the bits of the greatest weight and of the greatest class."""
    return int(weights.max()).bit_length(), (len(columns.schema.target.labels) - 1).bit_length()


def grow(columns: Columns, plan: Plan, n_drawn: Indices) -> Nodes:
    """Return the nodes of a tree in level order; `n_drawn` is how often each row counts. Sets the plan's root."""
    rows = np.flatnonzero(n_drawn)
    weights = columns.weights * n_drawn
    root = _root(columns, plan, rows, weights)
    open_root(plan, root, len(rows) if plan.impurity == codes.ENTROPY else 0, columns.schema)
    bag, nodes = _bag(columns, plan, rows, weights), _room(len(rows), root)
    bag.progress = np.array([int(are_open(root, None, 0, plan)[0]), 1, 0], np.int64)
    n_outcomes, n_attributes = root.shape[1], len(columns.schema.attributes)
    labels = room_for_labels(max(int(np.asarray(columns.ranked.n_labels).max()), 1), n_outcomes, plan)
    found, scratch = room_for_found(n_attributes), room_for_sums(n_outcomes)
    while grow_forest.grow(bag, columns.ranked, nodes, labels, At(), plan, found, scratch) != grow_forest.DONE:
        nodes.table = np.concatenate([nodes.table, np.empty(len(nodes.table) + len(labels.score), np.int32)])
    return _in_level_order(bag, nodes, columns, plan)


def _root(columns: Columns, plan: Plan, rows: Indices, weights: Floats) -> Floats:
    """Return the root's outcomes in the tree's format."""
    target = np.asarray(columns.ranked.target)[rows] if plan.is_numeric else np.zeros(0)
    label, n_outcomes = columns.label_of_row[rows], columns.schema.n_outcomes
    totals, center = plan.scorer.root(label, target, weights[rows], n_outcomes, plan)
    outcomes: Floats = totals.copy()
    if plan.is_numeric:
        weight, total, squares = totals[0]
        outcomes[0, 1:] = center[0] + total / weight, max(squares - total / weight * total, 0.0)
    return outcomes


def _bag(columns: Columns, plan: Plan, rows: Indices, weights: Floats) -> Bag:
    """Return the cases of a tree, and scratch; the root is pending."""
    n, n_rows, n_attributes = len(rows), len(weights), len(columns.schema.attributes)
    bag = Bag()
    bag.weight, bag.shift, bag.class_bits, bag.key_shift = weights, 0, 0, PLACE_BITS
    case = rows
    if not plan.is_numeric:
        of_weight, bag.class_bits = _bits(columns, weights)
        bag.shift = bag.key_shift = of_weight + bag.class_bits
        case = (rows << of_weight | weights[rows].astype(np.int64)) << bag.class_bits | columns.label_of_row[rows]
    bag.case, bag.spare = case.astype(np.uint32), np.empty(n, np.uint32)
    bag.key, bag.spare_key = np.empty((2, n + 1), np.uint64)
    bag.small, bag.digit = np.empty(64, np.int32), np.empty(sort_ranks.DIGITS, np.int64)
    bag.payload_of_row = np.zeros(0 if plan.is_numeric else n_rows, np.uint16)
    in_block = max(min(MOST_IN_BLOCK, n_rows // ROWS_PER_BLOCK, n), 1)
    bag.block = np.empty((n_attributes, in_block), np.uint32)
    bag.own = np.empty((2, in_block if plan.is_numeric else 0))
    bag.moment = np.empty((2, n if plan.is_numeric else 0))
    bag.draws, bag.drawn = np.arange(n_attributes, dtype=np.int32), np.empty(n_attributes, np.int32)
    bag.place_of, bag.lower, bag.upper = np.full((3, n_attributes), -1, np.int32)
    bag.known, bag.left, bag.right = np.zeros((3, columns.schema.n_outcomes), np.int64)
    bag.pending = np.zeros((n + 1, grow_forest.PENDING_COLUMNS), np.int64)
    bag.pending[0, 2] = n
    bag.pending_key = np.empty(n + 1, np.uint64)
    bag.pending_key[0] = plan.tree_key
    bag.decrease, bag.information = np.empty((2, 2 * n + 1))
    bag.decrease[0], bag.information[0] = np.nan, 0.0
    return bag


def _room(n_cases: int, root: Floats) -> Subtrees:
    """Return nodes with room for all that a tree can have; the root is a leaf."""
    room = 2 * n_cases + 1
    nodes = Subtrees()
    nodes.attribute, nodes.missing_to, nodes.first_child, nodes.n_branches = np.empty((4, room), np.int32)
    nodes.neighbour, nodes.outcomes = np.empty((room, 2)), np.empty((room, root.shape[1]))
    nodes.table_start, nodes.table = np.empty(room, np.int64), np.empty(LEAST_TABLE, np.int32)
    nodes.outcomes[0], nodes.attribute[0] = root[0], LEAF
    nodes.first_child[0] = nodes.n_branches[0] = nodes.table_start[0] = 0
    return nodes


def _in_level_order(bag: Bag, grown: Subtrees, columns: Columns, plan: Plan) -> Nodes:
    """Return the nodes of the tree that the kernel has grown, with thresholds."""
    n, n_table = np.asarray(bag.progress)[1:].tolist()
    n_labels = np.asarray(columns.ranked.n_labels)
    nodes = Nodes.leaves(settled(np.asarray(grown.outcomes)[:n].copy()))
    nodes.attribute = np.asarray(grown.attribute)[:n].copy()
    nodes.n_branches = np.asarray(grown.n_branches)[:n].copy()
    nodes.first_child = np.asarray(grown.first_child)[:n].astype(np.int64)
    inner = np.flatnonzero(nodes.is_inner)
    attribute = nodes.attribute[inner]
    is_ordered = n_labels[attribute] < 0
    kind = kinds().index("threshold"), kinds().index(plan.settings.splitting.nominal)
    nodes.kind[inner] = np.where(is_ordered, *kind)
    nodes.missing_to[inner] = np.asarray(grown.missing_to)[inner]
    nodes.decrease, nodes.information = np.asarray(bag.decrease)[:n].copy(), np.asarray(bag.information)[:n].copy()
    nodes.table, nodes.table_start = np.asarray(grown.table)[:n_table].copy(), np.asarray(grown.table_start)[:n].copy()
    nodes.table_size[inner] = np.maximum(n_labels[attribute], 0)
    lower, upper = np.asarray(grown.neighbour)[inner[is_ordered]].T
    sides, gain = np.full(len(lower), codes.NO_SIDE, np.int32), np.zeros(len(lower))
    cuts = Cuts(gain, gain, lower, upper, sides, empty_test(len(lower)))
    number = thresholds.halfway(cuts, None, is_ordinal=False).number
    assert number is not None
    is_ordinal = np.array([own.kind == "ordinal" for own in columns.schema.attributes])[attribute[is_ordered]]
    nodes.number[inner[is_ordered]] = np.where(is_ordinal, np.floor(number), number)
    pack_tables(nodes)
    return assembled([Nodes.leaves(settled(np.asarray(grown.outcomes)[:1].copy()))], [(np.zeros(1, np.int64), nodes)])
