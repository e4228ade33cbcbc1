"""The levels of a tree on its way, and how they become a tree."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np

from treecli.candidates import Codes, Floats, Indices
from treecli.tree import ALL_BRANCHES, LEAF, Tree


@dataclass(slots=True)
class Level:
    """The nodes of one level, as leaves until a split is set."""

    outcomes: Floats
    kind: np.ndarray
    attribute: Codes
    number: Floats
    missing_to: Codes
    first_child: Indices
    n_branches: Codes
    score: Floats
    improvement: Floats
    table_size: Indices
    table: Codes
    further_size: Indices
    further: Floats
    first: Codes
    """The branch with the smaller mean of the target, or of the class numbers."""

    @classmethod
    def of_leaves(cls, outcomes: Floats) -> Level:
        n = len(outcomes)
        return cls(
            outcomes,
            np.full(n, LEAF, np.int8),
            np.full(n, LEAF, np.int32),
            np.zeros(n),
            np.full(n, ALL_BRANCHES, np.int32),
            np.zeros(n, np.int64),
            np.zeros(n, np.int32),
            np.zeros(n),
            np.zeros(n),
            np.zeros(n, np.int64),
            np.empty(0, np.int32),
            np.zeros(n, np.int64),
            np.empty(0),
            np.zeros(n, np.int32),
        )


def assembled(levels: list[Level], n_outcomes: int) -> Tree:
    """The tree that has these levels."""
    tree = Tree(n_outcomes)
    for name in ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score", "table", "further"):
        values: array[Any] = getattr(tree, name)
        for level in levels:
            values.frombytes(getattr(level, name).astype(values.typecode).tobytes())
    for level in levels:
        tree.outcomes.frombytes(level.outcomes.tobytes())
    for name in ("table", "further"):
        sizes = np.concatenate([getattr(level, f"{name}_size") for level in levels])
        getattr(tree, f"{name}_start").frombytes(np.cumsum(sizes).tobytes())
    return tree
