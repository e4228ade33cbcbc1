"""Output formats for rows.

A member is a module with
SUFFIX          the suffix of -o that selects it
IS_BINARY       True if a terminal cannot show it; optional
write(sheet)    the file, piece by piece
Cells keep their text. The reader of the same name reads back the same values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from treecli.writers._sheet import Sheet


class Writer(Protocol):
    """A member of this family."""

    SUFFIX: str

    def write(self, sheet: Sheet) -> Iterator[bytes]: ...
