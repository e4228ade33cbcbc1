"""Answers about derived columns: which attributes have to be asked for, and what their answers give."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING

from treecli.expressions import Expression, Holds, Number, Sum, Value, leaves_of, values_of
from treecli.teaching.answers import Answer, AnswerError, Between, Known, Unknown, Weighted
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treecli.data import Schema
    from treecli.splits import Split

Range = tuple[float, float]


def expression_of(column: int, schema: Schema) -> Expression | None:
    """Return how a column is computed; None for an attribute."""
    n_attributes = len(schema.attributes)
    return None if column < n_attributes else schema.derived[column - n_attributes].feature.expression()


def answer_to(split: Split, schema: Schema, answers: Mapping[int, Answer]) -> Answer | int:
    """Return the value of a split's derived column, or the attribute to ask for next.

    A value is known as soon as no values of the other attributes could change the branch, except missing ones. It is
    unknown as soon as an attribute is that must be known.
    """
    found = whole_answer_to(split.attribute, schema, answers)
    if not isinstance(found, int):
        return found
    expression = expression_of(split.attribute, schema)
    assert expression is not None
    low, high = _range(expression, answers)
    branches = [branch for branch in range(split.n_branches()) if split.condition(branch, schema).holds(low)]
    if -inf < low <= high < inf and branches and split.condition(branches[0], schema).holds(high):
        return Known(low, f"{number_text(low)} to {number_text(high)}")
    return found


def whole_answer_to(column: int, schema: Schema, answers: Mapping[int, Answer]) -> Answer | int:
    """Return the value of a derived column from the answers for all its attributes, or the attribute to ask for next.

    It is unknown as soon as an attribute is that must be known.
    """
    leaves = inputs_of(column, schema)
    if any(leaf.instead is None and isinstance(answers.get(leaf.attribute), Unknown) for leaf in leaves):
        return Unknown()
    needed = next((leaf.attribute for leaf in leaves if leaf.attribute not in answers), None)
    if needed is not None:
        return needed
    expression = expression_of(column, schema)
    assert expression is not None
    value = _value(expression, schema, answers)
    return Known(value, number_text(value))


def inputs_of(column: int, schema: Schema) -> list[Value | Holds]:
    """Return the values and indicators that a column is computed from; none for an attribute."""
    expression = expression_of(column, schema)
    return [] if expression is None else [own for own in leaves_of(expression) if not isinstance(own, Number)]


def check(columns: Iterable[int], schema: Schema, answers: Mapping[int, Answer]) -> None:
    """Raise an AnswerError for an uncertain answer about an attribute that one of these columns is computed from."""
    for column in columns:
        expression = expression_of(column, schema)
        if expression is None:
            continue
        for index in schema.inputs([column]):
            if isinstance(answers.get(index), Between | Weighted):
                name, whole = quoted(schema.attributes[index].name), quoted(schema.columns[column].name)
                raise AnswerError(f"{name} is a part of {whole}, which needs one value", "give one value or ?")


def _value(expression: Expression, schema: Schema, answers: Mapping[int, Answer]) -> float:
    """Return the value of an expression, computed as predictions compute it."""
    import numpy as np

    def column_of(index: int) -> object:
        answer = answers[index]
        if schema.attributes[index].is_numeric:
            return np.array([answer.value if isinstance(answer, Known) else np.nan])
        return np.array([int(answer.value) if isinstance(answer, Known) else -1], np.int32)

    return float(values_of(expression, column_of, 1)[0])


def _range(expression: Expression, answers: Mapping[int, Answer]) -> Range:
    """Return the least and the greatest value that an expression can have; an infinite one if it has no bound."""
    if isinstance(expression, Number):
        return expression.value, expression.value
    if isinstance(expression, Value | Holds):
        return _range_of_leaf(expression, answers.get(expression.attribute))
    if isinstance(expression, Sum):
        ranges = [_range(own, answers) for own in expression.terms]
        return sum(low for low, _ in ranges), sum(high for _, high in ranges)
    low, high = 1.0, 1.0
    for own in expression.factors:
        ends = [_product(x, y) for x in (low, high) for y in _range(own, answers)]
        low, high = min(ends), max(ends)
    return low, high


def _product(x: float, y: float) -> float:
    return 0.0 if 0.0 in (x, y) else x * y


def _range_of_leaf(leaf: Value | Holds, answer: Answer | None) -> Range:
    if isinstance(answer, Unknown):
        assert leaf.instead is not None
        return leaf.instead, leaf.instead
    if isinstance(leaf, Value):
        return (answer.value, answer.value) if isinstance(answer, Known) else (-inf, inf)
    if not isinstance(answer, Known):
        return 0.0, 1.0
    if leaf.labels is not None:
        holds = int(answer.value) in leaf.labels
    else:
        holds = answer.value <= leaf.high and (answer.value > leaf.low or leaf.low == -inf)
    return float(holds), float(holds)
