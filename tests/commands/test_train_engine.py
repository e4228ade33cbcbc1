"""`train --engine duckdb`: the model of the memory engine, with a record of the passes; refusals of one line."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA
from treecli.engines._limits import Ceiling
from treecli.errors import UsageError

FEW_ROWS = 30
"""So that levels are counted: larger nodes do not fit into the pretended memory."""


@pytest.fixture(params=[None, FEW_ROWS], ids=["in memory", "counted"])
def most_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int | None:
    if request.param is not None:
        monkeypatch.setattr(Ceiling, "most_rows", lambda *_: request.param)
    found: int | None = request.param
    return found


def trained(treecli: Runner, *arguments: str) -> dict[str, Any]:
    code, out, err = treecli("train", *arguments, "-q", "-o", "-")
    assert code == 0, err
    model: dict[str, Any] = json.loads(out)
    return model


def both(treecli: Runner, *arguments: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The model of the memory engine and that of duckdb, without the record of the passes, which is checked."""
    model = trained(treecli, *arguments, "--engine", "duckdb")
    record = model["lineage"][0].pop("engine")
    assert record["name"] == "duckdb"
    assert record["passes"] >= 1
    return trained(treecli, *arguments), model


@pytest.mark.usefixtures("most_rows")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("iris.csv", ()),
        ("titanic.csv", ()),
        ("titanic.csv", ("--nominal", "subset", "--criterion", "gini", "--missing", "branch")),
        ("courses.csv", ("--like", "id3", "--missing", "majority")),
        ("playtennis.csv", ("--keep", "Day", "--max-depth", "2")),
    ],
)
def test_the_model_is_that_of_the_memory_engine(treecli: Runner, name: str, options: tuple[str, ...]) -> None:
    expected, found = both(treecli, str(SAMPLE_DATA / name), *options)
    assert json.dumps(found) == json.dumps(expected)


@pytest.mark.usefixtures("most_rows")
def test_labels_of_parquet_and_of_several_files_are_in_the_order_of_the_rows(treecli: Runner, tmp_path: Path) -> None:
    colours = ["red", "blue", "blue", None, "green", "red"] * 12
    sizes = [3.0, 1.0, None, 2.5, -0.0, 3.0] * 12
    classes = ["b", "a", "a", "b", "c", "b"] * 12
    table = pa.table({"colour": colours, "size": sizes, "class": classes})
    parquet.write_table(table, tmp_path / "whole.parquet", row_group_size=7)
    expected, found = both(treecli, "whole.parquet", "--missing", "branch")
    assert json.dumps(found) == json.dumps(expected)
    parquet.write_table(table.slice(0, 30), tmp_path / "part-1.parquet")
    parquet.write_table(table.slice(30), tmp_path / "part-2.parquet")
    parts = trained(treecli, "part-*.parquet", "--engine", "duckdb", "--missing", "branch")
    assert json.dumps(parts["nodes"]) == json.dumps(expected["nodes"])
    assert parts["schema"] == expected["schema"]


@pytest.mark.usefixtures("most_rows")
def test_whole_weights_ordinals_and_rows_without_a_class_are_counted(treecli: Runner, tmp_path: Path) -> None:
    lines = ["size,x,w,class", "low,1.5,2,a", "high,2.5,0,b", "mid,,3,b", "low,2.5,1,", "mid,9,1,a", "high,7,4,b"]
    (tmp_path / "rows.csv").write_text("\n".join([lines[0], *(lines[1:] * 11)]) + "\n")
    options = ("rows.csv", "--weights", "w", "--type", "size=ordinal:low<mid<high", "--missing", "majority")
    expected, found = both(treecli, *options)
    assert json.dumps(found) == json.dumps(expected)


