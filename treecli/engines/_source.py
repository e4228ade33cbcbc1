"""Data as a DuckDB relation: files, addresses, tables and queries, read as treecli's own readers read them.

    source = Source.of("sales-*.parquet", reading)                     # or table="t", or query="SELECT …"
    source.connect(memory=2 << 30, temp="/tmp", threads=2)             # -> the duckdb connection, source.connection
    source.columns()                                                   # -> [("age", "DOUBLE"), ("city", "VARCHAR")]
    source.relation()                                                  # -> "(SELECT … FROM read_parquet([…]))"
    source.columns({"age": "numeric"}, finds=False)                    # kinds that are known: no pass over the data
    source.relation(["city"], number="rowno")                          # some columns; the row's number from 0
    source.fingerprint()                                               # -> what a later run compares
    source.close()

Every column of the relation is DOUBLE or VARCHAR, NULL where missing (`--na`, NaN and NULL included), under its own
name; `relation` quotes names. The kind of a column of delimited text takes one pass over the data (`source.passes`
counts them), unless `kinds` gives it. Rows come in the order of the files, which are sorted by name, as long as DuckDB
preserves the order of insertion; `number` gives them their place whatever the number of threads.

Errors of the database become one line: run queries inside `with source.explained():`.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from treecli.data import Kind
from treecli.engines import _cells, _connection, _files, _parquets, _texts
from treecli.engines._cells import NUMBER, TEXT, SqlType
from treecli.engines._connection import driver
from treecli.engines._copies import ATTACHED, COPY, Copies
from treecli.engines._sqls import DUCKDB
from treecli.errors import DataError, TreecliError, UsageError, did_you_mean
from treecli.readers import _source
from treecli.readers._table import missing_options, shortened, trimmed
from treecli.readers.parquet import PANDAS_INDEX
from treecli.writers._sheet import Marks

if TYPE_CHECKING:
    from treecli.readers._source import ReadOptions

NO_SPACE = (os.strerror(errno.ENOSPC), os.strerror(errno.EFBIG))

QUERY_TABLE = "data"
"""The table that a file is in a query."""


class Column(NamedTuple):
    """A column: its name, the SQL that reads it, and its type in the relation."""

    name: str
    sql: str
    type: SqlType
    sql_type: str
    """The type in the file or table; VARCHAR for delimited text."""


class Source:
    """Rows that DuckDB reads. `left_out` has (column, reason) of columns that are not single values."""

    sql = DUCKDB

    def __init__(self, listing: _files.Listing, options: ReadOptions, table: str | None, query: str | None) -> None:
        self.name = table or listing.name
        self.options = options
        self.passes = 0
        self.left_out: tuple[tuple[str, str], ...] = ()
        self.detected = listing.detected
        self.connection: Any = None
        self._copies: Copies | None = None
        self._listing = listing
        self._table = table
        self._query = query
        self._columns: list[Column] | None = None
        self._raw = ""
        self._fractions: dict[str, str] = {}
        self._is_text: dict[str, tuple[str, str]] = {}
        self._n_rows: int | None = None
        self._finds = True
        self.marks = Marks()

    @classmethod
    def of(cls, path: str, options: ReadOptions, table: str | None = None, query: str | None = None) -> Source:
        """Return the source of a file, pattern, address or database; raise an error if it cannot be one."""
        driver()
        if table is not None and query is not None:
            raise UsageError("--table and --query exclude each other", "leave one of them out")
        listing = _files.listed(path, options)
        if table is not None and not listing.is_database:
            raise UsageError(f"--table: {listing.name} is {listing.format}, not a database", "leave --table out")
        if listing.is_database and table is None and query is None:
            raise UsageError(f"{listing.name}: is a database, expected --table or --query", "name a table with --table")
        if listing.is_database or listing.format == "parquet":
            _source.refuse_options_of_delimited_text(options, _source.Source(listing.name, listing.format, b"", b""))
        return cls(listing, options, table, query)

    def connect(self, memory: int | None = None, temp: str | None = None, threads: int | None = None) -> Any:
        """Return the connection; `memory` is the most bytes of its buffers, `temp` the folder for what exceeds them."""
        with self.explained():
            self.connection = _connection.opened(memory, temp, threads)
            self._copies = _connection.attach(self.connection, self._listing, temp, is_current=self._query is not None)
        return self.connection

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None
        if self._copies is not None:
            self._copies.close()
            self._copies = None

    def columns(self, kinds: Mapping[str, Kind] | None = None, *, finds: bool = True) -> list[tuple[str, SqlType]]:
        """Return the name and the type, DOUBLE or VARCHAR, of every column.

        `kinds` gives those of some columns. The kinds of others are found in the data, or without `finds` are nominal,
        which needs no pass.
        """
        if self._columns is None:
            self._finds = finds
            with self.explained():
                self._columns = self._described(kinds or {})
        return [(column.name, column.type) for column in self._columns]

    def relation(self, names: Sequence[str] | None = None, number: str | None = None) -> str:
        """Return the rows as a query in parentheses, with some columns or all.

        `number` adds a column with this name that holds the number of each row, from 0.
        """
        self.columns()
        assert self._columns is not None
        by_name = {column.name: column for column in self._columns}
        chosen = self._columns if names is None else [self._known(own, by_name) for own in names]
        parts = [f"{column.sql} AS {_cells.name(column.name)}" for column in chosen]
        if number is not None:
            parts.append(f"row_number() OVER () - 1 AS {_cells.name(number)}")
        return f"(SELECT {', '.join(parts) or '1 AS one'} FROM {self._raw})"

    def echo(self) -> list[tuple[str, str]]:
        """Return the name of every column, those that are left out included, and the SQL for its value as it is.

        The rows are those of `raw()`. Cells of delimited text are texts without blanks at their edges, NULL if empty.
        """
        self.columns()
        if self.is_text:
            return [(own, f"nullif({cell}, '')") for own, (cell, _) in self._is_text.items()]
        rows = self.connection.execute(f"DESCRIBE SELECT * FROM {self._raw}").fetchall()
        return [(own, _cells.name(own)) for own, *_ in rows]

    @property
    def is_text(self) -> bool:
        """Whether the rows are delimited text, so that no column has a type."""
        return bool(self._is_text) and self._query is None

    def raw(self, names: Sequence[str]) -> tuple[str, dict[str, str]]:
        """Return the rows before any conversion, and the SQL that reads each of these columns from them."""
        self.columns()
        assert self._columns is not None
        by_name = {column.name: column for column in self._columns}
        return self._raw, {own: self._known(own, by_name).sql for own in names}

    def n_rows(self) -> int:
        """Return the number of rows; counting them may take a pass."""
        if self._n_rows is None:
            self.columns()
        if self._n_rows is None:
            with self.explained():
                (self._n_rows,) = self.connection.execute(f"SELECT count(*) FROM {self._raw}").fetchone()
            # The number of rows of Parquet files and tables is in their headers.
            self.passes += self._listing.format in _files.DELIMITERS or self._query is not None
        return int(self._n_rows or 0)

    def local_paths(self) -> tuple[str, ...]:
        """Return the local files that hold all the data; empty if there are others, or a query chooses from them."""
        is_local = not (self._listing.is_remote or self._listing.is_database) and self._query is None
        return self._listing.paths if is_local else ()

    def fingerprint(self) -> dict[str, Any]:
        """Return what `identity` does, with the number of rows and the columns."""
        return self.identity() | {"rows": self.n_rows(), "schema": [list(column) for column in self.columns()]}

    def identity(self) -> dict[str, Any]:
        """Return names, sizes and times of the files, table or query."""
        files = []
        for path in self._listing.paths:
            status = None if self._listing.is_remote else os.stat(path)
            files.append(
                {
                    "path": _without_password(path) if status is None else os.path.realpath(path),
                    "size": None if status is None else status.st_size,
                    "mtime_ns": None if status is None else status.st_mtime_ns,
                }
            )
        return {"files": files, "table": self._table, "query": self._query}

    def fetched(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query that takes a pass over the data."""
        self.passes += 1
        with self.explained():
            rows: list[tuple[Any, ...]] = self.connection.execute(query).fetchall()
            return rows

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of the database into one line, with the cure if there is one."""
        duckdb = driver()
        try:
            yield
        except duckdb.Error as error:
            raise self._explained(error) from error

    def _described(self, kinds: Mapping[str, Kind]) -> list[Column]:
        """Return the columns, and set the relation that they read."""
        if self._listing.format in _files.DELIMITERS and self._query is None:
            return self._delimited_columns(kinds)
        if self._listing.format in _files.DELIMITERS:
            inner = self._delimited_columns(kinds)
            parts = ", ".join(f"{column.sql} AS {_cells.name(column.name)}" for column in inner)
            self.connection.execute(f"CREATE TEMP VIEW {QUERY_TABLE} AS SELECT {parts} FROM {self._raw}")
        elif self._listing.format == "parquet" and self._query is not None:
            self.connection.execute(f"CREATE TEMP VIEW {QUERY_TABLE} AS SELECT * FROM {self._parquet()}")
        if self._query is not None and self._copies is not None:
            self.passes += 1
            self._copies.copy_named(self._query)
        if self._query is not None:
            self._raw = f"({self._query.strip().rstrip(';')}) AS query"
        elif self._table is not None:
            self._raw = self._table_name()
        else:
            files = _texts.files(self._listing)
            self._fractions = _parquets.check(self._listing, self.connection, files, kinds)
            self._raw = self._parquet()
        return self._typed_columns(kinds)

    def _typed_columns(self, kinds: Mapping[str, Kind]) -> list[Column]:
        found: list[Column] = []
        left_out: list[tuple[str, str]] = []
        rows = self.connection.execute(f"DESCRIBE SELECT * FROM {self._raw}").fetchall()
        self._check_names([own for own, *_ in rows])
        for own, sql_type, *_ in rows:
            kind = _cells.kind_of_type(sql_type)
            asked = kinds.get(own)
            if PANDAS_INDEX.fullmatch(own) and self._listing.format == "parquet":
                left_out.append((own, "it is the index of a pandas frame"))
                continue
            if kind is None:
                left_out.append((own, f"its type is {sql_type}, not a single number or label per row"))
                continue
            if asked is not None and asked != "numeric" and kind == NUMBER:
                kind = self._as_text(own, sql_type)
            elif asked == "numeric" and kind == TEXT:
                raise DataError(f"{self.name}: '{own}' is {sql_type}, expected numbers", "convert it with --query")
            sql = _cells.typed_cell(_cells.name(own), sql_type, kind, self.options.na, self._fractions.get(own))
            found.append(Column(own, sql, kind, sql_type))
        self.left_out = tuple(left_out)
        if not found:
            raise DataError(f"{self.name}: found no column with single values")
        return found

    def _as_text(self, own: str, sql_type: str) -> SqlType:
        if not _cells.is_whole(sql_type):
            raise UsageError(
                f"{self.name}: '{own}' is {sql_type}, whose values as labels depend on the program",
                f"convert it with --query: CAST({_cells.name(own)} AS VARCHAR)",
            )
        return TEXT

    def _delimited_columns(self, kinds: Mapping[str, Kind]) -> list[Column]:
        head = _texts.head_of(self._listing, self.options, self.connection)
        self._check_names(head.names)
        self.detected = (*self._listing.detected, *head.detected)
        cells = [f"c{place}" for place in range(len(head.names))]
        _texts.refuse_quoted_blanks(self._listing, self.options, head, self.connection)
        texts = ", ".join(f"{_cells.trimmed(cell)} AS {cell}" for cell in cells)
        self._raw = f"(SELECT {texts} FROM {_texts.scan(self._listing, self.options, head, cells)})"
        missing, decimal = trimmed(self.options.na), head.dialect.decimal
        self._is_text = {
            own: (cell, _cells.is_text(cell, missing, decimal)) for own, cell in zip(head.names, cells, strict=True)
        }
        types = {own: TEXT if kind != "numeric" else NUMBER for own, kind in kinds.items()}
        unknown = [own for own in head.names if own not in types]
        self.marks = Marks(head.dialect.delimiter, decimal)
        if not self._finds:
            types |= dict.fromkeys(unknown, TEXT)
        elif unknown:
            tests = [f"bool_or({self._is_text[own][1]})" for own in unknown]
            found = self.connection.execute(f"SELECT count(*), {', '.join(tests)} FROM {self._raw}").fetchone()
            self.passes += 1
            self._n_rows, *has_text = found
            if not self._n_rows:
                raise DataError(f"{self.name}: found no row after the header")
            types |= {own: TEXT if is_text else NUMBER for own, is_text in zip(unknown, has_text, strict=True)}
        return [
            Column(own, _cells.text_cell(cell, types[own], missing, decimal), types[own], "VARCHAR")
            for own, cell in zip(head.names, cells, strict=True)
        ]

    def _parquet(self) -> str:
        return f"read_parquet({_texts.files(self._listing)})"

    def _table_name(self) -> str:
        """Return the qualified name of the table; raise DataError if there is none."""
        assert self._table is not None
        rows = _connection.tables(self.connection, self._copies)
        found = _connection.found_table(self._table, rows, self._listing.name)
        if self._copies is not None:
            self.passes += 1
            self._copies.copy([found])
        return f"{ATTACHED}.{_cells.name(*found)}"

    def _check_names(self, names: Sequence[str]) -> None:
        seen: dict[str, str] = {}
        for own in names:
            other = seen.setdefault(own.casefold(), own)
            if other != own:
                raise DataError(
                    f"{self.name}: '{other}' and '{own}' are one column in DuckDB, which does not mind case",
                    "rename one of them, or use --engine memory",
                )

    def _known(self, own: str, by_name: Mapping[str, Column]) -> Column:
        if own not in by_name:
            raise DataError(
                f"{self.name}: found no column '{own}'; there are {shortened(list(by_name))}",
                did_you_mean(own, by_name),
            )
        return by_name[own]

    def _explained(self, error: Any) -> TreecliError:
        text = str(error).strip()
        first = text.splitlines()[0] if text else type(error).__name__
        if self._listing.format == "postgres":
            first = first.replace(self._listing.paths[0], self._listing.name)  # which may have a password
        if COPY in text and text.endswith(NO_SPACE):
            return DataError(
                f"{self._listing.name}: tables cannot be copied: the disk is full",
                "name a folder with more room: --temp DIR",
            )
        if _cells.NOT_A_NUMBER in text:
            return self._not_a_number(text.partition(_cells.NOT_A_NUMBER)[2].split()[0])
        if "CSV Error on Line" in text:
            line = first.rpartition(": ")[2]
            lines = [own for own in text.splitlines()[2:] if own and not own.startswith("Possible fixes")]
            reason = lines[0].rstrip(".") if lines else "malformed"
            return DataError(f"{self.name}:{line}: {reason}", "'treecli info' without --engine says more")
        what = self.name if self._query is None else "--query"
        near = re.search(r'(?:Did you mean|Candidate bindings:) "([^"]+)"', text)
        is_own = near is not None and not near[1].startswith(("pg_", "duckdb_", "sqlite_", "information_schema"))
        hint = f"did you mean '{near[1]}'?" if near is not None and is_own else None
        unknown = re.search(r"Table with name ([^!]+?) does not exist", text)
        if unknown is not None and self._copies is not None:
            hint = did_you_mean(unknown[1], [own for _, own in self._copies.tables()])
        return DataError(f"{what}: DuckDB: {first.partition(': ')[2] or first}", hint)

    def _not_a_number(self, wrong: str) -> DataError:
        """Return the error about the first text in a numeric column."""
        own, test = next((own, test) for own, (cell, test) in self._is_text.items() if cell == wrong)
        row, found = self.connection.execute(
            f"SELECT row, {wrong} FROM (SELECT row_number() OVER () AS row, {wrong} FROM {self._raw}) WHERE {test} "
            "ORDER BY row LIMIT 1"
        ).fetchone()
        hint = f"if it means missing, use {missing_options(self.options.na, [found])}"
        return DataError(f"{self.name}: row {row}: found '{found}' in '{own}', expected a number", hint)


def _without_password(address: str) -> str:
    """Return an address without what stands between its user and its host."""
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1@", address)
