"""Where the data are while a tree is grown: an engine counts and sends cases, and knows nothing of rules.

An engine is a class named `Engine` with the members of the protocol below. A level is a value: no method changes the
one it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from treecli.grow.candidates import Candidates, CountTables, Flags, Floats
    from treecli.grow.choose import Decision
    from treecli.grow.level import Level


class Engine(Protocol):
    """The data, and the cases of open nodes."""

    def root(self) -> Level:
        """The level of the root alone."""
        ...

    def tables(self, level: Any, attribute: int, center: Floats | None = None) -> Iterable[CountTables]:
        """The outcomes of each value that occurs at a node, in portions of nodes that fit into memory.

        The values of a numeric attribute are in rising order, with their numbers in `CountTables.value`. A numeric
        target is summed about `center`, or about the nodes' means.
        """
        ...

    def candidates(self, level: Any, attribute: int) -> Candidates:
        """The best split on an attribute at every open node."""
        ...

    def send(self, level: Any, decision: Decision) -> Any:
        """The cases with the branches that they take."""
        ...

    def outcomes(self, sent: Any) -> Floats:
        """The outcomes of the children, as a tree keeps them."""
        ...

    def open(self, sent: Any, outcomes: Floats, is_open: Flags, first_number: int) -> Level:
        """The level of the children that are open; the first child's number in the tree is given."""
        ...

    def map(self, work: Callable[[int], Any], attributes: Iterable[int], n_cases: int) -> list[Any]:
        """The results for all attributes, the same with any number of threads."""
        ...

    def close(self) -> None: ...
