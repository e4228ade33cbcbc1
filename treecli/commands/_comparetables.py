"""The report of a comparison in Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from treecli.cli import report
from treecli.commands._comparereport import BETTER, MARKS, RANK, RECORD, TIE, WORSE, Page
from treecli.draw.latextext import in_latex
from treecli.wording import Cell

LATEX_MARKS = {BETTER: "$\\circ$", WORSE: "$\\bullet$", TIE: ""}
SIGNED = re.compile(r"[+-][0-9.]+")


def tables(page: Page, marks: dict[str, str]) -> list[report.Table]:
    """Return the tables of the report, with texts for cells."""
    rows: list[Sequence[Cell]] = [
        [dataset, *(page.cell(dataset, learner, marks) for learner in page.learners)] for dataset in page.datasets
    ]
    if page.has_tests():
        rows.append([RECORD, "", *(page.record(learner) for learner in page.learners[1:])])
    if page.answer.ranks is not None:
        rows.append([RANK, *(f"{page.answer.ranks[learner]:.2f}" for learner in page.learners)])
    found = [report.Table("", (page.unit.heading, *page.learners), rows)]
    if page.answer.pairs:
        found.append(report.Table("", page.pair_columns(), [page.pair_cells(pair) for pair in page.answer.pairs]))
    if page.bayes_rows():
        found.append(report.Table("", page.bayes_columns(), page.bayes_rows()))
    return found


def _sentences(page: Page, marks: dict[str, str]) -> list[list[str]]:
    """Return the sentences after each table; the last entry follows all tables."""
    after_main = [sentence for sentence in (page.legend(marks), page.friedman()) if sentence is not None]
    return [after_main, page.remarks()]


def markdown(page: Page) -> Iterator[str]:
    """Yield the lines of the report in Markdown."""
    first, *others = tables(page, MARKS)
    after_main, last = _sentences(page, {BETTER: "v", WORSE: "\\*", TIE: ""})
    yield from "".join(report.render("markdown", [first], {})).splitlines()
    for sentence in after_main:
        yield from ("", sentence)
    for table in others:
        yield ""
        yield from "".join(report.render("markdown", [table], {})).splitlines()
    for sentence in last:
        yield from ("", sentence)


def latex(page: Page) -> Iterator[str]:
    """Yield the lines of the report in LaTeX: a tabular for each table, the sentences between them."""
    first, *others = tables(page, MARKS)
    after_main, last = _sentences(page, MARKS)
    yield from _tabular(first, LATEX_MARKS, n_last=page.has_tests() + (page.answer.ranks is not None))
    for sentence in after_main:
        yield from ("", _in_latex(sentence))
    for table in others:
        yield ""
        yield from _tabular(table, {})
    for sentence in last:
        yield from ("", _in_latex(sentence))


def _in_latex(sentence: str) -> str:
    start = f"{MARKS[BETTER]} better, {MARKS[WORSE]} worse"
    if sentence.startswith(start):
        return f"{LATEX_MARKS[BETTER]} better, {LATEX_MARKS[WORSE]} worse{in_latex(sentence.removeprefix(start))}"
    return in_latex(sentence)


def _tabular(table: report.Table, marks: dict[str, str], n_last: int = 0) -> Iterator[str]:
    """Yield a tabular; the `n_last` rows follow a line of their own."""
    alignment = "l" + "r" * (len(table.columns) - 1)
    rows = [[_latex_cell(str(cell), marks) for cell in row] for row in table.rows]
    yield from report.tabular(alignment, table.columns, rows, n_last)


def _latex_cell(cell: str, marks: dict[str, str]) -> str:
    """Return a cell with its mark and ± typeset; a cell without a mark leaves room for one."""
    number, sign, spread = cell.partition(" ± ")
    if not marks or not sign:
        return f"${cell}$" if SIGNED.fullmatch(cell) else in_latex(cell)
    spread, _, mark = spread.partition(" ")
    verdict = next((verdict for verdict, own in MARKS.items() if own == mark), TIE)
    shown = marks[verdict] or f"\\phantom{{{LATEX_MARKS[WORSE]}}}"
    return f"${number} \\pm {spread}$ {shown}"
