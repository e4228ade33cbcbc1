"""Tab-separated values, with a header line; quotes as in CSV."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.writers._delimited import csv_text
from treecli.writers._sheet import Sheet

SUFFIX = ".tsv"


def write(sheet: Sheet) -> Iterator[bytes]:
    """The header and the rows."""
    return (piece.encode() for piece in csv_text(sheet.names, sheet.rows, "\t"))
