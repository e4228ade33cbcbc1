"""Sources of bytes: files, compressed files, stdin."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import sys

import pyarrow
import pytest
import zstandard
from pyarrow import parquet

from tests.pipes import piped
from treecli import intake, plugins
from treecli.errors import DataError, UsageError
from treecli.files import pieces
from treecli.intake import ReadOptions
from treecli.interchange import echo
from treecli.readers import _blocks, _source
from treecli.readers._source import Source, open_source

TEXT = b"a,class\n1,x\n2,y\n3,x\n"
COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.compress}


def feed_stdin(monkeypatch, data):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_are_read_and_both_forms_are_hashed(tmp_path, suffix):
    path = tmp_path / f"data.csv{suffix}"
    path.write_bytes(COMPRESS[suffix](TEXT))
    taken = intake.read_training(str(path), ReadOptions())
    assert taken.dataset.columns[0].tolist() == [1, 2, 3]
    assert taken.name == f"data.csv{suffix}"
    assert taken.sha256 == hashlib.sha256(TEXT).hexdigest()
    assert taken.hashes.archive == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("n_bytes", [0, 1 << 10, 3 << 20])
def test_the_hashes_are_those_of_the_bytes_whether_a_thread_makes_them_or_not(n_bytes):
    data = b"x" * n_bytes
    content = hashlib.sha256(data).hexdigest()
    assert Source("data.csv", "csv", data, data).begin_hashes()() == (content, None)
    archive = hashlib.sha256(b"archive").hexdigest()
    assert Source("data.csv.gz", "csv", data, b"archive").begin_hashes()() == (content, archive)


@pytest.fixture
def reads_in_pieces(monkeypatch):
    """Reads every file in pieces of a few bytes, whatever its size."""
    monkeypatch.setattr(_source, "LARGE", 0)
    monkeypatch.setattr(pieces, "HEAD_BYTES", 64)
    monkeypatch.setattr(pieces, "PIECE_BYTES", 5)
    monkeypatch.setattr(_source, "HEAD_LINES", 2)
    monkeypatch.setattr(_blocks, "BLOCK_BYTES", 16)
    monkeypatch.setattr(_blocks, "SNIFFED_BYTES", 24)


@pytest.mark.parametrize(
    ("name", "text", "stays_on_disk"),
    [
        ("rows.csv", b"a,class\n" + b"1.5,x\n?,y\n" * 9, True),
        ("lines.csv", b"a,class\r\n\r\n" + b"1,a long label of a class\r\n2,y\r\n\r\n" * 9, True),
        ("rows.arff", b"@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n" + b"1,x\n2,y\n" * 9, True),
        ("open.csv", b"a,class\n" + b"1,x\n2,y\n" * 9 + b"3,x", False),  # the last line does not end
        ("quotes.csv", b"a,class\n" + b'1,"x\nof two\nlines"\n2,y\n' * 9, False),  # blocks end inside quotes
        ("wide.arff", b"@relation r\n%%\n@attribute a real" + b" " * 64 + b"\n@attribute b {x}\n@data\n1,x\n", False),
        ("latin.csv", b"a,class\n" + b"1,\xe9\n2,y\n" * 9, False),
    ],
)
def test_a_file_read_in_pieces_holds_the_same_as_one_read_at_once(
    tmp_path, monkeypatch, reads_in_pieces, name, text, stays_on_disk
):
    path = tmp_path / name
    path.write_bytes(text)
    options = ReadOptions(encoding="latin-1" if name == "latin.csv" else "utf-8")
    source = open_source(str(path), options)
    in_pieces = plugins.load("readers", source.format).read(source, options, {})
    assert isinstance(source.text, bytes) != stays_on_disk
    hashed = intake.read_training(str(path), options).sha256
    monkeypatch.setattr(_source, "LARGE", 1 << 24)
    at_once = plugins.load("readers", source.format).read(open_source(str(path), options), options, {})
    assert in_pieces.n_rows == at_once.n_rows > 0
    for own, other in zip(in_pieces.columns, at_once.columns, strict=True):
        assert (own.name, own.labels, repr(own.values.tolist())) == (
            other.name,
            other.labels,
            repr(other.values.tolist()),
        )
    assert hashed == hashlib.sha256(text).hexdigest()


def test_a_file_that_changes_while_it_is_read_in_pieces_is_refused(tmp_path, reads_in_pieces):
    path = tmp_path / "data.csv"
    path.write_bytes(TEXT * 3)
    source = open_source(str(path), ReadOptions())
    path.write_bytes(TEXT * 4)
    with pytest.raises(DataError, match=r"data\.csv: the file has changed while it was read"):
        source.begin_hashes()()


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("damage", [lambda data: b"no archive", lambda data: data[: len(data) // 2]])
def test_a_corrupt_archive_is_refused(tmp_path, suffix, damage):
    path = tmp_path / f"data.csv{suffix}"
    path.write_bytes(damage(COMPRESS[suffix](TEXT)))
    with pytest.raises(DataError, match=f"not a complete {suffix} file"):
        intake.read_training(str(path), ReadOptions())


def test_without_zstandard_the_cure_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "data.csv.zst"
    path.write_bytes(COMPRESS[".zst"](TEXT))
    with pytest.raises(DataError) as caught:
        intake.read_training(str(path), ReadOptions())
    assert caught.value.hint == "pip install 'treecli[zstd]'"


def test_several_zstd_frames_are_one_file(tmp_path):
    path = tmp_path / "data.csv.zst"
    path.write_bytes(COMPRESS[".zst"](TEXT[:10]) + COMPRESS[".zst"](TEXT[10:]))
    assert intake.read_training(str(path), ReadOptions()).dataset.n_rows == 3


def test_every_reader_is_chosen_by_its_suffix_in_any_case(tmp_path):
    assert plugins.names("readers") == ("arff", "csv", "parquet", "tsv")
    path = tmp_path / "DATA.CSV"
    path.write_bytes(TEXT)
    assert intake.read_training(str(path), ReadOptions()).dataset.n_rows == 3


ARFF = b"% a comment\n\n@RELATION r\n@attribute a real\n@attribute class {x,y}\n@data\n1,x\n2,y\n3,x\n"


def parquet_bytes():
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table({"a": [1, 2, 3], "class": ["x", "y", "x"]}), sink)
    return sink.getvalue().to_pybytes()


CONTENTS = {
    "csv": TEXT,
    "tsv": TEXT.replace(b",", b"\t"),
    "arff": ARFF,
    "parquet": parquet_bytes(),
}


@pytest.mark.parametrize("format_name", CONTENTS)
@pytest.mark.parametrize("compress", [None, *COMPRESS])
@pytest.mark.parametrize("name", ["data", "data.txt", "-"])
def test_the_content_tells_the_format_where_no_suffix_does(tmp_path, monkeypatch, name, compress, format_name):
    data = CONTENTS[format_name] if compress is None else COMPRESS[compress](CONTENTS[format_name])
    if name == "-":
        feed_stdin(monkeypatch, data)
    else:
        (tmp_path / name).write_bytes(data)
        monkeypatch.chdir(tmp_path)
    taken = intake.read_training(name, ReadOptions())
    assert taken.dataset.columns[0].tolist() == [1, 2, 3]
    assert taken.remarks == (f"{taken.name} is read as {format_name} (use --from to choose)",)
    assert taken.sha256 == hashlib.sha256(CONTENTS[format_name]).hexdigest()
    for_model = intake.read_for_model(name, ReadOptions(), taken.dataset.schema)
    assert for_model.remarks == taken.remarks


def test_a_compressed_file_needs_no_suffix_that_says_so(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(gzip.compress(TEXT))
    assert intake.read_training(str(path), ReadOptions()).dataset.n_rows == 3


def test_text_that_begins_like_a_bzip2_archive_is_text(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"BZh91,class\n1,x\n2,y\n")
    assert intake.read_training(str(path), ReadOptions()).dataset.schema.attributes[0].name == "BZh91"


UNCLEAR = {
    "one column": b"a\n1\n2\n",
    "one line": b"a,class\n",
    "uneven lines": b"a,class\n1,x\n2\n",
    "JSON": b'{"a": 1, "b": 2}\n{"a": 1, "b": 2}\n',
    "bytes": b"\0\1,\n\0\1,\n",
    "nothing": b"",
}


@pytest.mark.parametrize("data", UNCLEAR.values(), ids=UNCLEAR)
@pytest.mark.parametrize("name", ["data.txt", "data", "data.gz"])
def test_an_unknown_suffix_asks_for_the_format_where_the_content_is_not_clear(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises(DataError, match=r"expected one of \.arff, \.csv, \.parquet, \.tsv") as caught:
        intake.read_training(str(path), ReadOptions())
    assert "--from" in caught.value.hint


def test_the_format_is_as_asked_whatever_the_content(tmp_path):
    path = tmp_path / "data.txt"
    path.write_bytes(b"a,class\n1,x\n2,y\n")
    taken = intake.read_training(str(path), ReadOptions(format="csv"))
    assert taken.dataset.n_rows == 2
    assert not taken.remarks


def test_a_missing_file_is_answered_with_the_nearest_name(tmp_path):
    (tmp_path / "weather.csv").write_bytes(TEXT)
    with pytest.raises(DataError, match="no such file") as caught:
        intake.read_training(str(tmp_path / "wether.csv"), ReadOptions())
    assert caught.value.hint == "did you mean 'weather.csv'?"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("wether.json", "did you mean 'weather.arff'?"),
        ("weather.arf", "did you mean 'weather.arff'?"),
        ("x.csv", None),
    ],
)
def test_a_hint_names_data_files_only_and_only_near_ones(tmp_path, name, hint):
    for other in ("weather.json", "a.csv", "weather.arff", "whether.txt"):
        (tmp_path / other).write_bytes(TEXT)
    with pytest.raises(DataError, match="no such file") as caught:
        intake.read_training(str(tmp_path / name), ReadOptions(format="csv"))
    assert caught.value.hint == hint


def test_a_folder_is_no_data_file(tmp_path):
    with pytest.raises(DataError, match="is a folder, expected a data file"):
        intake.read_training(str(tmp_path), ReadOptions())


def test_a_path_that_leads_through_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(TEXT)
    with pytest.raises(DataError, match="cannot be read: Not a directory"):
        intake.read_training(str(tmp_path / "file" / "data.csv"), ReadOptions())


def test_stdin_is_read_and_can_be_echoed_afterwards(monkeypatch):
    feed_stdin(monkeypatch, TEXT)
    options = ReadOptions(format="csv")
    taken = intake.read_training("-", options)
    assert (taken.name, taken.dataset.n_rows) == ("stdin", 3)
    names, rows = echo.echo_rows("-", options)
    assert names == ["a", "class"]
    assert list(rows) == [["1", "x"], ["2", "y"], ["3", "x"]]


def test_a_pipe_is_read_once_and_can_be_echoed_afterwards(tmp_path):
    path = piped(tmp_path / "pipe.csv", TEXT)
    taken = intake.read_training(str(path), ReadOptions())
    assert taken.dataset.n_rows == 3
    assert len(list(echo.echo_rows(str(path), ReadOptions())[1])) == 3


def test_stdin_asks_for_the_format_where_its_content_is_not_clear(monkeypatch):
    feed_stdin(monkeypatch, b"a\n1\n2\n")
    with pytest.raises(UsageError) as caught:
        intake.read_training("-", ReadOptions())
    assert "--from" in caught.value.hint


def test_a_terminal_is_no_data(monkeypatch):
    feed_stdin(monkeypatch, TEXT)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    with pytest.raises(UsageError, match="is a terminal"):
        intake.read_training("-", ReadOptions(format="csv"))
