"""Rules during simplification: the current box, and counts that match it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import TYPE_CHECKING

from treecli.outcomes.rows import combined, row_of
from treecli.rules.rule import Rule
from treecli.rules.step import Step
from treecli.tree import DEVIANCE, MEAN, WEIGHT
from treecli.values import Interval

if TYPE_CHECKING:
    from treecli.outcomes.rows import Outcomes
    from treecli.rules.boxes import Box, Space
    from treecli.values import Condition


@dataclass(slots=True)
class Draft:
    """A rule during simplification; `numbers` are those of its source rules, empty if it was made from the default.

    `rule` has the prediction, the counts and the original conditions; `box` is the current antecedent. A box is
    replaced, never modified.
    """

    numbers: tuple[int, ...]
    box: Box
    rule: Rule
    is_alive: bool = True

    @property
    def name(self) -> str:
        return f"rule {self.numbers[0]}" if self.numbers else "a rule made of the default"

    def as_rule(self, space: Space) -> Rule:
        """Return the rule; conditions that did not change keep their original form."""
        leaf = self.rule.leaf if len(self.numbers) == 1 else None
        return replace(self.rule, conditions=self.conditions(space), leaf=leaf)

    def conditions(self, space: Space) -> tuple[Condition, ...]:
        given = {condition.attribute: condition for condition in self.rule.conditions}
        conditions = []
        for attribute, values in self.box.items():
            condition = given.get(attribute)
            if condition is None or space.values(condition) != values:
                condition = space.condition(values)
            conditions.append(condition)
        return tuple(conditions)

    def steps_to(self, box: Box, space: Space) -> Iterator[Step]:
        """Yield the steps from the current box to a wider one: conditions dropped or widened."""
        for attribute, values in self.box.items():
            if box.get(attribute) == values:
                continue
            described = space.schema.columns[attribute]
            before = space.condition(values).wording(described)
            if attribute not in box:
                yield Step("condition dropped", self.numbers, before)
            else:
                after = space.condition(box[attribute]).wording(described)
                yield Step("condition widened", self.numbers, before, after)


def n_comparisons(box: Box) -> int:
    """Return the number of comparisons in a box: two for an interval with both bounds, else one per condition."""
    return sum(
        max(1, (values.low > -inf) + (values.high < inf)) if isinstance(values, Interval) else 1
        for values in box.values()
    )


def may_move(rule: Rule, other: Rule) -> bool:
    """Return whether cases of the first rule may move to the other without making a count wrong."""
    return rule.covered == 0 or (rule.covered is None and other.covered is None)


def no_cases(rule: Rule) -> Rule:
    """Return the rule with zero counts, if it has counts."""
    if rule.covered is None:
        return rule
    outcomes = None if rule.outcomes is None else row_of([0.0] * len(rule.outcomes))
    correct = None if rule.correct is None else 0.0
    return replace(rule, outcomes=outcomes, covered=0.0, correct=correct, model_error=None)


def added(rule: Rule, other: Rule) -> Rule:
    """Return the rule with the cases of another with the same prediction added; None counts make the sums None."""
    if other.covered == 0:
        return rule
    if rule.covered == 0:
        counts = replace(rule, outcomes=other.outcomes, covered=other.covered, correct=other.correct)
        counts = replace(counts, model_error=other.model_error)
        return replace(counts, prior=other.prior, stated_confidence=other.stated_confidence)
    if rule.covered is None or other.covered is None:
        stated = rule.stated_confidence if rule.stated_confidence == other.stated_confidence else None
        counts = replace(rule, outcomes=None, covered=None, correct=None, stated_confidence=stated)
        return replace(counts, model_error=None)
    correct = None if rule.correct is None or other.correct is None else rule.correct + other.correct
    covered = rule.covered + other.covered
    counts = replace(rule, outcomes=_outcomes(rule, other), covered=covered, correct=correct)
    if rule.model_error is None or other.model_error is None:
        return replace(counts, model_error=None)
    shares = rule.covered / covered, other.covered / covered
    return replace(counts, model_error=sqrt(shares[0] * rule.model_error**2 + shares[1] * other.model_error**2))


def _outcomes(rule: Rule, other: Rule) -> Outcomes | None:
    if rule.outcomes is None or other.outcomes is None:
        return None
    if rule.label is not None:
        return combined([rule.outcomes, other.outcomes], sum)
    weight = rule.outcomes[WEIGHT] + other.outcomes[WEIGHT]
    apart = other.outcomes[MEAN] - rule.outcomes[MEAN]
    deviance = rule.outcomes[DEVIANCE] + other.outcomes[DEVIANCE]
    if not apart:
        return array("d", [weight, rule.outcomes[MEAN], deviance])
    if rule.takes_medians:
        return None  # the median of the union does not follow from the medians of the parts
    share = other.outcomes[WEIGHT] / weight
    mean = rule.outcomes[MEAN] + share * apart
    return array("d", [weight, mean, deviance + rule.outcomes[WEIGHT] * share * apart**2])
