"""A C file with one function, which needs nothing but the standard library of C99."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import reduce
from math import copysign
from typing import ClassVar

from treecli.errors import UsageError
from treecli.exporters import Options
from treecli.exporters._braces import Braces
from treecli.exporters._code import INDENT, Coded
from treecli.exporters._formula import formula
from treecli.exporters._layout import Line, Word
from treecli.exporters._names import heading
from treecli.model import Model

TITLE = "C"
OPTIONS = frozenset({"name", "proba"})

_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof bool
true false nullptr alignas alignof constexpr thread_local static_assert typeof_unqual class new delete this template
namespace operator private protected public try catch throw using virtual friend explicit mutable export and or not xor
bitand bitor compl and_eq or_eq not_eq xor_eq linux unix i386 isnan isinf isfinite isnormal signbit fpclassify isgreater
isless isunordered islessgreater math_errhandling errno stdin stdout stderr offsetof complex assert main strcmp row v
weight total code_of add times one product values probabilities expected best code other
vote voted
"""


def export(model: Model, options: Options) -> str:
    """Return the model as a translation unit."""
    return C(model, options).text()


class C(Braces, Coded):
    """Struct fields are lower case, so that none collides with a macro of a header."""

    TITLE: ClassVar[str] = TITLE
    RESERVED: ClassVar[Collection[str]] = frozenset(_WORDS.split())
    CONSTANT: ClassVar[str] = "const double"
    TRUE = "1"
    NAN = "NAN"

    def __init__(self, model: Model, options: Options) -> None:
        super().__init__(model, options)
        self.uses_struct = len(self.parts) > 1
        self._calls_add = self._calls_times = False
        self._used: set[int] = set()
        """Attributes used in a test that a row can reach; the others occur only at unreachable nodes."""

    @staticmethod
    def plain(name: str) -> str:
        return name.lower()

    def value(self, attribute: int) -> str:
        self._used.add(attribute)
        return f"v->{self.variable[attribute]}" if self.uses_struct else self.variable[attribute]

    def text(self) -> str:
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield from (f"// {line}" for line in heading(self.program, self._notes()))
        yield "#include <math.h>"
        yield "#include <stddef.h>"
        yield "#include <string.h>"
        yield ""
        functions = list(self._functions())  # before the constants: this sets _calls_add
        yield from self._struct()
        yield from self._constants()
        if self.uses_struct:
            yield "typedef struct {"
            for attribute in (*self.attributes, *self.derived):
                kind = "double" if self.schema.columns[attribute].is_numeric else "int"
                yield f"{INDENT}{kind} {self.variable[attribute]};"
            yield "} values;"
            yield ""
        if self.program.votes:
            yield from self._voting()
        yield from functions

    def _functions(self) -> Iterator[str]:
        # Callees first: a function is only called by functions with lower numbers.
        for number in reversed(range(1, len(self.parts))):
            parameters = "const values *v" + (", double weight, double *total" if self.adds_up else "")
            yield f"static {'void ' if self.adds_up else self._returned()}part_{number}({parameters}) {{"
            if all(line.word == Word.LEAF for line in self.parts[number]):
                yield f"{INDENT}(void)v;"
            yield from self.body(self.parts[number], 1)
            yield "}"
            yield ""
        yield from self._function()

    def _returned(self) -> str:
        return "const char *" if self.schema.is_classification else "double "

    def _notes(self) -> Iterator[str]:
        if self.gives_probabilities:
            yield f"{self.name}(&row, probabilities) fills in the probability of each label and returns 0."
        else:
            yield f"{self.name}(&row) returns the prediction."
        kinds = {self.schema.columns[attribute].is_numeric for attribute in self.attributes}
        missing = " and ".join(text for kind, text in ((True, "NAN"), (False, "NULL")) if kind in kinds)
        if missing:
            yield f"{missing} stand for missing values. Texts are UTF-8."
        if self.program.refused:
            yield f"Where the model has not seen a label, {self._failed()}."
        if self.program.refused_missing:
            yield f"Where a value is missing, {self._failed()}."
        if self.gives_probabilities:
            yield f"The labels are, in order: {', '.join(self.target.labels)}."

    def _failed(self) -> str:
        return f"{self._failure().split()[1].rstrip(';')} is returned"

    def _struct(self) -> Iterator[str]:
        yield "typedef struct {"
        for attribute in self.attributes:
            kind = "double " if self.schema.columns[attribute].is_numeric else "const char *"
            yield f"{INDENT}{kind}{self.variable[attribute]};"
        if not self.attributes:
            yield f"{INDENT}char nothing_is_asked;"
        yield f"}} {self.name}_row;"
        yield ""

    def _voting(self) -> Iterator[str]:
        """Yield the function that finds the class of a vote."""
        yield "static int vote(const double *total) {"
        yield f"{INDENT}double best = 0.0;"
        yield f"{INDENT}int voted = 0;"
        yield f"{INDENT}for (int code = 0; code < {len(self.program.prediction[0])}; code++)"
        yield f"{INDENT * 2}if (total[code] - best > {self.tie()}) {{"
        yield f"{INDENT * 3}best = total[code];"
        yield f"{INDENT * 3}voted = code;"
        yield f"{INDENT * 2}}}"
        yield f"{INDENT}return voted;"
        yield "}"
        yield ""

    def _constants(self) -> Iterator[str]:
        coded = [index for index in self.attributes if not self.schema.columns[index].is_numeric]
        for attribute in coded:
            labels = self.schema.columns[attribute].labels
            strings = ", ".join(map(self.string, labels)) or "NULL"
            yield f"static const char *const {self.variable[attribute]}_labels[] = {{{strings}}};"
        if coded:
            yield ""
            yield "static int code_of(const char *label, const char *const *labels, int n_labels, int other) {"
            yield f"{INDENT}if (label == NULL) return -1;"
            yield f"{INDENT}for (int code = 0; code < n_labels; code++)"
            yield f"{INDENT * 2}if (strcmp(label, labels[code]) == 0) return code;"
            yield f"{INDENT}return other;"
            yield "}"
            yield ""
        if self._calls_times:
            yield "static double times(double one, double other) {"
            yield f"{INDENT}volatile double product = one * other; // not fused with a sum: that rounds otherwise"
            yield f"{INDENT}return product;"
            yield "}"
            yield ""
        if self._calls_add:
            yield "static void add(double *total, double weight, double said) {"
            yield f"{INDENT}volatile double part = weight * said; // not fused with the sum: that rounds otherwise"
            yield f"{INDENT}*total += part;"
            yield "}"
            yield ""

    def _function(self) -> Iterator[str]:
        n_said = len(self.program.prediction[0])
        row = f"const {self.name}_row *row"
        if self.gives_probabilities:
            yield f"int {self.name}({row}, double probabilities[{n_said}]) {{"
        else:
            yield f"{self._returned()}{self.name}({row}) {{"
        body = list(self.body(self.parts[0], 1))
        derived = list(self._derived_lines())
        if not self.attributes:
            yield f"{INDENT}(void)row;"
        for attribute in self.attributes:
            yield f"{INDENT}{self._declared(attribute)}{self._reading(attribute)};"
            is_checked = attribute in self.program.refused or attribute in self.program.refused_missing
            if not (self.uses_struct or attribute in self._used or is_checked):
                yield f"{INDENT}(void){self.variable[attribute]};"
        # Derived values are computed before they can be read from the struct.
        yield from derived
        if self.uses_struct:
            names = ", ".join(self.variable[attribute] for attribute in (*self.attributes, *self.derived))
            yield f"{INDENT}const values all = {{{names}}}, *v = &all;"
        for attribute in self.program.refused:
            yield f"{INDENT}if ({self.value(attribute)} == -2) {self._failure()}"
        yield from (f"{INDENT}{line}" for line in self.refusals(self._failure()))
        if self.adds_up:
            yield f"{INDENT}const double weight = 1.0;"
            yield f"{INDENT}double total[{n_said}] = {{0}};"
        yield from body
        if self.adds_up:
            yield from (f"{INDENT}{line}" for line in self._result(n_said))
        yield "}"

    def _derived_lines(self) -> Iterator[str]:
        uses_struct, self.uses_struct = self.uses_struct, False
        for index, expression in self.derived.items():
            name = self.variable[index]
            is_used = uses_struct or index in self._used
            yield f"{INDENT}const double {name} = {formula(expression, self)};"
            if not is_used:
                yield f"{INDENT}(void){name};"
        self.uses_struct = uses_struct

    def product(self, factors: list[str]) -> str:
        self._calls_times = True
        return reduce(lambda before, factor: f"times({before}, {factor})", factors)

    def _failure(self) -> str:
        """Return the statement that returns the error value."""
        if not self.schema.is_classification:
            return "return NAN;"
        return "return -1;" if self.gives_probabilities else "return NULL;"

    def _declared(self, attribute: int) -> str:
        kind = "double" if self.schema.columns[attribute].is_numeric else "int"
        return f"const {kind} {self.variable[attribute]} = "

    def _reading(self, attribute: int) -> str:
        name, described = self.variable[attribute], self.schema.columns[attribute]
        if described.is_numeric:
            return f"row->{name}"
        other = -2 if self.program.has_unseen or attribute in self.program.refused else -1
        return f"code_of(row->{name}, {name}_labels, {len(described.labels)}, {other})"

    def _result(self, n_said: int) -> Iterator[str]:
        if self.gives_probabilities:
            if self.program.divisor == 1:
                yield "memcpy(probabilities, total, sizeof total);"
            else:
                share = self.divided("total[code]")
                yield f"for (int code = 0; code < {n_said}; code++) probabilities[code] = {share};"
            yield "return 0;"
            return
        if not self.schema.is_classification:
            yield f"return {self.divided('total[0]')};"
            return
        yield f"static const char *const labels[] = {{{', '.join(map(self.string, self.target.labels))}}};"
        yield "int best = 0;"
        if self.program.costs is None:
            yield f"for (int code = 1; code < {n_said}; code++)"
            yield f"{INDENT}if (total[code] > total[best]) best = code;"
        else:
            costs = ", ".join(f"{{{', '.join(map(self.number, row))}}}" for row in self.program.costs)
            self._calls_add = True
            yield f"static const double costs[{n_said}][{n_said}] = {{{costs}}};"
            yield f"double expected[{n_said}] = {{0}};"
            yield f"for (int other = 0; other < {n_said}; other++)"
            yield f"{INDENT}for (int code = 0; code < {n_said}; code++)"
            yield f"{INDENT * 2}add(&expected[code], total[other], costs[other][code]);"
            yield f"for (int code = 1; code < {n_said}; code++)"
            yield f"{INDENT}if (expected[code] < expected[best]) best = code;"
        yield "return labels[best];"

    def number(self, number: float) -> str:
        text = repr(float(number))
        return text if copysign(1.0, number) > 0 else f"({text})"

    def string(self, text: str) -> str:
        data = text.encode()
        if 0 in data:
            raise UsageError(f"the label {text!r} holds a NUL, which ends a text in C", "rename the label")
        # Octal escapes have at most three digits; "?" could start a trigraph.
        return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data) + '"'

    def is_missing(self, attribute: int) -> str:
        name = self.value(attribute)
        return f"isnan({name})" if self.schema.columns[attribute].is_numeric else f"{name} == -1"

    def is_known(self, attribute: int) -> str:
        name = self.value(attribute)
        return f"!isnan({name})" if self.schema.columns[attribute].is_numeric else f"{name} != -1"

    def call(self, line: Line) -> str:
        given = f"{self.weight(line.weight)}, {self.total(line.total)}"
        return f"part_{line.part}(v, {given});" if self.adds_up else f"return part_{line.part}(v);"

    def add(self, line: Line, outcome: int, said: str) -> str:
        total, weight = self.total(line.total), self.weight(line.weight)
        if not said:
            return f"{total}[{outcome}] += {weight};"
        self._calls_add = True
        return f"add(&{total}[{outcome}], {weight}, {said});"

    def vote(self, line: Line) -> str:
        outer, own = self.total(line.total - 1), self.total(line.total)
        return f"{outer}[vote({own})] += {self.amount(line, f'{own}[vote({own})]')};"

    def open(self, line: Line) -> str:
        return f"double {self.total(line.total)}[{len(self.program.prediction[0])}] = {{0}};"

    def close(self, line: Line) -> str:
        outer, own = self.total(line.total - 1), self.total(line.total)
        return f"for (int code = 0; code < {len(self.program.prediction[0])}; code++) {outer}[code] += {own}[code];"
