"""Groups of labels, one branch each."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from treecli.data import Schema
from treecli.records import dataclass
from treecli.splits import NO_BRANCH
from treecli.values import Labels


@dataclass(frozen=True, slots=True)
class Split:
    """Branch i takes the labels whose entry in the table is i; other labels count as missing."""

    KIND: ClassVar[str] = "subset"
    attribute: int
    table: tuple[int, ...]

    @property
    def number(self) -> float:
        return 0.0

    @property
    def further(self) -> tuple[float, ...]:
        return ()

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute, table)

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        described = schema.columns[attribute]
        table = [NO_BRANCH] * len(described.labels)
        groups = record.get("groups")
        if not isinstance(groups, list) or not groups or not all(isinstance(g, list) and g for g in groups):
            raise ValueError("'groups' must be a list of groups of labels")
        for branch, group in enumerate(groups):
            for label in group:
                code = described.code_of(label)
                if code is None:
                    raise ValueError(f"'groups' must contain labels of '{described.name}'")
                if table[code] != NO_BRANCH:
                    raise ValueError(f"label '{label}' is in two groups")
                table[code] = branch
        return cls(attribute, tuple(table))

    def to_json(self, schema: Schema) -> dict[str, Any]:
        groups: list[list[str]] = [[] for _ in range(self.n_branches())]
        for label, branch in zip(schema.columns[self.attribute].labels, self.table, strict=True):
            if branch != NO_BRANCH:
                groups[branch].append(label)
        return {"groups": groups}

    def n_branches(self) -> int:
        return max(self.table) + 1

    def condition(self, branch: int, schema: Schema) -> Labels:
        return Labels.of(self.attribute, self._codes(branch))

    def _codes(self, branch: int) -> tuple[int, ...]:
        return tuple(code for code, b in enumerate(self.table) if b == branch)
