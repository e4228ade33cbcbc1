"""Reports of all commands: tables and facts, in the requested format."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Literal

from treecli.cli import terminal
from treecli.files.guard import STREAM
from treecli.records import dataclass
from treecli.wording import NOT_AVAILABLE, Cell, printable, readable

SCHEMA_VERSION = 1
"""Changes when scripts that read the JSON of a report have to change."""

TABLE = "table"

LATEX_PREAMBLE = "% needs \\usepackage[T1]{fontenc} and \\usepackage{textcomp}\n"

GAP = "  "

PIPED_WIDTH = 80
"""The assumed width of a pipe or a file."""

LEAST_TEXT_WIDTH = 14
"""On a terminal, columns of text may be wrapped down to this width."""

SEPARATOR = ", "
"""Between the entries of a list."""

LONGEST_ENTRY = 20
"""Longer entries of a list may be folded on a terminal."""

_HELD_BLANK = "\ue000"
"""A blank at which no line is broken. It is not printable, so no cell holds it."""


@dataclass(frozen=True)
class Table:
    """Rows under named columns; None is a value that does not exist. Column names may all be empty.

    A table with a `gap` is printed without lines even on a terminal, with the gap between its columns. If a terminal is
    too narrow, the `dispensable` columns are dropped in order. The cells of `lists` are folded after commas, not inside
    their entries.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    gap: str = ""
    dispensable: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Lines below the table."""


def at_the_right(table: Table, first: int = 0) -> Table:
    """The table with texts set at the right in all columns from `first` on, for figures with fixed decimals."""
    columns, rows = list(table.columns), [list(row) for row in table.rows]
    for place in range(first, len(columns)):
        texts = [readable(row[place]) for row in rows]
        width = max(map(_width, [columns[place], *texts]))
        columns[place] = columns[place].rjust(width)
        for row, text in zip(rows, texts, strict=True):
            row[place] = text.rjust(width)
    return replace(table, columns=tuple(columns), rows=rows)


def with_column(table: Table, name: str, cells: Sequence[Cell]) -> Table:
    """The table with one more column at its end."""
    rows = [[*row, cell] for row, cell in zip(table.rows, cells, strict=True)]
    return replace(table, columns=(*table.columns, name), rows=rows)


def write(format: str, tables: Sequence[Table], facts: Mapping[str, object], output: str | None = None) -> None:
    """Writes a report to a file or to stdout, in a format of `render`."""
    is_stdout = output is None or output == STREAM
    pieces = render(format, tables, facts, is_drawn=is_stdout and sys.stdout.isatty())
    # Tables are already escaped, and may be coloured.
    terminal.results(pieces, output, is_safe=format == TABLE)


def render(
    format: str, tables: Sequence[Table], facts: Mapping[str, object], *, is_drawn: bool = False
) -> Iterator[str]:
    """The report, piece by piece, as `table`, `json`, `csv`, `markdown` or `latex`.

    JSON has the facts and CSV the first table, both in full precision. The other formats have all tables with rounded
    numbers. `is_drawn`: a table is drawn with lines, fitted to the terminal.
    """
    if format == "json":
        yield from _json(facts)
    elif format == "csv":
        from treecli.writers._delimited import csv_text

        yield from csv_text(tables[0].columns, tables[0].rows)
    elif format == "markdown":
        yield from _separated(_markdown(table) for table in tables)
    elif format == "latex":
        yield LATEX_PREAMBLE
        yield from _separated(_latex(table) for table in tables)
    elif is_drawn:
        yield from _drawn(tables)
    else:
        yield from _separated(plain(table) for table in tables)


def _json(facts: Mapping[str, object]) -> Iterator[str]:
    import json

    document = {"schema_version": SCHEMA_VERSION, **facts}
    yield json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: object) -> object:
    """The value with None for numbers that JSON cannot represent."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value


