"""A connection to DuckDB: its limits, the database that it reads, and the extensions that this takes."""

from __future__ import annotations

from typing import Any

from treecli.engines import _cells, _files
from treecli.errors import UsageError

ATTACHED = "source"
"""The name of the attached database."""

_EXTENSIONS = {"sqlite": "sqlite", "postgres": "postgres"}
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


def attach(connection: Any, listing: _files.Listing, *, is_current: bool) -> None:
    """Attach a database for reading, or load what an address needs; `is_current`: names are looked up there."""
    if listing.format in _EXTENSIONS:
        _load(connection, _EXTENSIONS[listing.format], listing.name)
    if listing.is_database:
        kind = "" if listing.format == "duckdb" else f", TYPE {listing.format}"
        connection.execute(f"ATTACH {_cells.literal(listing.paths[0])} AS {ATTACHED} (READ_ONLY{kind})")
        if is_current:
            connection.execute(f"USE {ATTACHED}")
    elif listing.is_remote:
        _load(connection, "azure" if listing.paths[0].startswith(_AZURE) else "httpfs", listing.name)


def _load(connection: Any, extension: str, name: str) -> None:
    """Load an extension, and install it first if need be."""
    duckdb = driver()
    try:
        connection.execute(f"LOAD {extension}")
        return
    except duckdb.Error:
        pass
    try:
        connection.execute(f"INSTALL {extension}")
        connection.execute(f"LOAD {extension}")
    except duckdb.Error:
        raise UsageError(
            f"{name}: DuckDB needs its extension '{extension}', which is not installed and could not be downloaded",
            f"where there is a network, once: python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\"",
        ) from None
