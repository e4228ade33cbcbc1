"""Model trees in the commands that show, explain, compare and measure models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

CPU = str(SAMPLE_DATA / "cpu.csv")
FORMULA = "performance = -51.85 - 0.4882 * MYCT + 0.02178 * MMIN"
SHOWN = "-0.4882 * MYCT + 0.02178 * MMIN"


def said(treecli: Runner, *arguments: str) -> str:
    outcome = treecli(*arguments)
    assert outcome.code == 0, outcome.err
    return str(outcome.out)


@pytest.fixture
def cpu(treecli: Runner, tmp_path: Path) -> Path:
    """The folder with the tree that Weka's M5P grows from cpu.csv, cpu.json: five leaves."""
    said(treecli, "train", CPU, "--like", "m5p", "-q", "-o", "cpu.json")
    return tmp_path


@pytest.mark.parametrize("form", ["text", "dot", "json", "svg", "html"])
def test_every_picture_has_the_formula(treecli: Runner, cpu: Path, form: str) -> None:
    said(treecli, "show", "cpu.json", "-f", form, "-o", "tree")
    text = (cpu / "tree").read_text().replace("\\u002d", "-")
    if form == "svg":  # words are separate lines of text
        text = " ".join(text.replace("</tspan>", "").replace("</text>", "").split())
        assert "MYCT + 0.02178 * MMIN" in text
    else:
        assert (FORMULA.removeprefix("performance = ") if form == "html" else SHOWN) in text


@pytest.mark.parametrize("form", ["mermaid", "latex", "png", "pdf", "m5p"])
def test_other_forms_are_written(treecli: Runner, cpu: Path, form: str) -> None:
    said(treecli, "show", "cpu.json", "-f", form, "-o", "tree")
    text = (cpu / "tree").read_bytes()
    assert b"MYCT" in text or form in ("png", "pdf")
    assert len(text) > 1000


def test_j48_has_no_such_tree(treecli: Runner, cpu: Path) -> None:
    outcome = treecli("show", "cpu.json", "-f", "j48")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("Error: J48 has no trees for a numeric target like 'performance'\n")


def test_an_explanation_has_the_formula_and_the_arithmetic(treecli: Runner, cpu: Path) -> None:
    text = said(treecli, "explain", "cpu.json", CPU, "--row", "3")
    assert f"\n{FORMULA} + 0.002967 * MMAX + 0.3865 * CACH - 1.325 * CHMIN + 3.367 * CHMAX\n" in text
    sum_of_row = "-51.85 - 0.4882 * 29 + 0.02178 * 8000 + 0.002967 * 32000 + 0.3865 * 32 - 1.325 * 8 + 3.367 * 32"
    assert f"\n   = {sum_of_row} = 312.7\n" in text
    (row,) = json.loads(said(treecli, "explain", "cpu.json", CPU, "--row", "3", "-f", "json"))["rows"]
    (end,) = row["ends"]
    total = end["formula"]["intercept"]
    for term in end["formula"]["terms"]:
        total += term["factor"] * term["value"]
    assert total == row["prediction"] == end["prediction"]


def test_a_missing_value_in_a_formula_is_named_with_what_stands_for_it(treecli: Runner, cpu: Path) -> None:
    (cpu / "one.csv").write_text("MYCT,MMIN,MMAX,CACH,CHMIN,CHMAX\n,100,40000,100,9,3\n")
    text = said(treecli, "explain", "cpu.json", "one.csv", "--row", "1")
    assert "   MYCT is missing, and 203.8 stands for it\n" in text
    assert "flag missing: MYCT\n" in text  # not "did not matter here"


def test_each_leaf_of_a_row_in_parts_has_its_formula(treecli: Runner, tmp_path: Path) -> None:
    own = ["--leaf-model", "linear", "--max-depth", "1", "--prune", "none", "--missing", "fractional"]
    said(treecli, "train", CPU, *own, "-q", "-o", "m.json")
    (tmp_path / "one.csv").write_text("MYCT,MMIN,MMAX,CACH,CHMIN,CHMAX\n1,100,,100,9,3\n")
    text = said(treecli, "explain", "m.json", "one.csv", "--row", "1")
    assert "\nnode 1\nperformance = " in text
    assert "\nnode 2\nperformance = " in text