def _markdown(table: Table) -> Iterator[str]:
    if table.title:
        yield f"**{_escaped(printable(table.title))}**\n\n"
    is_number = _number_columns(table)
    yield _markdown_line([_escaped(printable(name)) for name in table.columns])
    yield _markdown_line(["---:" if right else "---" for right in is_number])
    for row in table.rows:
        yield _markdown_line([_escaped(readable(cell)) for cell in row])
    if table.notes:
        yield "\n" + "  \n".join(map(printable, table.notes)) + "\n"


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _latex(table: Table) -> Iterator[str]:
    from treecli.draw.latextext import in_latex

    if table.title:
        yield f"{in_latex(printable(table.title))}\n\n"
    alignment = "".join("r" if is_number else "l" for is_number in _number_columns(table))
    rows = [[_latex_cell(cell) for cell in row] for row in table.rows]
    yield from (f"{line}\n" for line in tabular(alignment, table.columns, rows))
    for note in table.notes:
        yield f"\n{in_latex(printable(note))}\n"


def _latex_cell(cell: Cell) -> str:
    from treecli.draw.latextext import in_latex

    text = readable(cell).strip()
    # In text, a minus sign would be a hyphen.
    return f"${text}$" if isinstance(cell, int | float) and cell < 0 else in_latex(text)


def tabular(alignment: str, columns: Sequence[str], rows: Sequence[Sequence[str]], n_last: int = 0) -> Iterator[str]:
    """The lines of a tabular of cells that are LaTeX already; the `n_last` rows follow a line of their own."""
    from treecli.draw.latextext import in_latex

    yield f"\\begin{{tabular}}{{{alignment}}}"
    yield "\\hline"
    if any(columns):
        yield " & ".join(in_latex(printable(name)) for name in columns) + " \\\\"
        yield "\\hline"
    for place, row in enumerate(rows):
        if n_last and place == len(rows) - n_last:
            yield "\\hline"
        yield " & ".join(row) + " \\\\"
    yield "\\hline"
    yield "\\end{tabular}"


def plain(table: Table) -> Iterator[str]:
    """Aligned columns without lines, for pipes and files."""
    if table.title:
        yield f"{printable(table.title)}\n"
    for line in _aligned(table):
        yield (table.gap or GAP).join(line).rstrip() + "\n"
    yield from (f"{printable(note)}\n" for note in table.notes)


def fits(table: Table) -> bool:
    """Whether the table fits the width of the terminal, or 80 characters elsewhere."""
    widths = _widths(table)
    if table.gap or not sys.stdout.isatty():
        return sum(widths) + len(table.gap or GAP) * (len(widths) - 1) <= _room()
    return _drawn_width(widths) <= _room()


def _room() -> int:
    if not sys.stdout.isatty():
        return PIPED_WIDTH
    from rich.console import Console

    return Console().width


def _widths(table: Table) -> list[int]:
    lines = _aligned(table)
    return [_width(text) for text in lines[0]] if lines else []


def _drawn_width(widths: Sequence[int]) -> int:
    """The width of rich's drawing: a space on both sides of each column, and lines between."""
    return sum(widths) + 3 * len(widths) + 1


def _fitted(table: Table, width: int) -> Table:
    """The table without the dispensable columns that do not fit."""
    for name in table.dispensable:
        if _least_width(table, folds_first=False) <= width:
            break
        if name in table.columns:
            gone = table.columns.index(name)
            columns = table.columns[:gone] + table.columns[gone + 1 :]
            table = replace(table, columns=columns, rows=[[*row[:gone], *row[gone + 1 :]] for row in table.rows])
    return table


def _least_width(table: Table, *, folds_first: bool) -> int:
    """The least width of a drawing: text columns are wrapped, numbers never, the first column if `folds_first`."""
    return _drawn_width(
        [
            natural if is_number or (index == 0 and not folds_first) else min(natural, _least_text_width(table, index))
            for index, (natural, is_number) in enumerate(zip(_widths(table), _number_columns(table), strict=True))
        ]
    )


