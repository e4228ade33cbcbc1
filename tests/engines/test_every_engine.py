"""Every engine grows the tree of the memory engine: the arrays of its nodes are equal as bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growing import sample
from treecli import plugins
from treecli.data import Attribute, Dataset, Schema
from treecli.engines import _passes, _targets, duckdb, memory
from treecli.engines._limits import ceiling_of
from treecli.errors import DataError, UsageError
from treecli.grow import coding
from treecli.grow.grow import grown
from treecli.grow.there import grown_by
from treecli.outcomes.counts import SparseCounts
from treecli.settings import Settings
from treecli.tree import Tree

ARRAYS = ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score", "table", "further")

OTHERS = [
    pytest.param(name, marks=pytest.mark.engines if name == "spark" else ())
    for name in plugins.names("engines")
    if name != "memory"
]

SAMPLES = ("iris.csv", "titanic.csv", "vote.arff", "playtennis.csv", "monks-1.arff", "courses.csv")

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"criterion": "gini", "nominal": "binary", "min_leaf": 3.0},
    {"criterion": "gain", "nominal": "subset", "missing": "branch"},
    {"criterion": "gainratio", "missing": "majority", "max_depth": 4},
    {"criterion": "gainratio", "nominal": "subset"},
    {"criterion": "error", "missing": "stay", "max_leaves": 7},
    {"criterion": "chi2", "nominal": "binary", "missing": "majority", "chi2_alpha": 0.2},
    {"criterion": "gainratio", "missing": "branch", "value_gap": 1e-5, "branch_share": 0.1, "cut_cost": True},
)


def as_bytes(tree: Tree) -> dict[str, bytes]:
    outcomes = tree.outcomes
    own = (outcomes.start, outcomes.code, outcomes.weight) if isinstance(outcomes, SparseCounts) else (outcomes,)
    return {name: bytes(getattr(tree, name)) for name in ARRAYS} | {"outcomes": b"".join(map(bytes, own))}


def from_counts(dataset: Dataset, settings: Settings, most_rows: int, rows_at_once: int = 64, jobs: int = 1) -> Tree:
    """The tree of the engine duckdb; nodes of up to `most_rows` rows are finished in memory."""
    return grown_by(lambda plan: duckdb.Engine(dataset, plan, jobs, most_rows, rows_at_once), dataset, settings)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("name", [*SAMPLES, "cpu.csv", "courses-rating.csv"])
def test_an_engine_grows_the_tree_of_the_memory_engine(engine: str, name: str, request: pytest.FixtureRequest) -> None:
    dataset, settings = sample(name), Settings()
    if engine == "spark":
        request.getfixturevalue("needs_spark")
    found = grown_by(lambda plan: plugins.load("engines", engine).Engine(dataset, plan, 1), dataset, settings)
    assert as_bytes(found) == as_bytes(grown(dataset, settings)[0])


@pytest.mark.parametrize("most_rows", [0, 40])
@pytest.mark.parametrize("changes", SETTINGS)
@pytest.mark.parametrize("name", SAMPLES)
def test_counts_give_the_tree_that_cases_give(name: str, changes: dict[str, Any], most_rows: int) -> None:
    dataset, settings = sample(name), Settings.of(**changes)
    assert as_bytes(from_counts(dataset, settings, most_rows)) == as_bytes(grown(dataset, settings)[0])


NEAR = (1.0, float(np.nextafter(1.0, 2.0)), float(np.nextafter(1.0, 0.0)))
STRANGE = (0.0, -0.0, 5e-324, inf, -inf, -1.7976931348623157e308, 1.7976931348623157e308, nan, *NEAR)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Nominal, ordinal and numeric columns with ties, zeros of both signs, infinities, neighbours; 1 to 300 classes."""
    n_rows = draw(st.integers(1, 60))
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    attributes, columns = [], []
    for place in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["nominal", "ordinal", "few", "many", "strange"]))
        is_missing = random.random(n_rows) < draw(st.sampled_from([0.0, 0.0, 0.1, 1.0]))
        if kind in ("nominal", "ordinal"):
            n_labels = draw(st.integers(1, 6))
            codes = random.integers(0, n_labels, n_rows).astype(np.int32)
            columns.append(np.where(is_missing, -1, codes).astype(np.int32))
            attributes.append(Attribute(f"a{place}", kind, tuple("abcdef"[:n_labels])))  # type: ignore[arg-type]
            continue
        values = {
            "few": random.integers(0, 5, n_rows).astype(float),
            "many": random.normal(size=n_rows),
            "strange": random.choice(np.array(STRANGE), n_rows),
        }[kind]
        columns.append(np.where(is_missing, nan, values))
        attributes.append(Attribute(f"a{place}", "numeric"))
    n_classes = draw(st.sampled_from([1, 2, 3, 9, 300]))
    target = Attribute("class", "nominal", tuple(f"c{i}" for i in range(n_classes)))
    labels = random.integers(0, min(n_classes, 1 + draw(st.integers(0, 12))), n_rows).astype(np.int32)
    weights = np.ones(n_rows)
    how = draw(st.sampled_from(["ones", "whole", "fractions"]))
    if how == "whole":
        weights = random.integers(0, 4, n_rows).astype(float)
        weights[0] = draw(st.sampled_from([1.0, 2.0**26 - 1, 2.0**26 + 1]))
    elif how == "fractions":
        weights = random.choice([0.0, 0.1, 0.7, 1 / 3, 2.5, 1e-20], n_rows)
        weights[0] = draw(st.sampled_from([0.3, 1e10]))
    return Dataset(Schema(tuple(attributes), target), columns, labels, weights)