def test_importance_counts_the_splits_and_permutation_the_formulas_too(treecli: Runner, cpu: Path) -> None:
    splits = json.loads(said(treecli, "importance", "cpu.json", "-f", "json"))["importance"]
    # Decreases of N times the standard deviation, by the outcomes of the nodes; MMAX is asked twice.
    nodes = json.loads((cpu / "cpu.json").read_text())["nodes"]
    spread = {node["id"]: (node["weight"] * node["deviance"]) ** 0.5 for node in nodes}
    lost: dict[str, float] = {}
    for node in nodes:
        if "split" in node:
            decrease = spread[node["id"]] - sum(spread[child] for child in node["children"])
            lost[node["split"]["attribute"]] = lost.get(node["split"]["attribute"], 0.0) + decrease
    found = {row["attribute"]: row["impurity"] for row in splits}
    assert found["CHMAX"] == 0
    for name, decrease in lost.items():
        assert found[name] == pytest.approx(decrease / sum(lost.values()))
    permuted = json.loads(said(treecli, "importance", "cpu.json", CPU, "-f", "json"))["importance"]
    assert min(row["permutation"] for row in permuted if row["attribute"] == "CHMAX") > 0
    said(treecli, "plot", "importance", "cpu.json", "-o", "i.svg")
    assert "CHMIN" in (cpu / "i.svg").read_text()


def test_info_counts_the_formulas_that_use_an_attribute(treecli: Runner, cpu: Path) -> None:
    told = json.loads(said(treecli, "info", "cpu.json", "-f", "json"))["attributes"]
    assert [(a["name"], a["splits"], a["formulas"]) for a in told[3:]] == [
        ("CACH", 1, 5),
        ("CHMIN", 1, 4),
        ("CHMAX", 0, 5),
    ]
    said(treecli, "rules", "cpu.json", "-o", "rules.txt")
    told = json.loads(said(treecli, "info", "rules.txt", "-f", "json"))["attributes"]
    assert [(a["name"], a["formulas"]) for a in told[3:]] == [("CACH", 6), ("CHMIN", 4), ("CHMAX", 6)]


def test_the_boundary_plot_colours_what_the_formulas_predict(treecli: Runner, cpu: Path) -> None:
    said(treecli, "plot", "boundary", CPU, "--model", "cpu.json", "--x", "MMAX", "--y", "CACH", "-o", "b.png")
    assert (cpu / "b.png").stat().st_size > 10_000


def test_a_diff_compares_rows_and_the_structure_names_other_formulas(treecli: Runner, cpu: Path) -> None:
    said(treecli, "prune", "cpu.json", "--node", "3", "-q", "-o", "small.json")
    refused = treecli("diff", "cpu.json", "small.json")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("Error: a model that predicts by formulas has no exact regions\n")
    outcome = treecli("diff", "cpu.json", "small.json", CPU, "--structure", "-f", "json")
    assert outcome.code == 1
    assert [parting["difference"] for parting in json.loads(outcome.out)["structure"]] == ["split against leaf"]
    same = treecli("diff", "cpu.json", "cpu.json", CPU, "--structure", "-f", "json")
    assert (same.code, json.loads(same.out)["structure"]) == (0, [])
    model = json.loads((cpu / "cpu.json").read_text())
    model["nodes"][1]["model"]["intercept"] += 1
    (cpu / "other.json").write_text(json.dumps(model))
    outcome = treecli("diff", "cpu.json", "other.json", CPU, "--structure", "-f", "json")
    (parting,) = json.loads(outcome.out)["structure"]
    assert parting["difference"] == "prediction"
    assert parting["a"].startswith("11.09714060639")
    assert parting["b"].startswith("12.09714060639")
    said(treecli, "rules", "cpu.json", "-o", "rules.txt")
    assert treecli("diff", "cpu.json", "rules.txt", CPU).code == 0
    refused = treecli("diff", "rules.txt", "rules.txt")
    assert refused.err.startswith("Error: a model that predicts by formulas has no exact regions\n")


