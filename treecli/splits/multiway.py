"""One branch per label."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from treecli.data import Schema
from treecli.records import dataclass
from treecli.values import Labels


@dataclass(frozen=True, slots=True)
class Split:
    """Branch i takes the attribute's i-th label."""

    KIND: ClassVar[str] = "multiway"
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
        return tuple(range(self.n_labels))

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute, len(table))

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        described = schema.columns[attribute]
        if described.is_numeric:
            raise ValueError(f"'{described.name}' is numeric and has no labels to branch on")
        return cls(attribute, len(described.labels))

    def to_json(self, schema: Schema) -> dict[str, Any]:
        return {}

    def n_branches(self) -> int:
        return self.n_labels

    def condition(self, branch: int, schema: Schema) -> Labels:
        return Labels(self.attribute, 1 << branch)
