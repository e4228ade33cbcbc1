"""The rows of a data file as written, for outputs that repeat them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from treecli import plugins
from treecli.data import MISSING, Attribute, Schema
from treecli.files.guard import STREAM
from treecli.intake import ReadOptions, check_known
from treecli.readers._source import open_source
from treecli.writers._sheet import Description, Field, Marks, Sheet

if TYPE_CHECKING:
    from treecli.readers._source import Source
    from treecli.readers._table import Table, TableColumn


def echo_rows(path: str, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
    """The names of a file's columns, and the cells of every row in file order as written."""
    source = open_source(path, options)
    names, rows = plugins.load("readers", source.format).rows(source, options)
    return names, rows


def echo_column(path: str, options: ReadOptions, name: str, asked_by: str) -> list[str]:
    """The cells of one column in file order as written; `asked_by` is the option in the message if there is none."""
    names, rows = echo_rows(path, options)
    check_known("stdin" if path == STREAM else path, names, asked_by, [name])
    place = names.index(name)
    return [row[place] for row in rows]


class EchoedLines(NamedTuple):
    """The names of a file's columns, the lines of its rows, many at a time, and their marks."""

    names: list[str]
    lines: Iterator[list[str]]
    marks: Marks


def echo_lines(path: str, options: ReadOptions) -> EchoedLines | None:
    """The lines of a file; None unless CSV has the same lines. Faster than `echo_rows`, with the same result."""
    source = open_source(path, options)
    found = plugins.load("readers", source.format).lines(source, options)
    if found is None:
        return None
    names, lines = found
    return EchoedLines(names, lines, _marks(source, options))


def echo_sheet(path: str, options: ReadOptions, schema: Schema) -> Sheet:
    """The rows of a file as written, with a description of its columns; those of the schema have its kinds."""
    source = open_source(path, options)
    names, rows = plugins.load("readers", source.format).rows(source, options)
    return Sheet(names, rows, lambda: _described(path, options, schema, names), _marks(source, options))


def _marks(source: Source, options: ReadOptions) -> Marks:
    """The delimiter and the decimal mark of a file; the defaults if its format has no delimiter."""
    reader = plugins.load("readers", source.format)
    return reader.marks(source, options) if hasattr(reader, "marks") else Marks()


def _described(path: str, options: ReadOptions, schema: Schema, names: Sequence[str]) -> Description:
    """The fields of a file, for writing another file."""
    import numpy as np

    source = open_source(path, options)
    reader = plugins.load("readers", source.format)
    known = {attribute.name: attribute for attribute in (*schema.attributes, schema.target)}
    table: Table = reader.read(source, options, {name: attribute.kind for name, attribute in known.items()})
    title, native = reader.native(source, options) if hasattr(reader, "native") else ("", {})
    by_name = {column.name: column for column in table.columns}
    fields = []
    for name in names:
        column = by_name.get(name)
        if column is None:  # left out by the reader, but known to a writer of the same format
            field = Field(name, "nominal", (), np.full(table.n_rows, MISSING, dtype=np.int32))
        elif column.labels is None:
            field = Field(name, "numeric", (), column.values)
        else:
            field = _nominal_field(column, known.get(name))
        fields.append(replace(field, native_format=source.format, native=native[name]) if name in native else field)
    stem = source.name.partition(".")[0] or source.name
    return Description(title or stem, fields, table.weights)


def _nominal_field(column: TableColumn, attribute: Attribute | None) -> Field:
    """A column of labels; if it is an attribute of the model, the model's labels come first."""
    import numpy as np

    labels = column.labels or ()
    kind = column.declared or "nominal"
    is_free = len(labels) > 1 and len(labels) == len(column.values)
    if attribute is None or attribute.is_numeric:
        return Field(column.name, "nominal" if kind == "numeric" else kind, labels, column.values, is_free)
    code_of = {label: code for code, label in enumerate(dict.fromkeys((*attribute.labels, *labels)))}
    codes = np.array([*(code_of[label] for label in labels), MISSING], dtype=np.int32)
    # Code -1 selects the last entry.
    return Field(column.name, attribute.kind, tuple(code_of), codes[column.values])
