"""A table for LaTeX documents, which may span several pages."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.draw.latextext import in_latex
from treecli.rule_formats import Page
from treecli.rule_formats._rows import columns, rows
from treecli.wording import readable

SUFFIX = ".tex"
HAS_WORDING = True

PREAMBLE = "% needs \\usepackage{longtable,textcomp} and \\usepackage[T1]{fontenc}\n"


def render(page: Page) -> Iterator[str]:
    """Return the table, one rule per row; a comment lists the required packages."""
    names = columns(page)
    yield PREAMBLE
    yield f"\\begin{{longtable}}{{rp{{0.5\\linewidth}}l{'r' * (len(names) - 2)}}}\n\\hline\n"
    yield " & ".join(["", *map(in_latex, names)]) + " \\\\\n\\hline\n\\endhead\n"
    for number, row in enumerate(rows(page), start=1):
        yield " & ".join([str(number), *(in_latex(readable(cell)) for cell in row.values())]) + " \\\\\n"
    yield "\\hline\n\\end{longtable}\n"
