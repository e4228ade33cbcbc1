"""A connection to DuckDB: its limits, the database that it reads, and the extensions that this takes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from treecli.engines import _cells, _files
from treecli.engines._copies import ATTACHED, Copies
from treecli.errors import DataError, UsageError, did_you_mean
from treecli.readers._table import shortened

_EXTENSIONS = {"sqlite": "sqlite_scanner", "postgres": "postgres_scanner"}
_EXTRAS = {"postgres": "pip install 'treecli[postgresql]', or "}
"""How to get a driver that is used instead of an extension."""

_USUAL_SCHEMAS = ("main", "public")
_AZURE = ("az://", "azure://", "abfss://")


def driver() -> Any:
    """Return the module duckdb; raise UsageError if it is not installed."""
    try:
        import duckdb
    except ImportError:
        raise UsageError("--engine duckdb: needs the package duckdb", "pip install 'treecli[duckdb]'") from None
    return duckdb


def opened(memory: int | None, temp: str | None, threads: int | None) -> Any:
    """Return a connection; `memory` is the most bytes of its buffers, `temp` the folder for what exceeds them."""
    connection = driver().connect(":memory:")
    settings: dict[str, object] = {"enable_progress_bar": "false"}
    if memory is not None:
        settings["memory_limit"] = f"'{memory}B'"
    if temp is not None:
        settings["temp_directory"] = _cells.literal(temp)
    if threads is not None:
        settings["threads"] = threads
    for setting, value in settings.items():
        connection.execute(f"SET {setting} = {value}")
    return connection


def attach(connection: Any, listing: _files.Listing, temp: str | None, *, is_current: bool) -> Copies | None:
    """Attach a database for reading, or load what an address needs; `is_current`: names are looked up there.

    Without the extension for a database, return the copies that its tables are read from, in the folder `temp`.
    """
    if listing.format in _EXTENSIONS and not _is_loaded(connection, _EXTENSIONS[listing.format]):
        copies = Copies.of(listing, connection, temp)
        if copies is not None:
            return copies
        if not _is_downloaded(connection, _EXTENSIONS[listing.format]):
            raise _missing(listing.name, _EXTENSIONS[listing.format], _EXTRAS[listing.format])
    if listing.is_database:
        kind = "" if listing.format == "duckdb" else f", TYPE {listing.format}"
        connection.execute(f"ATTACH {_cells.literal(listing.paths[0])} AS {ATTACHED} (READ_ONLY{kind})")
        if is_current:
            connection.execute(f"USE {ATTACHED}")
    elif listing.is_remote:
        extension = "azure" if listing.paths[0].startswith(_AZURE) else "httpfs"
        if not _is_loaded(connection, extension) and not _is_downloaded(connection, extension):
            raise _missing(listing.name, extension)
    return None


def tables(connection: Any, copies: Copies | None) -> list[tuple[str, str]]:
    """Return the schema and the name of every table of the attached database."""
    if copies is not None:
        return copies.tables()
    rows: list[tuple[str, str]] = connection.execute(
        f"SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = '{ATTACHED}' "
        "AND table_schema NOT IN ('information_schema', 'pg_catalog')"
    ).fetchall()
    return rows


def found_table(table: str, rows: Sequence[tuple[str, str]], name: str) -> tuple[str, str]:
    """Return the schema and the name of a table, given all of a database; raise DataError if there is none."""
    full = {f"{schema}.{own}": (schema, own) for schema, own in rows}
    usual_last = sorted(rows, key=lambda row: row[0] in _USUAL_SCHEMAS)
    short = {own: (schema, own) for schema, own in usual_last}
    found = full.get(table) or short.get(table)
    if found is None:
        known = shortened([own for _, own in rows]) or "none"
        raise DataError(f"{name}: found no table '{table}'; there are {known}", did_you_mean(table, [*short, *full]))
    return found


def _is_loaded(connection: Any, extension: str) -> bool:
    """Load an extension that is installed, or that of a Python package for this version of DuckDB."""
    packaged = _packaged(extension, driver().__version__)
    connection.execute("SET autoinstall_known_extensions = false")  # else LOAD downloads it
    try:
        return _succeeds(connection, f"LOAD {extension}") or (
            packaged is not None and _succeeds(connection, f"LOAD {_cells.literal(packaged)}")
        )
    finally:
        connection.execute("RESET autoinstall_known_extensions")


def _is_downloaded(connection: Any, extension: str) -> bool:
    return _succeeds(connection, f"INSTALL {extension}") and _succeeds(connection, f"LOAD {extension}")


def _succeeds(connection: Any, statement: str) -> bool:
    try:
        connection.execute(statement)
    except driver().Error:
        return False
    return True


def _missing(name: str, extension: str, cure: str = "") -> UsageError:
    package = f"duckdb-extension-{extension.replace('_', '-')}"
    return UsageError(
        f"{name}: DuckDB needs its extension '{extension}', which is not installed and could not be downloaded",
        f"{cure}where there is a network, once: python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\", or "
        f"pip install {package} of the version of duckdb",
    )


def _packaged(extension: str, version: str) -> str | None:
    """Return the file of an extension in the Python package that has it; None if there is none for this version."""
    spec = find_spec(f"duckdb_extension_{extension}")
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / "extensions" / f"v{version}" / f"{extension}.duckdb_extension"
    return str(file) if file.exists() else None
