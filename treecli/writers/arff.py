"""ARFF, Weka's format; columns declared in an ARFF file keep their declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from treecli.wording import number_text
from treecli.writers._numbers import number_cells
from treecli.writers._sheet import RECORD, Field, Sheet

SUFFIX = ".arff"

MISSING = "?"

_LINES_AT_ONCE = 1000

# Letters, digits and characters without a meaning in ARFF need no quotes.
_BARE = re.compile(r"[\w.+\-/:;<=>()\[\]*&^#$!~|]+")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def write(sheet: Sheet) -> Iterator[bytes]:
    """The declarations and the dense rows; row weights follow in braces."""
    if sheet.description.record is not None:
        yield f"% {RECORD}: {sheet.description.record}\n".encode()
    yield f"@relation {token(sheet.description.title)}\n\n".encode()
    for field in sheet.fields:
        yield f"@attribute {token(field.name)} {field.native_in('arff') or type_of(field)}\n".encode()
    yield b"\n@data\n"
    missing = zip(*(field.missing().tolist() for field in sheet.fields), strict=True)
    is_number = [field.kind == "numeric" for field in sheet.fields]
    given = sheet.description.weights
    weights = (f", {{{number_text(weight)}}}" for weight in ([] if given is None else given.tolist()))
    lines = []
    for cells, absent in zip(number_cells(sheet), missing, strict=True):
        tokens = (
            MISSING if is_absent else cell if number else token(cell)
            for cell, is_absent, number in zip(cells, absent, is_number, strict=True)
        )
        lines.append(f"{','.join(tokens)}{next(weights, '')}\n")
        if len(lines) == _LINES_AT_ONCE:
            yield "".join(lines).encode()
            lines.clear()
    yield "".join(lines).encode()


def token(text: str) -> str:
    """The text as a name, a label or a cell: bare if unambiguous, else quoted."""
    if _BARE.fullmatch(text):
        return text
    return "'" + "".join(_ESCAPES.get(c) or (c if c.isprintable() or c == " " else _code(c)) for c in text) + "'"


def _code(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else character


def type_of(field: Field) -> str:
    """The type of a field in a declaration."""
    if field.kind == "numeric":
        return "numeric"
    return "string" if field.is_free or not field.labels else f"{{{','.join(map(token, field.labels))}}}"
