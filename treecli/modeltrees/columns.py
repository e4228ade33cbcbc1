"""The attributes of a data set as numeric columns without missing values, for linear models."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import DataError
from treecli.expressions import Holds, Value, values_of
from treecli.features.indicator import Feature
from treecli.kernels import m5
from treecli.limits import LARGEST_TARGET

if TYPE_CHECKING:
    from treecli.data import CodeArray, Column, Dataset, FloatArray
    from treecli.leaves.linear import Input


@dataclass(frozen=True, slots=True)
class Columns:
    """The inputs, those of an attribute side by side, and their values: values[i, r] is input i of row r."""

    inputs: tuple[Input, ...]
    values: FloatArray

    @classmethod
    def none(cls, n_rows: int) -> Columns:
        return cls((), np.empty((0, n_rows)))

    def feature(self, index: int) -> Feature | None:
        """Return an indicator as a derived column; None for a numeric attribute."""
        own = self.inputs[index]
        if isinstance(own, Value):
            return None
        return Feature(own.attribute, own.labels or (), own.instead or 0.0)


def columns_of(dataset: Dataset) -> Columns:
    """Return the columns that the attributes give; `dataset` has targets and weights for all rows.

    A missing number is replaced by the mean, a missing label by the most frequent one. An attribute with r labels
    gives r - 1 indicators, as in M5' (Wang, Witten 1997): with the labels in order of their mean target, the k-th
    indicator is 1 for all but the first k labels. Columns that are constant are left out.
    """
    assert dataset.target is not None
    inputs: list[Input] = []
    values: list[FloatArray] = []
    for index, attribute in enumerate(dataset.schema.attributes):
        column = dataset.columns[index]
        if attribute.is_numeric:
            _check_size(attribute.name, column)
        own = _numeric(index, column, dataset.weights) if attribute.is_numeric else _indicators(index, dataset)
        for one in own:
            filled = values_of(one, dataset.columns.__getitem__, dataset.n_rows)
            if len(filled) and (filled != filled[0]).any():
                inputs.append(one)
                values.append(filled)
    return Columns(tuple(inputs), np.array(values).reshape(len(values), dataset.n_rows))


def _check_size(name: str, column: Column) -> None:
    """Raise a DataError if squares of the values, or their products with targets, may overflow."""
    known = column[np.isfinite(column)]
    largest = float(np.abs(known).max()) if len(known) else 0.0
    if largest > LARGEST_TARGET:
        raise DataError(
            f"the attribute '{name}' has values up to {largest:g}, and formulas at leaves take values up to "
            f"{LARGEST_TARGET:g}",
            f"scale the attribute, or leave it out: -x {shlex.quote(name)}",
        )


def _numeric(index: int, column: Column, weights: FloatArray) -> list[Input]:
    is_known = np.isfinite(column)
    known, weight = column[is_known], weights[is_known]
    # Added one by one: numpy's sum rounds differently for other numbers of rows.
    total = float(np.cumsum(weight)[-1]) if len(weight) else 0.0
    mean = float(np.cumsum(known * weight)[-1]) / total if total > 0 else 0.0
    return [Value(index, mean)]


def _indicators(index: int, dataset: Dataset) -> list[Input]:
    column, target, weights = dataset.columns[index], dataset.target, dataset.weights
    assert target is not None
    n_labels = len(dataset.schema.attributes[index].labels)
    is_known = column >= 0
    counts = np.bincount(column[is_known], weights[is_known], minlength=n_labels)
    usual = int(counts.argmax()) if n_labels else 0
    filled = np.where(is_known, column, usual)
    order = _by_mean(np.asarray(filled, np.int32), np.asarray(target, np.float64), weights, n_labels)
    return [
        Holds(index, labels=tuple(order[first:]), instead=float(usual in order[first:])) for first in range(1, n_labels)
    ]


def _by_mean(codes: CodeArray, target: FloatArray, weights: FloatArray, n_labels: int) -> list[int]:
    """Return the labels in ascending order of their mean target; one that does not occur has the overall mean."""
    weight = np.bincount(codes, weights, minlength=n_labels)
    total = np.bincount(codes, target * weights, minlength=n_labels)
    overall = float(np.cumsum(target * weights)[-1]) / float(np.cumsum(weights)[-1])
    means = np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), overall)
    order = np.arange(n_labels, dtype=np.int32)
    # Weka's order of equal means is as good as any other.
    m5.sorted_like_weka(means, order)
    return [int(code) for code in order]
