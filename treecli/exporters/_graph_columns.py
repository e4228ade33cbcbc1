"""The input columns of an ONNX model, and numbers computed from them."""

from __future__ import annotations

from functools import reduce
from math import inf, nan, nextafter
from typing import TYPE_CHECKING

from treecli.exporters._formula import formula
from treecli.exporters._graph import LABEL_ENCODER, Graph
from treecli.exporters._tables import FIRST_LABEL_BUCKET, MISSING_BUCKET, UNSEEN_BUCKET
from treecli.expressions import Expression, Holds
from treecli.predict.program import Program

if TYPE_CHECKING:
    from treecli.data import Attribute

MISSING = "missing"
"""Represents a missing label if the empty string is a label."""


def inputs(program: Program) -> list[int]:
    """Return the input attributes: at least one, because its length gives the number of rows."""
    return program.attributes or [0]


def missing_text(attribute: Attribute) -> str:
    """Return the string that represents a missing label."""
    labels = set(attribute.labels)
    return "" if "" not in labels else unused(MISSING, labels)


def unused(wanted: str, taken: set[str]) -> str:
    """Return the name with as many underscores as make it different from those taken."""
    while wanted in taken:
        wanted += "_"
    return wanted


class Columns:
    """The inputs of a graph; a writer of formulas."""

    def __init__(self, graph: Graph, program: Program) -> None:
        self.graph = graph
        self.program = program
        self.attributes = [program.schema.columns[index] for index in inputs(program)]
        self._cell: dict[int, str] = {}
        """The values of each input: numbers, or the buckets of labels."""

    def cells(self) -> str:
        """Return all inputs as columns × rows, with labels as bucket numbers."""
        graph, zero = self.graph, self.graph.constant([0], "int64")
        columns = []
        for index, column in zip(inputs(self.program), self.attributes, strict=True):
            name = column.name
            if not column.is_numeric:
                buckets = {label: code for code, label in enumerate(column.labels, start=FIRST_LABEL_BUCKET)}
                unseen = MISSING_BUCKET
                if self.program.has_unseen:
                    unseen = UNSEEN_BUCKET
                    buckets[missing_text(column)] = MISSING_BUCKET
                keys, numbers = list(buckets), list(buckets.values())
                name = graph.apply(LABEL_ENCODER, name, keys_strings=keys, values_int64s=numbers, default_int64=unseen)
                self._cell[index] = name
                name = graph.cast(name, "double")
            else:
                self._cell[index] = name
            columns.append(graph.apply("Unsqueeze", name, zero))
        columns += [graph.apply("Unsqueeze", self.computed(own), zero) for own in self.program.derived.values()]
        return graph.apply("Concat", *columns, axis=0)

    def number(self, number: float) -> str:
        """Return a constant of an expression."""
        return self.graph.constant(number, "double")

    def read(self, attribute: int, instead: float | None) -> str:
        """Return the values of a numeric input, or another number where they are missing."""
        cell = self._cell[attribute]
        if instead is None:
            return cell
        return self.graph.apply("Where", self.graph.apply("IsNaN", cell), self.number(instead), cell)

    def indicator(self, holds: Holds) -> str:
        """Return 1 or 0: whether an input has one of some values."""
        graph, cell = self.graph, self._cell[holds.attribute]
        lost = nan if holds.instead is None else holds.instead
        if holds.labels is not None:
            codes = range(len(self.program.schema.columns[holds.attribute].labels))
            found = [lost] * FIRST_LABEL_BUCKET + [float(code in holds.labels) for code in codes]
            return graph.apply("Gather", graph.constant(found, "double"), cell)
        # The smallest number in the interval; without a lower bound the interval includes -inf.
        low = nextafter(holds.low, inf) if holds.low > -inf else -inf
        is_above = graph.apply("GreaterOrEqual", cell, self.number(low))
        is_inside = graph.apply("And", is_above, graph.apply("LessOrEqual", cell, self.number(holds.high)))
        known = graph.apply("Where", is_inside, self.number(1.0), self.number(0.0))
        return graph.apply("Where", graph.apply("IsNaN", cell), self.number(lost), known)

    def product(self, factors: list[str]) -> str:
        return reduce(lambda before, factor: self.graph.apply("Mul", before, factor), factors)

    def total_of(self, terms: list[str]) -> str:
        return reduce(lambda before, term: self.graph.apply("Add", before, term), terms)

    def computed(self, expression: Expression) -> str:
        """Return the values of an expression; call `cells` first."""
        return formula(expression, self)
