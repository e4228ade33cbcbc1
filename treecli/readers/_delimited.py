"""Delimited text: the code shared by CSV and TSV."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from treecli.data import Kind
from treecli.errors import DataError, UsageError
from treecli.kernels import are_compiled
from treecli.readers._excerpts import of_lines
from treecli.readers._readoptions import ReadOptions
from treecli.readers._rows import Dialect, MisshapenError, even_rows, lines_as_written, records
from treecli.readers._sniff import delimiter_of, has_decimal_commas, head_of
from treecli.readers._source import Source
from treecli.readers._table import (
    BLANKS,
    Table,
    TableColumn,
    check_names,
    number_of,
    shortened,
    trimmed,
)
from treecli.readers._text import plain_head, text_of
from treecli.records import dataclass
from treecli.wording import counted
from treecli.writers._sheet import CSV_DELIMITERS, Marks

if TYPE_CHECKING:
    from treecli.files.pieces import LargeFile
    from treecli.readers._excerpts import Excerpt
    from treecli.readers._table import Cells

QUOTE = '"'

_BESIDE_DECIMAL_COMMAS = (";", "\t")
"""The delimiters of files whose numbers may have decimal commas."""

_BLANK_BYTES = f"{BLANKS}\r\n".encode()


def read(source: Source, options: ReadOptions, kinds: Mapping[str, Kind], delimiter: str) -> Table:
    """The columns of a file of delimited text."""
    dialect, detected = _dialect(source, options, delimiter)
    names, columns = _parse_plain(source, options, kinds, dialect) or _parse_any(source, options, kinds, dialect)

    def place(row: int) -> str:
        _, header_lines, body = _open(source, options, dialect)
        line, _ = next(islice(records(body, dialect, len(names)), row, None))
        return f"{source.name}:{header_lines + line}"

    return Table(
        source.name,
        [TableColumn(name, *cells, decimal=dialect.decimal) for name, cells in zip(names, columns, strict=True)],
        len(columns[0][0]),
        place,
        notices=_notices_about_names(names) if options.header else (),
        detected=detected,
        is_delimited=True,
    )


def rows(source: Source, options: ReadOptions, delimiter: str) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the cells of every row as written."""
    dialect, _ = _dialect(source, options, delimiter)
    names, header_lines, body = _open(source, options, dialect)

    def cells_of_rows() -> Iterator[list[str]]:
        try:
            yield from even_rows(body, dialect, len(names))
        except MisshapenError as error:
            raise _shape_error(source.name, header_lines, len(names), error) from None

    return names, cells_of_rows()


def lines(source: Source, options: ReadOptions, delimiter: str) -> tuple[list[str], Iterator[list[str]]] | None:
    """The names of the columns, and the lines of the rows, many at a time; None unless CSV has the same lines."""
    dialect, _ = _dialect(source, options, delimiter)
    head = _plain_head(source, options, dialect)
    if head is None or dialect.delimiter not in CSV_DELIMITERS:
        return None
    names, offset = head
    # With one column a blank line is a row.
    is_plain = len(names) > 1
    as_written = lines_as_written(source.data, offset, dialect.delimiter, f"{QUOTE}\r\t") if is_plain else None
    return None if as_written is None else (names, as_written)


def excerpts(source: Source, options: ReadOptions, delimiter: str) -> Excerpt:
    """A function that returns the file with some of its rows, as written."""
    dialect, _ = _dialect(source, options, delimiter)
    names, n_head, body = _open(source, options, dialect)
    if len(names) > 1 and dialect.delimiter != " " and QUOTE.encode() not in body:
        # Without quotes, every line that is not blank is a row.
        blank = _blank_bytes(dialect)
        first_lines = [n_head + line for line, text in enumerate(body.split(b"\n"), start=1) if text.strip(blank)]
        return of_lines(source, options.encoding, n_head, first_lines, may_span=False)
    first_lines = [n_head + line for line, _ in records(body, dialect, len(names))]
    return of_lines(source, options.encoding, n_head, first_lines, may_span=True)


def marks(source: Source, options: ReadOptions, delimiter: str) -> Marks:
    """The delimiter and the decimal mark, from the options or the content."""
    dialect, _ = _dialect(source, options, delimiter)
    return Marks(dialect.delimiter, dialect.decimal)


