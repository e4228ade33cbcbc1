"""The rows of a file with the columns by which they are divided: the target, and a column of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treecli import plugins
from treecli.errors import DataError
from treecli.intake import ReadOptions, check_known
from treecli.readers._kinds import as_asked, kinds_asked
from treecli.readers._source import open_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Attribute, Column
    from treecli.readers._excerpts import Excerpt
    from treecli.readers._table import Table


class Strata(NamedTuple):
    """The name and format of a file, its target, the group of each row if asked for, and its rows as written."""

    name: str
    format: str
    n_rows: int
    target: Attribute
    values: Column
    groups: NDArray[np.int64] | None
    excerpt: Excerpt
    remarks: tuple[str, ...]

    @property
    def classes(self) -> NDArray[np.int64]:
        """The class of each row, the missing one last; a numeric target has only one."""
        if self.target.is_numeric:
            return np.zeros(self.n_rows, np.int64)
        codes = self.values.astype(np.int64)
        return np.where(codes < 0, len(self.target.labels), codes)


def read_strata(path: str, options: ReadOptions, groups: str | None) -> Strata:
    """The rows of a file; `groups` names the column of groups."""
    source = open_source(path, options)
    reader = plugins.load("readers", source.format)
    table: Table = reader.read(source, options, kinds_asked(options.types))
    by_name = {column.name: column for column in table.columns}
    for option, names in (
        ("--target", [options.target] if options.target is not None else []),
        ("--type", [name for name, _ in options.types]),
        ("--groups", [groups] if groups is not None else []),
    ):
        check_known(table.name, by_name, option, names)
    column = by_name[options.target] if options.target is not None else table.columns[-1]
    target, values = as_asked(column, dict(options.types).get(column.name), table.place, options.na)
    return Strata(
        table.name,
        source.format,
        table.n_rows,
        target,
        values,
        None if groups is None else _groups(table, groups, by_name[groups].values),
        reader.excerpts(source, options),
        (*source.detected, *table.detected),
    )


def _groups(table: Table, name: str, values: Column) -> NDArray[np.int64]:
    is_missing = np.isnan(values) if values.dtype == np.float64 else values < 0
    if is_missing.any():
        row = int(np.flatnonzero(is_missing)[0])
        raise DataError(f"{table.place(row)}: found no value in '{name}', expected the group of the row")
    _, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64)
