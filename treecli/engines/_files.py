"""The data files that a database reads: their names, their format, and the first bytes that describe delimited text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import PurePath
from typing import NamedTuple

from treecli.errors import DataError, UsageError, nearby_file
from treecli.files import guard
from treecli.files.compression import compression_of, decompressing, suffix_of, without_suffix
from treecli.readers import _source
from treecli.readers._delimited import Head
from treecli.readers._sniff import SNIFFED_BYTES, format_of
from treecli.readers._source import ReadOptions
from treecli.readers._table import shortened

REMOTE = ("s3://", "gs://", "gcs://", "r2://", "http://", "https://", "az://", "azure://", "abfss://", "hf://")
"""Starts of addresses that the database's own readers open."""

SERVERS = ("postgresql://", "postgres://")

FORMATS = ("csv", "tsv", "parquet")
DELIMITERS = {"csv": ",", "tsv": "\t"}
DATABASES = {"duckdb": (".duckdb", ".ddb"), "sqlite": (".sqlite", ".sqlite3")}

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
"""The compressions that DuckDB reads, and its names for them."""

MOST_HEAD_BYTES = 1 << 24
_DUCKDB_SIGNATURE, _SQLITE_SIGNATURE = b"DUCK", b"SQLite format 3\0"


class Listing(NamedTuple):
    """Files of one format. `compression` is DuckDB's name of it, or None."""

    name: str
    paths: tuple[str, ...]
    format: str
    compression: str | None = None
    detected: tuple[str, ...] = ()

    @property
    def is_database(self) -> bool:
        return self.format in DATABASES or self.format == "postgres"

    @property
    def is_remote(self) -> bool:
        return self.paths[0].startswith((*REMOTE, *SERVERS))


def listed(path: str, options: ReadOptions) -> Listing:
    """Return the files that a name or pattern stands for, sorted by name; raise an error if there is none."""
    if path == _source.STDIN:
        raise UsageError("--engine: stdin can be read only once", "name a file, or use --engine memory")
    if path.startswith(SERVERS):
        return Listing(path.partition("?")[0].rpartition("/")[2] or "postgresql", (path,), "postgres")
    if path.startswith(REMOTE):
        return Listing(guard.name_of(path), (path,), _format_by_name(path, options))
    paths = _expanded(path)
    for each in paths:
        guard.will_read(each)
    found = [_opened(each, options) for each in paths]
    first = found[0]
    for other in found[1:]:
        if (other.format, other.compression) != (first.format, first.compression):
            raise DataError(
                f"{path}: {first.paths[0]} is {_kind(first)}, but {other.paths[0]} is {_kind(other)}",
                "name files of one format and one compression",
            )
    return first._replace(name=guard.name_of(path), paths=tuple(paths))


def check_heads(paths: Sequence[str], found: Sequence[Head]) -> None:
    """Raise DataError if files have different columns, delimiters or decimal marks."""
    for path, own in zip(paths, found, strict=True):
        if own.names != found[0].names:
            raise DataError(
                f"{path}: the columns are {shortened(own.names)}, but those of {paths[0]} are "
                f"{shortened(found[0].names)}",
                "name files with the same columns",
            )
        if own.dialect != found[0].dialect:
            raise DataError(
                f"{path}: its delimiter or decimal mark is not that of {paths[0]}", "set --delimiter and --decimal"
            )


def first_bytes(path: str) -> bytes:
    """Return the first decompressed bytes of a file, enough to detect its delimiter, or all of them."""
    with guard.open_input(path) as raw:
        start = raw.read(10)
        raw.seek(0)
        try:
            with decompressing(raw, suffix_of(path) or compression_of(start), path) as stream:
                data: bytes = stream.read(2 * SNIFFED_BYTES)
                while data.count(b"\n") < 3 and len(data) < MOST_HEAD_BYTES and (more := stream.read(len(data))):
                    data += more
        except (OSError, EOFError) as error:
            raise DataError(f"{path}: cannot be read: {error}", "fetch or compress the file again") from None
    return data


def _expanded(path: str) -> list[str]:
    if os.path.exists(path) or not has_magic(path):
        if os.path.isdir(path):
            raise DataError(f"{path}: is a folder, expected data files", f"name them: '{path.rstrip('/')}/*.parquet'")
        if not os.path.exists(path):
            suffixes = [f".{name}" for name in FORMATS] + [own for each in DATABASES.values() for own in each]
            raise DataError(f"{path}: no such file", nearby_file(path, suffixes))
        return [path]
    found = sorted(name for name in glob(path, recursive=True) if not os.path.isdir(name))
    if not found:
        raise DataError(f"{path}: no file has such a name", "quote the pattern, and check the folder")
    return found


def _opened(path: str, options: ReadOptions) -> Listing:
    """Return the listing of one local file."""
    try:
        with guard.open_input(path) as stream:
            start = stream.read(32)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    if start.startswith(_SQLITE_SIGNATURE):
        return Listing(path, (path,), "sqlite")
    if start[8:12] == _DUCKDB_SIGNATURE:
        return Listing(path, (path,), "duckdb")
    suffix = suffix_of(path) or compression_of(start)
    if suffix is not None and suffix not in COMPRESSIONS:
        raise DataError(f"{path}: DuckDB does not read {suffix}", "compress it as .gz or .zst, or use --engine memory")
    compression = None if suffix is None else COMPRESSIONS[suffix]
    own = options.format or PurePath(without_suffix(path)).suffix.lower().removeprefix(".")
    if own in FORMATS or own == "arff":
        return Listing(path, (path,), _supported(own, path), compression)
    found = format_of(first_bytes(path), options.encoding)
    if found is None:
        raise DataError(
            f"{path}: found no format that DuckDB reads, expected {', '.join(FORMATS)} or a database",
            f"set the format with --from {'|'.join(FORMATS)}",
        )
    note = f"{guard.name_of(path)} is read as {found} (use --from to choose)"
    return Listing(path, (path,), _supported(found, path), compression, (note,))


def _supported(name: str, path: str) -> str:
    if name == "arff":
        raise DataError(
            f"{path}: DuckDB does not read ARFF", "treecli convert FILE FILE.parquet, or use --engine memory"
        )
    return name


def _format_by_name(path: str, options: ReadOptions) -> str:
    own = options.format or PurePath(without_suffix(path.partition("?")[0])).suffix.lower().removeprefix(".")
    if own not in FORMATS:
        raise UsageError(f"{path}: the format of the data is not known", f"set it with --from {'|'.join(FORMATS)}")
    return own


def _kind(listing: Listing) -> str:
    return listing.format if listing.compression is None else f"{listing.format} with {listing.compression}"
