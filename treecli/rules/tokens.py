"""Tokens of a rule file, with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, NoReturn

from treecli.errors import ModelError

SIGNS = ("<=", ">=", "!=", "==", "<", ">", "=", "(", ")", "{", "}", ",", ":")

# Blanks and a comment before a token are part of the match: fewer matches are faster. \Z is the end of the file, which
# must match after a comment, or the comment would be read as words.
_TOKEN = re.compile(
    r"""[^\S\n]*(?:\#[^\n]*)?
    (?:(?P<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'(?=[\s(){},:=<>!]|$))
    |(?P<word>[^\s"(){},:=<>!]+)
    |(?P<sign><=|>=|!=|==|[<>=(){},:])
    |(?P<newline>\n)
    |(?P<wrong>.)
    |\Z)""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))")

Kind = Literal["word", "quoted", "sign", "newline", "end"]


class Token(NamedTuple):
    """A token of a rule file; `text` has quotes and escapes removed. Lines and columns start at 1."""

    kind: Kind
    text: str
    line: int
    column: int

    def __str__(self) -> str:
        """Return the token as messages show it."""
        if self.kind in ("newline", "end"):
            return "the end of the line" if self.kind == "newline" else "the end of the file"
        return f"'{self.text}'"


def tokens(text: str, name: str) -> Iterator[Token]:
    """Yield the tokens of a file without comments; `name` is the file's name in messages."""
    line, begin = 1, 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is None:
            break
        start, end = match.span(kind)
        found, column = text[start:end], start - begin + 1
        if kind == "word":
            yield Token("word", found, line, column)
        elif kind == "sign":
            yield Token("sign", "=" if found == "==" else found, line, column)
        elif kind == "quoted":
            yield Token("quoted", _unescaped(found[1:-1], f"{name}:{line}:{column}"), line, column)
        elif kind == "newline":
            yield Token("newline", "", line, column)
            line, begin = line + 1, end
        else:
            _refuse(found, f"{name}:{line}:{column}")
    yield Token("end", "", line, len(text) - begin + 1)


def _refuse(sign: str, place: str) -> NoReturn:
    if sign == '"':
        raise ModelError(f'{place}: found " without a second one on the line, expected a name or label in quotes')
    raise ModelError(f"{place}: found '{sign}', expected != or a name", "names with special signs stand in quotes")


def _unescaped(body: str, place: str) -> str:
    def meaning(match: re.Match[str]) -> str:
        code, sign = match.groups()
        if code is not None and int(code, 16) <= 0x10FFFF:
            return chr(int(code, 16))
        if sign is None or sign not in "\\\"'":
            raise ModelError(
                f"{place}: found the escape '{match.group()}', expected \\\\, \\\" or \\u{{…}}",
                "a backslash itself is written \\\\",
            )
        return sign

    return _ESCAPE.sub(meaning, body) if "\\" in body else body
