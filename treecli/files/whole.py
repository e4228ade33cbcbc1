"""Files that are written whole, or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from treecli.errors import UsageError
from treecli.files import atomic, compression, guard
from treecli.files.guard import STREAM
from treecli.wording import printable_lines


def write_whole(path: str, pieces: Iterable[bytes], *, is_safe: bool = False) -> None:
    """Writes a file that appears under its name only once it is complete; `-` is stdout.

    A file that the running command reads is not overwritten, nor any other under --no-clobber. Devices and pipes
    (/dev/null, a shell's >(…)) are written to as they are, and a link stays a link. On a terminal control characters
    are escaped, unless the text `is_safe`: the control characters in it are our own colours. A suffix such as .gz
    compresses the file.
    """
    if path == STREAM:
        sys.stdout.flush()  # what was printed before comes before
        is_shown = not is_safe and sys.stdout.isatty()
        for piece in pieces:
            sys.stdout.buffer.write(printable_lines(piece.decode()).encode() if is_shown else piece)
        sys.stdout.buffer.flush()
        return
    guard.check_output(path)
    suffix = compression.suffix_of(path)
    if suffix is not None:
        pieces = compression.compressed(pieces, suffix)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A rename would put a file in the place of the device, for everybody if root does it.
            with open(path, "wb") as stream:
                stream.writelines(pieces)
        else:
            atomic.replace(Path(os.path.realpath(path)), pieces, may_overwrite=guard.may_overwrite())
    except BrokenPipeError:
        raise  # the reader of a pipe closed it, which is no error
    except FileExistsError:
        raise guard.exists(path) from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
