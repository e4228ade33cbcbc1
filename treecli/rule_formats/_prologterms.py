"""Derived columns and formulas as Prolog goals."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from treecli.data import Schema
from treecli.expressions import Expression, Holds, Number, Sum, Value, leaves_of
from treecli.values import Interval, Labels, condition_of
from treecli.wording import number_text

MISSING = "na(missing)"
"""The term for a missing value; no label is a compound term."""

_ESCAPES = {"\\": "\\\\", "'": "\\'"}


def variable(index: int) -> str:
    """Return the variable of an attribute."""
    return f"A{index + 1}"


def atom(text: str) -> str:
    """Return the text as a quoted atom, with escapes for unprintable characters."""
    return "'" + "".join(_ESCAPES.get(c) or (c if c.isprintable() else f"\\x{ord(c):x}\\") for c in text) + "'"


def number(number: float) -> str:
    """Return the number in Prolog's notation, with a point before an exponent."""
    mantissa, letter, exponent = number_text(number).partition("e")
    return f"{mantissa}{'' if '.' in mantissa or not letter else '.0'}{letter}{exponent}"


def double(value: float) -> str:
    """Return the number as a float, never as an integer."""
    text = number(value)
    return text if "." in text else f"{text}.0"


def is_known(index: int, schema: Schema) -> str:
    """Return the goal that an attribute has a number, or a label of the schema."""
    attribute = schema.attributes[index]
    if attribute.is_numeric:
        return f"number({variable(index)})"
    return f"memberchk({variable(index)}, [{', '.join(map(atom, attribute.labels))}])"


def needed(expression: Expression, schema: Schema) -> list[str]:
    """Return the goals that must hold for an expression to have a value."""
    leaves = (leaf for leaf in leaves_of(expression) if not isinstance(leaf, Number) and leaf.instead is None)
    return [is_known(index, schema) for index in dict.fromkeys(leaf.attribute for leaf in leaves)]


class Terms:
    """Writes an expression as an arithmetic term; `goals` bind the variables in it, and come first."""

    def __init__(self, schema: Schema, prefix: str) -> None:
        self._schema, self._prefix = schema, prefix
        self.goals: list[str] = []

    def term(self, expression: Expression) -> str:
        if isinstance(expression, Number):
            return double(expression.value)
        if isinstance(expression, Value):
            return self._value(expression)
        if isinstance(expression, Holds):
            return self._indicator(expression)
        if isinstance(expression, Sum):
            return " + ".join(map(self.term, expression.terms))
        return " * ".join(
            f"({self.term(part)})" if isinstance(part, Sum) else self.term(part) for part in expression.factors
        )

    def _value(self, value: Value) -> str:
        name = variable(value.attribute)
        if value.instead is None:
            return f"float({name})"
        return self._bound(is_known(value.attribute, self._schema), f"{{0}} is float({name})", double(value.instead))

    def _indicator(self, holds: Holds) -> str:
        test = _holds(holds, self._schema)
        if holds.instead is None:
            return self._bound(test, "{0} = 1", "0")
        known, own = is_known(holds.attribute, self._schema), self._variable()
        inner = f"( {test} -> {own} = 1 ; {own} = 0 )"
        self.goals.append(f"( {known} -> {inner} ; {own} = {number(holds.instead)} )")
        return own

    def _bound(self, test: str, then: str, otherwise: str) -> str:
        own = self._variable()
        self.goals.append(f"( {test} -> {then.format(own)} ; {own} = {otherwise} )")
        return own

    def _variable(self) -> str:
        return f"{self._prefix}{len(self.goals) + 1}"


def _holds(literal: Holds, schema: Schema) -> str:
    """Return the goal that a known value of an attribute is one of a literal's."""
    name, condition = variable(literal.attribute), condition_of(literal)
    if isinstance(condition, Labels):
        labels = (schema.attributes[literal.attribute].labels[code] for code in condition.codes)
        return f"memberchk({name}, [{', '.join(map(atom, labels))}])"
    return ", ".join(bounds(condition, name)) or "true"


def bounds(condition: Interval, name: str) -> Iterable[str]:
    """Yield the comparisons of a number with the bounds of an interval."""
    if condition.low != -inf:
        yield f"{name} > {number(condition.low)}"
    if condition.high != inf:
        yield f"{name} =< {number(condition.high)}"
