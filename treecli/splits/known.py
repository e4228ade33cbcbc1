"""Test whether the value is known; used only if missing values have their own branches."""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar, Self

from treecli.data import Schema
from treecli.records import dataclass
from treecli.values import Condition, Interval, Labels


@dataclass(frozen=True, slots=True)
class Split:
    """Branch 0 takes every known value; missing values take the branch after it."""

    KIND: ClassVar[str] = "known"
    attribute: int

    @property
    def number(self) -> float:
        return inf

    @property
    def further(self) -> tuple[float, ...]:
        return ()

    @property
    def table(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute)

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        return cls(attribute)

    def to_json(self, schema: Schema) -> dict[str, Any]:
        return {}

    def n_branches(self) -> int:
        return 1

    def condition(self, branch: int, schema: Schema) -> Condition:
        described = schema.columns[self.attribute]
        if described.kind == "nominal":
            return Labels(self.attribute, (1 << len(described.labels)) - 1)
        return Interval(self.attribute)
