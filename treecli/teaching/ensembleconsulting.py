"""Several trees as an interview: it asks for the attribute that the next tests of most trees need."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.options.ensembles import CONFIDENCE, MAJORITY
from treecli.predict.ensembles import TIE
from treecli.teaching.answers import Answer, Unknown
from treecli.teaching.consulting import RowConsultation, share_of
from treecli.teaching.interview import Interview
from treecli.teaching.reach import Reach, is_certain, reach
from treecli.wording import quoted, readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treecli.data import FloatArray
    from treecli.model import EnsembleModel

    Answers = Mapping[int, Answer]

ROUNDING = 1e-9
"""Sums of votes that differ by less, relative to the number of trees, may be equal."""


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the greatest value of each class, or of the number."""

    low: FloatArray
    high: FloatArray


class EnsembleConsultation(RowConsultation):
    """The questions of a forest or of boosted trees."""

    def __init__(self, model: EnsembleModel) -> None:
        super().__init__(model)
        self._ensemble = model
        self._trees = [Interview(member, asks_all=True) for member in model.members()]
        self._last: tuple[dict[int, Answer], list[Reach]] | None = None

    def wanted(self, answers: Answers) -> list[int]:
        found = self._wanted(answers)
        if not found or self._is_decided(answers):
            return []
        return [index for index, _ in found.most_common()]

    def why(self, answers: Answers) -> str:
        wanted = self._wanted(answers)
        nexts = ", ".join(f"{quoted(self.schema.columns[index].name)} ({n})" for index, n in wanted.most_common())
        n_open = sum(bool(own.next_tests) for own in self._reaches(answers))
        return f"{n_open} of {len(self._trees)} trees are not decided; they ask for {nexts} next"

    def rest(self, answers: Answers) -> list[str]:
        """Return how the trees stand: an open part of each would be too much to read."""
        return [self.why(answers)]

    def open_attributes(self, answers: Answers) -> set[int]:
        return {index for own in self._reaches(answers) for index in own.tests}

    def limits(self, answers: Answers, code: int) -> tuple[float, float]:
        sums = self._sums(answers)
        low, high = sums.low[code], sums.high[code]
        others_low, others_high = np.delete(sums.low, code), np.delete(sums.high, code)
        if not self._ensemble.IS_BOOSTED or self._ensemble.n_trees == 1:
            return float(low / self._ensemble.n_trees), float(high / self._ensemble.n_trees)
        if self._ensemble.votes == CONFIDENCE:
            return float(share_of(low, others_high.sum())), float(share_of(high, others_low.sum()))
        return float(1 / (1 + np.exp(others_high - low).sum())), float(1 / (1 + np.exp(others_low - high).sum()))

    def basis(self, answers: Answers) -> str:
        return f"{len(self._trees)} trees"

    def reasons(self, answers: Answers) -> str:
        said = Counter(self._said(answers))
        if not self.schema.is_classification:
            numbers = sorted(map(float, said))
            return f"the trees say {readable(numbers[0])} to {readable(numbers[-1])}"
        return ", ".join(f"{n} of them say{'s' if n == 1 else ''} {label}" for label, n in said.most_common())

    def parts(self, answers: Answers) -> dict[str, Any]:
        whole = self._completed(answers)
        ends = [tree.walk(whole).ends for tree in self._trees]
        return {
            "trees": len(self._trees),
            "leaves": [
                {"tree": number, "id": node, "share": share}
                for number, own in enumerate(ends, start=1)
                for node, share in own
            ],
        }

    def _said(self, answers: Answers) -> list[str]:
        """Return the prediction of every tree, values without an answer missing."""
        whole = self._completed(answers)
        found = [tree.conclusion(tree.walk(whole)).prediction for tree in self._trees]
        return [quoted(own) if isinstance(own, str) else repr(own) for own in found]

    def _completed(self, answers: Answers) -> dict[int, Answer]:
        return {index: answers.get(index, Unknown()) for index in range(len(self.schema.attributes))}

    def _wanted(self, answers: Answers) -> Counter[int]:
        """Return the number of trees whose next tests need each attribute, in the order of the trees."""
        return Counter(index for own in self._reaches(answers) for index in own.next_tests)

    def _reaches(self, answers: Answers) -> list[Reach]:
        """Return the nodes that can be reached in every tree; those of the last call are kept."""
        if self._last is None or self._last[0] != answers:
            self._last = dict(answers), [reach(tree, answers) for tree in self._trees]
        return self._last[1]

    def _is_decided(self, answers: Answers) -> bool:
        """Return whether the prediction is the same whatever the values without an answer are."""
        sums = self._sums(answers)
        if not self.schema.is_classification:
            return bool((sums.low == sums.high).all())
        least = _least_leads(sums, self._model.costs)
        np.fill_diagonal(least, np.inf)
        return bool((least > ROUNDING * len(self._trees) * max(1.0, float(sums.high.max()))).all(axis=1).any())

    def _sums(self, answers: Answers) -> Range:
        """Return the ranges of the sums of votes."""
        low = high = np.zeros(self.schema.n_outcomes if self.schema.is_classification else 1)
        for place, own in enumerate(self._reaches(answers)):
            vote = self._vote(place, self._value(self._trees[place], own, answers))
            low, high = low + vote.low, high + vote.high
        return Range(low, high)

    def _value(self, tree: Interview, own: Reach, answers: Answers) -> Range:
        """Return the range of a tree's class probabilities, or of its number."""
        if is_certain(answers) and not own.next_tests:
            exact = np.array(tree.conclusion(tree.walk(answers)).probabilities)
            return Range(exact, exact)
        ends = tree.predicted(own.ends)
        return Range(ends.min(axis=0), ends.max(axis=0))

    def _vote(self, place: int, value: Range) -> Range:
        """Return the range of a tree's vote, given that of its class probabilities."""
        model = self._ensemble
        by_label = (model.IS_BOOSTED and model.n_trees > 1) or model.votes == MAJORITY
        if not by_label or not self.schema.is_classification:
            return value
        by_share = model.votes == CONFIDENCE
        costs = None if model.IS_BOOSTED and not by_share else self._trees[place].model.costs
        weight = model.weights[place] if model.IS_BOOSTED else 1.0
        # A label is impossible if another one is ahead of it for certain.
        is_possible = ~(_least_leads(value, costs) > 2 * TIE).any(axis=0)
        high = np.where(is_possible, value.high if by_share else weight, 0.0)
        if is_possible.sum() > 1:
            return Range(np.zeros(len(high)), high)
        return Range(np.where(is_possible, value.low, 0.0) if by_share else high, high)


def _least_leads(value: Range, costs: Any) -> FloatArray:
    """Return by how much each label (row) is ahead of each other one (column) at least, by expected costs."""
    n = len(value.low)
    cost = 1.0 - np.eye(n) if costs is None else np.array(costs)
    leads = cost[:, None, :] - cost[:, :, None]  # true class, label, other label
    found: FloatArray = np.where(leads > 0, leads * value.low[:, None, None], leads * value.high[:, None, None]).sum(0)
    return found
