"""The content of a file as another file: what is kept, recorded and lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, islice
from typing import Any

from treecli.interchange.content import ARFF, DELIMITED, PARQUET, Content, column_texts, marked
from treecli.interchange.notation import notation_of
from treecli.interchange.record import MOST_DECIMALS, ColumnRecord, Record
from treecli.readers._table import number_of, shortened
from treecli.writers import _arrow
from treecli.writers._sheet import Description, Field, Marks, Sheet
from treecli.writers.arff import type_of

MISSING_TEXTS = ("", "?", "NA", "<missing>")
"""The texts for missing values in CSV, best first; a text that is a label is not used."""


def record_of(content: Content, format: str) -> Record:
    """All that is known of the content, for a file of this format."""
    old = content.record
    columns = {}
    for place, field in enumerate(content.fields):
        declared = field.native_in(ARFF) or (None if old is None else _arff_type(old, field))
        decimals: int | None = None
        texts: dict[int, str] = {}
        if format == PARQUET and field.kind == "numeric":
            decimals, texts = notation_of(_plain_numbers(content, place), field.values.tolist(), MOST_DECIMALS)
        columns[field.name] = ColumnRecord(
            field.name,
            field.kind,
            None if field.kind == "numeric" or field.is_free else field.labels,
            None if declared == type_of(field) else declared,
            decimals,
            texts,
        )
    marks = _marks(content, format)
    return Record(
        columns,
        content.title,
        missing_text(content),
        marks.delimiter,
        marks.decimal,
        None if content.weights is None else content.weights.tolist(),
        content.arrow or (None if old is None else old.parquet),
    )


def sheet_of(content: Content, format: str, record: Record) -> Sheet:
    """The content as the writer of a format takes it."""
    rows: Iterable[Sequence[str]] = zip(*content.columns, strict=True)
    if format in DELIMITED:
        rows = marked(content, record.missing, record.decimal)
        plain = Description(content.title, content.fields, None)
        return Sheet(content.names, rows, lambda: plain, Marks(record.delimiter, record.decimal))
    fields, schema = list(content.fields), None
    if format != content.format:
        fields = [replace(field, native_format=ARFF, native=record.columns[field.name].arff) for field in fields]
    if format == PARQUET and record.parquet is not None:
        fields, schema = _arrow_fields(content, record.parquet)
    stored = _stored(record, format)
    description = Description(content.title, fields, content.weights, stored, schema)
    return Sheet(content.names, rows, lambda: description, content.marks)


def losses(content: Content, *, has_schema: bool) -> Iterator[str]:
    """Return the properties that delimited text does not keep, one line each."""
    cures: dict[str, list[str]] = {"order": [], "kind": [], "missing": []}
    for field in () if has_schema else content.fields:
        if field.kind == "numeric" or field.is_free:
            continue
        seen = tuple(dict.fromkeys(label for label in _labels_seen(field)))
        is_number = all(number_of(label) is not None for label in seen)
        if field.kind == "ordinal" or (is_number and field.labels):
            cures["kind"].append(f"'{field.name}'")
        if field.labels != seen:
            cures["order"].append(f"'{field.name}'")
        if any(label.strip() in {"", "?"} for label in seen):
            cures["missing"].append(f"'{field.name}'")
    words = {"order": "label order is lost", "kind": "kinds are lost", "missing": "labels '' and '?' are lost"}
    for name, columns in cures.items():
        if columns:
            yield f"{words[name]} in CSV: {shortened(columns)} (--schema FILE.json keeps them)"
    if content.weights is not None and not has_schema:
        yield "row weights are lost in CSV (--schema FILE.json keeps them)"
    broken = [f"'{f.name}'" for f in content.fields if any("\r" in label for label in f.labels)]
    if broken:
        yield f"carriage returns become newlines in CSV: {shortened(broken)}"


def nested_columns(content: Content) -> list[str]:
    """The columns of a Parquet file whose values are written as text and cannot be restored."""
    if content.arrow is None:
        return []
    fields = _arrow.fields_of(_arrow.schema_of(content.arrow, content.name))
    return [name for name, field in fields.items() if not _arrow.is_restorable(field.type)]


def missing_text(content: Content) -> str:
    """The text for missing values that is not a label: that of the file or the record, or the first that will do."""
    taken = {label.strip() for field in content.fields for label in field.labels}
    old = [] if content.record is None else [content.record.missing]
    if content.format in DELIMITED and content.record is None:
        old = list(islice(_missing_cells(content), 1))
    numbered = (f"NA{number}" for number in count(1))
    return next(text for text in chain(old, MISSING_TEXTS, numbered) if text.strip() not in taken)


def _missing_cells(content: Content) -> Iterator[str]:
    """The texts of the missing cells, column by column."""
    for field, cells in zip(content.fields, content.columns, strict=True):
        for row in field.missing().nonzero()[0].tolist():
            yield cells[row]


def _marks(content: Content, format: str) -> Marks:
    """The marks of delimited text with this content: its own, or the recorded ones."""
    if content.format in DELIMITED:
        own = content.marks
    elif content.record is not None:
        own = Marks(content.record.delimiter, content.record.decimal)
    else:
        own = Marks()
    if format == "tsv":
        return Marks("\t", own.decimal)
    return Marks(own.csv_delimiter, own.decimal)


def _arff_type(record: Record, field: Field) -> str | None:
    column = record.column(field.name)
    return None if column is None or column.kind != field.kind else column.arff


def _plain_numbers(content: Content, place: int) -> list[str | None]:
    """The texts of the numbers of a column with a decimal point."""
    cells = column_texts(content, place)
    if content.marks.decimal == ".":
        return cells
    return [None if cell is None else cell.replace(content.marks.decimal, ".") for cell in cells]


def _stored(record: Record, format: str) -> str | None:
    """The JSON that the file keeps; ARFF expresses most of it itself, and a file that was Parquet before everything."""
    if format == PARQUET:
        return None if record.parquet is not None else record.to_json()
    columns = {
        name: ColumnRecord(name, column.kind) for name, column in record.columns.items() if column.kind == "ordinal"
    }
    usual = Record(columns)
    own = replace(
        usual, missing=record.missing, delimiter=record.delimiter, decimal=record.decimal, parquet=record.parquet
    )
    return None if own == usual and not columns else own.to_json()


def _arrow_fields(content: Content, serialized: str) -> tuple[list[Field], Any]:
    """The fields as Arrow columns of the recorded types, and the Arrow schema."""
    schema = _arrow.schema_of(serialized, content.name)
    if schema.names != list(content.names):
        return list(content.fields), None
    fields = []
    for place, (field, arrow_field) in enumerate(zip(content.fields, schema, strict=True)):
        native = field.native_in(PARQUET)
        if native is None and not _arrow.is_restorable(arrow_field.type):
            return list(content.fields), None
        if native is None:
            texts = _plain_numbers(content, place) if field.kind == "numeric" else column_texts(content, place)
            native = _arrow.column_of(arrow_field, texts, field.labels, content.name)
        fields.append(replace(field, native_format=PARQUET, native=native))
    return fields, schema


def _labels_seen(field: Field) -> Iterator[str]:
    """The labels that occur, in order of appearance."""
    import numpy as np

    known = field.values[field.values >= 0].astype(np.int64)
    codes, first = np.unique(known, return_index=True)
    for code in codes[np.argsort(first)].tolist():
        yield field.labels[code]
