"""A table for documents in LaTeX, which runs over as many pages as it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from treecli.report import readable
from treecli.rule_formats import Page
from treecli.rule_formats._rows import columns, rows

SUFFIX = ".tex"
HAS_WORDING = True

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    # Two or three of them in a row would become one dash.
    "-": "{-}",
}
_SIGNS = {" <= ": r" $\le$ ", " >= ": r" $\ge$ ", " != ": r" $\ne$ ", " < ": " $<$ ", " > ": " $>$ "}
_TO_ESCAPE = re.compile("|".join(map(re.escape, [*_SIGNS, *_SPECIAL])))

PREAMBLE = "% needs \\usepackage{longtable,textcomp} and \\usepackage[T1]{fontenc}\n"


def render(page: Page) -> Iterator[str]:
    """The table, a rule a row; what a document needs for it is said in a comment."""
    names = columns(page)
    yield PREAMBLE
    yield f"\\begin{{longtable}}{{rp{{0.5\\linewidth}}l{'r' * (len(names) - 2)}}}\n\\hline\n"
    yield " & ".join(["", *map(_escaped, names)]) + " \\\\\n\\hline\n\\endhead\n"
    for number, row in enumerate(rows(page), start=1):
        yield " & ".join([str(number), *(_escaped(readable(cell)) for cell in row.values())]) + " \\\\\n"
    yield "\\hline\n\\end{longtable}\n"


def _escaped(text: str) -> str:
    """The text as LaTeX prints it, signs of comparison as such."""
    return _TO_ESCAPE.sub(lambda match: _SIGNS.get(match.group()) or _SPECIAL[match.group()], text)
