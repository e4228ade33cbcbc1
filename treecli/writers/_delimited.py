"""Rows as CSV text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isnan

from treecli.wording import Cell, number_text

LINES_AT_ONCE = 1000

_MARK = "\ufeff"
"""The byte order mark."""


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]], delimiter: str = ",") -> Iterator[str]:
    """The rows as CSV (RFC 4180, with Unix line ends), in pieces.

    Cells with blanks or tabs at their edges are quoted, because readers trim unquoted cells.
    """
    import csv
    import re

    page = _Page()
    # csv quotes a lone carriage return only if the line end contains one; _Page restores the newline.
    writer = csv.writer(page, delimiter=delimiter, lineterminator=_Page.LINE_END)
    blank, end = " \t".replace(delimiter, ""), re.escape(delimiter)
    has_blank_edge = re.compile(rf"(?:^|{end})[{blank}]|[{blank}](?:{end}|$)", re.MULTILINE).search

    def write(cells: Sequence[str]) -> None:
        writer.writerow(cells)
        if has_blank_edge(page.lines[-1]):
            page.lines[-1] = delimiter.join([quoted_cell(cell, delimiter) for cell in cells]) + "\n"

    write(columns)
    if page.lines[0].startswith(_MARK) or (delimiter != "," and "," in page.lines[0]):
        # A reader takes a comma outside quotes in the first line for the delimiter, and the mark for no text.
        page.lines[0] = delimiter.join([quoted_cell(name, f"{delimiter},") for name in columns]) + "\n"
    for row in rows:
        write([exact(cell) for cell in row])
        if len(page.lines) == LINES_AT_ONCE:
            yield page.take()
    yield page.take()


def quoted_cell(cell: str, delimiters: str) -> str:
    """The cell in CSV: quoted if it contains a delimiter, a quote, a line end, a mark, or blanks at its edges."""
    is_plain = cell == cell.strip(" \t") and not any(sign in cell for sign in f'{delimiters}{_MARK}"\r\n')
    return cell if is_plain else '"' + cell.replace('"', '""') + '"'


class _Page:
    """Lines that a CSV writer has written, until they are taken."""

    LINE_END = "\r\n"

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(line.removesuffix(self.LINE_END) + "\n")

    def take(self) -> str:
        text = "".join(self.lines)
        self.lines.clear()
        return text


def exact(cell: Cell, decimal: str = ".") -> str:
    """A cell in full precision; empty if there is no value."""
    if cell is None or (isinstance(cell, float) and isnan(cell)):
        return ""
    if not isinstance(cell, float):
        return str(cell)
    return number_text(cell) if decimal == "." else number_text(cell).replace(".", decimal)
