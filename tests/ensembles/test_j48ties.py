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

BOOSTED = ["--like", "j48", "--boost", "5"]
SINGLE, AS_GROWN = Recipe.parse(["--like", "j48"]), Recipe.parse(["--like", "j48", "--prune", "none", "--no-collapse"])


def _random(seed: int, tmp_path: Path) -> Dataset:
    path = tmp_path / "random.arff"
    path.write_text(random_set(seed).arff())
    return read_training(str(path), ReadOptions()).dataset


@pytest.mark.parametrize(
    ("seed", "options", "weights"),
    [
        (7, [], [0.85, 0.30, 0.05]),
        (73, [], [0.27, 0.11]),
        (1070, ["--confidence", "0.05", "--nominal", "binary"], [1.24, 1.13, 1.08, 0.44, 0.43]),
        (1160, ["--confidence", "0.05", "--nominal", "binary"], [0.17, 0.30, 0.06, 0.21, 0.07]),
        (1020, [], [1.39, 1.47, 0.72, 0.74, 2.31]),
    ],
    ids=["missing", "missing-at-the-root", "subtracted-labels", "one-leaf", "raised"],
)
def test_the_errors_of_a_tree_are_those_of_weka_where_classes_tie(
    seed: int, options: list[str], weights: list[float], tmp_path: Path
) -> None:
    """The weights are those that AdaBoostM1 over J48 of Weka 3.6.14 prints. A row without a value at the root has all
    classes as often as the training rows: 60 of each among the 120 of seed 73. Reweighted classes tie in a tree of one
    leaf. The root of a tree of seed 1020 is replaced by its largest branch.
    """
    model = learn_ensemble(_random(seed, tmp_path), Recipe.parse([*BOOSTED, *options]))
    assert [round(weight, 2) for weight in model.weights] == weights


def test_only_rows_of_which_two_classes_tie_are_summed_again(tmp_path: Path) -> None:
    rows = _random(73, tmp_path).labelled()
    member = learn(rows, SINGLE)
    before = distributions(member, rows)
    after = decided(member, rows, before, lambda rows: learn(rows, AS_GROWN))
    changed = (after != before).any(axis=1)
    assert changed.sum() == 63  # the rows without a5, which the tree asks for
    assert np.ptp(before[changed], axis=1).max() < ROUNDING
    assert after == pytest.approx(before, abs=1e-12)


def test_probabilities_of_whole_cases_stay_as_they_are() -> None:
    rows = sample("monks-1.arff")
    member = learn(rows, SINGLE)
    probabilities = distributions(member, rows)
    assert decided(member, rows, probabilities, lambda rows: learn(rows, AS_GROWN)) is probabilities
