"""The outcomes of a node by label."""

from __future__ import annotations

import numpy as np

from tests.growing import sample
from treecli.grow.plan import plan_of
from treecli.kernels import count_labels
from treecli.kernels.args import Cases, Labels, Tables
from treecli.settings import Settings


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
    count_labels.count_labels(cases, labels, tables, plan)
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
