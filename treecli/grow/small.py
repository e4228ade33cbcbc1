"""Small nodes are set aside while levels are grown, and left to an accelerator when no others are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from treecli.threads import FEW_CASES

if TYPE_CHECKING:
    from treecli.grow.candidates import Indices
    from treecli.grow.level import MemoryLevel
    from treecli.grow.nodes import Nodes
    from treecli.threads import Shared

PORTIONS = 16
"""A node is small once it holds one in this many of the cases."""

SMALL_SHARE = 0.25
"""Small nodes leave their level once they hold this share of its cases: what stays is copied each time."""

MOST_LEVELS = 64
"""After this many levels, all nodes count as small: in a tree that loses its cases one by one, all are large."""


class SmallNodes:
    """The nodes that were set aside, and how their subtrees are grown.

    `most_cases`: a node that holds no more is small; None: as many as leave enough subtrees for the threads.
    """

    def __init__(
        self, grow: Callable[[MemoryLevel], Nodes], shared: Shared, n_cases: int, most_cases: int | None = None
    ) -> None:
        self._grow = grow
        self._shared = shared
        self._most_cases = max(n_cases // PORTIONS, FEW_CASES) if most_cases is None else most_cases
        self._aside: list[MemoryLevel] = []

    @property
    def n_cases(self) -> int:
        return sum(level.n_cases for level in self._aside)

    def set_aside(self, level: MemoryLevel) -> MemoryLevel:
        """The level without its small nodes, which are kept."""
        size = np.diff(level.start)
        is_small = size <= self._most_cases
        if level.depth >= MOST_LEVELS and self._most_cases > 0:
            is_small[:] = True
        if not is_small.any() or size[is_small].sum() < SMALL_SHARE * level.n_cases:
            return level
        portion = np.cumsum(np.where(is_small, size, 0)) // self._most_cases
        for own in np.unique(portion[is_small]).tolist():
            self._aside.append(level.part(is_small & (portion == own)))
        return level.part(~is_small)

    def grown(self) -> Iterator[tuple[Indices, Nodes]]:
        """The subtrees of all nodes that were set aside, with the numbers of these nodes; the largest first."""
        tasks = sorted(self._aside, key=lambda level: -level.n_cases)
        for n_done, (level, subtrees) in enumerate(zip(tasks, self._shared.map(self._grow, tasks), strict=True), 1):
            self._aside = tasks[n_done:]
            yield level.numbers, subtrees
