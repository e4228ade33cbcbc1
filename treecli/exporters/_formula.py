"""Expressions written in another language, with the order of operations that they define."""

from __future__ import annotations

from typing import Protocol, TypeVar

from treecli.expressions import Expression, Holds, Number, Product, Sum, Value

T = TypeVar("T")


class Writer(Protocol[T]):
    """The parts of an expression in one language: text, or elements of a document."""

    def number(self, number: float, /) -> T: ...

    def read(self, attribute: int, instead: float | None, /) -> T:
        """Return the value of a numeric attribute; `instead` where it is missing, or missing if that is None."""
        ...

    def indicator(self, holds: Holds, /) -> T:
        """Return 1 or 0, or what stands for a missing value."""
        ...

    def product(self, factors: list[T], /) -> T: ...

    def total_of(self, terms: list[T], /) -> T: ...


def formula(expression: Expression, writer: Writer[T]) -> T:
    """Return an expression as a writer writes it."""
    if isinstance(expression, Number):
        return writer.number(expression.value)
    if isinstance(expression, Value):
        return writer.read(expression.attribute, expression.instead)
    if isinstance(expression, Holds):
        return writer.indicator(expression)
    parts = expression.terms if isinstance(expression, Sum) else expression.factors
    written = [_operand(formula(part, writer), part, expression) for part in parts]
    if len(written) == 1:
        return written[0]
    return writer.total_of(written) if isinstance(expression, Sum) else writer.product(written)


def _operand(written: T, part: Expression, whole: Expression) -> T:
    """Return an operand, in parentheses if it is text that could be read in another order."""
    is_plain = isinstance(part, Number | Value | Holds) or (isinstance(part, Product) and isinstance(whole, Sum))
    if is_plain or not isinstance(written, str):
        return written
    return f"({written})"  # type: ignore[return-value]
