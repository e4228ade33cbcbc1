"""Delimited text as DuckDB reads it: every cell as text, in treecli's dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treecli.engines import _cells, _files
from treecli.errors import DataError, UsageError
from treecli.files import guard
from treecli.readers._delimited import head_of_source
from treecli.readers._sniff import codec_name
from treecli.readers._source import Source as Bytes

if TYPE_CHECKING:
    from treecli.readers._delimited import Head
    from treecli.readers._source import ReadOptions

_RAW_LINE = "chr(1) || chr(2) || chr(3) || chr(4)"
"""A delimiter that no text has."""

_ENCODINGS = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "iso8859-1": "latin-1", "utf-16": "utf-16"}
"""DuckDB's names of Python's encodings."""

_HEAD_LINES = 4096
_PIECE = 1 << 20


def head_of(listing: _files.Listing, options: ReadOptions, connection: Any) -> Head:
    """Return the columns and the dialect; raise DataError if files differ in them."""
    default = _files.DELIMITERS[listing.format]

    def described(path: str, data: bytes) -> Head:
        return head_of_source(Bytes(guard.name_of(path), listing.format, data, data), options, default)

    if not listing.is_remote:
        found = [described(path, _files.first_bytes(path)) for path in listing.paths]
        _files.check_heads(listing.paths, found)
        return found[0]
    rows = connection.execute(f"SELECT line FROM {_lines(listing, options)} LIMIT {_HEAD_LINES}").fetchall()
    return described(listing.name, "".join(f"{line or ''}\n" for (line,) in rows).encode())


def scan(listing: _files.Listing, options: ReadOptions, head: Head, cells: Sequence[str]) -> str:
    """Return the call that reads the rows, every cell as it is written, into columns with these names."""
    columns = ", ".join(f"'{cell}': 'VARCHAR'" for cell in cells)
    return (
        f"read_csv({files(listing)}, auto_detect=false, header=false, skip={head.header_line}, "
        f"delim={_cells.literal(head.dialect.delimiter)}, quote='\"', escape='\"', columns={{{columns}}}"
        f"{_text_options(listing, options)})"
    )


def files(listing: _files.Listing) -> str:
    """Return the paths as a list of literals."""
    return f"[{', '.join(_cells.literal(path) for path in listing.paths)}]"


def refuse_quoted_blanks(listing: _files.Listing, options: ReadOptions, head: Head, connection: Any) -> None:
    """Raise DataError if a quoted cell starts or ends with a blank: DuckDB does not tell which cells are quoted."""
    if not listing.is_remote and listing.compression is None and not any(map(_has_quote, listing.paths)):
        return
    delimiter = f"\\x{{{ord(head.dialect.delimiter):x}}}"
    inside = f'(^|{delimiter})[ \\t]*"[ \\t]|[ \\t]"[ \\t]*({delimiter}|$)'
    found = connection.execute(
        f"SELECT line FROM {_lines(listing, options)} WHERE regexp_matches(line, {_cells.literal(inside)}) LIMIT 1"
    ).fetchone()
    if found is not None:
        raise DataError(
            f"{listing.name}: a quoted cell starts or ends with a blank, which DuckDB reads like an unquoted one",
            "remove the blanks, or write Parquet: treecli convert FILE FILE.parquet",
        )


def _lines(listing: _files.Listing, options: ReadOptions) -> str:
    """Return the call that reads the lines of a text, without regard to quotes."""
    return (
        f"read_csv({files(listing)}, auto_detect=false, header=false, delim={_RAW_LINE}, quote='', escape='', "
        f"columns={{'line': 'VARCHAR'}}{_text_options(listing, options)})"
    )


def _text_options(listing: _files.Listing, options: ReadOptions) -> str:
    encoding = codec_name(options.encoding)
    if encoding not in _ENCODINGS:
        raise UsageError(
            f"--encoding {options.encoding}: DuckDB reads utf-8, utf-16 and latin-1",
            "convert the file to utf-8, or use --engine memory",
        )
    text = "" if _ENCODINGS[encoding] == "utf-8" else f", encoding='{_ENCODINGS[encoding]}'"
    return text if listing.compression is None else f"{text}, compression='{listing.compression}'"


def _has_quote(path: str) -> bool:
    with guard.open_input(path) as stream:
        while piece := stream.read(_PIECE):
            if b'"' in piece:
                return True
    return False
