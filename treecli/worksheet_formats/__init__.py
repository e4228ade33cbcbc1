"""Output formats of worksheets.

Each module has `render(sheet)`, which yields the text of one sheet in pieces, and SUFFIX, with which its files end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from treecli.worksheets.sheet import Sheet


class WorksheetFormat(Protocol):
    """A member of this family."""

    SUFFIX: str

    def render(self, sheet: Sheet) -> Iterator[str]: ...
