"""Several bounds between branches: numbers, or positions among ordered labels."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from sys import float_info
from typing import Any, ClassVar, Self

from treecli.data import Schema
from treecli.records import dataclass
from treecli.values import Interval


@dataclass(frozen=True, slots=True)
class Split:
    """Branch i takes values above bound i - 1, up to and including bound i; the last branch those above all bounds."""

    KIND: ClassVar[str] = "bins"
    attribute: int
    bounds: tuple[float, ...]

    @property
    def number(self) -> float:
        return self.bounds[0]

    @property
    def further(self) -> tuple[float, ...]:
        return self.bounds[1:]

    @property
    def table(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute, (number, *further))

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        described = schema.columns[attribute]
        bounds = record.get("bounds")
        if described.kind == "nominal":
            raise ValueError(f"'{described.name}' is nominal, which has no order")
        if not isinstance(bounds, list) or not bounds:
            raise ValueError("'bounds' must be a list of numbers, or of labels of an ordinal attribute")
        if described.kind == "ordinal":
            bounds = [described.code_of(bound) for bound in bounds]
            if None in bounds:
                raise ValueError(f"'bounds' must contain labels of '{described.name}'")
        for bound in bounds:
            # As for a threshold: this also refuses integers beyond the largest float, and NaN.
            if not isinstance(bound, int | float) or isinstance(bound, bool) or not abs(bound) <= float_info.max:
                raise ValueError("'bounds' must contain finite numbers")
        numbers = tuple(float(bound) for bound in bounds)
        if not all(lower < upper for lower, upper in pairwise(numbers)):
            raise ValueError("'bounds' must be increasing")
        return cls(attribute, numbers)

    def to_json(self, schema: Schema) -> dict[str, Any]:
        described = schema.columns[self.attribute]
        if described.is_numeric:
            return {"bounds": list(self.bounds)}
        return {"bounds": [described.labels[int(bound)] for bound in self.bounds]}

    def n_branches(self) -> int:
        return len(self.bounds) + 1

    def condition(self, branch: int, schema: Schema) -> Interval:
        edges = (-inf, *self.bounds, inf)
        return Interval(self.attribute, edges[branch], edges[branch + 1])
