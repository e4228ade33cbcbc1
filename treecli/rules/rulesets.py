"""Several sets of rules that predict together: the rules of a set vote, and then the sets do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from treecli.model import Model
from treecli.records import dataclass
from treecli.rules.predict import answers, deciding
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList

if TYPE_CHECKING:
    from treecli.data import CodeArray, Column, Dataset, FloatArray
    from treecli.outcomes.rows import Outcomes

UNSURE = 0.5
"""The confidence of a set of rules none of which matches."""

PARTS = 1000
"""Confidences are rounded to thousandths, as in C5.0."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Rules that vote, the default for rows that match none, and the class counts of all cases."""

    rules: tuple[Rule, ...]
    default: Rule
    outcomes: Outcomes | None = None


@dataclass(frozen=True, slots=True)
class RulesetsModel(Model):
    """Sets of rules for a nominal target, made one after the other, each on the errors of those before it."""

    KIND: ClassVar[str] = "rulesets"

    sets: tuple[Ruleset, ...]

    def member(self, index: int) -> RuleList:
        """Return one of the sets as a model of its own."""
        own = self.sets[index]
        return RuleList(self.schema, self.settings, (), own.rules, own.default, votes=True, outcomes=own.outcomes)

    def members(self) -> Iterator[RuleList]:
        """Yield the sets as models, in order."""
        return map(self.member, range(len(self.sets)))


def rulesets_answers(model: RulesetsModel, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    """Return the prediction for every row, and class probabilities: shares of the sums of the sets' confidences.

    Each set votes for one class, with its confidence. Of equal sums the first class wins. A single set predicts as a
    rule list.
    """
    import numpy as np

    if len(model.sets) == 1:
        return answers(model.member(0), dataset, jobs)
    rows = np.arange(dataset.n_rows)
    sums = np.zeros((dataset.n_rows, model.schema.n_outcomes))
    for member in model.members():
        codes, confidence = ballots(member, dataset, jobs)
        sums[rows, codes] += confidence
    return sums.argmax(axis=1).astype(np.int32), sums / sums.sum(axis=1, keepdims=True)


def ballots(rules: RuleList, dataset: Dataset, jobs: int | None = None) -> tuple[CodeArray, FloatArray]:
    """Return the class that a set of rules predicts for every row, and its confidence.

    The confidence is that of the rule that covers the fewest training cases, among those that match the row and predict
    the class (ties: the first); that of the default is UNSURE.
    """
    import numpy as np

    codes: CodeArray = np.asarray(answers(rules, dataset, jobs)[0], np.int32)
    confidence = np.full(dataset.n_rows, UNSURE)
    for label in sorted({rule.label for rule in rules.rules if rule.label is not None}):
        rows = np.flatnonzero(codes == label)
        own = sorted((rule for rule in rules.rules if rule.label == label), key=lambda rule: rule.covered or 0.0)
        place = deciding(replace(rules, rules=tuple(own), votes=False), dataset.take(rows), jobs)
        sure = [*(int(PARTS * (rule.confidence or 0.0) + 0.5) / PARTS for rule in own), UNSURE]
        confidence[rows] = np.array(sure)[place]
    return codes, confidence
