"""Skewing: gains under other weights, worked examples, and a simulation's accuracies."""

from __future__ import annotations

import json
from itertools import product
from math import log2
from pathlib import Path

import numpy as np
import pytest

from bench.skewing import (
    boolean_data,
    cell_defects,
    cell_measured,
    cell_remarks,
    immune_function,
    parity,
    random_function,
    tolerances,
)
from tests.growing import AtRoot, model_from, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.grow.grow import grow
from treecli.grow.skewing import Trials, effective_cases, uniform
from treecli.settings import Settings

BY_GAIN = Settings.of(criterion="gain")
CELLS = json.loads((Path(__file__).parents[1] / "fixtures" / "skewing.json").read_text())


def table_of_exclusive_or() -> Dataset:
    """All rows of three Boolean variables; the class is x1 xor x2."""
    rows = np.array(list(product((0, 1), repeat=3)))
    return boolean_data(rows, rows[:, 0] ^ rows[:, 1])


@pytest.mark.parametrize("favoured", list(product((0, 1), repeat=3)))
@pytest.mark.parametrize(
    ("criterion", "impurity", "gain"),
    # Page and Ray's example: weights 3/4 and 1/4. Gini: 60/128 before, 48/128 after; bits by the formula of entropy.
    [("gini", 60 / 128, 12 / 128), ("gain", 0.954434, 0.143156)],
)
def test_every_favoured_setting_shows_the_variables_of_an_exclusive_or(
    favoured: tuple[int, ...], criterion: str, impurity: float, gain: float
) -> None:
    at = AtRoot(table_of_exclusive_or(), Settings.of(criterion=criterion, min_leaf=0.01))
    trials = Trials(at.engine, at.level, 0.75)
    log_weight = sum(trials.log_factor(a, np.array([[value]])) for a, value in enumerate(favoured))
    skewed = trials.weighted(np.asarray(log_weight))
    gains = [float(at.engine.candidates(skewed, a).gain[0]) for a in range(3)]
    assert gains == pytest.approx([gain, gain, 0], abs=1e-6)
    assert skewed.weight.sum() == pytest.approx(8)
    share = skewed.totals[0] / 8
    before = 1 - (share**2).sum() if criterion == "gini" else -(share * np.log2(share)).sum()
    assert before == pytest.approx(impurity, abs=1e-6)


def test_a_label_shares_the_rest_with_the_others_and_a_missing_value_has_the_mean() -> None:
    schema = Schema(
        (Attribute("a", "nominal", ("p", "q", "r", "never")), Attribute("b", "numeric")),
        Attribute("y", "nominal", ("0", "1")),
    )
    columns = [np.array([0, 1, 2, -1], np.int32), np.array([1.0, 1.0, 5.0, np.nan])]
    dataset = Dataset(schema, columns, np.array([0, 1, 0, 1], np.int32), np.ones(4))
    at = AtRoot(dataset, BY_GAIN)
    trials = Trials(at.engine, at.level, 0.8)
    assert np.exp(trials.log_factor(0, np.array([[1], [2]]))) == pytest.approx(
        np.array([[0.1, 0.8, 0.1, 1 / 3], [0.1, 0.1, 0.8, 1 / 3]])
    )
    # The median is 1: the halves are up to 1 and above.
    assert np.exp(trials.log_factor(1, np.array([[0], [1]]))) == pytest.approx(
        np.array([[0.8, 0.8, 0.2, 0.5], [0.2, 0.2, 0.8, 0.5]])
    )


def test_effective_cases_shrink_by_a_fifth_for_each_variable() -> None:
    rows = np.random.default_rng(0).integers(0, 2, (1000, 10))
    at = AtRoot(boolean_data(rows, parity(2)(rows)), BY_GAIN)
    assert effective_cases(at.level, Trials(at.engine, at.level, 0.75)) == pytest.approx(1000 * 0.8**10)


def test_random_numbers_depend_on_the_seed_and_the_node_alone() -> None:
    whole = uniform(3, np.arange(1000), 200)
    assert (uniform(3, np.array([7, 900]), 200) == whole[[7, 900]]).all()
    assert not (uniform(4, np.array([7]), 200) == whole[7]).any()
    assert (whole >= 0).all()
    assert (whole < 1).all()
    assert abs(whole.mean() - 0.5) < 0.005  # the standard error is 0.0006
    assert abs(np.corrcoef(whole[:, 0], whole[:, 1])[0, 1]) < 0.15


@pytest.mark.parametrize(
    "cell",
    [
        *("n=10 k=2 m=100", "monks-3 m=124"),
        *(
            pytest.param(cell, marks=pytest.mark.thorough)
            for cell in ("n=10 k=3 m=200", "monks-1 m=124", "monks-2 m=124")
        ),
    ],
)
def test_accuracies_are_those_of_an_independent_simulation(cell: str) -> None:
    # Means of 20 runs by another program; `python -m bench.skewing --only cells` compares all cells.
    assert cell_defects(cell_measured(cell), CELLS[cell]) == []


def test_a_cell_tells_what_differs_from_the_simulation() -> None:
    simulated = {
        "id3": {"accuracy_mean": 0.6, "accuracy_sd": 0.0, "nodes_mean": 9.0},
        "skew": {"accuracy_mean": 0.9, "accuracy_sd": 0.1, "nodes_mean": 5.0},
    }
    found = {"id3": np.full((20, 2), [0.6, 9.0]), "skew": np.full((20, 2), [0.9, 7.0])}
    assert cell_defects(found, simulated) == []
    found = {"id3": np.full((20, 2), [0.61, 11.0]), "skew": np.full((20, 2), [0.6, 7.0])}
    assert cell_defects(found, simulated) == [
        "id3 has 11.0 nodes instead of 9.0",
        "skew 0.600 instead of 0.900",
        "skew is not above id3: simulated lead 0.300 ± 0.045",
    ]


