"""Compression and decompression of files, by suffix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from treecli.errors import DataError, TreecliError, UsageError
from treecli.files import names

SUFFIXES = (".gz", ".bz2", ".xz", ".zst")

_GZIP = 16 + 15
"""zlib's window bits for a gzip header, which then contains neither a time nor a name."""


def suffix_of(path: str) -> str | None:
    """The compression suffix of a path, None if there is none."""
    suffix = names.suffix_of(path)
    return suffix if suffix in SUFFIXES else None


def without_suffix(path: str) -> str:
    """The path without its compression suffix."""
    suffix = suffix_of(path)
    return path if suffix is None else path[: -len(suffix)]


def compression_of(data: bytes) -> str | None:
    """The suffix of the compression whose signature the data starts with, None if there is none."""
    # gzip: two magic bytes and the only method. bzip2: after four bytes, the start of a block or the end.
    if data.startswith(b"BZh") and data[4:10] in {b"1AY&SY", b"\x17rE8P\x90"}:
        return ".bz2"
    signatures = {b"\x1f\x8b\x08": ".gz", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
    return next((suffix for signature, suffix in signatures.items() if data.startswith(signature)), None)


def compressed(pieces: Iterable[bytes], suffix: str) -> Iterator[bytes]:
    """The compressed pieces; the same input gives the same bytes."""
    compressor = compressor_for(suffix)
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()


def compressor_for(suffix: str) -> Any:
    """An incremental compressor; raises a UsageError if a package is missing."""
    if suffix == ".gz":
        import zlib

        return zlib.compressobj(wbits=_GZIP)
    if suffix == ".bz2":
        import bz2

        return bz2.BZ2Compressor()
    if suffix == ".xz":
        import lzma

        return lzma.LZMACompressor()
    try:
        import zstandard
    except ImportError:
        raise UsageError(f"writing {suffix} needs the package zstandard", "pip install 'treecli[zstd]'") from None
    return zstandard.ZstdCompressor().compressobj()


def decompressed(data: bytes, suffix: str, name: str, error: type[TreecliError] = DataError) -> bytes:
    """The decompressed bytes; raises `error` if the data is incomplete or a package is missing."""
    import bz2
    import gzip
    import lzma
    import zlib

    decompress = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress, ".zst": _decompress_zstd}
    try:
        return decompress[suffix](data)
    except ImportError:
        raise error(f"{name}: reading {suffix} needs the package zstandard", "pip install 'treecli[zstd]'") from None
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as found:
        raise error(f"{name}: not a complete {suffix} file: {found}", "fetch or compress the file again") from None


def decompressing(stream: BinaryIO, suffix: str | None, name: str) -> Any:
    """A stream of the decompressed bytes of a stream; with no suffix the stream itself."""
    import bz2
    import gzip
    import lzma

    if suffix != ".zst":
        opened: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
        return stream if suffix is None else opened[suffix](stream)
    try:
        import zstandard
    except ImportError:
        raise DataError(
            f"{name}: reading {suffix} needs the package zstandard", "pip install 'treecli[zstd]'"
        ) from None
    return zstandard.ZstdDecompressor().stream_reader(stream)


def _decompress_zstd(data: bytes) -> bytes:
    import zstandard

    frames = []
    try:
        while data:
            # Unlike a stream, this detects an incomplete frame.
            frame = zstandard.ZstdDecompressor().decompressobj()
            frames.append(frame.decompress(data))
            if not frame.eof:
                raise EOFError("it ends too early")
            data = frame.unused_data
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from None
    return b"".join(frames)
