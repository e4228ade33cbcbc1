"""Merging sibling leaves that agree, where that changes no prediction."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

from treecli.splits import NO_BRANCH
from treecli.tree import ALL_BRANCHES, Tree, predicted_codes, predicted_values

if TYPE_CHECKING:
    from treecli.model import TreeModel

ROUNDING = 1e-12
"""Means and class shares that differ by less than this share are equal."""


def merged(model: TreeModel) -> Tree:
    """The tree in which a node whose leaves all predict what it would itself is a leaf.

    Labels stay, the probabilities of classes become those of the node. A row that takes several branches of a test
    higher up sums up what the leaves say of each class: below such a test, leaves are merged only if they agree in the
    share of every class. Which tests part a row is told by the training data: those of an attribute that had missing
    values there, and those without a branch for some label. A model that does not say what was missing may part a row
    at any test.
    """
    tree = model.tree
    says: list[int] | list[float] = predicted_codes(tree) if model.schema.is_classification else predicted_values(tree)
    is_below_parting = _below_parting(model)
    is_leaf = [tree.is_leaf(node) for node in range(tree.n_nodes)]
    for node in reversed(range(tree.n_nodes)):
        children = tree.children(node)
        if is_leaf[node] or not all(is_leaf[child] for child in children):
            continue
        if model.schema.is_classification:
            agree = all(says[child] == says[node] for child in children)
            agree = agree and (not is_below_parting[node] or _have_equal_shares(model, node))
        else:
            agree = all(isclose(says[child], says[node], rel_tol=ROUNDING) for child in children)
        is_leaf[node] = agree
    return tree.collapsed(is_leaf.__getitem__)


def _below_parting(model: TreeModel) -> list[bool]:
    """Whether a test above each node can send a row down several branches."""
    tree, attributes = model.tree, model.schema.attributes
    trained: dict[str, object] = next((step for step in model.lineage if "missing" in step), {})
    missing = trained.get("missing")
    may_miss = [not isinstance(missing, dict) or attribute.name in missing for attribute in attributes]
    is_below = [False] * tree.n_nodes
    for node in tree.inner_nodes():
        parts = tree.missing_to[node] == ALL_BRANCHES and (
            may_miss[tree.attribute[node]] or NO_BRANCH in tree.split(node).table
        )
        for child in tree.children(node):
            is_below[child] = is_below[node] or parts
    return is_below


def _have_equal_shares(model: TreeModel, node: int) -> bool:
    """Whether the classes have the same shares in all children of a node; those without a case say what it says."""
    if (
        model.settings.predicting.laplace
    ):  # one case more in each class changes the shares of few cases more than those of many
        return False
    tree = model.tree
    own = tree.outcomes_of(node)
    return all(
        isclose(count * sum(own), own_count * sum(counts), rel_tol=ROUNDING)
        for counts in map(tree.outcomes_of, tree.children(node))
        for count, own_count in zip(counts, own, strict=True)
    )
