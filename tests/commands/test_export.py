"""`treecli export`: options, messages, exit codes, and no file after an error."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import playtennis
from tests.exporters.models import MODELS, to_one_branch
from treecli.models import write_model

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(SAMPLES / "playtennis.csv", tmp_path / "days.csv")
    write_model(str(tmp_path / "model.json"), playtennis())
    write_model(str(tmp_path / "one.json"), to_one_branch(playtennis()))
    write_model(str(tmp_path / "price.json"), MODELS["regression"]())
    return tmp_path


def test_an_artefact_goes_to_stdout_or_to_a_file(treecli: Runner, folder: Path) -> None:
    code, out, err = treecli("export", "model.json", "--to", "python")
    assert (code, err) == (0, "")
    assert treecli("export", "model.json", "--to", "python", "-o", "tennis.py") == (0, "", "")
    assert (folder / "tennis.py").read_text() == out
    scope: dict[str, object] = {}
    exec(compile(out, "tennis.py", "exec"), scope)
    predict = scope["predict"]
    assert callable(predict)
    assert predict({"Outlook": "Sunny", "Humidity": "High"}) == "No"
    assert predict({}) == "Yes"  # 9 of the 14 days


def test_verifying_reports_the_number_of_rows_and_then_writes(treecli: Runner, folder: Path) -> None:
    code, out, err = treecli("export", "model.json", "--to", "sql", "--verify", "days.csv", "-o", "tennis.sql")
    assert (code, out) == (0, "")
    assert err.startswith("verified: the same predictions as the model on 14 rows of days.csv and on ")
    assert (folder / "tennis.sql").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--to", "pyhton"], 2, "did you mean 'python'?"),
        (["--to", "sql", "--dialect", "postgre"], 2, "did you mean 'postgres'?"),
        (["--to", "sql", "--as", "veiw"], 2, "did you mean 'view'?"),
        (["--to", "python", "--dialect", "sqlite"], 2, "--dialect: not for --to python"),
        (["--to", "c", "--table", "t"], 2, "--table: not for --to c"),
        (["--to", "java", "--as", "case"], 2, "--as: not for --to java"),
        (["--to", "sql", "--proba"], 2, "--proba: not for --to sql"),
        (["--to", "sql", "--as", "view"], 2, "name it with --table"),
        (["--to", "sql", "--name", "v"], 2, "it is for --as view"),
        (["--to", "python", "--name", "def"], 2, "'def' cannot be the name of a function in Python"),
        (["--to", "sql", "--unseen", "error"], 2, "say --unseen missing"),
        (
            ["--to", "sql", "--dialect", "mysql", "--verify", "days.csv"],
            2,
            "--dialect sqlite, duckdb or spark",
        ),
        (["--to", "python", "--verify", "dasy.csv"], 3, "did you mean 'days.csv'?"),
        (["--to", "onx"], 2, "did you mean 'onnx'?"),
        (["--to", "onnx", "--unseen", "error"], 2, "say --unseen missing"),
        (["--to", "pmml", "--table", "t"], 2, "--table: not for --to pmml"),
        (["--to", "sql", "--missing", "error"], 2, "a CASE cannot raise an error"),
        (["--to", "python", "--missing", "majorty"], 2, "did you mean 'majority'?"),
        ([], 2, "--to"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_impossible_requests_leave_no_file(
    treecli: Runner, folder: Path, arguments: list[str], code: int, message: str
) -> None:
    before = sorted(path.name for path in folder.iterdir())
    done = treecli("export", "one.json", *arguments, "-o", "out")
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("target", "tool"),
    [("c", "a C compiler (cc or gcc or clang)"), ("java", "javac"), ("javascript", "node or nodejs")],
)
def test_a_missing_tool_is_named_with_how_to_get_it(
    treecli: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch, target: str, tool: str
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    done = treecli("export", "model.json", "--to", target, "--verify", "days.csv", "-o", "out")
    assert (done.code, done.out) == (2, "")
    assert tool in done.err
    assert "apt install" in done.err
    assert not (folder / "out").exists()


def test_probabilities_are_for_classes(treecli: Runner, folder: Path) -> None:
    done = treecli("export", "price.json", "--to", "c", "--proba")
    assert (done.code, done.out) == (2, "")
    assert "has no classes" in done.err


def test_binary_output_goes_into_a_pipe_but_not_to_a_terminal(treecli: Runner, folder: Path) -> None:
    pytest.importorskip("onnx")
    assert "treecli" in treecli("export", "model.json", "--to", "onnx").out
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "treecli", "export", "model.json", "--to", "onnx"]
    done = subprocess.run(command, cwd=folder, stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert b"--to onnx: a terminal cannot show it" in done.stderr
    assert b"-o model.onnx" in done.stderr


def test_a_java_class_is_named_after_its_file(treecli: Runner, folder: Path) -> None:
    assert treecli("export", "model.json", "--to", "java", "-o", "Tennis.java").code == 0
    assert "public final class Tennis {" in (folder / "Tennis.java").read_text()
    assert "public final class Predict {" in treecli("export", "model.json", "--to", "java").out
    assert treecli("export", "model.json", "-o", "Packed.java.gz").code == 0
    assert b"public final class Packed {" in gzip.decompress((folder / "Packed.java.gz").read_bytes())


@pytest.mark.parametrize(
    ("name", "fitting"),
    [("my-days", "MyDays"), ("2x", "Model2x"), ("class", "Class"), ("weight_1", "Weight1"), ("ż", "Predict")],
)
def test_a_file_whose_name_no_java_class_can_have_is_refused_with_one_that_fits(
    treecli: Runner, folder: Path, name: str, fitting: str
) -> None:
    done = treecli("export", "model.json", "--to", "java", "-o", f"{name}.java")
    assert done.code == 2
    assert done.err == (
        f"Error: {name}.java: a Java class has the name of its file, and '{name}' cannot be the name of a class\n"
        f"Hint: name the file {fitting}.java; --name {fitting} names the class alone\n"
    )
    assert not (folder / f"{name}.java").exists()
    assert treecli("export", "model.json", "-o", f"{fitting}.java").code == 0


def test_a_java_class_in_a_file_of_another_name_is_warned_of(treecli: Runner, folder: Path) -> None:
    done = treecli("export", "model.json", "--name", "Tennis", "-o", "my-days.java")
    assert (done.code, done.err) == (0, "Warning: my-days.java: Java expects 'Tennis' in a file Tennis.java\n")
    assert "public final class Tennis {" in (folder / "my-days.java").read_text()
    assert treecli("export", "model.json", "--name", "Tennis", "-o", "Tennis.java").err == ""


def test_the_policy_for_unseen_labels_can_be_overridden(treecli: Runner, folder: Path) -> None:
    code, out, _ = treecli("export", "one.json", "--to", "python", "--unseen", "error")
    assert code == 0
    assert "raise ValueError" in out
    assert "raise ValueError" not in treecli("export", "one.json", "--to", "python").out


def test_the_policy_for_missing_values_can_be_overridden(treecli: Runner, folder: Path) -> None:
    to_spark = ("--to", "sql", "--dialect", "spark")
    done = treecli("export", "model.json", *to_spark)
    assert done.code == 2
    assert "Hint: export it with --missing majority" in done.err
    assert treecli("export", "model.json", *to_spark, "--missing", "majority", "-o", "spark.sql").code == 0
    code, out, err = treecli("export", "model.json", "--to", "python", "--missing", "error", "--verify", "days.csv")
    assert (code, err.split(":")[0]) == (0, "verified")
    assert "raise ValueError(\"the value of 'Outlook' is missing\")" in out
    done = treecli("export", "model.json", "--to", "python", "--missing", "branch")
    assert done.code == 2
    assert "3 of 3 inner nodes of model.json have no branch for missing values" in done.err
