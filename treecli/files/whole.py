"""Writing of complete files to a path or to stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping

from treecli.errors import UsageError
from treecli.files import atomic, compression, guard
from treecli.files.guard import STREAM
from treecli.wording import printable_lines


def write_whole(path: str, pieces: Iterable[bytes], *, is_safe: bool = False) -> None:
    """Writes a file that appears under its name only when complete; `-` is stdout.

    A file that the running command reads is not overwritten, nor any file under --no-clobber. Devices and pipes
    (/dev/null, a shell's >(…)) are written to directly, and symbolic links are kept. On a terminal control characters
    are escaped, unless the text `is_safe`: its control characters are our own colours. A suffix such as .gz compresses
    the file.
    """
    if path == STREAM:
        sys.stdout.flush()  # earlier output comes first
        is_shown = not is_safe and sys.stdout.isatty()
        for piece in pieces:
            sys.stdout.buffer.write(printable_lines(piece.decode()).encode() if is_shown else piece)
        sys.stdout.buffer.flush()
        return
    guard.check_output(path)
    pieces = _as_named(path, pieces)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A rename would replace the device by a file, for all users if root does it.
            with open(path, "wb") as stream:
                stream.writelines(pieces)
        else:
            atomic.replace(os.path.realpath(path), pieces, may_overwrite=guard.may_overwrite())
    except BrokenPipeError:
        raise  # the reader closed the pipe, which is not an error
    except FileExistsError:
        raise guard.exists(path) from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


def write_all(files: Mapping[str, Iterable[bytes]]) -> None:
    """Writes all files or none; devices and pipes are written to directly, after the files."""
    for path in files:
        guard.check_output(path)
    named = {path: _as_named(path, pieces) for path, pieces in files.items()}
    devices = [path for path in named if os.path.exists(path) and not os.path.isfile(path)]
    path = ""
    try:
        targets = {os.path.realpath(path): pieces for path, pieces in named.items() if path not in devices}
        atomic.replace_all(targets, may_overwrite=guard.may_overwrite())
        for path in devices:
            with open(path, "wb") as stream:
                stream.writelines(named[path])
    except BrokenPipeError:
        raise  # the reader closed the pipe, which is not an error
    except FileExistsError as error:
        raise guard.exists(error.filename2 or error.filename) from None
    except OSError as error:
        place = error.filename2 or error.filename or path or ", ".join(files)
        raise UsageError(f"{place}: cannot be written: {error.strerror}") from error


def _as_named(path: str, pieces: Iterable[bytes]) -> Iterable[bytes]:
    """The pieces, compressed if the suffix of the path asks for it."""
    suffix = compression.suffix_of(path)
    return pieces if suffix is None else compression.compressed(pieces, suffix)
