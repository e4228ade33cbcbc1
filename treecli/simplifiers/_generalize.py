"""Generalization of rules: drops conditions whose removal does not raise the error (Quinlan 1993, chapter 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from treecli.evaluate.pessimistic import with_added
from treecli.rules.rule import Rule
from treecli.rules.step import Step
from treecli.simplifiers._near import Misses, NearCases, step_of, weights_by_code
from treecli.values import Condition, Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Dataset, FloatArray
    from treecli.rules.rulelist import RuleList

    Rows = NDArray[np.int64]

CONFIDENCE = 0.25
"""C4.5's default confidence level for the pessimistic error estimate."""

ROUNDING = 1e-9
"""Estimates that differ by less are equal, so that the order of summation does not matter."""


@dataclass(frozen=True, slots=True)
class Generalized:
    """A generalized rule: its original number, its label, the remaining tests and the rows that satisfy them.

    `error` is the estimated error rate.
    """

    number: int
    label: int
    tests: tuple[Condition, ...]
    rows: Rows
    error: float


def tests_of(rule: Rule) -> list[Condition]:
    """Return the conditions of a rule; a condition with two bounds becomes two tests."""
    tests: list[Condition] = []
    for condition in rule.conditions:
        if isinstance(condition, Interval) and condition.takes_known and -inf < condition.low and condition.high < inf:
            tests += [replace(condition, high=inf), replace(condition, low=-inf)]
        else:
            tests.append(condition)
    return tests


class Generalizer:
    """Generalizes rules on the cases of a dataset."""

    def __init__(self, rules: RuleList, dataset: Dataset) -> None:
        assert dataset.target is not None
        self._rules = rules
        self._misses = Misses(rules, dataset)
        n_labels = len(rules.schema.target.labels)
        self.class_weights = weights_by_code(dataset.target, dataset.weights, n_labels)
        self.weight = float(self.class_weights.sum())

    def default_error(self, label: int) -> float:
        """Return the error of predicting this label for all cases, with Laplace's correction."""
        return 1 - (float(self.class_weights[label]) + 1) / (self.weight + 2)

    def generalized(self, number: int, label: int, tests: Sequence[Condition]) -> tuple[Generalized, list[Step]]:
        """Return the rule without the tests that it does not need, and a step for each test dropped.

        Greedy: drop the test whose removal gives the lowest estimated error (ties: the last test), as long as removing
        some test does not increase the estimated, or the observed, error rate.
        """
        near = NearCases(self._misses, label, tests)
        left = list(range(len(tests)))
        steps: list[Step] = []
        while True:
            expected, seen = self._errors(near, label)
            error = float(expected[-1])
            if not left:
                break
            best = float(expected[left].min())
            if best > error + ROUNDING and float(seen[left].min()) > float(seen[-1]) + ROUNDING:
                break
            dropped = max(test for test in left if expected[test] <= best + ROUNDING)
            left.remove(dropped)
            near.drop(dropped)
            step = step_of(number, tests, left, dropped, self._rules)
            if step is not None:
                steps.append(replace(step, error_before=error, error_after=float(expected[dropped])))
        kept = tuple(tests[test] for test in left)
        return Generalized(number, label, kept, near.rows, error), steps

    def _errors(self, near: NearCases, label: int) -> tuple[FloatArray, FloatArray]:
        """Return the estimated and observed error rates without each test, and last with all tests."""
        import numpy as np

        weights, errors = near.counts()
        is_empty = weights == 0
        per_case = 1 / np.where(is_empty, 1.0, weights)
        expected = with_added(weights, errors, CONFIDENCE, is_c45=True) * per_case
        expected[is_empty] = self.default_error(label)
        return expected, errors * per_case