def test_the_summary_says_how_often_the_data_were_read(treecli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ceiling, "most_rows", lambda *_: FEW_ROWS)
    code, out, err = treecli("train", SAMPLE_DATA / "iris.csv", "--engine", "duckdb", "-o", "iris.json")
    assert code == 0, err
    *_, size, passes, training = out.splitlines()
    assert size == "17 nodes, 9 leaves, depth 5"
    assert passes == "passes: 5 over the codes, 2 over the source; 2 nodes finished in memory"
    assert training == "training: 0 of 150 wrong, accuracy 1.0000 (95 %: 0.9750 to 1.0000)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--like", "rpart"),
            "--engine duckdb: the arithmetic of another program ('shares') needs the rows one by one",
        ),
        (("--threshold", "mean"), "--engine duckdb: --threshold mean needs all values"),
        (("--forest", "3"), "--engine duckdb: grows one tree, not --forest"),
        (("--prune", "reduced-error"), "--engine duckdb: --prune reduced-error uses rows"),
        (("--memory", "10MB"), "--memory: 10 MB do not suffice for the program itself"),
        (("--test-fraction", "0.3"), "--test-fraction: needs the rows, which --engine duckdb does not fetch"),
        (("-t", "petalwidht"), "iris.csv: found no column 'petalwidht' (--target); there are"),
    ],
)
def test_what_counts_cannot_do_is_refused_in_one_line(
    treecli: Runner, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    shutil.copy(SAMPLE_DATA / "iris.csv", tmp_path)
    code, out, err = treecli("train", "iris.csv", "--engine", "duckdb", *options, "-o", "iris.json", "-q")
    error, hint = err.splitlines()
    assert (code, out) == (2, "")
    assert error.startswith(f"Error: {message}")
    assert hint.startswith("Hint: ")
    assert not (tmp_path / "iris.json").exists()


def test_a_full_disk_is_one_line_and_leaves_nothing_behind(tmp_path: Path) -> None:
    rows = "".join(f"{i % 7},{i % 11},{'ab'[i % 2]}\n" for i in range(20_000))
    (tmp_path / "rows.csv").write_text(f"x,z,class\n{rows}")
    (tmp_path / "temp").mkdir()
    command = [sys.executable, "-m", "treecli", "train", "rows.csv", "--engine", "duckdb", "--temp", "temp", "-q"]
    limit = 32 << 10  # a column takes 160 kB; Python turns the signal of the limit into an error
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 3
    error, hint = done.stderr.splitlines()
    assert error == "Error: temp: codes cannot be written: the disk is full"
    assert hint == "Hint: name a folder with more room: --temp DIR"
    assert not list((tmp_path / "temp").iterdir())
    assert not (tmp_path / "rows.json").exists()


def test_weights_where_rows_must_be_counted_are_refused(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("x,w,y\n1,5,a\n2,3,b\n")
    options = ("--like", "j48", "--threshold", "midpoint", "--prune", "none", "--weights", "w")
    refused = treecli("train", "rows.csv", "--engine", "duckdb", *options, "-o", "m.json", "-q")
    assert refused.code == 2
    assert "a branch must hold a share of the rows, and rows with weights are not counted one by one" in refused.err


@pytest.mark.usefixtures("most_rows")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("cpu.csv", ()),
        ("cpu.csv", ("--criterion", "sdr", "--nominal", "subset", "--weights", "MMIN")),
        ("iris.csv", ("-t", "petallength", "--missing", "branch", "--max-depth", "4")),
        ("courses-rating.csv", ("--nominal", "binary", "--prune", "none")),
    ],
)
def test_a_numeric_target_gives_the_model_of_the_memory_engine(
    treecli: Runner, name: str, options: tuple[str, ...]
) -> None:
    expected, found = both(treecli, str(SAMPLE_DATA / name), *options)
    assert json.dumps(found) == json.dumps(expected)


def test_the_summary_of_a_numeric_target_is_that_in_memory(treecli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ceiling, "most_rows", lambda *_: FEW_ROWS)
    data = SAMPLE_DATA / "cpu.csv"
    command = ("train", data, "--max-depth", "3", "--test", data, "-o", "cpu.json", "-q")
    counted, in_memory = treecli(*command, "--engine", "duckdb"), treecli(*command)
    assert (counted.code, in_memory.code) == (0, 0), counted.err
    *tree, passes, training, test = counted.out.splitlines()
    assert [*tree, training, test] == in_memory.out.splitlines()
    assert training.startswith("training: mean absolute error ")
    assert passes.startswith("passes: 7 over the codes")


