"""The input of a writer: rows as written in a file, and a description of their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from treecli.data import MISSING, Kind
from treecli.records import dataclass
from treecli.wording import Cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column, FloatArray

RECORD = "treecli"
"""The key of the record in a file's metadata or comment."""

CSV_DELIMITERS = (",", ";", "|")
"""The delimiters that CSV output keeps."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column with its values: numbers, NaN for missing, or codes into the labels, below 0 for missing.

    `is_free`: the labels do not restrict the values. `native` is the description of the column in a file of the format
    `native_format`: the declared ARFF type, or the Parquet column.
    """

    name: str
    kind: Kind
    labels: tuple[str, ...]
    values: Column
    is_free: bool = False
    native_format: str | None = None
    native: Any = None

    def missing(self) -> NDArray[np.bool_]:
        """A mask of the missing values."""
        import numpy as np

        return np.isnan(self.values) if self.kind == "numeric" else self.values < 0

    def native_in(self, format: str) -> Any:
        """The column in its native form if it came from a file of this format, else None."""
        return self.native if self.native_format == format else None


def field_of(name: str, cells: Sequence[Cell], labels: Sequence[str] | None) -> Field:
    """A new column: numbers or texts, None for missing."""
    import numpy as np

    if not any(isinstance(cell, str) for cell in cells):
        return Field(name, "numeric", (), np.array([np.nan if cell is None else cell for cell in cells], np.float64))
    texts = [None if cell is None else str(cell) for cell in cells]
    known = labels or [text for text in texts if text is not None]
    code_of = {label: code for code, label in enumerate(dict.fromkeys(known))}
    codes = np.array([MISSING if text is None else code_of[text] for text in texts], np.int32)
    return Field(name, "nominal", tuple(code_of), codes, is_free=labels is None)


class Description(NamedTuple):
    """The title of a sheet, its fields, and the weights of its rows, if any.

    `record` is a line of JSON that ARFF and Parquet files keep for `treecli convert`. `native` is the Arrow schema of
    the columns, if all fields are native to Parquet.
    """

    title: str
    fields: Sequence[Field]
    weights: FloatArray | None
    record: str | None = None
    native: Any = None


class Marks(NamedTuple):
    """The delimiter of a file's cells, and the decimal mark of its numbers."""

    delimiter: str = ","
    decimal: str = "."

    @property
    def csv_delimiter(self) -> str:
        """The delimiter of CSV with cells of this file, such that reading detects the same decimal mark."""
        if self.delimiter in CSV_DELIMITERS:
            return self.delimiter
        return ";" if self.decimal == "," else ","


class Sheet:
    """Rows under named columns.

    `rows` are the cells as written, in file order. `describe` returns the description of the same columns and rows; it
    is called only if a format needs it. `marks` are those of the file that the rows come from.
    """

    def __init__(
        self,
        names: Sequence[str],
        rows: Iterable[Sequence[str]],
        describe: Callable[[], Description],
        marks: Marks = Marks(),  # noqa: B008, a tuple
    ) -> None:
        self.names = names
        self.rows = rows
        self.marks = marks
        self._describe = describe

    @cached_property
    def description(self) -> Description:
        return self._describe()

    @property
    def fields(self) -> Sequence[Field]:
        return self.description.fields
