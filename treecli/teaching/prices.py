"""Costs of attributes: the gain of a split is weighed against the cost of measuring its attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.criteria import EG2
from treecli.teaching.formulas import Count, Formula, Group, Power, Quotient, Result, Square, Step, added, difference

if TYPE_CHECKING:
    from treecli.settings import Settings
    from treecli.teaching.notation import Notation

SYMBOLS = {EG2: "EG2", "idx": "IDX", "csid3": "CS-ID3"}

NEGATIVE = "a negative gain counts as 0"


def symbol(settings: Settings) -> str:
    """Return the name of the score; empty if attributes have no costs."""
    return "" if settings.inputs.attribute_costs is None else SYMBOLS[settings.inputs.cost_method]


def step(gain: Step, attribute: str, notation: Notation, settings: Settings) -> Step:
    """Return the score of a split on an attribute: by EG2, IDX or CS-ID3."""
    method, weight = settings.inputs.cost_method, settings.inputs.cost_weight
    cost, own = Count(dict(settings.inputs.attribute_costs or ())[attribute]), _at_least_0(gain)
    name = notation.by_cost(SYMBOLS[method], gain.name.split)
    if method == EG2:  # Núñez 1991
        price: Formula = Group(added([cost, Count(1)]))
        price = price if weight == 1 else Power(price, Count(weight))
        formula = Quotient(Group(difference(Power(Count(2), own), Count(1))), price)
    else:  # Norton 1989; Tan and Schlimmer 1990
        formula = Quotient(own if method == "idx" else Square(own), cost)
    return Step(name, formula, gain.digits, NEGATIVE if gain.exact < 0 else "")


def _at_least_0(gain: Step) -> Formula:
    return Result(gain) if gain.exact >= 0 else Count(0)
