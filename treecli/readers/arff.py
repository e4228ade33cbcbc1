"""ARFF, Weka's format: declarations, then rows, dense or sparse."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from treecli.data import UNSEEN, Kind
from treecli.errors import DataError, did_you_mean
from treecli.kernels import are_compiled
from treecli.readers._arff_header import Declaration, Header, declarations_as_written, read_header
from treecli.readers._arff_rows import (
    UnreadableError,
    data_lines,
    is_quoted,
    quoted,
    token_columns,
    token_rows,
    unquote,
)
from treecli.readers._excerpts import of_lines
from treecli.readers._kinds import as_numeric, recode
from treecli.readers._readoptions import ReadOptions
from treecli.readers._rows import Dialect, lines_as_written
from treecli.readers._source import Source, refuse_options_of_delimited_text
from treecli.readers._table import BLANKS, Table, TableColumn, shortened, tidy, trimmed
from treecli.readers._text import plain_head, text_of
from treecli.writers._sheet import RECORD

if TYPE_CHECKING:
    from treecli.data import FloatArray
    from treecli.files.pieces import LargeFile
    from treecli.readers._excerpts import Excerpt
    from treecli.readers._table import Cells

MISSING_TEXT = "?"

_DATA_LINE = re.compile(rb"^[ \t]*@data[^\n]*\n", re.IGNORECASE | re.MULTILINE)
_RECORD = re.compile(rb"\A(?:[ \t]*(?:%[^\n]*)?\n)*?% " + RECORD.encode() + rb": ([^\n]+)")
_COMMENT_LINE = re.compile(rb"^[ \t]*%.*$", re.MULTILINE)


def read(source: Source, options: ReadOptions, kinds: Mapping[str, Kind]) -> Table:
    """The columns of the file, with their declared kinds."""
    refuse_options_of_delimited_text(options, source)
    missing_texts = trimmed({MISSING_TEXT, *options.na})
    plain = _parse_plain_file(source, options.encoding, kinds, missing_texts)
    header, columns, weights = plain or _parse_any_file(source, options.encoding, kinds, missing_texts)

    def place(row: int) -> str:
        _, body = _open(source, options.encoding)
        line, _ = next(islice(data_lines(body), row, None))
        return f"{source.name}:{header.n_lines + line}"

    as_text = _as_text(header, kinds)
    return Table(
        source.name,
        [
            _as_declared(declaration, cells, None if position in as_text else options.na, place)
            for position, (declaration, cells) in enumerate(zip(header.declarations, columns, strict=True))
        ],
        len(columns[0][0]),
        place,
        weights,
        tuple(
            f"'{declaration.name}' is declared {declaration.type_name} and read as nominal"
            for declaration in header.declarations
            if declaration.type_name in {"string", "date"}
        ),
    )


def rows(source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the cells of every row, without quotes."""
    refuse_options_of_delimited_text(options, source)
    header, body = _open(source, options.encoding)

    def cells_of_rows() -> Iterator[list[str]]:
        try:
            for line, tokens, _ in token_rows(body, _omitted(header.declarations)):
                try:
                    yield [unquote(token) for token in tokens]
                except UnreadableError as error:
                    raise UnreadableError(error.message, error.hint, line) from None
        except UnreadableError as error:
            raise _data_error(source.name, header, error) from None

    return [declaration.name for declaration in header.declarations], cells_of_rows()


def lines(source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]] | None:
    """The names of the columns, and the lines of the rows, many at a time; None unless CSV has the same lines."""
    refuse_options_of_delimited_text(options, source)
    head = _plain_head(source, options.encoding)
    if head is None:
        return None
    header, offset = head
    # If rows have commas, commas separate their cells.
    has_commas = source.data.find(b",", offset) >= 0
    as_written = lines_as_written(source.data, offset, ",", "\"'\\%{}\r\t") if has_commas else None
    return None if as_written is None else ([declaration.name for declaration in header.declarations], as_written)


def native(source: Source, options: ReadOptions) -> tuple[str, dict[str, str]]:
    """The name of the relation, and the type of each column as the file declares it."""
    header, _ = _open(source, options.encoding)
    relation, types = declarations_as_written(text_of(source, options.encoding), len(header.declarations))
    names = (declaration.name for declaration in header.declarations)
    return relation, dict(zip(names, types, strict=True))


def record(source: Source, options: ReadOptions) -> str | None:
    """The record in a comment above the declarations, if there is one."""
    found = _RECORD.search(text_of(source, options.encoding))
    return None if found is None else found[1].decode()


def excerpts(source: Source, options: ReadOptions) -> Excerpt:
    """A function that returns the file with some of its rows, as written; comments between rows are left out."""
    refuse_options_of_delimited_text(options, source)
    header, body = _open(source, options.encoding)
    rows_at = [header.n_lines + line for line, _ in data_lines(body)]
    return of_lines(source, options.encoding, header.n_lines, rows_at, may_span=False)


def _open(source: Source, encoding: str) -> tuple[Header, bytes]:
    text = text_of(source, encoding)
    header = read_header(text, source.name)
    return header, text[header.offset :]


def _as_text(header: Header, kinds: Mapping[str, Kind]) -> set[int]:
    return {
        position
        for position, declaration in enumerate(header.declarations)
        if declaration.kind != "numeric" or kinds.get(declaration.name, "numeric") != "numeric"
    }


