"""Attribute importance: the impurity decrease of each attribute's splits (Breiman et al. 1984)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log2, sqrt

from treecli import plugins
from treecli.model import TreeModel
from treecli.priors import altered_scale
from treecli.tree import DEVIANCE, MEAN, WEIGHT

USUAL_FOR_NUMBERS = "variance"


def importances(model: TreeModel) -> list[float]:
    """Return each attribute's share of the total impurity decrease; the shares sum to 1, or are all 0 if it is 0.

    Impurity is the criterion's, weighted by cases; priors and costs count as in training. Cases that stay at a node
    because their value is missing do not count there. Models at the leaves do not count.
    """
    sums = [0.0] * len(model.schema.columns)
    for node, decrease in _decreases(model):
        sums[model.tree.attribute[node]] += decrease
    return _shares(sums)


def importances_with_surrogates(model: TreeModel) -> list[float] | None:
    """Return the shares with surrogates, as rpart's `variable.importance`; None if the tree has no surrogates.

    A surrogate counts with the decrease of its split times its adjusted agreement.
    """
    if not model.tree.surrogates:
        return None
    sums = [0.0] * len(model.schema.columns)
    for node, decrease in _decreases(model):
        sums[model.tree.attribute[node]] += decrease
        for surrogate in model.tree.surrogates.get(node, ()):
            sums[surrogate.split.attribute] += decrease * surrogate.adjusted
    return _shares(sums)


def _decreases(model: TreeModel) -> Iterator[tuple[int, float]]:
    """Yield each inner node with the impurity decrease of its split."""
    settings, tree = model.settings, model.tree
    usual = settings.splitting.usual_criterion if model.schema.is_classification else USUAL_FOR_NUMBERS
    impurity = plugins.load("criteria", settings.splitting.criterion or usual).CRITERION.impurity
    taken = _DECREASES.get(impurity) or _by_classes(model, _IMPURITIES[impurity])
    for node in tree.inner_nodes():
        children = [tree.outcomes_of(child) for child in tree.children(node)]
        yield node, max(taken(tree.outcomes_of(node), children), 0.0)


def _shares(sums: list[float]) -> list[float]:
    total = sum(sums)
    return [part / total for part in sums] if total > 0 else sums


Decrease = Callable[[Sequence[float], Sequence[Sequence[float]]], float]
"""The impurity decrease of a split, from the statistics of its node and its children."""


def _by_classes(model: TreeModel, impurity: Callable[[Sequence[float]], float]) -> Decrease:
    settings, labels = model.settings, model.schema.target.labels
    scale = [1.0] * len(labels)
    if settings.predicting.priors is not None or settings.predicting.costs is not None:
        scale = altered_scale(settings.predicting.priors, settings.predicting.costs, labels, model.tree.outcomes_of(0))

    def decrease(node: Sequence[float], children: Sequence[Sequence[float]]) -> float:
        scaled = [[count * factor for count, factor in zip(child, scale, strict=True)] for child in children]
        together = [sum(counts) for counts in zip(*scaled, strict=True)]
        return impurity(together) - sum(map(impurity, scaled))

    return decrease


def _entropy(counts: Sequence[float]) -> float:
    total = sum(counts)
    return sum(count * log2(total / count) for count in counts if count > 0)


def _gini(counts: Sequence[float]) -> float:
    total = sum(counts)
    return sum(count * (1 - count / total) for count in counts if count > 0)


def _error(counts: Sequence[float]) -> float:
    return sum(counts) - max(counts)


def _between(node: Sequence[float], children: Sequence[Sequence[float]]) -> float:
    """Return the sum of squares between the children: the node's less those within the children."""
    total = sum(child[WEIGHT] for child in children)
    if not total > 0:
        return 0.0
    mean = sum(child[WEIGHT] * child[MEAN] for child in children) / total
    return sum(child[WEIGHT] * (child[MEAN] - mean) ** 2 for child in children)


def _less(node: Sequence[float], children: Sequence[Sequence[float]]) -> float:
    """Return the node's absolute deviations less the children's; those of the pooled children are not available."""
    return node[DEVIANCE] - sum(child[DEVIANCE] for child in children)


def _less_deviation(node: Sequence[float], children: Sequence[Sequence[float]]) -> float:
    """Return the weighted standard deviation of the pooled children less those of the children."""
    total = sum(child[WEIGHT] for child in children)
    pooled = _between(node, children) + sum(child[DEVIANCE] for child in children)
    return sqrt(total * pooled) - sum(sqrt(child[WEIGHT] * child[DEVIANCE]) for child in children)


_IMPURITIES = {"entropy": _entropy, "gini": _gini, "error": _error}
_DECREASES: dict[str, Decrease] = {"variance": _between, "absolute": _less, "deviation": _less_deviation}
