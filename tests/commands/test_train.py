"""`treecli train` as a process: files, streams, options and messages."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

PLAYTENNIS = SAMPLE_DATA / "playtennis.csv"
IRIS = SAMPLE_DATA / "iris.csv"
CPU = SAMPLE_DATA / "cpu.csv"
TITANIC = SAMPLE_DATA / "titanic.csv"


def model_in(folder: Path, name: str = "model.json") -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / name).read_bytes())
    return record


# Times are printed on stderr, so that stdout is the same each time.
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("playtennis", [PLAYTENNIS, "--criterion", "gainratio"]),
        ("iris", [IRIS]),
        ("cpu", [CPU, "--max-depth", "3"]),
        ("cpu-large", [CPU]),
        ("titanic", [TITANIC, "--weights", "Count", "--max-depth", "2"]),
    ],
)
def test_the_output_of_training(
    treecli: Runner, golden: Callable[[str, str], None], name: str, arguments: list[str | Path]
) -> None:
    code, out, _ = treecli("train", *arguments)
    assert code == 0
    golden(f"train/{name}", out)


@pytest.mark.parametrize("name", ["days.csv", "days.csv.gz", "my.days.csv"])
def test_the_model_is_called_after_the_data_and_written_into_the_current_folder(
    treecli: Runner, tmp_path: Path, name: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "here").mkdir()
    content = PLAYTENNIS.read_bytes()
    (tmp_path / "data" / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    code, _, err = treecli("train", f"../data/{name}", cwd=tmp_path / "here")
    stem = name.removesuffix(".gz").removesuffix(".csv")
    assert code == 0
    assert os.listdir(tmp_path / "here") == [f"{stem}.json"]
    assert f"wrote {stem}.json" in err


def test_a_model_on_stdout_is_all_that_stdout_holds(treecli: Runner, tmp_path: Path) -> None:
    treecli("train", PLAYTENNIS, "-o", "model.json")
    code, out, err = treecli("train", PLAYTENNIS, "-o", "-")
    assert code == 0
    assert out.encode() == (tmp_path / "model.json").read_bytes()
    assert "wrote the model to stdout" in err
    assert os.listdir(tmp_path) == ["model.json"]


def test_data_from_stdin_gives_the_same_tree(treecli: Runner, tmp_path: Path) -> None:
    treecli("train", PLAYTENNIS, "-o", "model.json")
    code, out, _ = treecli("train", "-", "--from", "csv", "-o", "-", input=PLAYTENNIS.read_bytes())
    assert code == 0
    assert json.loads(out)["nodes"] == model_in(tmp_path)["nodes"]


def test_data_from_stdin_needs_a_name_for_the_model(treecli: Runner, tmp_path: Path) -> None:
    code, out, err = treecli("train", "-", "--from", "csv", input=PLAYTENNIS.read_bytes())
    assert (code, out) == (2, "")
    assert "-o FILE" in err
    assert not os.listdir(tmp_path)


def test_messages_go_to_stderr_and_quiet_silences_them(treecli: Runner) -> None:
    _, out, err = treecli("train", PLAYTENNIS)
    assert "14 rows" in err
    assert "left out 'Day'" in err
    assert "--keep Day" in err
    assert "14 rows" not in out
    code, quiet_out, quiet_err = treecli("train", PLAYTENNIS, "-q")
    assert (code, quiet_out, quiet_err) == (0, out, "")


def test_the_model_names_its_data_without_a_path_or_a_time(treecli: Runner, tmp_path: Path) -> None:
    treecli("train", PLAYTENNIS, "-o", "one.json")
    treecli("train", PLAYTENNIS, "-o", "two.json", "--jobs", "2")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    model = model_in(tmp_path, "one.json")
    (step,) = model["lineage"]
    assert (step["command"], step["data"], step["rows"]) == ("train", "playtennis.csv", 14)
    assert step["left_out"] == {"Day": "every value is different"}
    assert str(SAMPLE_DATA) not in (tmp_path / "one.json").read_text()
    assert model["settings"]["criterion"] == "gainratio"


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (["--criterion", "gini"], "criterion", "gini"),
        (["--nominal", "subset"], "nominal", "subset"),
        (["--threshold", "datavalue"], "threshold", "datavalue"),
        (["--missing", "branch"], "missing", "branch"),
        (["--unseen", "majority"], "unseen", "majority"),
        (["--max-depth", "2"], "max_depth", 2),
        (["--min-split", "5"], "min_split", 5.0),
        (["--min-leaf", "2.5"], "min_leaf", 2.5),
        (["--min-gain", "0.125"], "min_gain", 0.125),
        (["--max-leaves", "4"], "max_leaves", 4),
        (["--chi2-alpha", "0.2"], "chi2_alpha", 0.2),
        (["--seed", "7"], "seed", 7),
    ],
)
def test_every_option_reaches_the_model(
    treecli: Runner, tmp_path: Path, arguments: list[str], name: str, value: object
) -> None:
    assert treecli("train", PLAYTENNIS, "-o", "plain.json").code == 0
    assert treecli("train", PLAYTENNIS, "-o", "model.json", *arguments).code == 0
    settings, plain = model_in(tmp_path)["settings"], model_in(tmp_path, "plain.json")["settings"]
    assert settings == {**plain, name: value}
    assert plain[name] != value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--criterion", "gan"], "did you mean 'gain'?"),
        (["--criterion", "Gain"], "did you mean 'gain'?"),
        (["--nominal", "multi"], "multiway"),
        (["--threshold", "middle"], "midpoint"),
        (["--missing", "fraction"], "fractional"),
        (["--max-depth", "-1"], "--max-depth"),
        (["--max-depth", "two"], "--max-depth"),
        (["--min-leaf", "0"], "--min-leaf"),
        (["--max-leaves", "0"], "--max-leaves"),
        (["--chi2-alpha", "1.5"], "--chi2-alpha"),
        (["--test-fraction", "1"], "--test-fraction"),
        (["--test-fraction", "0.01"], "leaves none on one side"),
        (["--test", "x.csv", "--test-fraction", "0.5"], "exclude each other"),
        (["--type", "Outlook"], "--type"),
        (["--jobs", "0"], "--jobs"),
        (["--target", "Outlok"], "did you mean 'Outlook'?"),
        (["--criterion", "variance"], "error or gain or gainratio or gini"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_a_bad_value_is_refused_and_nothing_is_written(
    treecli: Runner, tmp_path: Path, arguments: list[str], message: str
) -> None:
    code, out, err = treecli("train", PLAYTENNIS, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Error: " in err
    assert "Traceback" not in err
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("arguments", [["--criterion", "gini"], ["--chi2-alpha", "0.05"]])
def test_options_for_classes_are_refused_for_a_numeric_target(treecli: Runner, arguments: list[str]) -> None:
    code, _, err = treecli("train", CPU, *arguments)
    assert code == 2
    assert "'performance' is numeric" in err
    assert "--type performance=nominal" in err


def test_a_folder_that_is_not_there_is_named(treecli: Runner, tmp_path: Path) -> None:
    code, _, err = treecli("train", PLAYTENNIS, "-o", "no/such/folder/model.json")
    assert code == 2
    assert "no/such/folder/model.json" in err
    assert not os.listdir(tmp_path)


def test_a_missing_file_is_named_with_exit_code_3(treecli: Runner) -> None:
    code, _, err = treecli("train", "nowhere.csv")
    assert code == 3
    assert "nowhere.csv" in err


def test_rows_held_aside_are_drawn_by_the_seed(treecli: Runner, tmp_path: Path) -> None:
    def trained(seed: str, name: str) -> str:
        arguments = ("--test-fraction", "0.3", "--seed", seed, "-o", name)
        code, out, err = treecli("train", IRIS, *arguments)
        assert code == 0
        assert f"105 rows to grow from, 45 held out (seed {seed})" in err
        return out

    assert trained("1", "one.json") == trained("1", "same.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "same.json").read_bytes()
    trained("2", "two.json")
    assert model_in(tmp_path, "one.json")["nodes"] != model_in(tmp_path, "two.json")["nodes"]
    step = model_in(tmp_path, "one.json")["lineage"][0]
    assert (step["rows"], step["test_fraction"], step["test_rows"]) == (105, 0.3, 45)
    # Each class keeps its share: 50 of each, 35 to grow from.
    assert model_in(tmp_path, "one.json")["nodes"][0]["counts"] == [35.0, 35.0, 35.0]


def test_an_honest_accuracy_is_that_of_evaluate(treecli: Runner, tmp_path: Path) -> None:
    lines = IRIS.read_text().splitlines(keepends=True)
    (tmp_path / "train.csv").write_text("".join([lines[0], *lines[1::2]]))
    (tmp_path / "test.csv").write_text("".join([lines[0], *lines[2::2]]))
    code, out, _ = treecli("train", "train.csv", "--test", "test.csv")
    assert code == 0
    measures = json.loads(treecli("evaluate", "train.json", "test.csv", "-f", "json").out)
    assert out.splitlines()[-1].startswith(f"test: {measures['errors']:g} of 75 wrong, accuracy ")
    assert out.splitlines()[-2].startswith("training: 0 of 75 wrong, accuracy 1.0000")


def test_one_class_makes_a_leaf_and_a_warning(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,a\n3,a\n")
    code, out, err = treecli("train", "one.csv")
    assert code == 0
    assert "Warning: the target 'y' has only one class: the tree is a single leaf" in err
    assert "1 node, 1 leaf, depth 0" in out


def test_an_identifier_that_is_kept_is_the_whole_tree(treecli: Runner) -> None:
    code, out, _ = treecli("train", PLAYTENNIS, "--keep", "Day")
    assert code == 0
    assert "Day = D1: No (1.0)" in out
    assert "15 nodes, 14 leaves, depth 1" in out


def test_uncompiled_kernels_say_so_once(tmp_path: Path) -> None:
    def run(uncompiled: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "TREECLI_UNCOMPILED": uncompiled}
        command = [sys.executable, "-m", "treecli", "train", str(PLAYTENNIS), "-o", f"model{uncompiled}.json"]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)

    slow = run("1")
    assert slow.stderr.count("not compiled") == 1
    assert "not compiled" not in slow.stdout
    quick = run("")
    assert slow.stdout == quick.stdout
    assert (tmp_path / "model1.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_a_model_is_replaced_whole_or_not_at_all(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "playtennis.json").write_text("precious")
    assert treecli("train", PLAYTENNIS, "--criterion", "variance").code == 2
    assert (tmp_path / "playtennis.json").read_text() == "precious"
    assert treecli("train", PLAYTENNIS).code == 0
    assert model_in(tmp_path, "playtennis.json")["format"] == "treecli-model"


@pytest.mark.parametrize("options", [["--test"], ["--prune", "reduced-error", "--tune"]], ids=["test", "tune"])
def test_rows_held_aside_that_are_the_training_rows_are_warned_of(
    treecli: Runner, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "d.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    done = treecli("train", "d.csv", *options, "d.csv")
    assert done.code == 0
    assert "Warning: d.csv: these are the rows the model is grown from" in done.err


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["iris.csv"], ["grown depth first from packed lists"]),
        (
            ["playtennis.csv"],
            [
                "not grown from packed lists: an attribute is not numeric",
                "grown level by level, small nodes depth first",
            ],
        ),
        (
            ["iris.csv", "--competitors", "1"],
            [
                "not grown from packed lists: every level is observed, as for --competitors",
                "small nodes not grown depth first: every level is observed, as for --competitors",
                "grown level by level",
            ],
        ),
        (
            ["vote.arff", "--like", "rpart", "--nominal", "multiway"],
            [
                "scores are sums, not in the arithmetic 'shares': rpart's arithmetic groups labels in two",
                "not grown from packed lists: splits must lower the risk",
                "small nodes not grown depth first: splits must save a risk (cp)",
                "grown level by level",
            ],
        ),
    ],
)
def test_verbose_tells_which_way_grew_the_tree_and_why(treecli: Runner, line: list[str], expected: list[str]) -> None:
    data = str(SAMPLE_DATA / line[0])
    said = treecli("train", data, *line[1:], "-o", "model.json", "--verbose").err.splitlines()
    assert [own for own in said if own in expected] == expected
    assert not set(expected) & set(treecli("train", data, *line[1:], "-o", "model.json").err.splitlines())
