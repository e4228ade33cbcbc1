"""A constant plus weighted attributes; the mean stands for a missing value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from treecli.data import Attribute
from treecli.expressions import Expression, Value, weighted_sum


@dataclass(frozen=True, slots=True)
class Leaf:
    KIND: ClassVar[str] = "line"
    constant: float
    terms: tuple[tuple[float, int, float], ...]
    """The factor, the attribute, and what stands for a missing value."""

    def expression(self) -> Expression:
        return weighted_sum([(factor, Value(index, mean)) for factor, index, mean in self.terms], self.constant)

    def wording(self, attributes: Sequence[Attribute]) -> str:
        terms = [f"{factor:g} * {attributes[index].wording}" for factor, index, _ in self.terms]
        return " + ".join([f"{self.constant:g}", *terms])

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        terms = [[factor, attributes[index].name, mean] for factor, index, mean in self.terms]
        return {"constant": self.constant, "terms": terms}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        index_of = {attribute.name: index for index, attribute in enumerate(attributes)}
        try:
            terms = tuple((float(factor), index_of[name], float(mean)) for factor, name, mean in record["terms"])
            return cls(float(record["constant"]), terms)
        except (KeyError, TypeError) as error:
            raise ValueError("'terms' must be triples of a number, an attribute and its mean") from error
