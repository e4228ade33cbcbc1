"""Text files with some of the rows: lines keep their bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from treecli.readers._source import Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Excerpt = Callable[[NDArray[np.int64]], bytes]
    """The file with only these rows, in the given order."""

_MARK = "\ufeff"
"""The byte order mark."""

_LINE_ENDS = "\r\n"
_BLANKS = f" \t{_LINE_ENDS}"


def of_lines(source: Source, encoding: str, n_head: int, first_lines: Sequence[int], *, may_span: bool) -> Excerpt:
    """The excerpts of a file with `n_head` lines before its rows, which start at these lines, counted from 1.

    `may_span`: a row ends before the next one begins, blank lines aside; else it is one line. Other lines between rows
    are left out. Every row ends with a line end, even if it was the last of the file and had none.
    """
    # As `text_of` counts lines: at \n, \r and \r\n, and nowhere else.
    lines = list(io.StringIO(source.data.decode(encoding), newline=""))
    line_end = next((line[len(line.rstrip(_LINE_ENDS)) :] for line in lines if line.endswith(("\n", "\r"))), "\n")
    head = "".join([_ended(line, line_end) for line in lines[:n_head]])
    if not n_head and lines[0].startswith(_MARK):
        head, lines[0] = _MARK, lines[0].removeprefix(_MARK)
    rows = []
    for first, following in zip(first_lines, [*first_lines[1:], len(lines) + 1], strict=True):
        last = following - 1 if may_span else first
        while last > first and not lines[last - 1].strip(_BLANKS):
            last -= 1
        row = lines[first - 1] if last == first else "".join(lines[first - 1 : last])
        rows.append(_ended(row, line_end))

    def excerpt(numbers: NDArray[np.int64]) -> bytes:
        return "".join([head, *map(rows.__getitem__, numbers.tolist())]).encode(encoding)

    return excerpt


def _ended(line: str, end_of_line: str) -> str:
    return line if line.endswith(("\n", "\r")) else line + end_of_line
