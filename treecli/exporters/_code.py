"""Base classes for programming languages: functions that test variables, one variable per attribute."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from math import inf
from typing import ClassVar

from treecli.exporters import Options
from treecli.exporters._formula import formula
from treecli.exporters._layout import Layout, Line, Word
from treecli.exporters._names import checked_name, comment_text, identifiers
from treecli.expressions import Holds
from treecli.model import Model
from treecli.models import program_of
from treecli.predict.program import Program, Test
from treecli.values import Condition, Interval, Labels, condition_of

INDENT = "    "


class Code(ABC):
    """A model as source text."""

    TITLE: ClassVar[str]
    RESERVED: ClassVar[Collection[str]]
    DEFAULT_NAME: ClassVar[str] = "predict"
    AND: ClassVar[str] = "&&"
    OR: ClassVar[str] = "||"
    COMMENT: ClassVar[str] = "//"
    ELSE_IF: ClassVar[str] = "else if"
    OPENING: ClassVar[str] = " {"
    TRUE: ClassVar[str] = "true"
    NAN: ClassVar[str] = "NaN"
    is_ascii: ClassVar[bool] = False

    def __init__(self, model: Model, options: Options) -> None:
        self.program: Program = program_of(model, refuses_missing=options.refuses_missing)
        self.schema = self.program.schema
        self.target = self.schema.target
        self.name = checked_name(options.name or self.DEFAULT_NAME, self.RESERVED, self.TITLE)
        self.gives_probabilities = options.proba
        layout = Layout(self.program, adds_up=options.proba)
        self.adds_up = layout.adds_up
        self.parts = layout.parts()
        self.attributes = self.program.attributes
        self.derived = self.program.derived
        self.variable = self.variables(self.program, self.name)

    @abstractmethod
    def text(self) -> str:
        """Return the artefact."""

    @abstractmethod
    def number(self, number: float) -> str:
        """Return a literal that parses to exactly the same finite number."""

    @abstractmethod
    def string(self, text: str) -> str: ...

    @abstractmethod
    def is_missing(self, attribute: int) -> str: ...

    @abstractmethod
    def is_known(self, attribute: int) -> str: ...

    @abstractmethod
    def is_label(self, values: Labels) -> str:
        """Return a test that a variable holds one of the labels, or is missing or unseen if `values` includes that."""

    @abstractmethod
    def call(self, line: Line) -> str:
        """Return the statement that continues in another function."""

    @abstractmethod
    def share(self, line: Line) -> str:
        """Return the statement that computes a weight from the previous one."""

    @abstractmethod
    def answer(self, node: int) -> str:
        """Return the statement that returns a node's prediction."""

    @abstractmethod
    def add(self, line: Line, outcome: int, said: str) -> str:
        """Return the statement that adds a leaf's weighted prediction for one outcome to the total.

        `said` is the prediction as text, empty if it is 1.
        """

    @abstractmethod
    def open(self, line: Line) -> str:
        """Return the statement that declares a total of zeros."""

    @abstractmethod
    def close(self, line: Line) -> str:
        """Return the statement that adds a total to the enclosing one."""

    @abstractmethod
    def vote(self, line: Line) -> str:
        """Return the statement that adds a vote to the enclosing total, for the largest entry of a total."""

    def amount(self, line: Line, largest: str) -> str:
        """Return what a vote adds: its weight, or the largest entry of the total, given as an expression."""
        is_by_share = next(iter(self.program.votes.values())).by_share
        return largest if is_by_share else self.number(line.share)

    def tie(self) -> str:
        """Return the difference that does not decide between classes in a vote."""
        return self.number(next(iter(self.program.votes.values())).tie)

    def divided(self, total: str) -> str:
        """Return an expression divided by the program's divisor."""
        return total if self.program.divisor == 1 else f"{total} / {self.number(self.program.divisor)}"

    @classmethod
    def variables(cls, program: Program, function: str) -> dict[int, str]:
        """Return the variable name of each attribute that the program tests."""
        columns = [*program.attributes, *program.derived]
        names = [cls.plain(program.schema.columns[index].name) for index in program.attributes]
        names += [f"derived_{number}" for number in range(1, len(program.derived) + 1)]
        return dict(zip(columns, identifiers(names, {*cls.RESERVED, function}), strict=True))

    @staticmethod
    def plain(name: str) -> str:
        """Convert an attribute's name to the language's convention for variables."""
        return name

    def value(self, attribute: int) -> str:
        """Return the expression that reads an attribute."""
        return self.variable[attribute]

    def predicted(self, node: int) -> str:
        """Return the number that a node predicts, as an expression of the language."""
        own = self.program.expressions.get(node)
        if own is None:
            return self.number(self.program.prediction[node][0])
        return formula(own, self)

    @abstractmethod
    def either(self, test: str, yes: str, no: str) -> str:
        """Return an expression in parentheses: one of two, by a test."""

    def product(self, factors: list[str]) -> str:
        """Return the product of factors, from left to right."""
        return " * ".join(factors)

    def total_of(self, terms: list[str]) -> str:
        """Return the sum of terms, from left to right."""
        return " + ".join(terms)

    def read(self, attribute: int, instead: float | None) -> str:
        """Return the value of a numeric attribute, or another number where it is missing."""
        if instead is None:
            return self.value(attribute)
        return self.either(self.is_missing(attribute), self.number(instead), self.value(attribute))

    def indicator(self, holds: Holds) -> str:
        """Return 1 or 0: whether an attribute has one of some values."""
        described = self.schema.columns[holds.attribute]
        lost = Interval.none(holds.attribute, missing=True)
        unknown: Condition = lost if described.is_numeric else Labels(holds.attribute, 0, missing=True, unseen=True)
        known = self.either(self.values(condition_of(holds)), self.number(1.0), self.number(0.0))
        instead = self.NAN if holds.instead is None else self.number(holds.instead)
        return self.either(self.values(unknown), instead, known)

    def refusals(self, statement: str) -> Iterator[str]:
        """Yield a line for each attribute whose missing values are errors."""
        for attribute in self.program.refused_missing:
            yield f"if ({self.is_missing(attribute)}) {statement}"

    def weight(self, number: int) -> str:
        return f"weight_{number}" if number else "weight"

    def total(self, number: int) -> str:
        return f"total_{number}" if number else "total"

    def question(self, test: Test) -> str:
        """Return a test in the form that follows `if`."""
        return f"({self.test(test)})"

    def test(self, test: Test) -> str:
        """Return a test as an expression."""
        members = [self._all(member) for member in test]
        if len(members) > 1:
            members = [f"({member})" if f" {self.AND} " in member else member for member in members]
        return f" {self.OR} ".join(members)

    def _all(self, member: tuple[Condition, ...]) -> str:
        texts = [self.values(values) for values in member]
        if len(texts) > 1:
            texts = [f"({text})" if f" {self.OR} " in text else text for text in texts]
        return f" {self.AND} ".join(texts) or self.TRUE

    def values(self, values: Condition) -> str:
        """Return a test that a variable holds one of these values."""
        if isinstance(values, Labels):
            return self.is_label(values)
        name = self.value(values.attribute)
        if not values.takes_known:
            return self.is_missing(values.attribute)
        bounds = []
        if values.low > -inf:
            bounds.append(f"{name} > {self.number(values.low)}")
        if values.high < inf:
            bounds.append(f"{name} <= {self.number(values.high)}")
        text = f" {self.AND} ".join(bounds) or self.is_known(values.attribute)
        if not values.missing:
            return text
        if not bounds:
            return self.TRUE
        return f"{f'({text})' if len(bounds) > 1 else text} {self.OR} {self.is_missing(values.attribute)}"

    def comment(self, node: int) -> str:
        """Return the comment on a node's training cases."""
        program = self.program
        text = program.cases[node]
        if self.adds_up and self.schema.is_classification:
            text = f"{self.target.labels[program.label[node]]}: {text}"
        return f"  {self.COMMENT} {comment_text(text, ascii_only=self.is_ascii)}"

    def body(self, lines: list[Line], level: int) -> Iterator[str]:
        """Yield the indented lines of a function."""
        statements = {
            Word.SHARE: self.share,
            Word.CALL: self.call,
            Word.OPEN: self.open,
            Word.CLOSE: self.close,
            Word.VOTE: self.vote,
        }
        for line in lines:
            indent = INDENT * (level + line.level)
            match line.word:
                case Word.IF:
                    yield f"{indent}if {self.question(line.test)}{self.OPENING}"
                case Word.ELIF:
                    yield f"{indent}{self.ELSE_IF} {self.question(line.test)}{self.OPENING}"
                case Word.ELSE:
                    yield f"{indent}else{self.OPENING}"
                case Word.END:
                    yield from self.end(indent)
                case Word.LEAF if self.adds_up:
                    yield from (f"{indent}{text}" for text in self._additions(line))
                case Word.LEAF:
                    yield f"{indent}{self.answer(line.node)}{self.comment(line.node)}"
                case word:
                    yield f"{indent}{statements[word](line)}"

    def end(self, indent: str) -> Iterator[str]:
        yield f"{indent}}}"

    def _additions(self, line: Line) -> Iterator[str]:
        if line.node in self.program.expressions:
            yield self.add(line, 0, f"({self.predicted(line.node)})") + self.comment(line.node)
            return
        said = self.program.prediction[line.node]
        # Skip zeros, but keep one statement: a predicted number may be 0, and a branch must not be empty.
        outcomes = [outcome for outcome, part in enumerate(said) if part != 0] or [0]
        for place, outcome in enumerate(outcomes):
            statement = self.add(line, outcome, "" if said[outcome] == 1 else self.number(said[outcome]))
            yield statement if place else statement + self.comment(line.node)


