"""Files that are read or written whole, or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from treecli.errors import ModelError, UsageError, did_you_mean
from treecli.model import Model, decode, encode

HEAD_BYTES = 4096

STREAM = "-"
"""The name of stdin or stdout on the command line."""


def read_model(path: str) -> Model:
    """The model in a file, or on stdin."""
    if path == STREAM:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("'-' reads a model from stdin, but there is nothing to read there")
        return decode(_json_text(sys.stdin.buffer, "stdin"), "stdin")
    try:
        with Path(path).open("rb") as stream:
            text = _json_text(stream, path)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}", _nearby(path) if not Path(path).exists() else None) from error
    return decode(text, path)


def _json_text(stream: BinaryIO, name: str) -> bytes:
    """All that a stream holds, unless its beginning shows already that it cannot be a model, however long it is."""
    head = stream.read(HEAD_BYTES)
    if not head.lstrip().startswith(b"{"):
        found = "is no JSON object" if head.strip() else "is empty"
        raise ModelError(f"{name}: {found}, expected a model", "models are written by 'treecli train'")
    return head + stream.read()


def write_model(path: str, model: Model) -> None:
    """Writes a model to a file, or to stdout."""
    write_whole(path, encode(model))


def write_whole(path: str, pieces: Iterable[bytes]) -> None:
    """Writes a file that appears under its name only once it is complete; `-` is stdout.

    Devices and pipes (/dev/null, a shell's >(…)) are written to as they are, and a link stays a link.
    """
    if path == STREAM:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise UsageError(f"{path}: is a folder, expected a file's name")
    if os.path.exists(path) and not os.path.isfile(path):
        # A rename would put a file in the place of the device, for everybody if root does it.
        _write_into(path, pieces)
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            for piece in pieces:
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _permissions(target))
        os.replace(temporary, target)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        # Whatever ended the writing, Ctrl-C too, nothing half-written stays.
        Path(temporary).unlink(missing_ok=True)


def _write_into(path: str, pieces: Iterable[bytes]) -> None:
    try:
        with open(path, "wb") as stream:
            stream.writelines(pieces)
    except BrokenPipeError:
        raise  # whoever reads has had enough, which is no error
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


def _permissions(target: Path) -> int:
    """Those of the file that is replaced, else those that a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _nearby(path: str) -> str | None:
    folder = Path(path).parent
    return did_you_mean(Path(path).name, os.listdir(folder)) if folder.is_dir() else None
