"""The least weight of a root: a lighter one is neither written nor read."""

from __future__ import annotations

from treecli.errors import DataError
from treecli.model import SMALLEST_WEIGHT
from treecli.outcomes.rows import total
from treecli.tree import WEIGHT, Tree


def lightness(tree: Tree, *, is_classification: bool) -> str | None:
    """Return how a root with cases weighs less than a tree can be grown from; None if it does not."""
    root = tree.outcomes_of(0)
    weight = total(root) if is_classification else root[WEIGHT]
    if not 0 < weight < SMALLEST_WEIGHT:
        return None
    return f"the root weighs {weight:g}, expected 0, or {SMALLEST_WEIGHT:g} or more"


def check_root(tree: Tree, *, is_classification: bool) -> None:
    """Raises a DataError if a tree has a root that is too light to be read again."""
    found = lightness(tree, is_classification=is_classification)
    if found is not None:
        hint = "scale the weights, or leave out rows that weigh almost nothing"
        raise DataError(f"a tree cannot be written: {found}", hint)
