"""A number that is not the mean of the node's cases, such as a mean smoothed with the parent's."""

from __future__ import annotations

from collections.abc import Sequence
from sys import float_info
from typing import Any, ClassVar, Self

from treecli.data import Attribute
from treecli.expressions import Expression, Number
from treecli.records import dataclass
from treecli.wording import readable


@dataclass(frozen=True, slots=True)
class Leaf:
    """Predicts the same number for every row."""

    KIND: ClassVar[str] = "constant"
    value: float

    def expression(self) -> Expression:
        return Number(self.value)

    def wording(self, attributes: Sequence[Attribute]) -> str:
        return readable(self.value)

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        return {"value": self.value}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        value = record.get("value")
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= float_info.max:
            raise ValueError("'value' must be a finite number")
        if record.keys() != {"value"}:
            raise ValueError(f"has '{min(record.keys() - {'value'})}', which no constant has")
        return cls(float(value))
