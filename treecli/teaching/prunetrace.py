"""The trace of a pruning as data: the comparisons of subtrees with leaves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PruneNode:
    """The comparison of a subtree with a leaf: two numbers, the terms of the first, and the lines that show them."""

    id: int
    heading: str
    lines: tuple[str, ...]
    subtree: float
    leaf: float
    terms: tuple[float, ...]
    is_replaced: bool
    branch: float | None = None
    """With subtree raising: the same number of the largest branch, with all cases of the node."""
    is_raised: bool = False


@dataclass(frozen=True, slots=True)
class Validated:
    """The cross-validation of one of the nested trees: its leaves, its price, the errors in every fold, and the error.

    The last tree has an infinite price. Under priors or costs, errors are costs.
    """

    n_leaves: int
    price: float
    errors: tuple[float, ...]
    error: float
    standard_error: float
    mean_square: float
    """The mean of the squares of the costs of cases; without priors and costs, the error."""


@dataclass(frozen=True, slots=True)
class PruneTrace:
    """How a tree is pruned; `is_dense`: nodes have a line each, without empty lines between them."""

    method: str
    title: tuple[str, ...]
    nodes: tuple[PruneNode, ...]
    is_dense: bool = False
    is_checked: bool = False
    """Whether the tree was compared with the method's already."""
    validation: tuple[Validated, ...] = ()
