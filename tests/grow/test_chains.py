"""Chains of splits that each send few cases away are found block by block, and are those of the loop over levels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.grow.test_packed import assert_both_ways_agree, dataset_of, packed_nodes
from treecli.data import Dataset
from treecli.grow import chains, subtrees
from treecli.kernels import UNCOMPILED_VARIABLE, peel_packed
from treecli.settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True, scope="module")
def _small_nodes_are_peeled():  # type: ignore[no-untyped-def]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peel_packed, "LEAST_PEELED", 6)
        patch.setattr(chains, "MANY_OTHER_PEELS", 2)
        yield


def noisy_data(seed: int, n_rows: int, n_attributes: int, n_values: int | None, share: float) -> Dataset:
    """Attributes that say little about two classes: gain ratio then prefers cuts near the ends."""
    random = np.random.default_rng(seed)
    columns = random.normal(size=(n_attributes, n_rows))
    if n_values is not None:
        columns = np.floor(columns * n_values)
    classes = random.random(n_rows) < np.where(columns[0] > 1.5, 0.9, share)
    return dataset_of(columns, classes, 2)


@settings(max_examples=examples(80))
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(2, 300),
    n_attributes=st.integers(1, 4),
    n_values=st.sampled_from([None, 3, 20]),
    share=st.sampled_from([0.5, 0.1, 0.02]),
    chosen=st.builds(
        Settings.of,
        criterion=st.sampled_from(["gain", "gainratio", "gini"]),
        min_leaf=st.sampled_from([1.0, 2.0, 4.5]),
        max_depth=st.sampled_from([None, 5]),
        zero_gain=st.booleans(),
    ),
)
def test_the_tree_is_that_of_growing_level_by_level(  # type: ignore[no-untyped-def]
    seed, n_rows, n_attributes, n_values, share, chosen
) -> None:
    assert_both_ways_agree(noisy_data(seed, n_rows, n_attributes, n_values, share), chosen)


def test_a_tree_that_loses_its_cases_one_by_one_is_the_same() -> None:
    """The class alternates, so that every cut in the middle gains nothing."""
    data = dataset_of(np.arange(400.0)[None, :], np.arange(400) % 2, 2)
    tree = assert_both_ways_agree(data, Settings.of(criterion="gainratio"))
    assert tree.n_nodes == 799


def test_values_too_close_for_a_threshold_are_not_parted() -> None:
    random = np.random.default_rng(4)
    column = np.repeat(np.arange(100.0), 3) + np.tile([0.0, 1e-12, 2e-12], 100)
    data = dataset_of(np.stack([column, random.normal(size=300)]), random.integers(2, size=300), 2)
    assert_both_ways_agree(data, Settings.of(criterion="gainratio", value_gap=1e-9))


def test_the_number_of_threads_does_not_matter() -> None:
    """The root is large enough to be split by all threads, and then peeled."""
    data = noisy_data(2, 70_000, 2, None, 0.3)
    chosen = Settings.of(criterion="gainratio", max_depth=60)
    one, two = packed_nodes(data, chosen, 1), packed_nodes(data, chosen, 2)
    assert one.attribute.tolist() == two.attribute.tolist()
    assert one.number.tolist() == two.number.tolist()
    assert np.array_equal(np.asarray(one.outcomes), np.asarray(two.outcomes))


@settings(max_examples=examples(25))
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(500, 2_500),
    n_attributes=st.integers(4, 9),
    n_values=st.sampled_from([None, 20, 200]),
    share=st.sampled_from([0.5, 0.2, 0.03]),
    chosen=st.builds(
        Settings.of,
        criterion=st.just("gainratio"),
        min_leaf=st.sampled_from([1.0, 3.0]),
        min_gain=st.sampled_from([None, 1e-3, 5e-3]),
        gain_of_all=st.booleans(),
        tolerance=st.sampled_from([1e-9, 1e-6]),
        zero_gain=st.booleans(),
    ),
)
def test_an_attribute_that_might_win_is_not_ruled_out(  # type: ignore[no-untyped-def]
    seed, n_rows, n_attributes, n_values, share, chosen
) -> None:
    """Gains below and above what the average may exceed them by, and many attributes that are nearly as good."""
    assert_both_ways_agree(noisy_data(seed, n_rows, n_attributes, n_values, share), chosen)


COUNT_SEARCHES = """
from tests.grow.test_chains import noisy_data
from tests.grow.test_packed import packed_nodes
from treecli.kernels import best_remaining, peel_packed
from treecli.settings import Settings

n_attributes = n_searched = 0
best, search_attribute = peel_packed.best_remaining, best_remaining.scan_remaining

def counted_best(lists, search, *others):
    global n_attributes
    n_attributes += int(search.last)
    return best(lists, search, *others)

def counted_search(*arguments):
    global n_searched
    n_searched += 1
    search_attribute(*arguments)

peel_packed.LEAST_PEELED, peel_packed.best_remaining, best_remaining.scan_remaining = 40, counted_best, counted_search
packed_nodes(noisy_data(1, 600, 8, None, 0.5), Settings.of(criterion="gainratio"))
print(n_attributes, n_searched)
"""


def test_attributes_that_cannot_win_are_not_searched() -> None:
    command = [sys.executable, "-W", "error", "-c", COUNT_SEARCHES]
    environment = {**os.environ, UNCOMPILED_VARIABLE: "1"}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    n_attributes, n_searched = map(int, done.stdout.split())
    assert n_attributes > 150
    assert 0 < n_searched < n_attributes / 2


@pytest.mark.parametrize("criterion", ["gainratio", "gain", "gini"])
def test_no_block_that_has_the_best_cut_is_passed_over(criterion: str) -> None:
    """Long chains, in which many cases have left the blocks since their bounds were computed."""
    for seed in range(3):
        assert_both_ways_agree(noisy_data(seed, 4_000, 3, None, 0.03), Settings.of(criterion=criterion))


@pytest.mark.parametrize("most_peeled", [0, 100, 1 << 14], ids=["no room", "little room", "much room"])
def test_chains_in_the_top_of_the_tree_are_those_of_subtrees(most_peeled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every node is split in the top as long as there is room, chains side by side by two threads."""
    chosen = Settings.of(criterion="gainratio")
    for seed in range(5):
        data = noisy_data(seed, 900, 3, None, 0.3)
        below = packed_nodes(data, chosen)
        with monkeypatch.context() as patch:
            patch.setattr(subtrees, "FEW_CASES", 0)
            patch.setattr(subtrees, "PORTIONS", len(data.weights))
            patch.setattr(subtrees, "MOST_TOGETHER", 10 if most_peeled < 1000 else 1 << 14)
            patch.setattr(subtrees, "MOST_PEELED", most_peeled)
            above = packed_nodes(data, chosen, 2)
        assert above.attribute.tolist() == below.attribute.tolist()
        assert above.first_child.tolist() == below.first_child.tolist()
        assert above.number.tolist() == below.number.tolist()
        assert np.array_equal(np.asarray(above.outcomes), np.asarray(below.outcomes))
