"""The decompressed bytes of a file or of stdin, and their format."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from stat import S_ISFIFO
from typing import BinaryIO, NamedTuple

from treecli import plugins
from treecli.errors import DataError, UsageError, nearby_file
from treecli.files import guard, names
from treecli.files.compression import SUFFIXES as COMPRESSIONS
from treecli.files.compression import compression_of, decompressed, without_suffix
from treecli.models import HEAD_BYTES, is_model_text, is_own_json
from treecli.readers._readoptions import ReadOptions as ReadOptions
from treecli.readers._sniff import format_of

STDIN = "-"
STDIN_NAME = "stdin"

WORTH_A_THREAD = 1 << 20
"""Fewer bytes are hashed faster than a thread starts."""


class Hashes(NamedTuple):
    """The SHA-256 of a file's decompressed content, and of the compressed file, None if it is not compressed."""

    content: str
    archive: str | None


class Source(NamedTuple):
    """A file's name, its format, its decompressed bytes, and its original bytes."""

    name: str
    format: str
    data: bytes
    given: bytes
    detected: tuple[str, ...] = ()
    """Notices about decisions made from the content."""

    def begin_hashes(self) -> Callable[[], Hashes]:
        """A function that returns the hashes; those of many bytes are computed in the background."""
        from hashlib import sha256

        content = sha256()
        archive = None if self.given is self.data else sha256()

        def compute() -> None:
            content.update(self.data)
            if archive is not None:
                archive.update(self.given)

        def hashes() -> Hashes:
            return Hashes(content.hexdigest(), None if archive is None else archive.hexdigest())

        if len(self.data) < WORTH_A_THREAD:
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
    if path == STDIN:
        given = _read_stdin(guard.stdin("data"))
        name, suffix, inner = STDIN_NAME, "", ""
    else:
        given = _read_pipe(path) if _is_pipe(path) else _read_file(path)
        name, suffix = guard.name_of(path), names.suffix_of(path)
        inner = names.suffix_of(without_suffix(path))
    compression = suffix if suffix in COMPRESSIONS else compression_of(given)
    data = given if compression is None else decompressed(given, compression, name)
    if is_own_json(data[:HEAD_BYTES]):
        raise _is_a_model(name)
    format_name = options.format or inner.removeprefix(".")
    if format_name in plugins.names("readers"):
        return Source(name, format_name, data, given)
    found = format_of(data, options.encoding)
    if found is None and is_model_text(data[:HEAD_BYTES]):
        raise _is_a_model(name)
    if found is None:
        raise _unknown_format(name, inner)
    return Source(name, found, data, given, (f"{name} is read as {found} (use --from to choose)",))


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


# Input that can be read only once is cached: a command may read the rows after the columns.
@lru_cache(maxsize=1)
def _read_stdin(stream: BinaryIO) -> bytes:
    return stream.read()


@lru_cache(maxsize=1)
def _read_pipe(path: str) -> bytes:
    return _read_file(path)


def _is_pipe(path: str) -> bool:
    """Whether the path names a pipe, such as the shell's <(…)."""
    return os.path.exists(path) and S_ISFIFO(os.stat(path).st_mode)


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
