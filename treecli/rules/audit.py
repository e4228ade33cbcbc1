"""Audit of the conversion of a model into rules: the steps taken, and the rows where the predictions differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treecli.records import dataclass
from treecli.rules import predict
from treecli.rules.rulelist import RuleList

if TYPE_CHECKING:
    from treecli.data import Column, Dataset, FloatArray
    from treecli.rules.step import Step

ROUNDING = 1e-9
"""Relative tolerance for equal predictions: a tree's prediction may be a sum over several leaves."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A row (numbered from 1, as in the file) for which the model and the rules predict different labels or values."""

    row: int
    model_says: str | float
    rules_say: str | float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The errors of a model and of rules on the same rows.

    An error is the weighted error rate, or the root mean squared error for a numeric target; None if the target is
    missing in every row.
    """

    n_rows: int
    model_error: float | None
    rules_error: float | None
    disagreements: list[Disagreement]


@dataclass(frozen=True, slots=True)
class Audit:
    """The steps of a simplification, the sizes before and after, and a comparison if rows were given."""

    n_rules: tuple[int, int]
    n_conditions: tuple[int, int]
    steps: Sequence[Step]
    comparison: Comparison | None

    def to_json(self) -> dict[str, Any]:
        """Return the audit as a JSON object."""
        facts: dict[str, Any] = {
            "rules_before": self.n_rules[0],
            "rules_after": self.n_rules[1],
            "conditions_before": self.n_conditions[0],
            "conditions_after": self.n_conditions[1],
            "steps": [step.to_json() for step in self.steps],
        }
        if self.comparison is None:
            return facts
        return facts | {
            "rows": self.comparison.n_rows,
            "model_error": self.comparison.model_error,
            "rules_error": self.comparison.rules_error,
            "disagreements": len(self.comparison.disagreements),
            "disagreeing_rows": [
                {"row": found.row, "model_says": found.model_says, "rules_say": found.rules_say}
                for found in self.comparison.disagreements
            ],
        }


def audit(before: RuleList, after: RuleList, steps: Sequence[Step], comparison: Comparison | None) -> Audit:
    """Return the audit of a list that was derived from another."""
    n_conditions = [sum(len(rule.conditions) for rule in rules.rules) for rules in (before, after)]
    sizes = (len(before.rules), len(after.rules)), (n_conditions[0], n_conditions[1])
    return Audit(*sizes, steps, comparison)


def compared(model_says: Column, rules: RuleList, dataset: Dataset, jobs: int | None = None) -> Comparison:
    """Compare the rules with the model that they were derived from: errors, and rows where the predictions differ.

    `model_says` holds the predictions of the model.
    """
    import numpy as np

    rules_say = predict.answers(rules, dataset, jobs)[0]
    if rules.schema.is_classification:
        is_same = model_says == rules_say
        names: Sequence[str | float] = rules.schema.target.labels
        found = [names[int(code)] for code in model_says[~is_same]], [names[int(code)] for code in rules_say[~is_same]]
    else:
        is_same = np.isclose(model_says, rules_say, rtol=ROUNDING, atol=0.0)
        found = model_says[~is_same].tolist(), rules_say[~is_same].tolist()
    rows = (np.flatnonzero(~is_same) + 1).tolist()
    disagreements = [Disagreement(*each) for each in zip(rows, *found, strict=True)]
    return Comparison(dataset.n_rows, _error(model_says, dataset), _error(rules_say, dataset), disagreements)


def _error(said: Column, dataset: Dataset) -> float | None:
    """Return the weighted error rate, or the root mean squared error, over rows with a known target."""
    import numpy as np

    if dataset.target is None:
        return None
    is_known = dataset.target == dataset.target if dataset.schema.target.is_numeric else dataset.target >= 0
    weights = dataset.weights * is_known
    if not weights.sum():
        return None
    if not dataset.schema.target.is_numeric:
        return float(weights[said != dataset.target].sum() / weights.sum())
    errors: FloatArray = np.where(is_known, said - dataset.target, 0.0)
    return float(np.sqrt(weights @ errors**2 / weights.sum()))
