"""The cross-validation that chooses one of the nested trees of cost-complexity pruning."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from treecli.evaluate.folds import stratified
from treecli.grow.grow import grown
from treecli.model import TreeModel
from treecli.predict.predict import arrivals
from treecli.pruners._path import cross_validated, path_of
from treecli.pruners.cost_complexity import N_FOLDS
from treecli.teaching.checks import disagree
from treecli.teaching.classweights import is_judged
from treecli.teaching.numbers import MINUS, Digits
from treecli.teaching.prunetrace import Validated
from treecli.tree import predicted_codes
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.pruners._path import Path
    from treecli.teaching.prunings import Subject
    from treecli.tree import Tree


def validated(subject: Subject, path: Path) -> tuple[Validated, ...]:
    """Return the errors of every tree of a path in every fold, each compared with the pruning method's."""
    assert subject.tuning is not None
    model, dataset = subject.model, subject.tuning.labelled()
    assert dataset.target is not None
    n_folds = subject.options.folds or N_FOLDS
    learned = cross_validated(model, path, dataset, n_folds)
    prices = [sqrt(alpha * following) for alpha, following in pairwise(path.alpha)] + [inf]
    errors: list[list[float]] = [[] for _ in prices]
    squares = [0.0] * len(prices)
    derives = model.settings.splitting.splits or model.settings.inputs.project
    given = replace(model.schema, derived=()) if derives else model.schema  # each fold derives columns of its own
    for outside, inside in stratified(dataset.target, n_folds, model.settings.computing.seed):
        tree, schema = grown(replace(dataset.take(outside), schema=given), model.settings, jobs=1)
        own = TreeModel(schema, model.settings, (), tree)
        own_path, held = path_of(own), dataset.take(inside)
        for place, price in enumerate(prices):
            loss, square = _losses(own, own_path.pruned(tree, own_path.at(price)), held)
            errors[place].append(loss)
            squares[place] += square
    weight = float(dataset.weights.sum())
    found = []
    for place, (price, own_errors) in enumerate(zip(prices, errors, strict=True)):
        error = sum(own_errors) / weight
        standard_error = sqrt(max(squares[place] / weight - error**2, 0.0) / weight)
        name = f"the tree of {counted(path.n_leaves[place], 'leaf', 'leaves')}"
        disagree(0, name, "cross-validated error", error, learned.error[place])
        disagree(0, name, "standard error", standard_error, learned.standard_error[place], 1e-7)
        mean_square = squares[place] / weight
        found.append(Validated(path.n_leaves[place], price, tuple(own_errors), error, standard_error, mean_square))
    return tuple(found)


def _losses(model: TreeModel, tree: Tree, held: Dataset) -> tuple[float, float]:
    """Return the costs of a pruned tree on held-out cases, and the sum of their squares.

    A case may be in several leaves in parts. Without priors and costs, both are the weight of the wrong cases.
    """
    own = TreeModel(model.schema, model.settings, (), tree)
    arrived, label = arrivals(own, held), np.array(predicted_codes(tree))
    staying = arrived.copy()
    np.subtract.at(staying, np.array(tree.parents())[1:], arrived[1:])
    if not tree.class_scale and tree.costs is None:
        wrong = float(staying.sum() - staying[np.arange(len(label)), label].sum())
        return wrong, wrong
    n_classes = staying.shape[1]
    costs = 1.0 - np.eye(n_classes) if tree.costs is None else np.array(tree.costs)
    of_case = costs.T[label] * (np.array(tree.class_scale) if tree.class_scale else 1.0)
    return float((staying * of_case).sum()), float((staying * of_case**2).sum())


def lines(found: tuple[Validated, ...], path: Path, n_leaves: int, subject: Subject) -> list[str]:
    """Return the errors of every tree, and why one is chosen."""
    digits = subject.digits
    assert subject.tuning is not None
    weight = float(subject.tuning.labelled().weights.sum())
    texts = [
        f"  {len(found[0].errors)}-fold cross-validation, seed {subject.model.settings.computing.seed}: in each fold, "
        "the tree grown from the others is pruned at the geometric mean of the two alphas between which a tree is best"
    ]
    for place, own in enumerate(found):
        name = counted(own.n_leaves, "leaf", "leaves")
        price = "all alphas above"
        if place < len(found) - 1:
            low, high = digits.text(path.alpha[place]), digits.text(path.alpha[place + 1])
            price = f"alpha = √({low}·{high}) = {digits.text(own.price)}"
        total = " + ".join(map(digits.count, own.errors))
        is_cost = is_judged(subject.model.settings)
        share, square = digits.text(own.error), digits.text(own.mean_square)
        inside = f"({square} {MINUS} {share}²)" if is_cost else f"{share}·{digits.text(1 - own.error)}"
        what = "costs" if is_cost else "errors"
        texts.append(
            f"  {name}, {price}: {total} = {digits.count(sum(own.errors))} {what} of {digits.count(weight)} = "
            f"{share}, standard error √({inside}/{digits.count(weight)}) = {digits.text(own.standard_error)}"
        )
    return [*texts, f"  ⇒ {_reason(found, n_leaves, digits, is_one_se=subject.options.one_se)}"]


def _reason(found: tuple[Validated, ...], n_leaves: int, digits: Digits, *, is_one_se: bool) -> str:
    chosen = next(own for own in found if own.n_leaves == n_leaves)
    best = [own for own in found if own.error <= min(each.error for each in found) * (1 + 1e-9)][-1]
    name = counted(n_leaves, "leaf", "leaves")
    if not is_one_se:
        n_equal = sum(abs(own.error - best.error) <= 1e-9 for own in found)
        equal = f", the smallest of {n_equal} with it" if n_equal > 1 else ""
        return f"{name}: the least error, {digits.text(chosen.error)}{equal}"
    most = best.error + best.standard_error
    return (
        f"{name}: the smallest tree within a standard error of the least error: {digits.text(chosen.error)} ≤ "
        f"{digits.text(best.error)} + {digits.text(best.standard_error)} = {digits.text(most)}"
    )
