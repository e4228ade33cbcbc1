"""Runs a motto: the same prediction for every row."""

from __future__ import annotations

from treecli.exporters import Options
from treecli.predict.program import Program
from treecli.verifiers import Answer, Row


def answers(text: str, program: Program, options: Options, rows: list[Row]) -> list[Answer]:
    """The motto's prediction, once per row."""
    return [text.partition(": ")[2].rstrip("\n")] * len(rows)
