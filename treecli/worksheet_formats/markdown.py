"""Markdown with lines to write on."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.worksheet_formats._markdown import body, text
from treecli.worksheets.sheet import Blank, Sheet

SUFFIX = ".md"

LINE = r"\_\_\_\_\_\_\_\_"


def render(sheet: Sheet) -> Iterator[str]:
    """Return a sheet without its answers."""
    yield f"# {text(sheet.title)}\n\nSheet {sheet.number}, name: {LINE}{LINE}{LINE}\n\n"
    yield from body(sheet, _line)


def _line(blank: Blank) -> str:
    choices = "" if blank.is_number else f" ({', '.join(map(text, blank.choices))})"
    return LINE + choices
