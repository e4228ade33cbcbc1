"""A database's reading of data gives the values of treecli's own readers, or is refused with one line."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from tests.growing import SAMPLE_DATA
from treecli import plugins
from treecli.engines import _cells
from treecli.engines._source import Source
from treecli.errors import DataError, TreecliError, UsageError
from treecli.intake import ReadOptions
from treecli.readers._source import open_source
from treecli.readers._table import number_of

Values = dict[str, list[Any]]


@contextmanager
def opened(path: Path | str, options: ReadOptions | None = None, **more: Any) -> Iterator[Source]:
    source = Source.of(str(path), options or ReadOptions(), **more)
    source.connect(threads=2)
    try:
        yield source
    finally:
        source.close()


def of_database(path: Path | str, options: ReadOptions | None = None, **more: Any) -> Values:
    with opened(path, options, **more) as source:
        names = [name for name, _ in source.columns()]
        rows = source.connection.execute(f"SELECT * FROM {source.relation()}").fetchall()
    return dict(zip(names, ([_plain(cell) for cell in column] for column in zip(*rows, strict=True)), strict=True))


def of_reader(path: Path, options: ReadOptions | None = None) -> Values:
    options = options or ReadOptions()
    source = open_source(str(path), options)
    table = plugins.load("readers", source.format).read(source, options, {})
    return {
        column.name: [
            _plain(None if code == -1 else column.labels[code]) if column.labels is not None else _plain(float(code))
            for code in column.values
        ]
        for column in table.columns
    }


def _plain(cell: Any) -> Any:
    """NaN as None, and the sign of zero as text."""
    if isinstance(cell, float):
        return None if np.isnan(cell) else repr(cell)
    return cell


@pytest.mark.parametrize("path", sorted(SAMPLE_DATA.glob("*.csv")), ids=lambda path: path.stem)
def test_a_sample_file_has_the_values_of_the_reader(path: Path) -> None:
    assert of_database(path) == of_reader(path)


TEXTS = {
    "quotes": 'a,b\n1,"x,""y"""\n"2",a"b\n',
    "blanks": "a, b\n 1 , x \n\t2,\ty z\n",
    "missing": "a,b,c\n?,x,\n1,?,\n,y,?\n",
    "quoted missing": 'a,b\n"?",x\n"",y\n1,z\n',
    "numbers": "a,b,c\n1_000,nan,inf\n2,3,-Infinity\n+1.5e3,.5,1e999\n",
    "semicolons": "a;b\n1,5;x\n2,25;y\n",
    "tabs": "a\tb\n1\tx\n2\ty\n",
    "lines in quotes": '"a\nb",c\n1,"x\ny"\n2,z\n',
    "blank lines": "\n\na,b\n\n1,x\n\n2,y\n",
    "carriage returns": "a,b\r\n1,x\r\n2,y\r\n",
    "byte order mark": "\ufeffa,b\n1,x\n2,é\n",
    "negative zero": "a,b\n-0,x\n0,y\n",
    "no value": "a,b\n,x\n?,y\n",
    "NA": "a,b\nNA,x\n1,NA\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_has_the_values_of_the_reader(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    assert of_database(path) == of_reader(path)


OPTIONS = {
    "na": ("a,b\n-9,x\n1,NA\n,y\n", ReadOptions(na=("-9", "NA"))),
    "delimiter": ("a|b\n1|x\n", ReadOptions(delimiter="|")),
    "decimal": ("a;b\n1.5;x\n2,5;y\n", ReadOptions(decimal=",")),
    "no header": ("1,x\n2,y\n", ReadOptions(header=False)),
    "latin-1": ("a,b\n1,é\n".encode("latin-1"), ReadOptions(encoding="latin-1")),
    "tsv": ("a\tb\n1\tx, y\n", ReadOptions(format="tsv")),
}


