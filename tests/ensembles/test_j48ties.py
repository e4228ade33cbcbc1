"""Ties of classes in boosted trees of J48."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.exact.random_sets import random_set
from tests.growing import sample
from treecli.data import Dataset
from treecli.ensembles.j48ties import ROUNDING, decided
from treecli.intake import ReadOptions, read_training
from treecli.learn import learn, learn_ensemble
from treecli.predict.predict import distributions
from treecli.recipe import Recipe

BOOSTED = Recipe.parse(["--like", "j48", "--boost", "3"])


def _random(seed: int, tmp_path: Path) -> Dataset:
    path = tmp_path / "random.arff"
    path.write_text(random_set(seed).arff())
    return read_training(str(path), ReadOptions()).dataset


@pytest.mark.parametrize(("seed", "weights"), [(7, [0.85, 0.30, 0.05]), (73, [0.27, 0.11])])
def test_the_errors_of_a_tree_are_those_of_weka_where_rows_with_missing_values_tie(
    seed: int, weights: list[float], tmp_path: Path
) -> None:
    """The weights are those that AdaBoostM1 over J48 of Weka 3.6.14 prints. Half of the values are missing, and a row
    without a value at the root has all classes as often as the training rows: 60 of each among the 120 of seed 73.
    """
    model = learn_ensemble(_random(seed, tmp_path), BOOSTED)
    assert [round(weight, 2) for weight in model.weights] == weights


def test_only_rows_of_which_two_classes_tie_are_summed_again(tmp_path: Path) -> None:
    rows = _random(73, tmp_path).labelled()
    member = learn(rows, Recipe.parse(["--like", "j48"]))
    before = distributions(member, rows)
    after = decided(member, rows, before)
    changed = (after != before).any(axis=1)
    assert changed.sum() == 63  # the rows without a5, which the tree asks for
    assert np.ptp(before[changed], axis=1).max() < ROUNDING
    assert after == pytest.approx(before, abs=1e-12)


def test_probabilities_of_whole_cases_stay_as_they_are() -> None:
    rows = sample("monks-1.arff")
    member = learn(rows, Recipe.parse(["--like", "j48"]))
    probabilities = distributions(member, rows)
    assert decided(member, rows, probabilities) is probabilities