@given(dataset=datasets(), changes=st.sampled_from(SETTINGS))
def test_levels_and_accelerators_in_memory_give_the_same_bytes(dataset: Dataset, changes: dict[str, Any]) -> None:
    settings = Settings.of(**changes)
    expected = as_bytes(grown(dataset, settings)[0])
    rows = dataset.with_lowest_values_joined()
    assert as_bytes(grown_by(lambda plan: memory.Engine(rows, plan, 1), rows, settings)) == expected


@given(
    dataset=datasets(),
    changes=st.sampled_from(SETTINGS),
    most_rows=st.sampled_from([0, 10, 50, 1000]),
    rows_at_once=st.sampled_from([1, 7, 1000]),
    most_values=st.sampled_from([0, 3, 4096]),
    room=st.sampled_from([1, 1 << 12, 1 << 28]),
    most_sorted=st.sampled_from([1, 5, 20, 1000]),
    jobs=st.sampled_from([1, 2, 8]),
)
def test_batches_threads_and_memory_do_not_change_the_tree(
    dataset: Dataset,
    changes: dict[str, Any],
    most_rows: int,
    rows_at_once: int,
    most_values: int,
    room: int,
    most_sorted: int,
    jobs: int,
) -> None:
    settings = Settings.of(**changes)
    if settings.splitting.branch_share > 0:
        dataset = replace(dataset, weights=np.ones(dataset.n_rows))  # others are refused: rows are not counted
    if settings.splitting.criterion == "chi2" and (dataset.weights != np.floor(dataset.weights)).any():
        most_rows = dataset.n_rows  # scores of tests are refused for fractions
    expected = grown(dataset, settings)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "MOST_VALUES", most_values)
        patch.setattr(_passes, "ROOM_FOR_COUNTERS", room)
        patch.setattr(_passes, "MOST_SORTED", most_sorted)
        assert as_bytes(from_counts(dataset, settings, most_rows, rows_at_once, jobs)) == as_bytes(expected)


OF_NUMBERS: tuple[dict[str, Any], ...] = (
    {},
    {"criterion": "sdr", "nominal": "subset", "min_leaf": 3.0},
    {"nominal": "binary", "missing": "branch"},
    {"missing": "majority", "max_depth": 4},
    {"criterion": "sdr", "missing": "stay", "max_leaves": 7},
    {"value_gap": 1e-5, "cut_cost": True},
)


