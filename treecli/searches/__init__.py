"""Ways to search for a tree: each is a module with a function `grow`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.nodes import Nodes
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.threads import OnProgress


class Search(Protocol):
    """One way to search."""

    def grow(
        self,
        dataset: Dataset,
        plan: Plan,
        *,
        jobs: int | None,
        observers: Sequence[Observer],
        on_progress: OnProgress | None,
    ) -> Nodes:
        """Return the nodes of the tree in level order; add to plan.remarks how they were grown."""
        ...
