"""predict, evaluate and info where the data are, beside the same commands in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

MODELS = {
    "c45": ("iris.csv", "--like c45"),
    "default": ("playtennis.csv", ""),
    "binary": ("shapes.csv", "--nominal binary"),
    "subset": ("courses.csv", "--nominal subset"),
    "sklearn": ("iris.csv", "--like sklearn --max-depth 3"),
    "surrogates": ("iris.csv", "--like rpart"),
    "laplace": ("playtennis.csv", "--laplace --max-depth 1"),
    "weights": ("titanic.csv", "--weights Count"),
    "majority": ("shapes-disjunctive.csv", "--missing majority --max-depth 2"),
    "m-of-n": ("playtennis.csv", "--splits mofn"),
    "priors": ("iris.csv", "--priors equal --max-depth 1"),
    "single leaf": ("iris.csv", "--max-depth 0"),
    "forest": ("iris.csv", "--forest 5 --missing majority"),
    "voting": ("iris.csv", "--boost 3 --max-depth 1"),
    "boosted": ("iris.csv", "--boost 3 --max-depth 1 --missing majority"),
    "regression": ("cpu.csv", "--min-leaf 5"),
    "model tree": ("cpu.csv", "--like m5p"),
    "rating": ("courses-rating.csv", "--max-depth 2"),
}

WITHOUT_PROBABILITIES = {"forest", "boosted", "voting"}


def with_holes(path: Path) -> str:
    """A sample file with every 7th cell missing, except in the last column, and some unknown labels."""
    header, *lines = path.read_text().splitlines()
    rows = [line.split(",") for line in lines]
    for number, row in enumerate(rows):
        for place in range(len(row) - 1):
            if (number * 5 + place) % 7 == 0:
                row[place] = "?"
            elif (number + place) % 11 == 0 and not row[place].replace(".", "").isdigit():
                row[place] = "another"
    return "\n".join([header, *(",".join(row) for row in rows)]) + "\n"


TRAINED: dict[str, bytes] = {}
"""The files of models that were trained already, by kind."""


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest, treecli: Runner, tmp_path: Path) -> str:
    """The kind of the model in model.json; data.csv has its training rows, holes.csv missing and unknown values."""
    kind = str(request.param)
    name, words = MODELS[kind]
    (tmp_path / "data.csv").write_bytes((SAMPLE_DATA / name).read_bytes())
    (tmp_path / "holes.csv").write_text(with_holes(SAMPLE_DATA / name))
    if kind not in TRAINED:
        assert treecli("train", "data.csv", "-q", "-o", "model.json", *words.split()).code == 0
        TRAINED[kind] = (tmp_path / "model.json").read_bytes()
    (tmp_path / "model.json").write_bytes(TRAINED[kind])
    return kind


def both(treecli: Runner, *words: str) -> tuple[Any, Any]:
    """The outcomes in memory and in DuckDB."""
    return treecli(*words), treecli(*words, "--engine", "duckdb")


@pytest.mark.parametrize("data", ["data.csv", "holes.csv"])
def test_predictions_are_those_in_memory_to_the_byte(treecli: Runner, model: str, data: str) -> None:
    here, there = both(treecli, "predict", "model.json", data)
    assert there == here


@pytest.mark.parametrize("data", ["data.csv", "holes.csv"])
def test_measures_are_those_in_memory(treecli: Runner, model: str, data: str) -> None:
    weights = ["--weights", "Count"] if model == "weights" else []
    here, there = both(treecli, "evaluate", "model.json", data, "-f", "json", *weights)
    if here.code:
        # Weights with holes are bad data in both.
        assert there.code == here.code
        return
    own, other = json.loads(there.out), json.loads(here.out)
    if model in WITHOUT_PROBABILITIES:
        assert own["auc"] is None
        assert "measures of probabilities are left out" in there.err
        other |= {key: own[key] for key in own if own[key] is None or key == "auc_one_vs_rest"}
    assert close(own, other)
    counts = ("n", "errors", "accuracy", "kappa", "confusion", "confusion_other", "per_class")
    assert {key: own.get(key) for key in counts} == {key: other.get(key) for key in counts}


def close(own: Any, other: Any) -> bool:
    """Whether two JSON values are equal, numbers except for rounding."""
    if isinstance(own, dict):
        return own.keys() == other.keys() and all(close(own[key], other[key]) for key in own)
    if isinstance(own, list):
        return len(own) == len(other) and all(map(close, own, other))
    if isinstance(own, float) and other is not None:
        return bool(own == pytest.approx(other, rel=1e-12))
    return bool(own == other)


def test_the_warnings_about_unknown_labels_are_those_in_memory(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "days.csv").write_text(
        "Outlook,Temperature,Humidity,Wind,PlayTennis\nFoggy,Hot,High,Weak,Yes\nSunny,Hot,High,Calm,Maybe\n"
        "Hazy,Hot,High,Weak,\n"
    )
    treecli("train", SAMPLE_DATA / "playtennis.csv", "-q", "-o", "model.json")
    here, there = both(treecli, "evaluate", "model.json", "days.csv")
    assert sorted(there.err.splitlines()) == sorted(here.err.splitlines())
    assert there.out == here.out


COPIES = {
    "quotes": 'x,note,y\n1,"a, ""b""",u\n2," ",v\n3,"two\nlines",u\n',
    "semicolons": "x;note;y\n1,5;a;0,25\n2,5;b, c;1,75\n3,5;;0,25\n",
    "tabs": "x\tnote\ty\n1\ta\tu\n2\tb\tv\n",
    "a column named prediction": "x,prediction,y\n1,a,u\n2,b,v\n",
}


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES)
def test_the_other_columns_are_passed_on_as_in_memory(treecli: Runner, tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_bytes(text.replace('" "', "").encode())
    assert treecli("train", "t.csv", "-q", "--keep", "note", "-x", "note", "-o", "model.json").code in (0, 2)
    assert treecli("train", "t.csv", "-q", "-x", "note" if "note" in text else "prediction", "-o", "m.json").code == 0
    here, there = both(treecli, "predict", "m.json", "t.csv")
    assert there == here
    here, there = both(treecli, "predict", "m.json", "t.csv", "-f", "tsv")
    assert there == here


def test_a_table_is_predicted_and_written_as_parquet(treecli: Runner, tmp_path: Path) -> None:
    treecli("train", SAMPLE_DATA / "iris.csv", "-q", "-o", "model.json")
    with duckdb.connect(str(tmp_path / "flowers.duckdb")) as connection:
        connection.execute(f"CREATE TABLE flowers AS SELECT *, [1] AS list FROM '{SAMPLE_DATA / 'iris.csv'}'")
    words = ["predict", "model.json", "flowers.duckdb", "--engine", "duckdb", "--table", "flowers"]
    assert treecli(*words, "-o", "p.parquet").code == 0
    rows = duckdb.sql(f"SELECT count(*), count(list), sum((class = prediction)::INT) FROM '{tmp_path / 'p.parquet'}'")
    assert rows.fetchall() == [(150, 150, 150)]
    found = treecli("evaluate", *words[1:], "-f", "json")
    assert json.loads(found.out)["errors"] == 0
    assert treecli(*words[:-1], "flower").err == (
        "Error: flowers.duckdb: found no table 'flower'; there are flowers\nHint: did you mean 'flowers'?\n"
    )


def test_many_files_are_predicted_in_the_order_of_their_names(treecli: Runner, tmp_path: Path) -> None:
    treecli("train", SAMPLE_DATA / "iris.csv", "-q", "-o", "model.json")
    header, *lines = (SAMPLE_DATA / "iris.csv").read_text().splitlines()
    for part in range(5):
        (tmp_path / f"part-{part}.csv").write_text("\n".join([header, *lines[part * 30 : part * 30 + 30]]) + "\n")
    there = treecli("predict", "model.json", "part-*.csv", "--engine", "duckdb", "--jobs", "2")
    assert there == treecli("predict", "model.json", SAMPLE_DATA / "iris.csv")


@pytest.mark.parametrize("missing", ["fractional", "majority"])
def test_the_rows_keep_their_order_with_any_number_of_threads(treecli: Runner, tmp_path: Path, missing: str) -> None:
    # Enough rows that each thread reads some; the model of fractional parts has inner queries, which become joins.
    (tmp_path / "t.csv").write_text("x,z,y\n" + "".join(f"{i},{i % 7},{'ab'[i % 7 > 3]}\n" for i in range(150_000)))
    (tmp_path / "few.csv").write_text("x,z,y\n1,1,a\n1,2,a\n1,5,b\n1,6,b\n")
    treecli("train", "few.csv", "-q", "--missing", missing, "-o", "model.json")
    here, there = both(treecli, "predict", "model.json", "t.csv", "--jobs", "4")
    assert there == here
    assert treecli("predict", "model.json", "t.csv", "--engine", "duckdb", "-o", "t.parquet").code == 0
    wrong = duckdb.sql(f"SELECT count(*) FROM '{tmp_path / 't.parquet'}' WHERE x <> file_row_number")
    assert wrong.fetchall() == [(0,)]


def test_an_output_among_the_files_of_a_pattern_is_not_overwritten(treecli: Runner, tmp_path: Path) -> None:
    treecli("train", SAMPLE_DATA / "iris.csv", "-q", "-o", "model.json")
    before = (SAMPLE_DATA / "iris.csv").read_bytes()
    (tmp_path / "part-1.csv").write_bytes(before)
    found = treecli("predict", "model.json", "part-*.csv", "--engine", "duckdb", "-o", "part-1.csv")
    assert (found.code, found.err.splitlines()[0]) == (
        2,
        "Error: part-1.csv: is read by this command and would be overwritten",
    )
    assert (tmp_path / "part-1.csv").read_bytes() == before


def test_a_row_that_is_not_a_number_leaves_no_file(treecli: Runner, tmp_path: Path) -> None:
    treecli("train", SAMPLE_DATA / "iris.csv", "-q", "-o", "model.json")
    text = (SAMPLE_DATA / "iris.csv").read_text().replace("5.1,3.5", "5.1,wide", 1)
    (tmp_path / "new.csv").write_text(text)
    found = treecli("predict", "model.json", "new.csv", "--engine", "duckdb", "-o", "p.csv")
    assert (found.code, found.err.splitlines()[0]) == (
        3,
        "Error: new.csv: row 1: found 'wide' in 'sepalwidth', expected a number",
    )
    assert not (tmp_path / "p.csv").exists()


def test_a_reader_that_closes_the_pipe_is_no_error(treecli: Runner, tmp_path: Path) -> None:
    treecli("train", SAMPLE_DATA / "iris.csv", "-q", "-o", "model.json")
    lines = (SAMPLE_DATA / "iris.csv").read_text().splitlines()
    (tmp_path / "many.csv").write_text("\n".join([lines[0], *(lines[1:] * 200)]) + "\n")
    words = [sys.executable, "-m", "treecli", "predict", "model.json", "many.csv", "--engine", "duckdb"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


USES = {
    "predict model.json iris.csv --table t": "--table: is for --engine duckdb",
    "predict model.json iris.csv --memory 1GB": "--memory: is for --engine duckdb",
    "predict model.json iris.csv --engine duckdb --memory much": "--memory: found 'much', expected a size",
    "predict model.json iris.csv --engine duckdb --temp nowhere": "--temp: nowhere is not a folder",
    "predict model.json iris.csv --engine duckdb --proba": "--proba: needs the rows, which --engine duckdb does not",
    "predict model.json iris.csv --engine duckdb -f arff": "-f arff: this engine writes csv, tsv or parquet",
    "predict model.json - --engine duckdb": "--engine: stdin can be read only once",
    "evaluate model.json iris.csv --engine duckdb --by class": "--by: needs the rows, which --engine duckdb does not",
    "evaluate model.json iris.csv --engine duckdb --errors e.csv": "--errors: needs the rows",
    "info iris.csv --engine duckdb --model model.json": "--model: needs the rows",
}


@pytest.mark.parametrize("words", USES)
def test_wrong_use_is_one_line_with_exit_code_2(treecli: Runner, tmp_path: Path, words: str) -> None:
    (tmp_path / "iris.csv").write_bytes((SAMPLE_DATA / "iris.csv").read_bytes())
    treecli("train", "iris.csv", "-q", "-o", "model.json")
    found = treecli(*words.split())
    assert found.code == 2
    assert found.err.startswith(f"Error: {USES[words]}")


def test_gates_hold_or_fail_as_in_memory(treecli: Runner) -> None:
    treecli("train", SAMPLE_DATA / "iris.csv", "-q", "--max-depth", "1", "-o", "model.json")
    words = ("evaluate", "model.json", str(SAMPLE_DATA / "iris.csv"), "--fail-under", "auc=0.9", "-f", "json")
    here, there = both(treecli, *words)
    assert there.code == here.code == 1
    assert there.err.splitlines()[-1] == here.err.splitlines()[-1]


def test_weights_that_are_not_whole_are_refused(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,w,y\n1,0.5,a\n2,1,b\n")
    treecli("train", "t.csv", "--weights", "w", "-q", "-o", "m.json")
    found = treecli("evaluate", "m.json", "t.csv", "--weights", "w", "--engine", "duckdb")
    assert found.code == 3
    assert found.err.startswith("Error: t.csv: 'w' has weights that are not whole numbers")


@pytest.mark.parametrize(
    "words",
    ["iris.csv", "playtennis.csv", "cpu.csv", "titanic.csv --weights Count", "courses.csv", "shapes.csv -t shape"],
)
def test_the_description_of_columns_is_that_in_memory(treecli: Runner, words: str) -> None:
    name, *options = words.split()
    if "-t" in options:
        columns = (SAMPLE_DATA / name).read_text().split("\n")[0].split(",")
        options = ["-t", columns[0]]
    here, there = both(treecli, "info", str(SAMPLE_DATA / name), *options, "-f", "json")
    own, other = json.loads(there.out), json.loads(here.out)
    for column in other["attributes"]:
        column.pop("scores", None)
    assert close(own, {key: other[key] for key in own})
    assert {*own} == {"schema_version", "rows", "weight", "attributes", "target", "left_out"}


def test_a_large_constant_does_not_disturb_sums(treecli: Runner, tmp_path: Path) -> None:
    # Mean 1e9 + 0.25; the errors of one leaf are the deviations: rmse sqrt(0.1875), by hand.
    (tmp_path / "t.csv").write_text("x,y\n" + "1,1000000000\n" * 3 + "1,1000000001\n")
    treecli("train", "t.csv", "-q", "-o", "m.json")
    found = json.loads(treecli("evaluate", "m.json", "t.csv", "--engine", "duckdb", "-f", "json").out)
    assert found["rmse"] == pytest.approx(0.1875**0.5, rel=1e-15)
    assert found["mae"] == 0.375
    assert found["r2"] == 0.0
