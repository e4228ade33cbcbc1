"""Merging of sibling leaves with the same prediction."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

from treecli.outcomes.rows import present, total
from treecli.predict.leafmodels import expressions
from treecli.splits import NO_BRANCH
from treecli.tree import ALL_BRANCHES, Tree, predicted_codes, predicted_values

if TYPE_CHECKING:
    from treecli.model import TreeModel

ROUNDING = 1e-12
"""Means and class shares with a smaller relative difference are equal."""


def merged(model: TreeModel) -> Tree:
    """The tree in which a node is a leaf if all its leaves predict the same as the node.

    Labels do not change; class probabilities become those of the node. A row that takes several branches of a test
    higher up sums the class shares of the leaves: below such a test, leaves are merged only if they agree in the share
    of every class. The training data tells which tests split a row: those of an attribute with missing values, and
    those without a branch for some label. If the lineage does not record missing values, any test may split a row.
    """
    tree = model.tree
    predictions: list[int] | list[float] = (
        predicted_codes(tree) if model.schema.is_classification else predicted_values(tree)
    )
    formulas = expressions(model)
    is_below_parting = _below_parting(model)
    is_leaf = [tree.is_leaf(node) for node in range(tree.n_nodes)]
    for node in reversed(range(tree.n_nodes)):
        children = tree.children(node)
        if is_leaf[node] or not all(is_leaf[child] for child in children):
            continue
        if model.schema.is_classification:
            agree = all(predictions[child] == predictions[node] for child in children)
            agree = agree and (not is_below_parting[node] or _have_equal_shares(model, node))
        elif any(place in formulas for place in (node, *children)):
            agree = all(formulas.get(child) == formulas.get(node) for child in children)
        else:
            agree = all(isclose(predictions[child], predictions[node], rel_tol=ROUNDING) for child in children)
        is_leaf[node] = agree
    return tree.collapsed(is_leaf.__getitem__)


def _below_parting(model: TreeModel) -> list[bool]:
    """Whether a test above each node can send a row down several branches."""
    tree, columns = model.tree, model.schema.columns
    trained: dict[str, object] = next((step for step in model.lineage if "missing" in step), {})
    missing = trained.get("missing")
    may_miss = [
        not isinstance(missing, dict) or any(columns[part].name in missing for part in model.schema.inputs([index]))
        for index in range(len(columns))
    ]
    is_below = [False] * tree.n_nodes
    for node in tree.inner_nodes():
        parts = tree.missing_to[node] == ALL_BRANCHES and (
            may_miss[tree.attribute[node]] or NO_BRANCH in tree.split(node).table
        )
        for child in tree.children(node):
            is_below[child] = is_below[node] or parts
    return is_below


def _have_equal_shares(model: TreeModel, node: int) -> bool:
    """Whether the classes have the same shares in all children of a node; empty children predict the same as it."""
    if (
        model.settings.predicting.laplace
    ):  # one case more in each class changes the shares of few cases more than those of many
        return False
    tree = model.tree
    own = tree.outcomes_of(node)
    return all(
        isclose(counts[code] * total(own), own[code] * total(counts), rel_tol=ROUNDING)
        for counts in map(tree.outcomes_of, tree.children(node))
        for code, _ in present(own)  # the children have no other classes
    )
