"""Rows in which derived columns have given values: attributes are moved until an expression has its value."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from treecli.data import MISSING, Attribute, Derived
from treecli.expressions import Expression, Value, attributes_of, leaves_of, values_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column, FloatArray

    Rows = NDArray[np.intp]

N_ROUNDS = 8
"""Corrections of an attribute; a linear expression needs one, and rounding a few more."""

N_NEIGHBOURS = 4
"""Doubles on either side of the corrected one that are tried."""

HUGE = 1e100
"""The largest value of an attribute in an expression: sums of larger ones may be infinite, which languages treat
differently."""


def usual_values(attribute: Attribute) -> list[float]:
    """Return some values of an attribute that an expression reads."""
    if not attribute.is_numeric:
        return [float(code) for code in range(len(attribute.labels))]
    low, high = attribute.range or (-1.0, 2.0)
    return [low, high, low + (high - low) / 3, 0.0, 1.0]


def move(columns: list[Column], derived: Derived, rows: Rows, wanted: FloatArray) -> None:
    """Change attributes in some rows so that a derived column has the wanted values, NaN for missing, if possible."""
    import numpy as np

    expression, random = derived.feature.expression(), Random(len(rows))
    parts = attributes_of(expression)
    movable = sorted({leaf.attribute for leaf in leaves_of(expression) if isinstance(leaf, Value)})
    is_lost = np.isnan(wanted)
    lost_part = np.array(random.choices(parts, k=len(rows)))
    for part in parts:
        chosen = rows[is_lost & (lost_part == part)]
        columns[part][chosen] = np.nan if columns[part].dtype == np.float64 else MISSING
    if not movable:
        return
    pivot = np.array(random.choices(movable, k=len(rows)))
    for part in movable:
        is_moved = ~is_lost & (pivot == part)
        if is_moved.any():
            _move_part(columns, expression, part, rows[is_moved], wanted[is_moved])


def _move_part(columns: list[Column], expression: Expression, part: int, rows: Rows, wanted: FloatArray) -> None:
    """Move one attribute, by secants and then from double to double."""
    import numpy as np

    def at(values: FloatArray) -> FloatArray:
        return values_of(expression, lambda index: values if index == part else columns[index][rows], len(rows))

    with np.errstate(all="ignore"):
        before = np.where(np.isfinite(columns[part][rows]), columns[part][rows], 0.0)
        slope = at(before + 1.0) - at(before)
        moved = before.copy()
        for _ in range(N_ROUNDS):
            step = (wanted - at(moved)) / slope
            moved = np.where(np.isfinite(step), moved + step, moved)
        best, distance = moved, np.abs(at(moved) - wanted)
        for direction in (-np.inf, np.inf):
            near = moved
            for _ in range(N_NEIGHBOURS):
                near = np.nextafter(near, direction)
                closer = np.abs(at(near) - wanted)
                best, distance = np.where(closer < distance, near, best), np.fmin(closer, distance)
        is_found = np.isfinite(best) & (np.abs(best) <= HUGE) & np.isfinite(distance)
    columns[part][rows] = np.where(is_found, best, columns[part][rows])
