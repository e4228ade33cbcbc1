"""Commands with forests and boosted trees."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA, sample
from tests.inside import run_inside
from treecli.ensembles.intervals import error_quantiles
from treecli.learn import learn_ensemble
from treecli.models import read_model
from treecli.recipe import Recipe

IRIS, VOTE, CPU = (str(SAMPLE_DATA / name) for name in ("iris.csv", "vote.arff", "cpu.csv"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a forest, a forest of numbers and boosted trees."""
    folder = tmp_path_factory.mktemp("trained")
    for line in (
        ("train", IRIS, "--forest", "8", "-o", "f.json", "-q"),
        ("train", CPU, "--forest", "8", "-o", "n.json.gz", "-q"),
        ("train", VOTE, "--like", "j48", "--boost", "4", "-o", "b.json", "-q"),
    ):
        assert run_inside([str(word) for word in line], b"", folder).code == 0
    return folder


@pytest.fixture
def models(treecli: Runner, trained: Path, tmp_path: Path) -> Runner:
    """Runs commands beside copies of them."""
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    return treecli


def test_train_reports_the_trees_and_the_out_of_bag_error(treecli: Runner, tmp_path: Path) -> None:
    found = treecli("train", IRIS, "--forest", "8", "-o", "f.json")
    assert found.out.startswith("8 trees, ")
    assert "\nout of bag: error 0." in found.out
    assert read_model(str(tmp_path / "f.json")).lineage[0]["command"] == "train"


def test_files_are_the_same_whatever_the_jobs(treecli: Runner, tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        assert treecli("train", VOTE, "--forest", "4", "--jobs", jobs, "-o", f"{jobs}.json", "-q").code == 0
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()


def test_show_prints_a_summary_or_one_tree(models: Runner) -> None:
    facts = json.loads(models("show", "f.json", "-f", "json").out)
    assert facts["kind"] == "forest"
    assert len(facts["sizes"]["nodes"]) == 8
    assert sum(row["impurity"] for row in facts["attributes"]) == pytest.approx(1.0)
    assert models("show", "f.json").out.startswith("8 trees of a random forest, which predict 'class'; out-of-bag")
    assert models("show", "b.json").out.startswith("4 boosted trees, which predict 'Class'")
    assert "Votes" in models("show", "b.json").out
    assert "Iris-" in models("show", "f.json", "--tree", "8").out
    assert models("show", "f.json", "--tree", "8", "-f", "svg").out.startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "f.json", "--tree", "9"], 2, "--tree 9: f.json has 8 trees"),
        (["show", "f.json", "--ids"], 2, "--ids: f.json has 8 trees"),
        (["show", "f.json", "-f", "svg"], 2, "-f svg: f.json has 8 trees, whose summary is text or json"),
        (["rules", "f.json"], 4, "the model is a forest, which cannot be shown as rules"),
        (["prune", "f.json"], 4, "f.json: is a forest, expected a tree"),
        (["prune", "b.json"], 4, "b.json: is a boosted ensemble, expected a tree"),
        (["explain", "f.json", IRIS, "--row", "1", "--tree", "2", "--each-tree"], 2, "--tree and --each-tree exclude"),
        (["predict", "b.json", VOTE, "--out-of-bag"], 2, "--out-of-bag: the model is a boosted ensemble, not a forest"),
        (["predict", "f.json", IRIS, "--interval", "90"], 2, "--interval needs a forest for a numeric target"),
        (["export", "b.json", "--to", "python", "--proba"], 2, "--proba: the probabilities of boosted trees"),
        (["train", IRIS, "--keep-partial"], 2, "--keep-partial goes with --forest and --boost"),
        (["train", CPU, "--boost", "3"], 2, "--boost is for a nominal target, but 'performance' is numeric"),
        (["curve", IRIS, "--forest", "3", "--by", "depth"], 2, "but --forest grows several"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_in_one_line(
    arguments: list[str], code: int, message: str, models: Runner
) -> None:
    found = models(*arguments)
    assert found.code == code
    (error,) = [line for line in found.err.splitlines() if line.startswith("Error: ")]
    assert message in error
    assert found.out == ""


@pytest.mark.parametrize("options", [["--forest", "3"], ["--boost", "3"], ["--like", "c50", "--boost", "3"]], ids=str)
def test_one_class_is_refused_without_a_word_about_a_single_leaf(
    options: list[str], treecli: Runner, tmp_path: Path
) -> None:
    (tmp_path / "one.csv").write_text("a,class\n1,x\n2,x\n3,x\n")
    found = treecli("train", "one.csv", *options)
    assert found.code == 3
    error, hint = found.err.splitlines()
    assert error.startswith(f"Error: {options[-2]}: 'class' has only the class 'x', expected two or more")
    assert hint.startswith("Hint: choose another column")


def test_the_hint_of_pruning_says_what_to_do(models: Runner) -> None:
    assert "treecli distill" in models("prune", "f.json").err


def test_importance_of_the_training_file_is_out_of_bag(models: Runner) -> None:
    found = models("importance", "f.json", IRIS, "--repeats", "2", "-f", "json")
    facts = json.loads(found.out)
    assert facts["rows"] == "out of bag"
    assert "Warning" not in found.err
    assert {row["attribute"] for row in facts["importance"][:2]} == {"petallength", "petalwidth"}
    assert sum(row["impurity"] for row in facts["importance"]) == pytest.approx(1.0)


def test_importance_without_a_row_out_of_bag_is_refused(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("x,y\n1,3.25\n")
    assert treecli("train", "one.csv", "--forest", "3", "-o", "f.json", "-q").code == 0
    found = treecli("importance", "f.json", "one.csv")
    assert (found.code, found.out) == (3, "")
    assert found.err.startswith("Error: no row is out of bag: each tree was grown on all of them\n")


def test_impurity_importance_is_the_mean_of_the_trees(models: Runner, tmp_path: Path) -> None:
    from treecli.evaluate.ensembleimportance import mean_importances
    from treecli.evaluate.importance import importances
    from treecli.model import EnsembleModel

    for name in ("f.json", "n.json.gz", "b.json"):
        model = read_model(str(tmp_path / name))
        assert isinstance(model, EnsembleModel)
        parts = zip(model.members(), model.weights, strict=True)
        expected = sum(weight * np.array(importances(member)) for member, weight in parts)
        assert mean_importances(model) == pytest.approx((expected / np.sum(expected)).tolist())


def test_explain_adds_up_to_the_prediction(models: Runner) -> None:
    facts = json.loads(models("explain", "f.json", IRIS, "--row", "71", "--each-tree", "-f", "json").out)["rows"][0]
    moved = facts["base"] + sum(one["by"] for one in facts["moved"])
    assert moved == pytest.approx(facts["probabilities"][facts["prediction"]])
    assert len(facts["votes"]) == facts["trees"] == 8
    assert sum(vote["value"] for vote in facts["votes"]) / 8 == pytest.approx(moved)
    of_numbers = json.loads(models("explain", "n.json.gz", CPU, "--row", "1", "-f", "json").out)["rows"][0]
    assert of_numbers["base"] + sum(one["by"] for one in of_numbers["moved"]) == pytest.approx(of_numbers["prediction"])


def test_explain_shows_the_path_in_one_tree(models: Runner) -> None:
    assert "1. " in models("explain", "f.json", IRIS, "--row", "71", "--tree", "3").out
    text = models("explain", "b.json", VOTE, "--row", "1", "--each-tree").out
    assert "trees vote for republican." in text
    assert "most moved by" in text


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_predict_out_of_bag_gives_the_error_of_training(models: Runner, tmp_path: Path) -> None:
    rows = rows_of(models("predict", "f.json", IRIS, "--out-of-bag").out)
    voted = [row for row in rows if row["prediction"]]
    wrong = sum(row["prediction"] != row["class"] for row in voted)
    outside = read_model(str(tmp_path / "f.json")).lineage[1]["out_of_bag"]
    assert (len(voted), wrong / len(voted)) == (outside["rows"], pytest.approx(outside["error"]))


def test_intervals_hold_the_share_of_the_out_of_bag_targets(models: Runner) -> None:
    rows = rows_of(models("predict", "n.json.gz", CPU, "--out-of-bag", "--interval", "80").out)
    inside = [float(row["low"]) <= float(row["performance"]) <= float(row["high"]) for row in rows if row["low"]]
    assert 0.78 < np.mean(inside) < 0.82


def test_quantiles_of_errors_count_weights() -> None:
    found = error_quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0]))
    assert found is not None
    assert (found[0], found[100], found[101], found[150], found[200]) == (1.0, 1.0, 2.0, 2.0, 3.0)


