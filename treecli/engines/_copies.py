"""Tables of SQLite and PostgreSQL, copied into a file of DuckDB where its extension for them cannot be had.

    copies = Copies.of(listing, connection, "/tmp")      # attaches the file as `source`
    copies.tables()                                       # -> [("main", "orders"), ("main", "customers")]
    copies.copy([("main", "orders")])                     # DuckDB writes the rows as they come, batch by batch
    copies.close()                                        # removes the file

SQLite is read by Python's own module, PostgreSQL by the ADBC driver, whose batches Python does not look into.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from treecli.engines import _cells
from treecli.errors import DataError

if TYPE_CHECKING:
    from treecli.engines._files import Listing

ATTACHED = "source"
"""The name of the attached database."""

Table = tuple[str, str]
"""A schema and a name in it."""

ROWS_AT_ONCE = 10_000

COPY = "copied.duckdb"
"""The name of the file."""

_SQLITE_MAIN = "main"
_NOT_SINGLE = "blob"

_POSTGRES_TABLES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
ORDER BY n.nspname <> 'public', n.nspname, c.relname
"""
_POSTGRES_COLUMNS = """
SELECT a.attname, coalesce(b.typname, t.typname), coalesce(b.typtype, t.typtype)::text
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid = nullif(t.typbasetype, 0)
WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_POSTGRES_NUMBERS = ("int2", "int4", "int8", "float4", "float8", "bool")
_POSTGRES_TIMES = ("date", "timestamp", "timestamptz", "time")
_POSTGRES_AS_IT_IS = (*_POSTGRES_NUMBERS, *_POSTGRES_TIMES, "text", "varchar")
"""Types that Arrow has."""

_POSTGRES_TEXTS = ("bpchar", "name", "uuid", "citext")


class _Database(Protocol):
    """A database that rows are copied from. `schema` is where names without a schema are looked up."""

    schema: str
    tables: list[Table]

    def rows(self, table: Table) -> Any:
        """Return the rows of a table as a RecordBatchReader."""
        ...

    def close(self) -> None: ...


class Copies:
    """A file of DuckDB in a folder of its own, attached as `source`, and the database that its tables come from."""

    def __init__(self, database: _Database, connection: Any, folder: TemporaryDirectory[str]) -> None:
        self._database, self._connection, self._folder = database, connection, folder
        connection.execute(f"ATTACH {_cells.literal(str(Path(folder.name) / COPY))} AS {ATTACHED}")
        for schema in sorted({database.schema, *(schema for schema, _ in database.tables)}):
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {ATTACHED}.{_cells.name(schema)}")

    @classmethod
    def of(cls, listing: Listing, connection: Any, temp: str | None) -> Copies | None:
        """Return the copies of a database; None if there is no driver for it."""
        kinds: dict[str, Any] = {"sqlite": _Sqlite, "postgres": _Postgres}
        opened = kinds[listing.format].opened(listing)
        if opened is None:
            return None
        with ExitStack() as undo:
            undo.callback(opened.close)
            folder = TemporaryDirectory(prefix="treecli-", dir=temp)
            undo.callback(folder.cleanup)
            copies = cls(opened, connection, folder)
            undo.pop_all()
        return copies

    def tables(self) -> list[Table]:
        return self._database.tables

    def copy(self, tables: Iterable[Table]) -> None:
        """Copy tables, and look up names in the database's usual schema from now on."""
        for table in tables:
            rows = self._database.rows(table)
            self._connection.register("rows_to_copy", rows)
            name = f"{ATTACHED}.{_cells.name(*table)}"
            self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM rows_to_copy")
            self._connection.unregister("rows_to_copy")

    def copy_named(self, query: str) -> None:
        """Copy the tables whose names are in a query, in which names need no schema."""
        text = query.casefold()
        self.copy([table for table in self.tables() if table[1].casefold() in text])
        self._connection.execute(f"USE {ATTACHED}.{_cells.name(self._database.schema)}")

    def close(self) -> None:
        """Remove the copies; the connection to DuckDB must be closed."""
        self._database.close()
        self._folder.cleanup()


