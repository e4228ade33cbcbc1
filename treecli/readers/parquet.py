"""Parquet: numbers are numeric; texts, booleans and dates are nominal; an ordered dictionary is ordinal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.data import Kind
from treecli.errors import DataError
from treecli.readers._arrow import values_of
from treecli.readers._readoptions import ReadOptions
from treecli.readers._source import Source, refuse_options_of_delimited_text
from treecli.readers._table import Table, TableColumn, check_names, known_texts, number_of, tidy, trimmed
from treecli.writers._sheet import RECORD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import FloatArray
    from treecli.readers._excerpts import Excerpt

# pandas writes an unnamed index under this name, after all columns, where the target is expected.
PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def read(source: Source, options: ReadOptions, kinds: Mapping[str, Kind]) -> Table:
    """The columns of the file; columns of nested values are left out with a reason."""
    arrow_table = _open(source, options)
    columns: list[TableColumn] = []
    left_out: list[tuple[str, str]] = []
    for name, values in zip(arrow_table.column_names, arrow_table.columns, strict=True):
        if PANDAS_INDEX.fullmatch(name):
            left_out.append((name, "it is the index of a pandas frame"))
        elif _is_nested(values.type):
            left_out.append((name, f"its type is {values.type}, not a single value per row"))
        else:
            columns.append(_column(name, values, options, as_text=kinds.get(name, "numeric") != "numeric"))
    if not columns:
        raise DataError(f"{source.name}: found no column with single values")
    return Table(
        source.name,
        columns,
        arrow_table.num_rows,
        lambda row: f"{source.name}: row {row + 1}",
        left_out=tuple(left_out),
    )


def rows(source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the values of every row as text; null is empty."""
    arrow_table = _open(source, options)
    return list(arrow_table.column_names), _texts_of_rows(arrow_table)


def lines(source: Source, options: ReadOptions) -> None:
    """None: Parquet has no lines."""


def native(source: Source, options: ReadOptions) -> tuple[str, dict[str, Any]]:
    """No name, and each column in its Parquet type."""
    arrow_table = _open(source, options)
    return "", dict(zip(arrow_table.column_names, arrow_table.columns, strict=True))


def record(source: Source, options: ReadOptions) -> str | None:
    """The record in the metadata of the file, if there is one."""
    found = (_open(source, options).schema.metadata or {}).get(RECORD.encode())
    return None if found is None else found.decode()


def arrow_schema(source: Source, options: ReadOptions) -> str:
    """The Arrow schema of the file without a record, in base64."""
    from base64 import b64encode

    schema = _open(source, options).schema
    metadata = {key: value for key, value in (schema.metadata or {}).items() if key != RECORD.encode()}
    return b64encode(schema.with_metadata(metadata or None).serialize().to_pybytes()).decode()


def dictionaries(source: Source, options: ReadOptions) -> dict[str, tuple[str, ...]]:
    """The labels of every dictionary column in its order, with those that do not occur."""
    import pyarrow
    from pyarrow import types

    arrow_table = _open(source, options)
    found = {}
    for name, values in zip(arrow_table.column_names, arrow_table.columns, strict=True):
        if types.is_dictionary(values.type) and not _is_nested(values.type):
            texts = values.unify_dictionaries().chunks[0].dictionary.cast(pyarrow.string()).to_pylist()
            found[name] = tuple(dict.fromkeys(text for text in texts if text is not None))
    return found


def excerpts(source: Source, options: ReadOptions) -> Excerpt:
    """A function that returns the file with some of its rows; columns keep their types and metadata."""
    import pyarrow
    from pyarrow import parquet

    arrow_table = _open(source, options)

    def excerpt(rows: NDArray[np.int64]) -> bytes:
        buffer = pyarrow.BufferOutputStream()
        parquet.write_table(arrow_table.take(pyarrow.array(rows)), buffer)
        data: bytes = buffer.getvalue().to_pybytes()
        return data

    return excerpt


def _open(source: Source, options: ReadOptions) -> Any:
    refuse_options_of_delimited_text(options, source)
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise DataError(
            f"{source.name}: reading Parquet needs the package pyarrow", "pip install 'treecli[parquet]'"
        ) from None
    try:
        # Check names first: a table with duplicate column names cannot be read at all.
        file = parquet.ParquetFile(pyarrow.BufferReader(source.data))
        check_names(file.schema_arrow.names, lambda _: source.name)
        arrow_table = file.read()
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(
            f"{source.name}: cannot be read as Parquet: {reason}", "is it another format? see --from"
        ) from None
    if not arrow_table.num_columns or not arrow_table.num_rows:
        raise DataError(f"{source.name}: found no row")
    return arrow_table


def _is_nested(arrow_type: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    return not (
        types.is_primitive(arrow_type)
        or types.is_decimal(arrow_type)
        or types.is_null(arrow_type)
        or types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or types.is_string_view(arrow_type)
    )


def _column(name: str, values: Any, options: ReadOptions, *, as_text: bool) -> TableColumn:
    import pyarrow
    from pyarrow import types

    arrow_type = values.type
    is_ordered = types.is_dictionary(arrow_type) and arrow_type.ordered
    is_number = types.is_integer(arrow_type) or types.is_floating(arrow_type) or types.is_decimal(arrow_type)
    if types.is_null(arrow_type) or (is_number and not as_text):
        if types.is_decimal(arrow_type):
            values = values.cast(pyarrow.string())  # Arrow's own conversion is not to the nearest double
        return TableColumn(name, _numbers(values.cast(pyarrow.float64(), safe=False), options), None, "numeric")
    if not types.is_dictionary(arrow_type):
        values = values.cast(pyarrow.string()).dictionary_encode()
    chunks = values.unify_dictionaries().chunks
    codes = values_of([chunk.indices.cast("int32") for chunk in chunks], -1, np.int32)
    texts = chunks[0].dictionary.cast(pyarrow.string()).to_pylist()
    if types.is_dictionary(arrow_type) and not is_ordered:
        codes, texts = _in_order_of_appearance(codes, texts)
    tidy_codes, labels = tidy(codes, known_texts(texts, trimmed(options.na)), as_text=True)
    return TableColumn(name, tidy_codes, labels, None if is_number else "ordinal" if is_ordered else "nominal")


def _numbers(values: Any, options: ReadOptions) -> FloatArray:
    numbers: FloatArray = values_of(values.chunks, np.nan, np.float64)
    for text in options.na:
        missing = number_of(text)
        if missing is not None:
            numbers[numbers == missing] = np.nan
    return numbers


def _in_order_of_appearance(codes: Any, texts: list[str]) -> tuple[Any, list[str]]:
    """The codes and texts in order of appearance: a dictionary may hold its values in any order, and unused ones."""
    used, first_rows, compact = np.unique(codes, return_index=True, return_inverse=True)
    order = [int(index) for index in np.argsort(first_rows) if used[index] >= 0]
    new_code = np.full(len(used), -1, dtype=np.int32)
    new_code[order] = np.arange(len(order), dtype=np.int32)
    return new_code[compact], [texts[int(used[index])] for index in order]


def _texts_of_rows(arrow_table: Any) -> Iterator[list[str]]:
    import pyarrow

    for batch in arrow_table.to_batches():
        columns = []
        for values in batch.columns:
            if _is_nested(values.type):
                columns.append(["" if value is None else str(value) for value in values.to_pylist()])
            else:
                texts = values.cast(pyarrow.string()).to_pylist()
                columns.append(["" if text is None else text for text in texts])
        for cells in zip(*columns, strict=True):
            yield list(cells)
