"""Description length in bits of rules and their exceptions (Quinlan 1993; 1995 for the exceptions)."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma, log, log2
from typing import TYPE_CHECKING

from treecli.values import Condition, Labels

if TYPE_CHECKING:
    from treecli.data import Dataset, FloatArray

NO_ERRORS = 1e-6
"""Weights below this count as 0."""

IMPOSSIBLE = 1e6
"""The length of a message that the code cannot express."""


def log2_factorial(n: int) -> float:
    """Return log2(n!)."""
    return lgamma(n + 1) / log(2)


class Alphabet:
    """The length of tests: which attribute, and which branch."""

    def __init__(self, dataset: Dataset) -> None:
        import numpy as np

        self._attributes = dataset.schema.columns
        self._branch_bits: list[float] = []
        for index, attribute in enumerate(self._attributes):
            column = dataset.column(index)
            if attribute.is_numeric:
                self._branch_bits.append(_bound_bits(len(np.unique(column[~np.isnan(column)]))))
            else:
                is_known = column >= 0
                counts = np.bincount(column[is_known], weights=dataset.weights[is_known])
                self._branch_bits.append(entropy(counts.tolist()))
        self._attribute_bits = entropy(self._branch_bits)

    def rule_bits(self, tests: Sequence[Condition]) -> float:
        """Return the length of a rule: the number of its tests, and the tests in any order."""
        each = sum(self._attribute_bits + self._bits_of(test) for test in tests)
        return each + log2(len(tests)) - log2_factorial(len(tests))

    def _bits_of(self, test: Condition) -> float:
        attribute = self._attributes[test.attribute]
        if isinstance(test, Labels):
            return self._branch_bits[test.attribute] if len(test.codes) == 1 else len(attribute.labels)
        return self._branch_bits[test.attribute] if attribute.is_numeric else _bound_bits(len(attribute.labels))


def _bound_bits(n_values: int) -> float:
    """Return the length of a threshold among `n_values` values and of the choice of a side."""
    return 1 + log2(max(n_values, 1)) / 2


def entropy(weights: Sequence[float]) -> float:
    """Return the entropy in bits of the shares of weights."""
    total = sum(weights)
    return sum(-weight / total * log2(weight / total) for weight in weights if weight > 0)


def exception_bits(
    total: float, covered: FloatArray, false_positives: FloatArray, false_negatives: FloatArray
) -> FloatArray:
    """Return the bits needed to identify the errors, among the covered cases and among the others.

    Errors are coded relative to the number expected; that penalizes rules whose errors are mostly of one kind.
    """
    import numpy as np

    half = (false_positives + false_negatives) / 2
    is_most = covered > total / 2
    among_covered = _biased(covered, false_positives, np.where(is_most, half, false_positives))
    among_others = _biased(total - covered, false_negatives, np.where(is_most, false_negatives, half))
    return log2(total) + among_covered + among_others


def _biased(cases: FloatArray, errors: FloatArray, expected: FloatArray) -> FloatArray:
    """Return the bits needed to identify the errors among the cases, coded for an expected number of errors."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        rate = expected / cases
        bits = -errors * np.log2(rate) - (cases - errors) * np.log2(1 - rate)
    bits = np.where(expected >= cases - NO_ERRORS, np.where(errors >= cases - NO_ERRORS, 0.0, IMPOSSIBLE), bits)
    return np.where(expected <= NO_ERRORS, np.where(errors <= NO_ERRORS, 0.0, IMPOSSIBLE), bits)
