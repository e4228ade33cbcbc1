"""An exercise for R/exams, which makes Moodle, QTI, Canvas and paper exams of it."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.worksheet_formats._markdown import body, text
from treecli.worksheets.sheet import Blank, Sheet

SUFFIX = ".Rmd"


def render(sheet: Sheet) -> Iterator[str]:
    """Return a cloze exercise in R Markdown."""
    blanks = list(sheet.blanks())
    place = {id(blank): number for number, blank in enumerate(blanks, 1)}
    yield f"Question\n========\n\n**{text(sheet.title)}**\n\n"
    yield from body(sheet, lambda blank: f"##ANSWER{place[id(blank)]}##")
    yield "Answerlist\n----------\n\n"
    yield from (f"* {text(choice)}\n" for blank in blanks for choice in (blank.choices or (blank.key,)))
    yield "\nSolution\n========\n\nAnswerlist\n----------\n\n"
    yield from (f"* {answer}\n" for blank in blanks for answer in _solutions(blank))
    yield "\nMeta-information\n================\n"
    yield f"exname: Decision tree {sheet.number}\nextype: cloze\n"
    yield f"exclozetype: {'|'.join('num' if blank.is_number else 'schoice' for blank in blanks)}\n"
    yield f"exsolution: {'|'.join(map(_solution, blanks))}\n"
    yield f"extol: {'|'.join(f'{blank.tolerance:g}' for blank in blanks)}\n"
    yield f"expoints: {'|'.join(str(blank.points) for blank in blanks)}\n"


def _solutions(blank: Blank) -> list[str]:
    if blank.is_number:
        return [f"{text(blank.key)} = {blank.answer}"]
    return ["True" if choice == blank.answer else "False" for choice in blank.choices]


def _solution(blank: Blank) -> str:
    if blank.is_number:
        return blank.answer
    return "".join("1" if choice == blank.answer else "0" for choice in blank.choices)
