"""Priors and costs: the weight of a case of each class in impurities, and the expected cost of each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treecli.priors import EQUAL, expected_costs
from treecli.teaching.checks import disagree
from treecli.teaching.formulas import Count, Formula, Given, Group, Name, Product, Quotient, Share, Step, Sum, added
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.kernels.args import Plan
    from treecli.model import TreeModel
    from treecli.priors import Costs
    from treecli.settings import Settings
    from treecli.teaching.numbers import Digits
    from treecli.tree import Tree

WEIGHT, COST = "Weight", "Cost"


def is_judged(settings: Settings) -> bool:
    """Return whether priors or costs decide with the counts."""
    return settings.predicting.priors is not None or settings.predicting.costs is not None


def scale_of(plan: Plan) -> np.ndarray | None:
    """Return the weight of a case of each class in impurities; None if it is 1 for all."""
    return np.asarray(plan.class_scale) if not plan.is_numeric and is_judged(plan.settings) else None


def weighting(model: TreeModel, plan: Plan, root: Sequence[float], digits: Digits) -> tuple[Step, ...]:
    """Return the step of the weight of each class, checked; none without priors and costs.

    `root` are the class weights of all cases. A class has the weight of its prior times all its costs, divided by the
    sum of that over all classes, and by its share of the cases (altered priors, Breiman et al. 1984).
    """
    scale = scale_of(plan)
    return () if scale is None else _weights(model, root, scale.tolist(), model.settings.predicting.costs, digits)


def weighting_by_priors(model: TreeModel, tree: Tree, digits: Digits) -> tuple[Step, ...]:
    """Return the step of the weight of each class in errors, checked: its prior divided by its share of the cases."""
    return _weights(model, tree.outcomes_of(0), tree.class_scale, None, digits) if tree.class_scale else ()


def _weights(
    model: TreeModel, root: Sequence[float], scale: Sequence[float], costs: Costs | None, digits: Digits
) -> tuple[Step, ...]:
    labels, total = model.schema.target.labels, sum(root)
    shares = [Share(count, total) for count in root]
    priors = _priors(model, shares)
    if costs is not None:
        priced: list[Formula] = [
            Product((prior, Count(sum(row[:i]) + sum(row[i + 1 :]))))
            for i, (prior, row) in enumerate(zip(priors, costs, strict=True))
        ]
        priors = [Quotient(own, Group(added(priced))) for own in priced]
    found = []
    for label, prior, share, learned in zip(labels, priors, shares, scale, strict=True):
        formula = Quotient(prior, Group(share)) if share.number > 0 else Count(1)
        step = Step(Name(WEIGHT, quoted(label)), formula, digits)
        disagree(0, quoted(label), "weight", step.exact, learned)
        found.append(step)
    return tuple(found)


def _priors(model: TreeModel, shares: Sequence[Share]) -> list[Formula]:
    labels, own = model.schema.target.labels, model.settings.predicting.priors
    if own is None:
        return list(shares)
    if own == EQUAL:
        return [Share(1, len(labels)) for _ in labels]
    assert isinstance(own, dict)
    return [Given(own[label]) for label in labels]


def costs_of_labels(
    number: int, tree: Tree, outcomes: Sequence[float], labels: Sequence[str], digits: Digits
) -> tuple[Step, ...]:
    """Return the step of the expected cost of each label at a leaf, checked; none without priors and costs.

    Cases of a class count by the prior of the class divided by its share of all cases.
    """
    if not tree.class_scale and tree.costs is None:
        return ()
    learned = expected_costs(outcomes, tree.class_scale, tree.costs)
    found = []
    for label, name in enumerate(labels):
        step = Step(Name(COST, quoted(name)), cost_of(outcomes, label, tree), digits)
        disagree(number, quoted(name), "cost", step.exact, learned[label], 1e-9 * max(1.0, learned[label]))
        found.append(step)
    return tuple(found)


def cost_of(outcomes: Sequence[float], label: int, tree: Tree) -> Sum | None:
    """Return the expected cost of a label at a leaf; None if all cases are in its class."""
    terms = [_term(count, true, label, tree) for true, count in enumerate(outcomes) if count > 0 and true != label]
    return added(terms) if terms else None


def _term(count: float, true: int, label: int, tree: Tree) -> Formula:
    factors: list[Formula] = [Count(count)]
    if tree.class_scale:
        factors.append(Given(tree.class_scale[true]))
    if tree.costs is not None:
        factors.append(Count(tree.costs[true][label]))
    return Product(tuple(factors)) if len(factors) > 1 else factors[0]