class Worded(Code):
    """A language whose variables hold labels as strings, which is the most readable form."""

    @abstractmethod
    def is_among(self, name: str, labels: list[str], *, negated: bool = False) -> str:
        """Return a test that a variable is, or is not, one of the labels."""

    def is_label(self, values: Labels) -> str:
        attribute, codes = values.attribute, values.codes
        name, labels = self.value(attribute), self.schema.columns[attribute].labels
        chosen = set(codes)
        own = [labels[code] for code in codes]
        others = [label for code, label in enumerate(labels) if code not in chosen]
        # If unseen labels count as missing, the variables have already been set to missing.
        takes_unseen = values.unseen if self.program.has_unseen else values.missing
        if takes_unseen and (self.program.has_unseen or len(others) < len(own)):
            if not others:
                return self.TRUE if values.missing else self.is_known(attribute)
            text = self.is_among(name, others, negated=True)
            return text if values.missing else f"{self.is_known(attribute)} {self.AND} {text}"
        if not own:
            return self.is_missing(attribute)
        if not others and not self.program.has_unseen:
            return self.is_known(attribute)
        text = self.is_among(name, own)
        return f"{text} {self.OR} {self.is_missing(attribute)}" if values.missing else text


MISSING_CODE = -1
UNSEEN_CODE = -2
"""Codes for values without a label, where variables hold codes."""