def test_a_numeric_target_that_may_be_classes_is_noticed_as_in_memory(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("x,late\n1,0\n2,1\n3,1\n4,0\n")
    counted, in_memory = (
        treecli("train", "rows.csv", *options, "-o", "m.json").err.splitlines()
        for options in (("--engine", "duckdb"), ())
    )
    notice = "the target 'late' has few whole numbers (0, 1) and is read as numeric: regression"
    assert [line for line in counted if notice in line] == [line for line in in_memory if notice in line] != []


@pytest.mark.parametrize(
    ("rows", "options", "message", "code"),
    [
        (["1,1e80", "2,3"], (), "rows.csv: the target 'y' contains 1e+80, expected -1e+60 to 1e+60", 3),
        (["1,1", "2,3"], ("--strategy", "boat"), "--strategy boat: counts classes, and the target 'y' is numeric", 2),
        (
            ["1,1", "2,3"],
            ("--criterion", "absolute"),
            "--engine duckdb: --criterion absolute needs the medians of rows",
            2,
        ),
    ],
)
def test_a_numeric_target_that_cannot_be_summed_is_refused_in_one_line(
    treecli: Runner, tmp_path: Path, rows: list[str], options: tuple[str, ...], message: str, code: int
) -> None:
    (tmp_path / "rows.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    refused = treecli("train", "rows.csv", "--engine", "duckdb", *options, "-o", "m.json", "-q")
    error, hint = refused.err.splitlines()
    assert (refused.code, error) == (code, f"Error: {message}")
    assert hint.startswith("Hint: ")


@pytest.mark.usefixtures("most_rows")
def test_weights_that_are_not_whole_are_added_in_the_order_of_the_rows(treecli: Runner, tmp_path: Path) -> None:
    lines = [f"{i * 7 % 13},{'abc'[i % 3]},{0.1 + i % 4 / 3},{'uv'[i * i % 5 > 1]}" for i in range(200)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,z,w,class", *lines]) + "\n")
    expected, found = both(treecli, "rows.csv", "--weights", "w", "--max-depth", "4")
    assert json.dumps(found) == json.dumps(expected)


@pytest.mark.usefixtures("most_rows")
def test_rows_of_a_vanishing_weight_are_ignored_as_in_memory(treecli: Runner, tmp_path: Path) -> None:
    # 2^-46 of the weight of all rows is 1 and a bit: the rows of weight 1 do not count, those of weight 3 do.
    heavy, lines = 2**46 // 40 + 1, ["x,w,class"]
    lines += [f"{i},{heavy},{'ab'[i % 3 == 0]}" for i in range(40)]
    lines += [f"{i + 0.5},{weight},c" for i in range(40) for weight in (1, 3)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    here, there = both(treecli, "t.csv", "--weights", "w", "-t", "class")
    assert here["nodes"] == there["nodes"]
    assert here["nodes"][0]["counts"][2] == 120


@pytest.mark.usefixtures("most_rows")
@pytest.mark.parametrize("policy", ["stay", "majority", "branch", "fractional"])
def test_the_errors_on_the_training_rows_are_those_in_memory(treecli: Runner, tmp_path: Path, policy: str) -> None:
    cells = ["?" if i % 4 == 0 else str(i * 7 % 50) for i in range(120)]
    lines = [f"{cell},{'ab?'[i % 3]},{'pqr'[(i * 7 % 50 > 20) + (i % 11 == 0)]}" for i, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y,class", *lines]) + "\n")
    words = ["train", "t.csv", "--missing", policy, "--max-depth", "3", "-o", "m.json"]
    here, there = treecli(*words), treecli(*words, "--engine", "duckdb")
    assert here.out.splitlines()[-1].startswith("training: ")
    assert there.out.splitlines()[-1] == here.out.splitlines()[-1]


def test_errors_that_cannot_be_predicted_in_memory_are_left_out_with_a_notice(
    treecli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ceiling, "can_predict", lambda *_: False)
    words = ["train", str(SAMPLE_DATA / "cpu.csv"), "--engine", "duckdb", "--max-depth", "2", "-o", "m.json"]
    code, out, err = treecli(*words)
    assert code == 0
    assert "training:" not in out
    assert "the errors on the training rows are left out: to predict them takes more than --memory\n" in err


@pytest.mark.parametrize(("share", "size", "enough"), [(1.0, "200 MB", 361), (0.5, "about 440 MB", 601)])
def test_a_tree_above_the_ceiling_is_refused_with_the_ceiling_that_would_do(
    share: float, size: str, enough: int
) -> None:
    # 160 MB are for the program; a tree of which half of the rows are grown is expected to double, and a tenth more.
    ceiling = Ceiling(350 << 20)
    ceiling.check_tree(190 << 20, share)
    with pytest.raises(UsageError, match=f"the tree takes {size}, and 350 MB do not suffice") as found:
        ceiling.check_tree(200 << 20, share)
    assert found.value.hint is not None
    assert found.value.hint.startswith(f"give --memory {enough}MB")