def test_proximities_are_shares_of_trees(models: Runner, tmp_path: Path) -> None:
    assert models("predict", "f.json", IRIS, "--proximities", "p.csv", "-o", "out.csv").code == 0
    matrix = np.array([[float(cell) for cell in row.values()] for row in rows_of((tmp_path / "p.csv").read_text())])
    assert matrix.shape == (150, 150)
    assert (matrix == matrix.T).all()
    assert (np.diag(matrix) == 1).all()
    assert matrix[:50, :50].mean() > 0.9 > 0.1 > matrix[:50, 50:].mean()


def test_experiments_take_ensembles(models: Runner) -> None:
    assert json.loads(models("crossval", IRIS, "--forest", "4", "--folds", "3", "-f", "json", "-q").out)["errors"] < 20
    learners = ["--learner", "tree: --criterion gini", "--learner", "forest: --forest 3", "--folds", "3"]
    found = models("compare", IRIS, *learners, "-f", "json", "-q")
    assert found.code == 0
    assert [own["name"] for own in json.loads(found.out)["learners"]] == ["tree", "forest"]


def test_info_has_the_facts_of_all_trees(models: Runner) -> None:
    facts = json.loads(models("info", "f.json", "-f", "json").out)
    assert (facts["kind"], facts["trees"], facts["votes"]) == ("forest", 8, "average")
    assert {"nodes", "leaves", "depth", "root", "target", "labels", "settings", "lineage"} <= set(facts)


def test_random_combinations_of_attributes_are_kept_in_one_schema() -> None:
    model = learn_ensemble(sample("iris.csv"), Recipe.parse(["--forest", "3", "--splits", "linear"]))
    names = [column.name for column in model.schema.columns]
    assert len(set(names)) == len(names) > 4
    asked = {attribute for tree in model.trees for attribute in tree.attribute}
    assert asked - {-1} <= set(range(len(names)))
