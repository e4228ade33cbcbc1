"""A random projection: a linear combination of numeric attributes that is drawn before a tree grows (--project)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from treecli.data import Attribute
from treecli.expressions import Expression, Number, Value, weighted_sum
from treecli.records import dataclass

N_SHOWN = 3
"""The number of largest terms in a summary."""


@dataclass(frozen=True, slots=True)
class Feature:
    """constant + Σ coefficient · attribute, in the units of the data; the mean stands for a missing value."""

    KIND: ClassVar[str] = "projection"
    number: int
    """The place among the projected columns, from 1."""
    constant: float
    terms: tuple[tuple[float, int, float, float], ...]
    """For each attribute with a coefficient: the coefficient, the attribute, its mean and its standard deviation."""

    def expression(self) -> Expression:
        if not self.terms:
            return Number(self.constant)
        return weighted_sum([(factor, Value(index, mean)) for factor, index, mean, _ in self.terms], self.constant)

    def wording(self, attributes: Sequence[Attribute]) -> str:
        return f"projection {self.number}"

    def summary(self, attributes: Sequence[Attribute]) -> str:
        """Return the terms that weigh most, per standard deviation of their attribute."""
        ordered = sorted(self.terms, key=lambda term: -abs(term[0] * term[3]))
        texts = [f"{factor:.4g} · {attributes[index].wording}" for factor, index, *_ in ordered[:N_SHOWN]]
        further = len(ordered) - N_SHOWN
        return " + ".join(texts).replace("+ -", "- ") + (f" + {further} smaller" if further > 0 else "")

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        terms = [[factor, attributes[index].name, mean, scale] for factor, index, mean, scale in self.terms]
        return {"number": self.number, "constant": self.constant, "terms": terms}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        index_of = {attribute.name: index for index, attribute in enumerate(attributes)}
        try:
            terms = tuple(
                (float(factor), index_of[name], float(mean), float(scale))
                for factor, name, mean, scale in record["terms"]
            )
            return cls(int(record["number"]), float(record["constant"]), terms)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                "needs 'number', 'constant' and 'terms' of a coefficient, an attribute, its mean and its deviation"
            ) from error
