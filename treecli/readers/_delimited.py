"""Rows of cells between delimiters: the machinery of CSV, TSV and dense ARFF.

A cell means the same whether it is quoted or not; spaces around it do not count; a quote opens only at the
start of a cell and is written twice inside one. Lines of nothing but spaces are passed over, except where
there is one column: there such a line is a missing value.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.data import Kind
from treecli.errors import DataError, UsageError
from treecli.readers._source import ReadOptions, Source
from treecli.readers._table import Table, TableColumn, check_names, number_of, tidy
from treecli.readers._text import text_of

if TYPE_CHECKING:
    from treecli.data import Column

    Cells = tuple[Column, tuple[str, ...] | None]

SPACES = " \t"

# No text holds NUL (see text_of), so a line of one is a row of its own unless a quote was left open.
_END = "\0"

# csv stops at cells of 128 KB unless told otherwise; this is the most that fits a C long everywhere.
_LONGEST_CELL = 2**31 - 1

# pandas reads the text nan as a number, and the least int64 as missing in a column that misses values.
_MISREAD_BY_PANDAS = re.compile(rb"nan|9223372036854775808", re.IGNORECASE)

# From here on pandas rounds numbers correctly by itself, and asking for it is deprecated.
_PANDAS_EXACT_SINCE = (3, 1)


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


def read(source: Source, options: ReadOptions, kinds: Mapping[str, Kind], delimiter: str) -> Table:
    """The columns of a file of delimited text."""
    dialect, text, names, header_lines = _open(source, options, delimiter)
    body = text[_offset_after(text, header_lines) :]
    if not body.strip():
        raise DataError(f"{source.name}:{max(header_lines, 1)}: found no row after the header")
    as_text = {position for position, name in enumerate(names) if kinds.get(name, "numeric") != "numeric"}
    try:
        columns = parse(body, len(names), dialect, as_text)
    except MisshapenError as error:
        raise _shape_error(source.name, header_lines, len(names), error) from None

    def place(row: int) -> str:
        line, _ = next(islice(records(body, dialect, len(names)), row, None))
        return f"{source.name}:{header_lines + line}"

    return Table(
        source.name,
        [TableColumn(name, *cells) for name, cells in zip(names, columns, strict=True)],
        len(columns[0][0]),
        place,
    )


def rows(source: Source, options: ReadOptions, delimiter: str) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the cells of every row as they are written."""
    dialect, text, names, header_lines = _open(source, options, delimiter)
    body = text[_offset_after(text, header_lines) :]
    return names, (cells for _, cells in records(body, dialect, len(names)))


def parse(body: bytes, n_columns: int, dialect: Dialect, as_text: Collection[int]) -> list[Cells]:
    """Values and labels of every column, numbers where all are, except in the columns kept `as_text`.

    Raises MisshapenError. pyarrow and pandas give the same; pyarrow starts sooner.
    """
    columns = _parse_with_pyarrow(body, n_columns, dialect, as_text) if find_spec("pyarrow") else None
    if columns is None:
        _check_shape(body, n_columns, dialect)
        columns = _parse_with_pandas(body, n_columns, dialect, as_text)
    return columns


def records(text: bytes, dialect: Dialect, n_columns: int) -> Iterator[tuple[int, list[str]]]:
    """The line on which each row begins, and its cells; raises MisshapenError for an open quote."""
    line_text = ""

    def lines() -> Iterator[str]:
        nonlocal line_text
        for line_text in io.StringIO(text.decode(), newline="\n"):  # noqa: B007
            yield line_text
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


