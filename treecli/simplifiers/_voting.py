"""C5.0's choice of rules that vote: a start for each class, then adding and dropping by description length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from treecli.simplifiers._description import log2_factorial
from treecli.simplifiers._near import weights_by_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import CodeArray, FloatArray

    Rows = NDArray[np.int64]
    Truth = NDArray[np.bool_]

MINCASES = 2.0
"""The least number of correct cases of a rule in the start, and what it must win there."""

THEORY_SHARE = 0.23
"""The weight of bits for rules against bits for exceptions."""

MOST_EXCEPTIONS, INSTEAD = 0.5, 0.45
"""An expected error rate above the former is replaced by the latter."""

NO_ERRORS = 1e-3
"""With errors of less weight, no rule is added."""


@dataclass(frozen=True, slots=True)
class Voter:
    """A rule that may vote: its label, its vote in thousandths, its length in bits and the rows that it covers."""

    label: int
    vote: int
    bits: float
    rows: Rows


def vote_of(n: float, errors: float) -> int:
    """Return the vote of a rule in thousandths: the share of correct cases with Laplace's correction, rounded."""
    return int(1000 * (n - errors + 1) / (n + 2) + 0.5)


def start(voters: Sequence[Voter], target: CodeArray, weights: FloatArray) -> list[int]:
    """Return the rules to start with: class by class those of the highest votes, while they win more than they lose."""
    found = []
    for label in sorted({voter.label for voter in voters}):
        is_class = target == label
        covered = np.zeros(len(target), bool)
        order = sorted(
            (place for place, voter in enumerate(voters) if voter.label == label), key=lambda p: -voters[p].vote
        )
        for place in order:
            rows = voters[place].rows
            uncovered, false = float(weights[is_class & ~covered].sum()), float(weights[~is_class & covered].sum())
            if uncovered <= false:
                break
            if float(weights[rows][is_class[rows]].sum()) < MINCASES:
                continue
            new = rows[~covered[rows]]
            won = float(weights[new][is_class[new]].sum()) - float(weights[new][~is_class[new]].sum())
            if won > MINCASES:
                found.append(place)
                covered[rows] = True
    return found


def default_label(uncovered: FloatArray, class_weights: FloatArray) -> int:
    """Return the label for cases that no rule covers, given the weight of each class among them and among all."""
    merit = (uncovered + 1) / (uncovered.sum() + 2) + class_weights / class_weights.sum()
    return int(merit.argmax())


