"""The strategy boat grows the tree of the memory engine, whatever its sample, with fewer passes if that is good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.test_every_engine import SAMPLES, SETTINGS, as_bytes, datasets
from tests.growing import sample
from treecli.data import Attribute, Dataset, Schema
from treecli.engines import _bins, _passes, _sample, duckdb, memory
from treecli.engines._checkpoint import Checkpoint
from treecli.engines._coarse import HELD, Coarse, Expected
from treecli.engines._hidden import Hidden, is_certain, splits_certainly
from treecli.errors import DataError
from treecli.grow import coding
from treecli.grow.grow import grown
from treecli.grow.plan import plan_of
from treecli.grow.there import grown_by
from treecli.settings import Settings
from treecli.tree import Tree

SLOW = {"vote.arff": pytest.mark.thorough}


def by_boat(
    dataset: Dataset, settings: Settings, most_rows: int, n_drawn: int | None = None, rows_at_once: int = 64
) -> tuple[Tree, duckdb.Engine]:
    """The tree that the strategy boat grows, and its engine; nodes of up to `most_rows` rows end in memory."""
    made: list[duckdb.Engine] = []

    def make(plan: Any) -> duckdb.Engine:
        made.append(duckdb.Engine(dataset, plan, 1, most_rows, rows_at_once, duckdb.BOAT))
        made[0].passes.n_drawn = n_drawn
        return made[0]

    return grown_by(make, dataset, settings), made[0]


@pytest.mark.parametrize(
    ("most_rows", "n_drawn"),
    [(0, 400), pytest.param(40, 30, marks=pytest.mark.thorough), pytest.param(0, 5, marks=pytest.mark.thorough)],
)
@pytest.mark.parametrize("changes", SETTINGS)
@pytest.mark.parametrize("name", [pytest.param(own, marks=SLOW.get(own, ())) for own in SAMPLES])
def test_boat_gives_the_tree_that_cases_give(
    name: str, changes: dict[str, Any], most_rows: int, n_drawn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_sample, "N_BOOTSTRAPS", 3)
    dataset, settings = sample(name), Settings.of(**changes)
    assert as_bytes(by_boat(dataset, settings, most_rows, n_drawn)[0]) == as_bytes(grown(dataset, settings)[0])


def shuffled(rows: Dataset, random: np.random.Generator) -> Dataset:
    assert rows.target is not None
    return replace(rows, target=random.permutation(rows.target))


def of_one_class(rows: Dataset, random: np.random.Generator) -> Dataset:
    assert rows.target is not None
    return replace(rows, target=np.zeros_like(rows.target))


def of_other_rows(rows: Dataset, random: np.random.Generator) -> Dataset:
    """Rows that are not in the data: each column in an order of its own, numbers negated."""
    columns = [random.permutation(-own if own.dtype == np.float64 else own) for own in rows.columns]
    return replace(rows, columns=columns)


def honest(rows: Dataset, random: np.random.Generator) -> Dataset:
    return rows


Lie = Callable[[Dataset, np.random.Generator], Dataset]
LIES: tuple[Lie, ...] = (honest, shuffled, of_one_class, of_other_rows)


def lying(lie: Lie) -> Callable[..., Dataset]:
    """A function that draws a sample, and replaces it by another."""
    drawn = _sample.drawn

    def draw(*arguments: Any) -> Dataset:
        return lie(drawn(*arguments), np.random.default_rng(5))

    return draw


@given(
    dataset=datasets(),
    changes=st.sampled_from(SETTINGS),
    lie=st.sampled_from(LIES),
    n_drawn=st.sampled_from([1, 10, 60]),
    most_rows=st.sampled_from([0, 10]),
    rows_at_once=st.sampled_from([7, 1000]),
    most_values=st.sampled_from([0, 3, 4096]),
    n_bins=st.sampled_from([2, 5, 100]),
)
def test_no_sample_changes_the_tree(
    dataset: Dataset,
    changes: dict[str, Any],
    lie: Lie,
    n_drawn: int,
    most_rows: int,
    rows_at_once: int,
    most_values: int,
    n_bins: int,
) -> None:
    settings = Settings.of(**changes)
    if settings.splitting.branch_share > 0:
        dataset = replace(dataset, weights=np.ones(dataset.n_rows))  # others are refused: rows are not counted
    if settings.splitting.criterion == "chi2" and (dataset.weights != np.floor(dataset.weights)).any():
        most_rows = dataset.n_rows  # scores of tests are refused for fractions
    expected = grown(dataset, settings)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "MOST_VALUES", most_values)
        patch.setattr(_bins, "N_BINS", n_bins)
        patch.setattr(_sample, "N_BOOTSTRAPS", 2)
        patch.setattr(_sample, "drawn", lying(lie))
        assert as_bytes(by_boat(dataset, settings, most_rows, n_drawn, rows_at_once)[0]) == as_bytes(expected)


def planted(n: int, seed: int = 0, *, are_many: bool = False) -> Dataset:
    """Rows with eight classes, a bit of which follows each of three attributes, the first one most closely.

    `are_many`: numbers have very many values.
    """
    random = np.random.default_rng(seed)
    size, age = random.integers(0, 300, n).astype(float), random.integers(0, 50, n).astype(float)
    colour = random.integers(0, 4, n).astype(np.int32)
    bits = []
    for is_set, noise in ((size > 140, 0.02), (colour > 1, 0.06), (age > 20, 0.12)):
        bits.append(is_set ^ (random.random(n) < noise))
    labels = (4 * bits[0] + 2 * bits[1] + bits[2]).astype(np.int32)
    if are_many:
        size, age = size + random.random(n), age + random.random(n)
    other = np.where(random.random(n) < 0.1, nan, random.integers(0, 20, n).astype(float))
    attributes = (
        Attribute("other", "numeric"),
        Attribute("colour", "nominal", ("red", "green", "blue", "white")),
        Attribute("size", "numeric"),
        Attribute("age", "numeric"),
    )
    schema = Schema(attributes, Attribute("class", "nominal", tuple("abcdefgh")))
    return Dataset(schema, [other, colour, size, age], labels, np.ones(n))


@pytest.mark.parametrize("are_many", [False, True])
@pytest.mark.parametrize("changes", [{}, {"criterion": "gain", "missing": "branch"}])
def test_stable_data_take_three_passes(changes: dict[str, Any], are_many: bool) -> None:
    dataset, settings = planted(20_000, are_many=are_many), Settings.of(max_depth=4, nominal="subset", **changes)
    # After two levels nodes have about 5,000 rows, after three up to 3,000.
    tree, engine = by_boat(dataset, settings, 3_500, 4_000, 1 << 15)
    # The sample, the cells, and the rows of what is finished in memory.
    assert (engine.passes.n_done, engine.aside.n_finished) == (3, 8)
    assert as_bytes(tree) == as_bytes(grown(dataset, settings)[0])
    made: list[duckdb.Engine] = []

    def make(plan: Any) -> duckdb.Engine:
        made.append(duckdb.Engine(dataset, plan, 1, 3_500, 1 << 15))
        return made[-1]

    grown_by(make, dataset, settings)
    assert made[0].passes.n_done == 4


@pytest.mark.parametrize("lie", LIES[1:])
def test_a_lying_sample_costs_passes_and_not_the_tree(lie: Lie, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, settings = planted(3_000), Settings.of(max_depth=4)
    monkeypatch.setattr(_sample, "drawn", lying(lie))
    tree, engine = by_boat(dataset, settings, 300, 1_000)
    assert as_bytes(tree) == as_bytes(grown(dataset, settings)[0])
    # Two passes for the sample and its cells, at most one for each of four levels, and one for the rows that are left.
    assert engine.passes.n_done <= 2 + 4 + 1


def test_a_row_that_changes_after_the_cells_were_counted_is_noticed() -> None:
    dataset, settings = planted(5_000), Settings.of(max_depth=4)

    class Engine(duckdb.Engine):
        def begin_level(self, level: Any) -> None:
            super().begin_level(level)
            path = self.data.path("class")
            labels = np.fromfile(path, np.uint16)
            labels[:50] = (labels[:50] + 1) % 3
            labels.tofile(path)

    with pytest.raises(DataError, match="the data changed while they were read"):
        grown_by(lambda plan: Engine(dataset, plan, 1, 2_000, 512, duckdb.BOAT), dataset, settings)


@pytest.mark.parametrize("changes", [{"missing": "majority"}, {"nominal": "subset"}])
def test_levels_of_a_checkpoint_are_followed_to_the_same_tree_and_passes(
    changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_sample, "N_BOOTSTRAPS", 2)
    monkeypatch.setattr(coding, "MOST_VALUES", 100)
    dataset, settings = planted(2_000, are_many=True), Settings.of(max_depth=4, **changes)
    expected = as_bytes(grown(dataset, settings)[0])
    n_passes = []
    for n_kept in (0, 1, 2, 3):
        made: list[duckdb.Engine] = []

        def make(plan: Any, made: list[duckdb.Engine] = made) -> duckdb.Engine:
            made.append(duckdb.Engine(dataset, plan, 1, 200, 512, duckdb.BOAT))
            made[0].passes.n_drawn = 500
            made[0].checkpoint = Checkpoint.opened(str(tmp_path / "kept"), {}, resumes=True)
            return made[0]

        for path in (tmp_path / "kept").glob("level-*.npz"):
            if int(path.stem.removeprefix("level-")) >= n_kept:
                path.unlink()
        assert as_bytes(grown_by(make, dataset, settings)) == expected
        n_passes.append(made[0].passes.n_done)
    assert len(set(n_passes)) == 1


def test_held_rows_that_do_not_fit_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_passes, "MOST_SORTED", 100)
    monkeypatch.setattr(coding, "MOST_VALUES", 100)
    dataset, settings = planted(3_000, are_many=True), Settings.of(max_depth=3)
    remarks: list[str] = []
    made: list[duckdb.Engine] = []

    def make(plan: Any) -> duckdb.Engine:
        made.append(duckdb.Engine(dataset, plan, 1, 1_000, 512, duckdb.BOAT))
        return made[0]

    tree = grown_by(make, dataset, settings, on_remark=remarks.append)
    assert as_bytes(tree) == as_bytes(grown(dataset, settings)[0])
    (reason,) = (remark for remark in remarks if remark.startswith("boat: goes on"))
    assert reason.endswith("held rows do not fit into memory")


def test_rows_go_to_cells_or_are_held() -> None:
    tests = [
        Expected(0, np.array([0, HELD, 1], np.int32)),
        None,
        Expected(1, np.empty(0, np.int32), 1.0, 2.0),
        None,
        None,
    ]
    coarse = Coarse(tests, [[1, 2], [], [3, 4], [], []])
    # Code 3 is a missing value. The cells are the nodes 1, 3 and 4.
    codes = np.array([0, 1, 2, 2, 2, 2, 2, 3], np.uint16)
    numbers = np.array([9.0, 9.0, 1.0, np.nextafter(1.0, 2.0), 2.0, 2.5, nan, 0.0])
    assert coarse.cells(8, [codes, numbers].__getitem__).tolist() == [0, HELD, 1, HELD, HELD, 2, HELD, HELD]
    assert (coarse.first_cell.tolist(), coarse.last_cell.tolist()) == ([0, 0, 1, 1, 2], [3, 1, 3, 2, 3])


@pytest.mark.parametrize("n_classes", [3, 9])
@pytest.mark.parametrize(
    "changes", [{"criterion": "gain"}, {"criterion": "gini", "missing": "branch"}, {"criterion": "error"}]
)
def test_no_cut_inside_a_bin_gains_more_than_its_bound(changes: dict[str, Any], n_classes: int) -> None:
    # Bins of 5 values; the first ten rows have no value. The gain of every cut is that of a bin of one value.
    random = np.random.default_rng(4)
    for _ in range(20):
        values = np.sort(random.integers(0, 40, 60).astype(float))
        values[:10] = nan
        labels = random.integers(0, n_classes, 60)
        labels[:15] = 0
        target = Attribute("class", "nominal", tuple("abcdefghi"[:n_classes]))
        schema = Schema((Attribute("x", "numeric"),), target)
        rows = Dataset(schema, [values], labels.astype(np.int32), np.ones(60))
        plan = plan_of(Settings.of(**changes), rows)
        bounds = np.arange(4.0, 39.0, 5.0)
        coarse, fine = (_bins.Bins(own, 1, n_classes) for own in (bounds, np.arange(39.0)))
        nothing = _bins.Held(np.empty(0), np.empty(0, np.int64), np.empty(0))
        of_bins = []
        for own in (coarse, fine):
            own.add(np.zeros(60, np.int32), values, labels.astype(np.uint16), None)
            of_bins.append(own.node(slice(0, 1), nothing))
        assert (of_bins[1].low == of_bins[1].high).all()
        hidden = of_bins[0].hidden(plan)
        best = best_gain(rows, plan)
        assert hidden.most >= best - 1e-12
        if hidden.is_resolved:
            assert of_bins[0].gains(plan).max() == pytest.approx(best, abs=1e-12)
        assert of_bins[1].hidden(plan).is_resolved
        assert of_bins[1].gains(plan).max() == pytest.approx(best, abs=1e-12)


def best_gain(rows: Dataset, plan: Any) -> float:
    """The gain of the best cut of the only column, by the memory engine."""
    engine = memory.Engine(rows, plan, 1)
    return float(engine.candidates(engine.root(), 0).gain[0])


@pytest.mark.parametrize(
    ("known", "bound", "expected"),
    [
        ([0.3, 0.5], 0.2, True),
        ([0.3, 0.5], 0.3, True),
        ([0.3, 0.5], 0.6, False),
        ([0.3, 0.5], 0.5, False),
        ([0.3, 0.5], 0.5 - 2e-9, False),
        # Each ties with the one before it, so that the first of them may decide which is taken.
        ([0.5 + 2e-9, 0.5 + 4e-9], 0.5, False),
        ([0.5 + 2e-9, 0.5 + 9e-9], 0.5, True),
        ([], 0.5, False),
    ],
)
def test_a_score_is_certain_above_a_gap_of_the_tolerance(known: list[float], bound: float, expected: bool) -> None:
    assert is_certain(np.array(known), bound, 1e-9) is expected


def test_a_gain_ratio_is_certain_only_if_no_gain_may_cross_the_average() -> None:
    plan = plan_of(Settings(), sample("iris.csv"))
    gain, info = np.array([0.5, 0.4, 0.1, 0.05]), np.array([1.0, 0.9, 0.9, 0.9])
    # The average is 0.2625: the last two are excluded, and the first has the best ratio.
    for most, least_info, expected in (
        (0.05, 0.1, True),
        (0.2, 0.1, True),  # the average is at most 0.3
        (0.29, 0.5, False),  # above the average, with a ratio of up to 0.58
        (0.29, 0.9, True),  # a ratio of at most 0.32
        (0.9, 0.9, False),
    ):
        hidden = [None, None, None, Hidden(is_resolved=False, most=most, least_info=least_info)]
        assert splits_certainly(gain, info, hidden, 1.0, plan) is expected
    resolved = Hidden(is_resolved=True, most=0.9, least_info=0.1)
    assert splits_certainly(gain, info, [None, None, None, resolved], 1.0, plan)


def test_the_trees_of_a_sample_end_at_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sample, "MOST_LEVELS", 2)
    rows = sample("iris.csv")
    trees = _sample.trees_of(rows, Settings.of(min_leaf=1e-6), 0.0, 1e9, 1)
    assert [tree.depth() for tree in trees] == [2] * len(trees)
    shallow = _sample.trees_of(rows, Settings.of(max_depth=1), 0.0, 150.0, 1)
    assert [tree.depth() for tree in shallow] == [1] * len(shallow)
