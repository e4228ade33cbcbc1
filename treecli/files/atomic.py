"""Atomic writes, and removal of temporary files left by interrupted writers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from typing import BinaryIO

from treecli.files.signals import removed_on_signal

DIGEST_SIGNS = 16
RANDOM_BYTES = 4


def replace(target: str, pieces: Iterable[bytes], *, may_overwrite: bool = True) -> None:
    """Writes a file completely or not at all; FileExistsError if it exists and must not be overwritten."""
    replace_all({target: pieces}, may_overwrite=may_overwrite)


def replace_all(files: Mapping[str, Iterable[bytes]], *, may_overwrite: bool = True) -> None:
    """Writes all files completely or none; FileExistsError if one exists and must not be overwritten.

    The pieces go to temporary files in the same folders, which are locked while their writer runs. An unlocked
    temporary file of the same target was left by a killed writer, and is removed. The files get their names when all
    are complete; if a rename fails, those before it are undone.
    """
    for target in files:
        _remove_leftovers(target)
    written = [_Written(target) for target in files]
    is_done = False

    def remove() -> None:
        for file in written:
            file.clear(is_kept=is_done)

    with removed_on_signal(remove):
        try:
            with ExitStack() as streams:
                for file, pieces in zip(written, files.values(), strict=True):
                    file.fill(streams.enter_context(_created(file.temporary)), pieces)
                for file in written:
                    file.rename(keeps_old=len(written) > 1, may_overwrite=may_overwrite)
                is_done = True
        finally:
            # Leave no partial file, whatever ended the writing, including Ctrl-C.
            remove()


class _Written:
    """A target, the temporary file with its new content, and the old content while the other files are renamed."""

    def __init__(self, target: str) -> None:
        self._target = target
        self.temporary = _temporary_name(target)
        self._old: str | None = None
        self._is_renamed = False

    def fill(self, stream: BinaryIO, pieces: Iterable[bytes]) -> None:
        """Writes the content to the temporary file."""
        for piece in pieces:
            stream.write(piece)
        stream.flush()
        os.fsync(stream.fileno())
        os.chmod(self.temporary, _permissions(self._target))

    def rename(self, *, keeps_old: bool, may_overwrite: bool) -> None:
        """Gives the temporary file its name; `keeps_old` allows to undo that."""
        if not may_overwrite:
            _rename_to_new(self.temporary, self._target)
        else:
            if keeps_old and os.path.exists(self._target):
                self._old = _kept(self._target)
            os.replace(self.temporary, self._target)
        self._is_renamed = True

    def clear(self, *, is_kept: bool) -> None:
        """Removes the temporary files, and restores the old content unless the new one `is_kept`."""
        with suppress(OSError):
            if self._is_renamed and not is_kept:
                os.unlink(self._target) if self._old is None else os.replace(self._old, self._target)
            self._is_renamed = False
        for name in (self.temporary, self._old):
            with suppress(OSError):
                if name is not None:
                    os.unlink(name)


def _kept(target: str) -> str:
    """A second name of a file, or a copy if the file system has no links."""
    name = _temporary_name(target)
    try:
        os.link(target, name)
    except OSError:
        from shutil import copy2

        copy2(target, name)
    return name


def _temporary_name(target: str) -> str:
    return _beside(target, f"{_prefix(target)}{os.urandom(RANDOM_BYTES).hex()}.tmp")


def _beside(target: str, name: str) -> str:
    return os.path.join(os.path.dirname(target), name)


def _prefix(target: str) -> str:
    """The prefix of a target's temporary files, of fixed length because the target's name may have the maximum
    length."""
    from hashlib import sha256  # takes 3 ms, and most commands write no file

    return f".treecli-{sha256(os.fsencode(os.path.basename(target))).hexdigest()[:DIGEST_SIGNS]}-"


def _created(temporary: str) -> BinaryIO:
    """A new file, locked so that other writers do not remove it as a leftover."""
    while True:
        stream = os.fdopen(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        # Another writer may have removed it as a leftover before it was locked: then try again.
        if _lock(stream) is not False and os.path.exists(temporary):
            return stream
        stream.close()
        with suppress(OSError):
            os.unlink(temporary)


def _lock(stream: BinaryIO) -> bool | None:
    """Whether the file could be locked; None if this system has no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove_leftovers(target: str) -> None:
    """Removes temporary files of this target whose writers have died; a running writer holds a lock."""
    own = re.compile(f"{re.escape(_prefix(target))}[0-9a-f]{{{2 * RANDOM_BYTES}}}\\.tmp")
    with suppress(OSError):
        for name in os.listdir(os.path.dirname(target)):
            if own.fullmatch(name):
                _remove_if_dead(_beside(target, name))


def _remove_if_dead(temporary: str) -> None:
    with suppress(OSError), open(temporary, "r+b") as stream:
        # If it is locked, or the name now belongs to another file, a writer is active.
        if _lock(stream) and os.path.samestat(os.fstat(stream.fileno()), os.stat(temporary)):
            os.unlink(temporary)


def _rename_to_new(temporary: str, target: str) -> None:
    """Renames a file to a name that must not exist, atomically."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: reserve the name with an empty file first.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        os.replace(temporary, target)


def _permissions(target: str) -> int:
    """The permissions of the file that is replaced, or the default ones for a new file."""
    if os.path.exists(target):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
