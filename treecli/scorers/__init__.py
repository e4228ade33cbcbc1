"""Whose arithmetic decides between splits: each scorer is a module with the members of the protocol below."""

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
    """What candidates are ranked by, a row for each attribute and a column for each node.

    -inf: the candidate is out. Those whose merits differ by no more than the slack of the node are equal, and `second`
    decides, where there is one; then the first attribute. `score` is what a tree keeps of the chosen split.
    """

    merit: Floats
    slack: Floats | float
    score: Floats
    second: Floats | None = None


class Scorer(Protocol):
    """One arithmetic: how outcomes are summed, which cut or grouping of an attribute is best, and how they compare."""

    def refuses(self, settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
        """Why this arithmetic cannot serve these settings; None if it can."""
        ...

    def order(self, values: Floats, gap: float) -> SortedCases:
        """The cases of the root in the order of a column."""
        ...

    def root(self, label: Codes, target: Floats, weight: Floats, n_outcomes: int, plan: Plan) -> tuple[Floats, Floats]:
        """The outcomes of all cases as they add up, one row, and the centre of a numeric target."""
        ...

    def cuts(self, level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
        """The best cut of every node in the order of a column; `only_at` leaves one threshold to each."""
        ...

    def groups(self, engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
        """The best split on a nominal attribute at every node."""
        ...

    def at_data_values(self, found: Candidates, cuts: Cuts, values: Floats, column: Floats, plan: Plan) -> Candidates:
        """The candidates with thresholds at values of the data: `values` are sorted and distinct, `column` all rows."""
        ...

    def settle_root(self, level: MemoryLevel, outcomes: Floats, plan: Plan) -> None:
        """Corrects the outcomes of the root, as a tree keeps them, in place."""
        ...

    def settle(self, sent: SentCases, outcomes: Floats, plan: Plan) -> None:
        """Corrects the outcomes of children, as a tree keeps them, in place."""
        ...

    def open(self, outcomes: Floats, sums: Floats, rest: Floats, plan: Plan) -> tuple[Floats, Floats]:
        """The outcomes of open children as they add up, and their centres; for a numeric target."""
        ...

    def worth(self, candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Floats:
        """The gain of all cases of a node together; of a numeric target as a share of the node's deviance."""
        ...

    def rank(self, candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Ranking:
        """What candidates are ranked by; `gain` is -inf where a candidate is out already."""
        ...