@given(
    dataset=datasets(),
    seed=st.integers(0, 1 << 30),
    how=st.sampled_from(["fractions", "whole", "far", "lacking", "constant"]),
    changes=st.sampled_from(OF_NUMBERS),
    most_rows=st.sampled_from([0, 10, 1000]),
    rows_at_once=st.sampled_from([7, 1000]),
    limits=st.tuples(st.sampled_from([0, 3, 4096]), st.sampled_from([1, 1 << 28]), st.sampled_from([1, 20, 1000])),
)
def test_a_numeric_target_gives_the_same_tree_from_passes(
    dataset: Dataset,
    seed: int,
    how: str,
    changes: dict[str, Any],
    most_rows: int,
    rows_at_once: int,
    limits: tuple[int, int, int],
) -> None:
    random, n = np.random.default_rng(seed), dataset.n_rows
    target = {
        "fractions": random.normal(size=n),
        "whole": random.integers(0, 4, n).astype(float),
        "far": 1e9 + random.integers(0, 9, n) / 7,
        "lacking": np.where(random.random(n) < 0.2, nan, random.normal(size=n)),
        "constant": np.full(n, 0.1),
    }[how]
    target[0] = 1.0
    schema = Schema(dataset.schema.attributes, Attribute("y", "numeric"))
    dataset, settings = replace(dataset, schema=schema, target=target), Settings.of(**changes)
    expected = as_bytes(grown(dataset, settings)[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "MOST_VALUES", limits[0])
        patch.setattr(_passes, "ROOM_FOR_COUNTERS", limits[1])
        patch.setattr(_passes, "MOST_SORTED", limits[2])
        assert as_bytes(from_counts(dataset, settings, most_rows, rows_at_once)) == expected


def test_sums_of_rows_that_are_read_in_parts_are_those_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_targets, "SUMMED_AT_ONCE", 128)
    random = np.random.default_rng(4)
    for n in (1, 7, 128, 129, 1000, 4321, 99_999):
        values = random.normal(size=n) * 10.0 ** random.integers(-3, 4, n)

        def read(first: int, k: int, values: Any = values) -> Any:
            return values[first : first + k]

        assert _targets.pairwise_sum(read, 0, n) == np.sum(values)


@pytest.mark.parametrize("rows_at_once", [50, 1000])
def test_parts_of_rows_are_added_in_the_order_of_the_rows(rows_at_once: int) -> None:
    # Where missing values are many, most nodes have parts of rows, with fractions of different denominators.
    random = np.random.default_rng(1)
    n = 500
    labels = random.integers(0, 3, n).astype(np.int32)
    columns: list[Any] = []
    attributes = []
    for place in range(6):
        is_missing = random.random(n) < 0.2
        values = random.normal(size=n) + labels * 0.3 if place % 2 else (random.integers(0, 5, n) + labels) % 7
        filler = nan if place % 2 else -1
        columns.append(np.where(is_missing, filler, values).astype(np.float64 if place % 2 else np.int32))
        kind: Any = "numeric" if place % 2 else "nominal"
        attributes.append(Attribute(f"a{place}", kind, () if place % 2 else tuple("abcdefg")))
    target = Attribute("class", "nominal", ("a", "b", "c"))
    dataset = Dataset(Schema(tuple(attributes), target), columns, labels, np.ones(n))
    for weights in (np.ones(n), random.integers(1, 5, n).astype(float)):
        rows = replace(dataset, weights=weights)
        for changes in ({"max_depth": 4}, {"criterion": "gini", "nominal": "subset", "max_depth": 5}):
            settings = Settings.of(**changes)
            expected = as_bytes(grown(rows, settings)[0])
            for most_rows in (0, 60):
                assert as_bytes(from_counts(rows, settings, most_rows, rows_at_once)) == expected


@pytest.mark.parametrize("policy", ["fractional", "majority", "stay", "branch"])
def test_weights_that_are_not_whole_give_the_same_tree_wherever_missing_values_go(policy: str) -> None:
    random = np.random.default_rng(3)
    n = 400
    labels = random.integers(0, 3, n).astype(np.int32)
    codes = np.where(random.random(n) < 0.2, -1, (random.integers(0, 4, n) + labels) % 5).astype(np.int32)
    values = np.where(random.random(n) < 0.2, nan, random.normal(size=n) + labels * 0.5)
    attributes = Attribute("colour", "nominal", tuple("abcde")), Attribute("size", "numeric")
    schema = Schema(attributes, Attribute("class", "nominal", ("x", "y", "z")))
    dataset = Dataset(schema, [codes, values], labels, random.choice([0.1, 1 / 3, 2.5, 0.7], n))
    for changes in ({}, {"criterion": "gini", "nominal": "binary"}):
        settings = Settings.of(missing=policy, max_depth=5, **changes)
        expected = as_bytes(grown(dataset, settings)[0])
        for most_rows in (0, 50):
            assert as_bytes(from_counts(dataset, settings, most_rows)) == expected


