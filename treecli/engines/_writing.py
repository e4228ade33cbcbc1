"""Rows with predictions, written by the database: as delimited text through a pipe, or as Parquet."""

from __future__ import annotations

import os
from collections.abc import Generator
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

from treecli.engines._connection import driver

if TYPE_CHECKING:
    from treecli.engines._applied import Applied
    from treecli.engines._source import Source

CSV, TSV, PARQUET = "csv", "tsv", "parquet"
FORMATS = (CSV, TSV, PARQUET)
PIECE = 1 << 20


def written(applied: Applied, source: Source, format_name: str, added: str) -> Generator[bytes, None, None]:
    """Return the bytes of a file with all rows, in pieces; `added` is the name of the column of predictions."""
    return _parquet(applied, source, added) if format_name == PARQUET else _text(applied, source, format_name, added)


def _text(applied: Applied, source: Source, format_name: str, added: str) -> Generator[bytes, None, None]:
    marks = source.marks
    delimiter = "\t" if format_name == TSV else marks.csv_delimiter
    header, query = applied.lines(delimiter, marks.decimal, added)
    yield header.encode()
    reader, writer = os.pipe()
    # The lines are whole already, so that they are written without quotes or delimiters.
    options = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01\x02\x03\x04', USE_TMP_FILE false"
    copying = _Copying(source.connection, f"COPY ({query}) TO '/dev/fd/{writer}' ({options})", writer)
    copying.start()
    try:
        while piece := os.read(reader, PIECE):
            yield piece
    finally:
        os.close(reader)  # the thread ends if nobody reads
        copying.join()
    if copying.error is not None:
        raise copying.error


class _Copying(Thread):
    """A statement that writes into a pipe."""

    def __init__(self, connection: Any, statement: str, writer: int) -> None:
        super().__init__(daemon=True)
        self.error: Exception | None = None
        self._connection = connection
        self._statement = statement
        self._writer = writer

    def run(self) -> None:
        try:
            self._connection.execute(self._statement)
        except driver().Error as error:  # raised again by the reader
            self.error = error
        finally:
            os.close(self._writer)


def _parquet(applied: Applied, source: Source, added: str) -> Generator[bytes, None, None]:
    with TemporaryDirectory(prefix="treecli-") as folder:
        path = os.path.join(folder, "rows.parquet")
        source.connection.execute(f"COPY ({applied.table(added)}) TO '{path}' (FORMAT parquet)")
        with open(path, "rb") as stream:
            while piece := stream.read(PIECE):
                yield piece
