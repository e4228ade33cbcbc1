"""Growing with packed lists gives the same tree as growing level by level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treecli import finish
from treecli.criteria import criterion_for
from treecli.data import Attribute, Dataset, Schema
from treecli.grow import grow
from treecli.growth import Growth
from treecli.presets import settings_like
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


def numeric_target(data: Dataset, seed: int, n_values: int | None) -> Dataset:
    random = np.random.default_rng(seed)
    target = data.columns[0] * 3.0 + random.normal(size=data.n_rows)
    if n_values is not None:
        target = np.floor(target * n_values)
    return replace(data, schema=replace(data.schema, target=Attribute("y", "numeric")), target=target)


def assert_both_ways_agree(data: Dataset, chosen: Settings, jobs: int | None = None) -> Tree:
    _, criterion = criterion_for(chosen, data.schema)
    assert finish.applies(data, chosen, criterion)
    in_one_go, improvement = finish.grown(data, chosen, criterion, jobs, None)
    growth = Growth(data, chosen, jobs)
    growth.run()
    by_levels, same = growth.tree()
    for name in ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "outcomes", "table_start"):
        assert getattr(in_one_go, name) == getattr(by_levels, name), name
    assert in_one_go.notes == by_levels.notes
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
    chosen = Settings.of(
        criterion=criterion, min_leaf=min_leaf, max_depth=max_depth, threshold=threshold, missing=missing
    )
    assert_both_ways_agree(data, chosen)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(1, 120),
    n_attributes=st.integers(1, 4),
    n_values=st.sampled_from([None, 1, 4]),
    n_targets=st.sampled_from([None, 1, 4]),
    like=st.sampled_from([None, "sklearn"]),
    min_leaf=st.sampled_from([1.0, 2.0, 4.5]),
    max_depth=st.sampled_from([None, 0, 1, 3]),
    missing=st.sampled_from(["fractional", "majority", "branch"]),
)
def test_the_tree_of_a_numeric_target_is_that_of_growing_level_by_level(  # type: ignore[no-untyped-def]
    seed, n_rows, n_attributes, n_values, n_targets, like, min_leaf, max_depth, missing
) -> None:
    data = numeric_target(random_data(seed, n_rows, n_attributes, 2, n_values), seed, n_targets)
    chosen = Settings() if like is None else settings_like(like)
    assert_both_ways_agree(data, chosen.changed(min_leaf=min_leaf, max_depth=max_depth, missing=missing))


@settings(max_examples=80)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(1, 120),
    n_attributes=st.integers(1, 5),
    n_classes=st.sampled_from([2, 3, 12]),
    n_values=st.sampled_from([None, 1, 4]),
    like=st.sampled_from(["sklearn", "j48", "id3"]),
    changed=st.sampled_from(
        [
            {},
            {"criterion": "gain"},
            {"criterion": "gini"},
            {"min_leaf": 5.0},
            {"min_gain": 0.1},
            {"max_depth": 2},
            {"value_gap": 0.2},
            {"missing": "majority"},
        ]
    ),
)
def test_the_tree_like_another_program_is_that_of_growing_level_by_level(  # type: ignore[no-untyped-def]
    seed, n_rows, n_attributes, n_classes, n_values, like, changed
) -> None:
    data = random_data(seed, n_rows, n_attributes, n_classes, n_values)
    assert_both_ways_agree(data, settings_like(like).changed(**changed))


@pytest.mark.parametrize("like", [None, "sklearn"])
def test_the_means_of_far_numbers_are_those_of_growing_level_by_level(like: str | None) -> None:
    data = numeric_target(random_data(3, 3_000, 3, 2, None), 3, None)
    assert data.target is not None
    far = replace(data, target=data.target + 1e7)
    assert_both_ways_agree(far, Settings() if like is None else settings_like(like))


@pytest.mark.parametrize(
    "column",
    [
        np.exp(np.linspace(0, 300, 500)),
        np.concatenate([np.arange(499.0), [1e300]]),
        np.concatenate([[-np.inf], np.arange(498.0), [np.inf]]),
        np.linspace(-1.0, 1.0, 500) * 1.7e308,
        np.arange(500.0) * 5e-324,
        np.where(np.arange(500) % 2 == 0, 0.0, -0.0),
    ],
    ids=["wide", "one far off", "infinite", "huge", "tiny", "zeros"],
)
def test_values_are_sorted_however_they_are_spread(column: np.ndarray) -> None:
    order = np.random.default_rng(5).permutation(500)
    data = dataset_of(np.stack([column[order], order % 7.0]), (order // 3) % 2, 2)
    with np.errstate(over="ignore"):
        assert_both_ways_agree(data, Settings.of(criterion="gini"))


@pytest.mark.parametrize("is_numeric", [False, True])
def test_nodes_that_are_split_by_all_threads_together_change_nothing(is_numeric: bool) -> None:
    data = random_data(1, 30_000, 6, 3, None)
    if is_numeric:
        data = numeric_target(data, 1, None)
    chosen = Settings.of(criterion=None if is_numeric else "gini", min_leaf=20)
    trees = [assert_both_ways_agree(data, chosen, jobs) for jobs in (1, 2, 3)]
    assert trees[0] == trees[1] == trees[2]


def test_a_tree_of_as_many_levels_as_rows_is_grown() -> None:
    # Classes that alternate along one attribute are best split off one by one, from the end.
    n_rows = 3_000
    data = dataset_of(np.arange(n_rows, dtype=float)[None, :], np.arange(n_rows) % 2, 2)
    tree = grow(data, Settings.of(criterion="gini"))
    assert tree.n_leaves == n_rows
    assert max(tree.depths()) > n_rows / 2


def test_infinite_values_are_ordinary_extremes() -> None:
    data = dataset_of(np.array([[-np.inf, -1.0, 1.0, np.inf]]), np.array([0, 1, 0, 1]), 2)
    assert_both_ways_agree(data, Settings())


@pytest.mark.parametrize(
    "unusual",
    [
        {"chi2_alpha": 0.05},
        {"cut_cost": True, "counts_rows": True},
        {"arithmetic": "remainders", "zero_gain": False},
        {"arithmetic": "shares"},
        {"arithmetic": "c45"},
        {"is_strict": True},
        {"cp": 0.01},
        {"competitors": 1},
        {"threshold": "mean"},
        {"criterion": "error"},
        {"missing": "surrogate"},
        {"priors": "equal"},
    ],
)
def test_what_it_cannot_do_is_left_to_the_other_way(unusual: dict[str, object]) -> None:
    data = random_data(0, 50, 2, 2, None)
    chosen = Settings.of(**unusual)  # type: ignore[arg-type]
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
    huge = replace(numeric_target(data, 0, None), target=np.full(50, 1e200))
    assert not finish.applies(huge, Settings(), criterion_for(Settings(), huge.schema)[1])
