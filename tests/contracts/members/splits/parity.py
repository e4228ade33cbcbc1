"""The labels at even places against those at odd ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from treecli.data import Schema
from treecli.values import Labels


@dataclass(frozen=True, slots=True)
class Split:
    """Branch 0 takes the first label, the third, …, branch 1 the others."""

    KIND: ClassVar[str] = "parity"
    attribute: int
    n_labels: int

    @property
    def number(self) -> float:
        return 0.0

    @property
    def further(self) -> tuple[float, ...]:
        return ()

    @property
    def table(self) -> tuple[int, ...]:
        return tuple(code % 2 for code in range(self.n_labels))

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute, len(table))

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        return cls(attribute, len(schema.attributes[attribute].labels))

    def to_json(self, schema: Schema) -> dict[str, Any]:
        return {}

    def n_branches(self) -> int:
        return 2

    def condition(self, branch: int, schema: Schema) -> Labels:
        return Labels.of(self.attribute, range(branch, self.n_labels, 2))
