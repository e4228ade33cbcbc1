"""Projected data files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

NUMBERS = "a,id,b,y\n1,u,2,p\n3,v,,q\n5,w,7,p\n6,x,9,\n"


def test_the_target_and_other_columns_are_kept_as_written(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text(NUMBERS)
    done = treecli("project", "n.csv", "--project", "gaussian:1", "-q")
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0] == "projection1,id,y"
    assert [line.split(",")[1:] for line in lines[1:]] == [["u", "p"], ["v", "q"], ["w", "p"], ["x", ""]]


@pytest.mark.parametrize("suffix", ["csv", "arff", "parquet"])
def test_a_tree_on_the_projected_file_is_the_projected_tree(treecli: Runner, tmp_path: Path, suffix: str) -> None:
    shutil.copy(SAMPLE_DATA / "iris.csv", tmp_path)
    assert treecli("project", "iris.csv", "--project", "gaussian:2", "--seed", "3", "-o", f"p.{suffix}").code == 0
    for data, model, words in ((f"p.{suffix}", "a.json", []), ("iris.csv", "b.json", ["--project", "gaussian:2"])):
        assert treecli("train", data, "-o", model, "--seed", "3", *words).code == 0
    one, other = (json.loads((tmp_path / name).read_text())["nodes"] for name in ("a.json", "b.json"))
    assert [node.get("counts") for node in one] == [node.get("counts") for node in other]
    for node in (*one, *other):
        for key in ("attribute", "missing_to"):
            node.get("split", {}).pop(key, None)
    assert [node.get("split") for node in one] == [node.get("split") for node in other]


def test_test_rows_are_standardized_by_the_training_rows(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text(NUMBERS)
    (tmp_path / "t.csv").write_text("y,b,a\np,2,1\n")
    rows = treecli("project", "n.csv", "--project", "sparse:2:1", "-q").out.splitlines()
    done = treecli("project", "t.csv", "--project", "sparse:2:1", "--fit", "n.csv", "-q")
    assert done.out.splitlines()[1].split(",")[:2] == rows[1].split(",")[:2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--project", "jl:0.5"], "Error: --project jl:0.5: 53 columns for 2 attributes, which reduces nothing\n"),
        (["--project", "jk:0.5"], "Error: --project: unknown 'jk' (known: gaussian, sparse, jl)\n"),
        ([], "Error: missing --project gaussian:K|sparse:K[:S]|jl:EPS\n"),
        (["--project", "gaussian:1", "--keep", "id"], "Error: --project: 'id' is not numeric, and only numbers are"),
    ],
)
def test_what_cannot_be_projected_is_one_line(treecli: Runner, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "n.csv").write_text(NUMBERS)
    done = treecli("project", "n.csv", *words, "-o", "out.csv", "-q")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("form", ["case", "select"])
def test_sql_names_each_projection_once_and_runs(treecli: Runner, tmp_path: Path, dialect: str, form: str) -> None:
    shutil.copy(SAMPLE_DATA / "iris.csv", tmp_path)
    treecli("train", "iris.csv", "--project", "gaussian:2", "-o", "m.json")
    words = ["--dialect", dialect, "--as", form, "--table", "iris", "--verify", "iris.csv", "-o", "m.sql"]
    done = treecli("export", "m.json", "--to", "sql", *words)
    assert done.code == 0, done.err
    assert "verified" in done.err
    assert (tmp_path / "m.sql").read_text().count("CASE WHEN") < 30
    assert (tmp_path / "m.sql").read_text().count("/* 5.843333333 */") <= 2


def test_info_shows_the_largest_terms_of_a_projection(treecli: Runner, tmp_path: Path) -> None:
    shutil.copy(SAMPLE_DATA / "iris.csv", tmp_path)
    treecli("train", "iris.csv", "--project", "gaussian:2", "-o", "m.json")
    found = treecli("info", "m.json").out
    assert (
        "projection 1  projection  -2.442 · petalwidth - 0.8339 · sepalwidth + 0.1213 · petallength + 1 smaller"
        in found
    )
