"""Output formats of a trace.

Each module has `render(trace, is_whole)`, which yields the text in pieces; HAS_WHOLE, whether `--standalone` makes a
document of its own; and SUFFIX, by which `-o` selects the format.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from treecli.teaching.trace import Trace


class TraceFormat(Protocol):
    """A member of this family."""

    SUFFIX: str
    HAS_WHOLE: bool

    def render(self, trace: Trace, *, is_whole: bool) -> Iterator[str]: ...
