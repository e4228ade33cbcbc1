"""IF-THEN rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot, inf
from typing import TYPE_CHECKING, Any

from treecli.data import Schema
from treecli.outcomes.rows import total
from treecli.records import dataclass
from treecli.tree import MEAN, WEIGHT, typical_error
from treecli.values import Condition

if TYPE_CHECKING:
    from treecli.leaves.linear import Line
    from treecli.outcomes.rows import Outcomes

BY_CONDITION = "majority"
"""The policy for unseen labels under which each condition states whether they satisfy it."""

ALTERNATIVES = (" or missing", " or unseen")
"""Suffixes of conditions that also match missing or unseen values."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction of conditions, at most one per attribute, and a prediction.

    A nominal target has `label` (a code), a numeric one `value`, or `model`, a formula, with `model_error`, its
    root mean squared error: for rules of a tree that of the leaf's own model, before smoothing. `outcomes` are those
    of the cases that the rule decides, in the form that a node keeps; `covered` is their weight and `correct` the
    weight of those with the label. `prior` is the label's share of all cases. `leaf` is the node that the rule was made
    from. Each is None if unknown, as in handwritten rules, which may have a `stated_confidence`.
    """

    conditions: tuple[Condition, ...]
    leaf: int | None = None
    outcomes: Outcomes | None = None
    covered: float | None = None
    label: int | None = None
    correct: float | None = None
    prior: float | None = None
    value: float | None = None
    takes_medians: bool = False
    stated_confidence: float | None = None
    model: Line | None = None
    model_error: float | None = None

    @property
    def prediction(self) -> float | Line | None:
        """The label's code, the value or the formula; rules with equal ones predict the same for every row."""
        if self.label is not None:
            return self.label
        return self.value if self.model is None else self.model

    @property
    def confidence(self) -> float | None:
        """The share of correct cases with C5.0's Laplace correction, which assumes two classes."""
        if self.correct is None or self.covered is None:
            return self.stated_confidence
        return (self.correct + 1) / (self.covered + 2)

    @property
    def lift(self) -> float | None:
        """The confidence divided by the label's share of all cases; None if that share is 0 or the result infinite."""
        if self.confidence is None or not self.prior:
            return None
        lift = self.confidence / self.prior
        return lift if lift < inf else None

    @property
    def rmse(self) -> float | None:
        """The root mean squared error of the value; None if no case is covered or the value is a median."""
        return None if self.takes_medians else self._error

    @property
    def mae(self) -> float | None:
        """The mean absolute error of the value; None if no case is covered or the value is a mean."""
        return self._error if self.takes_medians else None

    @property
    def _error(self) -> float | None:
        if self.model is not None:
            return self.model_error
        if self.value is None or not self.covered or self.outcomes is None or not self.outcomes[WEIGHT]:
            return None
        error = typical_error(self.outcomes, takes_medians=self.takes_medians)
        # The cases may differ from those that the value was computed from, and have another mean.
        return error if self.takes_medians else hypot(error, self.outcomes[MEAN] - self.value)

    def antecedent(self, schema: Schema) -> str:
        """Return the conditions as text; TRUE if there are none."""
        return wording(self.conditions, schema) or "TRUE"

    def quality(self, schema: Schema) -> dict[str, Any]:
        """Return the prediction and its quality measures, in full precision."""
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
    """Return a conjunction as text; a condition with `or` is parenthesized."""
    texts = (condition.wording(schema.columns[condition.attribute]) for condition in conditions)
    return conjunction(texts)


def conjunction(texts: Iterable[str]) -> str:
    """Join conditions by AND."""
    return " AND ".join(f"({text})" if text.endswith(ALTERNATIVES) else text for text in texts)


def class_shares(outcomes: Sequence[float]) -> list[float | None]:
    """Return the share of each class; None if there are no cases."""
    weight = total(outcomes)
    return [count / weight if weight else None for count in outcomes]
