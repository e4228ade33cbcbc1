"""Cells between bars."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.writers._sheet import Sheet

SUFFIX = ".bars"


def write(sheet: Sheet) -> Iterator[bytes]:
    """The names, then a line for each row."""
    for cells in (sheet.names, *sheet.rows):
        yield f"|{'|'.join(cells)}|\n".encode()
