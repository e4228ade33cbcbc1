"""Files of delimited text: what CSV and TSV share."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from treecli.data import Kind
from treecli.errors import DataError, UsageError
from treecli.readers._rows import Dialect, MisshapenError, lines_as_written, records
from treecli.readers._source import ReadOptions, Source
from treecli.readers._table import Table, TableColumn, check_names, counted, number_of, shortened
from treecli.readers._text import plain_head, text_of

if TYPE_CHECKING:
    from treecli.readers._table import Cells


def read(source: Source, options: ReadOptions, kinds: Mapping[str, Kind], delimiter: str) -> Table:
    """The columns of a file of delimited text."""
    dialect = _dialect(options, delimiter)
    names, columns = _parse_plain(source, options, kinds, dialect) or _parse_any(source, options, kinds, dialect)

    def place(row: int) -> str:
        _, header_lines, body = _open(source, options, dialect)
        line, _ = next(islice(records(body, dialect, len(names)), row, None))
        return f"{source.name}:{header_lines + line}"

    return Table(
        source.name,
        [TableColumn(name, *cells) for name, cells in zip(names, columns, strict=True)],
        len(columns[0][0]),
        place,
        notices=_notices_about_names(names) if options.header else (),
    )


def rows(source: Source, options: ReadOptions, delimiter: str) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the cells of every row as they are written."""
    dialect = _dialect(options, delimiter)
    names, header_lines, body = _open(source, options, dialect)

    def cells_of_rows() -> Iterator[list[str]]:
        try:
            for line, cells in records(body, dialect, len(names)):
                if len(cells) != len(names):
                    raise MisshapenError(line, len(cells))
                yield cells
        except MisshapenError as error:
            raise _shape_error(source.name, header_lines, len(names), error) from None

    return names, cells_of_rows()


def lines(source: Source, options: ReadOptions, delimiter: str) -> tuple[list[str], Iterator[list[str]]] | None:
    """The names of the columns, and the lines of the rows, many at a time; None unless they are plain CSV."""
    head = _plain_head(source, options, _dialect(options, delimiter))
    if head is None:
        return None
    names, offset = head
    # With one column a blank line is a row.
    as_written = lines_as_written(source.data, offset, '"\r\t') if delimiter == "," and len(names) > 1 else None
    return None if as_written is None else (names, as_written)


def _dialect(options: ReadOptions, delimiter: str) -> Dialect:
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\n\r\0':
        raise UsageError(f"--delimiter is '{delimiter}', expected one ASCII character", "for example ';'")
    return Dialect(delimiter, '"', frozenset(options.na))


def _parse_plain(
    source: Source, options: ReadOptions, kinds: Mapping[str, Kind], dialect: Dialect
) -> tuple[list[str], list[Cells]] | None:
    """The names and the cells of the columns, from the bytes as they are; None where that needs more of a reader."""
    head = _plain_head(source, options, dialect)
    if head is None:
        return None
    from treecli.readers._blocks import Grammar, parse_in_blocks

    names, offset = head
    # Of one column a blank line is a row, but blank lines alone are none.
    if len(names) == 1 and not source.data[offset:].strip():
        return None
    columns = parse_in_blocks(source.data, offset, len(names), Grammar(dialect, dialect.quote), _as_text(names, kinds))
    return None if columns is None else (names, columns)


def _plain_head(source: Source, options: ReadOptions, dialect: Dialect) -> tuple[list[str], int] | None:
    """The names of the columns, and where the rows begin in the bytes of the file; None where it may not be plain."""
    data = source.data
    begin = end = rows_begin = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    while not data[begin:end].strip() and end < len(data):  # the header is the first line that is not blank
        begin, end = end, data.find(b"\n", end) + 1 or len(data)
    head = plain_head(source, options.encoding, end)
    if head is None:
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
    """The names and the cells of the columns of any text that is not out of shape."""
    from treecli.readers._columns import parse

    names, header_lines, body = _open(source, options, dialect)
    if not body.strip():
        raise DataError(f"{source.name}:{max(header_lines, 1)}: found no row after the header")
    try:
        return names, parse(body, len(names), dialect, _as_text(names, kinds))
    except MisshapenError as error:
        raise _shape_error(source.name, header_lines, len(names), error) from None


def _as_text(names: Sequence[str], kinds: Mapping[str, Kind]) -> set[int]:
    return {position for position, name in enumerate(names) if kinds.get(name, "numeric") != "numeric"}


def _open(source: Source, options: ReadOptions, dialect: Dialect) -> tuple[list[str], int, bytes]:
    """The names of the columns, how many lines the header takes, and the text after it."""
    text = text_of(source, options.encoding)
    try:
        names, header_lines = _names(text, options, dialect, source.name)
    except MisshapenError as error:
        raise _shape_error(source.name, 0, 0, error) from None
    return names, header_lines, text[_offset_after(text, header_lines) :]


def _names(text: bytes, options: ReadOptions, dialect: Dialect, file_name: str) -> tuple[list[str], int]:
    """The names of the columns, and how many lines the header takes; raises MisshapenError for an open quote."""
    # A header of blank lines is none, however many columns there are: hence 2.
    line, first = next(records(text, dialect, n_columns=2), (0, []))
    if not first:
        raise DataError(f"{file_name}: the file is empty, expected a header and rows")
    if not options.header:
        return [_default_name(position) for position in range(len(first))], 0
    names = [cell.strip() or _default_name(position) for position, cell in enumerate(first)]
    check_names(names, lambda _: f"{file_name}:{line}")
    return names, line + sum(cell.count("\n") for cell in first)


def _notices_about_names(names: Sequence[str]) -> tuple[str, ...]:
    numbers = [name for name in names if number_of(name) is not None]
    if not numbers:
        return ()
    return (f"the header holds numbers ({shortened(numbers)}): if the first line is data, say --no-header",)


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
        f"{place}: found {counted(error.n_cells, 'cell')}, expected {n_columns} as in the header",
        "quote cells that hold the delimiter, or name it with --delimiter",
    )
