"""A weighted sum of numeric attributes: oblique splits.

One tree searches for the best sum. Where attributes are drawn at every node, as in a forest, so are the sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Self

from treecli.data import Attribute
from treecli.errors import UsageError
from treecli.expressions import Expression, Number, Product, Sum, Value
from treecli.records import dataclass
from treecli.wording import readable

if TYPE_CHECKING:
    from treecli.data import FloatArray, Schema
    from treecli.grow.proposals import OpenNodes, Proposal

LEAST_IMPROVEMENT = 0.01
"""A plane must gain more than the best attribute by this share of that attribute's gain."""

N_TOGETHER = 3
"""How many attributes a random sum has (Breiman 2001)."""

N_DIGITS = 3
"""The significant digits of a random factor."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Pairs of a factor and an attribute, in the order of the attributes."""

    KIND: ClassVar[str] = "linear"
    terms: tuple[tuple[float, int], ...]

    def expression(self) -> Expression:
        return Sum(
            tuple(
                Value(attribute) if factor == 1 else Product((Number(factor), Value(attribute)))
                for factor, attribute in self.terms
            )
        )

    def wording(self, attributes: Sequence[Attribute]) -> str:
        text = ""
        for factor, index in self.terms:
            sign = "-" if factor < 0 else "+"
            shown = "" if abs(factor) == 1 else f"{readable(abs(factor))} * "
            text += (f" {sign} " if text else sign.replace("+", "")) + shown + attributes[index].wording
        return text

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        return {"terms": [[factor, attributes[index].name] for factor, index in self.terms]}

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        index_of = {attribute.name: index for index, attribute in enumerate(attributes)}
        try:
            (_,) = record
            terms = tuple((_factor(factor), index_of[name]) for factor, name in record["terms"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError("needs only 'terms', pairs of a number and an attribute") from error
        if not terms or len({index for _, index in terms}) < len(terms):
            raise ValueError("'terms' must name at least one attribute, and none twice")
        return cls(terms)


def _factor(number: object) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
        raise ValueError("expected a finite number")
    return float(number)


def check(schema: Schema) -> None:
    """Raise UsageError if no sum of attributes can be made."""
    numeric = [attribute for attribute in schema.attributes if attribute.is_numeric]
    if len(numeric) < 2:
        found = f"only '{numeric[0].name}' is" if numeric else "none is"
        raise UsageError(
            f"--splits linear: needs at least two numeric attributes, {found}",
            "leave it out, or use --splits mofn",
        )


def propose(nodes: OpenNodes) -> Iterator[Proposal]:
    """Yield the best plane that was found at each node, if it gains more than the best attribute.

    Where attributes are drawn, yield as many random sums for each node as attributes are drawn at it.
    """
    import numpy as np

    from treecli.grow import hyperplanes
    from treecli.grow.proposals import Proposal

    attributes = [index for index, attribute in enumerate(nodes.schema.attributes) if attribute.is_numeric]
    if nodes.plan.n_sampled < len(nodes.schema.attributes):
        yield from _random_sums(nodes, attributes)
        return
    found, scored = hyperplanes.planes(nodes, attributes)
    if scored is None:
        return
    is_better = scored.candidates.gain > nodes.best.gain * (1 + LEAST_IMPROVEMENT)
    is_better &= np.count_nonzero(found, axis=1) > 1
    for node in np.flatnonzero(is_better).tolist():
        terms = ((factor, index) for factor, index in zip(found[node].tolist(), attributes, strict=True) if factor)
        yield Proposal(node, Feature(tuple(terms)), scored)


def _random_sums(nodes: OpenNodes, attributes: list[int]) -> Iterator[Proposal]:
    """Yield random sums of standardised attributes, with factors from -1 to 1 (Forest-RC: Breiman 2001).

    A sum is scaled so that its largest factor is 1 or -1, and its factors are rounded.
    """
    import numpy as np

    from treecli.grow.proposals import Proposal

    spread = nodes.kept("spread", lambda: _spread(nodes, attributes))
    usable = np.flatnonzero(np.isfinite(spread) & (spread > 0))
    if len(usable) < 2:
        return
    for node in range(nodes.level.n_nodes):
        random = nodes.random(node)
        for _ in range(nodes.plan.n_sampled):
            chosen = np.sort(random.permutation(usable)[:N_TOGETHER])
            factors = random.uniform(-1.0, 1.0, len(chosen)) / spread[chosen]
            factors /= np.abs(factors).max()
            terms = [
                (float(f"{factor:.{N_DIGITS}g}"), attributes[place])
                for factor, place in zip(factors.tolist(), chosen.tolist(), strict=True)
            ]
            yield Proposal(node, Feature(tuple(terms)))


def _spread(nodes: OpenNodes, attributes: list[int]) -> FloatArray:
    """Return the standard deviation of each attribute's known values at the root; 0 without any."""
    import numpy as np

    found = np.zeros(len(attributes))
    for place, attribute in enumerate(attributes):
        values = nodes.column(attribute)
        known = values[values == values]
        with np.errstate(invalid="ignore", over="ignore"):
            found[place] = known.std() if len(known) else 0.0
    return found
