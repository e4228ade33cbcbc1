"""Tuning data for pruners, and a tree's errors on it, found row by row without the program's own routing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import strategies as st

from treecli.data import MISSING, Dataset, Schema
from treecli.model import TreeModel
from treecli.tree import ALL_BRANCHES, Tree, predicted_codes, predicted_values

Row = Sequence[float | None]
"""Values of the attributes, then of the target: numbers, or codes of labels; None is missing."""


def dataset_of(schema: Schema, rows: Sequence[Row], weights: Sequence[float] | None = None) -> Dataset:
    """The rows as a data set."""
    columns = []
    for index, attribute in enumerate((*schema.attributes, schema.target)):
        values = [row[index] for row in rows]
        if attribute.is_numeric:
            columns.append(np.array([math.nan if v is None else v for v in values], np.float64))
        else:
            columns.append(np.array([MISSING if v is None else v for v in values], np.int32))
    weights = [1.0] * len(rows) if weights is None else weights
    return Dataset(schema, columns[:-1], columns[-1], np.array(weights, np.float64))


@st.composite
def tuning_data(draw: st.DrawFn, model: TreeModel) -> Dataset:
    """A few rows, missing values among them, whose numbers lie on both sides of the tree's thresholds."""
    tree, schema = model.tree, model.schema
    thresholds = {number + step for number in tree.number if math.isfinite(number) for step in (0, 1)}
    values = [
        st.none() | (st.sampled_from(sorted(thresholds)) if a.is_numeric else st.integers(0, len(a.labels) - 1))
        for a in schema.attributes
    ]
    target = st.integers(0, schema.n_outcomes - 1) if schema.is_classification else st.integers(-100, 100)
    rows = draw(st.lists(st.tuples(*values, target), max_size=12))
    return dataset_of(schema, rows, [draw(st.integers(1, 3)) for _ in rows])


def tuning_error(model: TreeModel, dataset: Dataset) -> float:
    """The weight of the cases that the tree gets wrong, or the squared error of a numeric target."""
    assert dataset.target is not None
    is_classification = model.schema.is_classification
    predicted = predicted_codes(model.tree) if is_classification else predicted_values(model.tree)
    total = 0.0
    for row, (truth, weight) in enumerate(zip(dataset.target.tolist(), dataset.weights.tolist(), strict=True)):
        for node, share in _ends(model, dataset, row):
            error = float(predicted[node] != truth) if is_classification else (predicted[node] - truth) ** 2
            total += weight * share * error
    return total


def absolute_error(model: TreeModel, dataset: Dataset) -> float:
    """How far the tree is from a numeric target, case by case."""
    assert dataset.target is not None
    predicted = predicted_values(model.tree)
    return sum(
        weight * share * abs(predicted[node] - truth)
        for row, (truth, weight) in enumerate(zip(dataset.target.tolist(), dataset.weights.tolist(), strict=True))
        for node, share in _ends(model, dataset, row)
    )


def _ends(model: TreeModel, dataset: Dataset, row: int) -> Iterator[tuple[int, float]]:
    """The nodes where a row ends, each with its share of the row."""
    tree = model.tree
    pending = [(0, 1.0)]
    while pending:
        node, share = pending.pop()
        if tree.is_leaf(node):
            yield node, share
            continue
        branches = _branches(model, dataset, row, node)
        if not branches:
            yield node, share
        pending.extend((tree.first_child[node] + branch, share * part) for branch, part in branches)


def _branches(model: TreeModel, dataset: Dataset, row: int, node: int) -> list[tuple[int, float]]:
    split = model.tree.split(node)
    value = dataset.columns[split.attribute][row].item()
    if not (math.isnan(value) or (value == MISSING and not model.schema.attributes[split.attribute].is_numeric)):
        for branch in range(split.n_branches()):
            if split.condition(branch, model.schema).holds(value):
                return [(branch, 1.0)]
    if model.tree.missing_to[node] != ALL_BRANCHES:
        return [(model.tree.missing_to[node], 1.0)]
    weights = [child.weight for child in model.node(node).children]
    return [(branch, weight / sum(weights)) for branch, weight in enumerate(weights) if weight > 0]


def assert_is_pruning(small: Tree, large: Tree) -> None:
    """Fails unless the one tree is the other with some inner nodes turned into leaves."""
    pairs = [(0, 0)]
    for new, old in pairs:  # grows while it is walked: a queue
        assert small.outcomes_of(new) == large.outcomes_of(old)
        if not small.is_leaf(new):
            assert small.split(new) == large.split(old)
            assert small.missing_to[new] == large.missing_to[old]
            assert small.score[new] == large.score[old]
            pairs.extend(zip(small.children(new), large.children(old), strict=True))
    assert len(pairs) == small.n_nodes
