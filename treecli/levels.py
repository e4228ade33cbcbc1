"""The levels of a tree on its way, and how they become a tree."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np

from treecli.candidates import Codes, Floats, Indices
from treecli.kernels import grow_mixed
from treecli.tree import ALL_BRANCHES, LEAF, Tree

UNEVEN = ("table", "further")
"""What a level keeps for all of its nodes in a row, as many numbers as each has."""


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


def flattened(levels: list[Level]) -> Level:
    """All levels as one, in their order."""
    return Level(*(np.concatenate([getattr(level, name) for level in levels]) for name in Level.__slots__))


def in_level_order(nodes: Level, table_start: Indices) -> tuple[Level, Codes]:
    """The nodes level by level, each level in the order of its parents, and the number that each of them had before.

    `table_start` is where the table of each node begins. None of them is split into bins.
    """
    order = np.empty(len(nodes.kind), np.int32)
    grow_mixed.level_order(nodes.first_child, nodes.n_branches, order)
    taken = Level(
        *(getattr(nodes, name)[order] if name not in UNEVEN else getattr(nodes, name) for name in Level.__slots__)
    )
    size = taken.table_size
    taken.table = nodes.table[np.repeat(table_start[order] - (np.cumsum(size) - size), size) + np.arange(size.sum())]
    taken.first_child = np.where(taken.n_branches > 0, 1 + np.cumsum(taken.n_branches) - taken.n_branches, 0)
    return taken, order


def as_bytes(values: np.ndarray, typecode: str) -> memoryview:
    """The bytes of numbers of this type, not copied where they have it: outcomes of many classes take much memory."""
    return memoryview(np.ascontiguousarray(values, typecode).reshape(-1).view(np.uint8))  # type: ignore[arg-type]


def assembled(levels: list[Level], n_outcomes: int) -> Tree:
    """The tree that has these levels."""
    tree = Tree(n_outcomes)
    for name in ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score", "table", "further"):
        values: array[Any] = getattr(tree, name)
        for level in levels:
            values.frombytes(as_bytes(getattr(level, name), values.typecode))
    for level in levels:
        tree.outcomes.frombytes(as_bytes(level.outcomes, tree.outcomes.typecode))
    for name in ("table", "further"):
        sizes = np.concatenate([getattr(level, f"{name}_size") for level in levels])
        getattr(tree, f"{name}_start").frombytes(np.cumsum(sizes).tobytes())
    return tree
