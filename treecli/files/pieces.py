"""A large file that is read in pieces, so that it is never in memory as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator

from treecli.errors import DataError
from treecli.files import guard

HEAD_BYTES = 1 << 18
"""The bytes at the start of a file from which its format and its columns are found."""

PIECE_BYTES = 1 << 20
"""The bytes of a piece where nothing else decides."""


class LargeFile:
    """A file as it was when it was opened; reading it raises a DataError if it has changed since."""

    def __init__(self, path: str, status: os.stat_result) -> None:
        self.path = path
        self._stamp = _stamp(status)

    def __len__(self) -> int:
        return self._stamp[0]

    def piece(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range."""
        try:
            with guard.open_input(self.path) as stream:
                if _stamp(os.fstat(stream.fileno())) == self._stamp:
                    found = os.pread(stream.fileno(), stop - start, start)
                    if len(found) == stop - start:
                        return found
        except OSError as error:
            raise DataError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        raise DataError(f"{guard.name_of(self.path)}: the file has changed while it was read", "read it again")

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes in order."""
        for start in range(0, len(self), PIECE_BYTES):
            yield self.piece(start, min(start + PIECE_BYTES, len(self)))

    def head(self) -> bytes:
        """Return the first bytes."""
        return self.piece(0, min(HEAD_BYTES, len(self)))


def _stamp(status: os.stat_result) -> tuple[int, int, int, int]:
    """The size first, and what changes when a file is replaced or written to."""
    return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino
