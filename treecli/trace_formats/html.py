"""The arithmetic of each node for web pages, with formulas in MathML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from treecli.teaching.formulas import Step
from treecli.teaching.mathml import step_mathml
from treecli.teaching.trace import Trace
from treecli.trace_formats._outline import Heading, Part, Sentence, Table, outline

SUFFIX = ".html"
HAS_WHOLE = True

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>How the tree grows</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid; }
math, table { font-size: 1.05rem; }
.step, .table { overflow-x: auto; margin: 0.5rem 0; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 0.15rem 1rem 0.15rem 0; vertical-align: middle; }
.result { font-weight: bold; }
.remark { opacity: 0.75; font-size: 0.9rem; }
</style>
</head>
<body>
<h1>How the tree grows</h1>
"""
TAIL = "</body>\n</html>\n"


def render(trace: Trace, *, is_whole: bool) -> Iterator[str]:
    """Return a part of a page, or a page of its own."""
    if is_whole:
        yield HEAD
    for part in outline(trace):
        yield _part(part) + "\n"
    if is_whole:
        yield TAIL


def _part(part: Part) -> str:
    match part:
        case Heading():
            return f"<h{part.level + 1}>{escape(part.text)}</h{part.level + 1}>"
        case Sentence():
            opening = '<p class="result">' if part.is_result else "<p>"
            return f"{opening}{escape(part.text)}</p>"
        case Table():
            head = "".join(f"<th>{escape(name)}</th>" for name in part.columns)
            body = "".join(f"<tr>{_cells(row)}</tr>\n" for row in part.rows)
            return f'<div class="table"><table>\n<tr>{head}</tr>\n{body}</table></div>'
    return f'<div class="step">{_math(part)}</div>'


def _cells(row: Sequence[str | Step]) -> str:
    return "".join(f"<td>{_cell(cell)}</td>" for cell in row)


def _cell(cell: str | Step) -> str:
    return escape(cell) if isinstance(cell, str) else _math(cell)


def _math(step: Step) -> str:
    remark = f' <span class="remark">({escape(step.remark)})</span>' if step.remark else ""
    return step_mathml(step) + remark
