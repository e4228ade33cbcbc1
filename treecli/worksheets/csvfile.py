"""Small CSV files with named columns, as spreadsheets and learning platforms save them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from treecli.errors import DataError, did_you_mean
from treecli.files import guard
from treecli.files.guard import STREAM

DELIMITERS = ",;\t"
MINUS_SIGNS = str.maketrans({"−": "-", "–": "-", "\u00a0": None, " ": None})


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, by column."""

    path: str
    number: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    @property
    def place(self) -> str:
        return f"{self.path}:{self.number}"


def read_lines(path: str, columns: Sequence[str]) -> Iterator[Line]:
    """Yield the lines of a file that has these columns, in any order, and maybe others."""
    import csv

    text = _text(path)
    first = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    # newline="" semantics: a quoted cell may contain line ends.
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        for name in columns:
            if name not in header:
                hint = did_you_mean(name, header)
                raise DataError(f"{path}:1: found no column '{name}', expected {','.join(columns)}", hint)
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                found = f"found {len(cells)} cells, expected {len(header)}"
                hint = "a number with a decimal comma needs quotes, or ; between the columns"
                raise DataError(f"{path}:{reader.line_num}: {found}", hint if len(cells) > len(header) else None)
            own = dict(zip(header, (cell.strip() for cell in cells), strict=True))
            yield Line(path, reader.line_num, own)
    except csv.Error as error:
        raise DataError(f"{path}:{reader.line_num}: cannot be read as CSV: {error}") from error


def number_of(line: Line, column: str, what: str = "") -> float:
    """Return a cell as a number; a decimal comma is accepted."""
    found = parsed(line[column])
    if found is None:
        raise DataError(f"{line.place}: found '{line[column]}' as {what or column}, expected a number")
    return found


def parsed(text: str) -> float | None:
    """Return the number in a text, None if it is none."""
    try:
        number = float(text.translate(MINUS_SIGNS).replace(",", "."))
    except ValueError:
        return None
    return number if isfinite(number) and "_" not in text else None


def _text(path: str) -> str:
    try:
        if path == STREAM:
            data = guard.stdin("a CSV file").read()
        else:
            with guard.open_input(path) as stream:
                data = stream.read()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: cannot be read as UTF-8: {error}", "save it as UTF-8") from error
