"""The formats that rows are written in.

A member is a module with
SUFFIX          the suffix of -o that chooses it
IS_BINARY       True where a terminal cannot show it; may be left out
write(sheet)    the file, piece by piece
Cells keep their text. What is written reads back, by the reader of the same name, as the same values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from treecli.writers._sheet import Sheet


class Writer(Protocol):
    """A member of this family."""

    SUFFIX: str

    def write(self, sheet: Sheet) -> Iterator[bytes]: ...
