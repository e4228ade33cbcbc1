"""The words and signs of a rule file, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, NoReturn

from treecli.errors import ModelError

SIGNS = ("<=", ">=", "!=", "==", "<", ">", "=", "(", ")", "{", "}", ",", ":")

# Blanks and a comment before a token are part of the match: fewer matches are faster. \Z is the end of the file, which
# must match after a comment, or its text would be taken for words.
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
    """A piece of a rule file; `text` is what it means, so without quotes and escapes. Lines and columns begin at 1."""

    kind: Kind
    text: str
    line: int
    column: int

    def __str__(self) -> str:
        """The token as a message names it."""
        if self.kind in ("newline", "end"):
            return "the end of the line" if self.kind == "newline" else "the end of the file"
        return f"'{self.text}'"


def tokens(text: str, name: str) -> Iterator[Token]:
    """The tokens of a file, with comments left out; `name` is what messages call the file."""
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
