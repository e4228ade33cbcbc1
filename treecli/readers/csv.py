"""Comma-separated values, with a header line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from treecli.data import Kind
from treecli.readers import _delimited
from treecli.readers._source import ReadOptions, Source
from treecli.readers._table import Table
from treecli.writers._sheet import Marks

if TYPE_CHECKING:
    from treecli.readers._excerpts import Excerpt

DELIMITER = ","


def read(source: Source, options: ReadOptions, kinds: Mapping[str, Kind]) -> Table:
    """The columns of the file."""
    return _delimited.read(source, options, kinds, DELIMITER if options.delimiter is None else options.delimiter)


def rows(source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the cells of every row as written."""
    return _delimited.rows(source, options, DELIMITER if options.delimiter is None else options.delimiter)


def lines(source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]] | None:
    """The names of the columns, and the lines of the rows, many at a time; None unless CSV has the same lines."""
    return _delimited.lines(source, options, DELIMITER if options.delimiter is None else options.delimiter)


def excerpts(source: Source, options: ReadOptions) -> Excerpt:
    """A function that returns the file with some of its rows, as written."""
    return _delimited.excerpts(source, options, DELIMITER if options.delimiter is None else options.delimiter)


def marks(source: Source, options: ReadOptions) -> Marks:
    """The delimiter and the decimal mark, from the options or the content."""
    return _delimited.marks(source, options, DELIMITER if options.delimiter is None else options.delimiter)
