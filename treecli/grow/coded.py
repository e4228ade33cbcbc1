"""Training data in files of narrow codes, one file per column, which passes read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.data import MISSING, Dataset, Schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Column
    from treecli.grow.candidates import Floats

CODE = np.uint16
"""The type of codes and classes in files."""

MOST_CODES = np.iinfo(CODE).max
"""The limit on codes of a column: the largest code stands for a missing value."""

MOST_VALUES = 4096
"""A numeric column with more distinct values is kept as numbers: its counters would outgrow the cache."""

LABEL, TARGET, WEIGHT = "class", "target", "weight"


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """One attribute: codes below `n_codes`, which then stands for missing; or numbers as they are.

    `values` are the distinct numbers of a numeric column in ascending order, by code; None for labels. A column that
    is not `is_dense` holds its numbers, or the codes of very many labels, as doubles, NaN if missing.
    """

    is_dense: bool
    n_codes: int
    values: Floats | None = None
    n_missing: int = 0
    """How many of the rows of the source that count, with or without a weight, lack a value."""
    range: tuple[float, float] | None = None
    """The lowest and the highest number of the cases; None if one is infinite, or there is none."""


@dataclass(frozen=True)
class CodedData:
    """Rows with a target and a weight above 0, in the order of their source.

    It has the members of Dataset that a plan is made from; `weights` sums to the weight of all rows.
    """

    schema: Schema
    columns: Sequence[CodedColumn]
    folder: Path
    n_cases: int
    n_rows: int
    """The number of rows of the source, as some rules count them; at least `n_cases`."""
    class_weights: NDArray[Any]
    has_weights: bool = False
    weights: Floats = field(default_factory=lambda: np.zeros(1))
    is_whole: bool = field(default=True, kw_only=True)
    """Whether all weights are whole numbers."""
    target_range: tuple[float, float] | None = field(default=None, kw_only=True)
    """The lowest and the highest value of a numeric target."""

    @property
    def is_local(self) -> bool:
        """Whether the rows are in files here."""
        return True

    def n_missing(self, attribute: int) -> int:
        return self.columns[attribute].n_missing

    def path(self, name: str | int) -> Path:
        """Return the file of an attribute, of the classes or of the weights."""
        return self.folder / f"{name}.column"

    def read(self, name: str | int, kind: type[np.generic], first: int, n: int) -> NDArray[Any]:
        return np.fromfile(self.path(name), kind, n, offset=first * np.dtype(kind).itemsize)

    def column(self, attribute: int, first: int, n: int) -> NDArray[Any]:
        """Return the codes or numbers of some consecutive rows."""
        return self.read(attribute, CODE if self.columns[attribute].is_dense else np.float64, first, n)

    def labels(self, first: int, n: int) -> NDArray[np.uint16]:
        """Return the classes of some consecutive rows; 0 if the target is numeric."""
        return self.read(LABEL, CODE, first, n) if self.schema.is_classification else np.zeros(n, CODE)

    def targets(self, first: int, n: int) -> Floats | None:
        """Return the numeric target of some consecutive rows; None if they have classes."""
        return None if self.schema.is_classification else self.read(TARGET, np.float64, first, n)

    def weights_of(self, first: int, n: int) -> Floats:
        """Return the weights of some consecutive rows."""
        if not self.has_weights:
            return np.ones(n)
        return (
            self.whole_weights(first, n).astype(np.float64)
            if self.is_whole
            else self.read(WEIGHT, np.float64, first, n)
        )

    def whole_weights(self, first: int, n: int) -> NDArray[np.int64]:
        return self.read(WEIGHT, np.int64, first, n)

    def batches(self, size: int) -> Iterator[tuple[int, int]]:
        """Yield the first row and the number of rows of each batch."""
        for first in range(0, self.n_cases, size):
            yield first, min(size, self.n_cases - first)

    def decoded(self, attribute: int, codes: NDArray[Any]) -> Column:
        """Return codes of a file as the values of a data set."""
        own = self.columns[attribute]
        is_nominal = self.schema.attributes[attribute].kind != "numeric"
        if not own.is_dense:
            return (
                np.where(codes == codes, codes, MISSING).astype(np.int32) if is_nominal else np.ascontiguousarray(codes)
            )
        if is_nominal:
            return np.where(codes < own.n_codes, codes.astype(np.int32), MISSING).astype(np.int32)
        assert own.values is not None
        decoded: Column = np.append(own.values, np.nan)[codes]
        return decoded

    def dataset(self, columns: Sequence[Column], target: NDArray[Any], weights: Floats) -> Dataset:
        """Return rows as a data set in memory."""
        kind: Any = np.int32 if self.schema.is_classification else np.float64
        return Dataset(self.schema, columns, target.astype(kind), weights, self.has_weights)
