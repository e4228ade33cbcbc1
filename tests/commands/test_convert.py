"""Converting data files."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.conftest import Runner

DAYS = """\
% by hand
@relation days
@attribute size {small, medium, large}
@attribute width REAL
@attribute play {no,yes}
@data
large, 0.10, yes % odd
?,1.50,no
medium,?,yes
"""


@pytest.fixture
def days(tmp_path: Path) -> Path:
    (tmp_path / "days.arff").write_text(DAYS)
    return tmp_path


def test_arff_becomes_csv_and_what_is_lost_is_named(treecli: Runner, days: Path) -> None:
    done = treecli("convert", "days.arff", "days.csv")
    assert (done.code, done.out) == (0, "")
    assert done.err == "label order is lost in CSV: 'size', 'play' (--schema FILE.json keeps them)\n"
    assert (days / "days.csv").read_text() == "size,width,play\nlarge,0.10,yes\n,1.50,no\nmedium,,yes\n"


def test_strict_writes_nothing_if_something_would_be_lost(treecli: Runner, days: Path) -> None:
    done = treecli("convert", "days.arff", "days.csv", "--strict")
    assert done.code == 1
    assert done.err == (
        "Error: days.arff: label order is lost in CSV: 'size', 'play' (--schema FILE.json keeps them)\n"
    )
    assert os.listdir(days) == ["days.arff"]


def test_nothing_is_lost_where_the_labels_occur_in_order(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.arff").write_text("@relation a\n@attribute x {b,a}\n@attribute y numeric\n@data\nb,1\na,2\n")
    assert treecli("convert", "a.arff", "a.csv", "--strict") == (0, "", "")


@pytest.mark.parametrize(
    ("declaration", "cells", "message"),
    [
        ("{1,2}", ["1", "2"], "kinds are lost in CSV: 'x'"),
        ("{a,'?'}", ["a", "'?'"], "labels '' and '?' are lost in CSV: 'x'"),
        ("{a,b,unused}", ["a", "b"], "label order is lost in CSV: 'x'"),
        ("numeric", ["1, {2}", "3, {1}"], "row weights are lost in CSV"),
        ("string", ["'a\\r'", "b"], "carriage returns become newlines in CSV: 'x'"),
    ],
)
def test_each_loss_has_a_line(
    treecli: Runner, tmp_path: Path, declaration: str, cells: list[str], message: str
) -> None:
    rows = "".join(f"1,{cell}\n" for cell in cells)
    (tmp_path / "a.arff").write_text(f"@relation a\n@attribute i numeric\n@attribute x {declaration}\n@data\n{rows}")
    assert treecli("convert", "a.arff", "a.csv").err.startswith(message)


def test_the_schema_has_what_csv_cannot_express(treecli: Runner, days: Path) -> None:
    assert treecli("convert", "days.arff", "days.csv", "--schema", "s.json") == (0, "", "")
    assert json.loads((days / "s.json").read_text()) == {
        "schema_version": 1,
        "title": "days",
        "columns": [
            # The declaration as written, where ours would be {small,medium,large}.
            {
                "name": "size",
                "kind": "nominal",
                "labels": ["small", "medium", "large"],
                "arff": "{small, medium, large}",
            },
            {"name": "width", "kind": "numeric", "arff": "REAL"},
            {"name": "play", "kind": "nominal", "labels": ["no", "yes"]},
        ],
    }
    assert treecli("convert", "days.csv", "again.arff", "--schema", "s.json") == (0, "", "")
    assert (days / "again.arff").read_text() == (
        "@relation days\n\n@attribute size {small, medium, large}\n@attribute width REAL\n@attribute play {no,yes}\n"
        "\n@data\nlarge,0.10,yes\n?,1.50,no\nmedium,?,yes\n"
    )


def test_ordinal_columns_stay_ordinal_in_arff_and_parquet(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("size,y\nlow,1\nhigh,2\n")
    kind = ("--type", "size=ordinal:low<mid<high")
    assert treecli("convert", "a.csv", "a.arff", *kind).code == 0
    first = (tmp_path / "a.arff").read_text().splitlines()[0]
    assert first == '% treecli: {"schema_version": 1, "columns": [{"name": "size", "kind": "ordinal"}]}'
    assert treecli("convert", "a.arff", "b.parquet").code == 0
    facts = json.loads(treecli("info", "b.parquet", "-f", "json").out)
    assert facts["attributes"][0]["kind"] == "ordinal"
    assert list(facts["attributes"][0]["labels"]) == ["low", "mid", "high"]
    assert treecli("convert", "b.parquet", "c.csv", "--strict").code == 1


def test_decimal_commas_and_question_marks_come_back(treecli: Runner, tmp_path: Path) -> None:
    text = "x;y\n0,10;a\n?;b\n2,50;a\n"
    (tmp_path / "a.csv").write_text(text)
    for other in ("b.arff", "b.parquet"):
        assert treecli("convert", "a.csv", other, "-q").code == 0
        assert treecli("convert", other, "c.csv", "-q").code == 0
        assert (tmp_path / "c.csv").read_text() == text
    assert "\n0.10,a\n?,b\n2.50,a\n" in (tmp_path / "b.arff").read_text()


def test_files_are_compressed_by_suffix_and_streams_need_a_format(treecli: Runner, days: Path) -> None:
    assert treecli("convert", "days.arff", "days.tsv.gz", "-q").code == 0
    assert gzip.decompress((days / "days.tsv.gz").read_bytes()).startswith(b"size\twidth\tplay\nlarge\t0.10\tyes\n")
    piped = treecli("convert", "-", "-", "--to", "csv", "-q", input=DAYS)
    assert (piped.code, piped.out.splitlines()[0]) == (0, "size,width,play")
    refused = treecli("convert", "days.arff", "-")
    assert refused.code == 2
    assert refused.err.startswith(
        "Error: -: the format of the output is not known\nHint: choose it with --to arff|csv|"
    )


def test_nested_parquet_columns_are_written_as_text(treecli: Runner, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"x": [[1, 2], [3]], "y": [1, 2]}), tmp_path / "a.parquet")
    done = treecli("convert", "a.parquet", "a.csv")
    assert (done.code, done.err) == (0, "'x' is written as text and stays so\n")
    assert (tmp_path / "a.csv").read_text() == 'x,y\n"[1, 2]",1\n[3],2\n'
    assert treecli("convert", "a.parquet", "b.csv", "--strict").code == 1


SCHEMA = '{"schema_version": 1, "columns": [{"name": "x", "kind": "nominal", "labels": ["a"]}]}'


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("[", "s.json: is not JSON: "),
        ("[]", "s.json: found no columns, expected the schema of a CSV file"),
        ('{"columns": []}', "s.json: found the schema_version null, expected 1"),
        (SCHEMA.replace("nominal", "nominl"), "s.json: found \"nominl\" as 'kind' of 'x', expected one of numeric"),
        (SCHEMA.replace('["a"]', '["a", "a"]'), "s.json: found [\"a\", \"a\"] as 'labels' of 'x', expected a list"),
        (SCHEMA.replace('"columns"', '"titel": "t", "columns"'), "s.json: found the member 'titel'"),
        (SCHEMA.replace('"x"', '"z"'), "a.csv: the schema does not have the column 'x'"),
        (SCHEMA, "a.csv:3: 'b' is not a label of 'x' in the schema (a)"),
        (SCHEMA.replace("nominal", "numeric"), "a.csv:2: found 'a' in 'x', expected a number"),
        (
            SCHEMA.replace('"columns"', '"weights": [1], "columns"').replace('["a"]', '["a", "b"]'),
            "a.csv: found 2 rows",
        ),
        (None, "s.json: no such file"),
    ],
)
def test_a_wrong_schema_is_refused(treecli: Runner, tmp_path: Path, schema: str | None, message: str) -> None:
    (tmp_path / "a.csv").write_text("x\na\nb\n")
    if schema is not None:
        (tmp_path / "s.json").write_text(schema)
    done = treecli("convert", "a.csv", "a.arff", "--schema", "s.json")
    assert done.code == 3
    assert done.err.startswith(f"Error: {message}")
    assert not (tmp_path / "a.arff").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["days.arff", "days.jsonl"], "days.jsonl: found the suffix '.jsonl', expected one of .arff, .csv"),
        (["days.arff", "days.arff"], "days.arff: is read by this command and would be overwritten"),
        (["days.arff", "d.parquet", "--schema", "s.json"], "--schema is for csv and tsv, which need it"),
        (["days.arff", "d.csv", "--schema", "d.csv"], "d.csv: is named as OUT and by --schema"),
        (["days.arff", "d.csv", "--type", "siz=nominal"], "days.arff: found no column 'siz' (--type)"),
        (["days.arff", "old.csv", "--no-clobber"], "old.csv: exists and is not overwritten"),
    ],
)
def test_a_wrong_use_is_refused_and_nothing_is_written(
    treecli: Runner, days: Path, arguments: list[str], message: str
) -> None:
    (days / "old.csv").write_text("old\n")
    done = treecli("convert", *arguments)
    assert done.code == 2
    assert done.err.startswith(f"Error: {message}")
    assert sorted(os.listdir(days)) == ["days.arff", "old.csv"]
    assert (days / "old.csv").read_text() == "old\n"
