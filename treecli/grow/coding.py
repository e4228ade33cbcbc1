"""From columns in raw files, which a reader appends to batch by batch, to coded data."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.errors import DataError
from treecli.grow.coded import CODE, LABEL, MOST_CODES, MOST_VALUES, TARGET, WEIGHT, CodedColumn, CodedData
from treecli.grow.level import VANISHING_SHARE
from treecli.limits import LARGEST_WEIGHT, SMALLEST_WEIGHT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Column, Dataset, Schema
    from treecli.grow.candidates import Codes, Floats

    Bits = NDArray[np.uint8]

ROWS_AT_ONCE = 1 << 18

LARGEST_WHOLE = 2.0**53
"""Sums of whole weights below this number are exact."""


@dataclass
class RawColumn:
    """A column in a file: doubles with NaN, or codes below 0 if missing; `distinct` are its numbers, None if many."""

    path: Path
    is_numeric: bool
    distinct: Floats | None = field(default_factory=lambda: np.empty(0))
    n_rows: int = 0
    low: float = np.inf
    high: float = -np.inf

    def append(self, values: Column) -> None:
        """Add the values of further rows."""
        kind = np.float64 if self.is_numeric else np.int32
        with self.path.open("ab") as file:
            np.ascontiguousarray(values, kind).tofile(file)
        self.n_rows += len(values)
        if not self.is_numeric:
            return
        known = values[values == values]
        if len(known):
            self.low, self.high = min(self.low, float(known.min())), max(self.high, float(known.max()))
        if self.distinct is not None:
            # np.unique keeps one of 0 and -0; a column with infinite values has none of the latter, see `read`.
            distinct = np.unique(np.concatenate([self.distinct, np.unique(known)]))
            self.distinct = distinct if len(distinct) <= MOST_VALUES else None

    def read(self, first: int, n: int) -> NDArray[Any]:
        """Return some consecutive rows, as data in memory are prepared for growing."""
        values = self.raw(first, n)
        return self.prepared(values) if self.is_numeric else values

    def raw(self, first: int, n: int) -> NDArray[Any]:
        """Return some consecutive rows as they are."""
        kind: Any = np.float64 if self.is_numeric else np.int32
        return np.fromfile(self.path, kind, n, offset=first * np.dtype(kind).itemsize)

    def is_known(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether each of some values of the column is not missing."""
        return np.asarray(values == values if self.is_numeric else values >= 0)

    def renumber(self, codes: Codes) -> None:
        """Replace every code by another; the last one stands for a missing value."""
        old = self.path.rename(self.path.with_suffix(".old"))
        with self.path.open("wb") as file:
            for first in range(0, self.n_rows, ROWS_AT_ONCE):
                codes[np.fromfile(old, np.int32, ROWS_AT_ONCE, offset=4 * first)].tofile(file)
        old.unlink()

    def prepared(self, values: Floats) -> Floats:
        """Return numbers with those joined that no finite threshold separates."""
        if self.low == -np.inf:
            values = np.where(values == -sys.float_info.max, -np.inf, values)
        return values + 0.0 if self.high == np.inf else values  # 0 for -0


def coded(
    folder: Path,
    schema: Schema,
    raw: Sequence[RawColumn],
    target: RawColumn,
    weights: RawColumn | None,
    *,
    keep_unlabelled: bool = False,
) -> CodedData:
    """Return the rows with a target and a weight above 0 as coded data; removes the raw files of the attributes.

    `keep_unlabelled`: rows without a target count as rows and in the numbers of missing values.
    """
    classes = np.zeros(len(schema.target.labels))
    if len(classes) >= MOST_CODES:
        raise DataError(
            f"the target '{schema.target.name}' has {len(classes)} classes; classes are counted up to {MOST_CODES - 1}",
            "use --engine memory",
        )
    total, is_whole = (0.0, True) if weights is None else _total(target, weights)
    least = VANISHING_SHARE * total if weights is not None else 0.0
    kept: list[tuple[Bits, Bits]] = []
    n_rows = n_cases = 0
    low, high = np.inf, -np.inf
    for name in (LABEL, TARGET, WEIGHT):
        (folder / f"{name}.column").unlink(missing_ok=True)
    for first in range(0, target.n_rows, ROWS_AT_ONCE):
        own = target.raw(first, ROWS_AT_ONCE)
        weight = np.ones(len(own)) if weights is None else weights.read(first, ROWS_AT_ONCE)
        has_target = target.is_known(own)
        is_kept = has_target & (weight > least)
        is_row = np.ones(len(own), bool) if keep_unlabelled else has_target
        n_rows += int(np.count_nonzero(is_row))
        n_cases += int(np.count_nonzero(is_kept))
        kept.append((np.packbits(is_kept), np.packbits(is_row)))
        own, weight = own[is_kept], weight[is_kept]
        if weights is not None:
            _append(folder, WEIGHT, weight.astype(np.int64) if is_whole else weight)
        if target.is_numeric:
            _append(folder, TARGET, own)
            low, high = min(low, own.min(initial=np.inf)), max(high, own.max(initial=-np.inf))
            continue
        _append(folder, LABEL, own.astype(CODE))
        np.add.at(classes, own, weight)  # in the order of the rows
    columns = [_coded_column(folder, a, schema, own, kept) for a, own in enumerate(raw)]
    if not n_cases:
        raise DataError(
            f"no row can be learned from: each lacks a value of the target '{schema.target.name}' or a weight"
        )
    if weights is None:
        total = float(n_cases)
    of_weights = classes, weights is not None, np.array([total])
    spread = (float(low), float(high)) if target.is_numeric else None
    return CodedData(schema, columns, folder, n_cases, n_rows, *of_weights, is_whole=is_whole, target_range=spread)


