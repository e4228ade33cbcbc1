"""Text out of bytes: one encoding, one line end."""

from __future__ import annotations

import codecs

from treecli.errors import DataError, UsageError
from treecli.readers._source import Source

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(source: Source, encoding: str) -> bytes:
    """The file as UTF-8 whose every line end is a newline, without byte order mark or NUL."""
    try:
        is_utf8 = codecs.lookup(encoding).name in {"utf-8", "utf-8-sig"}
    except LookupError:
        raise UsageError(f"unknown encoding '{encoding}'", "try utf-8, latin-1 or utf-16") from None
    data = source.data
    try:
        if not is_utf8:
            data = data.decode(encoding).encode()
        elif not data.isascii():
            data.decode()
    except UnicodeError as error:
        # Not every codec says where it failed.
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, start) + 1
        cure = "utf-16" if data.startswith(_UTF16_MARKS) else "latin-1"
        raise DataError(
            f"{source.name}:{line}: found byte 0x{data[start]:02x}, expected text in {encoding}",
            f"say how the file is encoded, for example --encoding {cure}",
        ) from None
    data = data.removeprefix(codecs.BOM_UTF8)
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise DataError(
            f"{source.name}:{line}: found a NUL byte, expected text",
            "is it compressed, or of another format or encoding? see --from and --encoding",
        )
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data