@pytest.mark.parametrize(("text", "options"), OPTIONS.values(), ids=OPTIONS)
def test_options_of_reading_have_the_same_effect(text: str | bytes, options: ReadOptions, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    assert of_database(path, options) == of_reader(path, options)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv", "t.csv.zst"])
def test_compressed_text_is_recognized_by_its_name_or_its_first_bytes(name: str, tmp_path: Path) -> None:
    import zstandard

    data = b"a,b\n1,x\n2,y\n"
    path = tmp_path / name
    path.write_bytes(zstandard.ZstdCompressor().compress(data) if name.endswith("zst") else gzip.compress(data))
    assert of_database(path) == {"a": ["1.0", "2.0"], "b": ["x", "y"]}


@given(st.lists(st.text("0123456789eE.+-_ \tinfaxdN０\u00a0\n", max_size=6), min_size=1, max_size=200))
@example(["+-0", "+-5", "-+5", "--5", "++5", "+-inf"])
def test_a_text_is_a_number_where_the_reader_says_so(texts: list[str]) -> None:
    connection = duckdb.connect()
    trimmed = [text.strip(" \t") for text in texts]
    for decimal in ".,":
        sql = f"SELECT {_cells.as_number('t', decimal)} FROM (SELECT unnest(?) AS t)"
        found = [row[0] for row in connection.execute(sql, [trimmed]).fetchall()]
        assert [_plain(number) for number in found] == [_plain(number_of(text, decimal)) for text in trimmed]


def test_the_rows_of_several_files_follow_each_other_by_name(tmp_path: Path) -> None:
    for number in (2, 1, 3):
        (tmp_path / f"part-{number}.csv").write_text(f"a,b\n{number},x{number}\n")
    assert of_database(tmp_path / "part-*.csv") == {"a": ["1.0", "2.0", "3.0"], "b": ["x1", "x2", "x3"]}


def test_the_rows_have_numbers_from_0_in_the_order_of_the_files(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.csv").write_text("a,b\n" + "".join(f"{number * 5000 + i},x\n" for i in range(5000)))
    with opened(tmp_path / "*.csv") as source:
        source.connection.execute("SET preserve_insertion_order = false")
        sql = f"SELECT count(*) FROM {source.relation(['a'], number='n')} WHERE a <> n"
        assert source.connection.execute(sql).fetchone() == (0,)


TABLE = pa.table(
    {
        "whole": pa.array([1, None, 3], pa.int64()),
        "single": pa.array([0.1, float("nan"), 3], pa.float32()),
        "exact": pa.array([None, 1, 2], pa.decimal128(10, 2)),
        "text": ["x", " ?", "z "],
        "bool": [True, None, False],
        "day": pa.array([0, 1, None], pa.date32()),
        "time": pa.array([0, 1_500_000, None], pa.timestamp("us")),
        "second": pa.array([0, 1, None], pa.timestamp("s")),
        "dictionary": pa.array(["b", "a", None]).dictionary_encode(),
        "null": pa.nulls(3),
        "zone": pa.array([0, 1, None], pa.timestamp("ms", "UTC")),
        "nano": pa.array([0, 1, None], pa.timestamp("ns")),
        "clock": pa.array([0, 1, None], pa.time32("s")),
    }
)


def test_a_parquet_file_has_the_values_of_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(TABLE, path)
    assert of_database(path) == of_reader(path)
    assert of_database(path, ReadOptions(na=("3", "x"))) == of_reader(path, ReadOptions(na=("3", "x")))


def test_decimal_numbers_are_the_nearest_doubles(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    texts = ["0.013", "0.1", "-123456789012.345", "9007199254740.993", None]
    parquet.write_table(pa.table({"a": pa.array([t and Decimal(t) for t in texts], pa.decimal128(18, 3))}), path)
    expected = {"a": [t and repr(float(t)) for t in texts]}
    assert of_database(path) == expected
    assert of_reader(path) == expected


def test_nested_columns_are_left_out_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": [[1]], "b": [2], "__index_level_0__": [0]}), path)
    with opened(path) as source:
        assert source.columns() == [("b", "DOUBLE")]
        assert [name for name, _ in source.left_out] == ["a", "__index_level_0__"]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE sales AS SELECT 1 AS n, 'x' AS s UNION ALL SELECT NULL, '?'")
        connection.execute("CREATE SCHEMA old")
        connection.execute("CREATE TABLE old.sales AS SELECT 7 AS n")
    return path


def test_a_table_of_a_database_is_read(database: Path) -> None:
    assert of_database(database, table="sales") == {"n": ["1.0", None], "s": ["x", None]}
    assert of_database(database, table="old.sales") == {"n": ["7.0"]}


def test_a_query_reads_a_database_or_the_file_as_the_table_data(database: Path, tmp_path: Path) -> None:
    assert of_database(database, query="SELECT s FROM sales WHERE n = 1;") == {"s": ["x"]}
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,?\n")
    assert of_database(path, query="SELECT a * 2 AS double, b FROM data") == {
        "double": ["2.0", "4.0"],
        "b": ["x", None],
    }


def test_a_source_with_given_kinds_takes_no_pass(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with opened(path) as source:
        assert source.columns({"a": "nominal", "b": "numeric"}) == [("a", "VARCHAR"), ("b", "DOUBLE")]
        assert source.passes == 0
    with opened(path) as source:
        assert source.columns() == [("a", "DOUBLE"), ("b", "DOUBLE")]
        assert source.passes == 1


def test_a_fingerprint_changes_with_the_data(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n")
    with opened(path) as source:
        before = source.fingerprint()
        assert (before["rows"], before["schema"]) == (1, [["a", "DOUBLE"], ["b", "VARCHAR"]])
        assert source.fingerprint() == before
    path.write_text("a,b\n1,x\n2,y\n")
    with opened(path) as source:
        assert source.fingerprint() != before


def test_the_password_of_an_address_is_not_in_the_fingerprint() -> None:
    from treecli.engines._source import _without_password

    assert _without_password("postgresql://me:secret@host/db") == "postgresql://me@host/db"


REFUSED: dict[str, tuple[str, bytes, type[TreecliError], str]] = {
    "too few cells": ("t.csv", b"a,b\n1,2\n3\n", DataError, "t.csv:3: Expected Number of Columns: 2 Found: 1"),
    "open quote": ("t.csv", b'a,b\n1,"x\n', DataError, "t.csv:2: Value with unterminated quote found"),
    "quoted blanks": ("t.csv", b'a,b\n1," x"\n', DataError, "t.csv: a quoted cell starts or ends with a blank"),
    "no rows": ("t.csv", b"a,b\n", DataError, "t.csv: found no row after the header"),
    "empty": ("t.csv", b"", DataError, "t.csv: the file is empty"),
    "two names": ("t.csv", b"a,a\n1,2\n", DataError, "t.csv:1: columns 1 and 2 are both named 'a'"),
    "case": ("t.csv", b"a,A\n1,2\n", DataError, "'a' and 'A' are one column in DuckDB"),
    "arff": ("t.arff", b"@relation x\n", DataError, "DuckDB does not read ARFF"),
    "bzip2": ("t.csv.bz2", b"", DataError, "DuckDB does not read .bz2"),
    "not UTF-8": ("t.csv", b"a,b\n1,\xff\n", DataError, "t.csv:2: found byte 0xff"),
    "not Parquet": ("t.parquet", b"PAR1 no", DataError, "t.parquet: DuckDB: "),
    "unknown": ("t.xyz", b"hello", DataError, "found no format that DuckDB reads"),
}


@pytest.mark.parametrize(("name", "data", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_bad_data_is_refused_with_one_line(
    name: str, data: bytes, kind: type[TreecliError], message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(kind) as found:
        of_database(path)
    assert message in found.value.message
    assert "\n" not in found.value.message


def test_a_text_in_a_numeric_column_is_named_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\nfew,y\n")
    with opened(path) as source:
        source.columns({"a": "numeric", "b": "nominal"})
        query = f"SELECT sum(a) FROM {source.relation()}"
        with pytest.raises(DataError, match=r"t.csv: row 2: found 'few' in 'a'"), source.explained():
            source.connection.execute(query).fetchall()


def test_files_of_a_pattern_must_agree(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,c\n1,2\n")
    with pytest.raises(DataError, match=r"2.csv: the columns are a, c, but those of"):
        of_database(tmp_path / "*.csv")
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    parquet.write_table(pa.table({"a": [1.5]}), tmp_path / "2.parquet")
    with pytest.raises(DataError, match=r"2.parquet: its columns or their types are not those of"):
        of_database(tmp_path / "*.parquet")
    with pytest.raises(DataError, match=r"is csv, but .* is parquet"):
        of_database(tmp_path / "*")
    with pytest.raises(DataError, match="no file has such a name"):
        of_database(tmp_path / "x*.csv")


def test_an_ordered_dictionary_is_refused_unless_its_order_is_given(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    ordered = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["low", "high"]), ordered=True)
    parquet.write_table(pa.table({"a": ordered}), path)
    with pytest.raises(DataError, match="'a' is an ordered dictionary"):
        of_database(path)
    with opened(path) as source:
        assert source.columns({"a": "ordinal"}) == [("a", "VARCHAR")]


def test_unknown_tables_and_columns_are_answered_with_a_near_name(database: Path) -> None:
    with pytest.raises(DataError, match="found no table 'sale'; there are") as found:
        of_database(database, table="sale")
    assert found.value.hint == "did you mean 'sales'?"
    with opened(database, table="sales") as source, pytest.raises(DataError, match="found no column 'N2'") as found:
        source.relation(["N2"])
    with pytest.raises(DataError, match="--query: DuckDB: Referenced column"):
        of_database(database, query="SELECT nothing FROM sales")


WRONG_USE: dict[str, tuple[str, dict[str, str], str]] = {
    "stdin": ("-", {}, "stdin can be read only once"),
    "table of a file": (str(SAMPLE_DATA / "iris.csv"), {"table": "t"}, "is csv, not a database"),
    "both": (str(SAMPLE_DATA / "iris.csv"), {"table": "t", "query": "SELECT 1"}, "exclude each other"),
    "address": ("s3://bucket/data", {}, "the format of the data is not known"),
}


@pytest.mark.parametrize(("path", "more", "message"), WRONG_USE.values(), ids=WRONG_USE)
def test_wrong_use_is_refused(path: str, more: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Source.of(path, ReadOptions(), **more)


def test_unknown_names_in_a_query_are_answered_with_a_near_name(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("colour,size\nred,1\n")
    for query, near in (("SELECT * FROM dat", "data"), ("SELECT colur FROM data", "colour")):
        source = Source.of(str(tmp_path / "rows.csv"), ReadOptions(), query=query)
        source.connect()
        with pytest.raises(DataError, match=r"--query: DuckDB: ") as error:
            source.columns()
        assert error.value.hint == f"did you mean '{near}'?"
        source.close()


def test_a_database_needs_a_table_or_a_query(database: Path) -> None:
    with pytest.raises(UsageError, match=r"shop.db: is a database, expected --table or --query"):
        Source.of(str(database), ReadOptions())


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match="needs the package duckdb") as found:
        Source.of(str(SAMPLE_DATA / "iris.csv"), ReadOptions())
    assert found.value.hint == "pip install 'treecli[duckdb]'"


@pytest.mark.parametrize(
    ("address", "table", "extension", "cure"),
    [
        ("postgresql://me@/shop", "t", "postgres_scanner", "pip install 'treecli[postgresql]', or where there is"),
        ("s3://shop/rows.parquet", None, "httpfs", "where there is a network, once: "),
    ],
)
def test_a_missing_extension_says_how_to_get_it(
    address: str, table: str | None, extension: str, cure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source.of(address, ReadOptions(), table=table)
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    # No extension is installed in an empty home, and the address gives none.
    monkeypatch.setenv("HOME", str(tmp_path))
    real = duckdb.connect

    def without_network(*_: Any) -> Any:
        connection = real(":memory:")
        connection.execute("SET custom_extension_repository = '/nowhere'")
        connection.execute(f"SET extension_directory = '{tmp_path}'")
        return connection

    monkeypatch.setattr(duckdb, "connect", without_network)
    with pytest.raises(UsageError, match=f"DuckDB needs its extension '{extension}'") as found:
        source.connect()
    assert found.value.hint is not None
    assert found.value.hint.startswith(cure)
    assert f"INSTALL {extension}" in found.value.hint
