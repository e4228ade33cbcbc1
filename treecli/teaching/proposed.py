"""Columns that a tree proposes while it grows: all of them are columns of the data that are traced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from treecli import plugins
from treecli.errors import CheckError
from treecli.expressions import Number, Product, Sum
from treecli.grow.loop import Loop
from treecli.teaching.numbers import MINUS
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.data import Dataset, Feature, Schema
    from treecli.expressions import Expression
    from treecli.grow.candidates import Candidates
    from treecli.grow.choose import Chosen
    from treecli.grow.level import MemoryLevel
    from treecli.grow.observe import Observer, Remarks
    from treecli.grow.proposals import Proposals
    from treecli.kernels.args import Plan
    from treecli.teaching.numbers import Digits

ENGINE = "memory"

NO_COLUMN = -1

HINT = "use the data that the model was grown from"


def with_proposed(dataset: Dataset, plan: Plan) -> Dataset:
    """Return the data with every column that is proposed at some node; those of the tree are first, in its order."""
    proposed: dict[Feature, None] = {}

    def collect(level: MemoryLevel, candidates: Sequence[Candidates], chosen: Chosen) -> Remarks:
        assert loop.proposals is not None
        assert loop.proposals.last is not None
        for slot in loop.proposals.last.slots:
            proposed.update(dict.fromkeys(own for own in slot.features if own is not None))
        return {}

    engine = plugins.load("engines", ENGINE).Engine(dataset, plan, 1)
    loop = Loop(engine, plan, [cast("Observer", collect)])
    chosen = loop.run().features
    others = [own for own in proposed if own not in chosen]
    return replace(dataset, schema=dataset.schema.with_features([*chosen, *others]))


def columns_at(node: int, n_candidates: int, schema: Schema, proposals: Proposals | None) -> list[int]:
    """Return the column of each candidate at an open node; NO_COLUMN for a place without a proposal."""
    n_attributes = len(schema.attributes)
    columns = list(range(min(n_attributes, n_candidates)))
    if proposals is None or proposals.last is None:
        return columns
    number = {own.feature: n_attributes + place for place, own in enumerate(schema.derived)}
    found = [slot.features[node] for slot in proposals.last.slots]
    return columns + [NO_COLUMN if own is None else number[own] for own in found]


def columns_of(model: Schema, grown: Schema, used: Sequence[int]) -> dict[int, int]:
    """Return the number, among the columns that a tree was grown on, of each column of a model.

    `used` are the attributes that it was grown on. A model keeps only the derived columns that it asks about.
    """
    n_attributes = len(model.attributes)
    number = {own: place for place, own in enumerate(used) if own < n_attributes}
    places = {own.feature: place for place, own in enumerate(grown.columns) if hasattr(own, "feature")}
    for index, own in enumerate(model.derived, start=n_attributes):
        if own.feature not in places:
            raise CheckError(f"the model asks about '{own.name}', which is not found in these data", HINT)
        number[index] = places[own.feature]
    return number


def definitions(schema: Schema, digits: Digits) -> tuple[str, ...]:
    """Return how columns are computed from the attributes, if their names do not say it: those with a summary."""
    columns = [own for own in schema.derived if hasattr(own.feature, "summary")]
    return tuple(f"{quoted(own.name)} = {_text(own.feature.expression(), schema, digits)}" for own in columns)


def _text(expression: Expression, schema: Schema, digits: Digits) -> str:
    match expression:
        case Number():
            return digits.text(expression.value)
        case Product():
            return "·".join(_text(own, schema, digits) for own in expression.factors)
        case Sum():
            terms = " + ".join(_text(own, schema, digits) for own in expression.terms)
            return terms.replace(f"+ {MINUS}", f"{MINUS} ")
    return quoted(schema.attributes[expression.attribute].name)
