"""The shape of delimited text: where each row begins, and its cells.

A cell means the same whether it is quoted or not; spaces around it do not count; a quote opens only at the
start of a cell and is written twice inside one. Lines of nothing but spaces are passed over, except where
there is one column: there such a line is a missing value.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPACES = " \t"

LINES_BYTES = 1 << 20
"""So much text becomes lines at a time."""

# No text holds NUL (see text_of), so a line of one is a row of its own unless a quote was left open.
_END = "\0"

# csv stops at cells of 128 KB unless told otherwise; this is the most that fits a C long everywhere.
_LONGEST_CELL = 2**31 - 1


class Dialect(NamedTuple):
    """The characters that give rows their shape, and the texts that mean missing."""

    delimiter: str
    quote: str
    missing_texts: frozenset[str]


class MisshapenError(Exception):
    """A row has the wrong number of cells, or a quote is never closed: then `n_cells` is None."""

    def __init__(self, line: int, n_cells: int | None) -> None:
        super().__init__(line, n_cells)
        self.line = line
        self.n_cells = n_cells


def records(text: bytes, dialect: Dialect, n_columns: int) -> Iterator[tuple[int, list[str]]]:
    """The line on which each row begins, and its cells; raises MisshapenError for an open quote."""
    line_text = ""

    def lines() -> Iterator[str]:
        nonlocal line_text
        for line in io.BytesIO(text):
            line_text = line.decode()
            yield line_text
        yield _END

    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(lines(), delimiter=dialect.delimiter, quotechar=dialect.quote, skipinitialspace=True)
    n_lines_before = 0
    for cells in reader:
        if cells and cells[-1].endswith(_END):
            if reader.line_num > n_lines_before + 1:
                raise MisshapenError(n_lines_before + 1, None)
            return
        is_blank = len(cells) <= 1 and not line_text.strip(SPACES + "\n")
        if not is_blank:
            yield n_lines_before + 1, cells
        elif n_columns == 1:
            yield n_lines_before + 1, [""]
        n_lines_before = reader.line_num


def lines_as_written(text: bytes, offset: int, unwanted: str) -> Iterator[list[str]] | None:
    """The lines from an offset on that are not blank, many at a time; None where one might not say as CSV what it says.

    That is so where an unwanted character occurs, or a space that is not inside a cell.
    """
    if any(text.find(character.encode(), offset) >= 0 for character in unwanted):
        return None
    if text.find(b" ", offset) >= 0 and (
        text.startswith(b" ", offset)
        or text.endswith(b" ")
        or any(text.find(edge, offset) >= 0 for edge in (b", ", b" ,", b"\n ", b" \n"))
    ):
        return None

    def lines() -> Iterator[list[str]]:
        start = offset
        while start < len(text):
            stop = text.find(b"\n", start + LINES_BYTES) + 1 or len(text)
            yield [line for line in text[start:stop].decode().split("\n") if line.strip()]
            start = stop

    return lines()


def check_shape(body: bytes, n_columns: int, dialect: Dialect) -> None:
    """Raises MisshapenError at the first row whose number of cells differs."""
    characters = np.frombuffer(body if body.endswith(b"\n") else body + b"\n", dtype=np.uint8)
    is_line_end = characters == ord("\n")
    is_delimiter = characters == ord(dialect.delimiter)
    is_quote = characters == ord(dialect.quote)
    if is_quote.any():
        if not _quotes_enclose_cells(characters, is_quote, is_delimiter | is_line_end | is_quote):
            for line, cells in records(body, dialect, n_columns):
                if len(cells) != n_columns:
                    raise MisshapenError(line, len(cells))
            return
        is_outside = np.bitwise_xor.accumulate(is_quote) == 0
        is_delimiter &= is_outside
        row_ends = np.flatnonzero(is_line_end & is_outside)
    else:
        row_ends = np.flatnonzero(is_line_end)
    n_delimiters = np.diff(np.searchsorted(np.flatnonzero(is_delimiter), row_ends), prepend=0)
    for row in np.flatnonzero(n_delimiters != n_columns - 1).tolist():
        start = row_ends[row - 1] + 1 if row else 0
        if n_delimiters[row] or body[start : row_ends[row]].strip(SPACES.encode()):
            line = int(np.count_nonzero(is_line_end[:start])) + 1
            raise MisshapenError(line, int(n_delimiters[row]) + 1)


def _quotes_enclose_cells(
    characters: NDArray[np.uint8], is_quote: NDArray[np.bool_], is_edge: NDArray[np.bool_]
) -> bool:
    """Whether quotes come in pairs that open after an edge and close before one, so that every second ends a cell
    or is the first of two that write a quote."""
    positions = np.flatnonzero(is_quote)
    opening, closing = positions[0::2], positions[1::2]
    return bool(
        len(opening) == len(closing)
        and closing[-1] + 1 < len(characters)
        and is_edge[closing + 1].all()
        and is_edge[opening[opening > 0] - 1].all()
    )
