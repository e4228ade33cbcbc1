"""Ways to split the labels of a nominal attribute. Each is a module with a function `best`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from treecli.grow.candidates import Candidates, CountTables
    from treecli.kernels.args import Plan


class Grouping(Protocol):
    """One way to split labels."""

    def best(self, tables: CountTables, plan: Plan, *, is_ordered: bool = False) -> Candidates:
        """Return the best split of this kind at every node; gain is -inf if there is none.

        `is_ordered`: only adjacent labels may share a branch; for groupings that also support ordinal attributes.
        """
        ...
