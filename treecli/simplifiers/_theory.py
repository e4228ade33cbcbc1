"""C5.0's bits: the length of a rule, and the information that it gives about a class."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log2
from typing import TYPE_CHECKING

from treecli.simplifiers._description import entropy, log2_factorial
from treecli.values import Condition, Labels

if TYPE_CHECKING:
    from treecli.data import Dataset


class Theory:
    """The length of the tests of rules, in bits."""

    def __init__(self, dataset: Dataset) -> None:
        import numpy as np

        self._columns = dataset.schema.columns
        self._attribute_bits = log2(max(len(dataset.schema.attributes), 1))
        self._branch_bits: list[float] = []
        for index, column in enumerate(self._columns):
            values = dataset.column(index)
            if column.is_numeric:
                self._branch_bits.append(cut_bits(len(np.unique(values[~np.isnan(values)])) - 1))
            else:
                is_known = values >= 0
                counts = np.bincount(values[is_known], weights=dataset.weights[is_known])
                self._branch_bits.append(entropy(counts.tolist()))

    def test_bits(self, test: Condition) -> float:
        """Return the length of a test: which attribute, and which of its values."""
        column = self._columns[test.attribute]
        if isinstance(test, Labels) and not column.is_numeric and test.bits.bit_count() > 1:
            n_labels = len(column.labels)
            return self._attribute_bits + log2(comb(n_labels, min(test.bits.bit_count(), n_labels - 1)))
        if not isinstance(test, Labels) and not column.is_numeric:
            return self._attribute_bits + cut_bits(len(column.labels) - 1)
        return self._attribute_bits + self._branch_bits[test.attribute]

    def tests_bits(self, tests: Sequence[Condition]) -> float:
        """Return the length of tests in any order."""
        return sum(map(self.test_bits, tests)) - log2_factorial(len(tests))

    def rule_bits(self, tests: Sequence[Condition]) -> float:
        """Return the length of a rule: the number of its tests, and the tests."""
        return self.tests_bits(tests) + log2(len(tests))


def cut_bits(n_cuts: int) -> float:
    """Return the length of a threshold and a side of it; 0 if there is only one place for it."""
    return 1 + log2(n_cuts) / 2 if n_cuts > 1 else 0.0


def gain(n: float, errors: float, n_class: float, n_all: float) -> float:
    """Return the bits that a rule saves in telling which of all cases have its class.

    It covers the weight `n`, of which `errors` have other classes; `n_class` of `n_all` have its class.
    """
    missed = n_class - n + errors
    return _bits(n_class, n_all - n_class) - _bits(n - errors, errors) - _bits(missed, n_all - n_class - errors)


def _bits(one: float, other: float) -> float:
    """Return the bits that tell two groups of cases apart: their number times the entropy of their shares."""
    return _xlog2(one + other) - _xlog2(one) - _xlog2(other)


def _xlog2(x: float) -> float:
    return x * log2(x) if x > 0 else 0.0
