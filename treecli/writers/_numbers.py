"""Numbers in a notation that every format reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from treecli.wording import number_text
from treecli.writers._sheet import Sheet

_PLAIN = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)


def number_cells(sheet: Sheet) -> Iterator[Sequence[str]]:
    """The cells of every row, with numbers in other notations (inf, a decimal comma) converted to the usual one."""
    decimal = sheet.marks.decimal
    numeric = [(place, field.values.tolist()) for place, field in enumerate(sheet.fields) if field.kind == "numeric"]
    for row, cells in enumerate(sheet.rows):
        own = list(cells)
        for place, values in numeric:
            text = own[place].strip()
            if decimal != ".":
                text = text.replace(decimal, ".")
            is_plain = _PLAIN.fullmatch(text) and float(text) == values[row]
            own[place] = text if is_plain else number_text(values[row])
        yield own
