"""Linear and m-of-n splits in every command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Runner
from treecli import plugins

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture
def folder(tmp_path: Path, treecli: Runner) -> Path:
    """A tree with both kinds of splits for iris, one with m-of-n splits for the votes, and one for numbers."""
    for name in ("iris.csv", "vote.arff", "cpu.csv", "playtennis.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    for name, data, kinds in (("iris", "iris.csv", "mofn,linear"), ("cpu", "cpu.csv", "linear,mofn")):
        assert treecli("train", data, "--splits", kinds, "--max-depth", "4", "-q", "-o", f"{name}.json").code == 0
    assert treecli("train", "vote.arff", "--splits", "mofn", "--max-depth", "3", "-q", "-o", "vote.json").code == 0
    return tmp_path


@pytest.mark.parametrize("name", ["iris.csv", "vote.arff", "cpu.csv"])
def test_rules_are_written_and_read_back(treecli: Runner, folder: Path, name: str) -> None:
    stem = name.partition(".")[0]
    assert treecli("rules", f"{stem}.json", "-o", "rules.txt", "-q").code == 0
    from_tree, from_rules = (treecli("predict", model, name).out for model in (f"{stem}.json", "rules.txt"))
    if name != "vote.arff":  # where values are missing, rules decide by the first that holds
        assert from_rules == from_tree
    again = treecli("rules", "rules.txt", "-o", "again.txt", "-q")
    assert again.code == 0, again.err
    assert (folder / "again.txt").read_text() == (folder / "rules.txt").read_text()
    if name == "iris.csv":
        assert treecli("rules", "rules.txt", "--lint").err == "rules.txt: no defects in 4 rules\n"


@pytest.mark.usefixtures("folder")
def test_rules_and_explanations_show_the_conditions(treecli: Runner) -> None:
    rules = treecli("rules", "iris.json").out
    assert " AND -0.5 * sepallength - 0.5 * sepalwidth + petallength + 0.8 * petalwidth <= 1.72 THEN" in rules
    assert " AND all of {sepallength <= 6.05, " in rules
    explained = treecli("explain", "iris.json", "iris.csv", "--row", "107").out
    assert "at most 2 of {" in explained


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "form", [name for name in plugins.names("renderers") if name not in ("pdf", "png", "j48", "m5p")]
)
@pytest.mark.parametrize("model", ["iris.json", "cpu.json"])
def test_a_tree_is_shown_in_every_form(treecli: Runner, model: str, form: str) -> None:
    code, out, err = treecli("show", model, "-f", form)
    assert code == 0, err
    assert "petalwidth" in out if model == "iris.json" else "CACH" in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("target", ["python", "sql", "javascript", "c", "java", "pmml", "onnx"])
@pytest.mark.parametrize("name", ["iris.csv", "cpu.csv"])
def test_exports_compute_the_same(treecli: Runner, name: str, target: str) -> None:
    tools = {"javascript": "node", "c": "gcc", "java": "javac", "pmml": "java"}
    if target in tools and shutil.which(tools[target]) is None:
        pytest.skip(f"{tools[target]} is not installed")
    for package in {"pmml": ["pypmml", "jpype"], "onnx": ["onnx", "onnxruntime"]}.get(target, []):
        pytest.importorskip(package)
    model = f"{name.partition('.')[0]}.json"
    code, _, err = treecli("export", model, "--to", target, "--verify", name, "-o", f"Out.{target}")
    assert code == 0, err
    assert "verified: the same predictions" in err


@pytest.mark.usefixtures("folder")
def test_duckdb_computes_the_same(treecli: Runner) -> None:
    pytest.importorskip("duckdb")
    arguments = ["export", "cpu.json", "--to", "sql", "--dialect", "duckdb", "--verify", "cpu.csv", "-o", "out.sql"]
    assert treecli(*arguments).code == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "options",
    [
        ["--method", "pessimistic"],
        ["--method", "pessimistic", "--raise", "--data", "iris.csv"],
        ["--method", "reduced-error", "--data", "iris.csv"],
        ["--method", "cost-complexity", "--leaves", "2"],
        ["--method", "cost-complexity", "--data", "iris.csv"],
        ["--method", "mdl"],
        ["--method", "min-error"],
    ],
    ids=" ".join,
)
def test_every_pruner_takes_the_tree_and_unused_columns_go(treecli: Runner, options: list[str]) -> None:
    code, _, err = treecli("prune", "iris.json", *options, "-o", "pruned.json")
    assert code == 0, err
    shown = json.loads(treecli("show", "pruned.json", "-f", "json").out)
    asked = {node["split"]["attribute"] for node in shown["nodes"] if "split" in node}
    derived = {row["name"] for row in json.loads(treecli("info", "pruned.json", "-f", "json").out)["attributes"]}
    assert asked <= derived


@pytest.mark.usefixtures("folder")
def test_subtrees_are_raised_and_grown_again_with_the_option(treecli: Runner) -> None:
    prune = ["--prune", "pessimistic", "--raise"]
    code, out, err = treecli("train", "vote.arff", "--splits", "mofn", *prune, "-q", "-o", "raised.json")
    assert code == 0, err
    assert "leaves" in out


@pytest.mark.usefixtures("folder")
def test_cross_validation_and_comparison_take_the_option(treecli: Runner) -> None:
    one, other = (treecli("crossval", "iris.csv", "--splits", "mofn,linear", "--folds", "3", "--jobs", n) for n in "12")
    assert one.code == 0, one.err
    assert one.out == other.out
    pytest.importorskip("scipy")
    learners = ["--learner", "plain:", "--learner", "oblique: --splits linear"]
    code, out, err = treecli("compare", "iris.csv", *learners, "--folds", "3")
    assert code == 0, err
    assert "oblique" in out


@pytest.mark.usefixtures("folder")
def test_decision_regions_have_oblique_borders(treecli: Runner, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = ["plot", "boundary", "iris.csv", "--model", "iris.json", "--x", "petallength", "--y", "petalwidth"]
    code, _, err = treecli(*plot, "-o", "out.svg")
    assert code == 0, err
    assert "petalwidth" in (tmp_path / "out.svg").read_text()


@pytest.mark.usefixtures("folder")
def test_models_are_compared_by_rows(treecli: Runner) -> None:
    assert treecli("train", "iris.csv", "--max-depth", "2", "-q", "-o", "plain.json").code == 0
    code, out, err = treecli("diff", "plain.json", "iris.json", "iris.csv", "-t", "class")
    assert code == 1
    assert out == "they differ on 6 of 150 rows; the first is right on 0 of them, the second on 6\n"
    assert err == ("a model that tests sums of attributes has no exact regions: only the rows are compared\n")
    facts = json.loads(treecli("diff", "plain.json", "iris.json", "iris.csv", "-f", "json").out)
    assert (facts["differ"], facts["exact"], facts["space"], facts["regions"]) == (True, False, None, [])
    code, out, _ = treecli("diff", "iris.json", "iris.json", "iris.csv", "--structure")
    assert (code, out) == (0, "they predict the same for all 150 rows\n")
    code, _, err = treecli("diff", "plain.json", "iris.json")
    assert code == 2
    assert "Hint: name a file with rows, which are compared instead: treecli diff A B DATA" in err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (
            ["train", "playtennis.csv", "--splits", "linear"],
            2,
            "--splits linear: needs at least two numeric attributes, none is",
            "leave it out, or use --splits mofn",
        ),
        (
            [
                "train",
                "iris.csv",
                "--splits",
                "linear",
                *(f"-x{n}" for n in ("sepallength", "sepalwidth", "petalwidth")),
            ],
            2,
            "--splits linear: needs at least two numeric attributes, only 'petallength' is",
            "leave it out, or use --splits mofn",
        ),
        (
            ["train", "iris.csv", "--splits", "liner"],
            2,
            "--splits: unknown 'liner' (known: linear, mofn)",
            "did you mean 'linear'?",
        ),
        (
            ["train", "iris.csv", "--splits", "mofn", "--like", "sklearn"],
            2,
            "--splits mofn: derived columns are not rounded to 32 bits",
            "leave out --like sklearn",
        ),
    ],
)
def test_bad_input_is_one_line(treecli: Runner, arguments: list[str], code: int, message: str, hint: str) -> None:
    found, _, err = treecli(*arguments, "-q", "-o", "out.json")
    assert (found, err) == (code, f"Error: {message}\nHint: {hint}\n")


@pytest.mark.usefixtures("folder")
def test_a_model_that_rounds_to_32_bits_has_no_derived_columns(treecli: Runner, tmp_path: Path) -> None:
    record = json.loads((tmp_path / "iris.json").read_text())
    record["settings"]["single_precision"] = True
    (tmp_path / "bad.json").write_text(json.dumps(record))
    code, _, err = treecli("predict", "bad.json", "iris.csv")
    assert code == 4
    assert "bad.json: settings: 'single_precision' and derived columns exclude each other" in err
    assert treecli("rules", "iris.json", "-q", "-o", "rules.txt").code == 0
    text = (tmp_path / "rules.txt").read_text()
    (tmp_path / "bad.txt").write_text(text.replace("decide by", "numbers are rounded to 32 bits\ndecide by"))
    code, _, err = treecli("predict", "bad.txt", "iris.csv")
    assert code == 4
    assert "expected no such line beside derived columns" in err
