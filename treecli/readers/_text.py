"""Decoding of bytes to text with one encoding and one line end."""

from __future__ import annotations

import codecs

from treecli.errors import DataError
from treecli.readers._sniff import codec_name
from treecli.readers._source import Source

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(source: Source, encoding: str) -> bytes:
    """The file as UTF-8 with newlines as line ends, without byte order mark or NUL."""
    is_utf8 = _is_utf8(encoding)
    data = source.data
    try:
        if not is_utf8:
            data = data.decode(encoding).encode()
        elif not data.isascii():
            data.decode()
    except UnicodeError as error:
        # Not every codec reports the position of the error.
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, start) + 1
        cure = "utf-16" if data.startswith(_UTF16_MARKS) else "latin-1"
        found = f"byte 0x{data[start]:02x}" if start < len(data) else "the end of the file"
        raise DataError(
            f"{source.name}:{line}: found {found}, expected text in {encoding}",
            f"set the encoding of the file, for example --encoding {cure}",
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


def plain_head(head: bytes, encoding: str) -> bytes | None:
    """The first bytes of a file in the form of `text_of`, if the rest can be read without decoding.

    None if it cannot: the bytes are not UTF-8, or lines end with lone carriage returns.
    """
    if not _is_utf8(encoding):
        return None
    head = head.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
    try:
        head.decode()
    except UnicodeDecodeError:
        return None
    return None if b"\r" in head or b"\0" in head else head


def _is_utf8(encoding: str) -> bool:
    return codec_name(encoding) in {"utf-8", "utf-8-sig"}
