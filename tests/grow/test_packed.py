"""The packed accelerator grows the tree that the loop over levels grows."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import nodes_by_levels
from treecli.data import Attribute, Dataset, Schema
from treecli.grow import packed
from treecli.grow.grow import grow
from treecli.grow.nodes import Nodes, as_tree
from treecli.grow.plan import plan_of
from treecli.grow.scores import set_scores
from treecli.kernels import UNCOMPILED_VARIABLE, codes, scan_few
from treecli.presets import settings_like
from treecli.settings import Settings
from treecli.threads import Shared
from treecli.tree import Tree

ARRAYS = ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score", "outcomes", "table_start")

LIMITS: dict[str, st.SearchStrategy[Any]] = {
    "min_leaf": st.sampled_from([1.0, 2.0, 4.5]),
    "max_depth": st.sampled_from([None, 0, 1, 3]),
    "missing": st.sampled_from(["fractional", "majority", "branch"]),
}


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


def packed_nodes(data: Dataset, chosen: Settings, jobs: int | None = 1) -> Nodes:
    plan = plan_of(chosen, data)
    assert packed.refuses(plan, data) is None
    with Shared(jobs) as shared:
        nodes = packed.grow(data, plan, shared, None)
    set_scores(nodes, plan)
    return nodes


def assert_both_ways_agree(data: Dataset, chosen: Settings, jobs: int | None = 1) -> Tree:
    nodes, same = packed_nodes(data, chosen, jobs), nodes_by_levels(data, chosen, jobs=jobs)
    tree, by_levels = as_tree(nodes), as_tree(same)
    for name in ARRAYS:
        assert getattr(tree, name) == getattr(by_levels, name), name
    assert tree.notes == by_levels.notes
    assert nodes.improvement.tolist() == same.improvement.tolist()
    return tree


@settings(max_examples=examples(60))
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(1, 120),
    n_attributes=st.integers(1, 5),
    n_classes=st.sampled_from([2, 3, 12]),
    n_values=st.sampled_from([None, 1, 4]),
    chosen=st.builds(
        Settings.of,
        criterion=st.sampled_from(["gain", "gainratio", "gini"]),
        threshold=st.sampled_from(["midpoint", "datavalue"]),
        **LIMITS,
    ),
)
def test_the_tree_is_that_of_growing_level_by_level(  # type: ignore[no-untyped-def]
    seed, n_rows, n_attributes, n_classes, n_values, chosen
) -> None:
    data = random_data(seed, n_rows, n_attributes, n_classes, n_values)
    assert_both_ways_agree(data, chosen)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(1, 120),
    n_attributes=st.integers(1, 4),
    n_values=st.sampled_from([None, 1, 4]),
    n_targets=st.sampled_from([None, 1, 4]),
    like=st.sampled_from([None, "sklearn"]),
    limits=st.fixed_dictionaries(LIMITS),
)
def test_the_tree_of_a_numeric_target_is_that_of_growing_level_by_level(  # type: ignore[no-untyped-def]
    seed, n_rows, n_attributes, n_values, n_targets, like, limits
) -> None:
    data = numeric_target(random_data(seed, n_rows, n_attributes, 2, n_values), seed, n_targets)
    chosen = Settings.of() if like is None else settings_like(like)
    assert_both_ways_agree(data, chosen.changed(**limits))


@settings(max_examples=examples(80))
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
    assert_both_ways_agree(far, Settings.of() if like is None else settings_like(like))


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


@pytest.mark.parametrize("share", [0.5, 0.04])
@pytest.mark.parametrize(
    "chosen",
    [
        *(Settings.of(criterion=own, value_gap=1e-9, min_leaf=3) for own in ("gini", "gain", "gainratio")),
        settings_like("sklearn").changed(min_leaf=3),
    ],
    ids=["gini", "gain", "gainratio", "sklearn"],
)
def test_subtrees_of_large_data_of_two_classes_are_those_of_growing_level_by_level(
    chosen: Settings, share: float
) -> None:
    """Some values are too close for a threshold, and the last attribute is the first again."""
    random = np.random.default_rng(8)
    columns = random.normal(size=(5, 24_000)).round(3)
    columns[1] += random.integers(3, size=24_000) * 1e-12
    columns[4] = columns[0]
    is_second = random.random(24_000) < np.where(columns[2] * columns[3] > 0.5, 0.9, share)
    assert_both_ways_agree(dataset_of(columns, is_second, 2), chosen, 2)


@pytest.mark.parametrize("n_more", [-1, 0, 1])
@pytest.mark.parametrize("n_values", [None, 20])
@pytest.mark.parametrize("criterion", ["gain", "gainratio"])
def test_nodes_of_few_and_of_many_cases_have_the_same_cuts(criterion: str, n_values: int | None, n_more: int) -> None:
    """The root has just few or just many cases, and cuts near its ends are not allowed."""
    data = random_data(7, scan_few.MOST_CASES + n_more, 5, 2, n_values)
    for min_leaf in (1.0, 3.0, 40.0):
        tree = assert_both_ways_agree(data, Settings.of(criterion=criterion, min_leaf=min_leaf))
        assert tree.n_nodes > 5


def test_few_cases_with_values_too_close_for_a_threshold() -> None:
    random = np.random.default_rng(5)
    column = np.repeat(np.arange(60.0), 4) + np.tile([0.0, 1e-12, 2e-12, 3e-12], 60)
    data = dataset_of(np.stack([column, random.normal(size=240)]), random.integers(2, size=240), 2)
    assert_both_ways_agree(data, Settings.of(criterion="gainratio", value_gap=1e-9))


def test_a_tree_of_as_many_levels_as_rows_is_grown() -> None:
    # Classes that alternate along one attribute are best split off one by one, from the end.
    n_rows = 3_000
    data = dataset_of(np.arange(n_rows, dtype=float)[None, :], np.arange(n_rows) % 2, 2)
    tree = grow(data, Settings.of(criterion="gini"))
    assert tree.n_leaves == n_rows
    assert max(tree.depths()) > n_rows / 2


def test_infinite_values_are_ordinary_extremes() -> None:
    data = dataset_of(np.array([[-np.inf, -1.0, 1.0, np.inf]]), np.array([0, 1, 0, 1]), 2)
    assert_both_ways_agree(data, Settings.of())


GROW_SOME = """
from tests.grow.test_packed import numeric_target, packed_nodes, random_data
from treecli.grow.nodes import as_tree
from treecli.presets import settings_like
from treecli.settings import Settings

