"""CSV with a header line (RFC 4180, but lines end as in Unix); keeps the delimiters , ; and |."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.writers._delimited import csv_text
from treecli.writers._sheet import Sheet

SUFFIX = ".csv"


def write(sheet: Sheet) -> Iterator[bytes]:
    """The header and the rows."""
    return (piece.encode() for piece in csv_text(sheet.names, sheet.rows, sheet.marks.csv_delimiter))