def _total(target: RawColumn, weights: RawColumn) -> tuple[float, bool]:
    """Return the sum of the weights of rows with a class, and whether all are whole numbers."""
    total, is_whole = 0.0, True
    for first in range(0, target.n_rows, ROWS_AT_ONCE):
        weight = weights.read(first, ROWS_AT_ONCE)[target.is_known(target.raw(first, ROWS_AT_ONCE))]
        total += float(weight.sum())
        is_whole = is_whole and bool((weight == np.floor(weight)).all())
    if is_whole and total >= LARGEST_WHOLE:
        raise DataError(f"the weights sum to {total:g}, expected less than 2^53", "divide the weights")
    if total > 0 and not SMALLEST_WEIGHT <= total <= LARGEST_WEIGHT:
        raise DataError(
            f"the weights sum to {total:g}, expected {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}", "scale the weights"
        )
    return total, is_whole


def _append(folder: Path, name: str | int, values: NDArray[Any]) -> None:
    with (folder / f"{name}.column").open("ab") as file:
        values.tofile(file)


def _coded_column(
    folder: Path, attribute: int, schema: Schema, raw: RawColumn, kept: list[tuple[Bits, Bits]]
) -> CodedColumn:
    """Write the file of an attribute."""
    labels = schema.attributes[attribute].labels
    values = None
    if raw.is_numeric and raw.distinct is not None:
        values = np.unique(raw.prepared(raw.distinct))
    elif schema.attributes[attribute].kind == "ordinal":
        values = np.arange(len(labels), dtype=np.float64)
    n_codes = len(values) if values is not None else len(labels)
    is_dense = n_codes < MOST_CODES and (values is not None or not raw.is_numeric)
    n_missing = 0
    (folder / f"{attribute}.column").unlink(missing_ok=True)
    low, high = np.inf, -np.inf
    for batch, (cases, rows) in enumerate(kept):
        own = raw.read(batch * ROWS_AT_ONCE, ROWS_AT_ONCE)
        is_missing = own != own if raw.is_numeric else own < 0
        n_missing += int(np.count_nonzero(is_missing & np.unpackbits(rows, count=len(own)).astype(bool)))
        is_case = np.unpackbits(cases, count=len(own)).astype(bool)
        own, is_missing = own[is_case], is_missing[is_case]
        if raw.is_numeric and not is_missing.all():
            low, high = min(low, float(np.fmin.reduce(own))), max(high, float(np.fmax.reduce(own)))
        if not is_dense:
            written: NDArray[Any] = np.where(is_missing, np.nan, own)
        elif raw.is_numeric:
            assert values is not None
            written = np.where(is_missing, n_codes, np.searchsorted(values, own)).astype(CODE)
        else:
            written = np.where(is_missing, n_codes, own).astype(CODE)
        _append(folder, attribute, written)
    raw.path.unlink()
    spread = (low + 0.0, high + 0.0) if isfinite(low) and isfinite(high) else None  # 0 for -0
    return CodedColumn(is_dense, n_codes if is_dense else 0, values if is_dense else None, n_missing, spread)


def coded_dataset(dataset: Dataset, folder: Path) -> CodedData:
    """Return a data set in memory as coded data."""
    assert dataset.target is not None
    schema = dataset.schema
    raw = []
    for a, (attribute, column) in enumerate(zip(schema.attributes, dataset.columns, strict=True)):
        raw.append(RawColumn(folder / f"{a}.raw", attribute.is_numeric))
        raw[-1].append(column)
    target = RawColumn(folder / "target.raw", is_numeric=schema.target.is_numeric)
    target.append(dataset.target)
    weights = None
    if not (dataset.weights == 1.0).all():
        weights = RawColumn(folder / "weights.raw", is_numeric=True)
        weights.append(dataset.weights)
    return coded(folder, schema, raw, target, weights)
