"""One label against the rest."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from treecli.data import Schema
from treecli.records import dataclass
from treecli.splits import MANY_LABELS
from treecli.values import Labels


@dataclass(frozen=True, slots=True)
class Split:
    """Branch 0 takes one label, branch 1 every other."""

    KIND: ClassVar[str] = "binary"
    attribute: int
    label: int
    n_labels: int

    @property
    def number(self) -> float:
        return 0.0

    @property
    def further(self) -> tuple[float, ...]:
        return ()

    @property
    def table(self) -> tuple[int, ...]:
        return tuple(int(code != self.label) for code in range(self.n_labels))

    @property
    def packed(self) -> tuple[int, ...] | None:
        """The table in its sparse form, None if it is short."""
        return (self.n_labels, 1, self.label, 0) if self.n_labels > MANY_LABELS else None

    @classmethod
    def load_packed(cls, attribute: int, table: tuple[int, ...]) -> Self:
        """Return the split from a sparse table; other kinds are loaded from the whole table."""
        return cls(attribute, table[2], table[0])

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute, table.index(0), len(table))

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        described = schema.columns[attribute]
        label = described.code_of(record.get("label"))
        if label is None:
            raise ValueError(f"'label' must be a label of '{described.name}'")
        return cls(attribute, label, len(described.labels))

    def to_json(self, schema: Schema) -> dict[str, Any]:
        return {"label": schema.columns[self.attribute].labels[self.label]}

    def n_branches(self) -> int:
        return 2

    def condition(self, branch: int, schema: Schema) -> Labels:
        own = 1 << self.label
        return Labels(self.attribute, own if branch == 0 else ((1 << self.n_labels) - 1) ^ own)
