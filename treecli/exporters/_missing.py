"""A model with another rule for missing values: same tree, same predictions for rows without missing values."""

from __future__ import annotations

from array import array
from dataclasses import replace

from treecli.errors import UsageError
from treecli.model import Model
from treecli.rules.rulelist import RuleList
from treecli.tree import WEIGHT, Tree

POLICIES = ("majority", "branch", "error")
"""A missing value takes the heaviest branch, or the one that its node names, or is an error."""

ERROR = "error"

CURE = "export it with --missing majority, which sends a missing value down the heaviest branch"
"""The hint where a language cannot send rows down all branches."""


def with_missing(model: Model | RuleList, policy: str, name: str) -> Model | RuleList:
    """The model under one of POLICIES; raises a UsageError where it has no such rule.

    With "error" no row with a missing value is predicted. A label that no training case had at a node still goes down
    the heaviest branch, as in a tree that was trained with --missing error.
    """
    if isinstance(model, RuleList):
        if policy == ERROR:
            return model
        raise UsageError(
            f"--missing {policy}: {name} is a rule list, and each of its conditions says whether a missing value "
            "satisfies it",
            "change the tree and make the rules again, or edit the rules",
        )
    if policy == "branch":
        _check_branches(model.tree, name)
        return model
    tree = model.tree
    missing_to = array("i", tree.missing_to)
    for node in tree.inner_nodes():
        missing_to[node] = _heaviest(model, node)
    changed = replace(tree, missing_to=missing_to, surrogates={})
    return replace(model, tree=changed, settings=model.settings.changed(missing=policy))


def _check_branches(tree: Tree, name: str) -> None:
    inner = list(tree.inner_nodes())
    lacking = [node for node in inner if tree.missing_to[node] < 0 or node in tree.surrogates]
    if lacking:
        raise UsageError(
            f"--missing branch: {len(lacking)} of {len(inner)} inner nodes of {name} have no branch for missing values",
            "train the model with --missing branch, or use --missing majority",
        )


def _heaviest(model: Model, node: int) -> int:
    """The branch with the largest weight of training cases, the first of equals."""
    tree = model.tree
    weights = [
        sum(outcomes) if model.schema.is_classification else outcomes[WEIGHT]
        for outcomes in map(tree.outcomes_of, tree.children(node))
    ]
    return weights.index(max(weights))
