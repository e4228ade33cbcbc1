"""A worksheet in HTML; the formats differ in their blanks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from html import escape

from treecli.worksheets.sheet import Blank, LookUp, Paragraph, Part, Sheet, Table


def body(sheet: Sheet, blank: Callable[[Blank], str], text: Callable[[str], str] = escape) -> Iterator[str]:
    """Yield the sections, with text escaped by `text` and blanks written by `blank`."""

    def written(part: Part) -> str:
        match part:
            case Paragraph():
                return f"<p>{text(part.text)}</p>"
            case Table():
                return _table(part, text)
            case LookUp():
                return _look_up(part, text)
        equal = "" if isinstance(part.name, str) else " ="
        return f"<p>{text(part.name_text)}{equal} {blank(part)}</p>"

    for section in sheet.sections:
        if section.heading:
            yield f"<h3>{text(section.heading)}</h3>\n"
        yield from (f"{written(part)}\n" for part in section.parts)


def _table(table: Table, text: Callable[[str], str]) -> str:
    names = [f"<th>{text(name)}</th>" for name in table.columns]
    rows = [[f"<td>{text(cell)}</td>" for cell in row] for row in table.rows]
    if table.is_numbered:
        names = ["<th></th>", *names]
        rows = [[f"<td>{place}</td>", *row] for place, row in enumerate(rows, 1)]
    lines = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    return f"<table>\n<tr>{''.join(names)}</tr>\n{lines}</table>"


def _look_up(look_up: LookUp, text: Callable[[str], str]) -> str:
    rows = "".join(f"<tr><td>{text(_head(head))}</td><td>{number}</td></tr>\n" for head, number in look_up.entries)
    note = text(look_up.note).replace("log2", "log<sub>2</sub>")
    return f"<table>\n{rows}</table>\n<p>{note}</p>"


def _head(head: Fraction | str) -> str:
    return head if isinstance(head, str) else f"{head.numerator}/{head.denominator}"
