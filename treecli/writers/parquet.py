"""Parquet: numbers are doubles, labels a dictionary; columns that were read from Parquet keep their types.

The dictionary is ordered if the labels are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from treecli.errors import UsageError
from treecli.writers._sheet import RECORD, Field, Sheet

SUFFIX = ".parquet"

IS_BINARY = True


def write(sheet: Sheet) -> Iterator[bytes]:
    """The whole file."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError("writing Parquet needs the package pyarrow", "pip install 'treecli[parquet]'") from None

    columns = [_column(field) for field in sheet.fields]
    _, _, _, record, schema = sheet.description
    table = pyarrow.table(columns, names=list(sheet.names)) if schema is None else pyarrow.table(columns, schema=schema)
    if record is not None:
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), RECORD: record})
    buffer = pyarrow.BufferOutputStream()
    parquet.write_table(table, buffer)
    yield buffer.getvalue().to_pybytes()


def _column(field: Field) -> Any:
    import pyarrow

    native = field.native_in("parquet")
    if native is not None:
        return native
    missing = field.missing()
    if field.kind == "numeric":
        return pyarrow.array(field.values, mask=missing)
    codes = pyarrow.array(field.values, pyarrow.int32(), mask=missing)
    labels = pyarrow.array(list(field.labels), pyarrow.string())
    return pyarrow.DictionaryArray.from_arrays(codes, labels, ordered=field.kind == "ordinal")