_LONGEST_LABEL = 30


class Coded(Code):
    """A language whose variables hold label codes, because comparing strings is slow or verbose."""

    def is_label(self, values: Labels) -> str:
        labels = self.schema.columns[values.attribute].labels
        lowest = UNSEEN_CODE if self.program.has_unseen else MISSING_CODE
        codes = set(values.codes)
        if values.missing:
            codes.add(MISSING_CODE)
        if values.unseen and self.program.has_unseen:
            codes.add(UNSEEN_CODE)
        name = self.value(values.attribute)
        texts = [self._is_within(name, *run, lowest, labels) for run in _runs(sorted(codes))]
        if len(texts) > 1:
            texts = [f"({text})" if self.AND in text else text for text in texts]
        return f" {self.OR} ".join(texts)

    def _is_within(self, name: str, first: int, last: int, lowest: int, labels: tuple[str, ...]) -> str:
        if first == last:
            return f"{name} == {self._code(first, labels)}"
        bounds = []
        if first > lowest:
            bounds.append(f"{name} >= {self._code(first, labels)}")
        if last < len(labels) - 1:
            bounds.append(f"{name} <= {self._code(last, labels)}")
        return f" {self.AND} ".join(bounds) or self.TRUE

    def _code(self, code: int, labels: tuple[str, ...]) -> str:
        wording = {MISSING_CODE: "missing", UNSEEN_CODE: "unseen"}.get(code) or labels[code][:_LONGEST_LABEL]
        return f"{code} /* {comment_text(wording, ascii_only=self.is_ascii)} */"


def _runs(codes: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last code of each run of consecutive codes."""
    first = None
    for place, code in enumerate(codes):
        if first is None:
            first = code
        if place + 1 == len(codes) or codes[place + 1] != code + 1:
            yield first, code
            first = None
