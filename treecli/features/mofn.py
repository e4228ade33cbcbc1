"""The number of literals that hold: m-of-n splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, inf, isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Self

from treecli.data import Attribute
from treecli.expressions import Expression, Holds, Sum
from treecli.records import dataclass
from treecli.values import Interval, condition_of

if TYPE_CHECKING:
    from treecli.grow.proposals import OpenNodes, Proposal


@dataclass(frozen=True, slots=True)
class Feature:
    """Literals, each a set of values of one attribute; the number is missing where one of their attributes is."""

    KIND: ClassVar[str] = "mofn"
    literals: tuple[Holds, ...]

    def expression(self) -> Expression:
        return Sum(self.literals)

    def wording(self, attributes: Sequence[Attribute]) -> str:
        return f"count of {self._set(attributes)}"

    def interval_wording(self, low: float, high: float, attributes: Sequence[Attribute]) -> str:
        """Return "at least 2 of {…}"; a count is a whole number, so that 1.5 and 1.7 are the same bound."""
        n = len(self.literals)
        least = 0 if low == -inf else min(max(floor(low) + 1, 0), n + 1)
        most = n if high == inf else max(min(floor(high), n), -1)
        if least == most:
            text = {0: "none", n: "all"}.get(least, f"exactly {least}")
        elif high == inf or most == n:
            text = f"at least {least}"
        else:
            text = f"at most {most}" if least == 0 else f"{least} to {most}"
        return f"{text} of {self._set(attributes)}"

    def _set(self, attributes: Sequence[Attribute]) -> str:
        return f"{{{', '.join(_wording(literal, attributes[literal.attribute]) for literal in self.literals)}}}"

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        return {"literals": [_record(literal, attributes[literal.attribute]) for literal in self.literals]}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        index_of = {attribute.name: index for index, attribute in enumerate(attributes)}
        try:
            (_,) = record
            literals = tuple(_literal(own, index_of[own["attribute"]], attributes) for own in record["literals"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError("needs only 'literals', each an attribute with 'labels', 'above' or 'at_most'") from error
        if not literals:
            raise ValueError("'literals' must not be empty")
        return cls(literals)


def _wording(literal: Holds, attribute: Attribute) -> str:
    """Return a literal as text; labels from the first or up to the last of an ordinal attribute as a comparison."""
    if attribute.kind == "ordinal" and literal.labels is not None and len(literal.labels) > 1:
        first, last = literal.labels[0], literal.labels[-1]
        if len(literal.labels) == last - first + 1 and (first == 0 or last == len(attribute.labels) - 1):
            low, high = (-inf, last) if first == 0 else (first - 1, inf)
            return Interval(literal.attribute, low, high).wording(attribute)
    return condition_of(literal).wording(attribute)


def _record(literal: Holds, attribute: Attribute) -> dict[str, Any]:
    if literal.labels is not None:
        return {"attribute": attribute.name, "labels": [attribute.labels[code] for code in literal.labels]}
    word, bound = ("above", literal.low) if literal.high == inf else ("at_most", literal.high)
    return {"attribute": attribute.name, word: bound}


def _literal(record: dict[str, Any], index: int, attributes: Sequence[Attribute]) -> Holds:
    own = {key: value for key, value in record.items() if key != "attribute"}
    ((key, value),) = own.items()
    if key == "labels":
        codes = sorted(attributes[index].labels.index(label) for label in value)
        if not codes or len(set(codes)) < len(codes):
            raise ValueError("expected different labels")
        return Holds(index, labels=tuple(codes))
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("expected a finite number")
    if key not in ("above", "at_most"):
        raise KeyError(key)
    return Holds(index, low=float(value)) if key == "above" else Holds(index, high=float(value))


def propose(nodes: OpenNodes) -> Iterator[Proposal]:
    """Yield the set of literals that hill climbing finds at each node."""
    from treecli.grow import literals
    from treecli.grow.proposals import Proposal

    for node, own in literals.found(nodes):
        own.sort(key=lambda literal: (literal.attribute, literal.labels or (), literal.low, literal.high))
        yield Proposal(node, Feature(tuple(own)))
