"""Formats of data files: one module each, named like its suffix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from treecli.data import Kind
    from treecli.readers._excerpts import Excerpt
    from treecli.readers._readoptions import ReadOptions
    from treecli.readers._source import Source
    from treecli.readers._table import Table


class Reader(Protocol):
    """A member of this family.

    If the format describes its columns, it also has `native(source, options)`: the title of the data, and the
    description of each column, for the writer of the same name; and `record(source, options)`: the JSON that the writer
    stored, if any.
    """

    def read(self, source: Source, options: ReadOptions, kinds: Mapping[str, Kind]) -> Table:
        """The columns of the file; those in `kinds` get that kind, whatever their values."""
        ...

    def rows(self, source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
        """The names of the columns, and the cells of every row as written."""
        ...

    def lines(self, source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]] | None:
        """The names of the columns, and the lines of the rows, many at a time; None unless they are plain CSV."""
        ...

    def excerpts(self, source: Source, options: ReadOptions) -> Excerpt:
        """A function that returns the bytes of a file of the same format with some of the rows, as written."""
        ...
