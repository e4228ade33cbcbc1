"""Generalization of rules: drops conditions whose removal does not raise the error (Quinlan 1993, chapter 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

from treecli.evaluate.pessimistic import with_added
from treecli.rules.predict import deciding
from treecli.rules.rule import Rule
from treecli.rules.step import Step
from treecli.values import Condition, Interval, narrow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Dataset, FloatArray, Schema
    from treecli.rules.rulelist import RuleList

    Rows = NDArray[np.int64]
    Truth = NDArray[np.bool_]

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


def merged(tests: Iterable[Condition], schema: Schema) -> dict[int, Condition]:
    """Return the conjunction of the tests, by attribute."""
    together: dict[int, Condition] = {}
    for test in tests:
        narrow(together, test, schema)
    return together


def weights_by_code(codes: NDArray[Any], weights: FloatArray, n_codes: int) -> FloatArray:
    """Return the total weight of the rows with each code."""
    import numpy as np

    return np.asarray(np.bincount(codes, weights, n_codes), np.float64)


class Generalizer:
    """Generalizes rules on the cases of a dataset."""

    def __init__(self, rules: RuleList, dataset: Dataset) -> None:
        assert dataset.target is not None
        self._rules = rules
        self._dataset = dataset
        self._missed: dict[Condition, Truth] = {}
        self._wrong_of_label: dict[int, FloatArray] = {}
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
        import numpy as np

        missed = self._misses(tests)
        # A key is below twice the number of tests if the row fails at most one test, and then identifies it. Keys have
        # the smallest type that holds them, because passes over all rows dominate the run time.
        n_tests = len(tests)
        kind = np.min_scalar_type(2 * n_tests * n_tests).type
        keys = np.zeros(self._dataset.n_rows, kind)
        for test, misses in enumerate(missed):
            keys += misses * kind(n_tests + test)
        left = list(range(n_tests))
        steps: list[Step] = []
        while True:
            expected, seen = self._errors(keys, label, n_tests)
            error = float(expected[-1])
            if not left:
                break
            best = float(expected[left].min())
            if best > error + ROUNDING and float(seen[left].min()) > float(seen[-1]) + ROUNDING:
                break
            dropped = max(test for test in left if expected[test] <= best + ROUNDING)
            left.remove(dropped)
            keys -= missed[dropped] * kind(n_tests + dropped)
            step = self._step(number, tests, left, dropped)
            if step is not None:
                steps.append(replace(step, error_before=error, error_after=float(expected[dropped])))
        kept = tuple(tests[test] for test in left)
        return Generalized(number, label, kept, np.flatnonzero(keys == 0), error), steps

    def _errors(self, keys: NDArray[Any], label: int, n_tests: int) -> tuple[FloatArray, FloatArray]:
        """Return the estimated and observed error rates without each test, and last with all tests."""
        import numpy as np

        near = np.flatnonzero(keys < max(2 * n_tests, 1))
        missing = keys[near].astype(np.int64)
        missing = np.where(missing == 0, n_tests, missing - n_tests)
        weights = weights_by_code(missing, self._dataset.weights[near], n_tests + 1)
        errors = weights_by_code(missing, self._wrong(label)[near], n_tests + 1)
        weights[:-1] += weights[-1]
        errors[:-1] += errors[-1]
        is_empty = weights == 0
        per_case = 1 / np.where(is_empty, 1.0, weights)
        expected = with_added(weights, errors, CONFIDENCE, is_c45=True) * per_case
        expected[is_empty] = self.default_error(label)
        return expected, errors * per_case

    def _wrong(self, label: int) -> FloatArray:
        """Return the weights of the rows with another label, and 0 for the rows with this one."""
        import numpy as np

        if label not in self._wrong_of_label:
            self._wrong_of_label[label] = np.where(self._dataset.target == label, 0.0, self._dataset.weights)
        return self._wrong_of_label[label]

    def _misses(self, tests: Sequence[Condition]) -> list[Truth]:
        """Return which rows fail each test. Results are kept: neighbouring rules of a tree share most tests."""
        known = self._missed
        self._missed = {test: known[test] if test in known else self._rows_missing(test) for test in tests}
        return [self._missed[test] for test in tests]

    def _rows_missing(self, test: Condition) -> Truth:
        alone = replace(self._rules, rules=(Rule((test,)),))
        missed: Truth = deciding(alone, self._dataset, 1) != 0
        return missed

    def _step(self, number: int, tests: Sequence[Condition], left: Sequence[int], dropped: int) -> Step | None:
        """Return the step for the condition that a test belonged to; None if the other tests imply the test."""
        schema = self._rules.schema
        index = tests[dropped].attribute
        others = [tests[test] for test in left if tests[test].attribute == index]
        own = sorted([dropped, *(test for test in left if tests[test].attribute == index)])
        before = merged((tests[test] for test in own), schema)[index]
        attribute = schema.columns[index]
        if not others:
            return Step("condition dropped", (number,), before.wording(attribute))
        after = merged(others, schema)[index]
        if after == before:
            return None
        return Step("condition widened", (number,), before.wording(attribute), after.wording(attribute))
