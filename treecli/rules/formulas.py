"""Formulas that rules predict by, as text: a number plus weighted attributes and indicators of labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.expressions import Holds, Number, Product, Sum, Value
from treecli.leaves import linear
from treecli.leaves.linear import Line
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Attribute, Schema
    from treecli.expressions import Expression
    from treecli.leaves import Leaf
    from treecli.leaves.linear import Input


def line_of(leaf: Leaf) -> Line:
    """Return the line that a leaf model predicts by; raise a UsageError if it is of another form."""
    expression = leaf.expression()
    if isinstance(expression, Number):
        return Line(expression.value)
    parts = expression.terms if isinstance(expression, Sum) else (expression,)
    constant = parts[0].value if isinstance(parts[0], Number) else 0.0
    terms = [_term(part) for part in (parts[1:] if isinstance(parts[0], Number) else parts)]
    if None in terms:
        raise UsageError(
            f"the leaves of the tree have models of the kind '{leaf.KIND}', and rules state only linear formulas",
            "show the tree instead",
        )
    return Line(constant, tuple(term for term in terms if term is not None))


def _term(part: Expression) -> tuple[Input, float] | None:
    """Return an input with its factor, or None if a part of a sum is something else."""
    if isinstance(part, Product) and len(part.factors) == 2 and isinstance(part.factors[0], Number):
        factor, own = part.factors[0].value, part.factors[1]
        if isinstance(own, Value) or (isinstance(own, Holds) and own.labels is not None):
            return own, factor
    return None


def wording(line: Line, schema: Schema, number: Callable[[float], str]) -> str:
    """Return `y = 3.2 + 0.5 * x - 0.3 * (c in {a, b})`, in the order in which the sum is computed."""
    return f"{quoted(schema.target.name)} = {sum_text(line, schema, number)}"


def leaf_text(leaf: Leaf, schema: Schema, number: Callable[[float], str] = number_text) -> str:
    """Return what a leaf model predicts as text, in full precision if it is a line."""
    return sum_text(leaf.line, schema, number) if isinstance(leaf, linear.Leaf) else leaf.wording(schema.attributes)


def sum_text(line: Line, schema: Schema, number: Callable[[float], str]) -> str:
    """Return the sum of a formula as text."""
    text = number(line.intercept) if line.intercept or not line.terms else ""
    for own, factor in line.terms:
        sign = "-" if factor < 0 else "+"
        before = f" {sign} " if text else sign.removeprefix("+")
        text += f"{before}{number(abs(factor))} * {_input_text(own, schema.attributes[own.attribute])}"
    return text


def _input_text(own: Input, attribute: Attribute) -> str:
    if isinstance(own, Holds) and own.labels is not None:
        labels = [quoted(attribute.labels[code]) for code in own.labels]
        asked = f"= {labels[0]}" if len(labels) == 1 else f"in {{{', '.join(labels)}}}"
        return f"({quoted(attribute.name)} {asked})"
    from treecli.rules.formulaparser import OPERATORS
    from treecli.rules.stream import number_in

    name, words = attribute.name, attribute.name.split(" ")
    is_plain = number_in(words[0]) is None and OPERATORS.isdisjoint(words) and not name.startswith(("-", "+"))
    # quoted() leaves a name bare that reads as an operator or a number in a formula.
    return quoted(name) if is_plain else f'"{name}"' if quoted(name) == name else quoted(name)


class StandIns:
    """The lines of a rule file that say what stands for missing values in formulas; each holds for all that follow."""

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self._attributes = attributes
        self._said: dict[int, float] = {}

    def needed(self, line: Line) -> str | None:
        """Return the pairs that a formula needs and that no line has said yet; None if there are none."""
        wanted: dict[int, list[Input]] = {}
        for own, _ in line.terms:
            wanted.setdefault(own.attribute, []).append(own)
        new = {}
        for index, inputs in wanted.items():
            if not self._suits(index, self._said.get(index), inputs):
                new[index] = self._found(index, inputs)
        self._said |= new
        texts = [f"{quoted(self._attributes[index].name)}: {self._text(index, value)}" for index, value in new.items()]
        return ", ".join(texts) or None

    def _text(self, index: int, value: float) -> str:
        attribute = self._attributes[index]
        return number_text(value) if attribute.is_numeric else quoted(attribute.labels[int(value)])

    def _suits(self, index: int, value: float | None, inputs: Sequence[Input]) -> bool:
        """Return whether a number, or the code of a label, gives each input what stands for a missing value."""
        return value is not None and all(_instead(own, value) == own.instead for own in inputs)

    def _found(self, index: int, inputs: Sequence[Input]) -> float:
        attribute = self._attributes[index]
        codes = range(len(attribute.labels))
        choices = [own.instead for own in inputs] if attribute.is_numeric else [float(code) for code in codes]
        found = next((choice for choice in choices if self._suits(index, choice, inputs)), None)
        if found is None:
            raise UsageError(
                f"a formula takes different values for a missing '{attribute.name}', and a rule file states one",
                "write the rules as JSON",
            )
        return found


def _instead(own: Input, value: float) -> float:
    if isinstance(own, Value) or own.labels is None:
        return value
    return float(int(value) in own.labels)
