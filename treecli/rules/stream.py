"""The tokens of a rule file, one ahead, with what parsers of all statements need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from sys import float_info
from typing import NoReturn

from treecli.errors import ModelError
from treecli.rules.tokens import Token, tokens
from treecli.wording import RESERVED

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def refuse(name: str, token: Token, expected: str, hint: str | None = None) -> NoReturn:
    """Raise a ModelError at a token, with what was expected in its place."""
    raise ModelError(f"{name}:{token.line}:{token.column}: found {token}, expected {expected}", hint)


def number_of(token: Token) -> float | None:
    """Return the finite number that a token denotes, or None."""
    return number_in(token.text) if token.kind == "word" else None


def number_in(text: str) -> float | None:
    """Return the finite number that a text denotes, or None."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if abs(number) <= float_info.max else None


class Stream:
    """The tokens of a file; `name` is the file's name in messages."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._tokens: Iterator[Token] = tokens(text, name)
        self._next = next(self._tokens)
        self._words: list[Token] = []
        """The words of the most recent value."""

    def _value(self, expected: str) -> Token:
        """Parse a name, label or number: one quoted token, or words up to the next keyword or sign."""
        token = following = self._next
        if token.kind == "quoted":
            return self._take()
        words = []
        while following.kind == "word" and following.text.casefold() not in RESERVED:
            words.append(following)
            following = next(self._tokens)
        self._next = following
        if not words:
            hint = "a name or label with such a word stands in quotes" if token.kind == "word" else None
            self._refuse(expected, hint)
        self._words = words
        return token if len(words) == 1 else Token("word", " ".join(w.text for w in words), token.line, token.column)

    def _braced(self, between: str) -> tuple[Token, ...]:
        """Parse labels in braces."""
        self._sign("{")
        labels = [self._value("a label")] if not self._is_sign("}") else []
        while not self._is_sign("}"):
            self._sign(between, f"{between} or }}")
            labels.append(self._value("a label"))
        self._take()
        return tuple(labels)

    def _pairs(self, expected: str) -> tuple[tuple[Token, Token], ...]:
        """Parse names with values, in braces."""
        self._sign("{")
        pairs: list[tuple[Token, Token]] = []
        while not self._is_sign("}"):
            if pairs:
                self._sign(",", ", or }")
            key = self._value("a name")
            self._sign(":")
            pairs.append((key, self._value(expected)))
        self._take()
        return tuple(pairs)

    def _take(self) -> Token:
        token = self._next
        self._next = next(self._tokens, token)  # the end token stays
        return token

    def _sign(self, text: str, expected: str | None = None) -> None:
        if not self._is_sign(text):
            self._refuse(expected or text)
        self._take()

    def _is_sign(self, text: str) -> bool:
        return self._next.kind == "sign" and self._next.text == text

    def _is_word(self, text: str) -> bool:
        return self._next.kind == "word" and self._next.text.casefold() == text

    def _skip_newlines(self) -> None:
        while self._next.kind == "newline":
            self._take()

    def _refuse(self, expected: str, hint: str | None = None) -> NoReturn:
        refuse(self._name, self._next, expected, hint)
