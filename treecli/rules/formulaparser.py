"""Parser for the formulas of rules: a number plus weighted attributes and indicators of labels."""

from __future__ import annotations

from typing import NamedTuple

from treecli.rules.stream import Stream, number_of, refuse
from treecli.rules.tokens import Token
from treecli.wording import RESERVED

PLUS, MINUS, TIMES = "+", "-", "*"
OPERATORS = frozenset([PLUS, MINUS, TIMES])


class Term(NamedTuple):
    """A number, or a number times an attribute, or times whether the attribute has one of some labels."""

    factor: float
    place: Token
    """Where the term begins."""

    name: Token | None = None
    labels: tuple[Token, ...] = ()


class FormulaParser(Stream):
    """Parses `= 3.2 + 0.5 * x - 0.3 * (c in {a, b})`."""

    def _formula(self) -> tuple[Term, ...]:
        """Parse a formula from its = sign; + - * are operators where they stand alone."""
        self._sign("=")
        terms = [self._term(self._is_operator(MINUS) and bool(self._take()))]
        while self._is_operator(PLUS) or self._is_operator(MINUS):
            terms.append(self._term(self._take().text == MINUS))
        return tuple(terms)

    def _term(self, is_negative: bool) -> Term:
        sign, place = -1.0 if is_negative else 1.0, self._next
        number = number_of(place)
        if number is None and place.kind == "word" and place.text[0] == MINUS and place.text != MINUS:
            self._next = place._replace(text=place.text[1:], column=place.column + 1)  # -x
            return self._term(not is_negative)
        if number is None:
            return Term(sign, place, *self._input())
        self._take()
        if not self._is_operator(TIMES):
            return Term(sign * number, place)
        self._take()
        return Term(sign * number, place, *self._input())

    def _input(self) -> tuple[Token, tuple[Token, ...]]:
        """Parse an attribute, or a question about its labels in parentheses."""
        if not self._is_sign("("):
            return self._input_name(), ()
        self._take()
        name = self._value("an attribute")
        if self._is_sign("="):
            self._take()
            labels: tuple[Token, ...] = (self._value("a label"),)
        elif self._is_word("in"):
            self._take()
            labels = self._braced(",")
        else:
            self._refuse("= or in")
        if not labels:
            refuse(self._name, name, "labels in the braces after it")
        self._sign(")")
        return name, labels

    def _input_name(self) -> Token:
        """Parse a name: one quoted token, or words up to the next operator, keyword or sign."""
        token = self._next
        if token.kind == "quoted":
            return self._take()
        words = []
        while (
            self._next.kind == "word"
            and self._next.text not in OPERATORS
            and self._next.text.casefold() not in RESERVED
        ):
            words.append(self._take().text)
        if not words:
            hint = "a name with such a word stands in quotes" if token.kind == "word" else None
            self._refuse("a number or an attribute", hint)
        return token if len(words) == 1 else Token("word", " ".join(words), token.line, token.column)

    def _is_operator(self, text: str) -> bool:
        return self._next.kind == "word" and self._next.text == text
