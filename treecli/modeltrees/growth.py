"""Growth as Weka's M5P does it: cuts by the fifth root of the variance, in Weka's order of rows and sums."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import UsageError
from treecli.grow.nodes import Nodes, as_tree
from treecli.grow.plan import open_root
from treecli.kernels import m5
from treecli.modeltrees.columns import Columns, columns_of
from treecli.modeltrees.fitting import Rows, fitted
from treecli.splits._registry import kinds
from treecli.tree import DEVIANCE

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.candidates import Floats
    from treecli.kernels.args import Plan

SEED = 1
"""The seed with which M5P shuffles the rows; it has no option for it."""

LEAST_ROWS = 4
"""The rows of a node that M5P splits, unless -M is given."""

TOLERANCE, DECIMALS = 1e-10, 9
"""Weka's tolerance in comparisons of values with thresholds, and the decimals that are coarser than it."""


def grown_like_weka(dataset: Dataset, plan: Plan) -> Nodes:
    """Return the nodes of the tree in level order, with their models; indicators of labels are derived columns."""
    _check(plan, dataset)
    dataset = dataset.labelled()
    columns = columns_of(dataset)
    assert dataset.target is not None
    target = np.array(dataset.target, np.float64)
    n = len(target)
    rows = np.arange(n, dtype=np.int32)
    m5.shuffle(rows, SEED)
    # The root's deviance has Weka's rounding: all errors are shown relative to it.
    overall = m5.deviation(target, rows) ** 2 * n
    room, numbers = np.zeros((6, 2 * n + 1), np.int64), np.zeros((2, 2 * n + 1))
    threshold, means = numbers
    order = np.empty((_most_splits(n), n), np.int32)
    growth = m5.Growth(np.ascontiguousarray(columns.values), target, rows, _limits(plan, n), room, numbers, order)
    n_nodes = m5.grow(growth)
    begin, end, column, first_child, depth = room[:5, :n_nodes]
    outcomes = _outcomes(target[rows], begin, end)
    outcomes[0, DEVIANCE] = overall
    nodes = Nodes.leaves(outcomes)
    open_root(plan, outcomes[:1], n, dataset.schema)
    _set_splits(nodes, columns, column, threshold[:n_nodes], len(dataset.schema.attributes))
    nodes.first_child, nodes.n_branches = first_child.copy(), np.where(first_child > 0, 2, 0).astype(np.int32)
    linear = columns if plan.settings.predicting.leaf_model == "linear" else Columns.none(n)
    schema = dataset.schema.with_features(nodes.features)
    ordered = [
        order[depth[i], begin[i] : end[i]] if first_child[i] else rows[begin[i] : end[i]] for i in range(n_nodes)
    ]
    ends = np.cumsum(end - begin)
    of_nodes = Rows(np.concatenate(ordered), ends - (end - begin), ends)
    nodes.leaf_models = fitted(as_tree(nodes), schema, linear, dataset, of_nodes, means[:n_nodes])
    plan.remarks.append("grown as Weka's M5P does, with its order of rows and sums")
    return nodes


def _most_splits(n_rows: int) -> int:
    """Return the number of splits that may lie above each other: each branch has at most 4 / 5 of the rows."""
    return 2 + int(log(max(n_rows / LEAST_ROWS, 1.0)) / log(5 / 4))


def _limits(plan: Plan, n_rows: int) -> np.ndarray:
    stopping = plan.settings.stopping
    least = LEAST_ROWS if stopping.min_split is None else stopping.min_split
    deepest = min(plan.max_depth, 2 * n_rows)
    return np.array([np.ceil(least), np.ceil(stopping.min_leaf), deepest], np.int64)


def _set_splits(nodes: Nodes, columns: Columns, column: np.ndarray, threshold: Floats, n_attributes: int) -> None:
    """Set the column, the threshold and the branch of missing values of every split."""
    asked = np.unique(column[column >= 0]).tolist()
    features = {index: columns.feature(index) for index in asked}
    nodes.features = tuple(feature for feature in features.values() if feature is not None)
    number_of = {feature: n_attributes + place for place, feature in enumerate(nodes.features)}
    for index in asked:
        own, here, feature = columns.inputs[index], column == index, features[index]
        nodes.kind[here] = kinds().index("threshold")
        nodes.attribute[here] = own.attribute if feature is None else number_of[feature]
        nodes.number[here] = threshold[here]
        if feature is None:
            nodes.number[here] = _rounded(threshold[here], np.sort(columns.values[index]))
            nodes.missing_to[here] = own.instead > nodes.number[here]
            for node in np.flatnonzero(here & (nodes.number != threshold)).tolist():
                nodes.note(node, "printed", float(threshold[node]))


def _rounded(threshold: Floats, values: Floats) -> Floats:
    """Return the thresholds with nine decimals, where that separates the sorted values in the same way.

    Weka tests value - threshold <= 1e-10. For values with up to nine decimals this is the same.
    """
    rounded = np.round(threshold, DECIMALS)
    is_same = np.searchsorted(values, rounded, "right") == np.searchsorted(values, threshold, "right")
    return np.where(is_same & (np.abs(rounded - threshold) <= TOLERANCE), rounded, threshold)


def _outcomes(target: Floats, begin: np.ndarray, end: np.ndarray) -> Floats:
    """Return weight, mean and deviance of the targets from begin to end."""
    n = (end - begin).astype(np.float64)
    centre = float(target.mean()) if len(target) else 0.0
    total = np.concatenate([[0.0], np.cumsum(target - centre)])
    mean = centre + (total[end] - total[begin]) / n
    deviance = np.array([float(np.square(target[b:e] - m).sum()) for b, e, m in zip(begin, end, mean, strict=True)])
    return np.column_stack([n, mean, deviance])


def _check(plan: Plan, dataset: Dataset) -> None:
    """Raise a UsageError for data that M5P does not have."""
    if not plan.is_numeric:
        name = dataset.schema.target.name
        raise UsageError(f"M5P grows trees for a numeric target, but '{name}' is nominal", "use --like j48")
    if dataset.has_weights:
        raise UsageError("M5P has no weights of rows", "leave out --weights, or use --leaf-model linear without --like")
