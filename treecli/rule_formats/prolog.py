"""Prolog clauses; the first clause that holds gives the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.rule_formats import Page
from treecli.rules.rule import BY_CONDITION
from treecli.rules.text import Antecedents, consequent
from treecli.values import Condition, Interval, as_labels
from treecli.wording import number_text, quoted, readable

if TYPE_CHECKING:
    from treecli.data import Attribute, Schema
    from treecli.rules.rule import Rule

SUFFIX = ".pl"
HAS_WORDING = False

MISSING = "na(missing)"
"""The term for a missing value; no label is a compound term."""

_ESCAPES = {"\\": "\\\\", "'": "\\'"}


def render(page: Page) -> Iterator[str]:
    """Return the clauses of predict/N, whose arguments are the attributes in schema order and the prediction."""
    heading, schema = page.heading, page.heading.schema
    if heading.votes:
        raise UsageError("-f prolog: these rules decide by vote, and clauses decide by the first that holds")
    if schema.derived:
        raise UsageError("-f prolog: these rules test columns derived from several attributes", "use another format")
    variables = [f"A{index}" for index in range(1, len(schema.attributes) + 1)]
    head = ", ".join([*variables, "Prediction"])
    yield f"% predict({head}) predicts {quoted(schema.target.name)}: the first clause that holds decides.\n"
    yield f"% A number is a number, a label an atom, and {MISSING} a missing value.\n"
    if heading.settings.predicting.single_precision:
        yield "% Round numbers to 32 bits first.\n"
    for variable, attribute in zip(variables, schema.attributes, strict=True):
        yield f"% {variable}: {quoted(attribute.name)}\n"
    yield f":- dynamic predict/{len(variables) + 1}.\n"
    by_condition = heading.settings.predicting.unseen == BY_CONDITION

    def goal(condition: Condition, attribute: Attribute) -> str:
        return _goal(condition, attribute, f"A{condition.attribute + 1}", by_condition=by_condition)

    goals = Antecedents(schema, goal)
    for rule in page.rules:
        yield f"% {consequent(rule, schema, readable)}\n"
        asked = {condition.attribute for condition in rule.conditions}
        yield _clause(variables, asked, [*goals.texts(rule), "!", f"Prediction = {_predicted(rule, schema)}"])
    yield _clause(variables, set(), [f"Prediction = {_predicted(heading.default, schema)}"])


def _clause(variables: Sequence[str], asked: set[int], goals: Sequence[str]) -> str:
    names = [name if index in asked else "_" for index, name in enumerate(variables)]
    return f"predict({', '.join([*names, 'Prediction'])}) :-\n    " + ",\n    ".join(goals) + ".\n"


def _predicted(rule: Rule, schema: Schema) -> str:
    if rule.label is not None:
        return _atom(schema.target.labels[rule.label])
    assert rule.value is not None
    return _number(rule.value)


def _goal(condition: Condition, attribute: Attribute, name: str, *, by_condition: bool) -> str:
    """Return the goal for a condition; labels that are not in the schema are unseen."""
    if attribute.is_numeric and isinstance(condition, Interval):
        known = [f"number({name})"]
        if condition.low != -inf:
            known.append(f"{name} > {_number(condition.low)}")
        if condition.high != inf:
            known.append(f"{name} =< {_number(condition.high)}")
        choices = [", ".join(known)] if condition.takes_known else []
    else:
        labels = [_atom(attribute.labels[code]) for code in as_labels(condition, len(attribute.labels)).codes]
        choices = [f"{name} == {label}" for label in labels]
        if condition.unseen if by_condition else condition.missing:
            every = ", ".join(map(_atom, attribute.labels))
            choices.append(f"atom({name}), \\+ memberchk({name}, [{every}])")
    if condition.missing:
        choices.append(f"{name} == {MISSING}")
    return choices[0] if len(choices) == 1 else f"( {' ; '.join(choices)} )"


def _atom(text: str) -> str:
    """Return the text as a quoted atom, with escapes for unprintable characters."""
    return "'" + "".join(_ESCAPES.get(c) or (c if c.isprintable() else f"\\x{ord(c):x}\\") for c in text) + "'"


def _number(number: float) -> str:
    """Return the number in Prolog's notation, with a point before an exponent."""
    mantissa, letter, exponent = number_text(number).partition("e")
    return f"{mantissa}{'' if '.' in mantissa or not letter else '.0'}{letter}{exponent}"