def _parse_plain_file(
    source: Source, encoding: str, kinds: Mapping[str, Kind], missing_texts: frozenset[str]
) -> tuple[Header, list[Cells], None] | None:
    """The columns of rows that the kernel can read, from the raw bytes; None if it cannot."""
    head = _plain_head(source, encoding) if are_compiled() else None
    if head is None:
        return None
    header, offset = head
    as_text = _as_text(header, kinds)
    columns = _parse_compiled(source.text, offset, header, missing_texts, as_text)
    if columns is None and not isinstance(source.text, bytes):
        # A block may have ended at a newline inside quotes, or the last line without one.
        columns = _parse_compiled(source.data, offset, header, missing_texts, as_text)
    return None if columns is None else (header, columns, None)


def _parse_compiled(
    text: bytes | LargeFile, offset: int, header: Header, missing_texts: frozenset[str], as_text: Collection[int]
) -> list[Cells] | None:
    """The columns of rows with commas; None if they are sparse, or have escapes, comments, weights or no commas."""
    from treecli.readers._blocks import Grammar, parse_in_blocks

    # With one attribute, the kernel would read a blank line as a row.
    first = text if isinstance(text, bytes) else text.head()
    if len(header.declarations) == 1 or first.find(b",", offset) < 0:
        return None
    dialect = Dialect(",", "'", missing_texts)
    grammar = Grammar(dialect, "'\"", strange="%{}", strange_anywhere="\\", are_quotes_meant=True)
    return parse_in_blocks(text, offset, len(header.declarations), grammar, as_text)


def _plain_head(source: Source, encoding: str) -> tuple[Header, int] | None:
    """The header, and the offset of the rows in the raw bytes; None if the text may not be plain."""
    data = source.head
    data_line = _DATA_LINE.search(data)
    if data_line is None and len(data) < len(source.text):
        data = source.data
        data_line = _DATA_LINE.search(data)
    head = None if data_line is None else plain_head(data[: data_line.end()], encoding)
    if data_line is None or head is None:
        return None
    try:
        header = read_header(head, source.name)
    except DataError:
        return None
    # With one column, a blank line would be a row of CSV.
    is_plain = header.offset == len(head) and len(header.declarations) > 1
    return (header, data_line.end()) if is_plain else None


def _parse_any_file(
    source: Source, encoding: str, kinds: Mapping[str, Kind], missing_texts: frozenset[str]
) -> tuple[Header, list[Cells], FloatArray | None]:
    """The columns of any rows, and the weights of the rows if there are any."""
    header, body = _open(source, encoding)
    as_text = _as_text(header, kinds)
    weights = None
    columns = None
    if are_compiled():
        columns = _parse_compiled(_COMMENT_LINE.sub(b"", body), 0, header, missing_texts, as_text)
    if columns is None:
        columns, weights = _parse_any_rows(source.name, header, body, missing_texts, as_text)
    if not len(columns[0][0]):
        raise DataError(f"{source.name}:{header.n_lines}: found no row after @data")
    return header, columns, weights


def _data_error(name: str, header: Header, error: UnreadableError) -> DataError:
    return DataError(f"{name}:{header.n_lines + error.line}: {error.message}", error.hint)


def _omitted(declarations: Sequence[Declaration]) -> list[str | None]:
    """The token of a value omitted from a sparse row: by definition 0 or the first label."""
    return [
        "0" if declaration.kind == "numeric" else quoted(declaration.labels[0]) if declaration.labels else None
        for declaration in declarations
    ]


def _parse_any_rows(
    name: str, header: Header, body: bytes, missing_texts: Collection[str], as_text: Collection[int]
) -> tuple[list[Cells], FloatArray | None]:
    """The columns of rows in any dialect, and the weights of the rows if there are any."""
    try:
        table = token_columns(body, _omitted(header.declarations))
    except UnreadableError as error:
        raise _data_error(name, header, error) from None
    columns = []
    for position, (codes, tokens) in enumerate(zip(table.codes, table.tokens, strict=True)):
        texts: list[str | None] = []
        for token, code in tokens.items():
            try:
                text = unquote(token)
            except UnreadableError as error:
                line = header.n_lines + table.lines[codes.index(code)]
                raise DataError(f"{name}:{line}: {error.message}", error.hint) from None
            is_missing = text.strip(BLANKS) in missing_texts and not is_quoted(token)
            texts.append(None if is_missing else text)
        columns.append(tidy(np.array(codes, dtype=np.int32), texts, as_text=position in as_text))
    return columns, None if table.weights is None else np.array(table.weights)


def _as_declared(
    declaration: Declaration, cells: Cells, missing_texts: Sequence[str] | None, place: Callable[[int], str]
) -> TableColumn:
    """The cells as declared in the file; raises at the first row with another value.

    `missing_texts` is None if the cells are kept as text.
    """
    column = TableColumn(declaration.name, *cells)
    if declaration.labels is not None:
        codes = recode(column, declaration.labels)
        undeclared = np.flatnonzero(codes == UNSEEN)
        if len(undeclared):
            row = int(undeclared[0])
            label = (column.labels or ())[int(column.values[row])]
            raise DataError(
                f"{place(row)}: '{label}' is not a label of '{declaration.name}' ({shortened(declaration.labels)})",
                did_you_mean(label, declaration.labels) or "declare it in the header, or write ? if it is missing",
            )
        return TableColumn(declaration.name, codes, declaration.labels, "nominal")
    if declaration.kind == "nominal":
        return TableColumn(declaration.name, column.values, column.labels, "nominal")
    if missing_texts is None:
        return column
    return TableColumn(declaration.name, as_numeric(column, place, missing_texts), None, "numeric")
