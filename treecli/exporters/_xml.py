"""XML, an element on a line, and the texts that it cannot hold."""

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
"""What XML 1.0 has no way to write, not even as a number."""


def check_texts(texts: Iterable[str], title: str) -> None:
    """Raises where one of the texts cannot stand in XML."""
    for text in texts:
        found = UNWRITABLE.search(text)
        if found:
            raise UsageError(
                f"{text!r} holds the character U+{ord(found[0]):04X}, which XML and so {title} cannot write",
                "rename it",
            )


def element(tag: str, /, *children: Element, text: str = "", **attributes: str) -> Element:
    """A small element with all that is in it."""
    made = Element(tag, attributes)
    made.text = text
    made.extend(children)
    return made


class Document:
    """Elements one after the other; large ones are opened and closed, because a tree may be deep."""

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
        """An element that holds what is written meanwhile."""
        self.start(tag, attributes)
        yield
        self.end()

    def add(self, small: Element) -> None:
        """Writes an element that is made already."""
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
        """The document, once everything is closed."""
        self._generator.endDocument()
        return self._stream.getvalue()

    def _indent(self) -> None:
        self._generator.ignorableWhitespace(INDENT * len(self._open))