def test_a_score_of_the_search_is_refused_for_fractions_of_rows() -> None:
    settings = Settings.of(criterion="chi2", nominal="binary")
    with pytest.raises(DataError, match=r"--criterion chi2 stores a score of the search") as error:
        from_counts(sample("vote.arff"), settings, most_rows=100)
    assert error.value.hint == "use --criterion gain, gainratio or gini, or give more --memory"


def test_more_parts_of_rows_than_fit_into_memory_are_refused_with_the_policies_that_work() -> None:
    dataset = sample("vote.arff")

    def engine(plan: Any) -> duckdb.Engine:
        made = duckdb.Engine(dataset, plan, 1, 0)
        made.most_parts = 3
        return made

    with pytest.raises(DataError, match=r"divide the rows of a level into more than 3 parts") as error:
        grown_by(engine, dataset, Settings())
    assert error.value.hint == "use --missing branch, majority or stay, which divide no row, or give more --memory"


def test_a_split_that_would_divide_rows_is_refused_where_cases_of_branches_are_counted() -> None:
    settings = Settings.of(branch_share=0.1)
    with pytest.raises(DataError, match=r"a node of 435 rows would be split by 'physician-fee-freeze'") as error:
        from_counts(sample("vote.arff"), settings, most_rows=100)
    assert error.value.hint == "use --missing branch, majority or stay, which are counted, or give more --memory"


def changed_after(n_passes: int, change: Callable[[duckdb.Engine], None]) -> type[duckdb.Engine]:
    """An engine whose data change after some passes."""

    class Engine(duckdb.Engine):
        def begin_level(self, level: Any) -> None:
            if self.passes.n_done == n_passes:
                change(self)
            super().begin_level(level)

    return Engine


def test_a_row_that_changes_between_passes_is_noticed() -> None:
    dataset = sample("titanic.csv")

    def change(engine: duckdb.Engine) -> None:
        path = engine.data.path("class")
        labels = np.fromfile(path, np.uint16)
        labels[5] = 1 - labels[5]
        labels.tofile(path)

    engine = changed_after(2, change)
    with pytest.raises(DataError, match="the data changed while they were read"):
        grown_by(lambda plan: engine(dataset, plan, 1, 0), dataset, Settings())


def changed_before_children(name: str, change: Callable[[Any], None]) -> type[duckdb.Engine]:
    """An engine in which a file changes after the root was counted, before its children are summed."""

    class Engine(duckdb.Engine):
        def send(self, level: Any, decision: Any) -> Any:
            if level.depth == 0:
                path = self.data.path(name)
                values = np.fromfile(path, np.float64 if name == "target" else np.uint16)
                change(values)
                values.tofile(path)
            return super().send(level, decision)

    return Engine


@pytest.mark.parametrize("name", ["class", "3", "target"])
def test_a_row_that_changes_between_a_count_and_the_sums_of_children_is_noticed(name: str) -> None:
    dataset = sample("vote.arff")  # the fourth attribute splits the root, and is missing in some rows

    def change(values: Any) -> None:
        values[5] = 1 - values[5]

    if name == "target":
        y = np.random.default_rng(6).normal(size=dataset.n_rows)
        dataset = replace(dataset, schema=Schema(dataset.schema.attributes, Attribute("y", "numeric")), target=y)
    engine = changed_before_children(name, change)
    with pytest.raises(DataError, match="the data changed while they were read"):
        grown_by(lambda plan: engine(dataset, plan, 1, 0), dataset, Settings())


def test_counts_of_a_level_sum_to_the_classes_of_its_nodes() -> None:
    dataset = sample("vote.arff")

    class Engine(duckdb.Engine):
        def begin_level(self, level: Any) -> None:
            super().begin_level(level)
            for counted in self._counted:
                node = np.repeat(np.arange(level.n_nodes), np.diff(counted.tables.start))
                sums = counted.missing.copy()
                np.add.at(sums, node, counted.tables.outcomes)
                assert (sums == level.totals).all()

    settings = Settings.of(missing="branch")
    found = grown_by(lambda plan: Engine(dataset, plan, 1, 0), dataset, settings)
    assert as_bytes(found) == as_bytes(grown(dataset, settings)[0])


