"""Rules without the conditions that they are expected to do as well without (Quinlan 1993, chapter 5)."""

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
"""The chance left that a rule is worse than assumed, as C4.5 has it unless told otherwise."""

ROUNDING = 1e-9
"""Estimates that differ by less are equal, so that the order in which weights are added up does not matter."""


@dataclass(frozen=True, slots=True)
class Generalized:
    """What is left of a rule: the number that it had, its label, the tests that it still makes and the rows that pass.

    `error` is the share of cases that it is expected to get wrong.
    """

    number: int
    label: int
    tests: tuple[Condition, ...]
    rows: Rows
    error: float


def tests_of(rule: Rule) -> list[Condition]:
    """The conditions of a rule, with those that have two bounds taken apart."""
    tests: list[Condition] = []
    for condition in rule.conditions:
        if isinstance(condition, Interval) and condition.takes_known and -inf < condition.low and condition.high < inf:
            tests += [replace(condition, high=inf), replace(condition, low=-inf)]
        else:
            tests.append(condition)
    return tests


def merged(tests: Iterable[Condition], schema: Schema) -> dict[int, Condition]:
    """What tests say together of each attribute."""
    together: dict[int, Condition] = {}
    for test in tests:
        narrow(together, test, schema)
    return together


def weights_by_code(codes: NDArray[Any], weights: FloatArray, n_codes: int) -> FloatArray:
    """The weight of all rows that have each code."""
    import numpy as np

    return np.asarray(np.bincount(codes, weights, n_codes), np.float64)


class Generalizer:
    """Rules and the rows that they are measured on."""

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
        """The error of a rule that would say this label of all cases, after Laplace."""
        return 1 - (float(self.class_weights[label]) + 1) / (self.weight + 2)

    def generalized(self, number: int, label: int, tests: Sequence[Condition]) -> tuple[Generalized, list[Step]]:
        """The rule without the tests that it is expected to do as well without, and how each of them went.

        Of all tests that one goes without which the rule is expected to make the least share of errors, the last of
        equals; as long as without some test the rule is expected to make, or is seen to make, no larger share.
        """
        import numpy as np

        missed = self._misses(tests)
        # A key is below twice the number of tests if the row misses at most one of them, and then tells which. The type
        # is the smallest that holds it, because going over all rows is what takes the time.
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
        """The shares of errors, expected and seen, that the rule makes without each test, and as it is at the end."""
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
        """The weights of the rows that do not have a label, and 0 for those that do."""
        import numpy as np

        if label not in self._wrong_of_label:
            self._wrong_of_label[label] = np.where(self._dataset.target == label, 0.0, self._dataset.weights)
        return self._wrong_of_label[label]

    def _misses(self, tests: Sequence[Condition]) -> list[Truth]:
        """Which rows do not pass each test. Rules beside each other in a tree share most of their tests."""
        known = self._missed
        self._missed = {test: known[test] if test in known else self._rows_missing(test) for test in tests}
        return [self._missed[test] for test in tests]

    def _rows_missing(self, test: Condition) -> Truth:
        alone = replace(self._rules, rules=(Rule((test,)),))
        missed: Truth = deciding(alone, self._dataset, 1) != 0
        return missed

    def _step(self, number: int, tests: Sequence[Condition], left: Sequence[int], dropped: int) -> Step | None:
        """What became of the condition that a test was a part of; None if another test says all that it said."""
        schema = self._rules.schema
        index = tests[dropped].attribute
        others = [tests[test] for test in left if tests[test].attribute == index]
        own = sorted([dropped, *(test for test in left if tests[test].attribute == index)])
        before = merged((tests[test] for test in own), schema)[index]
        attribute = schema.attributes[index]
        if not others:
            return Step("condition dropped", (number,), before.wording(attribute))
        after = merged(others, schema)[index]
        if after == before:
            return None
        return Step("condition widened", (number,), before.wording(attribute), after.wording(attribute))
