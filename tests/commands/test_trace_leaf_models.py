"""`treecli trace --leaf-model linear` shows the model of each node, and how those of leaves are smoothed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

POINTS = "x,y\n" + "".join(f"{x},{y}\n" for x, y in zip(range(1, 9), (1, 2, 2, 3, 11, 12, 14, 13), strict=True))

WORDS = ("points.csv", "--keep", "x", "--leaf-model", "linear", "--max-depth", "1", "--prune", "none")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / "points.csv").write_text(POINTS)
    return tmp_path


def test_leaves_are_mixed_with_the_model_above(treecli: Runner) -> None:
    # The root's line is that of least squares; a leaf has no test below it, so its model is the mean: 2 and 12.5.
    x, y = np.arange(1.0, 9), np.array([1.0, 2, 2, 3, 11, 12, 14, 13])
    slope, constant = np.polyfit(x, y, 1)
    error = np.sqrt(((y - slope * x - constant) ** 2).mean())
    out = traced(treecli, *WORDS)
    assert f"  model: y = {slope:.4g} * x - {-constant:.4g}, root mean squared error {error:.3f}\n" in out
    # Four cases against fifteen of the model above: 4/19 of 2 and 15/19 of the line.
    mixed = f"y = {15 / 19 * slope:.4g} * x - {-(4 / 19 * 2 + 15 / 19 * constant):.4g}"
    assert (
        "  model: y = 2, root mean squared error 0.707\n"
        f"  smoothed: 4/19 of it and 15/19 of the model of node 0: {mixed}\n"
    ) in out


def test_without_smoothing_there_is_one_model_for_each_node(treecli: Runner) -> None:
    nodes = data_of(treecli, *WORDS, "--no-smooth")["nodes"]
    assert [len(node["model"]) for node in nodes] == [1, 1, 1]
    assert nodes[2]["model"] == ["model: y = 12.5, root mean squared error 1.118"]


def test_a_pruned_model_tree_is_traced_by_its_model(treecli: Runner) -> None:
    data = str(SAMPLE_DATA / "cpu.csv")
    assert treecli("train", data, "--leaf-model", "linear", "--max-depth", "2", "-o", "model.json", "-q").code == 0
    nodes = data_of(treecli, data, "--model", "model.json")["nodes"]
    assert [len(node["model"]) for node in nodes] == [1, 2, 2]


def test_models_below_projected_columns_are_of_the_attributes(treecli: Runner) -> None:
    words = (str(SAMPLE_DATA / "cpu.csv"), "--leaf-model", "linear", "--project", "gaussian:2", "--max-depth", "1")
    nodes = data_of(treecli, *words, "--prune", "none")["nodes"]
    assert treecli("train", *words, "--prune", "none", "-o", "model.json", "-q").code == 0
    shown = treecli("show", "model.json").out
    assert nodes[0]["model"][0].startswith("model: performance = ")
    for node in nodes[1:]:
        assert node["model"][1].split(" = ")[1] in shown


def test_the_error_of_a_model_is_checked_within_the_rounding_of_the_target(treecli: Runner, folder: Path) -> None:
    rows = (f"{i * 1e6},{i % 7 * 1e-9},{1e9 + i * 0.25}" for i in range(40))
    (folder / "large.csv").write_text("x,y,t\n" + "\n".join(rows) + "\n")
    assert "model: t = 2.5e-07 * x + 1000000000, root mean squared error" in traced(
        treecli, "large.csv", "--keep", "x", "--keep", "y", "--leaf-model", "linear", "--prune", "none"
    )


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_every_format_has_the_models(treecli: Runner, form: str) -> None:
    out = traced(treecli, *WORDS, "-f", form)
    assert "odel: y = 12.5, root mean squared error 1.118" in out
    assert out.count("of the model of node 0") == 2


def test_the_pruning_of_model_trees_is_traced_and_their_lessons_are_refused(treecli: Runner) -> None:
    # Root mean squared errors: 1.947 of the root's model with two parameters, 0.935 of the subtree with three.
    code, out, _ = treecli("trace", *WORDS[:-2])
    assert code == 0
    assert "  model:   error 1.947 with v = 2: 1.947·(8 + 2·2)/(8 − 2) = 3.894\n" in out
    assert "0.935·(8 + 2·3)/(8 − 3) = 2.619\n  ⇒ 3.894 > 2.619: kept\n" in out
    code, out, err = treecli("lesson", *WORDS)
    assert (code, out) == (2, "")
    assert err.startswith("Error: --leaf-model: has no lesson\n")