def test_an_order_that_may_be_chance_in_the_simulation_is_only_remarked() -> None:
    simulated = {
        "id3": {"accuracy_mean": 0.53, "accuracy_sd": 0.07, "nodes_mean": 9.0},
        "skew": {"accuracy_mean": 0.60, "accuracy_sd": 0.17, "nodes_mean": 5.0},
    }
    found = {"id3": np.full((20, 2), [0.53, 9.0]), "skew": np.full((20, 2), [0.52, 7.0])}
    # 2 * sqrt(0.07² + 0.17²) / sqrt(20) = 0.082
    assert cell_defects(found, simulated) == []
    assert cell_remarks(found, simulated) == ["skew is not above id3: simulated lead 0.070 ± 0.082"]
    # 2 * 0.17 / sqrt(20) + 0.02 and, for five runs, 2 * 0.17 * sqrt(1 / 20 + 1 / 5) + 0.02
    assert tolerances(found, simulated)["skew"] == pytest.approx(0.0960, abs=1e-4)
    few = {name: own[:5] for name, own in found.items()}
    assert tolerances(few, simulated)["skew"] == pytest.approx(0.19, abs=1e-4)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_parity_of_a_few_of_ten_variables_is_found_whole(k: int) -> None:
    rows = np.random.default_rng(k).integers(0, 2, (1000, 10))[:, ::-1]
    reversed_rows = np.ascontiguousarray(rows[:, ::-1])
    dataset = boolean_data(reversed_rows, rows[:, :k].sum(axis=1) % 2)
    relevant = set(range(10 - k, 10))
    assert grow(dataset, BY_GAIN).n_nodes > 2 ** (k + 1) - 1
    tree = grow(dataset, BY_GAIN.changed(search="skewing"))
    assert tree.n_nodes == 2 ** (k + 1) - 1
    assert {a for a in tree.attribute if a >= 0} == relevant


def test_a_numeric_exclusive_or_is_cut_near_its_centre() -> None:
    values = np.random.default_rng(1).random((600, 6))
    attributes = tuple(Attribute(f"x{a}", "numeric") for a in range(6))
    classes = ((values[:, 4] > 0.5) ^ (values[:, 5] > 0.5)).astype(np.int32)
    schema = Schema(attributes, Attribute("y", "nominal", ("0", "1")))
    dataset = Dataset(schema, [np.ascontiguousarray(c) for c in values.T], classes, np.ones(600))
    for search in ("skewing", "skewing-sequential"):
        tree = grow(dataset, BY_GAIN.changed(search=search))
        assert tree.attribute[0] in (4, 5)
        assert abs(tree.number[0] - 0.5) < 0.1
        assert tree.n_nodes < grow(dataset, BY_GAIN).n_nodes / 3


@pytest.mark.parametrize("search", ["skewing", "skewing:7", "skewing-sequential"])
@pytest.mark.parametrize("name", ["iris.csv", "vote.arff", "monks-2.arff"])
def test_batches_and_threads_do_not_change_the_tree(name: str, search: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = sample(name)
    learner = Settings.of(search=search, max_depth=3)
    whole = grow(dataset, learner, jobs=1)
    monkeypatch.setattr("treecli.grow.skewing.ROOM", 3000)
    monkeypatch.setattr("treecli.engines.memory.FEW_CASES", 0)
    assert grow(dataset, learner, jobs=3) == whole


def test_limits_hold_for_the_cases_and_not_for_the_weights_of_trials() -> None:
    dataset = sample("iris.csv")
    tree = model_from(dataset, Settings.of(search="skewing", min_leaf=10.0)).tree
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    assert len(leaves) > 2
    assert all(sum(tree.outcomes_of(node)) >= 10 for node in leaves)


@pytest.mark.parametrize("search", ["skewing", "skewing-sequential"])
def test_a_threshold_pays_for_the_number_of_thresholds_as_without_trials(search: str) -> None:
    dataset = sample("iris.csv").narrowed([3])
    settings = BY_GAIN.changed(max_depth=1, cut_cost=True)
    cost = log2(len(np.unique(dataset.columns[0])) - 1) / dataset.n_rows
    # 50 setosa are apart: 1 - 0 of log2(3) bits are gained in a third of the cases.
    gain = log2(3) - 2 / 3
    assert grow(dataset, settings).score[0] == pytest.approx(gain - cost)
    assert grow(dataset, settings.changed(search=search)).score[0] == pytest.approx(gain - cost)


def test_a_numeric_target_is_refused() -> None:
    with pytest.raises(UsageError, match="--search skewing looks for classes, but 'performance' is numeric"):
        grow(sample("cpu.csv"), Settings.of(search="skewing"))


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_correlation_immune_functions_leave_each_variable_without_gain(k: int) -> None:
    rows = np.array(list(product((0, 1), repeat=k)))
    classes = immune_function(k, np.random.default_rng(k))(rows)
    at = AtRoot(boolean_data(rows, classes), BY_GAIN)
    assert [float(at.candidates(a).gain[0]) for a in range(k)] == pytest.approx([0] * k, abs=1e-12)
    other = random_function(k, np.random.default_rng(k))(rows)
    assert 0 < other.sum() < 2**k


@pytest.mark.parametrize("threshold", ["mean", "median"])
@pytest.mark.parametrize("search", ["skewing", "skewing-sequential"])
def test_thresholds_that_depend_on_weights_are_refused(search: str, threshold: str) -> None:
    with pytest.raises(UsageError, match=f"--search {search} and --threshold {threshold} exclude each other"):
        grow(sample("iris.csv"), Settings.of(search=search, threshold=threshold))