def test_one_pass_is_made_per_level_and_one_for_what_is_finished_in_memory() -> None:
    dataset, settings = sample("monks-1.arff"), Settings.of(criterion="gini", nominal="binary", max_depth=3)
    made: list[duckdb.Engine] = []

    def make(plan: Any) -> duckdb.Engine:
        made.append(duckdb.Engine(dataset, plan, 1, 0))
        return made[-1]

    tree = grown_by(make, dataset, settings)
    assert made[0].passes.n_done == 3
    assert tree.n_leaves > 4
    grown_by(lambda plan: make(plan), dataset, settings)
    made.clear()

    def finishing(plan: Any) -> duckdb.Engine:
        made.append(duckdb.Engine(dataset, plan, 1, dataset.n_rows))
        return made[-1]

    grown_by(finishing, dataset, settings)
    assert (made[0].passes.n_done, made[0].aside.n_finished) == (1, 1)


def test_passes_tell_the_level_and_the_share_of_rows() -> None:
    dataset, settings = sample("iris.csv"), Settings.of(max_depth=2)
    told: list[str] = []

    def make(plan: Any) -> duckdb.Engine:
        engine = duckdb.Engine(dataset, plan, 1, 50, 100)
        engine.on_pass = told.append
        return engine

    grown_by(make, dataset, settings)
    # Batches of 100 of the 150 rows; 50 setosa are a leaf, and the other node of 100 rows does not fit.
    assert told == [
        "level 0: 1 node, pass 1, 67% of rows",
        "level 0: 1 node, pass 1, 100% of rows",
        "level 1: 1 node, pass 2, 67% of rows",
        "level 1: 1 node, pass 2, 100% of rows",
    ]


@pytest.mark.parametrize(
    ("changes", "reason", "cure"),
    [
        ({"threshold": "datavalue"}, "--threshold datavalue needs all values", "use --threshold midpoint"),
        ({"missing": "surrogate"}, "--missing surrogate compares rows", "use --missing branch or majority"),
        ({"discretize": "width:3"}, "--discretize width:3 needs all values sorted", "use --engine memory"),
        ({"search": "lookahead:2"}, "--search lookahead:2 looks at rows", "use --search greedy"),
    ],
)
def test_settings_that_counts_cannot_follow_are_refused_with_a_cure(
    changes: dict[str, Any], reason: str, cure: str
) -> None:
    from treecli.engines._limits import refuse

    with pytest.raises(UsageError) as error:
        refuse("duckdb", Settings.of(**changes), sample("iris.csv").schema)
    assert (str(error.value), error.value.hint) == (f"--engine duckdb: {reason}", cure)


def test_a_ceiling_that_is_too_low_for_sorting_is_refused_with_one_that_would_do(tmp_path: Path) -> None:
    values = np.arange(10_000, dtype=np.float64)
    target = Attribute("class", "nominal", ("a", "b"))
    schema = Schema((Attribute("x", "numeric"),), target)
    data = coding.coded_dataset(Dataset(schema, [values], np.zeros(10_000, np.int32), np.ones(10_000)), tmp_path)
    large = replace(data, n_cases=20_000_000)
    # 160 MB of the program, 72 bytes for each of 20 million rows, and an eighth for counters: 1,533.33 MB x 8 / 7.
    with pytest.raises(UsageError, match=r"20000000 rows of it are sorted at a time, which 1500 MB do not") as error:
        ceiling_of(1500 << 20).check_sorting(large, all_cuts=True)
    assert error.value.hint is not None
    assert error.value.hint.startswith("give --memory 1753MB")
    ceiling_of(1753 << 20).check_sorting(large, all_cuts=True)
    ceiling_of(1500 << 20).check_sorting(data, all_cuts=True)
    ceiling_of(1500 << 20).check_sorting(large, all_cuts=False)  # ranges of the values fit


