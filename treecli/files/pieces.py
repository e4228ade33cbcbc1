"""A large file that is read in pieces, so that it is never in memory as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from treecli.errors import DataError
from treecli.files import guard

HEAD_BYTES = 1 << 18
"""The bytes at the start of a file from which its format and its columns are found."""

PIECE_BYTES = 1 << 20
"""The bytes of a piece where nothing else decides."""

SPARE_BYTES = 1 << 16
"""How much larger a buffer is than the first piece that it is for: the next one may be longer."""


class LargeFile:
    """A file as it was when it was opened; reading it raises a DataError if it has changed since."""

    def __init__(self, path: str, status: os.stat_result) -> None:
        self.path = path
        self._stamp = _stamp(status)
        # Buffers that are read into again: memory that threads free often stays with the process.
        self._buffers: list[bytearray] = []

    def __len__(self) -> int:
        return self._stamp[0]

    @contextmanager
    def piece(self, start: int, stop: int) -> Iterator[bytearray]:
        """Lend a buffer that begins with the bytes of a range."""
        buffer = self._buffers.pop() if self._buffers else bytearray()
        if len(buffer) < stop - start:
            buffer = bytearray(stop - start + SPARE_BYTES)
        self._fill(memoryview(buffer)[: stop - start], start)
        yield buffer
        self._buffers.append(buffer)

    def head(self) -> bytes:
        """Return the first bytes."""
        head = bytearray(min(HEAD_BYTES, len(self)))
        self._fill(memoryview(head), 0)
        return bytes(head)

    def ends_with_a_line(self) -> bool:
        with self.piece(len(self) - 1, len(self)) as last:
            return last.startswith(b"\n")

    def hash_into(self, hashed: Hash) -> None:
        """Update a hash with all bytes in order."""
        for start in range(0, len(self), PIECE_BYTES):
            stop = min(start + PIECE_BYTES, len(self))
            with self.piece(start, stop) as piece:
                hashed.update(memoryview(piece)[: stop - start])

    def _fill(self, view: memoryview, start: int) -> None:
        try:
            with guard.open_input(self.path) as stream:
                if _stamp(os.fstat(stream.fileno())) == self._stamp:
                    stream.seek(start)
                    if stream.readinto(view) == len(view):  # type: ignore[attr-defined]
                        return
        except OSError as error:
            raise DataError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        raise DataError(f"{guard.name_of(self.path)}: the file has changed while it was read", "read it again")


class Hash(Protocol):
    """A hash of hashlib."""

    def update(self, data: memoryview, /) -> None: ...


def _stamp(status: os.stat_result) -> tuple[int, int, int, int]:
    """The size first, and what changes when a file is replaced or written to."""
    return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino
