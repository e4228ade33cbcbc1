"""A cloze question for Moodle, with the names of mistakes as feedback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from treecli.teaching.mistakes import LEAST_TOLERANCE
from treecli.worksheet_formats._page import body
from treecli.worksheets.sheet import Blank, Sheet, told_apart

SUFFIX = ".xml"

_SPECIAL = re.compile(r'([}#~/"\\])')
_GIVES_POINTS = {"=": "&equals;", "%": "&percnt;"}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render(sheet: Sheet) -> Iterator[str]:
    """Return a quiz of one question, as Moodle imports it."""
    name = escape(f"Decision tree {sheet.number}", quote=False)
    text = _in_section(f"<h2>{_in_text(sheet.title)}</h2>\n{''.join(body(sheet, _blank, _in_text))}")
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n<question type="cloze">\n'
    yield f"<name><text>{name}</text></name>\n"
    yield f'<questiontext format="html"><text><![CDATA[{text}]]></text></questiontext>\n'
    yield '<generalfeedback format="html"><text></text></generalfeedback>\n<penalty>0</penalty>\n<hidden>0</hidden>\n'
    yield "</question>\n</quiz>\n"


def _blank(blank: Blank) -> str:
    """A cloze field: a number with its mistakes, or a choice."""
    if not blank.is_number:
        choices = "~".join(("=" if choice == blank.answer else "") + _choice(choice) for choice in blank.choices)
        return f"{{{blank.points}:MULTICHOICE:{choices}}}"
    wrong = "".join(f"~%0%{number:.3f}:{LEAST_TOLERANCE}#{_escaped(note)}" for number, note in told_apart(blank))
    return f"{{{blank.points}:NUMERICAL:={blank.answer}:{blank.tolerance:g}{wrong}}}"


def _choice(text: str) -> str:
    """A choice; a sign that would give it points is written as an entity."""
    escaped = _escaped(text)
    return _GIVES_POINTS.get(escaped[:1], escaped[:1]) + escaped[1:]


def _escaped(text: str) -> str:
    """Text inside a cloze field: first HTML, without entities that have a #, then cloze's own signs."""
    return _SPECIAL.sub(r"\\\1", escape(text, quote=False))


def _in_text(text: str) -> str:
    """Text outside of cloze fields, where a brace could begin one."""
    return escape(text).replace("{", "&#123;").replace("}", "&#125;")


def _in_section(text: str) -> str:
    """Text that neither ends a CDATA section nor has characters that XML does not allow."""
    return _NO_XML.sub("\ufffd", text).replace("]]>", "]]]]><![CDATA[>")
