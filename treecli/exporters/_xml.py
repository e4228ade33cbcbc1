"""XML output with one element per line, and checks for characters that XML cannot represent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from xml.etree.ElementTree import Element
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from treecli.errors import UsageError

INDENT = "  "

UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot represent, not even as character references."""


def check_texts(texts: Iterable[str], title: str) -> None:
    """Raise UsageError if XML cannot represent one of the texts."""
    for text in texts:
        found = UNWRITABLE.search(text)
        if found:
            raise UsageError(
                f"{text!r} holds the character U+{ord(found[0]):04X}, which XML and so {title} cannot write",
                "rename it",
            )


def element(tag: str, /, *children: Element, text: str = "", **attributes: str) -> Element:
    """Return a small element with its content."""
    made = Element(tag, attributes)
    made.text = text
    made.extend(children)
    return made


class Document:
    """An XML document written as a stream; large elements are opened and closed, because a tree may be deep."""

    def __init__(self) -> None:
        self._stream = StringIO()
        self._generator = XMLGenerator(self._stream, "UTF-8", short_empty_elements=True)
        self._generator.startDocument()
        self._open: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._indent()
        self._generator.startElement(name, AttributesImpl(attributes))
        self._generator.ignorableWhitespace("\n")
        self._open.append(name)

    def end(self) -> None:
        name = self._open.pop()
        self._indent()
        self._generator.endElement(name)
        self._generator.ignorableWhitespace("\n")

    @contextmanager
    def within(self, tag: str, /, **attributes: str) -> Iterator[None]:
        """Write an element around everything written in the `with` block."""
        self.start(tag, attributes)
        yield
        self.end()

    def add(self, small: Element) -> None:
        """Write a complete element."""
        if len(small):
            self.start(small.tag, small.attrib)
            for child in small:
                self.add(child)
            self.end()
            return
        self._indent()
        self._generator.startElement(small.tag, AttributesImpl(small.attrib))
        if small.text:
            self._generator.characters(small.text)
        self._generator.endElement(small.tag)
        self._generator.ignorableWhitespace("\n")

    def text(self) -> str:
        """Return the document; all elements must be closed."""
        self._generator.endDocument()
        return self._stream.getvalue()

    def _indent(self) -> None:
        self._generator.ignorableWhitespace(INDENT * len(self._open))
