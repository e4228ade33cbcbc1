"""The number of literals that hold, over all nominal and numeric attributes; each node gets one proposal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import TYPE_CHECKING, Any, ClassVar, Self

from treecli.data import Attribute
from treecli.expressions import Expression, Holds, Sum

if TYPE_CHECKING:
    from treecli.grow.proposals import OpenNodes, Proposal


@dataclass(frozen=True, slots=True)
class Feature:
    KIND: ClassVar[str] = "literals"
    literals: tuple[tuple[int, float | tuple[int, ...]], ...]
    """By attribute: the number that it is above, or its labels."""

    def expression(self) -> Expression:
        return Sum(
            tuple(
                Holds(index, labels=values) if isinstance(values, tuple) else Holds(index, values, inf)
                for index, values in self.literals
            )
        )

    def wording(self, attributes: Sequence[Attribute]) -> str:
        texts = []
        for index, values in self.literals:
            described = attributes[index]
            if isinstance(values, tuple):
                labels = ", ".join(described.labels[code] for code in values)
                texts.append(f"{described.wording} in {{{labels}}}")
            else:
                texts.append(f"{described.wording} > {values:g}")
        return f"count of {{{', '.join(texts)}}}"

    def interval_wording(self, low: float, high: float, attributes: Sequence[Attribute]) -> str | None:
        own = self.wording(attributes).removeprefix("count ")
        if low == -inf:
            return f"at most {floor(high)} {own}"
        return f"at least {floor(low) + 1} {own}" if high == inf else None

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        return {
            "literals": [
                [
                    attributes[index].name,
                    *([attributes[index].labels[code] for code in values] if isinstance(values, tuple) else [values]),
                ]
                for index, values in self.literals
            ]
        }

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        index_of = {attribute.name: index for index, attribute in enumerate(attributes)}
        literals: list[tuple[int, float | tuple[int, ...]]] = []
        for name, *values in record["literals"]:
            described = attributes[index_of[name]]
            if described.is_numeric:
                literals.append((index_of[name], float(values[0])))
            else:
                literals.append((index_of[name], tuple(described.labels.index(label) for label in values)))
        return cls(tuple(literals))


def propose(nodes: OpenNodes) -> Iterator[Proposal]:
    import numpy as np

    from treecli.grow.proposals import Proposal

    for node in range(nodes.level.n_nodes):
        own = slice(*nodes.level.start[node : node + 2])
        literals: list[tuple[int, float | tuple[int, ...]]] = []
        for index, attribute in enumerate(nodes.schema.attributes):
            values = nodes.column(index)[own]
            if attribute.is_numeric and not np.isnan(values).all():
                literals.append((index, float(np.nanmedian(values))))
            elif attribute.kind == "nominal":
                literals.append((index, tuple(range(0, len(attribute.labels), 2))))
        if len(literals) > 1:
            yield Proposal(node, Feature(tuple(literals)))
