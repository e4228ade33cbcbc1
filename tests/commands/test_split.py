"""Dividing a data file into training, tuning and test files."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.conftest import Runner

PARTS = ("--train", "train.csv", "--test", "0.4=test.csv")


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_the_rows_are_divided_and_each_file_has_the_header(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20)))
    done = treecli("split", "a.csv", "--train", "train.csv", "--tune", "0.2=tune.csv", "--test", "0.3=test.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "part   file       rows  share  classes\n"
        "train  train.csv    10    0.5  a 5, b 5\n"
        "tune   tune.csv      4    0.2  a 2, b 2\n"
        "test   test.csv      6    0.3  a 3, b 3\n"
    )
    files = [lines_of(tmp_path / f"{name}.csv") for name in ("train", "tune", "test")]
    assert all(own[0] == b"x,class\n" for own in files)
    rows = [line for own in files for line in own[1:]]
    assert sorted(rows) == sorted(lines_of(tmp_path / "a.csv")[1:])
    for own in files:
        assert own[1:] == sorted(own[1:], key=lambda line: int(line.split(b",")[0]))


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        # Numbers, blanks, quotes and line ends as written; the last line gets the line end that it lacks.
        (b'x , "y"\r\n0.10,a\r\n 1e0 ,"b"', b'x , "y"\r\n', [b"0.10,a\r\n", b' 1e0 ,"b"\r\n']),
        (b'x,y\n"two\nlines",a\n\n\n3,b\n', b"x,y\n", [b'"two\nlines",a\n', b"3,b\n"]),
        (b"\xef\xbb\xbfx,y\n1,a\n2,b\n", b"\xef\xbb\xbfx,y\n", [b"1,a\n", b"2,b\n"]),
        (b"x\n\na\n", b"x\n", [b"\n", b"a\n"]),
    ],
    ids=["blanks", "lines", "mark", "one column"],
)
def test_cells_keep_their_text(treecli: Runner, tmp_path: Path, text: bytes, header: bytes, rows: list[bytes]) -> None:
    (tmp_path / "a.csv").write_bytes(text)
    options = ("--sequential", "--train", "train.csv", "--test", "0.5=test.csv")
    assert treecli("split", "a.csv", *options).code == 0
    assert (tmp_path / "train.csv").read_bytes() == header + rows[0]
    assert (tmp_path / "test.csv").read_bytes() == header + rows[1]


def test_an_arff_header_keeps_its_bytes_and_a_row_its_comment(treecli: Runner, tmp_path: Path) -> None:
    header = b"% by hand\n@RELATION  'my data'\n\n@attribute x REAL % length\n@attribute y {a, 'b c'}\n@data\n"
    (tmp_path / "a.arff").write_bytes(header + b"% first\n1.0, a % odd\n\n{0 2, 1 'b c'}\n")
    done = treecli("split", "a.arff", "--sequential", "--train", "train.arff", "--test", "0.5=test.arff")
    assert done.code == 0
    assert (tmp_path / "train.arff").read_bytes() == header + b"1.0, a % odd\n"
    assert (tmp_path / "test.arff").read_bytes() == header + b"{0 2, 1 'b c'}\n"


def test_encoded_and_compressed_files_stay_in_their_encoding(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("x,y\né,a\nü,b\n".encode("latin-1"))
    options = ("--encoding", "latin-1", "--sequential", "--train", "train.csv.gz", "--test", "0.5=test.csv")
    assert treecli("split", "a.csv", *options).code == 0
    assert gzip.decompress((tmp_path / "train.csv.gz").read_bytes()) == "x,y\né,a\n".encode("latin-1")
    assert (tmp_path / "test.csv").read_bytes() == "x,y\nü,b\n".encode("latin-1")


def test_parquet_columns_keep_their_types(treecli: Runner, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"x": pyarrow.array([1, 2, None], pyarrow.int8()), "y": ["a", "b", "a"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    done = treecli("split", "a.parquet", "--sequential", "--train", "train.parquet", "--test", "0.3=test.parquet")
    assert done.code == 0
    assert parquet.read_table(tmp_path / "train.parquet").equals(table.slice(0, 2))
    assert parquet.read_table(tmp_path / "test.parquet").equals(table.slice(2, 1))


def test_rows_of_a_group_are_in_one_file(treecli: Runner, tmp_path: Path) -> None:
    rows = "".join(f"g{i % 7},{'ab'[i % 2]}\n" for i in range(42))
    (tmp_path / "a.csv").write_text("patient,class\n" + rows)
    assert treecli("split", "a.csv", "--groups", "patient", *PARTS).code == 0
    train, test = ({line.split(b",")[0] for line in lines_of(tmp_path / f)[1:]} for f in ("train.csv", "test.csv"))
    assert not train & test
    assert len(train) == 4


def test_the_report_as_json_counts_classes(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,class\n1,a\n2,a\n3,b\n4,b\n5,\n")
    facts = json.loads(treecli("split", "a.csv", *PARTS, "-f", "json").out)
    assert facts["target"] == "class"
    assert [part["rows"] for part in facts["parts"]] == [3, 2]
    assert {part["classes"]["a"] for part in facts["parts"]} == {1}


def test_a_class_that_a_file_lacks_is_named(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,class\n" + "1,a\n" * 9 + "2,b\n")
    assert "Warning: no row of the class 'b' is in " in treecli("split", "a.csv", *PARTS).err


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--train", "t.csv", "--test", "1=u.csv"], 2, "--test: found the share 1, expected a number between 0 and 1"),
        (["--train", "t.csv", "--test", "u.csv"], 2, "--test: found 'u.csv', expected SHARE=FILE"),
        (["--train", "t.csv", "--test", "0.5="], 2, "--test: found '0.5=', expected SHARE=FILE"),
        (["--train", "t.csv", "--test", "0.5=u.csv", "--tune", "0.5=v.csv"], 2, "the shares sum to 1, expected less"),
        (["--train", "0.5=t.csv", "--test", "0.5=u.csv"], 2, "--train: found '0.5=t.csv', but it takes the rows that"),
        (["--train", "t.csv", "--test", "0.5=./t.csv"], 2, "./t.csv: is named by --train and --test"),
        (["--train", "old.csv", "--test", "0.5=u.csv"], 2, "old.csv: exists and is not overwritten"),
        (["--train", "a.csv", "--test", "0.5=u.csv", "--force"], 2, "a.csv: is read by this command and would be"),
        (["--train", "-", "--test", "0.5=u.csv"], 2, "--train: found -, expected a file's name"),
        (["--train", "t.arff", "--test", "0.5=u.csv"], 2, "t.arff: found the suffix of arff, but the data is csv"),
        (["--train", "no/t.csv", "--test", "0.5=u.csv"], 2, "no/t.csv: cannot be written: No such file"),
        (["--train", "t.csv", "--test", "0.01=u.csv"], 2, "a.csv: no row is left for --test: 0.01 of 4 rows"),
        (["--train", "t.csv", "--test", "0.5=u.csv", "-t", "clas"], 2, "a.csv: found no column 'clas' (--target)"),
        (["--train", "t.csv", "--test", "0.5=u.csv", "--groups", "h"], 2, "a.csv: found no column 'h' (--groups)"),
        (["--train", "t.csv", "--test", "0.5=u.csv", "--groups", "g"], 3, "a.csv:3: found no value in 'g', expected"),
        (["--train", "t.csv", "--test", "0.5=u.csv", "--groups", "one"], 3, "a.csv: found 1 group, expected 2, one"),
        (["--train", "t.csv", "--test", "0.5=u.csv", "--stratify", "-t", "x"], 2, "--stratify: the target 'x' is num"),
        (["--train", "t.csv", "--test", "0.5=u.csv", "--sequential", "--seed", "1"], 2, "--sequential and --seed excl"),
        (["--train", "t.csv", "--test", "0.5=u.csv", "--sequential", "--groups", "x"], 2, "--sequential and --groups"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_split_is_refused_and_nothing_is_written(
    treecli: Runner, tmp_path: Path, options: list[str], code: int, message: str
) -> None:
    (tmp_path / "a.csv").write_text("x,g,one,class\n1,a,z,a\n2,,z,a\n3,b,z,b\n4,c,z,b\n")
    (tmp_path / "old.csv").write_text("keep\n")
    done = treecli("split", "a.csv", *options)
    assert done.code == code
    assert done.err.startswith(f"Error: {message}")
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "old.csv"]
    assert (tmp_path / "old.csv").read_text() == "keep\n"


def test_force_overwrites(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,class\n1,a\n2,a\n3,b\n4,b\n")
    (tmp_path / "train.csv").write_text("old\n")
    assert treecli("split", "a.csv", *PARTS, "--force").code == 0
    assert lines_of(tmp_path / "train.csv")[0] == b"x,class\n"


@pytest.mark.parametrize("quote", ["", '"'])
def test_lines_of_blanks_are_no_rows_but_lines_of_tabs_between_cells_are(
    treecli: Runner, tmp_path: Path, quote: str
) -> None:
    (tmp_path / "a.tsv").write_text(f"x\ty\n\t\n  \n{quote}1{quote}\tb\n\n")
    assert treecli("split", "a.tsv", "--sequential", "--train", "b.tsv", "--test", "0.5=c.tsv").code == 0
    assert (tmp_path / "b.tsv").read_text() == "x\ty\n\t\n"
    assert (tmp_path / "c.tsv").read_text() == f"x\ty\n{quote}1{quote}\tb\n"
