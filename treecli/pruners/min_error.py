"""Minimum-error pruning: least expected error by the m-estimate (Niblett, Bratko 1986; Cestnik, Bratko 1991)."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.outcomes.rows import total
from treecli.pruners import option
from treecli.records import dataclass
from treecli.tree import Tree, predicted_codes
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel

DATA = "none"

ROUNDING = 1e-12
"""Expected error rates that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Options:
    """The weight of the prior class distribution in a leaf."""

    m: float = option(
        2.0, "The number of cases to add to a leaf, with the class shares of the training data (m-estimate)."
    )

    def __post_init__(self) -> None:
        if not 0 <= self.m < inf:
            raise UsageError(f"--m {number_text(self.m)}: expected a number of 0 or more")


def prune(model: TreeModel, options: Options, dataset: Dataset | None) -> Tree:
    """The tree in which, bottom-up, a node is a leaf unless its branches have a lower expected error.

    Equality prunes. Branches are weighted by their training cases.
    """
    if not model.schema.is_classification:
        raise UsageError(
            f"minimum-error pruning counts wrong labels, but the target '{model.schema.target.name}' is numeric",
            "use cost-complexity or reduced-error pruning for numeric targets",
        )
    tree, m = model.tree, options.m
    whole = total(tree.outcomes_of(0))
    share = [count / whole if whole else 0.0 for count in tree.outcomes_of(0)]
    label = predicted_codes(tree)
    weight = tree.weights(is_classification=True)
    becomes_leaf = [False] * tree.n_nodes
    expected = [0.0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        expected[node] = static_error(tree.outcomes_of(node)[label[node]], weight[node], share[label[node]], m)
        below = sum(weight[child] for child in tree.children(node))
        backed_up = sum(weight[child] * expected[child] for child in tree.children(node)) / below if below else inf
        becomes_leaf[node] = expected[node] <= backed_up + ROUNDING
        expected[node] = min(expected[node], backed_up)
    return tree.collapsed(becomes_leaf.__getitem__)


def static_error(n_right: float, n: float, share: float, m: float) -> float:
    """The expected error rate of a leaf with n cases, n_right of its label, by the m-estimate: m further cases have the
    label with its share among all training cases."""
    return 1 - (n_right + m * share) / (n + m) if n + m else 0.0
