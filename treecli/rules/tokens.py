"""The words and signs of a rule file, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NoReturn

from treecli.errors import ModelError

SIGNS = ("<=", ">=", "!=", "==", "<", ">", "=", "(", ")", "{", "}", ",", ":")

_TOKEN = re.compile(
    r"""(?P<space>[^\S\n]+|\#[^\n]*)
    |(?P<newline>\n)
    |(?P<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'(?=[\s(){},:=<>!]|$))
    |(?P<sign><=|>=|!=|==|[<>=(){},:])
    |(?P<word>[^\s"(){},:=<>!]+)
    |(?P<wrong>.)""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))")

Kind = Literal["word", "quoted", "sign", "newline", "end"]


@dataclass(frozen=True, slots=True)
class Token:
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
        if kind == "space":
            continue
        found, column = match.group(), match.start() - begin + 1
        if kind == "newline":
            yield Token("newline", "", line, column)
            line, begin = line + 1, match.end()
        elif kind == "quoted":
            yield Token("quoted", _unescaped(found[1:-1], f"{name}:{line}:{column}"), line, column)
        elif kind == "word":
            yield Token("word", found, line, column)
        elif kind == "sign":
            yield Token("sign", "=" if found == "==" else found, line, column)
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
