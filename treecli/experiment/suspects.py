"""Rows and columns that make results doubtful: conflicting duplicates, identifiers, leaks of the target."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.data import Schema
from treecli.grow.grow import grow
from treecli.settings import Settings
from treecli.tree import risks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from treecli.data import Column, Dataset

NEARLY_ALL = 0.9
"""A nominal attribute with this share of different values is an identifier."""

NEARLY_PERFECT = 0.99
"""An attribute that alone explains this share of the target is a leak."""

WORTH_A_TREE = 0.4
"""The least share of the target that the best split on a leak explains; less than all, as there may be many classes."""

ROWS_PER_LEAF = 5
"""With fewer rows for each leaf, a tree on one attribute is good by chance."""

MOST_LEAVES = 16


def conflicts(dataset: Dataset) -> dict[str, Any]:
    """The rows with equal attributes and different targets, and the error that no model can avoid on them.

    `error_floor` is the weighted share of wrong rows, or the root of the mean squared error of a numeric target.
    """
    assert dataset.target is not None
    groups = _groups(dataset)
    n_groups = int(groups.max()) + 1
    weight = np.bincount(groups, dataset.weights, n_groups)
    if dataset.schema.is_classification:
        n_classes = len(dataset.schema.target.labels)
        table = np.bincount(groups * n_classes + dataset.target, dataset.weights, n_groups * n_classes).reshape(
            n_groups, n_classes
        )
        is_conflict = np.count_nonzero(table, axis=1) > 1
        floor = float((weight - table.max(axis=1))[is_conflict].sum() / weight.sum())
    else:
        target = dataset.target - np.average(dataset.target, weights=dataset.weights)
        low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
        np.minimum.at(low, groups, target)
        np.maximum.at(high, groups, target)
        is_conflict = low < high
        mean = np.bincount(groups, dataset.weights * target, n_groups) / np.where(weight > 0, weight, 1.0)
        deviance = dataset.weights * (target - mean[groups]) ** 2
        floor = float(np.sqrt(deviance[is_conflict[groups]].sum() / weight.sum()))
    return {
        "rows": int(np.count_nonzero(is_conflict[groups])),
        "groups": int(np.count_nonzero(is_conflict)),
        "error_floor": floor,
    }


def _groups(dataset: Dataset) -> NDArray[np.int64]:
    """A number for each row, equal for rows with equal attributes; missing values are equal to each other."""
    groups = np.zeros(dataset.n_rows, np.int64)
    for column in dataset.columns:
        _, codes = np.unique(column, return_inverse=True, equal_nan=True)
        _, groups = np.unique(groups * (int(codes.max()) + 1) + codes, return_inverse=True)
    return groups.astype(np.int64)


def suspects(dataset: Dataset, scores: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The attributes that look like identifiers or leaks, with a reason; `scores` are those at the root."""
    for index, attribute in enumerate(dataset.schema.attributes):
        reason = _identifies(attribute.is_numeric, dataset.columns[index])
        if reason is not None:
            yield {"name": attribute.name, "suspicion": "identifier", "reason": reason}
            continue
        share = _explained(dataset, index, scores[index])
        if share >= NEARLY_PERFECT:
            of_what = "of the rows right" if dataset.schema.is_classification else "of the variance"
            yield {"name": attribute.name, "suspicion": "leak", "reason": f"alone it gets {share:.1%} {of_what}"}


def _identifies(is_numeric: bool, column: Column) -> str | None:
    known = column[~np.isnan(column)] if is_numeric else column[column >= 0]
    n_distinct = len(np.unique(known))
    if is_numeric:
        # Not by differences, which overflow for huge numbers and are not defined for infinite ones.
        is_count = len(known) > ROWS_PER_LEAF and bool((known[1:] == known[:-1] + 1).all() and known[0] < known[-1])
        return "its numbers count the rows" if is_count else None
    is_many = len(known) > ROWS_PER_LEAF and n_distinct >= NEARLY_ALL * len(known)
    return f"{n_distinct} of {len(known)} values are different" if is_many else None


def _explained(dataset: Dataset, index: int, scores: dict[str, Any]) -> float:
    """The share of the rows, or of the variance, that a small tree on one attribute explains; 0 if it is hopeless."""
    assert dataset.target is not None
    schema = dataset.schema
    total = dataset.weights.sum()
    if schema.is_classification:
        shares = np.bincount(dataset.target, dataset.weights) / total
        known = shares[shares > 0]
        whole, first = float(-(known * np.log2(known)).sum()), scores["gain"]
    else:
        mean = np.average(dataset.target, weights=dataset.weights)
        whole, first = (
            float(np.average((dataset.target - mean) ** 2, weights=dataset.weights)),
            scores["variance_reduction"],
        )
    if first is None or whole <= 0 or first < WORTH_A_TREE * whole:
        return 0.0
    one = replace(dataset, schema=Schema((schema.attributes[index],), schema.target), columns=[dataset.columns[index]])
    n_labels = max(len(schema.attributes[index].labels), len(schema.target.labels), 2)
    most = max(n_labels, MOST_LEAVES) if not schema.is_classification else n_labels
    tree = grow(one, Settings.of(max_leaves=most, criterion="gain" if schema.is_classification else "variance"))
    if dataset.n_rows < ROWS_PER_LEAF * tree.n_leaves:
        return 0.0
    risk = risks(tree, is_classification=schema.is_classification)
    wrong = sum(risk[node] for node in range(tree.n_nodes) if tree.is_leaf(node))
    if schema.is_classification and risk[0] <= (1 - NEARLY_PERFECT) * total:
        return 0.0  # the largest class alone is as good
    return float(1 - wrong / (total if schema.is_classification else risk[0]))
