"""Scorers: the arithmetic by which splits are compared. Each is a module with the members of `Scorer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.grow.candidates import Candidates, Codes, Cuts, Floats
    from treecli.grow.level import MemoryLevel, SentCases, SortedCases
    from treecli.kernels.args import Plan
    from treecli.missing import Policy
    from treecli.settings import Settings


class Ranking(NamedTuple):
    """The merits by which candidates are ranked, with one row per attribute and one column per node.

    A merit of -inf excludes the candidate. Merits that differ by at most the node's slack tie; ties go to the larger
    `second`, if given, then to the first attribute. `score` is the value stored in the tree for the chosen split.
    """

    merit: Floats
    slack: Floats | float
    score: Floats
    second: Floats | None = None


class Scorer(Protocol):
    """One arithmetic: how to sum outcomes, find the best cut or grouping of an attribute, and compare attributes."""

    def refuses(self, settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
        """Return why this arithmetic does not support these settings; None if it does."""
        ...

    def order(self, values: Floats, gap: float) -> SortedCases:
        """Return the cases of the root sorted by a column."""
        ...

    def root(self, label: Codes, target: Floats, weight: Floats, n_outcomes: int, plan: Plan) -> tuple[Floats, Floats]:
        """Return the additive outcomes of all cases, as one row, and the centre of a numeric target."""
        ...

    def cuts(self, level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
        """Return the best cut of every node in the order of a column; `only_at` allows one threshold per node."""
        ...

    def groups(self, engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
        """Return the best split on a nominal attribute at every node."""
        ...

    def at_data_values(self, found: Candidates, cuts: Cuts, values: Floats, column: Floats, plan: Plan) -> Candidates:
        """Move thresholds to data values; `values` are the sorted distinct values of `column`, which has all rows."""
        ...

    def settle_root(self, level: MemoryLevel, outcomes: Floats, plan: Plan) -> None:
        """Correct the outcomes of the root, in the tree's format, in place."""
        ...

    def settle(self, sent: SentCases, outcomes: Floats, plan: Plan) -> None:
        """Correct the outcomes of children, in the tree's format, in place."""
        ...

    def open(self, outcomes: Floats, sums: Floats, rest: Floats, plan: Plan) -> tuple[Floats, Floats]:
        """Return the additive outcomes of open children, and their centres; for a numeric target."""
        ...

    def worth(self, candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Floats:
        """Return gain times node weight; for a numeric target, as a share of the node's deviance."""
        ...

    def rank(self, candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Ranking:
        """Return the ranking of the candidates; `gain` is -inf for candidates already excluded."""
        ...