class Election:
    """A set of rules that vote, with the errors of their votes; rules are added and dropped one by one."""

    def __init__(
        self, voters: Sequence[Voter], target: CodeArray, weights: FloatArray, n_labels: int, tree_errors: float
    ) -> None:
        self._voters, self._target, self._weights = voters, target, weights
        self._n_labels = n_labels
        self._class_weights = weights_by_code(target, weights, n_labels)
        self._total = float(weights.sum())
        rate = (tree_errors + n_labels - 1) / (self._total + n_labels)
        rate = INSTEAD if rate > MOST_EXCEPTIONS else rate
        self._error_bits = -log2(rate) + (log2(n_labels - 1) if n_labels > 1 else 0.0)
        self._other_bits = -log2(1 - rate)
        self._votes = np.zeros((len(target), n_labels), np.int64)
        self._n_covering = np.zeros(len(target), np.int64)
        self.is_in = np.zeros(len(voters), bool)
        self._bits = 0.0
        self._errors, self._uncovered = 0.0, self._class_weights
        # What toggling each rule changes: errors among covered rows, and the class weights of uncovered rows.
        self._change: list[tuple[float, FloatArray] | None] = [None] * len(voters)
        n_covered = [len(voter.rows) for voter in voters]
        rows = np.concatenate([voter.rows for voter in voters]) if voters else np.empty(0, np.int64)
        order = np.argsort(rows, kind="stable")
        self._rules_of_rows = np.repeat(np.arange(len(voters)), n_covered)[order]
        self._start_of_row = np.searchsorted(rows[order], np.arange(len(target) + 1))

    def toggle(self, place: int) -> None:
        """Add a rule that is not in the set, or drop one that is."""
        errors, uncovered = self._changed(place)
        voter, sign = self._voters[place], -1 if self.is_in[place] else 1
        self._errors, self._uncovered = self._errors + errors, self._uncovered + uncovered
        self._votes[voter.rows, voter.label] += sign * voter.vote
        self._n_covering[voter.rows] += sign
        self.is_in[place] = sign > 0
        self._bits += sign * voter.bits
        for other in np.unique(self._rules_at(voter.rows)).tolist():
            self._change[other] = None

    def cost(self) -> int:
        """Return the description length of the set and its errors, in hundredths of a bit."""
        return self._cost(self._errors, self._uncovered, self._bits, int(self.is_in.sum()))

    def errors(self) -> float:
        """Return the weight of the cases that the set gets wrong."""
        return self._errors + self._default_errors(self._uncovered)

    @property
    def default(self) -> int:
        """The label of the cases that no rule of the set covers."""
        return default_label(self._uncovered, self._class_weights)

    def climb(self) -> list[int]:
        """Add and drop rules as long as that shortens the description, and return the rules of the set.

        A rule is also dropped if the description stays as long. The rule that was toggled last stays as it is.
        """
        last = -1
        while True:
            now, n_in = self.cost(), int(self.is_in.sum())
            may_add = self.errors() >= NO_ERRORS
            best: tuple[int, bool, int] | None = None
            for place in range(len(self._voters)):
                is_drop = bool(self.is_in[place])
                if place == last or not (is_drop or may_add):
                    continue
                errors, uncovered = self._changed(place)
                sign = -1 if is_drop else 1
                bits = self._bits + sign * self._voters[place].bits
                cost = self._cost(self._errors + errors, self._uncovered + uncovered, bits, n_in + sign)
                if cost < now or (is_drop and cost == now):
                    found = (cost, not is_drop, place)
                    best = found if best is None else min(best, found)
            if best is None:
                return np.flatnonzero(self.is_in).tolist()
            last = best[2]
            self.toggle(last)

    def _changed(self, place: int) -> tuple[float, FloatArray]:
        """Return by how much toggling a rule changes the errors of covered rows, and the weights of uncovered ones."""
        known = self._change[place]
        if known is not None:
            return known
        voter = self._voters[place]
        rows, sign = voter.rows, -1 if self.is_in[place] else 1
        votes, n_covering = self._votes[rows], self._n_covering[rows]
        target, weights = self._target[rows], self._weights[rows]
        before = (n_covering > 0) & (votes.argmax(axis=1) != target)
        votes[:, voter.label] += sign * voter.vote
        is_covered = n_covering + sign > 0
        after = is_covered & (votes.argmax(axis=1) != target)
        errors = float(weights[after].sum()) - float(weights[before].sum())
        left, come = ~is_covered & (n_covering > 0), is_covered & (n_covering == 0)
        uncovered = weights_by_code(target[left], weights[left], self._n_labels)
        uncovered -= weights_by_code(target[come], weights[come], self._n_labels)
        self._change[place] = errors, uncovered
        return errors, uncovered

    def _cost(self, errors: float, uncovered: FloatArray, bits: float, n_rules: int) -> int:
        wrong = errors + self._default_errors(uncovered)
        exceptions = wrong * self._error_bits + (self._total - wrong) * self._other_bits
        return round(100 * (THEORY_SHARE * max(0.0, bits - log2_factorial(n_rules)) + exceptions))

    def _default_errors(self, uncovered: FloatArray) -> float:
        return float(uncovered.sum() - uncovered[default_label(uncovered, self._class_weights)])

    def _rules_at(self, rows: Rows) -> NDArray[np.int64]:
        """Return the rules that cover some of these rows."""
        starts = self._start_of_row[rows]
        sizes = self._start_of_row[rows + 1] - starts
        ends = np.cumsum(sizes)
        entries = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
        found: NDArray[np.int64] = self._rules_of_rows[entries]
        return found
