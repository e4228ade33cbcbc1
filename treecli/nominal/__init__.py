"""How the labels of a nominal attribute are split: each way is a module with a function `best`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from treecli.grow.candidates import Candidates, CountTables
    from treecli.kernels.args import Plan


class Grouping(Protocol):
    """One way to split labels."""

    def best(self, tables: CountTables, plan: Plan, *, is_ordered: bool = False) -> Candidates:
        """The best split of this kind at every node; gain is -inf where there is none.

        `is_ordered`: only neighbouring labels may share a branch; for groupings that take ordinal attributes too.
        """
        ...
