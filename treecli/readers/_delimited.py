"""Files of delimited text: what CSV and TSV share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from treecli.data import Kind
from treecli.errors import DataError, UsageError
from treecli.readers._columns import parse
from treecli.readers._rows import Dialect, MisshapenError, records
from treecli.readers._source import ReadOptions, Source
from treecli.readers._table import Table, TableColumn, check_names, counted, number_of, shortened
from treecli.readers._text import text_of


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
        notices=_notices_about_names(names) if options.header else (),
    )


def rows(source: Source, options: ReadOptions, delimiter: str) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the cells of every row as they are written."""
    dialect, text, names, header_lines = _open(source, options, delimiter)
    body = text[_offset_after(text, header_lines) :]

    def cells_of_rows() -> Iterator[list[str]]:
        try:
            for line, cells in records(body, dialect, len(names)):
                if len(cells) != len(names):
                    raise MisshapenError(line, len(cells))
                yield cells
        except MisshapenError as error:
            raise _shape_error(source.name, header_lines, len(names), error) from None

    return names, cells_of_rows()


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
    check_names(names, lambda _: f"{source.name}:{line}")
    return dialect, text, names, line + sum(cell.count("\n") for cell in first)


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
