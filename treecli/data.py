"""Columns, schemas and data sets."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

from treecli.expressions import Expression, Holds, Number, attributes_of, leaves_of, values_of
from treecli.records import dataclass
from treecli.wording import quoted

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

    @property
    def wording(self) -> str:
        """The name as shown in trees and rules."""
        return quoted(self.name)

    def interval_wording(self, low: float, high: float) -> str | None:
        """The column's own text for low < value <= high; None for the usual comparison."""
        return None


class Feature(Protocol):
    """A number derived from several attributes; a member of the family `features`."""

    KIND: ClassVar[str]

    def expression(self) -> Expression:
        """Return the number as an expression of the attributes, which defines its value and its rounding."""
        ...

    def wording(self, attributes: Sequence[Attribute]) -> str:
        """Return the number as one line of text, by default the name of the derived column."""
        ...

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        """Return the record in a model file, without name and kind."""
        ...

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        """Return the feature of a record, without name and kind; raise ValueError if the record is invalid."""
        ...


@dataclass(frozen=True, slots=True)
class Derived(Attribute):
    """A numeric column that is computed from attributes.

    If its feature has a function `interval_wording(low, high, attributes)`, that words conditions: "at least 2 of …".
    """

    feature: Feature = field(kw_only=True)
    parts: tuple[Attribute, ...] = field(kw_only=True, repr=False, compare=False)
    """The attributes of the schema, which the feature's indices refer to."""

    @classmethod
    def of(cls, feature: Feature, schema: Schema) -> Self:
        """Return a feature as a column whose name no other column has."""
        taken = {column.name for column in (*schema.columns, schema.target)}
        wanted = name = feature.wording(schema.attributes)
        number = 1
        while name in taken:
            number += 1
            name = f"{wanted} ({number})"
        return cls(name, "numeric", feature=feature, parts=schema.attributes)

    def interval_wording(self, low: float, high: float) -> str | None:
        own = getattr(self.feature, "interval_wording", None)
        return None if own is None else own(low, high, self.parts)

    def values(self, column_of: Any, n_rows: int) -> FloatArray:
        """The value in every row; `column_of` returns the values of an attribute, missing where one of them is."""
        return values_of(self.feature.expression(), column_of, n_rows)


@dataclass(frozen=True, slots=True)
class Schema:
    """The input columns in the order of the file, the column to predict, and columns derived from the inputs.

    Splits and conditions number the `columns`: first the attributes, then the derived ones.
    """

    attributes: tuple[Attribute, ...]
    target: Attribute
    derived: tuple[Derived, ...] = ()
    columns: tuple[Attribute, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", (*self.attributes, *self.derived))

    def inputs(self, columns: Iterable[int]) -> list[int]:
        """The attributes that these columns consist of, sorted."""
        n_attributes = len(self.attributes)
        found: set[int] = set()
        for index in set(columns):
            is_derived = index >= n_attributes
            found.update(
                attributes_of(self.derived[index - n_attributes].feature.expression()) if is_derived else [index]
            )
        return sorted(found)

    def with_features(self, features: Iterable[Feature]) -> Schema:
        """The schema with more derived columns."""
        schema = self
        for feature in features:
            schema = replace(schema, derived=(*schema.derived, Derived.of(feature, schema)))
        return schema

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
    _derived: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def n_rows(self) -> int:
        return len(self.weights)

    def column(self, index: int) -> Column:
        """The values of an attribute or of a derived column, which is computed at the first call."""
        n_attributes = len(self.columns)
        if index < n_attributes:
            return self.columns[index]
        if index not in self._derived:
            self._derived[index] = self.schema.derived[index - n_attributes].values(
                self.columns.__getitem__, self.n_rows
            )
        return self._derived[index]

    def n_missing(self, index: int) -> int:
        """The number of rows in which a column has no value."""
        import numpy as np

        column = self.columns[index]
        return int(np.count_nonzero(column != column if self.schema.attributes[index].is_numeric else column < 0))

    def with_derived_columns(self) -> Dataset:
        """The data set with its derived columns as attributes, for growing."""
        schema = self.schema
        if not schema.derived:
            return self
        columns = [self.column(index) for index in range(len(schema.columns))]
        return replace(self, schema=Schema(schema.columns, schema.target), columns=columns)

    def narrowed(self, columns: Sequence[int]) -> Dataset:
        """The data set with only these columns, attributes or derived, as its attributes."""
        schema = Schema(tuple(self.schema.columns[index] for index in columns), self.schema.target)
        return replace(self, schema=schema, columns=[self.column(index) for index in columns])

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
        """The data set with -inf for the lowest double in columns with both: no finite threshold separates them.

        Columns with inf have 0 for -0: a threshold below inf may be a value, and should not depend on the row order.
        """
        import numpy as np

        lowest = -sys.float_info.max
        joined = {
            i: np.where(column == lowest, -np.inf, column)
            for i, column in enumerate(self.columns)
            if column.dtype == np.float64 and len(column) and np.fmin.reduce(column) == -np.inf and lowest in column
        }
        for i, column in enumerate(self.columns):
            if column.dtype == np.float64 and len(column) and np.fmax.reduce(column) == np.inf:
                joined[i] = joined.get(i, column) + 0.0
        if not joined:
            return self
        return replace(self, columns=[joined.get(i, column) for i, column in enumerate(self.columns)])

    def take(self, rows: NDArray[np.integer]) -> Dataset:
        """The data set with only these rows, in the given order."""
        return Dataset(
            self.schema,
            [column[rows] for column in self.columns],
            None if self.target is None else self.target[rows],
            self.weights[rows],
            self.has_weights,
        )

    def view(self, rows: NDArray[np.integer]) -> Dataset:
        """The data set with only these rows; the rows of a column are taken each time that it is asked for."""
        target = None if self.target is None else self.target[rows]
        return Dataset(self.schema, _Taken(self.columns, rows), target, self.weights[rows], self.has_weights)


class _Taken(Sequence["Column"]):
    """Some rows of columns: a model asks for a few columns only."""

    def __init__(self, columns: Sequence[Column], rows: NDArray[np.integer]) -> None:
        self._columns = columns
        self._rows = rows

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, index: int) -> Column:  # type: ignore[override]
        taken: Column = self._columns[index][self._rows]
        return taken


def in_single_precision(values: Column) -> FloatArray:
    """The numbers rounded to 32 bits; numbers that are too large become infinite."""
    import numpy as np

    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def check_expression(expression: Expression, attributes: Sequence[Attribute]) -> None:
    """Raise ValueError if an expression does not fit the attributes: wrong kinds, or numbers that are not finite."""
    for leaf in leaves_of(expression):
        if isinstance(leaf, Number):
            if not isfinite(leaf.value):
                raise ValueError(f"found the number {leaf.value}, expected a finite one")
            continue
        described = attributes[leaf.attribute]
        has_labels = isinstance(leaf, Holds) and leaf.labels is not None
        if described.is_numeric == has_labels:
            kind = "numeric" if described.is_numeric else "not numeric"
            raise ValueError(f"'{described.name}' is {kind}, which does not fit the expression")
        if leaf.instead is not None and not isfinite(leaf.instead):
            raise ValueError(f"found {leaf.instead} in place of '{described.name}', expected a finite number")
