"""A Java class with one static method, which needs nothing but Java 8."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import ClassVar

from treecli.errors import UsageError
from treecli.exporters import Options
from treecli.exporters._braces import Braces
from treecli.exporters._code import INDENT, Coded
from treecli.exporters._formula import formula
from treecli.exporters._layout import Line
from treecli.exporters._names import comment_text, heading, is_free_name
from treecli.files.forms import stem_of
from treecli.model import Model

TITLE = "Java"
SUFFIX = ".java"
OPTIONS = frozenset({"name", "proba"})

METHOD = "predict"

MOST_LABELS = 5000
"""Labels per column: javac initializes them in one method, which is limited to 64 kB."""

_WORDS = """
abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for goto if implements import instanceof int interface long native new package private protected public
return short static strictfp super switch synchronized this throw throws transient try void volatile while true false
null var yield record sealed permits non _ row v weight total expected best code other labels String Double Map Object
Number LinkedHashMap IllegalArgumentException Values predict number code_of java
vote voted
"""


def export(model: Model, options: Options) -> str:
    """Return the model as a class."""
    return Java(model, options).text()


def name_for_file(path: str) -> str:
    """Return the class name for a file: javac requires a public class to have the name of its file."""
    stem = stem_of(path)
    if is_free_name(stem, Java.RESERVED):
        return stem
    words = re.split(r"[\W_]+", stem, flags=re.ASCII)
    fitting = "".join(word[:1].upper() + word[1:] for word in words) or "Predict"
    if not is_free_name(fitting, Java.RESERVED):
        fitting = f"Model{fitting}"
    raise UsageError(
        f"{path}: a Java class has the name of its file, and '{stem}' cannot be the name of a class",
        f"name the file {fitting}{SUFFIX}; --name {fitting} names the class alone",
    )


class Java(Braces, Coded):
    TITLE: ClassVar[str] = TITLE
    RESERVED: ClassVar[Collection[str]] = frozenset(_WORDS.split())
    CONSTANT: ClassVar[str] = "final double"
    DEFAULT_NAME = "Predict"
    is_ascii = True
    NAN = "Double.NaN"

    def __init__(self, model: Model, options: Options) -> None:
        super().__init__(model, options)
        self.uses_object = len(self.parts) > 1
        for attribute in self.attributes:
            described = self.schema.columns[attribute]
            if len(described.labels) > MOST_LABELS:
                raise UsageError(
                    f"'{described.name}' has {len(described.labels)} labels, and a Java class takes {MOST_LABELS}",
                    "use another --to, or train without the column (-x)",
                )

    def value(self, attribute: int) -> str:
        return f"v.{self.variable[attribute]}" if self.uses_object else self.variable[attribute]

    def text(self) -> str:
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        returned = "the probability of each label" if self.gives_probabilities else "the prediction"
        notes = [
            f"{self.name}.{METHOD}(row) returns {returned} for a map from columns to values; null, NaN and an absent "
            "key are missing values."
        ]
        yield from (f"// {comment_text(line, ascii_only=True)}" for line in heading(self.program, notes))
        yield "import java.util.LinkedHashMap;" if self.gives_probabilities else ""
        yield "import java.util.Map;"
        yield ""
        yield f"public final class {self.name} {{"
        yield f"{INDENT}private {self.name}() {{ }}"
        yield ""
        for attribute in self.attributes:
            if not self.schema.columns[attribute].is_numeric:
                labels = self._array(self.schema.columns[attribute].labels)
                yield f"{INDENT}private static final String[] {self.variable[attribute]}_labels = {labels};"
        yield from self._method()
        yield from self._parts()
        yield from self._readers()
        yield "}"

    def _returned(self) -> str:
        return "String" if self.schema.is_classification else "double"

    def _method(self) -> Iterator[str]:
        returned = "Map<String, Double>" if self.gives_probabilities else self._returned()
        yield ""
        yield f"{INDENT}public static {returned} {METHOD}(Map<String, ?> row) {{"
        if self.uses_object:
            yield f"{INDENT * 2}final Values v = new Values();"
        for attribute in self.attributes:
            kind = "double" if self.schema.columns[attribute].is_numeric else "int"
            declared = "" if self.uses_object else f"final {kind} "
            yield f"{INDENT * 2}{declared}{self.value(attribute)} = {self._reading(attribute)};"
        for attribute in self.program.refused:
            error = 'new IllegalArgumentException("a label that the model has not seen")'
            yield f"{INDENT * 2}if ({self.value(attribute)} == -2) throw {error};"
        refusals = self.refusals('throw new IllegalArgumentException("a value is missing");')
        yield from (f"{INDENT * 2}{line}" for line in refusals)
        for index, expression in self.derived.items():
            declared = "" if self.uses_object else "final double "
            yield f"{INDENT * 2}{declared}{self.value(index)} = {formula(expression, self)};"
        if self.adds_up:
            yield f"{INDENT * 2}final double[] total = new double[{len(self.program.prediction[0])}];"
            yield f"{INDENT * 2}final double weight = 1.0;"
        yield from self.body(self.parts[0], 2)
        if self.adds_up:
            yield from (f"{INDENT * 2}{line}" for line in self._result())
        yield f"{INDENT}}}"

    def _reading(self, attribute: int) -> str:
        described = self.schema.columns[attribute]
        key = self.string(described.name)
        if described.is_numeric:
            return f"number(row.get({key}))"
        other = -2 if self.program.has_unseen or attribute in self.program.refused else -1
        return f"code_of(row.get({key}), {self.variable[attribute]}_labels, {other})"

    def _parts(self) -> Iterator[str]:
        """Yield the other functions, each in its own class, because a class is limited to 65,535 constants."""
        if not self.uses_object:
            return
        yield ""
        yield f"{INDENT}private static final class Values {{"
        for attribute in (*self.attributes, *self.derived):
            kind = "double" if self.schema.columns[attribute].is_numeric else "int"
            yield f"{INDENT * 2}{kind} {self.variable[attribute]};"
        yield f"{INDENT}}}"
        parameters = "Values v" + (", double weight, double[] total" if self.adds_up else "")
        for number in range(1, len(self.parts)):
            yield ""
            yield f"{INDENT}private static final class Part_{number} {{"
            yield f"{INDENT * 2}static {'void' if self.adds_up else self._returned()} part_{number}({parameters}) {{"
            yield from self.body(self.parts[number], 3)
            yield f"{INDENT * 2}}}"
            yield f"{INDENT}}}"

    def _readers(self) -> Iterator[str]:
        kinds = {self.schema.columns[attribute].is_numeric for attribute in self.attributes}
        if True in kinds:
            yield ""
            yield f"{INDENT}private static double number(Object value) {{"
            yield f"{INDENT * 2}return value == null ? Double.NaN : ((Number) value).doubleValue();"
            yield f"{INDENT}}}"
        if False in kinds:
            yield ""
            yield f"{INDENT}private static int code_of(Object value, String[] labels, int other) {{"
            yield f"{INDENT * 2}if (value == null || value instanceof Double && ((Double) value).isNaN()) return -1;"
            yield f"{INDENT * 2}final String label = value.toString();"
            yield f"{INDENT * 2}for (int code = 0; code < labels.length; code++) {{"
            yield f"{INDENT * 3}if (labels[code].equals(label)) return code;"
            yield f"{INDENT * 2}}}"
            yield f"{INDENT * 2}return other;"
            yield f"{INDENT}}}"

        if self.program.votes:
            yield ""
            yield f"{INDENT}private static int vote(double[] total) {{"
            yield f"{INDENT * 2}double best = 0.0;"
            yield f"{INDENT * 2}int voted = 0;"
            yield f"{INDENT * 2}for (int code = 0; code < total.length; code++) {{"
            yield f"{INDENT * 3}if (total[code] - best > {self.tie()}) {{"
            yield f"{INDENT * 4}best = total[code];"
            yield f"{INDENT * 4}voted = code;"
            yield f"{INDENT * 3}}}"
            yield f"{INDENT * 2}}}"
            yield f"{INDENT * 2}return voted;"
            yield f"{INDENT}}}"

    def _result(self) -> Iterator[str]:
        if not self.schema.is_classification:
            yield f"return {self.divided('total[0]')};"
            return
        yield f"final String[] labels = {self._array(self.target.labels)};"
        if self.gives_probabilities:
            yield "final Map<String, Double> probabilities = new LinkedHashMap<>();"
            share = self.divided("total[code]")
            yield f"for (int code = 0; code < labels.length; code++) probabilities.put(labels[code], {share});"
            yield "return probabilities;"
            return
        yield "int best = 0;"
        if self.program.costs is None:
            yield "for (int code = 1; code < labels.length; code++) {"
            yield f"{INDENT}if (total[code] > total[best]) best = code;"
            yield "}"
        else:
            costs = ", ".join(f"{{{', '.join(map(self.number, row))}}}" for row in self.program.costs)
            yield f"final double[][] costs = {{{costs}}};"
            yield "final double[] expected = new double[labels.length];"
            yield "for (int other = 0; other < labels.length; other++) {"
            yield f"{INDENT}for (int code = 0; code < labels.length; code++) {{"
            yield f"{INDENT * 2}expected[code] += total[other] * costs[other][code];"
            yield f"{INDENT}}}"
            yield "}"
            yield "for (int code = 1; code < labels.length; code++) {"
            yield f"{INDENT}if (expected[code] < expected[best]) best = code;"
            yield "}"
        yield "return labels[best];"

    def vote(self, line: Line) -> str:
        outer, own = self.total(line.total - 1), self.total(line.total)
        return f"{outer}[vote({own})] += {self.amount(line, f'{own}[vote({own})]')};"

    def _array(self, texts: Collection[str]) -> str:
        return f"{{{', '.join(map(self.string, texts))}}}"

    def number(self, number: float) -> str:
        return repr(float(number))

    def string(self, text: str) -> str:
        units = memoryview(text.encode("utf-16-le")).cast("H")
        return '"' + "".join(map(_letter, units)) + '"'

    def is_missing(self, attribute: int) -> str:
        name = self.value(attribute)
        return f"Double.isNaN({name})" if self.schema.columns[attribute].is_numeric else f"{name} == -1"

    def is_known(self, attribute: int) -> str:
        name = self.value(attribute)
        return f"!Double.isNaN({name})" if self.schema.columns[attribute].is_numeric else f"{name} != -1"

    def call(self, line: Line) -> str:
        function = f"Part_{line.part}.part_{line.part}"
        given = f"{self.weight(line.weight)}, {self.total(line.total)}"
        return f"{function}(v, {given});" if self.adds_up else f"return {function}(v);"

    def open(self, line: Line) -> str:
        return f"final double[] {self.total(line.total)} = new double[{len(self.program.prediction[0])}];"

    def close(self, line: Line) -> str:
        outer, own = self.total(line.total - 1), self.total(line.total)
        return f"for (int code = 0; code < {len(self.program.prediction[0])}; code++) {outer}[code] += {own}[code];"


def _letter(unit: int) -> str:
    """Return one UTF-16 unit as it is written in a string literal.

    Control characters are octal escapes: javac expands Unicode escapes before it parses strings, so an escaped line
    break would end the line.
    """
    if unit < 32:
        return f"\\{unit:03o}"
    return chr(unit) if unit < 127 and unit not in b'"\\' else f"\\{unit:03o}" if unit < 127 else f"\\u{unit:04x}"