def test_a_method_that_does_not_take_models_is_refused_with_those_that_do(treecli: Runner, cpu: Path) -> None:
    outcome = treecli("prune", "cpu.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines()[1:] == ["Hint: prune it with --method m5, --node or --depth"]


def test_the_path_of_means_is_refused(treecli: Runner, cpu: Path) -> None:
    outcome = treecli("prune", "cpu.json", "--path")
    assert (outcome.code, outcome.out) == (2, "")
    reason = "the leaves of the tree have models of their own, whose errors cost-complexity pruning does not estimate"
    assert outcome.err.splitlines() == [f"Error: {reason}", "Hint: prune it with --method m5, --node or --depth"]


@pytest.mark.parametrize("by", ["leaves", "depth"])
def test_a_curve_along_the_path_of_means_is_refused(treecli: Runner, by: str) -> None:
    outcome = treecli("curve", CPU, "--like", "m5p", "--by", by, "--folds", "3")
    assert (outcome.code, outcome.out) == (2, "")
    reason = f"--by {by} follows the cost-complexity path, which does not exist for leaves with their own models"
    assert outcome.err.splitlines()[0] == f"Error: {reason}"


def test_a_leaf_made_by_hand_is_smoothed_as_one_of_m5(treecli: Runner, cpu: Path) -> None:
    said(treecli, "prune", "cpu.json", "--node", "2", "-q", "-o", "small.json")
    nodes = {node["id"]: node for node in json.loads((cpu / "cpu.json").read_text())["nodes"]}
    own, root = nodes[2]["model"], nodes[0]["model"]
    leaf = json.loads((cpu / "small.json").read_text())["nodes"][2]["model"]
    n = nodes[2]["weight"]
    assert leaf["intercept"] == pytest.approx((n * own["intercept"] + 15 * root["intercept"]) / (n + 15))
    assert leaf["unsmoothed"]["intercept"] == own["intercept"]


def test_collapse_merges_leaves_only_if_their_formulas_are_equal(treecli: Runner, cpu: Path) -> None:
    (cpu / "xor.csv").write_text("x,y\n" + "".join(f"{x},{abs(x - 5)}\n" for x in range(11)))
    # Both halves of the tree have the mean 3 or so, and other slopes.
    said(treecli, "train", "xor.csv", "--leaf-model", "linear", "--no-smooth", "--prune", "none", "-q", "-o", "x.json")
    before = said(treecli, "show", "x.json")
    said(treecli, "prune", "x.json", "--collapse", "-q", "-o", "y.json")
    assert said(treecli, "show", "y.json") == before
    model = json.loads((cpu / "cpu.json").read_text())
    for node in model["nodes"]:
        node["model"] = model["nodes"][0]["model"]
    (cpu / "same.json").write_text(json.dumps(model))
    said(treecli, "prune", "same.json", "--collapse", "-q", "-o", "one.json")
    assert len(json.loads((cpu / "one.json").read_text())["nodes"]) == 1


def test_experiments_take_model_trees(treecli: Runner, cpu: Path) -> None:
    learners = ["--learner", "m5p: --like m5p", "--learner", "means: --like m5p --leaf-model constant"]
    found = json.loads(said(treecli, "compare", CPU, *learners, "--folds", "3", "--repeats", "1", "-f", "json"))
    means = {cell["learner"]: cell["mean"] for cell in found["means"]}
    assert means["m5p"] < means["means"]
    assert "min-split" in said(treecli, "sweep", CPU, "--like", "m5p", "--vary", "min-split=4,40", "--folds", "3")
    assert "size" in said(treecli, "curve", CPU, "--like", "m5p", "--repeats", "2")
    assert "CHMIN" in said(treecli, "stability", CPU, "--like", "m5p", "--samples", "5")


def test_cuts_that_are_mirror_images_are_chosen_as_weka_chooses_them(treecli: Runner, tmp_path: Path) -> None:
    # Weka 3.6.14's M5P -N -U -R with -x 10 -s 1. In two folds the last bit decides between equal cuts.
    low = [(1 + 4e-7 * i, i % 3) for i in range(8)]
    high = [(2 + 2e-6 * i, 10 + i % 3) for i in range(8)]
    (tmp_path / "near.csv").write_text("x,y\n" + "".join(f"{x:.7f},{y}\n" for x, y in low + high))
    options = ("--like", "m5p", "--leaf-model", "constant", "--prune", "none", "--no-smooth")
    folds = ("--folds", "10", "--seed", "1", "--folds-like", "weka")
    found = json.loads(said(treecli, "crossval", "near.csv", *options, *folds, "-f", "json", "-q"))
    assert (found["mae"], found["rmse"]) == pytest.approx((1.0520833333333335, 1.2140668570277888), abs=1e-12)
