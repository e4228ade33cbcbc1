"""JSON lines: one object per row; numbers are numbers, missing values are null."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from treecli.writers._numbers import number_cells
from treecli.writers._sheet import Sheet

SUFFIX = ".jsonl"

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def write(sheet: Sheet) -> Iterator[bytes]:
    """One line per row; a number keeps its text if that is valid JSON."""
    names = [json.dumps(name, ensure_ascii=False) for name in sheet.names]
    is_number = [field.kind == "numeric" for field in sheet.fields]
    missing = zip(*(field.missing().tolist() for field in sheet.fields), strict=True)
    for cells, absent in zip(number_cells(sheet), missing, strict=True):
        values = (
            "null" if is_absent else _number(cell) if number else json.dumps(cell, ensure_ascii=False)
            for cell, is_absent, number in zip(cells, absent, is_number, strict=True)
        )
        pairs = (f"{name}: {value}" for name, value in zip(names, values, strict=True))
        yield f"{{{', '.join(pairs)}}}\n".encode()


def _number(text: str) -> str:
    """The number in JSON; infinite numbers, which JSON lacks, as strings."""
    if _NUMBER.fullmatch(text):
        return text
    shortest = repr(float(text))
    return shortest if _NUMBER.fullmatch(shortest) else json.dumps(text)
