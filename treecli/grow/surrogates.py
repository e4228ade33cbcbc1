"""Surrogate splits: tests on other attributes that agree with the split on most cases (Breiman et al. 1984).

A case with a missing value takes the branch of the first surrogate whose value is known. If there is none, it takes the
branch of most cases with a known value; if both branches have equally many, it stays at the node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.candidates import Codes, Flags, Floats, Indices
from treecli.grow.thresholds import between
from treecli.kernels import surrogates
from treecli.kernels.args import Labels
from treecli.kernels.surrogate_args import Agreement, Splits
from treecli.records import dataclass
from treecli.splits._surrogate import StoredSurrogates, Surrogate, SurrogateColumns
from treecli.tree import STAYS

if TYPE_CHECKING:
    from treecli.grow.choose import Decision
    from treecli.grow.level import SentCases


@dataclass(frozen=True, slots=True)
class _Tests:
    """The best surrogate on one attribute at every open node, with the weight on which it agrees with the split."""

    agreeing: Floats
    number: Floats
    low_branch: Codes
    table: Codes | None = None


def fuller_branch(decision: Decision, n_rows_of_child: Indices) -> Codes:
    """Return the branch that prediction uses if no surrogate applies: the one with more rows, or none if they tie.

    Training differs, as in rpart: there the cases sent by surrogates are not counted.
    """
    missing_to = decision.missing_to.copy()
    is_two_way = np.diff(decision.first_child) == 2
    first = decision.first_child[:-1][is_two_way]
    missing_to[is_two_way] = _greater(n_rows_of_child[first], n_rows_of_child[first + 1])
    return missing_to


def _greater(of_0: Floats | Indices, of_1: Floats | Indices) -> Codes:
    """Return the branch with the larger number, or STAYS if equal."""
    return np.where(of_0 > of_1, 0, np.where(of_1 > of_0, 1, STAYS)).astype(np.int32)


def resolve(engine: Any, sent: SentCases) -> dict[int, Sequence[Surrogate]]:
    """Send the cases without a branch by surrogates; return the surrogates by index of the node in its level."""
    found = _Surrogates(engine, sent)
    found.send()
    return found.found()


class _Surrogates:
    """The surrogates of the two-way splits of a level."""

    def __init__(self, engine: Any, sent: SentCases) -> None:
        level, decision = sent.level, sent.decision
        self._engine = engine
        self._sent = sent
        self._schema = engine.schema
        self._settings = engine.plan.settings
        self._attribute = decision.attribute
        self._node_of_case: Indices = level.node_of_case
        self._is_two_way: Flags = np.diff(decision.first_child) == 2
        has_counts = bool((level.weight == 1.0).all())
        self._step = np.zeros(level.n_cases if has_counts else 0, np.int8)
        self.weight_of_branch = np.zeros((surrogates.SIDES, level.n_nodes))
        surrogates.weigh_branches(level.cases, self._splits(self._is_two_way))
        self._tests = engine.map(self._best, range(len(self._schema.attributes)), level.n_cases)
        self._rank(self._settings.missing.max_surrogates)

    def _splits(self, is_asked: Flags) -> Splits:
        """Return the splits as kernels take them."""
        splits = Splits()
        splits.branch, splits.first = self._sent.branch, self._sent.decision.first
        splits.step, splits.weight, splits.is_asked = self._step, self.weight_of_branch, is_asked.astype(np.uint8)
        splits.has_slip = self._settings.missing.surrogate_slip
        return splits

    def _rank(self, most: int) -> None:
        """Rank the attributes of each node's surrogates by agreement, largest first; ties go to the first."""
        agreeing = np.array([test.agreeing for test in self._tests])
        total, heavier = self.weight_of_branch.sum(axis=0), self.weight_of_branch.max(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.agreement = agreeing / total
            self.adjusted = (self.agreement - heavier / total) / (1 - heavier / total)
        is_useful = (agreeing > 0) & (self.adjusted > 0)
        self.ranked = np.argsort(np.where(is_useful, -self.agreement, np.inf), axis=0, kind="stable")[:most]
        self.n_useful = np.minimum(is_useful.sum(axis=0), most)

    def send(self) -> None:
        """Set the branch of each case without one; STAYS if no branch is found."""
        branch = self._sent.branch
        usual = _greater(*self.weight_of_branch)
        is_open = self._is_two_way[self._node_of_case] & (branch < 0)
        cases = np.flatnonzero(is_open)
        for rank in range(len(self.ranked)):
            cases = cases[branch[cases] < 0]
            attribute_of_case = np.where(
                rank < self.n_useful[self._node_of_case[cases]], self.ranked[rank][self._node_of_case[cases]], -1
            )
            for attribute in np.unique(attribute_of_case[attribute_of_case >= 0]).tolist():
                asked = cases[attribute_of_case == attribute]
                branch[asked] = self._branches(attribute, asked)
        cases = cases[branch[cases] < 0]
        branch[cases] = usual[self._node_of_case[cases]]

    def found(self) -> dict[int, Sequence[Surrogate]]:
        """Return the surrogates of each open node that has any, best first."""
        nodes = np.flatnonzero(self.n_useful > 0)
        n_useful = self.n_useful[nodes]
        end = np.cumsum(n_useful)
        node = np.repeat(nodes, n_useful)
        rank = np.arange(len(node)) - np.repeat(end - n_useful, n_useful)
        attribute = self.ranked[rank, node].astype(np.int32)
        number, first = np.zeros(len(node)), np.zeros(len(node), np.int32)
        table_size = np.zeros(len(node), np.int64)
        places = [np.flatnonzero(attribute == a) for a in range(len(self._tests))]
        for test, own in zip(self._tests, places, strict=True):
            number[own], first[own] = test.number[node[own]], test.low_branch[node[own]]
            table_size[own] = 0 if test.table is None else test.table.shape[1]
        table_start = np.concatenate([[0], np.cumsum(table_size)])
        table = np.empty(table_start[-1], np.int32)
        for test, own in zip(self._tests, places, strict=True):
            if test.table is not None:
                table[table_start[own][:, None] + np.arange(test.table.shape[1])] = test.table[node[own]]
        shares = self.agreement[attribute, node], self.adjusted[attribute, node]
        columns = SurrogateColumns(attribute, number, first, *shares, table_start, table)
        ranges = zip((end - n_useful).tolist(), end.tolist(), strict=True)
        stored = (StoredSurrogates(columns, begin, end) for begin, end in ranges)
        return dict(zip(nodes.tolist(), stored, strict=True))

    def _best(self, attribute: int) -> _Tests:
        level, n = self._sent.level, self._sent.level.n_nodes
        splits = self._splits(self._is_two_way & (self._attribute != attribute))
        agreeing, low_branch = np.empty(n), np.zeros(n, np.int32)
        found = Agreement()
        found.agreeing, found.low_branch = agreeing, low_branch
        described = self._schema.columns[attribute]
        if described.kind == "nominal":
            found.table = table = np.empty((n, len(described.labels)), np.int32)
            found.sides = sides = np.empty((surrogates.SIDES, len(described.labels)))
            found.n_cases = np.empty(sides.shape, np.int64)
            labels = Labels()
            labels.code_of_row, labels.first, labels.step = self._engine.columns[attribute], 0, 1
            labels.n_codes = len(described.labels)
            surrogates.best_groups(level.cases, labels, splits, found)
            return _Tests(agreeing, np.zeros(n), low_branch, table)
        found.lower, found.upper = lower, upper = np.zeros(n), np.ones(n)
        surrogates.best_cuts(level.cases, level.orders[attribute].args, splits, found)
        number = between(lower, upper, is_strict=self._engine.plan.is_strict)
        return _Tests(agreeing, np.floor(number) if described.kind == "ordinal" else number, low_branch)

    def _branches(self, attribute: int, cases: Indices) -> Codes:
        """Return the branches that the surrogates on an attribute give; negative if the value is missing too."""
        test, node = self._tests[attribute], self._node_of_case[cases]
        value = self._engine.columns[attribute][self._sent.level.row[cases]]
        if test.table is not None:
            return np.where(value < 0, -1, test.table[node, np.maximum(value, 0)])
        is_low = value <= test.number[node]
        branch = np.where(is_low, test.low_branch[node], 1 - test.low_branch[node])
        return np.where(value == value, branch, -1).astype(np.int32)