class _Sqlite:
    """A file of SQLite."""

    schema = _SQLITE_MAIN

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection, self._name = connection, name
        found = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid")
        self.tables = [(_SQLITE_MAIN, str(own)) for (own,) in found if not own.startswith("sqlite_")]

    @classmethod
    def opened(cls, listing: Listing) -> _Sqlite:
        address = f"file:{quote(listing.paths[0])}?mode=ro"
        try:
            # DuckDB reads the batches in threads of its own, one at a time.
            return cls(sqlite3.connect(address, uri=True, check_same_thread=False), listing.name)
        except sqlite3.Error as error:
            raise DataError(f"{listing.name}: SQLite: {error}") from None

    def rows(self, table: Table) -> Any:
        import pyarrow

        own = _cells.name(table[1])
        try:
            names = [row[1] for row in self._connection.execute(f"PRAGMA table_info({own})")]
            types = [self._type(own, name) for name in names]
            cells = [
                "NULL" if kind == _NOT_SINGLE else _cells.name(name) for name, kind in zip(names, types, strict=True)
            ]
            cursor = self._connection.execute(f"SELECT {', '.join(cells)} FROM {own}")
        except sqlite3.Error as error:
            raise DataError(f"{self._name}: SQLite: {error}") from None
        of_arrow = {
            "integer": pyarrow.int64(),
            "real": pyarrow.float64(),
            "text": pyarrow.string(),
            _NOT_SINGLE: pyarrow.binary(),
        }
        schema = pyarrow.schema([(name, of_arrow[kind]) for name, kind in zip(names, types, strict=True)])

        def batches() -> Iterator[Any]:
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                columns = zip(*rows, strict=True)
                arrays = [pyarrow.array(own, field.type) for own, field in zip(columns, schema, strict=True)]
                yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)

        return pyarrow.RecordBatchReader.from_batches(schema, batches())

    def _type(self, table: str, column: str) -> str:
        """Return the type of the values of a column, which SQLite does not fix: integer, real, text or blob."""
        rows = self._connection.execute(f"SELECT DISTINCT typeof({_cells.name(column)}) FROM {table}")
        found = {str(own) for (own,) in rows} - {"null"}
        if "text" in found and found & {"integer", "real"}:
            raise DataError(
                f"{self._name}: '{column}' holds numbers and texts, expected one of them",
                "make a view in the database that converts it: CAST(… AS TEXT), or NULL for texts that mean missing",
            )
        return next((own for own in (_NOT_SINGLE, "text", "real") if own in found), "integer" if found else "real")

    def close(self) -> None:
        self._connection.close()


class _Postgres:
    """A database of a PostgreSQL server."""

    schema = "public"

    def __init__(self, connection: Any, listing: Listing, error: type[Exception]) -> None:
        self._connection, self._listing, self._error = connection, listing, error
        self._cursor: Any = None
        self.tables = [(str(schema), str(own)) for schema, own in self._fetched(_POSTGRES_TABLES)]

    @classmethod
    def opened(cls, listing: Listing) -> _Postgres | None:
        try:
            from adbc_driver_postgresql import dbapi
        except ImportError:
            return None
        try:
            return cls(dbapi.connect(listing.paths[0]), listing, dbapi.Error)
        except dbapi.Error as error:
            raise _explained(listing, error) from None

    def _fetched(self, query: str, parameters: Sequence[str] | None = None) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query, parameters)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    def rows(self, table: Table) -> Any:
        name = _cells.name(*table)
        try:
            columns = self._fetched(_POSTGRES_COLUMNS, [name])
            cells = [f"{_postgres_cell(_cells.name(own), *of_type)} AS {_cells.name(own)}" for own, *of_type in columns]
            self._cursor = cursor = self._connection.cursor()  # rows are read as long as there is a name for it
            cursor.execute(f"SELECT {', '.join(cells)} FROM {name}")
        except self._error as error:
            raise _explained(self._listing, error) from None
        return cursor.fetch_record_batch()

    def close(self) -> None:
        if self._cursor is not None:
            self._cursor.close()
        self._connection.close()


def _postgres_cell(column: str, type_name: str, kind: str) -> str:
    """Return a column of PostgreSQL as a type that Arrow has; NULL where a value is not a single one."""
    if type_name in _POSTGRES_AS_IT_IS:
        return column
    if type_name == "numeric":
        return f"{column}::float8"
    if type_name in _POSTGRES_TEXTS or kind == "e":
        return f"{column}::text"
    return "NULL::bytea"


def _explained(listing: Listing, error: Exception) -> DataError:
    """Return the first line of a message of the driver, without the address, which may have a password."""
    lines = [line.strip() for line in str(error).replace(listing.paths[0], listing.name).splitlines() if line.strip()]
    return DataError(f"{listing.name}: PostgreSQL: {lines[0] if lines else type(error).__name__}")
