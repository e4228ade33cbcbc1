"""treecli distill."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA, sample
from treecli.experiment.distilling import generated, quality
from treecli.learn import learn, learn_ensemble
from treecli.model import TreeModel
from treecli.models import predictions, read_model
from treecli.recipe import Recipe
from treecli.rules.rulelist import RuleList

VOTE, CPU = str(SAMPLE_DATA / "vote.arff"), str(SAMPLE_DATA / "cpu.csv")


@pytest.fixture
def forest(treecli: Runner) -> Runner:
    assert treecli("train", VOTE, "--forest", "9", "-o", "f.json", "-q").code == 0
    return treecli


def test_the_tree_is_grown_on_the_predictions_of_the_ensemble(forest: Runner, tmp_path: Path) -> None:
    """Without pruning, down to one case, the tree predicts what the ensemble does for every row."""
    found = forest("distill", "f.json", VOTE, "--test", VOTE, "--prune", "none", "-o", "t.json", "-f", "json", "-q")
    facts = json.loads(found.out)
    assert facts["fidelity"] == 1.0
    assert [one["model"] for one in facts["models"]] == ["ensemble", "imitating tree", "plain tree"]
    assert facts["models"][0]["fidelity"] == 1.0
    tree = read_model(str(tmp_path / "t.json"))
    assert isinstance(tree, TreeModel)
    rows = sample("vote.arff")
    ensemble = read_model(str(tmp_path / "f.json"))
    assert predictions(tree, rows).tolist() == predictions(ensemble, rows).tolist()
    assert tree.lineage[-1]["command"] == "distill"


def test_the_tree_is_small_by_default_and_its_name_is_derived(forest: Runner, tmp_path: Path) -> None:
    found = forest("distill", "f.json", VOTE, "-f", "json")
    assert found.code == 0
    assert "the accuracy of the ensemble is not that for new rows: use --test" in found.err
    facts = json.loads(found.out)
    assert facts["leaves"] < 20 < facts["models"][0]["leaves"]
    assert facts["fidelity"] > 0.9
    assert (tmp_path / "f.tree.json").exists()


def test_generated_rows_count(forest: Runner, tmp_path: Path) -> None:
    assert forest("distill", "f.json", VOTE, "--generate", "1000", "--max-leaves", "4", "-o", "t.json").code == 0
    tree = read_model(str(tmp_path / "t.json"))
    assert isinstance(tree, TreeModel)
    assert tree.tree.n_leaves <= 4
    assert tree.node().weight == pytest.approx(304 + 1000)


def test_rules_are_written_on_request(forest: Runner, tmp_path: Path) -> None:
    assert forest("distill", "f.json", VOTE, "--rules", "-o", "r.json", "-q").code == 0
    assert isinstance(read_model(str(tmp_path / "r.json")), RuleList)
    assert forest("rules", "r.json").out.startswith("IF ")


def test_a_numeric_target_has_rmse_and_explained_variance(treecli: Runner) -> None:
    assert treecli("train", CPU, "--forest", "9", "-o", "f.json", "-q").code == 0
    facts = json.loads(treecli("distill", "f.json", CPU, "-f", "json", "-q").out)
    assert set(facts) == {"schema_version", "fidelity", "rmse", "leaves", "models"}
    assert facts["models"][0]["fidelity"] == 1.0
    assert facts["fidelity"] <= 1.0


def test_data_without_the_target_has_no_accuracy(forest: Runner, tmp_path: Path) -> None:
    text = (SAMPLE_DATA / "iris.csv").read_text().splitlines()
    (tmp_path / "new.csv").write_text("\n".join(line.rpartition(",")[0] for line in text) + "\n")
    assert forest("train", str(SAMPLE_DATA / "iris.csv"), "--forest", "5", "-o", "i.json", "-q").code == 0
    facts = json.loads(forest("distill", "i.json", "new.csv", "-f", "json", "-q").out)
    assert [one["model"] for one in facts["models"]] == ["ensemble", "imitating tree"]
    assert facts["accuracy"] is None
    assert facts["fidelity"] > 0.8


def test_generated_rows_are_rows_with_some_values_of_others() -> None:
    iris = sample("iris.csv")
    rows = generated(iris, 4000, 0)
    assert rows.n_rows == 4000
    for column, values in zip(rows.columns, iris.columns, strict=True):
        assert set(column.tolist()) <= set(values.tolist())
    lines = set(zip(*(column.tolist() for column in iris.columns), strict=True))
    unchanged = [line in lines for line in zip(*(column.tolist() for column in rows.columns), strict=True)]
    # Each of four values stays with probability 3/4: 0.316 by this, and more because another row may have the same.
    assert 0.3 < float(np.mean(unchanged)) < 0.5


def test_fidelity_is_the_share_of_equal_predictions_by_weight() -> None:
    iris = sample("iris.csv")
    tree = learn(iris, Recipe.parse(["--max-depth", "1"]))
    original = predictions(learn_ensemble(iris, Recipe.parse(["--forest", "3"])), iris)
    expected = float(np.mean(predictions(tree, iris) == original))
    found = quality("tree", tree, original, iris)
    assert found.fidelity == pytest.approx(expected)
    assert found.accuracy == pytest.approx(100 / 150)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test", VOTE, "--test-fraction", "0.5"], "--test and --test-fraction exclude each other"),
        (["--forest", "3"], "--forest grows several trees, but distill is for one tree"),
        (["-o", "t.csv"], "t.csv: found the suffix '.csv', but a model is written as JSON"),
    ],
)
def test_wrong_usage_is_refused(options: list[str], message: str, forest: Runner) -> None:
    found = forest("distill", "f.json", VOTE, *options)
    assert found.code == 2
    assert message in found.err
