"""C5.0's pruning: error-based with C4.5's estimate, then globally within one standard error of the training errors.

The global step cuts the subtrees that save the fewest training errors per leaf, as long as all that it cuts saves no
more than the allowance sqrt(E (1 - E / N)), with E errors among N cases. From descriptions: no C5.0 was run.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.evaluate.pessimistic import normal_quantile
from treecli.pruners import option
from treecli.pruners._errorbased import becomes_leaf
from treecli.records import dataclass
from treecli.tree import Tree, risks
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.kernels.estimate import Estimate
    from treecli.model import TreeModel

DATA = "optional"

PRUNES_FURTHER = True
"""A pruned tree may be pruned again: each run allows one standard error more."""

MIXED_ABOVE = 1.0
"""C5.0 interpolates between no error and one only for nodes of more cases than this."""

ROUNDING = 1e-9
"""Prices that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Options:
    """The confidence of the local estimate, and which steps there are."""

    cf: float = option(
        0.25, "The confidence level of the error estimate, above 0 and at most 1: a lower level prunes more."
    )
    regrows: bool = option(
        True,
        "Replace a node by its largest branch if that has the least estimated error; needs the training data.",
        name="regrow",
    )
    globally: bool = option(
        True, "After that, cut the subtrees that save the fewest errors, up to one standard error.", name="global"
    )

    def __post_init__(self) -> None:
        if not 0 < self.cf <= 1:
            raise UsageError(f"--cf {number_text(self.cf)}: expected a number above 0 and at most 1")

    @property
    def raises(self) -> bool:
        """Whether a branch may replace its node."""
        return self.regrows


def prune(model: TreeModel, options: Options, dataset: Dataset | None) -> Tree:
    """The tree pruned node by node, then as a whole; with costs there is no global step."""
    if not model.schema.is_classification:
        raise UsageError(
            f"C5.0's pruning counts wrong labels, but the target '{model.schema.target.name}' is numeric",
            "use cost-complexity or reduced-error pruning for numeric targets",
        )
    if dataset is not None and options.regrows:
        from treecli.pruners._raising import raised

        tree = raised(model, dataset, _estimate(options), "--no-regrow")
    else:
        tree = model.tree.collapsed(becomes_leaf(model.tree, _estimate(options)).__getitem__)
    return globally_pruned(tree) if options.globally and tree.costs is None else tree


def _estimate(options: Options) -> Estimate:
    from treecli.kernels.estimate import Estimate

    return Estimate(options.cf, normal_quantile(options.cf, is_c45=True), True, MIXED_ABOVE)


def globally_pruned(tree: Tree) -> Tree:
    """The tree without the subtrees that are worth the least, up to one standard error of the training errors."""
    as_leaf = risks(tree, is_classification=True)
    is_leaf = [tree.is_leaf(node) for node in range(tree.n_nodes)]
    n_cases = sum(tree.outcomes_of(0))
    allowance: float | None = None
    while True:
        errors, n_leaves = _of_leaves(tree, as_leaf, is_leaf)
        if allowance is None:
            allowance = sqrt(max(errors[0] * (1 - errors[0] / n_cases), 0.0)) if n_cases else 0.0
        cheapest = _cheapest(tree, as_leaf, errors, n_leaves, is_leaf)
        extra = sum(as_leaf[node] - errors[node] for node in cheapest)
        if not cheapest or extra > allowance + ROUNDING:
            return tree.collapsed(is_leaf.__getitem__)
        allowance -= extra
        for node in cheapest:
            is_leaf[node] = True


def _of_leaves(tree: Tree, as_leaf: list[float], is_leaf: list[bool]) -> tuple[list[float], list[int]]:
    """The errors of the leaves below each node, and their number."""
    errors, n_leaves = list(as_leaf), [1] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        if not is_leaf[node]:
            errors[node] = sum(errors[child] for child in tree.children(node))
            n_leaves[node] = sum(n_leaves[child] for child in tree.children(node))
    return errors, n_leaves


def _cheapest(
    tree: Tree, as_leaf: list[float], errors: list[float], n_leaves: list[int], is_leaf: list[bool]
) -> list[int]:
    """The inner nodes whose leaves save the fewest errors per leaf removed; of nested ones the uppermost."""
    price = [inf] * tree.n_nodes
    reached = [0]
    for node in reached:  # grows during the loop: a queue
        if not is_leaf[node]:
            reached.extend(tree.children(node))
            price[node] = (as_leaf[node] - errors[node]) / max(n_leaves[node] - 1, 1)
    least = min(price)
    found: list[int] = []
    pending = [0] if least < inf else []
    while pending:
        node = pending.pop()
        if price[node] <= least + ROUNDING:
            found.append(node)
        elif not is_leaf[node]:
            pending.extend(tree.children(node))
    return found
