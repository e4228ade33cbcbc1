"""Growing small nodes depth first gives exactly the same tree as level by level."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import nodes_by_levels, sample
from treecli import plugins
from treecli.data import MISSING, Attribute, Dataset, Schema
from treecli.engines.memory import Engine
from treecli.errors import UsageError
from treecli.grow import mixed
from treecli.grow.grow import grow
from treecli.grow.loop import Loop
from treecli.grow.nodes import as_tree
from treecli.grow.plan import plan_of
from treecli.grow.room import LEAST_ROOM
from treecli.grow.small import MOST_LEVELS
from treecli.kernels import UNCOMPILED_VARIABLE
from treecli.presets import settings_like
from treecli.settings import Settings
from treecli.tree import Tree

ARRAYS = ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score", "outcomes")
UNEVEN_ARRAYS = ("table", "table_start", "further", "further_start")

SAMPLES = ("cpu.csv", "courses-rating.csv", "iris.csv", "playtennis.csv", "shapes.csv", "titanic.csv", "vote.arff")

NUMBER = 0
ORDERED = -4
"""Kinds of columns: a positive number of labels, or a negative number of ordered labels."""


def random_data(
    seed: int,
    n_rows: int,
    columns: list[int],
    *,
    n_classes: int = 3,
    missing: float = 0.0,
    n_values: int | None = None,
    weights: str = "ones",
) -> Dataset:
    """Columns of these kinds; the target depends on the first. No classes: it is a number."""
    random = np.random.default_rng(seed)
    attributes, values = [], []
    for i, kind in enumerate(columns):
        if kind == NUMBER:
            attributes.append(Attribute(f"x{i}", "numeric"))
            own = random.normal(size=n_rows)
            own = own if n_values is None else np.floor(own * n_values)
            own[random.random(n_rows) < missing] = np.nan
        else:
            labels = tuple(f"v{label}" for label in range(abs(kind)))
            attributes.append(Attribute(f"x{i}", "ordinal" if kind < 0 else "nominal", labels))
            own = random.integers(0, len(labels), n_rows).astype(np.int32)
            own[random.random(n_rows) < missing] = MISSING
        values.append(own)
    weight = {
        "ones": np.ones(n_rows),
        "whole": random.integers(1, 4, n_rows).astype(float),
        "fractions": random.uniform(0.1, 2.0, n_rows),
    }[weights]
    target = np.nan_to_num(values[0].astype(float)) * 2 + random.normal(size=n_rows)
    if n_classes == 0:
        return Dataset(Schema(tuple(attributes), Attribute("y", "numeric")), values, target, weight)
    described = Attribute("y", "nominal", tuple(f"c{i}" for i in range(n_classes)))
    return Dataset(Schema(tuple(attributes), described), values, target.astype(np.int32) % n_classes, weight)


def grown(data: Dataset, chosen: Settings, most_cases: int | None, jobs: int = 1) -> tuple[Tree, bytes]:
    nodes = nodes_by_levels(data, chosen, most_cases, jobs)
    return as_tree(nodes), nodes.improvement.tobytes()


def assert_all_ways_agree(data: Dataset, chosen: Settings, *ways: tuple[int | None, int]) -> Tree:
    """The tree, grown level by level, after it was grown in other ways too: largest small node, and jobs."""
    by_levels, improvement = grown(data, chosen, 0)
    for most_cases, jobs in ways or ((None, 1),):
        tree, same = grown(data, chosen, most_cases, jobs)
        for name in (*ARRAYS, *UNEVEN_ARRAYS):
            assert getattr(tree, name).tobytes() == getattr(by_levels, name).tobytes(), name
        assert tree.notes == by_levels.notes
        assert tree.surrogates == by_levels.surrogates
        assert same == improvement
    return by_levels


def is_finished_so(data: Dataset, chosen: Settings) -> bool:
    """Whether small nodes leave the level-by-level way at all."""
    plan = plan_of(chosen, data)
    engine = Engine(data, plan, 1)
    engine.root()
    return mixed.refuses(plan, engine) is None


CLASSES = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["gain", "gainratio", "gini", "error"]),
        "n_classes": st.sampled_from([2, 3, 12]),
    }
)
COLUMNS = st.lists(st.sampled_from([NUMBER, ORDERED, 2, 3, 15]), min_size=1, max_size=5)
DATA = st.fixed_dictionaries(
    {
        "missing": st.sampled_from([0.0, 0.1, 0.4]),
        "n_values": st.sampled_from([None, 1, 4]),
        "weights": st.sampled_from(["ones", "whole", "fractions"]),
    }
)
TERMS = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["fractional", "majority", "branch", "stay", "surrogate"]),
        "nominal": st.sampled_from(["multiway", "binary", "subset"]),
        "threshold": st.sampled_from(["midpoint", "datavalue"]),
    },
    optional={
        "min_leaf": st.sampled_from([0.5, 2.0, 4.5]),
        "min_split": st.just(6.0),
        "max_depth": st.sampled_from([0, 1, 3]),
        "max_leaves": st.sampled_from([2, 5]),
        "min_gain": st.just(0.05),
        "gain_of_all": st.booleans(),
        "zero_gain": st.booleans(),
        "value_gap": st.just(0.2),
        "tolerance": st.sampled_from([0.0, 1e-6]),
    },
)
SMALL = st.sampled_from([None, 4, 40])
"""The largest small nodes: with few cases, the trunk above them grows level by level."""


@given(st.integers(0, 10_000), st.integers(1, 150), COLUMNS, CLASSES, DATA, TERMS, SMALL)
def test_a_tree_of_classes_is_that_of_growing_level_by_level(
    seed: int, n_rows: int, columns: list[int], classes: Any, data: Any, terms: Any, most_cases: int | None
) -> None:
    dataset = random_data(seed, n_rows, columns, n_classes=classes["n_classes"], **data)
    assert_all_ways_agree(dataset, Settings.of(criterion=classes["criterion"], **terms), (most_cases, 1))


# Two labels and a threshold divide the cases of a node alike, and nothing but rounding tells them apart.
MIRRORED = {"missing": "fractional", "nominal": "subset", "threshold": "midpoint", "tolerance": 0.0}


@settings(max_examples=examples(60))
@given(st.integers(0, 10_000), st.integers(1, 150), COLUMNS, DATA, TERMS, SMALL)
@example(0, 39, [NUMBER, 2, NUMBER], {"weights": "whole"}, MIRRORED, None)
def test_a_tree_of_numbers_is_that_of_growing_level_by_level(
    seed: int, n_rows: int, columns: list[int], data: Any, terms: Any, most_cases: int | None
) -> None:
    dataset = random_data(seed, n_rows, columns, n_classes=0, **data)
    assert_all_ways_agree(dataset, Settings.of(**terms), (most_cases, 1))


@settings(max_examples=examples(60))
@given(
    st.integers(0, 10_000),
    st.integers(1, 200),
    COLUMNS,
    DATA,
    st.sampled_from(["c45", "j48", "id3"]),
    st.sampled_from([{}, {"nominal": "subset"}, {"missing": "branch"}, {"criterion": "gini"}, {"many_labels": 0.1}]),
    SMALL,
)
def test_a_tree_like_another_programs_is_that_of_growing_level_by_level(
    seed: int, n_rows: int, columns: list[int], data: Any, like: str, changed: Any, most_cases: int | None
) -> None:
    dataset = random_data(seed, n_rows, columns, **data)
    assert_all_ways_agree(dataset, settings_like(like).changed(**changed), (most_cases, 1))


@pytest.mark.parametrize("like", [None, *plugins.names("presets")])
@pytest.mark.parametrize("name", SAMPLES)
def test_samples_have_the_tree_of_growing_level_by_level_under_every_preset(name: str, like: str | None) -> None:
    data = sample(name)
    chosen = Settings() if like is None else settings_like(like)
    if data.schema.is_classification and like == "m5p":
        with pytest.raises(UsageError, match="is nominal"):
            grow(data, chosen)
        return
    if not data.schema.is_classification:
        if like in ("id3", "c45", "c50", "j48", "chaid", "sliq", "sprint"):
            chosen = chosen.changed(criterion="variance", nominal="multiway", discretize="none", chi2_alpha=None)
        chosen = chosen.changed(branch_share=0.0, cut_cost=False)
    tree = assert_all_ways_agree(data, chosen, (None, 1), (20, 1), (None, 2))
    assert tree.n_nodes > 1 or like == "chaid" or like == "rpart"


@pytest.mark.parametrize("n_classes", [0, 2, 9])
def test_the_tree_is_the_same_with_any_number_of_threads(n_classes: int) -> None:
    # Enough cases for threads to share them out: level by level at the top, two or more portions below.
    data = random_data(1, 24_000, [NUMBER, 5, NUMBER, ORDERED], n_classes=n_classes, missing=0.05, n_values=8)
    assert_all_ways_agree(data, Settings.of(min_leaf=20.0), (None, 1), (None, 2), (None, 3), (2_000, 2))


@settings(max_examples=examples(60))
@given(
    st.integers(0, 10_000),
    st.integers(1, 200),
    st.lists(st.sampled_from([NUMBER, ORDERED, 2, 3, 15]), min_size=2, max_size=7),
    DATA,
    st.sampled_from([0, 2, 3]),
    st.fixed_dictionaries(
        {
            "nominal": st.sampled_from(["multiway", "binary", "subset"]),
            "max_surrogates": st.sampled_from([0, 1, 2, 5]),
            "surrogate_slip": st.booleans(),
        }
    ),
    SMALL,
)
def test_surrogates_are_those_of_growing_level_by_level(
    seed: int, n_rows: int, columns: list[int], data: Any, n_classes: int, terms: Any, most_cases: int | None
) -> None:
    dataset = random_data(seed, n_rows, columns, n_classes=n_classes, **data)
    chosen = Settings.of(missing="surrogate", **terms)
    assert is_finished_so(dataset, chosen)
    assert_all_ways_agree(dataset, chosen, (most_cases, 1))


def test_many_surrogates_find_room() -> None:
    data = random_data(3, 3000, [NUMBER, 20, NUMBER, 20, ORDERED], missing=0.1)
    tree = assert_all_ways_agree(data, Settings.of(missing="surrogate", nominal="subset", min_leaf=1.0))
    assert sum(map(len, tree.surrogates.values())) > 8 * LEAST_ROOM


def test_cases_that_go_down_many_branches_find_room() -> None:
    # Every case lacks most of its labels, so that its fractions soon are many more than there is room for at first.
    data = random_data(2, 60, [6, 6, 6, 6], missing=0.7)
    tree = assert_all_ways_agree(data, Settings.of(criterion="gain", min_leaf=0.01))
    assert tree.n_nodes > 4 * (60 + LEAST_ROOM)


@pytest.mark.parametrize("most_cases", [None, 10])
def test_a_tree_that_loses_its_cases_one_by_one_is_finished_so(most_cases: int | None) -> None:
    # Classes alternate along x, and each case weighs more than the next: the best cut takes off the first case.
    n_rows = 3 * MOST_LEVELS
    schema = Schema(
        (Attribute("x", "numeric"), Attribute("z", "nominal", ("a", "b"))), Attribute("y", "nominal", ("p", "q"))
    )
    x, z, y = np.arange(n_rows, dtype=float), np.zeros(n_rows, np.int32), (np.arange(n_rows) % 2).astype(np.int32)
    data = Dataset(schema, [x, z], y, 1.15 ** -np.arange(n_rows) * 1.15**n_rows)
    tree = assert_all_ways_agree(data, Settings.of(criterion="gain", tolerance=0.0), (most_cases, 1))
    assert tree.n_nodes == 2 * n_rows - 1
    plan = plan_of(Settings.of(criterion="gain", tolerance=0.0), data)
    engine = Engine(data, plan, 1)
    loop = Loop(engine, plan)
    loop.leave_small_nodes_to(mixed.grower(engine), most_cases)
    loop.run()
    assert loop.level.depth <= MOST_LEVELS + 1


@pytest.mark.parametrize(
    "unusual",
    [
        {"criterion": "chi2"},
        {"chi2_alpha": 0.05},
        {"threshold": "median"},
        {"nominal": "merged", "criterion": "chi2"},
        {"discretize": "width:3"},
        {"priors": "equal"},
        {"cp": 0.01},
        {"counts_rows": True},
        {"arithmetic": "shares", "criterion": "gini", "nominal": "subset", "missing": "surrogate"},
        {"arithmetic": "remainders", "criterion": "gini", "nominal": "binary", "missing": "branch"},
        {"arithmetic": "c45", "criterion": "gainratio", "threshold": "datavalue", "cut_cost": True},
        {"least_share": 1e-10},
        {"is_strict": True},
    ],
)
def test_other_settings_are_grown_level_by_level(unusual: dict[str, Any]) -> None:
    data = random_data(0, 80, [NUMBER, 3, NUMBER], n_classes=2)
    assert is_finished_so(data, Settings())
    assert not is_finished_so(data, Settings.of(**unusual))


def test_values_that_j48_does_not_tell_apart_are_left_to_the_other_way() -> None:
    # Its threshold may lie below the lower of two values that are within the tolerance of each other.
    data = random_data(0, 80, [NUMBER, 3], n_classes=2)
    near = data.columns[0].copy()
    near[0] = near[1] + 1e-7
    assert is_finished_so(data, settings_like("j48"))
    assert not is_finished_so(replace(data, columns=[near, data.columns[1]]), settings_like("j48"))
    assert is_finished_so(replace(data, columns=[near, data.columns[1]]), Settings())


GROW_SOME = """
from tests.grow.test_mixed import ORDERED, grown, random_data
from treecli.settings import Settings

for n_classes in (0, 3):
    data = random_data(5, 60, [0, 4, ORDERED, 0], n_classes=n_classes, missing=0.1, n_values=3, weights="fractions")
    for nominal in ("multiway", "binary", "subset"):
        for missing in ("fractional", "branch", "stay", "surrogate"):
            tree, improvement = grown(data, Settings.of(nominal=nominal, missing=missing), None)
            print(tree.kind, tree.number, tree.missing_to, tree.first_child, tree.score, tree.outcomes, tree.table)
            print(improvement, {node: list(own) for node, own in sorted(tree.surrogates.items())})
"""


def test_compiled_and_uncompiled_kernels_finish_the_same_trees() -> None:
    def trees(form: str) -> bytes:
        environment = {**os.environ, UNCOMPILED_VARIABLE: form}
        command = [sys.executable, "-W", "error", "-c", GROW_SOME]
        root = Path(__file__).parents[2]
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True).stdout

    compiled = trees("")
    assert compiled.count(b"\n") == 2 * 2 * 3 * 4
    assert compiled == trees("1")
