"""Prolog clauses; the first clause that holds gives the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.rule_formats import Page
from treecli.rule_formats._prologterms import MISSING, Terms, atom, bounds, needed, number, variable
from treecli.rules.rule import BY_CONDITION
from treecli.rules.text import Antecedents, consequent
from treecli.values import Condition, Interval, as_labels
from treecli.wording import quoted, readable

if TYPE_CHECKING:
    from treecli.data import Attribute, Schema
    from treecli.rules.rule import Rule

SUFFIX = ".pl"
HAS_WORDING = False


def render(page: Page) -> Iterator[str]:
    """Return the clauses of predict/N, whose arguments are the attributes in schema order and the prediction."""
    heading, schema = page.heading, page.heading.schema
    if heading.votes:
        raise UsageError("-f prolog: these rules decide by vote, and clauses decide by the first that holds")
    variables = [variable(index) for index in range(len(schema.attributes))]
    head = ", ".join([*variables, "Prediction"])
    yield f"% predict({head}) predicts {quoted(schema.target.name)}: the first clause that holds decides.\n"
    yield f"% A number is a number, a label an atom, and {MISSING} a missing value.\n"
    if heading.settings.predicting.single_precision:
        yield "% Round numbers to 32 bits first.\n"
    for name, attribute in zip(variables, schema.attributes, strict=True):
        yield f"% {name}: {quoted(attribute.name)}\n"
    yield f":- dynamic predict/{len(variables) + 1}.\n"
    yield from (_derived(place, schema) for place in range(len(schema.derived)))
    by_condition = heading.settings.predicting.unseen == BY_CONDITION

    def goal(condition: Condition, attribute: Attribute) -> str:
        if condition.attribute >= len(variables):
            return _derived_goal(condition, schema)
        return _goal(condition, attribute, variable(condition.attribute), by_condition=by_condition)

    goals = Antecedents(schema, goal)
    for rule in page.rules:
        yield f"% {consequent(rule, schema, readable)}\n"
        yield _clause(variables, _asked(rule, schema), [*goals.texts(rule), "!", *_predicted(rule, schema)])
    yield _clause(variables, _asked(heading.default, schema), _predicted(heading.default, schema))


def _asked(rule: Rule, schema: Schema) -> set[int]:
    """Return the attributes that a rule's conditions and formula read."""
    own = () if rule.model is None else (part.attribute for part, _ in rule.model.terms)
    return {*schema.inputs(condition.attribute for condition in rule.conditions), *own}


def _clause(variables: Sequence[str], asked: set[int], goals: Sequence[str]) -> str:
    names = [name if index in asked else "_" for index, name in enumerate(variables)]
    return f"predict({', '.join([*names, 'Prediction'])}) :-\n    " + ",\n    ".join(goals) + ".\n"


def _predicted(rule: Rule, schema: Schema) -> list[str]:
    """Return the goals that set the prediction."""
    if rule.label is not None:
        return [f"Prediction = {atom(schema.target.labels[rule.label])}"]
    if rule.model is not None:
        terms = Terms(schema, "V")
        predicted = terms.term(rule.model.expression())
        return [*terms.goals, f"Prediction is {predicted}"]
    assert rule.value is not None
    return [f"Prediction = {number(rule.value)}"]


def _derived(place: int, schema: Schema) -> str:
    """Return the clause of derived_N, which computes a derived column, or fails where it is missing."""
    expression = schema.derived[place].feature.expression()
    terms = Terms(schema, "V")
    value = terms.term(expression)
    goals = [*needed(expression, schema), *terms.goals, f"D is {value}"]
    wording = "\n% ".join(schema.derived[place].wording.splitlines())
    return f"% {wording}\n{_call(place, schema, 'D')} :-\n    " + ",\n    ".join(goals) + ".\n"


def _call(place: int, schema: Schema, result: str) -> str:
    """Return the goal, or the head, that computes a derived column from its attributes."""
    inputs = schema.inputs([len(schema.attributes) + place])
    return f"derived_{place + 1}({', '.join([*map(variable, inputs), result])})"


def _derived_goal(condition: Condition, schema: Schema) -> str:
    """Return the goal for a condition on a derived column."""
    place = condition.attribute - len(schema.attributes)
    name, choices = f"D{place + 1}", []
    if isinstance(condition, Interval) and condition.takes_known:
        choices.append(", ".join([_call(place, schema, name), *bounds(condition, name)]))
    if condition.missing:
        choices.append(f"\\+ {_call(place, schema, '_')}")
    return choices[0] if len(choices) == 1 else f"( {' ; '.join(choices)} )"


def _goal(condition: Condition, attribute: Attribute, name: str, *, by_condition: bool) -> str:
    """Return the goal for a condition; labels that are not in the schema are unseen."""
    if attribute.is_numeric and isinstance(condition, Interval):
        choices = [", ".join([f"number({name})", *bounds(condition, name)])] if condition.takes_known else []
    else:
        labels = [atom(attribute.labels[code]) for code in as_labels(condition, len(attribute.labels)).codes]
        choices = [f"{name} == {label}" for label in labels]
        if condition.unseen if by_condition else condition.missing:
            every = ", ".join(map(atom, attribute.labels))
            choices.append(f"atom({name}), \\+ memberchk({name}, [{every}])")
    if condition.missing:
        choices.append(f"{name} == {MISSING}")
    return choices[0] if len(choices) == 1 else f"( {' ; '.join(choices)} )"
