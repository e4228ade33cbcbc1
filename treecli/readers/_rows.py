"""The shape of delimited text: where each row begins, and its cells.

A cell means the same whether it is quoted or not; spaces around it do not count; a quote opens only at the
start of a cell and is written twice inside one. Lines of nothing but spaces are passed over, except where
there is one column: there such a line is a missing value.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

SPACES = " \t"

# No text holds NUL (see text_of), so a line of one is a row of its own unless a quote was left open.
_END = "\0"

# csv stops at cells of 128 KB unless told otherwise; this is the most that fits a C long everywhere.
_LONGEST_CELL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Dialect:
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
        for line in io.StringIO(text.decode(), newline="\n"):
            line_text = line
            yield line
        yield _END

    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(lines(), delimiter=dialect.delimiter, quotechar=dialect.quote, skipinitialspace=True)
    n_lines_before = 0
    for cells in reader:
        if cells and cells[-1].endswith(_END):
            if cells != [_END]:
                raise MisshapenError(n_lines_before + 1, None)
            return
        is_blank = len(cells) <= 1 and not line_text.strip(SPACES + "\n")
        if not is_blank:
            yield n_lines_before + 1, cells
        elif n_columns == 1:
            yield n_lines_before + 1, [""]
        n_lines_before = reader.line_num


def check_shape(body: bytes, n_columns: int, dialect: Dialect) -> None:
    """Raises MisshapenError at the first row whose number of cells differs."""
    if dialect.quote.encode() in body:
        for line, cells in records(body, dialect, n_columns):
            if len(cells) != n_columns:
                raise MisshapenError(line, len(cells))
        return
    characters = np.frombuffer(body if body.endswith(b"\n") else body + b"\n", dtype=np.uint8)
    line_ends = np.flatnonzero(characters == ord("\n"))
    delimiters = np.flatnonzero(characters == ord(dialect.delimiter))
    n_delimiters = np.diff(np.searchsorted(delimiters, line_ends), prepend=0)
    for index in np.flatnonzero(n_delimiters != n_columns - 1).tolist():
        start = line_ends[index - 1] + 1 if index else 0
        if n_delimiters[index] or body[start : line_ends[index]].strip(SPACES.encode()):
            raise MisshapenError(index + 1, int(n_delimiters[index]) + 1)
