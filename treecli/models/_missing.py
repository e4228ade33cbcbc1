"""Other policies for missing values in a tree, for `export`."""

from __future__ import annotations

from array import array
from dataclasses import replace

from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.outcomes.rows import total
from treecli.tree import WEIGHT, Tree


def tree_with_missing(model: TreeModel, policy: str, name: str) -> Tree:
    """Return the tree with another policy for missing values; raise a UsageError if it does not support it.

    With "error", rows with a missing value are not predicted. A label that no training case had at a node still takes
    the heaviest branch, as in a tree trained with --missing error.
    """
    tree = model.tree
    if policy == "branch":
        _check_branches(tree, name)
        return tree
    missing_to = array("i", tree.missing_to)
    for node in tree.inner_nodes():
        missing_to[node] = _heaviest(model, node)
    return replace(tree, missing_to=missing_to, surrogates={})


def _check_branches(tree: Tree, name: str) -> None:
    inner = list(tree.inner_nodes())
    lacking = [node for node in inner if tree.missing_to[node] < 0 or node in tree.surrogates]
    if lacking:
        raise UsageError(
            f"--missing branch: {len(lacking)} of {len(inner)} inner nodes of {name} have no branch for missing values",
            "train the model with --missing branch, or use --missing majority",
        )


def _heaviest(model: TreeModel, node: int) -> int:
    """Return the branch with the largest weight of training cases; ties go to the first."""
    tree = model.tree
    weights = [
        total(outcomes) if model.schema.is_classification else outcomes[WEIGHT]
        for outcomes in map(tree.outcomes_of, tree.children(node))
    ]
    return weights.index(max(weights))
