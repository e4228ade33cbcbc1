"""IF-THEN rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot, inf
from typing import TYPE_CHECKING, Any

from treecli.data import Schema
from treecli.tree import MEAN, WEIGHT, typical_error
from treecli.values import Condition

if TYPE_CHECKING:
    from treecli.tree import Numbers

BY_CONDITION = "majority"
"""The policy for unseen labels under which each condition says itself whether they satisfy it."""

ALTERNATIVES = (" or missing", " or unseen")
"""Suffixes of conditions that also match missing or unseen values."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a case must satisfy, at most one condition an attribute, and what is predicted then.

    A nominal target has `label` (a code), a numeric one `value`. `outcomes` are what a node keeps of its cases, here of
    those that the rule decides; `covered` is their weight and `correct` the part of it with the label. `prior` is the
    label's share of all cases. `leaf` is the node that the rule was made of. All of these are None if unknown,
    as in rules that a person wrote; such a rule may have a `stated_confidence`.
    """

    conditions: tuple[Condition, ...]
    leaf: int | None = None
    outcomes: Numbers | None = None
    covered: float | None = None
    label: int | None = None
    correct: float | None = None
    prior: float | None = None
    value: float | None = None
    takes_medians: bool = False
    stated_confidence: float | None = None

    @property
    def confidence(self) -> float | None:
        """The share of the cases that is right, after Laplace, with two added for any number of labels (C5.0)."""
        if self.correct is None or self.covered is None:
            return self.stated_confidence
        return (self.correct + 1) / (self.covered + 2)

    @property
    def lift(self) -> float | None:
        """The confidence divided by the label's share of all cases; None where that share is 0 or next to it."""
        if self.confidence is None or not self.prior:
            return None
        lift = self.confidence / self.prior
        return lift if lift < inf else None

    @property
    def rmse(self) -> float | None:
        """The root of the mean squared error of the value; None where no case is covered, or the value is a median."""
        return None if self.takes_medians else self._error

    @property
    def mae(self) -> float | None:
        """The mean absolute error of the value; None where no case is covered, or the value is a mean."""
        return self._error if self.takes_medians else None

    @property
    def _error(self) -> float | None:
        if self.value is None or not self.covered or self.outcomes is None or not self.outcomes[WEIGHT]:
            return None
        error = typical_error(self.outcomes, takes_medians=self.takes_medians)
        # Cases that the value was not made of may have another mean.
        return error if self.takes_medians else hypot(error, self.outcomes[MEAN] - self.value)

    def antecedent(self, schema: Schema) -> str:
        """The conditions in words, TRUE where there are none."""
        return wording(self.conditions, schema) or "TRUE"

    def quality(self, schema: Schema) -> dict[str, Any]:
        """What is predicted, and how well that fits the cases, in full precision."""
        if self.label is None:
            error = {"mae": self.mae} if self.takes_medians else {"rmse": self.rmse}
            return {"value": self.value, "covered": self.covered, **error, "leaf": self.leaf}
        return {
            "label": schema.target.labels[self.label],
            "covered": self.covered,
            "correct": self.correct,
            "confidence": self.confidence,
            "lift": self.lift,
            "leaf": self.leaf,
        }


def wording(conditions: Iterable[Condition], schema: Schema) -> str:
    """What must hold together, in words; an `or` stands in brackets, so that it cannot be misread among ANDs."""
    texts = (condition.wording(schema.attributes[condition.attribute]) for condition in conditions)
    return conjunction(texts)


def conjunction(texts: Iterable[str]) -> str:
    """Conditions in words, as one that asks for all of them."""
    return " AND ".join(f"({text})" if text.endswith(ALTERNATIVES) else text for text in texts)


def class_shares(outcomes: Sequence[float]) -> list[float | None]:
    """The share of each class of some cases; None where there are no cases."""
    weight = sum(outcomes)
    return [count / weight if weight else None for count in outcomes]