def _open(source: Source, options: ReadOptions, delimiter: str) -> tuple[Dialect, bytes, list[str], int]:
    """The dialect, the text, the names of the columns, and how many lines the header takes."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\n\r\0':
        raise UsageError(f"--delimiter is '{delimiter}', expected one ASCII character", "for example ';'")
    dialect = Dialect(delimiter, '"', frozenset(options.na))
    text = text_of(source, options.encoding)
    # A header of blank lines is none, however many columns there are: hence 2.
    rows_of_text = records(text, dialect, n_columns=2)
    try:
        line, first = next(rows_of_text, (0, []))
    except MisshapenError as error:
        raise _shape_error(source.name, 0, 0, error) from None
    if not first:
        raise DataError(f"{source.name}: the file is empty, expected a header and rows")
    if not options.header:
        return dialect, text, [_default_name(position) for position in range(len(first))], 0
    names = [cell.strip() or _default_name(position) for position, cell in enumerate(first)]
    check_names(names, f"{source.name}:{line}")
    return dialect, text, names, line + sum(cell.count("\n") for cell in first)


def _default_name(position: int) -> str:
    return f"column{position + 1}"


def _offset_after(text: bytes, n_lines: int) -> int:
    """Where the line after so many begins."""
    offset = 0
    for _ in range(n_lines):
        offset = text.find(b"\n", offset) + 1 or len(text)
    return offset


def _shape_error(name: str, lines_before: int, n_columns: int, error: MisshapenError) -> DataError:
    place = f"{name}:{lines_before + error.line}"
    if error.n_cells is None:
        return DataError(f'{place}: found a quote (") that is never closed', 'a quote inside a cell is written ""')
    return DataError(
        f"{place}: found {error.n_cells} cells, expected {n_columns} as in the header",
        "quote cells that hold the delimiter, or name it with --delimiter",
    )


def _check_shape(body: bytes, n_columns: int, dialect: Dialect) -> None:
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


def _parse_with_pyarrow(body: bytes, n_columns: int, dialect: Dialect, as_text: Collection[int]) -> list[Cells] | None:
    """As `parse`; None where pyarrow cannot be trusted with the rows."""
    import pyarrow
    from pyarrow import csv as arrow_csv

    quote = dialect.quote.encode()
    has_quotes = quote in body
    if has_quotes:
        # pyarrow takes a quote that follows a space for a character like others.
        spaces = SPACES.replace(dialect.delimiter, "").encode()
        if re.search(b"[" + spaces + b"]" + quote, body):
            return None
        if not body.endswith(b"\n"):
            body += b"\n"
    names = [str(position) for position in range(n_columns)]
    try:
        table = arrow_csv.read_csv(
            pyarrow.BufferReader(body),
            read_options=arrow_csv.ReadOptions(column_names=names),
            parse_options=arrow_csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.quote if has_quotes else False,
                newlines_in_values=has_quotes,
                ignore_empty_lines=n_columns > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pyarrow.string()),
                null_values=sorted(dialect.missing_texts),
                strings_can_be_null=True,
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    # pyarrow closes an open quote at the end of the text without a word.
    if has_quotes and (table.column(n_columns - 1)[-1].as_py() or "").endswith("\n"):
        return None
    return [
        _cells_from_pyarrow(column, dialect.missing_texts, position in as_text)
        for position, column in enumerate(table.columns)
    ]


def _cells_from_pyarrow(column: Any, missing_texts: Collection[str], as_text: bool) -> Cells:
    if not as_text:
        numbers = _numbers_from_pyarrow(column)
        if numbers is not None:
            return numbers, None
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    codes = np.concatenate(
        [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks], dtype=np.int32
    )
    return tidy(codes, chunks[0].dictionary.to_pylist(), missing_texts, as_text=as_text)


def _numbers_from_pyarrow(column: Any) -> Any:
    import pyarrow
    from pyarrow import compute

    trims: list[Callable[[Any], Any]] = [lambda texts: texts, compute.utf8_trim_whitespace]
    for trim in trims:
        try:
            numbers = trim(column).cast(pyarrow.float64()).to_numpy()
        except pyarrow.ArrowInvalid:
            continue
        # More NaN than there are nulls: the text nan, which is no number here.
        return numbers if np.count_nonzero(np.isnan(numbers)) == column.null_count else None
    return None


def _parse_with_pandas(body: bytes, n_columns: int, dialect: Dialect, as_text: Collection[int]) -> list[Cells]:
    """As `parse`, for rows whose shape is known to be right."""
    import pandas

    exactness: dict[str, Any] = {}
    if tuple(int(part) for part in pandas.__version__.split(".")[:2]) < _PANDAS_EXACT_SINCE:
        exactness["float_precision"] = "round_trip"

    def load(positions: Collection[int], raw: Collection[int]) -> Any:
        return pandas.read_csv(
            io.BytesIO(body),
            sep=dialect.delimiter,
            quotechar=dialect.quote,
            header=None,
            names=range(n_columns),
            usecols=sorted(positions),
            index_col=False,
            dtype=dict.fromkeys(raw, object),
            keep_default_na=False,
            na_values=sorted(dialect.missing_texts),
            skipinitialspace=True,
            skip_blank_lines=n_columns > 1,
            low_memory=False,
            engine="c",
            **exactness,
        )

    everything = range(n_columns)
    # pandas compares missing numbers by value: 9 would make 9.0 missing as well.
    has_missing_number = any(number_of(text) is not None for text in dialect.missing_texts)
    raw = set(everything if has_missing_number else as_text)
    frame = load(everything, raw)
    may_be_misread = _MISREAD_BY_PANDAS.search(body) is not None
    doubtful = {
        position
        for position in everything
        if frame[position].dtype.kind == "b"
        or (may_be_misread and frame[position].dtype.kind == "f" and frame[position].hasnans)
    }
    reread = load(doubtful, doubtful) if doubtful else frame
    columns: list[Cells] = []
    for position in everything:
        series = (reread if position in doubtful else frame)[position]
        if series.dtype.kind in "iuf":
            columns.append((series.to_numpy(dtype=np.float64), None))
        else:
            codes, labels = pandas.factorize(series)
            columns.append(tidy(codes, list(labels), dialect.missing_texts, as_text=position in as_text))
    return columns
