"""A model's predictions in the plane of two numeric attributes, with all others fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli import models
from treecli.data import MISSING, Dataset
from treecli.draw.planes import Plane
from treecli.draw.roundnumbers import short_number
from treecli.model import Model
from treecli.values import Condition, Interval
from treecli.wording import quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column, FloatArray

MARGIN_SHARE = 0.04
"""Margin on each side, as a fraction of the range of the points."""

MOST_CUTS = 1000
"""Per axis; if there are more, cuts too close to another to be visible are omitted."""

CELLS_AT_ONCE = 250_000

N_OBLIQUE = 400
"""Cells per axis where borders are oblique."""


def plane(model: Model, dataset: Dataset, x: int, y: int) -> Plane:
    """Return the predictions between all thresholds of the model, and the rows that have both values."""
    import numpy as np

    across, up = (np.asarray(dataset.columns[attribute], np.float64) for attribute in (x, y))
    is_shown = np.isfinite(across) & np.isfinite(up)
    asked = list(models.conditions(model))
    x_edges, y_edges = (
        _edges(values[is_shown], _bounds(asked, attribute)) for values, attribute in ((across, x), (up, y))
    )
    has_formulas = any(models.formulas(model))
    if model.schema.derived or has_formulas:
        # Borders are oblique, or predictions change within them, so that thresholds on x and y do not show all.
        x_edges, y_edges = _finer(x_edges), _finer(y_edges)
    cell = _predicted(model, dataset, x, y, _inside(x_edges), _inside(y_edges))
    is_border = np.append(True, (cell[:, 1:] != cell[:, :-1]).any(axis=0))
    x_edges, cell = np.append(x_edges[:-1][is_border], x_edges[-1]), cell[:, is_border]
    is_border = np.append(True, (cell[1:] != cell[:-1]).any(axis=1))
    y_edges, cell = np.append(y_edges[:-1][is_border], y_edges[-1]), cell[is_border]
    target = None if dataset.target is None else dataset.target[is_shown]
    labels = [quoted(label) for label in model.schema.target.labels]
    points = across[is_shown], up[is_shown], target
    return Plane(x_edges, y_edges, cell, *points, labels, has_borders=not has_formulas)


def _finer(edges: FloatArray) -> FloatArray:
    """Return the edges with others between them, at equal distances."""
    import numpy as np

    # Not np.unique, which imports numpy.ma.
    between = np.linspace(edges[0], edges[-1], N_OBLIQUE + 1)
    both = np.sort(np.concatenate([edges, between]))
    finer: FloatArray = both[np.append(True, both[1:] > both[:-1])]
    return finer


def held(model: Model, dataset: Dataset, x: int, y: int) -> list[str]:
    """Return the other attributes that the model uses, each with the value at which it is fixed."""
    texts = []
    for attribute in sorted(set(models.columns_used(model)) - {x, y}):
        described = model.schema.columns[attribute]
        value = _typical(dataset.columns[attribute])
        if value is None:
            text = "missing"
        else:
            text = short_number(value) if described.is_numeric else quoted(described.labels[int(value)])
        texts.append(f"{quoted(described.name)} = {text}")
    return texts


def _bounds(asked: list[Condition], attribute: int) -> FloatArray:
    """Return the sorted thresholds of an attribute."""
    import numpy as np

    intervals = [c for c in asked if isinstance(c, Interval) and c.attribute == attribute and c.takes_known]
    bounds: FloatArray = np.unique([bound for interval in intervals for bound in (interval.low, interval.high)])
    return bounds[np.isfinite(bounds)]


def _edges(values: FloatArray, bounds: FloatArray) -> FloatArray:
    """Return the thresholds within the range of the values, between the two edges of the picture."""
    import numpy as np

    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    margin = MARGIN_SHARE * (high - low) or MARGIN_SHARE * abs(low) or 1.0
    low, high = low - margin, high + margin
    bounds = bounds[(bounds > low) & (bounds < high)]
    if len(bounds) > MOST_CUTS:
        step = np.floor((bounds - low) / (high - low) * MOST_CUTS)
        bounds = bounds[np.append(True, np.diff(step) > 0)]
    return np.concatenate([[low], bounds, [high]])


def _inside(edges: FloatArray) -> FloatArray:
    """Return a number within every cell; a cell includes its upper edge, which may be its only number."""
    import numpy as np

    low, high = edges[:-1], edges[1:]
    middle = low / 2 + high / 2
    return np.where((low < middle) & (middle < high), middle, high)


def _predicted(
    model: Model, dataset: Dataset, x: int, y: int, across: FloatArray, up: FloatArray
) -> NDArray[np.generic]:
    """Return the predicted code or number of every cell; rows are y."""
    import numpy as np

    n_rows = max(CELLS_AT_ONCE // len(across), 1)
    strips = []
    for start in range(0, len(up), n_rows):
        rows = up[start : start + n_rows]
        n_cells = len(rows) * len(across)
        columns: list[Column] = []
        for attribute, column in enumerate(dataset.columns):
            if attribute == x:
                columns.append(np.tile(across, len(rows)))
            elif attribute == y:
                columns.append(np.repeat(rows, len(across)))
            else:
                value = _typical(column)
                unknown = np.nan if dataset.schema.columns[attribute].is_numeric else MISSING
                columns.append(np.full(n_cells, unknown if value is None else value, column.dtype))
        cells = Dataset(dataset.schema, columns, None, np.ones(n_cells))
        codes = models.predictions(model, cells)
        strips.append(codes.reshape(len(rows), len(across)))
    return np.concatenate(strips)


def _typical(column: Column) -> float | None:
    """Return the median, or the most frequent label (the first if tied); None if no value is known."""
    import numpy as np

    if column.dtype == np.float64:
        known = column[~np.isnan(column)]
        return float(np.median(known)) if len(known) else None
    codes = column[column >= 0]
    return float(np.bincount(codes).argmax()) if len(codes) else None
