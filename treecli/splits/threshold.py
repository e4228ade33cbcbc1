"""A numeric value, or a position among ordered labels, compared with a threshold: `<=` or `>`."""

from __future__ import annotations

from math import inf
from sys import float_info
from typing import Any, ClassVar, Self

from treecli.data import Schema
from treecli.records import dataclass
from treecli.values import Interval


@dataclass(frozen=True, slots=True)
class Split:
    """Branch 0 takes values up to and including the number, branch 1 those above it."""

    KIND: ClassVar[str] = "threshold"
    attribute: int
    number: float

    @property
    def further(self) -> tuple[float, ...]:
        return ()

    @property
    def table(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute, number)

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        described = schema.columns[attribute]
        at_most = record.get("at_most")
        if described.kind == "ordinal":
            position = described.code_of(at_most)
            if position is None:
                raise ValueError(f"'at_most' must be a label of '{described.name}'")
            return cls(attribute, float(position))
        if described.kind != "numeric":
            raise ValueError(f"'{described.name}' is nominal, which has no order")
        # Not isfinite, which fails for integers beyond the largest float; and not the opposite comparison, which would
        # accept NaN.
        if not isinstance(at_most, int | float) or isinstance(at_most, bool) or not abs(at_most) <= float_info.max:
            raise ValueError("'at_most' must be a finite number")
        return cls(attribute, float(at_most))

    def to_json(self, schema: Schema) -> dict[str, Any]:
        described = schema.columns[self.attribute]
        at_most = self.number if described.is_numeric else described.labels[int(self.number)]
        return {"at_most": at_most}

    def n_branches(self) -> int:
        return 2

    def condition(self, branch: int, schema: Schema) -> Interval:
        low, high = (-inf, self.number) if branch == 0 else (self.number, inf)
        return Interval(self.attribute, low, high)


LOWEST = -float_info.max
"""The lowest threshold: JSON has no -inf."""
