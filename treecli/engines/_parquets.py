"""Parquet files that DuckDB would read otherwise than treecli's own reader."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any

from treecli.engines import _cells
from treecli.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection

    from treecli.engines._files import Listing

_ARROW_SCHEMA = "ARROW:schema"


_FRACTIONS = {
    "MILLIS=MilliSeconds": _cells.MILLISECONDS,
    "MICROS=MicroSeconds": _cells.MICROSECONDS,
    "NANOS=NanoSeconds": _cells.NANOSECONDS,
}


def check(listing: Listing, connection: Any, files: str, described: Collection[str]) -> dict[str, str]:
    """Return the fraction of a second that columns of times have.

    Raise DataError if files differ in their columns, or if a column is ordinal and not in `described`.
    """
    # DuckDB converts the columns of all files to the types of the first one.
    sql = f"SELECT file_name, name, type, logical_type::VARCHAR FROM parquet_schema({files}) WHERE type IS NOT NULL"
    of_file: dict[str, list[tuple[str, str, str]]] = {}
    for path, *column in connection.execute(sql).fetchall():
        of_file.setdefault(path, []).append(tuple(column))
    first = next(iter(of_file), listing.name)
    for path, columns in of_file.items():
        if columns != of_file[first]:
            raise DataError(f"{path}: its columns or their types are not those of {first}", "name files of one schema")
    for name in _ordered(connection, _cells.literal(first)):
        if name not in described:
            raise DataError(
                f"{listing.name}: '{name}' is an ordered dictionary, whose order DuckDB does not read",
                f"give it: --type '{name}=ordinal:LOW<…<HIGH', or use --engine memory",
            )
    return {
        name: fraction
        for name, _, logical in of_file.get(first, [])
        for unit, fraction in _FRACTIONS.items()
        if logical is not None and unit in logical
    }


def _ordered(connection: Any, path: str) -> list[str]:
    """Return the columns that Arrow's description of the file declares as ordered dictionaries."""
    found = connection.execute(f"SELECT value FROM parquet_kv_metadata({path}) WHERE key = '{_ARROW_SCHEMA}'")
    row = found.fetchone()
    if row is None:
        return []
    try:
        import pyarrow
        from pyarrow import ipc, types
    except ImportError:
        raise DataError(
            "Parquet files that Arrow wrote need the package pyarrow", "pip install 'treecli[duckdb]'"
        ) from None
    schema = ipc.read_schema(pyarrow.py_buffer(b64decode(bytes(row[0]))))
    return [field.name for field in schema if types.is_dictionary(field.type) and field.type.ordered]
