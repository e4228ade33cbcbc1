"""The decompressed bytes of a file or of stdin, and their format."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from stat import S_ISREG
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from treecli import plugins
from treecli.errors import DataError, UsageError, nearby_file
from treecli.files import guard, names
from treecli.files.compression import SUFFIXES as COMPRESSIONS
from treecli.files.compression import compression_of, decompressed, without_suffix
from treecli.models import HEAD_BYTES, is_model_text, is_own_json
from treecli.readers._readoptions import ReadOptions as ReadOptions
from treecli.readers._sniff import format_of

if TYPE_CHECKING:
    from treecli.files.pieces import LargeFile

STDIN = "-"
STDIN_NAME = "stdin"

WORTH_A_THREAD = 1 << 20
"""Fewer bytes are hashed faster than a thread starts."""

LARGE = 1 << 24
"""From this number of bytes on, a file of text is read in pieces."""

HEAD_LINES = 64
"""A large file with fewer lines among its first bytes is read as a whole."""


class Hashes(NamedTuple):
    """The SHA-256 of a file's decompressed content, and of the compressed file, None if it is not compressed."""

    content: str
    archive: str | None


class Source:
    """A file's name, its format, its decompressed bytes, and its original bytes.

    `text` are the decompressed bytes, or a large file that is read in pieces until `data` is asked for.
    """

    def __init__(
        self, name: str, format: str, text: bytes | LargeFile, given: bytes | LargeFile, detected: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.format = format
        self.text = text
        self.given = given
        self.detected = detected
        """Notices about decisions made from the content."""

    @property
    def data(self) -> bytes:
        """The decompressed bytes; a large file is then in memory as a whole."""
        if not isinstance(self.text, bytes):
            self.text = self.given = _read_file(self.text.path)
        return self.text

    @property
    def head(self) -> bytes:
        """The first bytes of a large file, all bytes of another."""
        return self.text if isinstance(self.text, bytes) else self.text.head()

    def begin_hashes(self) -> Callable[[], Hashes]:
        """A function that returns the hashes; those of many bytes are computed in the background."""
        from hashlib import sha256

        text, given = self.text, self.given
        content = sha256()
        archive = None if given is text else sha256()
        errors: list[DataError] = []

        def compute() -> None:
            try:
                for hashed, own in ((content, text), (archive, given)):
                    if hashed is not None:
                        if isinstance(own, bytes):
                            hashed.update(own)
                        else:
                            own.hash_into(hashed)
            except DataError as error:
                errors.append(error)

        def hashes() -> Hashes:
            if errors:
                raise errors[0]
            return Hashes(content.hexdigest(), None if archive is None else archive.hexdigest())

        if len(text) < WORTH_A_THREAD:
            compute()
            return hashes
        from threading import Thread

        thread = Thread(target=compute, daemon=True)
        thread.start()

        def hashes_of_thread() -> Hashes:
            thread.join()
            return hashes()

        return hashes_of_thread


def open_source(path: str, options: ReadOptions) -> Source:
    """The bytes of a file; `-` is stdin."""
    given: bytes | LargeFile
    if path == STDIN:
        given = _read_stdin(guard.stdin("data"))
        name, suffix, inner = STDIN_NAME, "", ""
    else:
        given = _large_text(path) or _read_file(path)
        name, suffix = guard.name_of(path), names.suffix_of(path)
        inner = names.suffix_of(without_suffix(path))
    head = given if isinstance(given, bytes) else given.head()
    compression = suffix if suffix in COMPRESSIONS else compression_of(head)
    text = given
    if compression is not None:
        given = given if isinstance(given, bytes) else _read_file(path)
        text = head = decompressed(given, compression, name)
    if is_own_json(head[:HEAD_BYTES]):
        raise _is_a_model(name)
    format_name = options.format or inner.removeprefix(".")
    if format_name in plugins.names("readers"):
        return Source(name, format_name, text, given)
    found = format_of(head, options.encoding)
    if found is None and is_model_text(head[:HEAD_BYTES]):
        raise _is_a_model(name)
    if found is None:
        raise _unknown_format(name, inner)
    return Source(name, found, text, given, (f"{name} is read as {found} (use --from to choose)",))


def refuse_options_of_delimited_text(options: ReadOptions, source: Source) -> None:
    """Raises if options for delimited text were given for another format."""
    given = {
        "--delimiter": options.delimiter is not None,
        "--decimal": options.decimal is not None,
        "--no-header": not options.header,
    }
    for option, is_given in given.items():
        if is_given:
            raise UsageError(f"{source.name}: {option} is for csv and tsv, not for {source.format}")


# Stdin can be read only once, and a command may read the rows after the columns.
@lru_cache(maxsize=1)
def _read_stdin(stream: BinaryIO) -> bytes:
    return stream.read()


def _large_text(path: str) -> LargeFile | None:
    """A large file that begins with lines of text, so that its first bytes tell its format and its columns."""
    try:
        status = os.stat(path)
    except OSError:
        return None  # opening it reports the error
    if not S_ISREG(status.st_mode) or status.st_size < LARGE:
        return None
    from treecli.files.pieces import LargeFile

    file = LargeFile(path, status)
    return None if file.head().count(b"\n") < HEAD_LINES else file


def _read_file(path: str) -> bytes:
    try:
        with guard.open_input(path) as stream:
            return stream.read()
    except FileNotFoundError:
        suffixes = [f".{name}" for name in plugins.names("readers")]
        raise DataError(f"{path}: no such file", nearby_file(path, suffixes)) from None
    except IsADirectoryError:
        raise DataError(f"{path}: is a folder, expected a data file", "name a file in it") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def _is_a_model(name: str) -> DataError:
    return DataError(f"{name}: is a model, expected data", "name a data file; 'treecli info' describes a model")


def _unknown_format(name: str, inner: str) -> DataError | UsageError:
    known = plugins.names("readers")
    hint = f"set the format with --from {'|'.join(known)}"
    if name == STDIN_NAME:
        return UsageError("stdin: the format of the data is not known", hint)
    found = f"the suffix '{inner}'" if inner else "no suffix"
    return DataError(f"{name}: found {found}, expected one of {', '.join(f'.{format}' for format in known)}", hint)
