"""All input files are opened here, so that a command never overwrites a file that it reads."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import BinaryIO

from treecli.errors import UsageError
from treecli.files import compression
from treecli.wording import printable

STREAM = "-"
"""The name of stdin or stdout on the command line."""


class _Guard:
    """The files that the running command reads, by device and inode, and whether it may overwrite other files."""

    def __init__(self) -> None:
        # Not a dataclass: `--help` needs no other.
        self.inputs: dict[tuple[int, int], str] = {}
        self.may_overwrite = True


_guard: _Guard | None = None
"""None outside a command: nothing is guarded."""


@contextmanager
def guarded() -> Iterator[None]:
    """Guards the files that are read inside the block, which is one command."""
    global _guard
    before, _guard = _guard, _Guard()
    try:
        yield
    finally:
        _guard = before


@contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """A file opened for reading, which this command then refuses to overwrite; a pipe can be opened again."""
    if is_pipe(path):
        yield BytesIO(_read_pipe(path))
        return
    with open(path, "rb") as stream:
        _note(os.fstat(stream.fileno()), path)
        yield stream


def is_pipe(path: str) -> bool:
    """Whether the path names a pipe, such as the shell's <(…)."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False  # opening it reports the error


# A pipe can be read only once, but a command may look at its first bytes, or read the rows after the columns.
@cache
def _read_pipe(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


def stdin(purpose: str) -> BinaryIO:
    """The bytes of stdin; UsageError if it is closed or a terminal."""
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError(f"stdin: is closed, expected {purpose}", "name a file")
    if sys.stdin.isatty():
        raise UsageError(f"stdin: is a terminal, expected {purpose}", "name a file, or use a pipe")
    status = _status_of(sys.stdin)
    if status is not None:
        _note(status, "stdin")
    return sys.stdin.buffer


def will_read(path: str) -> None:
    """Registers a file that the command will read, if it exists."""
    try:
        status = _status_of(sys.stdin) if path == STREAM else os.stat(path)
    except OSError:
        return  # opening it later reports the error
    if status is not None:
        _note(status, "stdin" if path == STREAM else path)


def refuse_to_overwrite() -> None:
    """Forbids the command to overwrite any file."""
    if _guard is not None:
        _guard.may_overwrite = False


def may_overwrite() -> bool:
    """Whether the command may replace an existing file."""
    return _guard is None or _guard.may_overwrite


def check_output(path: str, option: str = "-o") -> None:
    """Raises a UsageError if this file cannot or must not be written; called before anything is written."""
    if path == STREAM:
        return
    if not path:
        raise UsageError(f"{option}: found an empty name, expected a file's name", "- is stdout")
    suffix = compression.suffix_of(path)
    if suffix is not None:
        compression.compressor_for(suffix)  # raises if a package is missing
    status = _status(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        return  # a device or a pipe: nothing is replaced
    _check_folder(path)
    if status is None:
        return
    if _guard is not None and (status.st_dev, status.st_ino) in _guard.inputs:
        raise UsageError(f"{path}: is read by this command and would be overwritten", f"give {option} another name")
    if not may_overwrite():
        raise exists(path)


def _status(path: str) -> os.stat_result | None:
    """The status of a file that is to be written, None if there is none yet; raises a UsageError for a folder."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    if stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{path}: is a folder, expected a file's name")
    return status


def _check_folder(path: str) -> None:
    """Raises a UsageError if files cannot be written in the folder of this file."""
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise UsageError(f"{path}: cannot be written: No such file or directory", "make the folder first")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{path}: cannot be written: Permission denied")


def exists(path: str) -> UsageError:
    """The error for --no-clobber."""
    return UsageError(f"{path}: exists and is not overwritten", "give -o another name, or leave --no-clobber out")


def name_of(path: str) -> str:
    """The base name of a path, as shown in models and pictures."""
    return as_text(os.path.basename(path))


def as_text(path: str) -> str:
    """A path that can be encoded as UTF-8; other bytes are escaped."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return printable(path)
    return path


def _note(status: os.stat_result, name: str) -> None:
    if _guard is None or not stat.S_ISREG(status.st_mode):
        return
    key = status.st_dev, status.st_ino
    _guard.inputs[key] = name
    out = _status_of(sys.stdout)
    if out is not None and (out.st_dev, out.st_ino) == key:
        raise UsageError(f"stdout: is the file {name}, which this command reads", "redirect stdout to another file")


def _status_of(stream: object) -> os.stat_result | None:
    """The status of a stream's file, None if it has no descriptor."""
    try:
        return os.fstat(stream.fileno())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return None
