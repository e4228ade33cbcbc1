"""Cases on their way down: the outcomes of every node are the sums over its cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growing import FRACTIONS, UNIT_WEIGHTS, continuous, datasets, model_from, sample
from treecli.data import Dataset
from treecli.grow.plan import plan_of
from treecli.kernels import partition
from treecli.kernels.args import Cases, Labels, Tables
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
@settings(max_examples=8)
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
            rows=(2, 16),
        )
    )
    model = model_from(dataset, Settings.of(missing=missing, nominal=nominal))
    assert_nodes_keep_their_cases(model, dataset)


def test_cases_are_never_lost_on_larger_data() -> None:
    random, dataset = np.random.default_rng(3), continuous(600, 4, seed=5, noise=0.3)
    for column in dataset.columns:
        column[random.random(600) < 0.15] = np.nan
    assert_nodes_keep_their_cases(model_from(dataset, Settings.of(max_depth=6)), dataset)


def counted(
    start: list[int],
    row: list[int],
    label: list[int],
    weight: list[float],
    code_of_row: list[int],
    n_codes: int,
    missing_code: int,
) -> Tables:
    """The tables that the kernel fills for nodes with these cases."""
    n, n_nodes = len(row), len(start) - 1
    of_case = np.array(row, np.int32), np.array(label, np.int32), np.zeros(n), np.array(weight)
    cases = Cases(np.array(start, np.int64), *of_case, np.zeros(n_nodes), np.zeros((n_nodes, 3)))
    labels, tables, plan = Labels(), Tables(), plan_of(Settings(), sample("iris.csv"))
    labels.code_of_row, labels.first, labels.step = np.array(code_of_row, np.int32), 0, 1
    labels.n_codes, labels.missing_code, labels.entry = n_codes, missing_code, np.full(n_codes, -1, np.int64)
    tables.start, tables.code = np.empty(n_nodes + 1, np.int64), np.full(n, -9, np.int32)
    tables.outcomes = np.zeros((n, 3))
    partition.count_labels(cases, labels, tables, plan)
    assert (np.asarray(labels.entry) == -1).all()
    return tables


def test_labels_are_counted_node_by_node_in_the_order_of_the_labels() -> None:
    # Two nodes: rows 2, 0, 1 and rows 3, 4. Labels 1, 3, missing | 3, 3; classes 0 0 1 | 1 1; weights as given.
    # Missing values count as the label 4.
    weight = [1.0, 0.5, 2.0, 0.25, 4.0]
    tables = counted([0, 3, 5], [2, 0, 1, 3, 4], [0, 0, 1, 1, 1], weight, [3, -1, 1, 3, 3], 5, 4)
    assert np.asarray(tables.start).tolist() == [0, 3, 4]
    assert np.asarray(tables.code)[:4].tolist() == [1, 3, 4, 3]
    assert np.asarray(tables.outcomes)[:4, :2].tolist() == [[1.0, 0.0], [0.5, 0.0], [0.0, 2.0], [0.0, 4.25]]


def test_labels_are_counted_alike_whether_few_or_many_of_them_occur() -> None:
    # With codes a hundred times as large nearly no label occurs, and those that do are sorted.
    random = np.random.default_rng(1)
    n_rows, n_labels = 100, 9
    codes, classes = random.integers(-1, n_labels, n_rows), random.integers(0, 3, n_rows).tolist()
    found = []
    for spacing in (1, 100):
        spaced = np.where(codes < 0, -1, codes * spacing).tolist()
        cases = [0, 7, 7, 40, 100], list(range(n_rows)), classes, [1.0] * n_rows
        tables = counted(*cases, spaced, n_labels * spacing, -1)
        n_entries = tables.start[4]
        code = np.asarray(tables.code)[:n_entries] // spacing
        found.append((np.asarray(tables.start).tolist(), code.tolist(), np.asarray(tables.outcomes).tolist()))
    assert found[0] == found[1]