class Head(NamedTuple):
    """The columns of delimited text, the line of the header from 1 (0 without one), and the dialect."""

    names: list[str]
    header_line: int
    dialect: Dialect
    detected: tuple[str, ...]


def head_of_source(source: Source, options: ReadOptions, delimiter: str) -> Head:
    """The description of delimited text of which the source has only the first bytes, or all."""
    dialect, detected = _dialect(source, options, delimiter)
    text = head_of(source.head, options.encoding)
    if text is None:
        text_of(source, options.encoding)  # raises with the line and the byte
        raise DataError(f"{source.name}: cannot be read as text", "set the encoding of the file with --encoding")
    try:
        names, n_lines = _names(text, options, dialect, source.name)
        line, _ = next(records(text, dialect, n_columns=2))
    except MisshapenError as error:
        raise _shape_error(source.name, 0, 0, error) from None
    return Head(names, line if n_lines else 0, dialect, detected)


@dataclass(frozen=True, slots=True)
class Delimited:
    """The functions of a reader for files with this delimiter, unless the options name another."""

    delimiter: str

    def read(self, source: Source, options: ReadOptions, kinds: Mapping[str, Kind]) -> Table:
        return read(source, options, kinds, self.delimiter)

    def rows(self, source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
        return rows(source, options, self.delimiter)

    def lines(self, source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]] | None:
        return lines(source, options, self.delimiter)

    def excerpts(self, source: Source, options: ReadOptions) -> Excerpt:
        return excerpts(source, options, self.delimiter)

    def marks(self, source: Source, options: ReadOptions) -> Marks:
        return marks(source, options, self.delimiter)


def _dialect(source: Source, options: ReadOptions, default: str) -> tuple[Dialect, tuple[str, ...]]:
    """The dialect of the text, and notices about what was detected."""
    delimiter = options.delimiter or default
    if options.delimiter is not None and (
        len(options.delimiter) != 1 or not delimiter.isascii() or delimiter in f"{QUOTE}\n\r\0"
    ):
        raise UsageError(f"--delimiter is '{options.delimiter}', expected one ASCII character", "for example ';'")
    detected = []
    head = head_of(source.head, options.encoding) or b""
    if options.delimiter is None and default == ",":
        found = delimiter_of(head)
        if found is not None:
            delimiter = found
            shown = "tab" if found == "\t" else f"'{found}'"
            detected.append(f"detected delimiter {shown} (use --delimiter to choose)")
    dialect = Dialect(delimiter, QUOTE, trimmed(options.na), options.decimal or ".")
    may_be_comma = options.decimal is None and delimiter in _BESIDE_DECIMAL_COMMAS
    if may_be_comma and has_decimal_commas(head, dialect, has_header=options.header):
        dialect = dialect._replace(decimal=",")
        detected.append("detected decimal ',' (use --decimal to choose)")
    return dialect, tuple(detected)


def _parse_plain(
    source: Source, options: ReadOptions, kinds: Mapping[str, Kind], dialect: Dialect
) -> tuple[list[str], list[Cells]] | None:
    """The names and the cells of the columns, from the raw bytes; None if they must be decoded first."""
    head = _plain_head(source, options, dialect) if are_compiled() else None
    if head is None:
        return None
    names, offset = head
    columns = _parse_compiled(source.text, offset, names, kinds, dialect)
    if columns is None and not isinstance(source.text, bytes):
        # A block may have ended at a newline inside quotes, or the last line without one.
        columns = _parse_compiled(source.data, offset, names, kinds, dialect)
    return None if columns is None else (names, columns)


def _parse_compiled(
    text: bytes | LargeFile, offset: int, names: Sequence[str], kinds: Mapping[str, Kind], dialect: Dialect
) -> list[Cells] | None:
    """The cells of the columns; None if there are none, or if the text is malformed."""
    from treecli.readers._blocks import Grammar, parse_in_blocks

    # With one column a blank line is a row, but blank lines alone are not.
    if len(names) == 1 and (not isinstance(text, bytes) or not text[offset:].strip(_BLANK_BYTES)):
        return None
    return parse_in_blocks(text, offset, len(names), Grammar(dialect, dialect.quote), _as_text(names, kinds))