for n_values, n_classes in ((None, 2), (4, 3)):
    data = random_data(3, 80, 3, n_classes, n_values)
    numbers = numeric_target(data, 3, n_values)
    chosen = [settings_like("sklearn"), settings_like("j48"), Settings.of(criterion="gini", value_gap=0.1)]
    for own, learner in [(numbers, Settings.of()), (numbers, chosen[0]), *((data, learner) for learner in chosen)]:
        nodes = packed_nodes(own, learner)
        tree = as_tree(nodes)
        print(tree.attribute, tree.number, tree.missing_to, tree.first_child, tree.score, tree.outcomes)
        print(nodes.improvement.tobytes().hex())
"""


def test_compiled_and_uncompiled_kernels_grow_the_same_trees() -> None:
    def trees(form: str) -> bytes:
        environment = {**os.environ, UNCOMPILED_VARIABLE: form}
        command = [sys.executable, "-W", "error", "-c", GROW_SOME]
        root = Path(__file__).parent.parent.parent
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True).stdout

    compiled = trees("")
    assert compiled.count(b"\n") == 2 * 2 * 5
    assert compiled == trees("1")


def test_progress_ends_at_1() -> None:
    data = random_data(1, 30_000, 3, 2, None)
    shares: list[float] = []
    with Shared(1) as shared:
        packed.grow(data, plan_of(Settings.of(min_leaf=50), data), shared, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize(
    ("unusual", "reason"),
    [
        ({"chi2_alpha": 0.05}, "splits are tested"),
        ({"criterion": "chi2"}, "the criterion ranks by p-values"),
        ({"cut_cost": True, "counts_rows": True}, "a branch must hold a share of the cases, or thresholds cost bits"),
        (
            {"arithmetic": "remainders", "criterion": "gini", "zero_gain": False},
            "scikit-learn's arithmetic is not exact for these settings or so many rows",
        ),
        (
            {"arithmetic": "shares", "criterion": "gini", "nominal": "subset", "missing": "majority"},
            "the arithmetic is neither sums nor scikit-learn's",
        ),
        (
            {"arithmetic": "c45", "threshold": "datavalue", "cut_cost": True},
            "the arithmetic is neither sums nor scikit-learn's",
        ),
        ({"is_strict": True}, "values that equal a threshold go up"),
        ({"cp": 0.01}, "splits must lower the risk"),
        ({"least_share": 0.1}, "splits must gain a share of the best"),
        ({"competitors": 1}, "competitors or ties are kept"),
        ({"threshold": "mean"}, "thresholds are means, medians or random"),
        ({"discretize": "width:4"}, "numbers are cut into bins"),
        ({"criterion": "error"}, "the impurity is neither entropy, Gini index nor variance"),
        ({"missing": "surrogate"}, "missing values go by surrogates, or stay"),
        ({"missing": "stay"}, "missing values go by surrogates, or stay"),
        ({"priors": "equal"}, "classes have priors or costs"),
    ],
)
def test_settings_that_it_cannot_serve_are_refused(unusual: dict[str, object], reason: str) -> None:
    data = random_data(0, 50, 2, 2, None)
    assert packed.refuses(plan_of(Settings.of(**unusual), data), data) == reason


def test_a_criterion_with_its_own_function_is_refused() -> None:
    data = random_data(0, 50, 2, 2, None)
    plan = plan_of(Settings.of(), data)
    plan.rank = codes.BY_PYTHON
    assert packed.refuses(plan, data) == "the criterion ranks by its own function"


def test_data_that_it_cannot_hold_are_refused() -> None:
    data = random_data(0, 50, 2, 2, None)
    assert data.target is not None
    assert packed.refuses(plan_of(Settings.of(), data), data) is None
    unlabelled = np.where(np.arange(50) == 7, -1, data.target).astype(np.int32)
    missing = [np.where(np.arange(50) == 3, np.nan, data.columns[0]), data.columns[1]]
    labels = [np.zeros(50, np.int32), data.columns[1]]
    nominal = (Attribute("x0", "nominal", ("a", "b")), data.schema.attributes[1])
    for other, reason in (
        (replace(data, weights=np.full(50, 2.0)), "weights differ from 1"),
        (replace(data, target=unlabelled), "a target is missing or too large"),
        (replace(numeric_target(data, 0, None), target=np.full(50, 1e200)), "a target is missing or too large"),
        (replace(data, columns=missing), "a value is missing"),
        (replace(data, columns=labels, schema=replace(data.schema, attributes=nominal)), "an attribute is not numeric"),
        (replace(data, columns=[], schema=replace(data.schema, attributes=())), "there are no attributes"),
    ):
        assert packed.refuses(plan_of(Settings.of(), other), other) == reason


def test_a_root_that_is_open_but_too_small_for_two_branches_stays_a_leaf() -> None:
    dataset = dataset_of(np.arange(6.0)[None, :], np.array([0, 0, 1, 1, 1, 0]), 2)
    assert grow(dataset, Settings.of(min_leaf=4.0, min_split=2.0)).n_nodes == 1
