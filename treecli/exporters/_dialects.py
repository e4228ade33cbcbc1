"""SQL dialects: how databases write names, strings, numbers and NaN."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from math import frexp

from treecli.errors import UsageError
from treecli.exporters._names import comment_text
from treecli.records import dataclass

MOST_DIGITS = 15
MOST_DECIMALS = 3
"""Limits within which every decimal parser returns the nearest double.

Such a decimal is far enough from the midpoint of two doubles even for 80-bit or double-double arithmetic."""

_STEP = 62

SUBSTITUTED = "${"
"""Start of a variable reference; Spark substitutes it everywhere, even in quotes and comments."""

MYSQL_LONGEST_NAME = 64
"""In characters."""

POSTGRES_LONGEST_NAME = 63
"""In bytes; PostgreSQL truncates longer names."""


class Sums(Enum):
    """How to sum the parts of a row that goes down several branches."""

    INNER_QUERY = "a query over a query that refers to the columns outside"
    IN_PLACE = "one expression, with each total written where it is used"
    REFUSED = "not at all"


def _sqlite_number(number: float) -> str:
    """Return a number that SQLite reads exactly: short decimals unchanged, others as integer and powers of 2.

    SQLite's decimal parser differs between versions and may be off by one unit in the last place.
    """
    text = repr(number)
    decimal = Decimal(text)
    exponent = decimal.as_tuple().exponent
    assert isinstance(exponent, int)
    is_short = len(decimal.as_tuple().digits) <= MOST_DIGITS and "e" not in text
    if is_short and (-exponent <= MOST_DECIMALS or decimal == Decimal(number)):
        return text
    mantissa, power = frexp(number)
    whole, power = int(mantissa * 2**53), power - 53
    sign, factor = ("*", power) if power > 0 else ("/", -power)
    steps = [_STEP] * (factor // _STEP) + ([factor % _STEP] if factor % _STEP else [])
    product = "".join(f" {sign} {2**step}.0" for step in steps)
    return f"({whole}.0{product} /* {text} */)"


def _with_exponent(number: float) -> str:
    """Return a number with an exponent, so that it is not a DECIMAL."""
    text = repr(number)
    return text if "e" in text else f"{text}e0"


def _doubled(text: str, function: str) -> str:
    """Return a string in single quotes; control characters are concatenated by their code points."""
    pieces = [""]
    for letter in text:
        if letter.isprintable():
            pieces[-1] += letter
        else:
            pieces += [letter, ""]
    texts = [
        f"{function}({ord(piece)})" if place % 2 else "'" + piece.replace("'", "''") + "'"
        for place, piece in enumerate(pieces)
        if piece or len(pieces) == 1
    ]
    return texts[0] if len(texts) == 1 and texts[0].startswith("'") else f"({' || '.join(texts)})"


def _postgres_text(text: str) -> str:
    # A setting decides whether a backslash is literal, except in E'...', where it always starts an escape.
    if text.isprintable() and "\\" not in text:
        return _quoted(text)
    escaped = "".join("''" if letter == "'" else _escape(letter) for letter in text)
    return f"E'{escaped}'"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escape(letter: str) -> str:
    if letter in "'\\":
        return f"\\{letter}"
    return letter if letter.isprintable() else f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else letter


def _remark(text: str) -> str:
    """Return a comment with the text, without characters that a naive client could read as a quote or an end."""
    plain = comment_text(text).translate({ord(letter): "." for letter in "'\"`;"})
    return f" /* {plain} */" if plain.strip(" .") else ""


def _spark_text(text: str) -> str:
    # Settings decide whether a backslash escapes and whether ${x} is substituted, even in quotes. Doubled quotes have
    # changed meaning between versions. Bytes are unambiguous.
    if text.isprintable() and not any(trap in text for trap in ("'", "\\", SUBSTITUTED)):
        return f"'{text}'"
    return f"CAST(X'{text.encode().hex()}' AS STRING{_remark(text)})"


def _spark_bytes(text: str) -> str:
    literal = _spark_text(text)
    if literal.startswith("'"):
        return f"CAST({literal} AS BINARY)"
    return f"X'{text.encode().hex()}'{_remark(text)}"


def _spark_name(*names: str) -> str:
    path = ".".join(_in_backticks(name) for name in names)
    return f"IDENTIFIER({_spark_text(path)})" if SUBSTITUTED in path else path


def _in_backticks(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _bigquery_text(text: str) -> str:
    return "'" + "".join(map(_escape, text)) + "'"


def _bigquery_bytes(text: str) -> str:
    plain = (chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in text.encode())
    return f"b'{''.join(plain)}'" + ("" if text.isascii() else _remark(text))


def _bigquery_name(*names: str) -> str:
    return ".".join("`" + "".join("\\`" if c == "`" else _escape(c) for c in name) + "`" for name in names)


def _is_plain(text: str) -> bool:
    """Return whether a string means the same to MySQL in every character set and mode."""
    return text.isascii() and text.isprintable() and "\\" not in text


def _mysql_text(text: str) -> str:
    return _quoted(text) if _is_plain(text) else f"_utf8mb4 X'{text.encode().hex()}'{_remark(text)}"


def _mysql_bytes(text: str) -> str:
    return f"_binary {_quoted(text)}" if _is_plain(text) else f"X'{text.encode().hex()}'{_remark(text)}"


def _mysql_name(*names: str) -> str:
    for name in names:
        if len(name) > MYSQL_LONGEST_NAME or name.endswith(" ") or max(name) > "\uffff":
            raise UsageError(
                f"'{name}' cannot be a name in MySQL: it is longer than {MYSQL_LONGEST_NAME} characters, ends with a "
                "blank, or holds a character beyond U+FFFF",
                "rename the column",
            )
    return ".".join(map(_in_backticks, names))


def _in_double_quotes(*names: str) -> str:
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The SQL of one database.

    `path` writes a column name, or a table and column name. `text` writes a label as a string. Labels are compared
    bytewise, whatever the column's collation: `label` is the format that converts a column for this, `bytes` the
    function that converts a label. `is_nan` is a format that tests for NaN; empty if the database has no NaN.
    `nan_is_greatest`: NaN compares greater than all numbers. `name_key` maps a name to the key by which the database
    identifies columns.
    """

    title: str
    path: Callable[..., str]
    text: Callable[[str], str]
    bytes: Callable[[str], str]
    number: Callable[[float], str]
    label: str
    is_nan: str = ""
    nan_is_greatest: bool = False
    name_key: Callable[[str], str] = str.casefold
    most_bytes: int | None = None
    sums: Sums = Sums.INNER_QUERY

    def name(self, *names: str) -> str:
        """Return the quoted name of a column, table or view, or of a table and its column."""
        for name in names:
            if not name or "\0" in name:
                raise UsageError(f"{name!r} cannot be a name in {self.title}", "rename the column")
        return self.path(*names)

    def literal(self, text: str) -> str:
        """Return a label as a string literal."""
        return self.text(self._checked(text))

    def compared(self, text: str) -> str:
        """Return a label in the form that is compared with a column."""
        return self.bytes(self._checked(text))

    def _checked(self, text: str) -> str:
        if "\0" in text:
            raise UsageError(f"the label {text!r} holds a NUL, which {self.title} does not take", "rename the label")
        return text


