"""A weighted sum of numeric attributes; at each node, the best of some random ones is proposed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from treecli.data import Attribute
from treecli.expressions import Expression, Value, weighted_sum

if TYPE_CHECKING:
    from treecli.grow.proposals import OpenNodes, Proposal

N_TRIALS = 20


@dataclass(frozen=True, slots=True)
class Feature:
    KIND: ClassVar[str] = "weighted"
    terms: tuple[tuple[float, int], ...]

    def expression(self) -> Expression:
        return weighted_sum([(factor, Value(attribute)) for factor, attribute in self.terms])

    def wording(self, attributes: Sequence[Attribute]) -> str:
        return " + ".join(f"{factor:g} * {attributes[index].wording}" for factor, index in self.terms)

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        return {"terms": [[factor, attributes[index].name] for factor, index in self.terms]}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        index_of = {attribute.name: index for index, attribute in enumerate(attributes)}
        try:
            return cls(tuple((float(factor), index_of[name]) for factor, name in record["terms"]))
        except (KeyError, TypeError) as error:
            raise ValueError("'terms' must be pairs of a number and an attribute") from error


def propose(nodes: OpenNodes) -> Iterator[Proposal]:
    import numpy as np

    from treecli.grow.proposals import Proposal

    numeric = [index for index, attribute in enumerate(nodes.schema.attributes) if attribute.is_numeric]
    if len(numeric) < 2:
        return
    random = nodes.random(0)
    tried = []
    for _ in range(N_TRIALS):
        pair = random.choice(numeric, 2, replace=False).tolist()
        tried.append(Feature(tuple((round(float(random.normal()), 2), index) for index in pair)))
    gains = np.array([nodes.scored(nodes.values(feature.expression())).gain for feature in tried])
    for node, best in enumerate(gains.argmax(axis=0).tolist()):
        yield Proposal(node, tried[best])
