"""The arithmetic of each node in Markdown, with formulas between dollar signs, as GitHub and Jupyter show them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from treecli.teaching.formulas import Step
from treecli.teaching.latexmath import step_latex
from treecli.teaching.trace import Trace
from treecli.trace_formats._outline import Heading, Part, Sentence, Table, outline

SUFFIX = ".md"
HAS_WHOLE = False

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~])")


def render(trace: Trace, *, is_whole: bool) -> Iterator[str]:
    """Return a section per node, with an empty line between all parts."""
    for place, part in enumerate(outline(trace)):
        yield ("\n" if place else "") + _part(part)


def _part(part: Part) -> str:
    match part:
        case Heading():
            return f"{'#' * (part.level + 1)} {_escaped(part.text)}\n"
        case Sentence():
            text = _escaped(part.text)
            return f"**{text}**\n" if part.is_result else f"{text}\n"
        case Table():
            lines = [part.columns, ["---"] * len(part.columns), *part.rows]
            return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)
    return _math(part) + "\n"


def _cell(cell: str | Step) -> str:
    if isinstance(cell, str):
        return cell if cell == "---" else _escaped(cell)
    return _math(cell).replace("|", r"\|")


def _math(step: Step) -> str:
    remark = f" ({_escaped(step.remark)})" if step.remark else ""
    return f"${step_latex(step).replace(' &= ', ' = ')}${remark}"


def _escaped(text: str) -> str:
    """The text with a backslash before every sign that Markdown could read as markup."""
    return _SPECIAL.sub(r"\\\1", text)
