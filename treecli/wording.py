"""Names, labels and numbers as safe and unambiguous text."""

from __future__ import annotations

import re
from functools import lru_cache
from math import floor, isfinite, isnan, log10

Cell = str | float | int | None
"""A value of a report; None if there is none."""

# A word may contain #, but a leading # would start a comment.
_WORD = r"(?!#)[^\s\"'`{}(),:;=<>!|\\\x00-\x1f\x7f-\x9f]+"
_PLAIN = re.compile(f"{_WORD}( {_WORD})*")
RESERVED = frozenset(["if", "then", "and", "or", "in", "is", "not", "missing", "unseen", "known", "else", "default"])
"""Words that a name or a label must not contain, unless it is quoted."""

SHORT = 12
"""Numbers with at most this many characters are printed in full."""

NOT_AVAILABLE = "n/a"
SIGNIFICANT_DIGITS = 4
LARGEST_WHOLE = 1e15
SMALLEST_PLAIN = 1e-4


def printable(text: str) -> str:
    """The text with escapes for every character that a terminal would interpret instead of showing.

    These are control characters (C0, DEL, C1), format characters such as those that change the writing direction,
    line breaks, and spaces other than U+0020. A byte of a file name that is not UTF-8 becomes \\xNN.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    # os.fsdecode maps undecodable bytes 0x80 to 0xff to these lone surrogates.
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{{{code:x}}}"


def printable_lines(text: str) -> str:
    """Like `printable` for text of several lines: line ends and tabs are kept."""
    return "".join(c if c in "\n\t" else _shown(c) for c in text) if not text.isprintable() else text


@lru_cache(maxsize=4096)
def quoted(text: str) -> str:
    """The text as shown in a tree or a rule: bare if unambiguous, else in double quotes.

    Line breaks and control characters are escaped, so that no value can control the terminal.
    """
    if text.isprintable() and _PLAIN.fullmatch(text) and RESERVED.isdisjoint(text.casefold().split(" ")):
        return text
    body = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in body) + '"'


def number_text(number: float) -> str:
    """The shortest decimal that reads back as the same number, without a trailing `.0`."""
    text = repr(float(number))
    return text.removesuffix(".0")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """The number with its noun in the singular or the plural."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def readable(cell: Cell) -> str:
    """A cell for people: numbers with four significant digits, or their whole integer part."""
    if cell is None:
        return NOT_AVAILABLE
    if isinstance(cell, str):
        return printable(cell)
    if isinstance(cell, int):
        return str(cell)
    if isnan(cell):
        return NOT_AVAILABLE
    if not isfinite(cell) or cell == 0 or not SMALLEST_PLAIN <= abs(cell) < LARGEST_WHOLE:
        return f"{cell:.{SIGNIFICANT_DIGITS}g}"
    decimals = max(SIGNIFICANT_DIGITS - 1 - floor(log10(abs(cell))), 0)
    text = f"{cell:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def shell_word(name: str) -> str:
    """The name as one word of a shell command line."""
    from shlex import quote

    return quote(name)
