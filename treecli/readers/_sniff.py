"""Detection from the first lines of a file: format, delimiter, decimal mark."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection
from itertools import islice

from treecli.errors import UsageError
from treecli.readers._rows import Dialect, MisshapenError, records
from treecli.readers._table import BLANKS, number_of

SNIFFED_BYTES = 1 << 16
"""Bytes that are inspected, or three lines if these are longer."""

SNIFFED_ROWS = 100

OTHER_DELIMITERS = ";\t|"
"""Possible delimiters of a CSV file whose first line has no comma."""

_QUOTED = re.compile(rb'(?<![^;\t|,\n])"(?:[^"]|"")*"')
"""A quoted cell, for any delimiter."""

_ARFF_KEYWORDS = ("@relation", "@attribute")
_JSON_STARTS = ("{", "[")


def codec_name(encoding: str) -> str:
    """Python's name of a text encoding."""
    try:
        # Python rejects codecs that do not decode bytes to text, but not for empty input.
        b"a".decode(encoding)
    except LookupError:
        raise UsageError(f"unknown encoding '{encoding}'", "try utf-8, latin-1 or utf-16") from None
    except UnicodeError:
        pass
    return codecs.lookup(encoding).name


def head_of(data: bytes, encoding: str) -> bytes | None:
    """The first whole lines as UTF-8 with newlines as line ends; None if they are not text in this encoding."""
    name = codec_name(encoding)
    stop = 0
    for _ in range(3):
        stop = data.find(b"\n", stop) + 1 or len(data)
    stop = max(stop, SNIFFED_BYTES)
    is_cut = stop < len(data)
    try:
        text = codecs.getincrementaldecoder(name)().decode(data[:stop], not is_cut)
        head = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").encode()
    except (UnicodeError, LookupError):
        return None
    if b"\0" in head:
        return None
    return head[: head.rfind(b"\n") + 1] if is_cut else head


def format_of(data: bytes, encoding: str) -> str | None:
    """The format of a file, judged by its content; None if unclear."""
    if data.startswith(b"PAR1"):
        return "parquet"
    head = head_of(data, encoding)
    if head is None:
        return None
    for line in head.decode().split("\n"):
        text = line.strip(BLANKS)
        if text.lower().startswith(_ARFF_KEYWORDS):
            return "arff"
        if text.startswith(_JSON_STARTS):
            return None
        if text and not text.startswith("%"):
            break
    if _n_columns(head, ",") > 1:
        return "csv"
    delimiter = delimiter_of(head)
    return None if delimiter is None else "tsv" if delimiter == "\t" else "csv"


def delimiter_of(head: bytes) -> str | None:
    """The delimiter of a CSV file whose first line has no comma outside quotes and whose rows all fit one other
    delimiter. None if the comma fits, or if no other delimiter or more than one fits.
    """
    unquoted = _QUOTED.sub(b"", head) if b'"' in head else head
    if b"," in unquoted.lstrip(b" \t\n").partition(b"\n")[0]:
        return None
    found = [delimiter for delimiter in OTHER_DELIMITERS if _n_columns(head, delimiter) > 1]
    return found[0] if len(found) == 1 else None


def has_decimal_commas(head: bytes, dialect: Dialect, *, has_header: bool) -> bool:
    """Whether some column has numbers with decimal commas, and no column has numbers with decimal points."""
    rows = _first_rows(head, dialect.delimiter, SNIFFED_ROWS)[has_header:]
    columns = [
        [cell for cell in cells if cell.strip(BLANKS) not in dialect.missing_texts]
        for cells in zip(*rows, strict=False)  # uneven rows raise an error later
    ]
    return any(_are_numbers(cells, ",") for cells in columns) and not any(_are_numbers(cells, ".") for cells in columns)


def _are_numbers(cells: Collection[str], decimal: str) -> bool:
    """Whether all cells are numbers, some with this decimal mark."""
    return any(decimal in cell for cell in cells) and all(number_of(cell, decimal) is not None for cell in cells)


def _n_columns(head: bytes, delimiter: str) -> int:
    """The number of cells in each of the first rows; 0 if they differ, or if there are fewer than two rows."""
    counts = [len(cells) for cells in _first_rows(head, delimiter, SNIFFED_ROWS)]
    return counts[0] if len({*counts}) == 1 and len(counts) > 1 else 0


def _first_rows(head: bytes, delimiter: str, n_rows: int) -> list[list[str]]:
    rows = []
    try:
        # Blank lines are not rows, even with one column: hence 2.
        for _, cells in islice(records(head, Dialect(delimiter, '"', frozenset()), n_columns=2), n_rows):
            rows.append(cells)
    except MisshapenError:
        # The quote may be closed after the head.
        pass
    return rows
