"""Runs an SQL artefact in a database in memory."""

from __future__ import annotations

from collections.abc import Sequence

from treecli.errors import CheckError, UsageError
from treecli.exporters import Options
from treecli.exporters._dialects import DIALECTS
from treecli.exporters.sql import DEFAULT_DIALECT, DEFAULT_VIEW, prediction_column
from treecli.flow import Flow
from treecli.verification import Answer, Row

DEFAULT_TABLE = "data"

ENGINES = ("sqlite", "duckdb")
"""The dialects whose database runs inside this process."""

_ROWS_AT_ONCE = 10_000


def answers(text: str, flow: Flow, options: Options, rows: list[Row]) -> list[Answer]:
    """What the expression says about every row."""
    dialect_name = options.dialect or DEFAULT_DIALECT
    dialect = DIALECTS[dialect_name]
    table = options.table or DEFAULT_TABLE
    columns = [flow.schema.attributes[index] for index in flow.attributes]
    number_name = _free_name("row", [column.name for column in columns])
    prediction = prediction_column(flow)
    quoted_table, quoted_number = dialect.name(table), dialect.name(number_name)
    if options.form in (None, "case"):
        query = f"SELECT {quoted_number},\n{text}\nFROM {quoted_table} ORDER BY 1"
    else:
        source = f"(\n{text.rstrip().removesuffix(';')}\n) AS answered"
        if options.form == "view":
            source = dialect.name(options.name or DEFAULT_VIEW)
        query = f"SELECT {quoted_number}, {dialect.name(prediction)} FROM {source} ORDER BY 1"
    statements = [text] if options.form == "view" else []
    numeric, textual = _TYPES.get(dialect_name, ("", ""))
    declared = [f"{dialect.name(column.name)} {numeric if column.is_numeric else textual}" for column in columns]
    table_text = f"CREATE TABLE {quoted_table} ({', '.join([f'{quoted_number} INTEGER', *declared])})"
    numbered = [(place, *row) for place, row in enumerate(rows)]
    if dialect_name == "sqlite":
        found = _in_sqlite(table_text, quoted_table, numbered, statements, query)
    elif dialect_name == "duckdb":
        types = ["INTEGER", *(numeric if column.is_numeric else textual for column in columns)]
        found = _in_duckdb(table_text, quoted_table, types, numbered, statements, query)
    else:
        raise UsageError(
            f"--verify: {dialect.title} does not run inside treecli; --dialect {' and '.join(ENGINES)} do",
            f"leave out --verify, and compare in {dialect.title} with what 'treecli predict' says",
        )
    return [answer for _, answer in found]


_TYPES = {"sqlite": ("REAL", "TEXT"), "duckdb": ("DOUBLE", "VARCHAR")}

_Numbered = Sequence[tuple[int | float | str | None, ...]]
_Found = list[tuple[int, Answer]]


def _in_sqlite(table: str, name: str, rows: _Numbered, statements: list[str], query: str) -> _Found:
    import sqlite3
    from contextlib import closing

    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(table)
            places = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
            for statement in statements:
                connection.execute(statement)
            return connection.execute(query).fetchall()
    except sqlite3.Error as error:
        raise CheckError(f"the artefact does not run: SQLite: {error}", "nothing was written") from error


def _in_duckdb(table: str, name: str, types: list[str], rows: _Numbered, statements: list[str], query: str) -> _Found:
    try:
        import duckdb
    except ImportError as error:
        raise UsageError(
            "--verify: needs duckdb, which is not installed", "pip install 'treecli[verify]', or leave out --verify"
        ) from error
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute(table)
            lists = ", ".join(f"unnest(?::{kind}[])" for kind in types)
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                columns = [list(column) for column in zip(*rows[start : start + _ROWS_AT_ONCE], strict=True)]
                connection.execute(f"INSERT INTO {name} SELECT {lists}", columns)
            for statement in statements:
                connection.execute(statement)
            found: _Found = connection.execute(query).fetchall()
            return found
    except duckdb.Error as error:
        raise CheckError(f"the artefact does not run: DuckDB: {error}", "nothing was written") from error


def _free_name(wanted: str, taken: Sequence[str]) -> str:
    folded = {name.casefold() for name in taken}
    name, number = wanted, 1
    while name in folded:
        number += 1
        name = f"{wanted}_{number}"
    return name