@pytest.mark.parametrize("n_classes", [2, 12])
def test_ranges_of_a_column_that_do_not_fit_together_give_the_same_cuts(
    monkeypatch: pytest.MonkeyPatch, n_classes: int
) -> None:
    # A third of the rows have one value, which alone is more than fits.
    random = np.random.default_rng(2)
    n = 2000
    values = np.where(random.random(n) < 0.3, 0.5, random.random(n))
    other = np.where(random.random(n) < 0.1, nan, random.normal(size=n))
    labels = ((values * 5 + random.random(n)).astype(np.int32) % n_classes).astype(np.int32)
    target = Attribute("class", "nominal", tuple(f"c{i}" for i in range(n_classes)))
    schema = Schema((Attribute("x", "numeric"), Attribute("z", "numeric")), target)
    dataset = Dataset(schema, [values, other], labels, np.ones(n))
    monkeypatch.setattr(coding, "MOST_VALUES", 10)
    monkeypatch.setattr(_passes, "MOST_SORTED", 150)
    for changes in ({}, {"criterion": "gini", "missing": "branch"}, {"criterion": "gain", "min_leaf": 20.0}):
        settings = Settings.of(max_depth=5, **changes)
        assert as_bytes(from_counts(dataset, settings, 100, 256)) == as_bytes(grown(dataset, settings)[0])


@pytest.mark.parametrize("most_rows", [60, 1000])
def test_subtrees_of_many_nodes_are_grown_in_parts_to_the_same_tree(most_rows: int) -> None:
    random = np.random.default_rng(3)
    n, n_labels = 500, 40
    labels = tuple(f"v{i}" for i in range(n_labels))
    schema = Schema(
        tuple(Attribute(name, "nominal", labels) for name in "abc"), Attribute("class", "nominal", ("p", "q"))
    )
    columns = [random.integers(-1, n_labels, n).astype(np.int32) for _ in schema.attributes]
    dataset = Dataset(schema, columns, random.integers(0, 2, n).astype(np.int32), np.ones(n))

    def told(settings: Settings, most_nodes: int | None) -> tuple[Tree, list[float]]:
        """The tree, and the share of the rows that are done after each part."""
        shares: list[float] = []

        def engine(plan: Any) -> Any:
            made = duckdb.Engine(dataset, plan, 1, most_rows, 64)
            made.aside.most_nodes = most_nodes
            made.aside.check_tree = lambda n_nodes, n_bytes, share: shares.append(share)
            return made

        return grown_by(engine, dataset, settings), shares

    for missing in ("branch", "fractional"):
        settings = Settings.of(missing=missing)
        whole, usual = told(settings, None)
        found, shares = told(settings, 100)
        assert as_bytes(found) == as_bytes(whole) == as_bytes(grown(dataset, settings)[0])
        assert len(shares) > len(usual) or most_rows < n
        assert shares == sorted(shares)
        assert 0 <= shares[0] < shares[-1] == 1


@pytest.mark.engines
@pytest.mark.parametrize(("n_labels", "is_refused"), [(1000, False), (3000, True)])
def test_very_many_branches_keep_to_the_ceiling_of_memory(tmp_path: Path, n_labels: int, is_refused: bool) -> None:
    import sys

    from bench.measure import run

    # 1,000 labels make 1.4 million nodes of 60,000 rows; 3,000 labels make 9 million of 20,000 rows.
    random = np.random.default_rng(1)
    n_rows = 20_000 if is_refused else 60_000
    lines = [f"a{a},b{b},c{c},{'pq'[own % 2]}" for a, b, c, own in random.integers(0, n_labels, (n_rows, 4)).tolist()]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,c,class", *lines]) + "\n")
    errors, output = tmp_path / "errors", tmp_path / "model.json"
    train = f"{sys.executable} -m treecli train {tmp_path}/rows.csv -q --engine duckdb --memory 400MB -o {output}"
    done = run(["/bin/sh", "-c", f"{train} 2> {errors} || true"])
    assert done.memory <= 400 << 20
    assert errors.read_text().startswith("Error: --memory: the tree takes ") is is_refused
    assert output.exists() is not is_refused


@pytest.mark.thorough
def test_the_process_keeps_to_its_ceiling_of_memory_and_to_the_nodes_of_the_memory_engine() -> None:
    from bench.engines import main

    assert main(["--rows", "300000", "--memory", "330MB", "--check"]) == 0


