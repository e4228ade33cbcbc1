"""The content of a data file, independent of its format: cells as written, and fields with kinds and labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treecli import plugins
from treecli.data import UNSEEN, Kind
from treecli.errors import DataError, did_you_mean
from treecli.intake import ReadOptions, check_known
from treecli.interchange.notation import number_texts
from treecli.interchange.record import ColumnRecord, Record, from_json
from treecli.readers._kinds import as_asked, as_numeric, kinds_asked, recode
from treecli.readers._source import open_source
from treecli.readers._table import TableColumn, shortened
from treecli.writers._sheet import Field, Marks

if TYPE_CHECKING:
    from treecli.data import FloatArray
    from treecli.readers._source import Source
    from treecli.readers._table import Table

DELIMITED = ("csv", "tsv")
ARFF, PARQUET = "arff", "parquet"


class Content(NamedTuple):
    """A file's columns and rows; `columns` has the cells of each column, `record` what the file or --schema records."""

    name: str
    format: str
    title: str
    names: Sequence[str]
    fields: Sequence[Field]
    columns: Sequence[Sequence[str]]
    weights: FloatArray | None
    marks: Marks
    record: Record | None
    arrow: str | None
    """The Arrow schema of a Parquet file that is not itself the result of a conversion."""
    remarks: tuple[str, ...]


def read_content(path: str, options: ReadOptions, schema: Record | None) -> Content:
    """The content of a file; `schema` is the record of a delimited one."""
    source = open_source(path, options)
    reader = plugins.load("readers", source.format)
    options = _options_for(source, options, schema)
    written = reader.record(source, options) if hasattr(reader, "record") else None
    record = schema if written is None else from_json(written, source.name)
    types = dict(options.types)
    recorded: Mapping[str, ColumnRecord] = {} if record is None else record.columns
    kinds: dict[str, Kind] = {name: own.kind for name, own in recorded.items()} | kinds_asked(options.types)
    table: Table = reader.read(source, options, kinds)
    names, rows = reader.rows(source, options)
    columns: list[Sequence[str]] = list(zip(*rows, strict=True))
    check_known(table.name, names, "--type", list(types))
    if schema is not None:
        _check_columns(table.name, names, schema)
    title, native = reader.native(source, options) if hasattr(reader, "native") else ("", {})
    labels = reader.dictionaries(source, options) if source.format == PARQUET else {}
    by_name = {column.name: column for column in table.columns}
    fields = []
    for place, name in enumerate(names):
        column, own = by_name.get(name), recorded.get(name)
        if column is None:
            field = _as_text(name, columns[place])
        elif name in types or own is None:
            field = _inferred(column, types.get(name), labels.get(name), table, options)
        else:
            field = _recorded(column, own, table, options)
        if name in native and name not in types:
            # In ARFF, the types string and date declare no labels.
            is_text = source.format == ARFF and native[name].lower().startswith(("string", "date"))
            field = replace(field, native_format=source.format, native=native[name], is_free=field.is_free or is_text)
        if own is not None and field.kind == "numeric" and (own.decimals is not None or own.texts):
            columns[place] = number_texts(field.values.tolist(), own.decimals, own.texts)
        fields.append(field)
    weights = table.weights
    if weights is None and record is not None and record.weights is not None:
        weights = _weights(record.weights, table)
    stem = source.name.partition(".")[0] or source.name
    return Content(
        table.name,
        source.format,
        (record.title if record is not None else "") or title or stem,
        names,
        fields,
        columns,
        weights,
        reader.marks(source, options) if hasattr(reader, "marks") else Marks(),
        record,
        reader.arrow_schema(source, options) if source.format == PARQUET and written is None else None,
        (*source.detected, *table.detected),
    )


def _options_for(source: Source, options: ReadOptions, schema: Record | None) -> ReadOptions:
    """The options, with the marks of the schema; in Parquet only null is missing unless --na says otherwise."""
    is_usual = options.na == ReadOptions().na
    if source.format == PARQUET and is_usual:
        return replace(options, na=())
    if schema is None:
        return options
    return replace(
        options,
        na=(schema.missing,) if is_usual else options.na,
        delimiter=options.delimiter or schema.delimiter,
        decimal=options.decimal or schema.decimal,
    )


def _check_columns(file_name: str, names: Sequence[str], schema: Record) -> None:
    for name in names:
        if schema.column(name) is None:
            raise DataError(
                f"{file_name}: the schema does not have the column '{name}'", did_you_mean(name, schema.columns)
            )
    for name in schema.columns:
        if name not in names:
            raise DataError(f"{file_name}: found no column '{name}', which the schema has", did_you_mean(name, names))


def _as_text(name: str, cells: Sequence[str]) -> Field:
    """A column of nested values, which the reader leaves out, as text."""
    code_of = {text: code for code, text in enumerate(dict.fromkeys(cells))}
    codes = np.array([code_of[cell] for cell in cells], np.int32)
    return Field(name, "nominal", tuple(code_of), codes, is_free=True)


def _inferred(
    column: TableColumn,
    type_text: str | None,
    dictionary: tuple[str, ...] | None,
    table: Table,
    options: ReadOptions,
) -> Field:
    """A column as the file or --type declares it, or as its values look."""
    attribute, values = as_asked(column, type_text, table.place, options.na)
    if attribute.is_numeric:
        return Field(column.name, "numeric", (), values)
    labels = attribute.labels
    if dictionary is not None and type_text is None:
        return Field(column.name, attribute.kind, dictionary, recode(column, dictionary))
    is_free = column.declared is None and type_text is None and 1 < len(labels) == table.n_rows
    return Field(column.name, attribute.kind, labels, values, is_free)


def _recorded(column: TableColumn, own: ColumnRecord, table: Table, options: ReadOptions) -> Field:
    """A column as the record describes it; raises at the first row with another value."""
    if own.kind == "numeric":
        return Field(column.name, "numeric", (), as_numeric(column, table.place, options.na))
    labels = own.labels
    if labels is None:
        return Field(column.name, own.kind, column.labels or (), column.values, is_free=own.kind == "nominal")
    codes = recode(column, labels)
    wrong = np.flatnonzero(codes == UNSEEN)
    if len(wrong):
        row = int(wrong[0])
        label = (column.labels or ())[int(column.values[row])]
        raise DataError(
            f"{table.place(row)}: '{label}' is not a label of '{column.name}' in the schema ({shortened(labels)})",
            did_you_mean(label, labels) or "add it to the labels of the schema",
        )
    return Field(column.name, own.kind, labels, codes)


def _weights(weights: Sequence[float], table: Table) -> FloatArray:
    if len(weights) != table.n_rows:
        raise DataError(f"{table.name}: found {table.n_rows} rows, but the schema has {len(weights)} weights")
    return np.array(weights, np.float64)


def column_texts(content: Content, place: int) -> list[str | None]:
    """The cells of a column, None for missing ones."""
    missing = content.fields[place].missing().tolist()
    return [None if absent else cell for cell, absent in zip(content.columns[place], missing, strict=True)]


def marked(content: Content, missing: str, decimal: str) -> Iterator[tuple[str, ...]]:
    """The rows with this text for missing values and this decimal mark."""
    columns: list[Sequence[str]] = []
    for place, field in enumerate(content.fields):
        cells = column_texts(content, place)
        if field.kind == "numeric" and decimal != content.marks.decimal:
            cells = [None if cell is None else cell.replace(content.marks.decimal, decimal) for cell in cells]
        columns.append([missing if cell is None else cell for cell in cells])
    return zip(*columns, strict=True)
