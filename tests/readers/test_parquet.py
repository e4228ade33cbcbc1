"""Parquet files, through the functions that commands call."""

from __future__ import annotations

import datetime
import math
import sys

import pyarrow
import pytest
from pyarrow import parquet as arrow_parquet

from treecli import intake
from treecli.errors import DataError, UsageError
from treecli.intake import ReadOptions
from treecli.interchange import echo
from treecli.readers import parquet
from treecli.readers._source import Source


def table_of(columns, kinds=None, **options):
    sink = pyarrow.BufferOutputStream()
    arrow_parquet.write_table(pyarrow.table(columns), sink)
    source = Source("data.parquet", "parquet", sink.getvalue().to_pybytes(), b"")
    return parquet.read(source, ReadOptions(**options), kinds or {})


def cells_of(column):
    if column.labels is None:
        return [None if math.isnan(value) else value for value in column.values.tolist()]
    return [None if code < 0 else column.labels[code] for code in column.values.tolist()]


@pytest.mark.parametrize(
    ("values", "declared", "cells"),
    [
        (pyarrow.array([3, None, -1]), "numeric", [3, None, -1]),
        (pyarrow.array([1, 2, 3], pyarrow.uint8()), "numeric", [1, 2, 3]),
        (pyarrow.array([1.5, math.nan, None]), "numeric", [1.5, None, None]),
        (pyarrow.array([1, 2, None]).cast(pyarrow.decimal128(22, 2)), "numeric", [1, 2, None]),
        (pyarrow.array([None, None, None]), "numeric", [None, None, None]),
        (pyarrow.array(["b", None, "a"]), "nominal", ["b", None, "a"]),
        (pyarrow.array(["1", "2", "?"]), "nominal", ["1", "2", None]),
        (pyarrow.array([" x", "\u00a0q ", "x"]), "nominal", [" x", "\u00a0q ", "x"]),
        (pyarrow.array([" x", "x", None]).dictionary_encode(), "nominal", [" x", "x", None]),
        (pyarrow.array([True, None, False]), "nominal", ["true", None, "false"]),
        (pyarrow.array([datetime.date(2020, 1, 2), None, None]), "nominal", ["2020-01-02", None, None]),
        (pyarrow.array(["b", "a", None]).dictionary_encode(), "nominal", ["b", "a", None]),
    ],
)
def test_the_type_of_a_column_decides_its_kind(values, declared, cells):
    column = table_of({"a": values}).columns[0]
    assert column.declared == declared
    assert cells_of(column) == cells


@pytest.mark.parametrize(
    ("is_ordered", "kind", "labels"), [(True, "ordinal", ("low", "mid", "high")), (False, "nominal", ("high", "low"))]
)
def test_the_order_of_a_dictionary_counts_only_if_it_says_so(is_ordered, kind, labels):
    codes = pyarrow.array([2, 0, None, 2], pyarrow.int8())
    values = pyarrow.DictionaryArray.from_arrays(codes, ["low", "mid", "high"], ordered=is_ordered)
    column = table_of({"a": values}).columns[0]
    assert (column.declared, column.labels) == (kind, labels)
    assert cells_of(column) == ["high", "low", None, "high"]


def test_numbers_asked_for_as_text_are_written_shortly():
    columns = table_of({"a": [1, 20, None], "b": [1.0, 2.5, 3.0]}, {"a": "nominal", "b": "nominal"}).columns
    assert cells_of(columns[0]) == ["1", "20", None]
    assert cells_of(columns[1]) == ["1", "2.5", "3"]


def test_numbers_can_mean_missing():
    assert cells_of(table_of({"a": [-9, 1, 2]}, na=("-9",)).columns[0]) == [None, 1, 2]


def test_columns_that_hold_no_single_values_are_left_out_with_a_reason():
    table = table_of({"a": [1, 2], "b": [[1], [2]], "c": [b"x", b"y"], "__index_level_0__": [7, 8]})
    assert [column.name for column in table.columns] == ["a"]
    assert [name for name, _ in table.left_out] == ["b", "c", "__index_level_0__"]


def test_a_file_with_one_usable_column_is_refused_with_the_reason_for_the_others(tmp_path):
    path = tmp_path / "data.parquet"
    arrow_parquet.write_table(pyarrow.table({"a": [[1], [2]], "class": ["x", "y"]}), path)
    with pytest.raises(DataError, match="found no attribute to learn from") as caught:
        intake.read_training(str(path), ReadOptions())
    assert caught.value.hint == "left out 'a': its type is list<element: int64>, not a single value per row"


def test_a_file_that_is_no_parquet_is_refused():
    with pytest.raises(DataError, match=r"data\.parquet: cannot be read as Parquet"):
        parquet.read(Source("data.parquet", "parquet", b"a,b\n1,2\n", b""), ReadOptions(), {})


def test_a_file_without_rows_is_refused():
    with pytest.raises(DataError, match=r"data\.parquet: found no row"):
        table_of({"a": pyarrow.array([], pyarrow.int64())})


def test_without_pyarrow_the_cure_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError) as caught:
        parquet.read(Source("data.parquet", "parquet", b"PAR1", b""), ReadOptions(), {})
    assert caught.value.hint == "pip install 'treecli[parquet]'"


def test_options_of_delimited_text_are_refused():
    with pytest.raises(UsageError, match="--delimiter is for csv and tsv, not for parquet"):
        table_of({"a": [1]}, delimiter=";")


def test_rows_are_echoed_as_text(tmp_path):
    path = tmp_path / "data.parquet"
    arrow_parquet.write_table(pyarrow.table({"a": [1, None], "b": ["x", "y"], "c": [[1], None]}), path)
    names, rows = echo.echo_rows(str(path), ReadOptions())
    assert names == ["a", "b", "c"]
    assert list(rows) == [["1", "x", "[1]"], ["", "y", ""]]


def test_what_is_wrong_is_said_with_its_row(tmp_path):
    path = tmp_path / "data.parquet"
    arrow_parquet.write_table(pyarrow.table({"a": ["1", "x"], "class": ["y", "n"]}), path)
    with pytest.raises(DataError, match=r"data\.parquet: row 2: found 'x' in 'a', expected a number"):
        intake.read_training(str(path), ReadOptions(types=(("a", "numeric"),)))