def _least_text_width(table: Table, index: int) -> int:
    """The width to which a column of text may be folded."""
    if table.columns[index] not in table.lists:
        return LEAST_TEXT_WIDTH
    entries = (f"{entry}," for row in table.rows for entry in readable(row[index]).split(SEPARATOR))
    return min(max(map(_width, entries), default=0), LONGEST_ENTRY)


def _held(text: str) -> str:
    """A list whose entries hold no blank at which a line may be broken, unless they are long."""
    entries = text.split(SEPARATOR)
    return SEPARATOR.join(e.replace(" ", _HELD_BLANK) if _width(e) < LONGEST_ENTRY else e for e in entries)


def _drawn(tables: Sequence[Table]) -> Iterator[str]:
    """The tables for a terminal, fitted to its width."""
    from io import StringIO

    from rich import box
    from rich.console import Console
    from rich.table import Table as Drawing
    from rich.text import Text

    width = Console().width
    color_system: Literal["standard"] | None = "standard" if terminal.is_colored(sys.stdout) else None
    for whole in tables:
        table = _fitted(whole, width)
        if whole.gap or _least_width(table, folds_first=True) > width:
            # Truncate nothing: the terminal wraps lines that are too long.
            yield from (*plain(whole), "\n")
            continue
        is_first_whole = _least_width(table, folds_first=False) <= width
        lines = _aligned(table)
        names = lines.pop(0) if any(table.columns) else table.columns
        drawing = Drawing(
            show_header=any(table.columns),
            box=box.SIMPLE_HEAD,
        )
        for index, (name, is_number) in enumerate(zip(names, _number_columns(table), strict=True)):
            drawing.add_column(Text(name), no_wrap=is_number or (index == 0 and is_first_whole), overflow="fold")
        for line in lines:
            cells = zip(table.columns, line, strict=True)
            drawing.add_row(*(Text(_held(cell.rstrip()) if name in table.lists else cell) for name, cell in cells))
        page = StringIO()
        if table.title:  # not as rich's own title, which would wrap at the table's width
            page.write(f"{printable(table.title)}\n")
        Console(file=page, width=width, force_terminal=True, color_system=color_system).print(drawing)
        absent = [name for name in whole.columns if name not in table.columns]
        if absent:
            page.write(f"not shown because the terminal is too narrow: {', '.join(absent)}\n")
        page.writelines(f"{printable(note)}\n" for note in table.notes)
        yield page.getvalue().replace(_HELD_BLANK, " ")


def _aligned(table: Table) -> list[list[str]]:
    """The texts of the header, if any, and of all rows, padded to the widths of their columns.

    Numbers are aligned at the decimal point.
    """
    columns = []
    for index, is_number in enumerate(_number_columns(table)):
        texts = [readable(row[index]) for row in table.rows]
        if is_number:
            tails = [0 if text == NOT_AVAILABLE else len(text) - len(text.partition(".")[0]) for text in texts]
            longest = max(tails)
            texts = [text + " " * (longest - tail) for text, tail in zip(texts, tails, strict=True)]
        if any(table.columns):
            texts.insert(0, printable(table.columns[index]))
        width = max(map(_width, texts), default=0)
        fill = [" " * (width - _width(text)) for text in texts]
        columns.append([f + text if is_number else text + f for text, f in zip(texts, fill, strict=True)])
    return [list(line) for line in zip(*columns, strict=True)]


def _number_columns(table: Table) -> list[bool]:
    """A flag per column: whether it has only numbers."""
    return [
        any(row[index] is not None for row in table.rows) and not any(isinstance(row[index], str) for row in table.rows)
        for index in range(len(table.columns))
    ]


def _separated(parts: Iterator[Iterator[str]]) -> Iterator[str]:
    """The parts with an empty line between them."""
    for index, part in enumerate(parts):
        if index:
            yield "\n"
        yield from part


def _width(text: str) -> int:
    """The width of the text on a terminal: two for ideographs, none for combining marks."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
