"""1 for some labels of an attribute and 0 for the others, as in M5' (Wang, Witten 1997)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from treecli.data import Attribute
from treecli.expressions import Expression, Holds
from treecli.records import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """Whether an attribute has one of these labels; `instead` is the answer where it is missing."""

    KIND: ClassVar[str] = "indicator"
    attribute: int
    labels: tuple[int, ...]
    instead: float

    def expression(self) -> Expression:
        return Holds(self.attribute, labels=self.labels, instead=self.instead)

    def wording(self, attributes: Sequence[Attribute]) -> str:
        described = attributes[self.attribute]
        return f"{described.name}={','.join(described.labels[code] for code in self.labels)}"

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        described = attributes[self.attribute]
        labels = [described.labels[code] for code in self.labels]
        return {"attribute": described.name, "labels": labels, "instead": self.instead}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        if record.keys() != {"attribute", "labels", "instead"}:
            raise ValueError("an indicator has 'attribute', 'labels' and 'instead'")
        index = next((index for index, one in enumerate(attributes) if one.name == record["attribute"]), None)
        if index is None or attributes[index].is_numeric:
            raise ValueError(f"'{record['attribute']}' is not an attribute with labels")
        labels = record["labels"]
        codes = [attributes[index].code_of(label) for label in labels] if isinstance(labels, list) else []
        if not codes or None in codes:
            raise ValueError(f"'labels' must be labels of '{record['attribute']}'")
        if record["instead"] not in (0, 1):
            raise ValueError("'instead' must be 0 or 1")
        return cls(index, tuple(code for code in codes if code is not None), float(record["instead"]))
