"""The whole sheet with its answers, tolerances and mistakes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from treecli.worksheets.sheet import Blank, LookUp, Paragraph, Part, Sheet, Table, told_apart

SUFFIX = ".json"

SCHEMA_VERSION = 1


def render(sheet: Sheet) -> Iterator[str]:
    """Return one object with the sections in order."""
    found = {
        "schema_version": SCHEMA_VERSION,
        "sheet": sheet.number,
        "title": sheet.title,
        "sections": [
            {"heading": section.heading, "parts": [_part(part) for part in section.parts]} for section in sheet.sections
        ],
    }
    yield json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _part(part: Part) -> dict[str, Any]:
    match part:
        case Paragraph():
            return {"kind": "text", "text": part.text}
        case Table():
            return {"kind": "table", "columns": part.columns, "rows": part.rows}
        case LookUp():
            entries = {
                head if isinstance(head, str) else f"{head.numerator}/{head.denominator}": float(number)
                for head, number in part.entries
            }
            return {"kind": "look-up", "note": part.note, "entries": entries}
    return _blank(part)


def _blank(blank: Blank) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": "blank", "blank": blank.key, "name": blank.name_text, "points": blank.points}
    if not blank.is_number:
        return found | {"answer": blank.answer, "choices": blank.choices}
    wrong = [{"answer": number, "note": note} for number, note in told_apart(blank)]
    return found | {"answer": blank.number, "low": blank.low, "high": blank.high, "mistakes": wrong}
