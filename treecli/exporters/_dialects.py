"""How databases differ: names, texts, numbers and what is not a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import frexp

from treecli.errors import UsageError

MOST_DIGITS = 15
MOST_DECIMALS = 3
"""A decimal of no more digits and decimals is so far from the middle between two doubles that no way of reading it,
with 80 bits or with pairs of doubles, takes it for another one."""

_STEP = 62


def _sqlite_number(number: float) -> str:
    """A number as SQLite reads it exactly: short decimals as they are, others as a quotient of whole numbers.

    Its own way of reading decimals has changed over the versions, and may miss the nearest double by one.
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
    """A number that is no DECIMAL, because it has an exponent."""
    text = repr(number)
    return text if "e" in text else f"{text}e0"


def _doubled(text: str, function: str) -> str:
    """A text in single quotes; control characters are joined to it by their numbers."""
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
    # A backslash means itself or not, by a setting, unless an E says that it begins an escape.
    if "\\" in text and text.isprintable():
        return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    return _doubled(text, "chr")


def _escaped(text: str) -> str:
    """A text in single quotes with backslashes before what needs them."""
    return "'" + "".join(map(_escape, text)) + "'"


def _escape(letter: str) -> str:
    if letter in "'\\":
        return f"\\{letter}"
    return letter if letter.isprintable() else f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else letter


def _mysql_text(text: str) -> str:
    # Whether a backslash escapes depends on a setting; the bytes do not.
    if "\\" in text or not text.isprintable():
        return f"_utf8mb4 X'{text.encode().hex()}'"
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The SQL of one database.

    `is_nan` says whether a number is no number, empty where there is no such thing; `nan_is_greatest`: it compares as
    above all numbers. `label` is how a text column is compared letter by letter.
    """

    title: str
    quote: str
    text: Callable[[str], str]
    number: Callable[[float], str]
    is_nan: str = ""
    nan_is_greatest: bool = False
    label: str = "{}"
    minds_case: bool = False
    most_bytes: int | None = None
    takes_inner_queries: bool = True
    """Whether an expression may hold a query over a query that refers to the columns outside."""

    def name(self, name: str) -> str:
        """A name of a column, table or view, whatever letters it has."""
        if not name or "\0" in name:
            raise UsageError(f"{name!r} cannot be a name in {self.title}", "rename the column")
        if self.title == "BigQuery":
            return "`" + "".join("\\`" if letter == "`" else _escape(letter) for letter in name) + "`"
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def literal(self, text: str) -> str:
        if "\0" in text:
            raise UsageError(f"the label {text!r} holds a NUL, which {self.title} does not take", "rename the label")
        return self.text(text)


DIALECTS = {
    # Not double quotes: SQLite takes a name in them for a text where there is no such column, and says nothing.
    "sqlite": Dialect(
        "SQLite",
        "`",
        lambda text: _doubled(text, "char"),
        _sqlite_number,
        label="{} COLLATE BINARY",
        most_bytes=1_000_000,
    ),
    "duckdb": Dialect(
        "DuckDB",
        '"',
        lambda text: _doubled(text, "chr"),
        _with_exponent,
        is_nan="{} = 'NaN'::DOUBLE",
        nan_is_greatest=True,
        label="{} COLLATE C",
    ),
    "postgres": Dialect(
        "PostgreSQL",
        '"',
        _postgres_text,
        lambda number: f"'{number!r}'::float8",
        is_nan="{} = 'NaN'::float8",
        nan_is_greatest=True,
        minds_case=True,
    ),
    "spark": Dialect(
        "Spark",
        "`",
        _escaped,
        lambda number: f"{number!r}D",
        is_nan="isnan({})",
        nan_is_greatest=True,
        takes_inner_queries=False,
    ),
    "bigquery": Dialect(
        "BigQuery",
        "`",
        _escaped,
        lambda number: f"CAST({number!r} AS FLOAT64)",
        is_nan="IS_NAN({})",
        takes_inner_queries=False,
    ),
    # Its usual collations take 'a' for 'A', and most of them 'a ' for 'a'.
    "mysql": Dialect(
        "MySQL", "`", _mysql_text, _with_exponent, label="CONVERT({} USING utf8mb4) COLLATE utf8mb4_0900_bin"
    ),
}
