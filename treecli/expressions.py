"""Numbers computed from the attributes of a row: the arithmetic of derived columns and of leaf models.

An expression defines the order of its operations, so that a prediction and every export of it round alike: a sum adds
its terms from left to right, a product multiplies its factors from left to right, each result is rounded to a double
and none is fused with the next. A result is missing (NaN) if a value in it is, unless the value says what stands for
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from math import inf, prod
from typing import TYPE_CHECKING, Any

from treecli.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    ColumnOf = Callable[[int], Any]


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a numeric attribute; `instead` where it is missing, None: the result is missing."""

    attribute: int
    instead: float | None = None


@dataclass(frozen=True, slots=True)
class Holds:
    """1 if an attribute has one of these values, else 0; `instead` where it is missing, as in `Value`.

    The values are those in low < value <= high of a numeric attribute (with -inf if low is -inf), or the labels with
    these codes. A label outside the schema counts as missing.
    """

    attribute: int
    low: float = -inf
    high: float = inf
    labels: tuple[int, ...] | None = None
    instead: float | None = None


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms added from left to right; at least one."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Factors multiplied from left to right; at least one."""

    factors: tuple[Expression, ...]


Leaf = Number | Value | Holds
Expression = Leaf | Sum | Product


def weighted_sum(pairs: list[tuple[float, Leaf]], constant: float | None = None) -> Sum:
    """Return constant + Σ factor · value, in this order; without a constant, the sum begins with the first product."""
    terms: list[Expression] = [] if constant is None else [Number(constant)]
    return Sum((*terms, *(Product((Number(factor), value)) for factor, value in pairs)))


def leaves_of(expression: Expression) -> Iterator[Leaf]:
    """Yield the numbers, values and indicators of an expression, from left to right."""
    if isinstance(expression, Sum | Product):
        for part in expression.terms if isinstance(expression, Sum) else expression.factors:
            yield from leaves_of(part)
    else:
        yield expression


def attributes_of(expression: Expression) -> list[int]:
    """Return the attributes that an expression reads, sorted."""
    return sorted({leaf.attribute for leaf in leaves_of(expression) if not isinstance(leaf, Number)})


def greatest_of(expression: Expression, greatest: Callable[[int], float]) -> float:
    """Return a bound of the absolute value; `greatest` returns that of a numeric attribute.

    If it is finite, no row whose attributes are known has a missing result: no part overflows.
    """
    if isinstance(expression, Sum):
        return sum(greatest_of(part, greatest) for part in expression.terms)
    if isinstance(expression, Product):
        return prod(greatest_of(part, greatest) for part in expression.factors)
    if isinstance(expression, Number):
        return abs(expression.value)
    return greatest(expression.attribute) if isinstance(expression, Value) else 1.0


def values_of(expression: Expression, column_of: ColumnOf, n_rows: int) -> Floats:
    """Return the value of an expression in every row; `column_of` returns the values of an attribute."""
    import numpy as np

    # Elementwise: the rounding of a dot product depends on the processor.
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        found = np.asarray(_values(expression, column_of), np.float64)
        return found if found.ndim else np.full(n_rows, found)


def _values(expression: Expression, column_of: ColumnOf) -> Any:
    """Return the value in every row, or one number if it is the same in all."""
    import numpy as np

    if isinstance(expression, Sum):
        return reduce(np.add, (_values(part, column_of) for part in expression.terms))
    if isinstance(expression, Product):
        return reduce(np.multiply, (_values(part, column_of) for part in expression.factors))
    if isinstance(expression, Number):
        return np.float64(expression.value)
    column = column_of(expression.attribute)
    is_missing = column < 0 if column.dtype.kind == "i" else column != column
    instead = np.nan if expression.instead is None else expression.instead
    if isinstance(expression, Value):
        return np.where(is_missing, instead, column)
    if expression.labels is not None:
        holds = np.isin(column, expression.labels)
    else:
        holds = ((column > expression.low) | (expression.low == -inf)) & (column <= expression.high)
    return np.where(is_missing, instead, holds.astype(np.float64))
