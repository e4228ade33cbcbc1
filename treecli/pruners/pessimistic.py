"""Pessimistic pruning: C4.5's error-based pruning, from the training counts alone (Quinlan 1993)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import TYPE_CHECKING

from treecli.conditions import number_text
from treecli.errors import UsageError
from treecli.pruners import option
from treecli.tree import Tree

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import Model

NEEDS_DATA = False

SLACK = 0.1
"""A leaf is preferred if it is expected to make at most this many errors more than the subtree (C4.5)."""

ROUNDING = 1e-6
"""Expected errors that differ by less are equal (Weka's J48)."""

NO_PESSIMISM = 0.5
"""Beyond this confidence the normal quantile would be negative, and nothing is added."""


@dataclass(frozen=True, slots=True)
class Options:
    """How likely the true error of a leaf is to be worse than what is assumed of it."""

    confidence: float = option(
        0.25,
        "The chance left that a leaf is worse than assumed, above 0 and at most 1: less prunes more, "
        "more than 0.5 assumes just the errors seen in training.",
    )

    def __post_init__(self) -> None:
        if not 0 < self.confidence <= 1:
            raise UsageError(f"--confidence {number_text(self.confidence)}: expected a number above 0 and at most 1")


def prune(model: Model, options: Options, dataset: Dataset | None) -> Tree:
    """The tree in which, bottom-up, a node is a leaf unless its subtree is expected to make clearly fewer errors."""
    if not model.schema.is_classification:
        raise UsageError(
            f"pessimistic pruning counts wrong labels, but the target '{model.schema.target.name}' is numeric",
            "give data that the tree was not grown from: --method reduced-error --data FILE",
        )
    tree = model.tree
    becomes_leaf = [False] * tree.n_nodes
    expected = [0.0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        outcomes = tree.outcomes_of(node)
        weight = sum(outcomes)
        errors = weight - max(outcomes)
        as_leaf = errors + added_errors(weight, errors, options.confidence)
        subtree = sum(expected[child] for child in tree.children(node))
        if tree.is_leaf(node):
            expected[node] = as_leaf
        elif as_leaf - (subtree + SLACK) < ROUNDING:
            becomes_leaf[node] = True
            expected[node] = as_leaf
        else:
            expected[node] = subtree
    return tree.collapsed(becomes_leaf.__getitem__)


def added_errors(weight: float, errors: float, confidence: float) -> float:
    """The errors that a leaf of this weight is expected to make beyond those it made in training.

    The upper limit, at this confidence, of a binomial proportion: exact where there is no error, Wilson's with a
    correction for continuity from one error on, and on the straight line between the two for a fraction of one. As
    Weka's J48, with the exact quantile of the normal distribution where C4.5 interpolates in a table.
    """
    if weight == 0 or confidence > NO_PESSIMISM:
        return 0.0
    if errors < 1:
        without_error: float = weight * (1 - confidence ** (1 / weight))
        if errors == 0:
            return without_error
        return without_error + errors * (added_errors(weight, 1.0, confidence) - without_error)
    if errors + 0.5 >= weight:
        return max(weight - errors, 0.0)
    z = _normal_quantile(confidence)
    rate = (errors + 0.5) / weight
    spread = sqrt(rate / weight - rate**2 / weight + (z / (2 * weight)) ** 2)
    limit = (rate + z**2 / (2 * weight) + z * spread) / (1 + z**2 / weight)
    return weight * limit - errors


@cache
def _normal_quantile(confidence: float) -> float:
    """The z that a standard normal variable exceeds with this probability."""
    from statistics import NormalDist  # imports much, and --help needs none of it

    return -NormalDist().inv_cdf(confidence)
