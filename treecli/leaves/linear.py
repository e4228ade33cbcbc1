"""A constant plus weighted numeric attributes and indicators of labels: the leaves of model trees (Quinlan 1992)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar, Self

from treecli.data import Attribute
from treecli.expressions import Expression, Holds, Number, Value, weighted_sum
from treecli.records import dataclass
from treecli.wording import quoted, readable

Input = Value | Holds
"""A numeric attribute, or whether an attribute has one of some labels; each says what stands for a missing value."""


@dataclass(frozen=True, slots=True)
class Line:
    """A constant plus factors times inputs, in the order of the columns."""

    intercept: float
    terms: tuple[tuple[Input, float], ...] = ()

    def expression(self) -> Expression:
        if not self.terms:
            return Number(self.intercept)
        return weighted_sum([(factor, own) for own, factor in self.terms], self.intercept)

    def wording(self, attributes: Sequence[Attribute], number: Any = readable) -> str:
        """Return the line as text: 2.5 * x - 0.3 * "c=a,b" + 1."""
        text = ""
        for own, factor in self.terms:
            text += f"{_sign(factor, text)}{number(abs(factor))} * {quoted(name_of(own, attributes))}"
        return f"{text}{_sign(self.intercept, text)}{number(abs(self.intercept))}"

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        return {"intercept": self.intercept, "terms": [_record(own, f, attributes) for own, f in self.terms]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any], attributes: Sequence[Attribute]) -> Self:
        if not isinstance(record, Mapping) or record.keys() != {"intercept", "terms"}:
            raise ValueError("a line has 'intercept' and 'terms'")
        terms = record["terms"]
        if not isinstance(terms, list):
            raise ValueError("'terms' must be a list")
        return cls(_number(record["intercept"], "intercept"), tuple(_term(term, attributes) for term in terms))


@dataclass(frozen=True, slots=True)
class Leaf:
    """A line; `rmse` is the error of the node's own line on its training cases.

    If the line is smoothed with those of the nodes above, `unsmoothed` is the node's own.
    """

    KIND: ClassVar[str] = "linear"
    line: Line
    rmse: float
    unsmoothed: Line | None = None

    @property
    def own(self) -> Line:
        """The line that was fitted to the node's cases."""
        return self.line if self.unsmoothed is None else self.unsmoothed

    def expression(self) -> Expression:
        return self.line.expression()

    def wording(self, attributes: Sequence[Attribute]) -> str:
        return self.line.wording(attributes)

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        record = {**self.line.to_json(attributes), "rmse": self.rmse}
        return record if self.unsmoothed is None else record | {"unsmoothed": self.unsmoothed.to_json(attributes)}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        own = dict(record)
        unsmoothed, rmse = own.pop("unsmoothed", None), _number(own.pop("rmse", None), "rmse")
        if rmse < 0:
            raise ValueError("'rmse' must not be negative")
        line = Line.from_json(own, attributes)
        return cls(line, rmse, None if unsmoothed is None else Line.from_json(unsmoothed, attributes))


def name_of(own: Input, attributes: Sequence[Attribute]) -> str:
    """Return the name of an input: the attribute's, or ATTRIBUTE=LABEL,LABEL."""
    described = attributes[own.attribute]
    if isinstance(own, Value) or own.labels is None:
        return described.name
    return f"{described.name}={','.join(described.labels[code] for code in own.labels)}"


def _sign(number: float, before: str) -> str:
    if not before:
        return "-" if number < 0 else ""
    return " - " if number < 0 else " + "


def _record(own: Input, factor: float, attributes: Sequence[Attribute]) -> dict[str, Any]:
    described = attributes[own.attribute]
    record: dict[str, Any] = {"factor": factor, "attribute": described.name}
    if isinstance(own, Holds) and own.labels is not None:
        record["labels"] = [described.labels[code] for code in own.labels]
    return record | {"instead": own.instead}


def _term(record: Any, attributes: Sequence[Attribute]) -> tuple[Input, float]:
    if not isinstance(record, dict) or not {"factor", "attribute", "instead"} <= record.keys():
        raise ValueError("each of 'terms' has 'factor', 'attribute' and 'instead'")
    name = record["attribute"]
    index = next((index for index, one in enumerate(attributes) if one.name == name), None)
    if index is None:
        raise ValueError(f"'{name}' is not an attribute")
    factor, instead = _number(record["factor"], "factor"), _number(record["instead"], "instead")
    if attributes[index].is_numeric:
        return Value(index, instead), factor
    labels = record.get("labels")
    codes = [attributes[index].code_of(label) for label in labels] if isinstance(labels, list) else []
    if not codes or None in codes:
        raise ValueError(f"'labels' must be labels of '{name}'")
    return Holds(index, labels=tuple(code for code in codes if code is not None), instead=instead), factor


def _number(value: Any, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise ValueError(f"'{name}' must be a finite number")
    return float(value)
