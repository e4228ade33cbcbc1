"""A number, or a position among ordered labels, against a threshold: `<=` or `>`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, ClassVar, Self

from treecli.conditions import Interval
from treecli.data import Schema


@dataclass(frozen=True, slots=True)
class Split:
    """Branch 0 takes values up to and including the number, branch 1 those above it."""

    KIND: ClassVar[str] = "threshold"
    attribute: int
    number: float

    @property
    def table(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...]) -> Self:
        return cls(attribute, number)

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        described = schema.attributes[attribute]
        at_most = record.get("at_most")
        if described.kind == "ordinal":
            if at_most not in described.labels:
                raise ValueError(f"'at_most' must be a label of '{described.name}'")
            return cls(attribute, float(described.labels.index(at_most)))
        if described.kind != "numeric":
            raise ValueError(f"'{described.name}' is nominal, which has no order")
        if not isinstance(at_most, int | float) or isinstance(at_most, bool) or not isfinite(at_most):
            raise ValueError("'at_most' must be a finite number")
        return cls(attribute, float(at_most))

    def to_json(self, schema: Schema) -> dict[str, Any]:
        described = schema.attributes[self.attribute]
        at_most = self.number if described.is_numeric else described.labels[int(self.number)]
        return {"at_most": at_most}

    def n_branches(self) -> int:
        return 2

    def condition(self, branch: int, schema: Schema) -> Interval:
        low, high = (-inf, self.number) if branch == 0 else (self.number, inf)
        return Interval(self.attribute, low, high)
