"""Statements that C, Java and JavaScript share."""

from __future__ import annotations

from typing import ClassVar

from treecli.exporters._code import Code
from treecli.exporters._layout import Line


class Braces(Code):
    """Code of a language with the syntax of C."""

    CONSTANT: ClassVar[str]
    """The words before the name of a variable for a number that does not change."""

    def share(self, line: Line) -> str:
        whole = self.weight(line.weight - 1)
        part = f"{whole} * {self.number(line.share)}"
        return f"{self.CONSTANT} {self.weight(line.weight)} = {self.test(line.test)} ? {part} : {whole};"

    def answer(self, node: int) -> str:
        if self.schema.is_classification:
            return f"return {self.string(self.target.labels[self.program.label[node]])};"
        return f"return {self.predicted(node)};"

    def either(self, test: str, yes: str, no: str) -> str:
        return f"({test} ? {yes} : {no})"

    def add(self, line: Line, outcome: int, said: str) -> str:
        part = self.weight(line.weight) + (f" * {said}" if said else "")
        return f"{self.total(line.total)}[{outcome}] += {part};"
