"""The formulas of a rule file in terms of a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from treecli.errors import did_you_mean
from treecli.expressions import Holds, Value
from treecli.leaves.linear import Line
from treecli.rules.formulaparser import OPERATORS
from treecli.rules.stream import number_of, refuse
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.data import Attribute, Schema
    from treecli.leaves.linear import Input
    from treecli.rules.parser import Statement
    from treecli.rules.tokens import Token


def line_read(statement: Statement, schema: Schema, name: str) -> Line:
    """Return the formula of a statement in terms of the schema; `name` is the file's name in messages."""
    index_of = {attribute.name: index for index, attribute in enumerate(schema.attributes)}
    constant, terms = None, []
    for term in statement.formula:
        if term.name is None:
            if constant is not None:
                refuse(name, term.place, "one number without an attribute, and there is one before it", "add them up")
            constant = term.factor
            continue
        index = index_of.get(term.name.text)
        if index is None:
            hint = did_you_mean(term.name.text, index_of)
            if hint is None and any(sign in term.name.text for sign in OPERATORS):
                hint = "put blanks around + - *"
            refuse(name, term.name, f"an attribute ({', '.join(index_of)})", hint)
        attribute = schema.attributes[index]
        if attribute.is_numeric == bool(term.labels):
            of_labels = "a numeric attribute, or (NAME in {LABEL, …})"
            refuse(name, term.name, "no labels, for it is numeric" if term.labels else of_labels)
        codes = tuple(_code(label, attribute, name) for label in term.labels)
        value = _stand_in(term.name, attribute, statement.stand_ins, name)
        own: Input = Holds(index, labels=codes, instead=float(int(value) in codes)) if codes else Value(index, value)
        terms.append((own, term.factor))
    return Line(constant or 0.0, tuple(terms))


def _stand_in(place: Token, attribute: Attribute, stand_ins: Mapping[str, Token], name: str) -> float:
    """Return what stands for a missing value of an attribute: a number, or the code of a label."""
    token = stand_ins.get(attribute.name)
    if token is None:
        example = f"{quoted(attribute.name)}: {'0' if attribute.is_numeric else quoted(attribute.labels[0])}"
        refuse(
            name,
            place,
            "a line before the rule that says what stands for a missing value of it",
            f"for instance: missing values count in formulas as {{{example}}}",
        )
    if not attribute.is_numeric:
        return float(_code(token, attribute, name))
    number = number_of(token)
    if number is None:
        refuse(name, token, f"a number, for '{attribute.name}' is numeric")
    return number


def _code(token: Token, attribute: Attribute, name: str) -> int:
    code = attribute.code_of(token.text)
    if code is None:
        refuse(name, token, f"a label of '{attribute.name}'", did_you_mean(token.text, attribute.labels))
    return code
