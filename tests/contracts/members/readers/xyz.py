"""Values between tildes, with a header line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from treecli.data import Kind
from treecli.readers import _delimited
from treecli.readers._source import ReadOptions, Source
from treecli.readers._table import Table

if TYPE_CHECKING:
    from treecli.readers._excerpts import Excerpt

DELIMITER = "~"


def read(source: Source, options: ReadOptions, kinds: Mapping[str, Kind]) -> Table:
    """The columns of the file."""
    return _delimited.read(source, options, kinds, DELIMITER)


def rows(source: Source, options: ReadOptions) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the cells of every row as they are written."""
    return _delimited.rows(source, options, DELIMITER)


def lines(source: Source, options: ReadOptions) -> None:
    """None: this is no CSV."""


def excerpts(source: Source, options: ReadOptions) -> Excerpt:
    """A function that returns the file with some of its rows, as written."""
    return _delimited.excerpts(source, options, DELIMITER)
