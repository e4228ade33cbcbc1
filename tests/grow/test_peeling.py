"""A node that loses few cases at a time is split without moving the others, and the tree is the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.grow.test_mixed import NUMBER, ORDERED, assert_all_ways_agree, random_data
from treecli.data import MISSING, Attribute, Dataset, Schema
from treecli.grow.peeling import FEWEST_CASES, NEVER, least_peeled
from treecli.grow.plan import plan_of
from treecli.kernels import UNCOMPILED_VARIABLE
from treecli.settings import Settings
from treecli.tree import Tree


def one_by_one(n_rows: int, *, weights: str = "ones", missing: bool = False) -> Dataset:
    """Classes that take turns along a number, so that each split takes off one case; and labels that say nothing."""
    row = np.arange(n_rows)
    x, label = row.astype(np.float64), (row * 7 % 5).astype(np.int32)
    if missing:
        x[n_rows // 2], label[n_rows // 3] = np.nan, MISSING
    schema = Schema(
        (Attribute("x", "numeric"), Attribute("label", "nominal", tuple("abcde"))),
        Attribute("y", "nominal", ("no", "yes")),
    )
    weight = np.ones(n_rows) if weights == "ones" else 1.0 + row % 3
    return Dataset(schema, [x, label], (row % 2).astype(np.int32), weight)


def labels_of_few_rows(n_labels: int, rows_per_label: int, n_columns: int = 1, n_classes: int = 2) -> Dataset:
    """Columns of labels, each of which has few rows."""
    random = np.random.default_rng(1)
    n_rows = n_labels * rows_per_label
    labels = tuple(f"v{i}" for i in range(n_labels))
    columns = [
        random.permutation(np.repeat(np.arange(n_labels, dtype=np.int32), rows_per_label)) for _ in range(n_columns)
    ]
    schema = Schema(
        tuple(Attribute(f"x{i}", "nominal", labels) for i in range(n_columns)),
        Attribute("y", "nominal", tuple(f"c{i}" for i in range(n_classes))),
    )
    return Dataset(schema, list(columns), random.integers(n_classes, size=n_rows).astype(np.int32), np.ones(n_rows))


def depth_of(tree: Tree) -> int:
    return max(tree.depths())


@pytest.mark.parametrize("nominal", ["multiway", "binary", "subset"])
@pytest.mark.parametrize("criterion", ["gain", "gainratio", "gini"])
@pytest.mark.parametrize("data", [{}, {"weights": "whole"}, {"missing": True}])
def test_a_tree_that_loses_its_cases_one_by_one_is_that_of_the_levels(
    data: dict[str, Any], criterion: str, nominal: str
) -> None:
    tree = assert_all_ways_agree(one_by_one(300, **data), Settings.of(criterion=criterion, nominal=nominal))
    assert depth_of(tree) > 90


@pytest.mark.parametrize("missing", ["fractional", "majority", "branch", "stay"])
@pytest.mark.parametrize("criterion", ["gainratio", "gini"])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("rows_per_label", [2, 9])
def test_labels_that_are_split_off_one_by_one_give_the_tree_of_the_levels(
    rows_per_label: int, columns: int, criterion: str, missing: str
) -> None:
    data = labels_of_few_rows(60 + 300 // rows_per_label, rows_per_label, columns, n_classes=3)
    tree = assert_all_ways_agree(data, Settings.of(criterion=criterion, nominal="binary", missing=missing))
    assert depth_of(tree) > 50


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 1000),
    columns=st.lists(st.sampled_from([NUMBER, ORDERED, 2, 15, 200]), min_size=1, max_size=4),
    data=st.fixed_dictionaries(
        {
            "missing": st.sampled_from([0.0, 0.0, 0.01]),
            "n_values": st.sampled_from([None, 4]),
            "weights": st.sampled_from(["ones", "whole", "fractions"]),
            "n_classes": st.sampled_from([2, 3, 12]),
        }
    ),
    chosen=st.fixed_dictionaries(
        {
            "criterion": st.sampled_from(["gain", "gainratio", "gini", "error"]),
            "nominal": st.sampled_from(["multiway", "binary", "subset"]),
            "min_leaf": st.sampled_from([1.0, 2.0]),
            "max_depth": st.sampled_from([None, 12]),
        }
    ),
)
def test_random_rows_give_the_tree_of_the_levels(
    seed: int, columns: list[int], data: dict[str, Any], chosen: dict[str, Any]
) -> None:
    assert_all_ways_agree(random_data(seed, 3 * FEWEST_CASES, columns, **data), Settings.of(**chosen))


def test_nodes_are_peeled_unless_labels_and_classes_are_too_many_or_the_target_is_a_number() -> None:
    plan = plan_of(Settings(), one_by_one(10))
    n_labels = np.array([-1, 5], np.int32)
    assert least_peeled(plan, n_labels, 2) == FEWEST_CASES
    assert least_peeled(plan, np.array([100_000], np.int32), 2) > FEWEST_CASES
    assert least_peeled(plan, np.array([1 << 30], np.int32), 2) == NEVER
    data = random_data(0, 20, [NUMBER], n_classes=0)
    assert least_peeled(plan_of(Settings(), data), n_labels, 3) == NEVER


GROW_SOME = """
from tests.grow.test_mixed import grown
from tests.grow.test_peeling import labels_of_few_rows, one_by_one
from treecli.settings import Settings

for data in (one_by_one(160), labels_of_few_rows(90, 2), labels_of_few_rows(50, 4, 2)):
    tree, improvement = grown(data, Settings.of(nominal="binary"), None)
    print(tree.kind, tree.number, tree.first_child, tree.score, tree.outcomes, tree.table, improvement)
"""


def test_compiled_and_uncompiled_kernels_peel_alike() -> None:
    def trees(form: str) -> bytes:
        environment = {**os.environ, UNCOMPILED_VARIABLE: form}
        command = [sys.executable, "-W", "error", "-c", GROW_SOME]
        root = Path(__file__).parents[2]
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True).stdout

    compiled = trees("")
    assert compiled.count(b"\n") == 3
    assert compiled == trees("1")
