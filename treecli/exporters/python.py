"""A Python module with one function, which needs nothing but Python."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Collection, Iterable, Iterator
from typing import ClassVar

from treecli.exporters import Options
from treecli.exporters._code import INDENT, Worded
from treecli.exporters._formula import formula
from treecli.exporters._layout import Line
from treecli.exporters._names import heading
from treecli.model import Model
from treecli.predict.program import Test

TITLE = "Python"
SUFFIX = ".py"
OPTIONS = frozenset({"name", "proba"})

_OWN = ("row", "weight", "total", "isnan", "nan", "number", "label", "expected", "sum_", "part")


def export(model: Model, options: Options) -> str:
    """Return the model as a module."""
    return Python(model, options).text()


class Python(Worded):
    TITLE: ClassVar[str] = TITLE
    RESERVED: ClassVar[Collection[str]] = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *_OWN}
    AND = "and"
    OR = "or"
    COMMENT = "#"
    ELSE_IF = "elif"
    OPENING = ":"
    TRUE = "True"
    NAN = "nan"

    def text(self) -> str:
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        returned = "the probability of each label" if self.gives_probabilities else "the prediction"
        notes = [f"{self.name}(row) returns {returned} for a mapping from columns to values."]
        yield from (f"# {line}" for line in heading(self.program, notes))
        yield ""
        if any(self.schema.columns[index].is_numeric for index in (*self.attributes, *self.derived)):
            yield from ("from math import isnan, nan", "")
        yield ""
        yield f"def {self.name}(row):"
        yield f'{INDENT}"""{returned.capitalize()} for one row; None, NaN and an absent key are missing values."""'
        for attribute in self.attributes:
            yield from self._reading(attribute)
        for attribute in self.program.refused_missing:
            yield f"{INDENT}if {self.is_missing(attribute)}:"
            message = self.string(f"the value of {self.schema.columns[attribute].name!r} is missing")
            yield f"{INDENT * 2}raise ValueError({message})"
        for index, expression in self.derived.items():
            yield f"{INDENT}{self.variable[index]} = {formula(expression, self)}"
        if self.adds_up:
            yield f"{INDENT}total = [0.0] * {len(self.program.prediction[0])}"
        for number, part in enumerate(self.parts[1:], start=1):
            yield ""
            yield f"{INDENT}def part_{number}({'weight, total' if self.adds_up else ''}):"
            yield from self.body(part, 2)
        if len(self.parts) > 1:
            yield ""
        if self.adds_up:
            yield f"{INDENT}weight = 1.0"
        yield from self.body(self.parts[0], 1)
        if self.adds_up:
            yield from (f"{INDENT}{line}" for line in self._result())
        yield from self._readers()

    def _reading(self, attribute: int) -> Iterator[str]:
        name, described = self.variable[attribute], self.schema.columns[attribute]
        key = self.string(described.name)
        if described.is_numeric:
            yield f"{INDENT}{name} = _number(row.get({key}))"
            return
        yield f"{INDENT}{name} = _label(row.get({key}))"
        if self.program.has_unseen:
            return
        labels = self._tuple(described.labels)
        yield f"{INDENT}if {name} not in {labels}:"
        if attribute in self.program.refused:
            yield f"{INDENT * 2}if {name} is not None:"
            yield f'{INDENT * 3}raise ValueError(f"the model has not seen the label {{{name}!r}}")'
        yield f"{INDENT * 2}{name} = None"

    def _result(self) -> Iterator[str]:
        labels = self._tuple(self.target.labels)
        if not self.schema.is_classification:
            yield f"return {self.divided('total[0]')}"
        elif self.gives_probabilities and self.program.divisor != 1:
            yield f"return dict(zip({labels}, [{self.divided('share')} for share in total]))"
        elif self.gives_probabilities:
            yield f"return dict(zip({labels}, total))"
        elif self.program.costs is None:
            yield f"return {labels}[total.index(max(total))]"
        else:
            costs = ", ".join(f"({', '.join(map(self.number, row))},)" for row in self.program.costs)
            yield f"expected = [0.0] * {len(self.target.labels)}"
            yield f"for share, costs in zip(total, ({costs},)):"
            yield f"{INDENT}expected = [sum_ + share * cost for sum_, cost in zip(expected, costs)]"
            yield f"return {labels}[expected.index(min(expected))]"

    def _readers(self) -> Iterator[str]:
        kinds = {self.schema.columns[attribute].is_numeric for attribute in self.attributes}
        if True in kinds:
            yield from ("", "", "def _number(value):", f"{INDENT}return nan if value is None else float(value)")
        if False in kinds:
            yield from ("", "", "def _label(value):")
            yield f"{INDENT}if value is None or value != value:"
            yield f"{INDENT * 2}return None"
            yield f"{INDENT}return str(value)"

        if self.program.votes:
            yield from ("", "", "def _vote(total):", f"{INDENT}best, voted = 0.0, 0")
            yield f"{INDENT}for code, share in enumerate(total):"
            yield f"{INDENT * 2}if share - best > {self.tie()}:"
            yield f"{INDENT * 3}best, voted = share, code"
            yield f"{INDENT}return voted"

    def vote(self, line: Line) -> str:
        outer, own = self.total(line.total - 1), self.total(line.total)
        return f"{outer}[_vote({own})] += {self.amount(line, f'{own}[_vote({own})]')}"

    def number(self, number: float) -> str:
        return repr(float(number))

    def string(self, text: str) -> str:
        return ascii(text)

    def is_missing(self, attribute: int) -> str:
        if self.schema.columns[attribute].is_numeric:
            return f"isnan({self.value(attribute)})"
        return f"{self.value(attribute)} is None"

    def is_known(self, attribute: int) -> str:
        if self.schema.columns[attribute].is_numeric:
            return f"not isnan({self.value(attribute)})"
        return f"{self.value(attribute)} is not None"

    def is_among(self, name: str, labels: list[str], *, negated: bool = False) -> str:
        if len(labels) == 1:
            return f"{name} {'!=' if negated else '=='} {self.string(labels[0])}"
        return f"{name} {'not in' if negated else 'in'} {self._tuple(labels)}"

    def _tuple(self, texts: Iterable[str]) -> str:
        strings = [self.string(text) for text in texts]
        return f"({', '.join(strings)}{',' if len(strings) == 1 else ''})"

    def question(self, test: Test) -> str:
        return self.test(test)

    def end(self, indent: str) -> Iterator[str]:
        return iter(())

    def call(self, line: Line) -> str:
        given = f"{self.weight(line.weight)}, {self.total(line.total)}"
        return f"part_{line.part}({given})" if self.adds_up else f"return part_{line.part}()"

    def share(self, line: Line) -> str:
        whole = self.weight(line.weight - 1)
        part = f"{whole} * {self.number(line.share)}"
        return f"{self.weight(line.weight)} = {part} if {self.test(line.test)} else {whole}"

    def answer(self, node: int) -> str:
        if self.schema.is_classification:
            return f"return {self.string(self.target.labels[self.program.label[node]])}"
        return f"return {self.predicted(node)}"

    def either(self, test: str, yes: str, no: str) -> str:
        return f"({yes} if {test} else {no})"

    def add(self, line: Line, outcome: int, said: str) -> str:
        part = self.weight(line.weight) + (f" * {said}" if said else "")
        return f"{self.total(line.total)}[{outcome}] += {part}"

    def open(self, line: Line) -> str:
        return f"{self.total(line.total)} = [0.0] * {len(self.program.prediction[0])}"

    def close(self, line: Line) -> str:
        outer, own = self.total(line.total - 1), self.total(line.total)
        return f"{outer}[:] = [sum_ + part for sum_, part in zip({outer}, {own})]"
