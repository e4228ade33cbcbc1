"""The bytes of a file or of stdin, and how they are to be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from typing import BinaryIO, NamedTuple

from treecli import guard, plugins
from treecli.compression import SUFFIXES as COMPRESSIONS
from treecli.compression import decompressed, without_suffix
from treecli.errors import DataError, UsageError, did_you_mean

STDIN = "-"
STDIN_NAME = "stdin"

WORTH_A_THREAD = 1 << 20
"""Fewer bytes are hashed sooner than a thread begins."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the command line says about a data file."""

    format: str | None = None
    """csv, tsv, arff or parquet; None: by the suffix."""
    target: str | None = None
    """None: the last column."""
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    """Columns that look like identifiers and are used all the same."""
    weights: str | None = None
    types: tuple[tuple[str, str], ...] = ()
    """(column, 'numeric' | 'nominal' | 'ordinal:low<mid<high')"""
    na: tuple[str, ...] = ("", "?")
    """The texts that mean missing."""
    delimiter: str | None = None
    encoding: str = "utf-8"
    header: bool = True


class Source(NamedTuple):
    """A file's name, its format, its bytes out of any compression, and the bytes as given."""

    name: str
    format: str
    data: bytes
    given: bytes

    def begin_sha256(self) -> Callable[[], str]:
        """How to ask for the hash of the bytes as given, which is reckoned beside other work."""
        from hashlib import sha256

        if len(self.given) < WORTH_A_THREAD:
            return sha256(self.given).hexdigest
        from threading import Thread

        hashed = sha256()
        thread = Thread(target=hashed.update, args=(self.given,), daemon=True)
        thread.start()

        def digest() -> str:
            thread.join()
            return hashed.hexdigest()

        return digest


def open_source(path: str, options: ReadOptions) -> Source:
    """The bytes behind a path, where `-` is stdin."""
    if path == STDIN:
        known = "|".join(plugins.names("readers"))
        if options.format is None:
            raise UsageError("stdin: the format of the data is not known", f"say it with --from {known}")
        given = _read_stdin(guard.stdin("data"))
        return Source(STDIN_NAME, options.format, given, given)
    given = _read_pipe(path) if _is_pipe(path) else _read_file(path)
    name = guard.name_of(path)
    suffix = PurePath(path).suffix.lower()
    inner = PurePath(without_suffix(path))
    format_name = options.format or _format_by_suffix(inner, name)
    data = decompressed(given, suffix, name) if suffix in COMPRESSIONS else given
    return Source(name, format_name, data, given)


def refuse_options_of_delimited_text(options: ReadOptions, source: Source) -> None:
    """Raises where options were given that mean nothing for a format with columns of its own."""
    if options.delimiter is not None:
        raise UsageError(f"{source.name}: --delimiter is for csv and tsv, not for {source.format}")
    if not options.header:
        raise UsageError(f"{source.name}: --no-header is for csv and tsv, not for {source.format}")


# What can be read only once is kept: a command may ask for the rows again after reading the columns.
@lru_cache(maxsize=1)
def _read_stdin(stream: BinaryIO) -> bytes:
    return stream.read()


@lru_cache(maxsize=1)
def _read_pipe(path: str) -> bytes:
    return _read_file(path)


def _is_pipe(path: str) -> bool:
    """Whether the path names a pipe, as the shell's <(…) does."""
    return Path(path).is_fifo()


def _read_file(path: str) -> bytes:
    try:
        with guard.open_input(path) as stream:
            return stream.read()
    except FileNotFoundError:
        folder = Path(path).parent
        known = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        raise DataError(f"{path}: no such file", did_you_mean(PurePath(path).name, known)) from None
    except IsADirectoryError:
        raise DataError(f"{path}: is a folder, expected a data file", "name a file in it") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def _format_by_suffix(path: PurePath, name: str) -> str:
    known = plugins.names("readers")
    format_name = path.suffix.lower().removeprefix(".")
    if format_name not in known:
        found = f"the suffix '.{format_name}'" if format_name else "no suffix"
        expected = ", ".join(f".{known_name}" for known_name in known)
        raise DataError(
            f"{name}: found {found}, expected one of {expected}",
            f"say what it holds with --from {'|'.join(known)}",
        )
    return format_name
