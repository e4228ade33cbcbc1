"""A JavaScript file with one function, for Node and for browsers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from treecli.exporters import Options
from treecli.exporters._braces import Braces
from treecli.exporters._code import INDENT, Worded
from treecli.exporters._formula import formula
from treecli.exporters._layout import Line
from treecli.exporters._names import heading
from treecli.model import Model

TITLE = "JavaScript"
SUFFIX = ".js"
OPTIONS = frozenset({"name", "proba"})

_WORDS = """
abstract arguments await boolean break byte case catch char class const continue debugger default delete do double else
enum eval export extends false final finally float for function goto if implements import in instanceof int interface
let long native new null package private protected public return short static super switch synchronized this throw
throws transient true try typeof var void volatile while with yield async of get set undefined NaN Infinity Number
String TypeError RangeError Object module exports require row weight total expected costs cell number_of label_of
part code
vote voted
"""


def export(model: Model, options: Options) -> str:
    """Return the model as a script."""
    return JavaScript(model, options).text()


class JavaScript(Braces, Worded):
    TITLE: ClassVar[str] = TITLE
    RESERVED: ClassVar[Collection[str]] = frozenset(_WORDS.split())
    CONSTANT: ClassVar[str] = "const"

    def text(self) -> str:
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        returned = "the probability of each label" if self.gives_probabilities else "the prediction"
        notes = [
            f"{self.name}(row) returns {returned} for an object with a property for each column; null, undefined and "
            "NaN are missing values."
        ]
        yield from (f"// {line}" for line in heading(self.program, notes))
        yield '"use strict";'
        yield ""
        yield f"function {self.name}(row) {{"
        yield from self._readers()
        for attribute in self.attributes:
            yield from self._reading(attribute)
        yield from (f"{INDENT}{line}" for line in self.refusals('throw new RangeError("a value is missing");'))
        for index, expression in self.derived.items():
            yield f"{INDENT}const {self.variable[index]} = {formula(expression, self)};"
        if self.adds_up:
            yield f"{INDENT}const total = [{', '.join(['0'] * len(self.program.prediction[0]))}];"
        for number, part in enumerate(self.parts[1:], start=1):
            yield f"{INDENT}function part_{number}({'weight, total' if self.adds_up else ''}) {{"
            yield from self.body(part, 2)
            yield f"{INDENT}}}"
        if self.adds_up:
            yield f"{INDENT}const weight = 1;"
        yield from self.body(self.parts[0], 1)
        if self.adds_up:
            yield from (f"{INDENT}{line}" for line in self._result())
        yield "}"
        yield ""
        yield f'if (typeof module !== "undefined") module.exports = {{ {self.name} }};'

    def _readers(self) -> Iterator[str]:
        if self.program.votes:
            yield f"{INDENT}const vote = (total) =>"
            yield f"{INDENT * 2}total.reduce(([best, voted], share, code) =>"
            yield f"{INDENT * 3}share - best > {self.tie()} ? [share, code] : [best, voted], [0, 0])[1];"
        kinds = {self.schema.columns[attribute].is_numeric for attribute in self.attributes}
        if kinds:
            # Every object inherits a "constructor", which is not a column.
            own = "Object.prototype.hasOwnProperty.call(row, name)"
            yield f"{INDENT}const cell = (name) => ({own} ? row[name] : null);"
        if True in kinds:
            yield f"{INDENT}const number_of = (value) => {{"
            yield f"{INDENT * 2}if (value === null || value === undefined) return NaN;"
            # Number("") is 0 and Number("abc") is NaN; neither is intended.
            yield f'{INDENT * 2}if (typeof value !== "number") throw new TypeError("expected a number: " + value);'
            yield f"{INDENT * 2}return value;"
            yield f"{INDENT}}};"
        if False in kinds:
            yield f"{INDENT}const label_of = (value) =>"
            yield f"{INDENT * 2}value === null || value === undefined || value !== value ? null : String(value);"

    def _reading(self, attribute: int) -> Iterator[str]:
        name, described = self.variable[attribute], self.schema.columns[attribute]
        key = self.string(described.name)
        if described.is_numeric:
            yield f"{INDENT}const {name} = number_of(cell({key}));"
            return
        yield f"{INDENT}{'const' if self.program.has_unseen else 'let'} {name} = label_of(cell({key}));"
        if self.program.has_unseen:
            return
        yield f"{INDENT}if ({self.is_among(name, list(described.labels), negated=True)}) {{"
        if attribute in self.program.refused:
            error = f'new RangeError("the model has not seen the label " + {name})'
            yield f"{INDENT * 2}if ({name} !== null) throw {error};"
        yield f"{INDENT * 2}{name} = null;"
        yield f"{INDENT}}}"

    def _result(self) -> Iterator[str]:
        labels = self._array(self.target.labels)
        if not self.schema.is_classification:
            yield f"return {self.divided('total[0]')};"
        elif self.gives_probabilities:
            # Not an object literal, which would lose the label __proto__.
            yield f"return Object.fromEntries({labels}.map((label, code) => [label, {self.divided('total[code]')}]));"
        elif self.program.costs is None:
            yield f"return {labels}[total.indexOf(total.reduce((a, b) => (b > a ? b : a)))];"
        else:
            costs = ", ".join(f"[{', '.join(map(self.number, row))}]" for row in self.program.costs)
            yield f"const costs = [{costs}];"
            yield "const expected = costs.map((_, code) =>"
            yield f"{INDENT}total.reduce((sum, share, other) => sum + share * costs[other][code], 0));"
            yield f"return {labels}[expected.indexOf(expected.reduce((a, b) => (b < a ? b : a)))];"

    def vote(self, line: Line) -> str:
        outer, own = self.total(line.total - 1), self.total(line.total)
        return f"{outer}[vote({own})] += {self.amount(line, f'{own}[vote({own})]')};"

    def number(self, number: float) -> str:
        return repr(float(number))

    def string(self, text: str) -> str:
        units = memoryview(text.encode("utf-16-le")).cast("H")
        # Escape "<" too, so that no label can end a <script>.
        return '"' + "".join(chr(u) if 32 <= u < 127 and u not in b'"\\<' else f"\\u{u:04x}" for u in units) + '"'

    def is_missing(self, attribute: int) -> str:
        name = self.value(attribute)
        return f"Number.isNaN({name})" if self.schema.columns[attribute].is_numeric else f"{name} === null"

    def is_known(self, attribute: int) -> str:
        name = self.value(attribute)
        return f"!Number.isNaN({name})" if self.schema.columns[attribute].is_numeric else f"{name} !== null"

    def is_among(self, name: str, labels: list[str], *, negated: bool = False) -> str:
        if len(labels) == 1:
            return f"{name} {'!==' if negated else '==='} {self.string(labels[0])}"
        return f"{'!' if negated else ''}{self._array(labels)}.includes({name})"

    def _array(self, texts: Collection[str]) -> str:
        return f"[{', '.join(map(self.string, texts))}]"

    def call(self, line: Line) -> str:
        given = f"{self.weight(line.weight)}, {self.total(line.total)}"
        return f"part_{line.part}({given});" if self.adds_up else f"return part_{line.part}();"

    def open(self, line: Line) -> str:
        return f"const {self.total(line.total)} = [{', '.join(['0'] * len(self.program.prediction[0]))}];"

    def close(self, line: Line) -> str:
        outer, own = self.total(line.total - 1), self.total(line.total)
        return f"{own}.forEach((part, code) => {{ {outer}[code] += part; }});"
