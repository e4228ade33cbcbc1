"""Text that is safe to print: no value of a file can move a cursor, set a title or reverse a line."""


def printable(text: str) -> str:
    """The text with every character escaped that a terminal would act on instead of showing it.

    These are control characters (C0, DEL, C1), format characters such as those that change the direction of writing,
    line breaks, and spaces other than U+0020. A byte of a file's name that is not UTF-8 becomes \\xNN.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    # os.fsdecode maps the bytes 0x80 to 0xff that it cannot decode to these lone surrogates.
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{{{code:x}}}"


def printable_lines(text: str) -> str:
    """The same for text of several lines: their ends and tabs stay."""
    return "".join(c if c in "\n\t" else _shown(c) for c in text) if not text.isprintable() else text
