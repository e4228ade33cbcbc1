"""The rows of delimited text, and their cells.

The rules are those of Python's csv module, with blanks and tabs ignored around a cell:
- Blanks and tabs before a cell are skipped. A quote that follows opens a quoted cell; any other quote is a character.
- Inside quotes a quote is doubled, and delimiters and line ends are text. Text between the closing quote and the
  delimiter is appended.
- A fully quoted cell keeps its text. Any other cell is stripped of blanks and tabs.
- A line of blanks and tabs is not a row, except in a file of one column, where it is an empty cell.
A tab that is the delimiter is never skipped. A blank that is the delimiter is skipped at the start of a cell.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import NamedTuple

from treecli.readers._table import BLANKS

LINES_BYTES = 1 << 20
"""Bytes of text that are split into lines at a time."""

_BLANK = re.compile(" *")
_TAB = re.compile("\t*")
_BLANK_OR_TAB = re.compile("[ \t]*")


class Dialect(NamedTuple):
    """Delimiter, quote and decimal mark, and the texts that mean missing."""

    delimiter: str
    quote: str
    missing_texts: frozenset[str]
    decimal: str = "."


class MisshapenError(Exception):
    """A row has the wrong number of cells, or a quote is never closed (`n_cells` is None)."""

    def __init__(self, line: int, n_cells: int | None) -> None:
        super().__init__(line, n_cells)
        self.line = line
        self.n_cells = n_cells


def records(text: bytes, dialect: Dialect, n_columns: int) -> Iterator[tuple[int, list[str]]]:
    """The first line number of each row, and its cells; raises MisshapenError for an open quote."""
    delimiter, quote = dialect.delimiter, dialect.quote
    # With tab as the delimiter, a line of tabs is a row of empty cells.
    ignored = " \n" if delimiter == "\t" else f"{BLANKS}\n"
    lines = (line.decode() for line in io.BytesIO(text))
    number = 0
    for line in lines:
        number += 1
        if not line.strip(ignored):
            if n_columns == 1:
                yield number, [""]
        elif quote in line or delimiter == " ":
            first = number
            try:
                cells, n_more = _cells(line, lines, dialect)
            except StopIteration:
                raise MisshapenError(first, None) from None
            number += n_more
            yield first, cells
        else:
            yield number, [cell.strip(BLANKS) for cell in line.removesuffix("\n").split(delimiter)]


def even_rows(text: bytes, dialect: Dialect, n_columns: int) -> Iterator[list[str]]:
    """The cells of every row; raises MisshapenError at the first row with a different number of cells."""
    for line, cells in records(text, dialect, n_columns):
        if len(cells) != n_columns:
            raise MisshapenError(line, len(cells))
        yield cells


def cell_text(raw: str, quote: str) -> str:
    """The text of a raw cell that starts with an opening quote."""
    pieces = []
    start = 1
    while True:
        stop = raw.index(quote, start)
        if not raw.startswith(quote, stop + 1):
            break
        pieces.append(raw[start : stop + 1])
        start = stop + 2
    text = "".join(pieces) + raw[start:stop]
    rest = raw[stop + 1 :]
    return f"{text}{rest}".strip(BLANKS) if rest else text


def _cells(line: str, more: Iterator[str], dialect: Dialect) -> tuple[list[str], int]:
    """The cells of the row that starts with a line, and the number of further lines; StopIteration if too few."""
    delimiter, quote = dialect.delimiter, dialect.quote
    before = _BLANK if delimiter == "\t" else _BLANK_OR_TAB
    behind = _TAB if delimiter == " " else before
    cells: list[str] = []
    n_more = 0
    end = -1
    while end < len(line):
        start = before.match(line, end + 1).end()  # type: ignore[union-attr]
        if line.startswith(quote, start):
            pieces = []
            close = start + 1
            while True:
                close = line.find(quote, close)
                if close < 0:
                    pieces.append(line[start:])
                    line = next(more)
                    n_more += 1
                    start = close = 0
                elif line.startswith(quote, close + 1):
                    close += 2
                else:
                    break
            after = behind.match(line, close + 1).end()  # type: ignore[union-attr]
            end = _cell_end(line, after, delimiter)
            raw = line[start : close + 1 if end == after else end]
            cells.append(cell_text("".join([*pieces, raw]), quote))
        else:
            end = _cell_end(line, start, delimiter)
            cells.append(line[start:end].rstrip(BLANKS))
        if not line.startswith(delimiter, end):
            break
    return cells, n_more


def _cell_end(line: str, start: int, delimiter: str) -> int:
    end = line.find(delimiter, start)
    return end if end >= 0 else len(line) - line.endswith("\n")


def lines_as_written(text: bytes, offset: int, delimiter: str, unwanted: str) -> Iterator[list[str]] | None:
    """The non-blank lines from an offset, many at a time; None if a line may differ from its cells as CSV.

    That is the case if an unwanted character occurs, or a blank at the edge of a cell.
    """
    if any(text.find(character.encode(), offset) >= 0 for character in unwanted):
        return None
    edges = (f"{delimiter} ", f" {delimiter}", "\n ", " \n")
    if text.find(b" ", offset) >= 0 and (
        text.startswith(b" ", offset)
        or text.endswith(b" ")
        or any(text.find(edge.encode(), offset) >= 0 for edge in edges)
    ):
        return None

    def lines() -> Iterator[list[str]]:
        start = offset
        while start < len(text):
            stop = text.find(b"\n", start + LINES_BYTES) + 1 or len(text)
            yield list(filter(None, text[start:stop].decode().split("\n")))
            start = stop

    return lines()
