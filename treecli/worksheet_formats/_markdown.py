"""A worksheet in Markdown; the formats differ in their blanks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from treecli.teaching.latexmath import name_latex
from treecli.worksheets.sheet import Blank, LookUp, Paragraph, Part, Sheet, Table

_SPECIAL = re.compile(r"([\\*_{}\[\]<>#|$~&])")


def body(sheet: Sheet, blank: Callable[[Blank], str]) -> Iterator[str]:
    """Yield the sections with an empty line between all parts."""

    def written(part: Part) -> str:
        match part:
            case Paragraph():
                return text(part.text)
            case Table():
                return _table(part)
            case LookUp():
                return _look_up(part)
        if isinstance(part.name, str):
            return f"{text(part.name)} {blank(part)}"
        return f"${name_latex(part.name)}$ = {blank(part)}"

    for section in sheet.sections:
        if section.heading:
            yield f"### {text(section.heading)}\n\n"
        yield from (f"{written(part)}\n\n" for part in section.parts)


def text(plain: str) -> str:
    """Return text whose signs are no markup; a backtick would begin code."""
    return _SPECIAL.sub(r"\\\1", plain).replace("`", "&#96;")


def _table(table: Table) -> str:
    names = list(map(text, table.columns))
    rows = [list(map(text, row)) for row in table.rows]
    if table.is_numbered:
        names = [" ", *names]
        rows = [[str(place), *row] for place, row in enumerate(rows, 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [names, ["---"] * len(names), *rows])


def _look_up(look_up: LookUp) -> str:
    lines = [
        [_head(head) for head, _ in look_up.entries],
        ["---"] * len(look_up.entries),
        [number for _, number in look_up.entries],
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    note = text(look_up.note).replace("log2", r"$\log_2$")
    return f"{table}\n\n({note})"


def _head(head: Fraction | str) -> str:
    return text(head) if isinstance(head, str) else f"{head.numerator}/{head.denominator}"