@pytest.mark.thorough
def test_columns_of_very_many_values_keep_to_the_ceiling_of_memory(tmp_path: Path) -> None:
    import json
    import sys

    from bench.measure import run

    # 330 MB have room for 1.8 million rows of a sorted column, so that three million rows are two ranges or more.
    path, ceiling = tmp_path / "rows.parquet", 330 << 20
    make = (
        'import duckdb; duckdb.sql("COPY (SELECT (hash(i, 1) % 1000000007) / 7.0 AS x, hash(i, 2) % 50 AS z, CASE WHEN '
        "(hash(i, 1) % 1000000007) % 3 + hash(i, 3) % 100 > 95 THEN 'a' ELSE 'b' END AS class FROM range(3000000) t(i))"
        f" TO '{path}' (FORMAT PARQUET)\")"
    )
    run([sys.executable, "-c", make])
    nodes = []
    for options in ((), ("--engine", "duckdb", "--memory", "330MB")):
        output = tmp_path / "model.json"
        command = [sys.executable, "-m", "treecli", "train", str(path), "--max-depth", "4", "-q", "-o", str(output)]
        done = run([*command, *options])
        nodes.append(json.dumps(json.loads(output.read_text())["nodes"]))
    assert nodes[0] == nodes[1]
    assert done.memory <= ceiling


@pytest.mark.engines
def test_the_ceiling_holds_where_the_system_gives_no_more(tmp_path: Path) -> None:
    import json
    import resource
    import subprocess
    import sys

    from bench.engines import make

    # 330 MB have room for 120,000 of these rows at a time, and for 1.3 million of a sorted column.
    path, ceiling = tmp_path / "rows.parquet", 330 << 20
    make(path, 300_000)

    def trained(*options: str, limit: int = ceiling) -> tuple[int, str, str]:
        """The exit code, the nodes and the errors of a process with so many bytes of data."""
        output = tmp_path / "model.json"
        output.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "treecli", "train", str(path), *options, "-q", "-o", str(output)],
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
        )
        nodes = json.dumps(json.loads(output.read_text())["nodes"]) if output.exists() else ""
        return done.returncode, nodes, done.stderr

    counted = ("--engine", "duckdb", "--memory", "330MB")
    for options in (("--max-depth", "10"), ("-t", "many", "--max-depth", "1")):
        expected = trained(*options, limit=resource.RLIM_INFINITY)
        assert expected[0] == 0
        code, _, errors = trained(*options)
        assert (code, errors.splitlines()[0]) == (1, "Error: not enough memory")
        assert trained(*options, *counted) == expected


@pytest.mark.engines
def test_a_tree_that_does_not_fit_is_refused_with_the_ceiling_that_would_do(tmp_path: Path) -> None:
    import json
    import re
    import sys

    from bench.measure import run

    # A million leaves of 16 class weights: about 234 MB, beside the program.
    path, output, errors = tmp_path / "rows.parquet", tmp_path / "model.json", tmp_path / "errors"
    make = (
        "import duckdb; duckdb.sql(\"COPY (SELECT 'a' || hash(i, 1) % 1000 AS a, 'b' || hash(i, 2) % 1000 AS b, "
        f"'k' || hash(i, 4) % 16 AS class FROM range(100000) t(i)) TO '{path}' (FORMAT PARQUET)\")"
    )
    run([sys.executable, "-c", make])
    train = [sys.executable, "-m", "treecli", "train", str(path), "-q", "-o", str(output)]

    def trained(memory: int) -> str:
        """The errors under a ceiling in MB, which the process must not exceed."""
        command = " ".join([*train, "--engine duckdb --memory", f"{memory}MB", "2>", str(errors)])
        done = run(["/bin/sh", "-c", f"{command} || true"])
        assert done.memory <= memory << 20
        return errors.read_text()

    told = trained(330)
    assert "do not suffice for it and the program" in told
    assert not output.exists()
    enough = re.search(r"give --memory (\d+)MB", told)
    assert enough is not None
    assert trained(int(enough[1])) == ""
    nodes = json.loads(output.read_text())["nodes"]
    run(train)
    assert json.loads(output.read_text())["nodes"] == nodes