def _plain_head(source: Source, options: ReadOptions, dialect: Dialect) -> tuple[list[str], int] | None:
    """The names of the columns, and the offset of the rows in the raw bytes; None if the bytes must be decoded."""
    data = source.head
    begin = end = rows_begin = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    # The header is the first line that is not blank.
    while not data[begin:end].strip(_BLANK_BYTES) and end < len(data):
        begin, end = end, data.find(b"\n", end) + 1 or len(data)
    head = plain_head(data[:end], options.encoding)
    if head is None or (end == len(data) < len(source.text)):
        return None
    try:
        names, header_lines = _names(head, options, dialect, source.name)
    except (MisshapenError, DataError):
        return None
    if not options.header:
        return names, rows_begin
    return (names, end) if _offset_after(head, header_lines) == len(head) else None


def _parse_any(
    source: Source, options: ReadOptions, kinds: Mapping[str, Kind], dialect: Dialect
) -> tuple[list[str], list[Cells]]:
    """The names and the cells of the columns of any well-formed text."""
    names, header_lines, body = _open(source, options, dialect)
    if not body.strip(_blank_bytes(dialect)):
        raise DataError(f"{source.name}:{max(header_lines, 1)}: found no row after the header")
    columns = _parse_compiled(body, 0, names, kinds, dialect) if are_compiled() else None
    if columns is not None:
        return names, columns
    from treecli.readers._columns import parse

    try:
        return names, parse(body, len(names), dialect, _as_text(names, kinds))
    except MisshapenError as error:
        raise _shape_error(source.name, header_lines, len(names), error) from None


def _blank_bytes(dialect: Dialect) -> bytes:
    """The bytes of a line that is not a row; with tab as the delimiter, a line of tabs is one."""
    return b" \r\n" if dialect.delimiter == "\t" else _BLANK_BYTES


def _as_text(names: Sequence[str], kinds: Mapping[str, Kind]) -> set[int]:
    return {position for position, name in enumerate(names) if kinds.get(name, "numeric") != "numeric"}


def _open(source: Source, options: ReadOptions, dialect: Dialect) -> tuple[list[str], int, bytes]:
    """The names of the columns, the number of header lines, and the text after the header."""
    text = text_of(source, options.encoding)
    try:
        names, header_lines = _names(text, options, dialect, source.name)
    except MisshapenError as error:
        raise _shape_error(source.name, 0, 0, error) from None
    return names, header_lines, text[_offset_after(text, header_lines) :]


def _names(text: bytes, options: ReadOptions, dialect: Dialect, file_name: str) -> tuple[list[str], int]:
    """The names of the columns, and the number of header lines; raises MisshapenError for an open quote."""
    # A header of blank lines does not count, even with one column: hence 2.
    line, first = next(records(text, dialect, n_columns=2), (0, []))
    if not first:
        raise DataError(f"{file_name}: the file is empty, expected a header and rows")
    if not options.header:
        return [_default_name(position) for position in range(len(first))], 0
    names = [cell if cell.strip(BLANKS) else _default_name(position) for position, cell in enumerate(first)]
    check_names(names, lambda _: f"{file_name}:{line}")
    return names, line + sum(cell.count("\n") for cell in first)


def _notices_about_names(names: Sequence[str]) -> tuple[str, ...]:
    numbers = [name for name in names if number_of(name) is not None]
    if not numbers:
        return ()
    return (f"the header contains numbers ({shortened(numbers)}): if the first line is data, use --no-header",)


def _default_name(position: int) -> str:
    return f"column{position + 1}"


def _offset_after(text: bytes, n_lines: int) -> int:
    """The offset of the line after the first `n_lines`."""
    offset = 0
    for _ in range(n_lines):
        offset = text.find(b"\n", offset) + 1 or len(text)
    return offset


def _shape_error(name: str, lines_before: int, n_columns: int, error: MisshapenError) -> DataError:
    place = f"{name}:{lines_before + error.line}"
    if error.n_cells is None:
        return DataError(f'{place}: found a quote (") that is never closed', 'a quote inside a cell is written ""')
    return DataError(
        f"{place}: found {counted(error.n_cells, 'cell')}, expected {n_columns} as in the header",
        "quote cells that contain the delimiter, or set it with --delimiter",
    )
