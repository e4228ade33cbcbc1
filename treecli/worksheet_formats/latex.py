"""LaTeX, one source for the sheet and for its key."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.teaching.latexmath import FURTHER, name_latex, needs_further, text_latex
from treecli.worksheets.sheet import Blank, LookUp, Paragraph, Part, Section, Sheet, Table

SUFFIX = ".tex"

PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath}
\usepackage[a4paper,margin=2.2cm]{geometry}
"""

BLANKS = r"""\pagestyle{empty}
\setlength{\parindent}{0pt}
\raggedright\linespread{1.15}
% One source: pdflatex sheet.tex makes the sheet, pdflatex '\def\key{}\input{sheet.tex}' the key.
\newif\ifkey
\ifdefined\key\keytrue\fi
\newcommand{\blank}[1]{\ifkey\underline{\,#1\,}\else\underline{\hspace{4.5em}}\fi}
"""

ENTRIES_A_LINE = 10


def render(sheet: Sheet) -> Iterator[str]:
    """Return a document whose blanks show the answers if `\\key` is defined."""
    body = [_section(section) for section in sheet.sections]
    yield PREAMBLE
    if any(map(needs_further, body)):
        yield FURTHER
    yield BLANKS
    yield "\\begin{document}\n"
    yield f"\\section*{{{text_latex(sheet.title)}}}\n"
    yield f"Sheet {sheet.number}\\hfill Name: \\makebox[0.6\\textwidth]{{\\hrulefill}}\\bigskip\n"
    yield from body
    yield "\\end{document}\n"


def _section(section: Section) -> str:
    heading = f"\\paragraph{{{text_latex(section.heading)}}}\\mbox{{}}\\\\\n" if section.heading else ""
    return heading + "\n".join(map(_part, section.parts)) + "\n"


def _part(part: Part) -> str:
    match part:
        case Paragraph():
            return f"\\par {text_latex(part.text)}\\par"
        case Table():
            return _table(part)
        case LookUp():
            return _look_up(part)
    return _blank(part)


def _blank(blank: Blank) -> str:
    answer = blank.answer if blank.is_number else rf"\text{{{text_latex(blank.answer)}}}"
    if isinstance(blank.name, str):
        return f"\\par {text_latex(blank.name)} $\\blank{{{answer}}}$."
    return f"\\mbox{{${name_latex(blank.name)} = \\blank{{{answer}}}$}}\\quad"


def _table(table: Table) -> str:
    names = [text_latex(name) for name in table.columns]
    if table.has_target:
        names[-1] = rf"\textbf{{{names[-1]}}}"
    rows = [" & ".join(map(text_latex, row)) for row in table.rows]
    if table.is_numbered:
        names = ["", *names]
        rows = [f"{place} & {row}" for place, row in enumerate(rows, 1)]
    columns = ("r" if table.is_numbered else "") + "l" * len(table.columns)
    head = " & ".join(names)
    lines = "".join(f"{row}\\\\\n" for row in rows)
    inside = f"\\hline\n{head}\\\\\\hline\n{lines}\\hline"
    return f"\\begin{{center}}\\begin{{tabular}}{{{columns}}}{inside}\\end{{tabular}}\\end{{center}}"


def _look_up(look_up: LookUp) -> str:
    lines = []
    for start in range(0, len(look_up.entries), ENTRIES_A_LINE):
        entries = look_up.entries[start : start + ENTRIES_A_LINE]
        heads = [
            f"${own}$" if isinstance(own, str) else rf"$\tfrac{{{own.numerator}}}{{{own.denominator}}}$"
            for own, _ in entries
        ]
        numbers = [number for _, number in entries]
        inside = f"{' & '.join(heads)}\\\\\n{' & '.join(numbers)}"
        lines.append(f"\\begin{{tabular}}{{{'c' * len(entries)}}}\n{inside}\n\\end{{tabular}}\\\\[1ex]\n")
    note = text_latex(look_up.note).replace("log2", r"$\log_2$")
    return f"\\par\\smallskip\n{''.join(lines)}({note})\n"
