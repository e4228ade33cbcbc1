"""The answers alone."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.worksheets.sheet import Sheet

SUFFIX = ".answers"


def render(sheet: Sheet) -> Iterator[str]:
    """An answer a line."""
    for blank in sheet.blanks():
        yield f"{blank.answer}\n"
