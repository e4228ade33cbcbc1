"""The arithmetic of surrogate splits: on how many cases each sends the same way as the split of its node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import CheckError
from treecli.teaching.branches import branch_of_case, values_of
from treecli.teaching.checks import disagree
from treecli.teaching.formulas import Count, Group, Name, Quotient, Share, Step, difference
from treecli.teaching.trace import StandIn, StandIns
from treecli.tree import STAYS
from treecli.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.model import TreeModel
    from treecli.splits._surrogate import Surrogate
    from treecli.teaching.candidates import Writer
    from treecli.teaching.seen import Seen
    from treecli.teaching.tracing import Place


def stand_ins(model: TreeModel, place: Place, seen: Seen, writer: Writer) -> StandIns | None:
    """Return the surrogates of a node's split, checked against the learner's and the model's; None without any."""
    growth = writer.growth
    schema, split = growth.schema, growth.tree.split(place.grown)
    grown = growth.tree.surrogates.get(place.grown, ())
    if not model.tree.is_leaf(place.number):
        _check_model(place.number, grown, model.tree.surrogates.get(place.number, ()))
    if not grown:
        return None
    primary = branch_of_case(split, values_of(growth.dataset, split.attribute, seen.rows))
    sizes = [float(seen.weights[primary == branch].sum()) for branch in range(2)]
    column = schema.columns[split.attribute]
    texts = [split.condition(branch, schema).wording(column) for branch in range(2)]
    found = []
    for own in grown:
        values = values_of(growth.dataset, own.split.attribute, seen.rows)
        is_same = (primary >= 0) & (_sent(own, values) == primary)
        made = _stand_in(own, float(seen.weights[is_same].sum()), sizes, texts[0], writer)
        disagree(place.number, made.title, "agreement", made.agreement.exact, own.agreement)
        disagree(place.number, made.title, "adjusted agreement", made.adjusted.exact, own.adjusted)
        found.append(made)
    last = growth.tree.missing_to[place.grown]
    return StandIns(quoted(column.name), tuple(found), "" if last == STAYS else texts[last])


def _check_model(number: int, grown: Sequence[Surrogate], own: Sequence[Surrogate]) -> None:
    """Raise a CheckError if the model has other surrogates than these data and settings give."""
    if [each.split for each in own] != [each.split for each in grown]:
        raise CheckError(
            f"node {number}: the model has other surrogates than these data and settings give",
            "use the data that the model was grown from",
        )
    for first, second in zip(own, grown, strict=True):
        disagree(number, "a surrogate of the model", "agreement", second.agreement, first.agreement)


def _sent(own: Surrogate, values: NDArray[np.float64] | NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the branch of the node to which a surrogate sends each case, negative if it cannot."""
    branch = branch_of_case(own.split, values)
    return np.where(branch >= 0, np.array(own.branches)[np.maximum(branch, 0)], branch)


def _stand_in(own: Surrogate, agreeing: float, sizes: list[float], text: str, writer: Writer) -> StandIn:
    schema, digits = writer.growth.schema, writer.style.digits
    condition = own.split.condition(own.branches.index(0), schema)
    title = condition.wording(schema.columns[own.split.attribute])
    known, heavier = sum(sizes), max(sizes)
    agreement = Step(Name("Agreement", split=title), Share(agreeing, known), digits)
    excess = Group(difference(Count(agreeing), Count(heavier)))
    possible = Group(difference(Count(known), Count(heavier)))
    adjusted = Step(Name("Adjusted", split=title), Quotient(excess, possible), digits)
    return StandIn(title, text, agreement, adjusted)
