"""Lookahead: the lecture's EvaluateSplit, compared with an enumeration of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from threading import get_ident
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import (
    FEW_NUMBERS,
    FRACTIONS,
    MANY_NUMBERS,
    UNIT_WEIGHTS,
    AtRoot,
    assert_same_tree,
    continuous,
    datasets,
    model_from,
    outline,
    sample,
    spread_of_rows,
)
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.grow.alternatives import alternatives
from treecli.grow.followups import FollowUps
from treecli.grow.grow import grow
from treecli.grow.lookahead import Lookahead
from treecli.grow.sweeping import Sweep, first_best
from treecli.kernels.choose import AVERAGE_SLACK
from treecli.learn import learn
from treecli.recipe import Recipe
from treecli.settings import Settings

BY_GAIN = Settings.of(criterion="gain")
AHEAD = BY_GAIN.changed(search="lookahead")


def boolean_table(n: int, n_relevant: int) -> Dataset:
    """All rows of n Boolean attributes; the class is the parity of the first ones."""
    rows = np.array(list(product((0, 1), repeat=n)))
    attributes = tuple(Attribute(f"x{i + 1}", "nominal", ("f", "t")) for i in range(n))
    schema = Schema(attributes, Attribute("y", "nominal", ("0", "1")))
    columns = [np.ascontiguousarray(column, np.int32) for column in rows.T]
    classes = rows[:, :n_relevant].sum(axis=1) % 2
    return Dataset(schema, columns, classes.astype(np.int32), np.ones(len(rows)))


def gains_at_root(dataset: Dataset, learner: Settings, n_levels: int) -> list[float]:
    """The gain of the best split of each attribute, with so many further levels."""
    at = AtRoot(dataset, learner)
    candidates = [at.candidates(a) for a in range(len(dataset.columns))]
    if n_levels == 0:
        return [float(own.gain[0]) for own in candidates]
    ahead = Lookahead(at.engine, at.plan, n_levels, None, has_observers=True)
    best, _ = ahead.pick(at.level, candidates, at.chooser)
    return [float(own.gain[0]) for own in best]


def test_exclusive_or_gains_nothing_by_itself_and_one_bit_with_a_further_level() -> None:
    table = boolean_table(3, 2)
    assert gains_at_root(table, AHEAD, 0) == pytest.approx([0, 0, 0])
    assert gains_at_root(table, AHEAD, 1) == pytest.approx([1, 1, 0])


@pytest.mark.parametrize(("n_relevant", "n_levels"), [(2, 1), (3, 2), (4, 3)])
def test_parity_is_found_by_as_many_levels_as_it_has_further_variables(n_relevant: int, n_levels: int) -> None:
    # The first attribute is irrelevant, so a search that sees no gain splits on it.
    table = boolean_table(5, n_relevant)
    order = [4, 0, 1, 2, 3]
    schema = Schema(tuple(table.schema.attributes[a] for a in order), table.schema.target)
    table = Dataset(schema, [table.columns[a] for a in order], table.target, table.weights)
    blind = grow(table, BY_GAIN)
    assert blind.attribute[0] == 0
    found = grow(table, BY_GAIN.changed(search=f"lookahead:{n_levels}"))
    assert found.attribute[0] == 1
    assert found.n_nodes <= blind.n_nodes
    if n_levels == 1:  # further below, a parity of fewer variables is seen through the irrelevant one too
        assert found.n_nodes == 7


def test_a_numeric_exclusive_or_is_cut_at_its_centre() -> None:
    grid = np.array(list(product(range(4), repeat=2)), float)
    schema = Schema((Attribute("a", "numeric"), Attribute("b", "numeric")), Attribute("y", "nominal", ("0", "1")))
    classes = ((grid[:, 0] > 1.5) ^ (grid[:, 1] > 1.5)).astype(np.int32)
    dataset = Dataset(schema, [grid[:, 0].copy(), grid[:, 1].copy()], classes, np.ones(len(grid)))
    assert outline(model_from(dataset, AHEAD)) == [
        "all",
        "| a <= 1.5",
        "| | b <= 1.5: 4 0",
        "| | b > 1.5: 0 4",
        "| a > 1.5",
        "| | b <= 1.5: 0 4",
        "| | b > 1.5: 4 0",
    ]


Parts = tuple[np.ndarray, ...]


def splits_of(dataset: Dataset, rows: np.ndarray, nominal: str) -> Iterator[tuple[int, Parts]]:
    """All splits of some rows (flags): the attribute and the rows of each branch."""
    for a, (attribute, column) in enumerate(zip(dataset.schema.attributes, dataset.columns, strict=True)):
        values = sorted(set(column[rows].tolist()))
        if len(values) < 2:
            continue
        if attribute.kind != "nominal":
            for value in values[:-1]:
                yield a, (rows & (column <= value), rows & (column > value))
        elif nominal == "multiway":
            yield a, tuple(rows & (column == value) for value in values)
        else:
            most = 1 if nominal == "binary" else len(values) - 1
            for size in range(1, most + 1):
                for group in combinations(values, size):
                    is_in = np.isin(column, group)
                    yield a, (rows & is_in, rows & ~is_in)


def subtree_gain(dataset: Dataset, rows: np.ndarray, parts: Parts, impurity: str, how: tuple[str, int]) -> float:
    """The decrease of weight times impurity by a split and the best splits of so many further levels."""
    nominal, n_levels = how
    gain = spread_of_rows(dataset, rows, impurity) - sum(spread_of_rows(dataset, part, impurity) for part in parts)
    for part in parts if n_levels else ():
        own = [
            subtree_gain(dataset, part, below, impurity, (nominal, n_levels - 1))
            for _, below in splits_of(dataset, part, nominal)
        ]
        gain += max(own, default=0.0)
    return gain


@pytest.mark.parametrize("nominal", ["multiway", "binary", "subset"])
@pytest.mark.parametrize(("criterion", "impurity"), [("gain", "entropy"), ("gini", "gini")])
@settings(max_examples=20)
@given(
    dataset=datasets(
        ("numeric", "nominal", "ordinal"), n_classes=st.integers(2, 3), weights=UNIT_WEIGHTS, with_missing=False
    ),
    n_levels=st.integers(1, 2),
)
def test_each_attribute_is_worth_its_best_subtree(
    nominal: str, criterion: str, impurity: str, dataset: Dataset, n_levels: int
) -> None:
    dataset = dataset.take(np.arange(min(dataset.n_rows, 9)))
    learner = Settings.of(criterion=criterion, nominal=nominal)
    everything = np.ones(dataset.n_rows, bool)
    if spread_of_rows(dataset, everything, impurity) < 1e-9 or dataset.n_rows < 2:
        return
    expected = [-np.inf] * len(dataset.columns)
    for a, parts in splits_of(dataset, everything, nominal):
        gain = subtree_gain(dataset, everything, parts, impurity, (nominal, n_levels)) / dataset.n_rows
        expected[a] = max(expected[a], gain)
    assert gains_at_root(dataset, learner, n_levels) == pytest.approx(expected, abs=1e-9)


SWEPT_LEARNERS = st.builds(
    Settings.of,
    criterion=st.sampled_from(["gain", "gainratio", "gini", "error"]),
    nominal=st.sampled_from(["multiway", "binary", "subset"]),
    threshold=st.sampled_from(["midpoint", "datavalue"]),
    min_leaf=st.sampled_from([1.0, 2.0, 3.0]),
    max_depth=st.sampled_from([None, 1, 2, 3]),
    beam=st.sampled_from([None, None, 2]),
    search=st.sampled_from(["lookahead", "lookahead", "lookahead:2"]),
)


@settings(deadline=None, max_examples=examples(150))
@given(st.data())
def test_bounds_leave_out_no_threshold_that_trying_each_would_choose(data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from(["numeric", "numeric", "ordinal", "nominal"]), min_size=1, max_size=4))
    weights = data.draw(st.sampled_from([UNIT_WEIGHTS, FRACTIONS]))
    n_classes = data.draw(st.sampled_from([None, st.integers(2, 4)]))
    numbers = data.draw(st.sampled_from([FEW_NUMBERS, MANY_NUMBERS]))
    dataset = data.draw(
        datasets(kinds, n_classes=n_classes, numbers=numbers, weights=weights, rows=(2, 40), n_labels=st.integers(2, 4))
    )
    learner = data.draw(SWEPT_LEARNERS)
    if n_classes is None:
        learner = learner.changed(criterion="variance")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treecli.grow.sweeping.FEW", data.draw(st.sampled_from([2, 100])))
        swept = grow(dataset, learner, jobs=1)
        patch.setattr(FollowUps, "refuses", staticmethod(lambda engine, level: True))
        assert_same_tree(swept, grow(dataset, learner, jobs=1))


@pytest.mark.parametrize("learner", [AHEAD, Settings.of(search="lookahead"), AHEAD.changed(min_leaf=8.0)])
@pytest.mark.parametrize("noise", [0.0, 1.0, 50.0])
def test_bounds_change_nothing_where_blocks_of_cases_are_passed_at_once(learner: Settings, noise: float) -> None:
    dataset = continuous(250, 4, seed=3, noise=noise)
    swept = grow(dataset, learner, jobs=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FollowUps, "refuses", staticmethod(lambda engine, level: True))
        assert_same_tree(swept, grow(dataset, learner, jobs=1))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("criterion", ["gain", "gainratio", "gini"])
def test_ranges_of_thresholds_that_are_tried_at_once_change_nothing(criterion: str, n_classes: int) -> None:
    # One attribute decides, so that few further cuts can be the best below a threshold of another.
    random = np.random.default_rng(5)
    columns = [random.random(160) for _ in range(3)]
    classes = np.where(random.random(160) < 0.2, random.integers(0, n_classes, 160), columns[1] > 0.4)
    schema = Schema(
        tuple(Attribute(f"x{a}", "numeric") for a in range(3)),
        Attribute("y", "nominal", tuple("abc"[:n_classes])),
    )
    dataset = Dataset(schema, columns, classes.astype(np.int32), np.ones(160))
    learner = Settings.of(criterion=criterion, search="lookahead")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treecli.grow.followups.MOST_AT_ONCE", 1)
        one_by_one = grow(dataset, learner, jobs=1)
        patch.undo()
        at_once = grow(dataset, learner, jobs=1)
        patch.setattr(FollowUps, "refuses", staticmethod(lambda engine, level: True))
        tried = grow(dataset, learner, jobs=1)
    assert_same_tree(at_once, one_by_one)
    assert_same_tree(at_once, tried)


@pytest.mark.parametrize("immune", [False, True])
def test_attributes_below_the_average_gain_are_left_out_before_their_best_threshold_is_known(*, immune: bool) -> None:
    dataset = continuous(2000, 8, seed=2)
    if immune:  # neither attribute gains by itself
        classes = (dataset.columns[3] > 0) != (dataset.columns[6] > 0)
        dataset = replace(dataset, target=classes.astype(np.int32))
    at = AtRoot(dataset, Settings.of(criterion="gainratio"))
    ahead = Lookahead(at.engine, at.plan, 1, None)
    tried = [alternatives(at.engine, at.level, a, at.candidates(a)) for a in range(8)]
    steps, found = [], []
    for of in (Sweep.each, lambda sweep, thresholds: sweep.competing(thresholds, {})):
        follow_ups = FollowUps(at.engine, at.level, ahead._slack(at.level))
        found.append(of(Sweep(at.engine, at.plan, at.level, follow_ups), tried))
        steps.append(sum(n for n, _ in follow_ups.progress))
    assert steps[1] < steps[0] / 2
    gain = np.array([own.worth.gain[0] for own in found[0]])
    competes = np.flatnonzero(gain >= gain.mean() - AVERAGE_SLACK)
    assert len(competes) <= 2
    for attribute in competes:
        each, competing = (valued[attribute] for valued in found)
        assert competing.place == each.place
        assert competing.worth.gain == pytest.approx(each.worth.gain, abs=1e-12)
        assert competing.worth.split_info == pytest.approx(each.worth.split_info, abs=1e-12)


def test_a_beam_leaves_the_splits_of_each_attribute_that_gain_most() -> None:
    dataset = sample("iris.csv")
    at = AtRoot(dataset, BY_GAIN)
    everything = alternatives(at.engine, at.level, 2, at.candidates(2))
    none = np.zeros(at.level.n_nodes)
    best = everything.best(3, none)
    assert len(everything) == 42  # petallength has 43 values
    assert sorted(best.splits.gain) == pytest.approx(sorted(everything.splits.gain)[-3:])
    assert best.splits.gain.max() == pytest.approx(at.candidates(2).gain[0])
    assert list(best.splits.number) == sorted(best.splits.number)
    assert len(everything.best(100, none)) == 42


def test_equal_values_go_to_the_larger_gain_then_to_the_first() -> None:
    node = np.array([0, 0, 0, 2, 2, 2])
    value = np.array([1.0, 1.0 + 1e-12, 0.5, 0.3, 0.3, 0.3])
    second = np.array([0.1, 0.2, 0.9, 0.0, 0.0, 0.0])
    nodes, places = first_best(node, value, second, np.full(3, 1e-9))
    assert (nodes.tolist(), places.tolist()) == ([0, 2], [1, 3])


def test_gain_ratio_divides_by_the_information_of_the_whole_subtree() -> None:
    # A name for each row separates the classes at once, into 8 branches; a parity into 4: 1 / 3 against 1 / 2.
    table = boolean_table(3, 2)
    names = Attribute("name", "nominal", tuple(f"n{i}" for i in range(8)))
    schema = Schema((names, *table.schema.attributes), table.schema.target)
    dataset = Dataset(schema, [np.arange(8, dtype=np.int32), *table.columns], table.target, table.weights)
    assert grow(dataset, AHEAD).attribute[0] == 0
    assert grow(dataset, AHEAD.changed(criterion="gainratio")).attribute[0] == 1


@pytest.mark.parametrize(("name", "target"), [("iris.csv", "class"), ("cpu.csv", None), ("vote.arff", None)])
@pytest.mark.parametrize("jobs", [1, 3])
def test_portions_and_threads_do_not_change_the_tree(
    name: str, target: str | None, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = sample(name, **({} if target is None else {"target": target}))
    learner = Settings.of(search="lookahead", beam=4, max_depth=3)
    whole = grow(dataset, learner, jobs=1)
    monkeypatch.setattr("treecli.grow.lookahead.ROOM", 1000)
    assert grow(dataset, learner, jobs=jobs) == whole


@pytest.mark.parametrize("criterion", ["gain", "gainratio", "gini"])
def test_threads_look_ahead_from_a_few_hundred_cases_and_find_the_same_tree(
    criterion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset, threads = continuous(400, 4, seed=7, noise=1.0), set()
    learner = Settings.of(search="lookahead", criterion=criterion, max_depth=4)
    alone = grow(dataset, learner, jobs=1)
    worth = FollowUps.worth

    def traced(*given: Any) -> Any:
        threads.add(get_ident())
        return worth(*given)

    monkeypatch.setattr(FollowUps, "worth", traced)
    assert grow(dataset, learner, jobs=3) == alone
    assert threads - {get_ident()}


def test_a_search_beyond_the_limit_is_refused_before_it_begins() -> None:
    dataset = sample("iris.csv")
    with pytest.raises(UsageError, match=r"about .*e\+\d+ steps, more than --most-work 5\.0e\+04") as refused:
        grow(dataset, Settings.of(search="lookahead:2", most_work=5e4))
    assert refused.value.hint is not None
    allowed = float(refused.value.hint.split("--most-work ")[1])
    assert 1e5 < allowed < 1e8
    grow(dataset, Settings.of(search="lookahead:2", most_work=allowed))
    grow(dataset, Settings.of(search="lookahead:2", most_work=5e4, beam=1))


@pytest.mark.parametrize("more", [{}, {"project": "gaussian:2"}])
def test_the_steps_are_told_before_the_search_begins(more: dict[str, object]) -> None:
    told: list[str] = []
    recipe = Recipe(Settings.of(search="lookahead", **more))  # type: ignore[arg-type]
    learn(sample("iris.csv"), recipe, on_note=told.append, on_progress=lambda _: told.append("begun"))
    first, *rest = told
    assert re.fullmatch(r"--search lookahead takes about \d\.\de\+\d\d steps", first)
    assert set(rest) <= {"begun"}


def test_levels_below_the_greatest_depth_are_no_work() -> None:
    # Three levels have two to look ahead to, whatever is asked for.
    dataset = sample("iris.csv")
    expected = grow(dataset, Settings.of(search="lookahead:2", max_depth=3))
    assert grow(dataset, Settings.of(search="lookahead:9", max_depth=3)) == expected


def test_more_steps_than_a_number_can_have_are_refused() -> None:
    with pytest.raises(UsageError, match=r"would take about 1\.8e\+308 steps, more than --most-work") as refused:
        grow(sample("iris.csv"), Settings.of(search=f"lookahead:{10**20}"))
    assert refused.value.hint == "bound it by --beam 3 or --max-depth"


def test_the_estimate_needs_only_some_of_the_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    at = AtRoot(continuous(400, 6, seed=1, noise=5.0), AHEAD)
    ahead = Lookahead(at.engine, at.plan, 1, None)
    whole = ahead.work(at.level)
    monkeypatch.setattr("treecli.grow.lookahead.MOST_TRIED", 50_000)
    assert whole / 5 < ahead.work(at.level) < 5 * whole
