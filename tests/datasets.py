"""Rows for tests, written by hand or drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan

import numpy as np
from hypothesis import strategies as st

from treecli.data import MISSING, UNSEEN, Attribute, Dataset, Schema
from treecli.model import TreeModel

Value = str | float | None


def dataset_of(schema: Schema, rows: Sequence[Sequence[Value]], weights: Sequence[float] | None = None) -> Dataset:
    """Rows of labels and numbers, the target last; None is missing, a text that is no label is unseen."""
    columns = [
        np.array([_coded(attribute, row[index]) for row in rows], np.float64 if attribute.is_numeric else np.int32)
        for index, attribute in enumerate([*schema.attributes, schema.target])
    ]
    weight_of_row = np.ones(len(rows)) if weights is None else np.array(weights, np.float64)
    return Dataset(schema, columns[:-1], columns[-1], weight_of_row, weights is not None)


def _coded(attribute: Attribute, value: Value) -> float:
    if attribute.is_numeric:
        return nan if value is None else float(value)
    if value is None:
        return MISSING
    return attribute.labels.index(str(value)) if value in attribute.labels else UNSEEN


@st.composite
def cases_for(draw: st.DrawFn, model: TreeModel, max_rows: int = 8) -> Dataset:
    """Any rows that a model may get: values at and next to its thresholds, missing values, unseen labels."""
    schema = model.schema
    thresholds = [number for number in {*model.tree.number, *model.tree.further} if abs(number) < inf]
    near = [nearby for t in thresholds for nearby in (t, np.nextafter(t, inf), np.nextafter(t, -inf))]
    numbers = st.sampled_from([*near, -2.0, inf, -inf, nan])
    n_rows = draw(st.integers(0, max_rows))

    def column(attribute: Attribute, values: st.SearchStrategy[float]) -> np.ndarray:
        kind = np.float64 if attribute.is_numeric else np.int32
        return np.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows)), kind)

    def codes(attribute: Attribute) -> st.SearchStrategy[float]:
        return st.integers(UNSEEN, len(attribute.labels) - 1)

    columns = [column(a, numbers if a.is_numeric else codes(a)) for a in schema.attributes]
    targets = st.integers(-9, 9).map(float) | st.just(nan) if schema.target.is_numeric else codes(schema.target)
    target = column(schema.target, targets)
    weights = np.array(draw(st.lists(st.integers(0, 6).map(lambda w: w / 2), min_size=n_rows, max_size=n_rows)), float)
    return Dataset(schema, columns, target, weights, has_weights=True)
