"""Growing in one go gives the tree that level by level gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treecli import finish
from treecli.data import Attribute, Dataset, Schema
from treecli.grow import Growth, criterion_for, grow
from treecli.settings import Settings
from treecli.tree import Tree


def dataset_of(columns: np.ndarray, classes: np.ndarray, n_classes: int) -> Dataset:
    schema = Schema(
        tuple(Attribute(f"x{i}", "numeric") for i in range(len(columns))),
        Attribute("class", "nominal", tuple(f"c{i}" for i in range(n_classes))),
    )
    return Dataset(schema, [np.ascontiguousarray(c) for c in columns], classes.astype(np.int32), np.ones(len(classes)))


def random_data(seed: int, n_rows: int, n_attributes: int, n_classes: int, n_values: int | None) -> Dataset:
    random = np.random.default_rng(seed)
    columns = random.normal(size=(n_attributes, n_rows))
    if n_values is not None:
        columns = np.floor(columns * n_values)
    classes = (columns[0] * 2 + random.normal(size=n_rows)).astype(int) % n_classes
    return dataset_of(columns, classes, n_classes)


def assert_both_ways_agree(data: Dataset, chosen: Settings, jobs: int | None = None) -> Tree:
    _, criterion = criterion_for(chosen, data.schema)
    assert finish.applies(data, chosen, criterion)
    in_one_go, improvement = finish.grown(data, chosen, criterion, jobs, None)
    growth = Growth(data, chosen, jobs)
    growth.run()
    by_levels, same = growth.tree()
    for name in ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "outcomes", "table_start"):
        assert getattr(in_one_go, name) == getattr(by_levels, name), name
    np.testing.assert_allclose(in_one_go.score, by_levels.score, atol=1e-9)
    np.testing.assert_allclose(improvement, same, atol=1e-6)
    return in_one_go


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(1, 120),
    n_attributes=st.integers(1, 5),
    n_classes=st.sampled_from([2, 3, 12]),
    n_values=st.sampled_from([None, 1, 4]),
    criterion=st.sampled_from(["gain", "gainratio", "gini"]),
    min_leaf=st.sampled_from([1.0, 2.0, 4.5]),
    max_depth=st.sampled_from([None, 0, 1, 3]),
    threshold=st.sampled_from(["midpoint", "datavalue"]),
    missing=st.sampled_from(["fractional", "majority", "branch"]),
)
def test_the_tree_is_that_of_growing_level_by_level(  # type: ignore[no-untyped-def]
    seed, n_rows, n_attributes, n_classes, n_values, criterion, min_leaf, max_depth, threshold, missing
) -> None:
    data = random_data(seed, n_rows, n_attributes, n_classes, n_values)
    chosen = Settings(criterion=criterion, min_leaf=min_leaf, max_depth=max_depth, threshold=threshold, missing=missing)
    assert_both_ways_agree(data, chosen)


def test_nodes_that_are_split_by_all_threads_together_change_nothing() -> None:
    data = random_data(1, 30_000, 6, 3, None)
    chosen = Settings(criterion="gini", min_leaf=20)
    trees = [assert_both_ways_agree(data, chosen, jobs) for jobs in (1, 2, 3)]
    assert trees[0] == trees[1] == trees[2]


def test_a_tree_of_as_many_levels_as_rows_is_grown() -> None:
    # Classes that alternate along one attribute are best split off one by one, from the end.
    n_rows = 3_000
    data = dataset_of(np.arange(n_rows, dtype=float)[None, :], np.arange(n_rows) % 2, 2)
    tree = grow(data, Settings(criterion="gini"))
    assert tree.n_leaves == n_rows
    assert max(tree.depths()) > n_rows / 2


def test_infinite_values_are_ordinary_extremes() -> None:
    data = dataset_of(np.array([[-np.inf, -1.0, 1.0, np.inf]]), np.array([0, 1, 0, 1]), 2)
    assert_both_ways_agree(data, Settings())


@pytest.mark.parametrize(
    "unusual",
    [
        {"min_gain": 0.1},
        {"chi2_alpha": 0.05},
        {"zero_gain": False},
        {"value_gap": 1e-5},
        {"cut_cost": True},
        {"threshold": "mean"},
        {"criterion": "error"},
        {"missing": "surrogate"},
        {"priors": "equal"},
    ],
)
def test_what_it_cannot_do_is_left_to_the_other_way(unusual: dict[str, object]) -> None:
    data = random_data(0, 50, 2, 2, None)
    chosen = Settings(**unusual)  # type: ignore[arg-type]
    assert not finish.applies(data, chosen, criterion_for(chosen, data.schema)[1])


def test_data_that_it_cannot_take_are_left_to_the_other_way() -> None:
    data = random_data(0, 50, 2, 2, None)
    assert data.target is not None
    _, criterion = criterion_for(Settings(), data.schema)
    assert finish.applies(data, Settings(), criterion)
    unlabelled = np.where(np.arange(50) == 7, -1, data.target).astype(np.int32)
    missing = [np.where(np.arange(50) == 3, np.nan, data.columns[0]), data.columns[1]]
    for other in (
        replace(data, weights=np.full(50, 2.0)),
        replace(data, target=unlabelled),
        replace(data, columns=missing),
    ):
        assert not finish.applies(other, Settings(), criterion)
