"""Columns, schemas and data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    CodeArray = NDArray[np.int32]
    Column = NDArray[np.float64] | NDArray[np.int32]

Kind = Literal["numeric", "nominal", "ordinal"]

MISSING = -1
"""The code of a missing nominal value."""

UNSEEN = -2
"""The code of a label outside the schema; only in data read with the schema of a model."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its name, its kind and, unless it is numeric, its labels in order.

    `range` is the lowest and the highest value of the training cases, None if unknown; it does not affect equality.
    """

    name: str
    kind: Kind
    labels: tuple[str, ...] = ()
    range: tuple[float, float] | None = field(default=None, compare=False)
    _code_of: dict[str, int] | None = field(default=None, init=False, repr=False, compare=False)

    def code_of(self, label: object) -> int | None:
        """The index of a label, from 0; None if it is not a label."""
        if self._code_of is None:
            # Built once: reading a model with many labels looks up each of them.
            object.__setattr__(self, "_code_of", {own: code for code, own in enumerate(self.labels)})
        return self._code_of.get(label) if isinstance(label, str) and self._code_of is not None else None

    @property
    def is_numeric(self) -> bool:
        return self.kind == "numeric"


@dataclass(frozen=True, slots=True)
class Schema:
    """The input columns in the order of the file, and the column to predict."""

    attributes: tuple[Attribute, ...]
    target: Attribute

    @property
    def is_classification(self) -> bool:
        return not self.target.is_numeric

    @property
    def n_outcomes(self) -> int:
        """The number of values that a node keeps: one weight per class, or weight, mean and deviance."""
        return len(self.target.labels) if self.is_classification else 3


@dataclass(frozen=True, slots=True)
class Dataset:
    """Rows, column by column, in the order of the file.

    A numeric column is float64 with NaN for missing values; any other is int32 codes into the labels, with MISSING or
    UNSEEN below 0. `target` is None if the data does not contain it.
    """

    schema: Schema
    columns: Sequence[Column]
    target: Column | None
    weights: FloatArray
    has_weights: bool = False

    @property
    def n_rows(self) -> int:
        return len(self.weights)

    def labelled(self) -> Dataset:
        """The rows with a known target."""
        import numpy as np

        assert self.target is not None
        is_known = self.target == self.target if self.schema.target.is_numeric else self.target >= 0
        return self if is_known.all() else self.take(np.flatnonzero(is_known))

    def in_single_precision(self) -> Dataset:
        """The data set with its numeric attributes rounded to 32 bits."""
        columns = [
            in_single_precision(column) if attribute.is_numeric else column
            for attribute, column in zip(self.schema.attributes, self.columns, strict=True)
        ]
        return replace(self, columns=columns)

    def with_lowest_values_joined(self) -> Dataset:
        """The data set with -inf for the lowest double in columns with both: no finite threshold separates them."""
        import numpy as np

        lowest = -np.finfo(np.float64).max
        columns = list(self.columns)
        for i, (attribute, column) in enumerate(zip(self.schema.attributes, columns, strict=True)):
            if attribute.is_numeric and len(column) and np.fmin.reduce(column) == -np.inf and (column == lowest).any():
                columns[i] = np.where(column == lowest, -np.inf, column)
        return replace(self, columns=columns)

    def take(self, rows: NDArray[np.integer]) -> Dataset:
        """The data set with only these rows, in the given order."""
        return Dataset(
            self.schema,
            [column[rows] for column in self.columns],
            None if self.target is None else self.target[rows],
            self.weights[rows],
            self.has_weights,
        )


def in_single_precision(values: Column) -> FloatArray:
    """The numbers rounded to 32 bits; numbers that are too large become infinite."""
    import numpy as np

    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)
