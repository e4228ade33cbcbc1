"""Cases that fail at most one test of a rule: what the rule covers without each of its tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treecli.rules.predict import deciding
from treecli.rules.rule import Rule
from treecli.rules.step import Step
from treecli.values import Condition, narrow

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Dataset, FloatArray, Schema
    from treecli.rules.rulelist import RuleList

    Rows = NDArray[np.int64]
    Truth = NDArray[np.bool_]


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


class Misses:
    """Which rows of a dataset fail a test, and which have another label."""

    def __init__(self, rules: RuleList, dataset: Dataset) -> None:
        self.rules, self.dataset = rules, dataset
        self._missed: dict[Condition, Truth] = {}
        self._wrong_of_label: dict[int, FloatArray] = {}

    def of(self, tests: Sequence[Condition]) -> list[Truth]:
        """Return which rows fail each test. Results are kept: neighbouring rules of a tree share most tests."""
        known = self._missed
        self._missed = {test: known[test] if test in known else self._rows_missing(test) for test in tests}
        return [self._missed[test] for test in tests]

    def wrong(self, label: int) -> FloatArray:
        """Return the weights of the rows with another label, and 0 for the rows with this one."""
        import numpy as np

        if label not in self._wrong_of_label:
            self._wrong_of_label[label] = np.where(self.dataset.target == label, 0.0, self.dataset.weights)
        return self._wrong_of_label[label]

    def _rows_missing(self, test: Condition) -> Truth:
        alone = replace(self.rules, rules=(Rule((test,)),))
        missed: Truth = deciding(alone, self.dataset, 1) != 0
        return missed


class NearCases:
    """The cases of a rule whose tests are dropped one by one."""

    def __init__(self, misses: Misses, label: int, tests: Sequence[Condition]) -> None:
        import numpy as np

        self._missed = misses.of(tests)
        self._weights, self._wrong = misses.dataset.weights, misses.wrong(label)
        # A key is below twice the number of tests if the row fails at most one test, and then identifies it. Keys have
        # the smallest type that holds them, because passes over all rows dominate the run time.
        self._n_tests = len(tests)
        self._kind = np.min_scalar_type(2 * self._n_tests * self._n_tests).type
        self._keys = np.zeros(misses.dataset.n_rows, self._kind)
        for test, missed in enumerate(self._missed):
            self._keys += missed * self._kind(self._n_tests + test)

    def counts(self) -> tuple[FloatArray, FloatArray]:
        """Return the weight of the cases without each test, and last with all tests, and of those with other labels."""
        import numpy as np

        near = np.flatnonzero(self._keys < max(2 * self._n_tests, 1))
        missing = self._keys[near].astype(np.int64)
        missing = np.where(missing == 0, self._n_tests, missing - self._n_tests)
        weights = weights_by_code(missing, self._weights[near], self._n_tests + 1)
        errors = weights_by_code(missing, self._wrong[near], self._n_tests + 1)
        weights[:-1] += weights[-1]
        errors[:-1] += errors[-1]
        return weights, errors

    def drop(self, test: int) -> None:
        """Leave out a test."""
        self._keys -= self._missed[test] * self._kind(self._n_tests + test)

    @property
    def rows(self) -> Rows:
        """The rows that pass all tests that are left."""
        import numpy as np

        return np.flatnonzero(self._keys == 0)


def step_of(number: int, tests: Sequence[Condition], left: Sequence[int], dropped: int, rules: RuleList) -> Step | None:
    """Return the step for the condition that a dropped test belonged to; None if the other tests imply the test."""
    schema = rules.schema
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
