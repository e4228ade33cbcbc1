"""The data rows of an ARFF file in every dialect, cell by cell.

Cells stand between commas; in a row without commas between tabs, and in one without either between spaces.
`%` opens a comment at the start of a line and after a space or comma. Backslashes escape inside quotes only.
"""

from __future__ import annotations

import io
import math
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treecli.readers._table import counted, number_of

QUOTED = r"""(?:'(?:[^'\\]|\\\S)*+'|"(?:[^"\\]|\\\S)*+")"""

_ANY_QUOTED = re.compile(QUOTED)
_COMMENT = re.compile(rf"""((?:[^'"%]|{QUOTED}|(?<=[^\s,])%)*+)%""")
_WEIGHT = re.compile(r"(.*\S)\s*,\s*\{([^{}]*)\}")
_SPARSE = re.compile(rf"\{{((?:{QUOTED}|[^{{}}'\"])*+)\}}")
_SPARSE_CELL = re.compile(rf"\s*([0-9]+)\s+({QUOTED}|[^\s,'\"]+)\s*(,\s*|\Z)")
# A bare cell may hold spaces and quotes, but does not begin with a quote.
_CELL_BEFORE_COMMA = re.compile(rf"\s*+({QUOTED}|(?!['\"])[^,{{}}]*?)\s*(,|\Z)")
_CELL_BEFORE_TAB = re.compile(rf"[^\S\t]*+({QUOTED}|(?!['\"])[^\t{{}}]*?)[^\S\t]*(\t|\Z)")
_CELL_BEFORE_SPACE = re.compile(rf"({QUOTED}|(?!['\"])[^\s{{}}]+)(\s+|\Z)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-7]{1,3}|.)")
_ESCAPED = {"\\": "\\", '"': '"', "'": "'", "%": "%", "t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}


# Longer texts are cut in messages.
_MOST_SHOWN = 40


class UnreadableError(Exception):
    """What is wrong with a piece of ARFF, and the cure; `line` counts from where the piece begins."""

    def __init__(self, message: str, hint: str | None = None, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """Rows by column: codes into the different tokens, which are cells as written, quotes and all."""

    codes: list[array[int]]
    tokens: list[dict[str, int]]
    lines: array[int]
    weights: list[float] | None


def unquote(token: str) -> str:
    """The text that a token writes; a bare one writes itself."""
    if not is_quoted(token):
        return token
    return _ESCAPE.sub(_unescape, token[1:-1]) if "\\" in token else token[1:-1]


def is_quoted(token: str) -> bool:
    return token[:1] in {"'", '"'}


def quoted(text: str) -> str:
    """The token that writes a text."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def data_lines(body: bytes) -> Iterator[tuple[int, str]]:
    """The number and the text of every line that holds a row."""
    for number, line in enumerate(io.BytesIO(body), start=1):
        text = line.decode().strip()
        if "%" in text:
            comment = _COMMENT.match(text)
            text = text[: comment.end(1)].rstrip() if comment else text
        if text:
            yield number, text


def token_rows(body: bytes, omitted: Sequence[str | None]) -> Iterator[tuple[int, list[str], float | None]]:
    """The line, the tokens and the weight of every row.

    `omitted` holds the token of each column that a sparse row leaves out, None where it may not.
    """
    for line, text in data_lines(body):
        try:
            row, weight = _split_weight(text)
            tokens = _sparse_tokens(row, omitted) if row.startswith("{") else _dense_tokens(row, len(omitted))
        except UnreadableError as error:
            raise UnreadableError(error.message, error.hint, line) from None
        yield line, tokens, weight


def token_columns(body: bytes, omitted: Sequence[str | None]) -> TokenColumns:
    """All rows by column; raises UnreadableError."""
    codes = [array("i") for _ in omitted]
    tokens: list[dict[str, int]] = [{} for _ in omitted]
    lines = array("q")
    weights: list[float] = []
    has_weights = False
    for line, row, weight in token_rows(body, omitted):
        lines.append(line)
        has_weights = has_weights or weight is not None
        weights.append(1.0 if weight is None else weight)
        for column, code_of, token in zip(codes, tokens, row, strict=True):
            column.append(code_of.setdefault(token, len(code_of)))
    return TokenColumns(codes, tokens, lines, weights if has_weights else None)


def _split_weight(text: str) -> tuple[str, float | None]:
    weighted = _WEIGHT.fullmatch(text) if text.endswith("}") else None
    if weighted is None:
        return text, None
    weight = number_of(weighted[2].strip())
    if weight is None or not 0 <= weight < math.inf:
        raise UnreadableError(f"found the weight '{weighted[2].strip()}', expected a number of 0 or more")
    return weighted[1], weight


def _dense_tokens(row: str, n_columns: int) -> list[str]:
    outside_quotes = _ANY_QUOTED.sub("", row)
    if "," in outside_quotes:
        pattern = _CELL_BEFORE_COMMA
    elif "\t" in outside_quotes:
        pattern = _CELL_BEFORE_TAB
    else:
        pattern = _CELL_BEFORE_SPACE if n_columns > 1 else _CELL_BEFORE_COMMA
    tokens = []
    position = 0
    while True:
        cell = pattern.match(row, position)
        if cell is None:
            raise _unreadable(row, position)
        tokens.append(cell[1])
        position = cell.end()
        if not cell[2]:
            break
    if len(tokens) != n_columns:
        raise UnreadableError(
            f"found {counted(len(tokens), 'value')}, expected {n_columns}, one for each attribute",
            "quote values that hold commas or spaces",
        )
    return tokens


def _sparse_tokens(row: str, omitted: Sequence[str | None]) -> list[str]:
    inside = _SPARSE.fullmatch(row)
    if inside is None:
        raise _unreadable(row, 0)
    given: dict[int, str] = {}
    entries = inside[1].strip()
    position = 0
    while position < len(entries):
        entry = _SPARSE_CELL.match(entries, position)
        if entry is None:
            raise _unreadable(entries, position)
        column = int(entry[1])
        if column >= len(omitted):
            raise UnreadableError(f"found a value for attribute {column}, expected 0 to {len(omitted) - 1}")
        if column in given:
            raise UnreadableError(f"found two values for attribute {column}")
        given[column] = entry[2]
        position = entry.end()
    tokens = []
    for column, default in enumerate(omitted):
        token = given.get(column, default)
        if token is None:
            raise UnreadableError(
                f"found no value for attribute {column}, and a string or date has no value that may be omitted",
                "write the value, or ? if it is missing",
            )
        tokens.append(token)
    return tokens


def _unreadable(row: str, position: int) -> UnreadableError:
    rest = row[position:].strip()
    shown = rest if len(rest) <= _MOST_SHOWN else f"{rest[:_MOST_SHOWN]}…"
    return UnreadableError(
        f"cannot read «{shown}»: an open quote, a brace, or text after a closing quote",
        "quote values that hold such characters, and write \\' for a quote inside",
    )


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code in _ESCAPED:
        return _ESCAPED[code]
    if code[0] == "u" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code.isdigit():
        return chr(int(code, 8))
    raise UnreadableError(f"found the escape \\{code}, which has no meaning", "write \\\\ for a backslash")
