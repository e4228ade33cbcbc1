"""A connection to DuckDB: its limits, the database that it reads, and the extensions that this takes."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from treecli.engines import _cells, _files
from treecli.errors import UsageError

ATTACHED = "source"
"""The name of the attached database."""

_EXTENSIONS = {"sqlite": "sqlite_scanner", "postgres": "postgres_scanner"}
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
    """Load an extension: an installed one, that of a Python package for this version of DuckDB, or a downloaded one."""
    duckdb = driver()
    ways = [[f"LOAD {extension}"], [f"INSTALL {extension}", f"LOAD {extension}"]]
    packaged = _packaged(extension, duckdb.__version__)
    if packaged is not None:
        ways.insert(1, [f"LOAD {_cells.literal(packaged)}"])
    for statements in ways:
        try:
            for statement in statements:
                connection.execute(statement)
        except duckdb.Error:
            continue
        return
    package = f"duckdb-extension-{extension.replace('_', '-')}"
    raise UsageError(
        f"{name}: DuckDB needs its extension '{extension}', which is not installed and could not be downloaded",
        f"where there is a network, once: python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\", or "
        f"pip install {package} of the version of duckdb",
    )


def _packaged(extension: str, version: str) -> str | None:
    """Return the file of an extension in the Python package that has it; None if there is none for this version."""
    spec = find_spec(f"duckdb_extension_{extension}")
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / "extensions" / f"v{version}" / f"{extension}.duckdb_extension"
    return str(file) if file.exists() else None
