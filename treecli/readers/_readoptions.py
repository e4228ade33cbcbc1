"""The options for a data file."""

from __future__ import annotations

from treecli.records import dataclass


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The command-line options for a data file."""

    format: str | None = None
    """csv, tsv, arff or parquet; None: by suffix, else by content."""
    target: str | None = None
    """None: the last column."""
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    """Columns that look like identifiers but are used anyway."""
    weights: str | None = None
    groups: str | None = None
    """The column whose values group the rows; it is no attribute."""
    types: tuple[tuple[str, str], ...] = ()
    """(column, 'numeric' | 'nominal' | 'ordinal:low<mid<high')"""
    na: tuple[str, ...] = ("", "?")
    """The texts that mean missing."""
    delimiter: str | None = None
    """None: the format's default, or another that fits a CSV file."""
    decimal: str | None = None
    """The decimal mark; None: the point, or a comma if the content of a file with semicolons or tabs shows it."""
    encoding: str = "utf-8"
    header: bool = True
