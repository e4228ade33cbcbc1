"""`--like sklearn` on small data, with what scikit-learn 1.9.1 makes of them; tests/peers runs it on larger ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.growing import numeric_table, sample
from treecli.data import Dataset
from treecli.grow.grow import grow
from treecli.model import TreeModel
from treecli.predict.predict import distributions
from treecli.presets import settings_like


def grown(dataset: Dataset, criterion: str = "gini") -> TreeModel:
    settings = settings_like("sklearn").changed(criterion=criterion)
    return TreeModel(dataset.schema, settings, (), grow(dataset, settings, jobs=1))


def test_values_are_compared_in_single_precision_in_training() -> None:
    # 0.3 and 0.1 + 0.2 are different doubles but the same 32-bit number.
    dataset = numeric_table([[0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2]], ["a", "b", "a", "b"])
    assert grown(dataset).tree.n_nodes == 1


def test_values_are_compared_in_single_precision_at_prediction() -> None:
    # 0.15 lies below the threshold between 0.1 and 0.2, 0.15000000223517418, and its 32-bit number above it.
    model = grown(numeric_table([[0.1, 0.2]], ["low", "high"]))
    assert model.tree.number[0] == 0.15000000223517418
    asked = numeric_table([[0.15]], ["low"], labels=("low", "high"))
    assert distributions(model, asked).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(
    ("values", "thresholds"),
    [
        # Neighbours lie 1e-7 apart, give or take a rounding.
        ([1e-7, 2e-7, 3e-7, 4e-7], []),
        # 1 + 1e-7 is rounded to the next 32-bit number.
        ([1.0, 1.0 + 2.0**-23, 1.0 + 2.0**-22, 1.5], [1.2500001192092896]),
        # 2 + 1e-7 is rounded to 2.
        ([2.0, 2.0 + 2.0**-22, 2.0 + 2.0**-21, 3.0], [2.0000001192092896, 2.0000003576278687, 2.500000238418579]),
        ([-1.0, -1.0 + 2.0**-24, -0.5, 0.0], [-0.25, -0.7499999701976776]),
    ],
    ids=str,
)
def test_values_that_lie_too_close_are_not_parted(values: list[float], thresholds: list[float]) -> None:
    tree = grown(numeric_table([values], ["a", "b", "a", "b"])).tree
    assert [tree.number[node] for node in tree.inner_nodes()] == thresholds


@pytest.mark.parametrize("criterion", ["gini", "gain"])
def test_a_split_without_gain_is_made(criterion: str) -> None:
    # Exclusive or: no split of the root gains anything.
    dataset = numeric_table([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]], ["no", "yes", "yes", "no"])
    assert grown(dataset, criterion).tree.n_leaves == 4


def test_a_label_is_split_from_the_rest_as_after_one_hot_encoding() -> None:
    model = grown(sample("playtennis.csv"))
    assert {model.tree.split(node).KIND for node in model.tree.inner_nodes()} == {"binary"}


def test_without_a_criterion_it_is_gini_or_the_variance(treecli: Runner, tmp_path: Path) -> None:
    for target, criterion in (("a,b", "gini"), ("1.5,2.5", "variance")):
        first, second = target.split(",")
        (tmp_path / "rows.csv").write_text(f"x,y\n1,{first}\n2,{second}\n3,{first}\n")
        code, _, err = treecli("train", "rows.csv", "--like", "sklearn", "-o", "model.json")
        assert code == 0, err
        assert json.loads((tmp_path / "model.json").read_text())["settings"]["criterion"] == criterion