def _sqlite_text(text: str) -> str:
    return _doubled(text, "char")


def _duckdb_text(text: str) -> str:
    return _doubled(text, "chr")


DIALECTS = {
    "sqlite": Dialect(
        "SQLite",
        # Not double quotes: SQLite silently reads a quoted name as a string if no such column exists.
        lambda *names: ".".join(map(_in_backticks, names)),
        _sqlite_text,
        _sqlite_text,
        _sqlite_number,
        label="{} COLLATE BINARY",
        most_bytes=1_000_000,
    ),
    "duckdb": Dialect(
        "DuckDB",
        _in_double_quotes,
        _duckdb_text,
        _duckdb_text,
        _with_exponent,
        label="{} COLLATE C",
        is_nan="{} = 'NaN'::DOUBLE",
        nan_is_greatest=True,
    ),
    "postgres": Dialect(
        "PostgreSQL",
        _in_double_quotes,
        _postgres_text,
        _postgres_text,
        lambda number: f"'{number!r}'::float8",
        label='{}::text COLLATE "C"',
        is_nan="{} = 'NaN'::float8",
        nan_is_greatest=True,
        name_key=lambda name: name.encode()[:POSTGRES_LONGEST_NAME].decode(errors="ignore"),
    ),
    "spark": Dialect(
        "Spark",
        _spark_name,
        _spark_text,
        _spark_bytes,
        lambda number: f"{number!r}D",
        label="CAST({} AS BINARY)",
        is_nan="isnan({})",
        nan_is_greatest=True,
        sums=Sums.REFUSED,
    ),
    "bigquery": Dialect(
        "BigQuery",
        _bigquery_name,
        _bigquery_text,
        _bigquery_bytes,
        lambda number: f"CAST({number!r} AS FLOAT64)",
        label="CAST({} AS BYTES)",
        is_nan="IS_NAN({})",
        sums=Sums.REFUSED,
    ),
    # MySQL and MariaDB share no collation that respects case and trailing blanks, but both compare bytes.
    "mysql": Dialect(
        "MySQL",
        _mysql_name,
        _mysql_text,
        _mysql_bytes,
        _with_exponent,
        label="CAST(CONVERT({} USING utf8mb4) AS BINARY)",
        sums=Sums.IN_PLACE,
    ),
}
