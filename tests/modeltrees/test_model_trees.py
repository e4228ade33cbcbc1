"""Model trees through the command line: the worked examples, the laws, and what is refused.

The models of the examples are the answers of Weka 3.6.14's M5P; the decrease of the standard deviation is by hand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Runner
from tests.growing import sample
from treecli.learn import learn
from treecli.models import encode
from treecli.predict.predict import predictions
from treecli.pruners.m5 import factor
from treecli.recipe import Recipe

STEPS = "x,y\n1,2\n2,3\n3,4\n4,5\n5,20\n6,22\n7,24\n8,26\n"
EXACT = "x,y\n0,0\n1,-0.8\n2,-1.6\n3,-2.4\n4,-3.2\n"
# AIC is the same with a0 and without it.
TIED = "a0,a1,y\n4.1,4,-1.5\n4.1,4,-0.8\n4,4,-1.5\n4.1,4.1,-1.5\n4,4,-2.2\n4,4,-1.5\n"
LINE = "x,y\n1,2.1\n2,3.9\n3,6.2\n4,7.8\n5,10.1\n6,11.9\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "steps.csv").write_text(STEPS)
    (tmp_path / "line.csv").write_text(LINE)
    (tmp_path / "exact.csv").write_text(EXACT)
    (tmp_path / "tied.csv").write_text(TIED)
    return tmp_path


def trained(treecli: Runner, *arguments: str) -> str:
    """What M5P would print for the model that this command line trains."""
    code, _, err = treecli("train", *arguments, "-q", "-o", "m.json")
    assert code == 0, err
    code, out, err = treecli("show", "m.json", "-f", "m5p")
    assert code == 0, err
    return str(out)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        ("steps.csv", ["--no-smooth"], ["LM1 (4/0%)", "LM2 (4/0%)", "\t1 * x \n\t+ 1\n", "\t2 * x \n\t+ 10\n"]),
        ("steps.csv", [], ["\t3.4248 * x \n\t- 3.7932\n", "\t3.6353 * x \n\t- 1.8985\n", "LM1 (4/0%)"]),
        ("steps.csv", ["--leaf-model", "constant"], ["M5 pruned regression tree:", "\t+ 11.1974\n", "\t+ 15.3026\n"]),
        ("steps.csv", ["--prune", "none", "--no-smooth"], ["M5 unpruned model tree:", "LM3 (2/10.092%)", "\t+ 25\n"]),
        ("line.csv", [], ["LM1 (6/4.022%)", "\t1.9771 * x \n\t+ 0.08\n"]),
        ("line.csv", ["--leaf-model", "constant"], ["LM1 (6/100%)", "\t+ 7\n"]),
        ("exact.csv", [], ["\t-0.8 * x \n\t- 0\n"]),
        ("tied.csv", ["--prune", "none"], ["y = \n\t- 1.5389\n", "y = \n\t- 1.4611\n"]),
    ],
)
def test_m5p_prints_these_models(treecli: Runner, data: str, options: list[str], expected: list[str]) -> None:
    shown = trained(treecli, data, "--like", "m5p", *options)
    for text in expected:
        assert text in shown


@pytest.mark.usefixtures("folder")
def test_other_trees_get_the_same_models(treecli: Runner) -> None:
    options = ["--leaf-model", "linear", "--criterion", "sdr", "--min-leaf", "2", "--min-split", "4", "--no-smooth"]
    assert "\t1 * x \n\t+ 1\n" in trained(treecli, "steps.csv", *options)


@pytest.mark.usefixtures("folder")
def test_sdr_scores_the_decrease_of_the_standard_deviation(treecli: Runner, folder: Path) -> None:
    treecli("train", "steps.csv", "--criterion", "sdr", "-q", "-o", "m.json")
    root = json.loads((folder / "m.json").read_text())["nodes"][0]
    assert root["split"]["at_most"] == 4.5
    assert root["score"] == pytest.approx(9.908961 - (1.118034 + 2.236068) / 2, abs=1e-6)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("n", "v", "expected"), [(20, 3, 26 / 17), (6, 2, 2.5), (4, 3, 10), (3, 3, 10)])
def test_errors_are_multiplied_by_a_factor_for_the_parameters(n: int, v: int, expected: float) -> None:
    # (n + 2 v) / (n - v), or 10 where there are no more cases than parameters: (20 + 6) / (20 - 3) = 1.529412.
    assert factor(n, v) == pytest.approx(expected)


def test_pruning_later_gives_the_tree_that_is_pruned_at_once(treecli: Runner, request: pytest.FixtureRequest) -> None:
    data = str(request.config.rootpath / "sample_data" / "cpu.csv")
    at_once = trained(treecli, data, "--like", "m5p")
    trained(treecli, data, "--like", "m5p", "--prune", "none")
    assert treecli("prune", "m.json", "--method", "m5", "-o", "smaller.json").code == 0
    assert treecli("show", "smaller.json", "-f", "m5p").out == at_once


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["iris.csv", "--leaf-model", "linear"], "--leaf-model linear is for a numeric target, but 'class' is nominal"),
        (["iris.csv", "--like", "m5p"], "--like m5p is for a numeric target, but 'class' is nominal"),
        (["iris.csv", "--smooth"], "--smooth is for a numeric target, but 'class' is nominal"),
        (["cpu.csv", "--like", "m5p", "--nominal", "subset"], "--nominal: the search of M5P does not have it"),
        (
            ["cpu.csv", "--leaf-model", "linear", "--criterion", "absolute"],
            "--leaf-model linear minimizes squared errors",
        ),
        (
            ["cpu.csv", "--leaf-model", "linear", "--prune", "mdl"],
            "--prune mdl and --leaf-model linear: the leaves have",
        ),
        (["cpu.csv", "--like", "m5p", "--prune", "cost-complexity"], "Hint: use --prune m5 or none"),
        (["cpu.csv", "--leaf-model", "quadratic"], "--leaf-model: unknown 'quadratic' (known: constant, linear)"),
    ],
)
def test_what_a_model_tree_cannot_be_is_one_line(
    treecli: Runner, request: pytest.FixtureRequest, arguments: list[str], message: str
) -> None:
    data = str(request.config.rootpath / "sample_data" / arguments[0])
    code, _, err = treecli("train", data, *arguments[1:], "-o", "m.json")
    assert (code, message in err) == (2, True), err


@pytest.mark.parametrize("options", [["--leaf-model", "linear"], ["--leaf-model", "linear", "--criterion", "sdr"]])
def test_the_order_of_rows_does_not_matter(options: list[str]) -> None:
    dataset = sample("cpu.csv")
    rows = np.random.default_rng(1).permutation(dataset.n_rows)
    one, other = (learn(data, Recipe.parse(options), jobs=1) for data in (dataset, dataset.take(rows)))
    assert one.tree.attribute == other.tree.attribute
    np.testing.assert_allclose(predictions(one, dataset), predictions(other, dataset), rtol=1e-7)


def test_a_row_of_weight_three_counts_as_three_rows() -> None:
    from dataclasses import replace

    dataset, recipe = sample("cpu.csv"), Recipe.parse(["--leaf-model", "linear", "--min-leaf", "12"])
    trebled = replace(dataset, weights=dataset.weights * 3)
    tripled = dataset.take(np.repeat(np.arange(dataset.n_rows), 3))
    one, other = (learn(data, recipe, jobs=1) for data in (trebled, tripled))
    assert one.tree.attribute == other.tree.attribute
    np.testing.assert_allclose(predictions(one, dataset), predictions(other, dataset), rtol=1e-7)


def test_uncompiled_kernels_give_the_same_bytes() -> None:
    code = (
        "import sys\nfrom tests.growing import sample\nfrom treecli.learn import learn\n"
        "from treecli.models import encode\nfrom treecli.recipe import Recipe\n"
        "for options in (['--like', 'm5p'], ['--leaf-model', 'linear', '--criterion', 'sdr']):\n"
        "    sys.stdout.buffer.write(b''.join(encode(learn(sample('cpu.csv'), Recipe.parse(options)))))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TREECLI_UNCOMPILED": "1"}, capture_output=True, check=True
    )
    compiled = b""
    for options in (["--like", "m5p"], ["--leaf-model", "linear", "--criterion", "sdr"]):
        compiled += b"".join(encode(learn(sample("cpu.csv"), Recipe.parse(options))))
    assert run.stdout == compiled
