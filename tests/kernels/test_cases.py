"""Cases on their way down: the outcomes of every node are the sums over its cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growing import FRACTIONS, UNIT_WEIGHTS, continuous, datasets, model_from
from treecli.data import Dataset
from treecli.kernels import cases
from treecli.model import TreeModel
from treecli.settings import Settings

KINDS = ("numeric", "nominal", "ordinal", "numeric", "nominal")


def values_of(dataset: Dataset, row: int) -> list[float | None]:
    """A row's values; None where one is missing."""
    values = []
    for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True):
        is_missing = np.isnan(column[row]) if attribute.is_numeric else column[row] < 0
        values.append(None if is_missing else float(column[row]))
    return values


def arrivals(model: TreeModel, dataset: Dataset) -> list[list[tuple[int, float]]]:
    """For every node the rows that reach it with the weight of each, by asking every node's conditions in turn."""
    tree = model.tree
    reached: list[list[tuple[int, float]]] = [[] for _ in range(tree.n_nodes)]
    reached[0] = [(row, float(weight)) for row, weight in enumerate(dataset.weights)]
    for node in tree.inner_nodes():
        children = list(tree.children(node))
        conditions = [model.node(node).condition(branch) for branch in range(len(children))]
        spreading = []
        for row, weight in reached[node]:
            value = values_of(dataset, row)[conditions[0].attribute]
            takers = [child for child, c in zip(children, conditions, strict=True) if c.holds(value)]
            assert len(takers) == 1 or (value is None and not takers)
            if takers:
                reached[takers[0]].append((row, weight))
            else:
                spreading.append((row, weight))
        known = {child: sum(weight for _, weight in reached[child]) for child in children}
        for row, weight in spreading:
            for child in children:
                if known[child] > 0:
                    reached[child].append((row, weight * known[child] / sum(known.values())))
    return reached


def assert_nodes_keep_their_cases(model: TreeModel, dataset: Dataset) -> None:
    assert dataset.target is not None
    for node, reached in enumerate(arrivals(model, dataset)):
        weights = np.array([weight for _, weight in reached])
        target = dataset.target[[row for row, _ in reached]]
        if model.schema.is_classification:
            expected = np.bincount(target, weights, minlength=len(model.schema.target.labels))
        elif not weights.sum():
            expected = np.zeros(3)
        else:
            mean = np.average(target, weights=weights)
            expected = np.array([weights.sum(), mean, (weights * (target - mean) ** 2).sum()])
        np.testing.assert_allclose(list(model.tree.outcomes_of(node)), expected, atol=1e-9)


@pytest.mark.parametrize("nominal", ["multiway", "binary", "subset"])
@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@pytest.mark.parametrize("has_classes", [True, False])
@settings(deadline=None, max_examples=8)
@given(data=st.data())
def test_every_node_keeps_the_outcomes_of_the_cases_that_reach_it(
    has_classes: bool, missing: str, nominal: str, data: st.DataObject
) -> None:
    dataset = data.draw(
        datasets(
            KINDS,
            n_classes=st.integers(2, 4) if has_classes else None,
            weights=data.draw(st.sampled_from([UNIT_WEIGHTS, FRACTIONS])),
            with_missing=True,
            max_rows=16,
        )
    )
    model = model_from(dataset, Settings.of(missing=missing, nominal=nominal))
    assert_nodes_keep_their_cases(model, dataset)


def test_cases_are_never_lost_on_larger_data() -> None:
    random, dataset = np.random.default_rng(3), continuous(600, 4, seed=5, noise=0.3)
    for column in dataset.columns:
        column[random.random(600) < 0.15] = np.nan
    assert_nodes_keep_their_cases(model_from(dataset, Settings.of(max_depth=6)), dataset)


def test_labels_are_counted_node_by_node_in_the_order_of_the_labels() -> None:
    # Two nodes: rows 2, 0, 1 and rows 3, 4. Labels 1, 3, missing | 3, 3; classes 0 0 1 | 1 1; weights as given.
    start, label_start = np.array([0, 3, 5], np.int64), np.empty(3, np.int64)
    code, outcomes = np.empty(5, np.int32), np.zeros((5, 2))
    cases.count_labels(
        start,
        np.array([2, 0, 1, 3, 4], np.int32),
        np.array([0, 0, 1, 1, 1], np.int32),
        np.zeros(5),
        np.array([1.0, 0.5, 2.0, 0.25, 4.0]),
        np.zeros(2),
        False,
        np.array([3, -1, 1, 3, 3], np.int32),
        4,  # missing values count as the label 4
        np.empty(5, np.int64),
        label_start,
        code,
        outcomes,
    )
    assert label_start.tolist() == [0, 3, 4]
    assert code[:4].tolist() == [1, 3, 4, 3]
    assert outcomes[:4].tolist() == [[1.0, 0.0], [0.5, 0.0], [0.0, 2.0], [0.0, 4.25]]


def test_labels_are_counted_alike_whether_few_or_many_of_them_occur() -> None:
    # With codes a hundred times as large nearly no label occurs, and those that do are sorted.
    random = np.random.default_rng(1)
    start, n_rows, n_labels = np.array([0, 7, 7, 40, 100], np.int64), 100, 9
    codes, classes = random.integers(-1, n_labels, n_rows).astype(np.int32), random.integers(0, 3, n_rows)
    found = []
    for spacing in (1, 100):
        label_start, code, outcomes = np.empty(5, np.int64), np.full(100, -9, np.int32), np.zeros((100, 3))
        spaced = np.where(codes < 0, -1, codes * spacing).astype(np.int32)
        cases.count_labels(
            start,
            np.arange(n_rows, dtype=np.int32),
            classes.astype(np.int32),
            np.zeros(n_rows),
            np.ones(n_rows),
            np.zeros(4),
            False,
            spaced,
            -1,
            np.empty(n_labels * spacing, np.int64),
            label_start,
            code,
            outcomes,
        )
        n_entries = label_start[-1]
        found.append((label_start.tolist(), (code[:n_entries] // spacing).tolist(), outcomes.tolist()))
    assert found[0] == found[1]
