"""The arithmetic of a formula for one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treecli.expressions import Holds, values_of
from treecli.leaves.linear import Leaf, Line
from treecli.rules.formulas import wording
from treecli.wording import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treecli.data import Schema
    from treecli.explain.explanation import RowOf
    from treecli.leaves import Leaf as LeafModel


@dataclass(frozen=True, slots=True)
class Part:
    """A term of a sum: a factor times an input, which is `value` in the row; `is_instead`: the row's is missing."""

    factor: float
    attribute: str
    labels: tuple[str, ...] | None
    value: float
    is_instead: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A formula, and its terms with the values of a row; no terms if the model is not linear."""

    text: str
    intercept: float
    parts: tuple[Part, ...]
    result: float

    def line(self) -> str:
        """Return the sum with the values in place of the names: `3.2 + 0.5 * 4 = 5.2`."""
        text = readable(self.intercept) if self.intercept or not self.parts else ""
        for part in self.parts:
            sign = "-" if part.factor < 0 else "+"
            before = f" {sign} " if text else sign.removeprefix("+")
            value = f"({readable(part.value)})" if part.value < 0 else readable(part.value)
            text += f"{before}{readable(abs(part.factor))} * {value}"
        return f"{text} = {readable(self.result)}"

    def missing(self) -> dict[str, float | None]:
        """Return what stands for each attribute that is missing or unseen in the row; None for indicators of labels."""
        parts = (part for part in self.parts if part.is_instead)
        return {part.attribute: part.value if part.labels is None else None for part in parts}

    def to_json(self) -> dict[str, Any]:
        """Return the arithmetic as a JSON object, in full precision."""
        terms = [
            {"factor": part.factor, "attribute": part.attribute}
            | ({} if part.labels is None else {"labels": list(part.labels)})
            | {"value": part.value, "is_missing": part.is_instead}
            for part in self.parts
        ]
        return {"text": self.text, "intercept": self.intercept, "terms": terms}


def of_leaf(leaf: LeafModel, row: RowOf, schema: Schema) -> Arithmetic:
    """Return the arithmetic of a leaf model; the result as the prediction computes it."""
    if isinstance(leaf, Leaf):
        return of_line(leaf.line, row, schema)
    result = values_of(leaf.expression(), row.dataset.column, 1)[0].item()
    return Arithmetic(leaf.wording(schema.attributes), result, (), result)


def of_line(line: Line, row: RowOf, schema: Schema) -> Arithmetic:
    """Return the arithmetic of a linear formula."""
    result = values_of(line.expression(), row.dataset.column, 1)[0].item()
    parts: list[Part] = []
    for own, factor in line.terms:
        attribute = schema.attributes[own.attribute]
        labels = None
        if isinstance(own, Holds) and own.labels is not None:
            labels = tuple(attribute.labels[code] for code in own.labels)
        given = row[own.attribute]
        is_instead = given.code is None or given.is_unseen
        value = values_of(own, row.dataset.column, 1)[0].item()
        parts.append(Part(factor, attribute.name, labels, value, is_instead))
    text = wording(line, schema, readable)
    return Arithmetic(text, line.intercept, tuple(parts), result)


def attributes_in(formulas: Sequence[Arithmetic], schema: Schema) -> set[int]:
    """Return the attributes whose values formulas use."""
    names = {part.attribute for formula in formulas for part in formula.parts}
    return {index for index, attribute in enumerate(schema.attributes) if attribute.name in names}
