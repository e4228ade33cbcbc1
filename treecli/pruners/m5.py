"""Pruning of model trees by the estimated error of the models at their nodes (Quinlan 1992; Wang, Witten 1997)."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.modeltrees.smoothing import own_model, smoothed
from treecli.records import dataclass
from treecli.tree import DEVIANCE, WEIGHT, Tree

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel

DATA = "none"

TAKES_LEAF_MODELS = True

NUMERIC_ONLY = True

PENALTY = 2.0
"""Each parameter of a model counts this many times: the error of n cases is multiplied by (n + 2 v) / (n - v)."""

FACTOR_OF_FEW = 10.0
"""The factor for no more cases than parameters."""

NEGLIGIBLE = 1e-5
"""A model whose estimated error is a smaller share of the standard deviation of all cases always replaces a subtree."""


@dataclass(frozen=True, slots=True)
class Options:
    """There are none."""


def prune(model: TreeModel, options: Options, dataset: Dataset | None) -> Tree:
    """The tree in which, bottom-up, a node becomes a leaf with its model unless its branches have a lower error.

    Equality prunes. Leaves are smoothed again if the model's were. A node without a model predicts its mean.
    """
    check(model)
    tree = model.tree
    n = [tree.outcomes_of(node)[WEIGHT] for node in range(tree.n_nodes)]
    overall = sqrt(tree.outcomes_of(0)[DEVIANCE] / n[0]) if n[0] else 0.0
    squares, size = [0.0] * tree.n_nodes, [1.0] * tree.n_nodes
    becomes_leaf = [False] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        error, own_size = own_error(tree, node)
        if not tree.is_leaf(node) and n[node] > 0:
            below = sum(squares[child] for child in tree.children(node))
            below_size = 1.0 + sum(size[child] for child in tree.children(node))
            estimate = error * factor(n[node], own_size)
            if estimate > sqrt(below / n[node]) * factor(n[node], below_size) and estimate >= NEGLIGIBLE * overall:
                squares[node], size[node] = below, below_size
                continue
            becomes_leaf[node] = True
        squares[node], size[node] = error * error * n[node], own_size
    pruned = tree.collapsed(becomes_leaf.__getitem__)
    return replace(pruned, leaf_models=smoothed(pruned, is_on=model.settings.predicting.smooths))


def check(model: TreeModel) -> None:
    """Raise a UsageError for a tree without squared errors."""
    if model.schema.is_classification or model.takes_medians:
        raise UsageError(
            f"M5's pruning compares squared errors of numbers, which '{model.schema.target.name}' does not have"
            if model.schema.is_classification
            else "M5's pruning compares squared errors, but the tree predicts medians",
            "use pessimistic pruning" if model.schema.is_classification else "use cost-complexity pruning",
        )


def factor(n: float, n_parameters: float) -> float:
    """The factor by which the error of a model on its own n cases is multiplied."""
    return FACTOR_OF_FEW if n <= n_parameters else (n + PENALTY * n_parameters) / (n - n_parameters)


def own_error(tree: Tree, node: int) -> tuple[float, float]:
    """Return the root mean squared error of the node's own model, and the number of its parameters."""
    leaf = own_model(tree, node)
    if leaf is not None:
        return leaf.rmse, 1.0 + len(leaf.own.terms)
    weight, _, deviance = tree.outcomes_of(node)
    return (sqrt(deviance / weight) if weight > 0 else 0.0), 1.0
