"""A model as data for web pages: its attributes, and conditions that a script can test."""

from __future__ import annotations

from typing import Any

from treecli import __version__
from treecli.data import Derived, Schema
from treecli.draw.palette import SCALE, class_color
from treecli.expressions import Expression, Holds, Number, Sum, Value
from treecli.leaves.linear import Line
from treecli.model import Lineage
from treecli.predict.program import Program, Test
from treecli.values import Condition, Labels, condition_of
from treecli.wording import quoted

MISSING, UNSEEN, NO_NUMBER = 1, 2, 4
"""Flags of a condition, shared with sets.js."""


def heading(schema: Schema, lineage: tuple[Lineage, ...]) -> dict[str, Any]:
    """Return the data common to all pages: columns, classes with their colours, and lineage."""
    attributes = [
        {"name": attribute.name, "text": quoted(attribute.name)}
        | ({} if attribute.is_numeric else {"labels": attribute.labels})
        | ({"formula": expression_data(attribute.feature.expression())} if isinstance(attribute, Derived) else {})
        for attribute in schema.columns
    ]
    return {
        "program": f"treecli {__version__}",
        "source": next((step["data"] for step in lineage if isinstance(step.get("data"), str)), None),
        "attributes": attributes,
        "target": schema.target.name,
        "labels": schema.target.labels if schema.is_classification else None,
        "colors": [class_color(code) for code in range(len(schema.target.labels))],
        "scale": SCALE,
    }


def encoded(values: Condition) -> list[Any]:
    """Encode a condition: the attribute, its bounds (null if unbounded) or label codes, and flags."""
    flags = MISSING * values.missing | UNSEEN * values.unseen
    if isinstance(values, Labels):
        return [values.attribute, values.codes, flags]
    # JSON has no infinity: msgspec writes null.
    return [values.attribute, values.low, values.high, flags | NO_NUMBER * (not values.takes_known)]


def steps_data(program: Program, node: int) -> dict[str, Any]:
    """Encode how a row leaves a node, as route.js reads it: its tests with the children and, where rows spread, the
    shares; the prediction of a node where rows end."""
    steps = program.steps[node]
    record: dict[str, Any] = {}
    if steps:
        is_spread = node in program.spreads
        record["ways"] = [[test_data(step.test), step.child, *([step.share] if is_spread else [])] for step in steps]
        if is_spread:
            record["spreads"] = test_data(program.spreads[node])
    if not steps or any(step.child == node for step in steps):
        record["says"] = [short(share) for share in program.prediction[node]]
    return record


def test_data(test: Test) -> list[list[list[Any]]]:
    """Encode a test: alternatives, each a list of conditions."""
    return [[encoded(values) for values in member] for member in test]


def expression_data(expression: Expression) -> Any:
    """Encode an expression, as formula.js reads it."""
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Value):
        return ["value", expression.attribute, expression.instead]
    if isinstance(expression, Holds):
        return ["holds", encoded(condition_of(expression)), expression.instead]
    parts = expression.terms if isinstance(expression, Sum) else expression.factors
    return ["sum" if isinstance(expression, Sum) else "product", *map(expression_data, parts)]


def formula_data(text: str, expression: Expression, line: Line | None) -> dict[str, Any]:
    """Encode what a formula predicts: as text, as an expression and, if it is a line, its terms."""
    formula: dict[str, Any] = {"text": text, "of": expression_data(expression)}
    if line is None:
        return formula
    terms = [[factor, expression_data(own)] for own, factor in line.terms]
    return formula | {"terms": [[line.intercept, None], *terms] if line.intercept or not terms else terms}


def short(number: float) -> float | int:
    """Return an integer if possible, to omit `.0` from the thousands of counts on a page."""
    return int(number) if number.is_integer() else number
