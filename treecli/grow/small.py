"""Set small nodes aside while levels are grown; an accelerator grows them when no other nodes are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from treecli.grow.nodes import Graft, Joined
from treecli.threads import FEW_CASES, MANY_ROWS

if TYPE_CHECKING:
    from treecli.grow.level import MemoryLevel
    from treecli.grow.nodes import Nodes, Parts
    from treecli.threads import Shared

PORTIONS = 16
"""A node is small if it holds at most 1 / PORTIONS of the cases."""

SMALL_SHARE = 0.25
"""Small nodes leave their level once they hold this share of its cases: the remaining cases are copied each time."""

MOST_LEVELS = 64
"""After this many levels, all nodes count as small: in a degenerate, chain-like tree all nodes are large."""


NODES_PER_CASE = 3
"""A tree seldom has more nodes."""

MOST_ROOM = 1 << 22
"""The limit on nodes that room is made for before they are grown."""


class NodesAside(Protocol):
    """Nodes that leave the loop over levels, and whose subtrees are grown when no other nodes are open."""

    @property
    def n_cases(self) -> int: ...

    def set_aside(self, level: Any) -> Any:
        """Set some nodes of the level aside, and return the level without them; the given one is not used again."""
        ...

    def grown(self) -> Iterator[Graft]:
        """Yield the numbers of nodes that were set aside, and their subtrees."""
        ...

    def joined(self) -> Parts:
        """Return what the nodes of the levels and subtrees are added to."""
        ...


class SmallNodes:
    """The nodes set aside, and the function that grows their subtrees.

    A node with at most `most_cases` cases is small; None: a limit that leaves enough subtrees for all threads.
    """

    def __init__(
        self, grow: Callable[[MemoryLevel], Nodes], shared: Shared, n_cases: int, most_cases: int | None = None
    ) -> None:
        self._grow = grow
        self._shared = shared
        self._room = min(NODES_PER_CASE * n_cases, MOST_ROOM)
        self._most_cases = max(n_cases // PORTIONS, FEW_CASES) if most_cases is None else most_cases
        self._aside: list[MemoryLevel] = []
        self._n_growing = 0

    @property
    def n_cases(self) -> int:
        return self._n_growing + sum(level.n_cases for level in self._aside)

    def set_aside(self, level: MemoryLevel) -> MemoryLevel:
        """Set the small nodes of the level aside, and return the level without them."""
        size = level.size
        is_small = size <= self._most_cases
        if level.depth >= MOST_LEVELS and self._most_cases > 0:
            is_small[:] = True
        if not is_small.any() or size[is_small].sum() < SMALL_SHARE * level.n_cases:
            return level
        if level.n_cases <= self._most_cases and is_small.all():
            self._aside.append(level)
            return level.part(~is_small)
        portion = np.cumsum(np.where(is_small, size, 0)) // self._most_cases
        parts = [np.flatnonzero(is_small & (portion == own)) for own in np.unique(portion[is_small]).tolist()]
        *aside, rest = level.divided([*parts, np.flatnonzero(~is_small)])
        self._aside += aside
        return rest

    def joined(self) -> Joined:
        return Joined(self._room)

    def grown(self) -> Iterator[Graft]:
        """Yield the numbers of the nodes set aside with their subtrees, largest first."""
        tasks: dict[int, MemoryLevel] = dict(enumerate(sorted(self._aside, key=lambda level: -level.n_cases)))
        roots, n_cases = [level.numbers for level in tasks.values()], [level.n_cases for level in tasks.values()]
        self._aside = []
        self._n_growing = sum(n_cases)

        def grow(place: int) -> Nodes:
            # Nothing else refers to the cases, so their room is free when the subtrees are grown.
            return self._grow(tasks.pop(place))

        is_large = self._n_growing >= MANY_ROWS
        for place, subtrees in enumerate(self._shared.map(grow, range(len(roots)))):
            self._n_growing -= n_cases[place]
            if is_large:
                from treecli.grow.allocation import return_freed_pages  # small trees need none of it

                return_freed_pages()
            yield Graft(roots[place], subtrees)
