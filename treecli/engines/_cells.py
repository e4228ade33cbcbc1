"""SQL expressions that read a cell as treecli's own readers do: numbers, labels, missing values.

`docs/reading.md` has the rules. Text is read without conversion and converted here, because DuckDB's own conversion
accepts other numbers and other missing values. NULL is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from treecli.exporters._dialects import DIALECTS
from treecli.readers._table import number_of
from treecli.readers._table import trimmed as without_blanks

SqlType = Literal["DOUBLE", "VARCHAR"]

NUMBER: SqlType = "DOUBLE"
TEXT: SqlType = "VARCHAR"

name = DIALECTS["duckdb"].name
literal = DIALECTS["duckdb"].literal
number = DIALECTS["duckdb"].number

BLANKS = "' ' || chr(9)"
NAN = "'nan'::DOUBLE"

_WHOLE = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
)
_FLOATS = ("FLOAT", "DOUBLE")
_LABELS = ("VARCHAR", "BOOLEAN", "DATE", "UUID")

_CLOCKS = {
    "TIMESTAMP_S": "{}",
    "TIMESTAMP_MS": "{}",
    "TIMESTAMP": "{}",
    "TIMESTAMP_NS": "{}",
    "TIMESTAMP WITH TIME ZONE": "{} AT TIME ZONE 'UTC'",
    "TIME": "DATE '1970-01-01' + {}",
}
"""The types of times, and each as a timestamp."""

MILLISECONDS, MICROSECONDS, NANOSECONDS = ".%g", ".%f", ".%n"
_FRACTIONS = {"TIMESTAMP_S": "", "TIMESTAMP_MS": MILLISECONDS, "TIMESTAMP_NS": NANOSECONDS}
"""The fraction of a second in strftime's notation, with as many digits as the type has."""


def trimmed(column: str) -> str:
    """Return the text of a cell of delimited text without blanks and tabs at its edges; never NULL."""
    # DuckDB returns NULL for an empty cell.
    return f"trim(coalesce({column}, ''), {BLANKS})"


def is_missing(text: str, missing_texts: Collection[str]) -> str:
    """Return the condition that a trimmed text means missing."""
    if not missing_texts:
        return "false"
    return f"{text} IN ({', '.join(literal(own) for own in sorted(missing_texts))})"


def as_number(text: str, decimal: str) -> str:
    """Return the number that a trimmed text represents, NULL if it is not a number."""
    own = text if decimal == "." else f"replace({text}, {literal(decimal)}, '.')"
    # DuckDB also takes underscores, white space, two signs as in +-5, and nan; the pattern leaves out all but the last.
    refused = f"regexp_matches({own}, '[^0-9A-Za-z.+-]|^[+]-')"
    if decimal != ".":
        refused = f"contains({text}, '.') OR {refused}"
    return f"CASE WHEN {refused} THEN NULL ELSE nullif(try_cast({own} AS DOUBLE), {NAN}) END"


def is_text(text: str, missing_texts: Collection[str], decimal: str) -> str:
    """Return the condition that a trimmed text is neither missing nor a number."""
    return f"NOT ({is_missing(text, missing_texts)}) AND ({as_number(text, decimal)}) IS NULL"


def text_cell(text: str, kind: SqlType, missing_texts: Collection[str], decimal: str) -> str:
    """Return a trimmed text as a number or a label. A text that is not a number raises an error in the database."""
    missing = is_missing(text, missing_texts)
    if kind == TEXT:
        return f"CASE WHEN {missing} THEN NULL ELSE {text} END"
    wrong = f"error({literal(NOT_A_NUMBER + text)})"
    return f"CASE WHEN {missing} THEN NULL ELSE coalesce({as_number(text, decimal)}, {wrong}) END"


NOT_A_NUMBER = "treecli: not a number: "
"""The start of the database's error about a text in a numeric column; the column follows."""


def kind_of_type(sql_type: str) -> SqlType | None:
    """Return how a database's type is read; None if its values are not single numbers or labels."""
    own = sql_type.partition("(")[0].upper()
    if own in (*_WHOLE, *_FLOATS, "DECIMAL", '"NULL"'):
        return NUMBER
    if own in (*_LABELS, *_CLOCKS, "ENUM"):
        return TEXT
    return None


def is_whole(sql_type: str) -> bool:
    """Return whether a type holds whole numbers only, whose text is the same in all programs."""
    return sql_type.upper() in _WHOLE


def typed_cell(
    column: str, sql_type: str, kind: SqlType, missing_texts: Sequence[str], fraction: str | None = None
) -> str:
    """Return a typed value as a number or a label, as treecli's Parquet reader gives it.

    `fraction` is the fraction of a second that times have in the file, if the type does not say it.
    """
    if kind == NUMBER:
        value = f"{column}::DOUBLE" if not sql_type.startswith("DECIMAL") else f"{column}::VARCHAR::DOUBLE"
        numbers = [number(found) for text in missing_texts if (found := number_of(text)) is not None]
        return f"CASE WHEN {value} IN ({', '.join([NAN, *numbers])}) THEN NULL ELSE {value} END"
    text = f"{column}::VARCHAR"
    if sql_type in _CLOCKS:
        form = f"%H:%M:%S{_FRACTIONS.get(sql_type, MICROSECONDS) if fraction is None else fraction}"
        form = form if sql_type == "TIME" else f"%Y-%m-%d {form}{'Z' if 'ZONE' in sql_type else ''}"
        text = f"strftime({_CLOCKS[sql_type].format(column)}, '{form}')"
    missing = is_missing(f"trim({text}, {BLANKS})", without_blanks(missing_texts))
    return f"CASE WHEN {missing} THEN NULL ELSE {text} END"
