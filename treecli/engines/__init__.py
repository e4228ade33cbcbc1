"""Engines hold the data while a tree is grown: they count and route cases, and do not decide on splits.

An engine is a class named `Engine` with the members of the protocol below. Levels are immutable: no method changes its
argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from treecli.grow.candidates import Candidates, CountTables, Flags, Floats
    from treecli.grow.choose import Chosen, Decision
    from treecli.grow.level import Level


class Engine(Protocol):
    """The data, and the cases of open nodes."""

    def root(self) -> Level:
        """Return the level that consists of the root."""
        ...

    def begin_level(self, level: Any) -> None:
        """Prepare for the methods below, for example by counting in one pass over the data."""
        ...

    def accept(self, level: Any, chosen: Chosen) -> None:
        """Raise an error if this engine cannot make a chosen split."""
        ...

    def tables(self, level: Any, attribute: int, center: Floats | None = None) -> Iterable[CountTables]:
        """Yield the count tables of an attribute, in portions of nodes that fit into memory.

        Values of a numeric attribute are in ascending order, in `CountTables.value`. A numeric target is summed about
        `center`, or by default about the nodes' means.
        """
        ...

    def candidates(self, level: Any, attribute: int) -> Candidates:
        """Return the best split on an attribute at every open node."""
        ...

    def send(self, level: Any, decision: Decision) -> Any:
        """Return the cases with the branches that they take."""
        ...

    def outcomes(self, sent: Any) -> Floats:
        """Return the outcomes of the children, in the tree's format."""
        ...

    def open(
        self, sent: Any, outcomes: Floats, is_open: Flags, first_number: int, *, is_consumed: bool = False
    ) -> Level:
        """Return the level of the open children; `first_number` is the first child's number in the tree.

        `is_consumed`: the level that was sent is not used any more, so its memory may be freed.
        """
        ...

    def map(self, work: Callable[[int], Any], attributes: Iterable[int], n_cases: int) -> list[Any]:
        """Return the results for all attributes; they do not depend on the number of threads."""
        ...

    def close(self) -> None: ...
