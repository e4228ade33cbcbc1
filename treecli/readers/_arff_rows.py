"""The data rows of an ARFF file in every dialect, cell by cell.

Cells are separated by commas; in a row without commas by tabs, and in a row without either by blanks. Blanks and tabs
around a row or a cell are ignored, and a line of nothing else is skipped. `%` starts a comment at the start of a line
and after a blank, a tab or a comma. Backslashes are escapes inside quotes only.
"""

from __future__ import annotations

import io
import math
import re
from array import array
from collections.abc import Iterator, Sequence

from treecli.readers._table import BLANKS, number_of
from treecli.records import dataclass
from treecli.wording import counted

QUOTED = r"""(?:'(?:[^'\\]|\\\S)*+'|"(?:[^"\\]|\\\S)*+")"""

_QUOTES = ("'", '"')
_QUOTED = re.compile(QUOTED)
_OPENING_QUOTE = re.compile(r"""(?<![^ \t,])['"]""")
_QUOTE_OR_BRACE = re.compile(r"""['"{}]""")
_COMMENT = re.compile(rf"""((?:[^'"%]|{QUOTED}|(?<=[^ \t,])%)*+)%""")
_SPARSE = re.compile(rf"\{{((?:{QUOTED}|[^{{}}'\"])*+)\}}")
_SPARSE_CELL = re.compile(rf"[ \t]*+([0-9]++)[ \t]++({QUOTED}|[^ \t,'\"]++)[ \t]*+(,[ \t]*+|\Z)")
_BLANKS = re.compile(r"[ \t]*")
_ONLY_BLANKS = re.compile(r" *")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-7]{1,3}|.)")
_ESCAPED = {"\\": "\\", '"': '"', "'": "'", "%": "%", "t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}

# Longer texts are truncated in messages.
_MOST_SHOWN = 40

# A valid column number has fewer digits than this.
_MANY_DIGITS = 10


class UnreadableError(Exception):
    """An error in a piece of ARFF, with a hint; `line` is relative to the start of the piece."""

    def __init__(self, message: str, hint: str | None = None, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """Rows by column: codes into the distinct tokens. A token is a cell as written, including quotes."""

    codes: list[array[int]]
    tokens: list[dict[str, int]]
    lines: array[int]
    weights: list[float] | None


def unquote(token: str) -> str:
    """The text of a token, without quotes and escapes."""
    if not is_quoted(token):
        return token
    if "\\" not in token:
        return token[1:-1]
    text = _ESCAPE.sub(_unescape, token[1:-1])
    try:
        # Two escapes may be the halves of a UTF-16 surrogate pair.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise UnreadableError(f"«{shown(token)}» contains half of a character", "write the character itself") from None
    if "\0" in text:
        raise UnreadableError(f"«{shown(token)}» contains a NUL character", "leave it out")
    return text


def is_quoted(token: str) -> bool:
    return token.startswith(_QUOTES)


def quoted(text: str) -> str:
    """A quoted token for a text."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def shown(text: str) -> str:
    """A text for a message, truncated if it is long."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def data_lines(body: bytes) -> Iterator[tuple[int, str]]:
    """The number and the text of every line with a row."""
    for number, line in enumerate(io.BytesIO(body), start=1):
        text = line.decode().strip(f"{BLANKS}\n")
        if "%" in text:
            comment = _COMMENT.match(text)
            text = text[: comment.end(1)].rstrip(BLANKS) if comment else text
        if text:
            yield number, text


def token_rows(body: bytes, omitted: Sequence[str | None]) -> Iterator[tuple[int, list[str], float | None]]:
    """The line, the tokens and the weight of every row.

    `omitted` has the token of each column that a sparse row leaves out, None if it must not be left out.
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
    brace = text.rfind("{") if text.endswith("}") else -1
    row = text[: max(brace, 0)].rstrip(BLANKS)
    inside = text[brace + 1 : -1].strip(BLANKS)
    if not row.endswith(",") or _QUOTE_OR_BRACE.search(inside):
        return text, None
    weight = number_of(inside)
    if weight is None or not 0 <= weight < math.inf:
        raise UnreadableError(f"found the weight '{shown(inside)}', expected a number of 0 or more")
    return row[:-1].rstrip(BLANKS), weight


def _dense_tokens(row: str, n_columns: int) -> list[str]:
    is_plain = not _QUOTE_OR_BRACE.search(row)
    outside = row if is_plain else _outside_quotes(row)
    delimiter = "," if "," in outside else "\t" if "\t" in outside else " " if n_columns > 1 else ","
    if not is_plain:
        tokens = _split(row, delimiter)
    elif delimiter == " ":
        tokens = [token for token in row.split(" ") if token]
    else:
        tokens = [token.strip(BLANKS) for token in row.split(delimiter)]
    if len(tokens) != n_columns:
        raise UnreadableError(
            f"found {counted(len(tokens), 'value')}, expected {n_columns}, one for each attribute",
            "quote values that contain commas or spaces",
        )
    return tokens


def _outside_quotes(row: str) -> str:
    """The row without its quoted cells, up to an unclosed quote."""
    pieces = []
    position = 0
    while opening := _OPENING_QUOTE.search(row, position):
        quoted_cell = _QUOTED.match(row, opening.start())
        if quoted_cell is None:
            break
        pieces.append(row[position : opening.start()])
        position = quoted_cell.end()
    return "".join([*pieces, row[position:]])


def _split(row: str, delimiter: str) -> list[str]:
    """The tokens of a row; a bare token may contain quotes, but does not start with one."""
    blanks = _BLANKS if delimiter == "," else _ONLY_BLANKS
    tokens = []
    end = -1
    while end < len(row):
        position = end + 1
        start = blanks.match(row, position).end()  # type: ignore[union-attr]
        if row.startswith(_QUOTES, start):
            quoted_cell = _QUOTED.match(row, start)
            if quoted_cell is None:
                raise _unreadable(row, position)
            token, end = quoted_cell[0], quoted_cell.end()
            if delimiter != " ":
                end = blanks.match(row, end).end()  # type: ignore[union-attr]
            if end < len(row) and row[end] != delimiter:
                raise _unreadable(row, position)
        else:
            end = row.find(delimiter, start)
            if end < 0:
                end = len(row)
            token = row[start:end].rstrip(BLANKS)
            if "{" in token or "}" in token:
                raise _unreadable(row, position)
        tokens.append(token)
    return tokens


def _sparse_tokens(row: str, omitted: Sequence[str | None]) -> list[str]:
    inside = _SPARSE.fullmatch(row)
    if inside is None:
        raise _unreadable(row, 0)
    given: dict[int, str] = {}
    entries = inside[1].strip(BLANKS)
    position = 0
    while position < len(entries):
        entry = _SPARSE_CELL.match(entries, position)
        if entry is None:
            raise _unreadable(entries, position)
        # Python limits the number of digits that int() accepts.
        digits = entry[1].lstrip("0") or "0"
        column = int(digits) if len(digits) < _MANY_DIGITS else len(omitted)
        if column >= len(omitted):
            raise UnreadableError(f"found a value for attribute {shown(digits)}, expected 0 to {len(omitted) - 1}")
        if column in given:
            raise UnreadableError(f"found two values for attribute {column}")
        given[column] = entry[2]
        position = entry.end()
    tokens = []
    for column, default in enumerate(omitted):
        token = given.get(column, default)
        if token is None:
            raise UnreadableError(
                f"found no value for attribute {column}, and a string or date has no default to omit",
                "write the value, or ? if it is missing",
            )
        tokens.append(token)
    return tokens


def _unreadable(row: str, position: int) -> UnreadableError:
    return UnreadableError(
        f"cannot read «{shown(row[position:].strip(BLANKS))}»: an open quote, a brace, or text after a closing quote",
        "quote values that contain such characters, and write \\' for a quote inside",
    )


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code in _ESCAPED:
        return _ESCAPED[code]
    if code[0] == "u" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    raise UnreadableError(f"found the escape \\{code}, which has no meaning", "write \\\\ for a backslash")
