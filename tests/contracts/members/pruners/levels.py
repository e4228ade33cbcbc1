"""Keep the first levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.pruners import option
from treecli.tree import Tree

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel

DATA = "none"


@dataclass(frozen=True, slots=True)
class Options:
    """How much stays."""

    keep_levels: int = option(1, "How many levels of tests stay.")


def prune(model: TreeModel, options: Options, dataset: Dataset | None) -> Tree:
    """The tree without the tests below these levels."""
    tree = model.tree
    depth = [0] * tree.n_nodes
    for node in range(tree.n_nodes):
        for child in tree.children(node):
            depth[child] = depth[node] + 1
    return tree.collapsed(lambda node: depth[node] >= options.keep_levels)
