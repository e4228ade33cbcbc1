"""Runs an SQL artefact in an embedded database, without a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treecli.errors import CheckError, UsageError
from treecli.exporters import Options
from treecli.exporters._dialects import DIALECTS
from treecli.exporters.sql import DEFAULT_DIALECT, DEFAULT_VIEW, prediction_column
from treecli.predict.program import Program
from treecli.verifiers import Answer, Row
from treecli.verifiers._spark import ROWS, Job, answers_of

DEFAULT_TABLE = "data"

ENGINES = ("sqlite", "duckdb", "spark")
"""The dialects that can run without a server."""

_ROWS_AT_ONCE = 10_000

_Numbered = Sequence[tuple[int | float | str | None, ...]]
_Found = list[tuple[int, Answer]]


@dataclass(frozen=True, slots=True)
class Script:
    """A script that runs an artefact on a table with a row-number column before the columns that the artefact uses.

    `columns` are their names, and whether they hold numbers. `query` runs after `statements` and returns each row's
    number and answer, in order.
    """

    table: str
    number: str
    columns: list[tuple[str, bool]]
    statements: list[str]
    query: str
    dialect: str

    @property
    def quoted_table(self) -> str:
        return DIALECTS[self.dialect].name(self.table)

    def create(self, numeric: str, textual: str) -> str:
        """Return the statement that creates the table, given the types of numbers and strings."""
        name = DIALECTS[self.dialect].name
        own = [f"{name(column)} {numeric if is_numeric else textual}" for column, is_numeric in self.columns]
        return f"CREATE TABLE {self.quoted_table} ({', '.join([f'{name(self.number)} INTEGER', *own])})"


def script_of(text: str, program: Program, options: Options) -> Script:
    """Return the script that runs an artefact in the database of its dialect."""
    dialect_name = options.dialect or DEFAULT_DIALECT
    dialect = DIALECTS[dialect_name]
    table = options.table or DEFAULT_TABLE
    columns = [
        (attribute.name, attribute.is_numeric)
        for attribute in map(program.schema.attributes.__getitem__, program.attributes)
    ]
    number = _free_name("row", [name for name, _ in columns])
    if options.form in (None, "case"):
        query = f"SELECT {dialect.name(number)},\n{text}\nFROM {dialect.name(table)} ORDER BY 1"
    else:
        source = f"(\n{text.rstrip().removesuffix(';')}\n) AS answered"
        if options.form == "view":
            source = dialect.name(options.name or DEFAULT_VIEW)
        query = f"SELECT {dialect.name(number)}, {dialect.name(prediction_column(program))} FROM {source} ORDER BY 1"
    return Script(table, number, columns, [text] if options.form == "view" else [], query, dialect_name)


def answers(text: str, program: Program, options: Options, rows: list[Row]) -> list[Answer]:
    """Return the value of the expression for every row."""
    script = script_of(text, program, options)
    if script.dialect not in ENGINES:
        title = DIALECTS[script.dialect].title
        raise UsageError(
            f"--verify: {title} needs a server, which treecli does not run; it runs SQL with --dialect "
            f"{', '.join(ENGINES[:-1])} or {ENGINES[-1]}",
            f"leave out --verify, and compare in {title} with what 'treecli predict' says",
        )
    numbered = [(place, *row) for place, row in enumerate(rows)]
    if script.dialect == "spark":
        return answers_of(spark_job(script, numbered))
    found = _in_sqlite(script, numbered) if script.dialect == "sqlite" else _in_duckdb(script, numbered)
    return [answer for _, answer in found]


def spark_job(script: Script, rows: _Numbered) -> Job:
    """Return the script as a Spark job; table and view are temporary, so that Spark needs no storage for them."""
    name = DIALECTS["spark"].name
    columns = [
        (script.number, "row"),
        *((column, "number" if numeric else "text") for column, numeric in script.columns),
    ]
    statements = [f"CREATE OR REPLACE TEMPORARY VIEW {name(script.table)} AS SELECT * FROM {ROWS}"]
    statements += [
        text.replace("\nCREATE VIEW ", "\nCREATE OR REPLACE TEMPORARY VIEW ", 1).rstrip().removesuffix(";")
        for text in script.statements
    ]
    return Job(columns, rows, statements, script.query)


def _in_sqlite(script: Script, rows: _Numbered) -> _Found:
    import sqlite3
    from contextlib import closing

    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(script.create("REAL", "TEXT"))
            places = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {script.quoted_table} VALUES ({places})", rows)
            for statement in script.statements:
                connection.execute(statement)
            return connection.execute(script.query).fetchall()
    except sqlite3.Error as error:
        raise CheckError(f"the artefact does not run: SQLite: {error}", "nothing was written") from error


def _in_duckdb(script: Script, rows: _Numbered) -> _Found:
    try:
        import duckdb
    except ImportError as error:
        raise UsageError(
            "--verify: needs duckdb, which is not installed", "pip install 'treecli[verify]', or leave out --verify"
        ) from error
    types = ["INTEGER", *("DOUBLE" if is_numeric else "VARCHAR" for _, is_numeric in script.columns)]
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute(script.create("DOUBLE", "VARCHAR"))
            lists = ", ".join(f"unnest(?::{kind}[])" for kind in types)
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                columns = [list(column) for column in zip(*rows[start : start + _ROWS_AT_ONCE], strict=True)]
                connection.execute(f"INSERT INTO {script.quoted_table} SELECT {lists}", columns)
            for statement in script.statements:
                connection.execute(statement)
            found: _Found = connection.execute(script.query).fetchall()
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
