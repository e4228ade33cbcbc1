"""Selects the subset of a class's rules with the shortest description length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.simplifiers._description import exception_bits, log2_factorial
from treecli.simplifiers._near import weights_by_code

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray

    Rows = NDArray[np.int64]
    Truth = NDArray[np.bool_]

EXHAUSTIVE = 10
"""Up to this number of rules, all subsets are tried."""

SHARES = 11
"""Starting subsets per round of the search: no rules, a random tenth of the rules, and so on up to all."""

ROUNDS = 4
"""Rounds of the search. C4.5 makes one; with more, every seed tested found the shortest description."""

RULE_WEIGHT = 0.5
"""The weight of bits for rules: a rule has many equivalent encodings, but exceptions can hardly be encoded shorter."""

ROUNDING = 1e-6
"""Descriptions whose lengths differ by less are equally long."""


class Candidates:
    """The rules for one class, each with the rows that it covers and its length in bits."""

    def __init__(
        self, rows_of_rule: Sequence[Rows], bits: Sequence[float], weights: FloatArray, has_label: Truth
    ) -> None:
        import numpy as np

        self._rows_of_rule = rows_of_rule
        self._bits = np.array(bits)
        self._orders = np.array([log2_factorial(n) for n in range(len(bits) + 1)])
        self._total = float(weights.sum())
        self._with_label = float(weights[has_label].sum())
        self._n_rows = len(weights)
        # The weight of every row, split into rows of the class and rows of other classes.
        self._weights = np.where(has_label, weights, 0.0), np.where(has_label, 0.0, weights)
        n_covered = [len(rows) for rows in rows_of_rule]
        covering = np.repeat(np.arange(len(rows_of_rule)), n_covered)
        rows = np.concatenate(rows_of_rule)
        order = np.argsort(rows, kind="stable")
        self._rules_of_rows = covering[order]
        self._start_of_row = np.searchsorted(rows[order], np.arange(self._n_rows + 1))

    def best(self, seed: int) -> list[int]:
        """Return the subset with the shortest description; ties go to the fewest rules."""
        import numpy as np

        n_rules = len(self._bits)
        if n_rules <= EXHAUSTIVE:
            found = self._all_subsets()
        else:
            # Each class uses the same random numbers, so that results do not depend on the order of the labels.
            random = np.random.default_rng(seed)
            shares = [share / (SHARES - 1) for _ in range(ROUNDS) for share in range(SHARES)]
            found = [self._climbed(random.random(n_rules) < share) for share in shares]
        shortest = min(length for length, _ in found)
        return min((len(subset), subset) for length, subset in found if length <= shortest + ROUNDING)[1]

    def _lengths(
        self, n_rules: NDArray[np.int64], bits: FloatArray, right: FloatArray, wrong: FloatArray
    ) -> FloatArray:
        """Return the description lengths for subsets of rules, given their size, bits and covered weights."""
        exceptions = exception_bits(self._total, right + wrong, wrong, self._with_label - right)
        lengths: FloatArray = RULE_WEIGHT * (bits - self._orders[n_rules]) + exceptions
        return lengths

    def _all_subsets(self) -> list[tuple[float, list[int]]]:
        import numpy as np

        n_rules = len(self._bits)
        pattern_of_row = np.zeros(self._n_rows, np.int64)
        for rule, rows in enumerate(self._rows_of_rule):
            pattern_of_row[rows] |= 1 << rule
        subsets = np.arange(1 << n_rules)
        covers = (subsets[:, None] & subsets) != 0
        right, wrong = (covers @ weights_by_code(pattern_of_row, w, 1 << n_rules) for w in self._weights)
        is_in = (subsets[:, None] >> np.arange(n_rules)) & 1
        lengths = self._lengths(is_in.sum(axis=1), is_in @ self._bits, right, wrong)
        return [(length, np.flatnonzero(row).tolist()) for length, row in zip(lengths.tolist(), is_in, strict=True)]

    def _climbed(self, is_in: Truth) -> tuple[float, list[int]]:
        """Hill climbing: add or drop one rule at a time, the one that shortens the description most.

        Return the length and the rules of the final subset.
        """
        import numpy as np

        n_covering = np.zeros(self._n_rows, np.int64)
        for rule in np.flatnonzero(is_in).tolist():
            n_covering[self._rows_of_rule[rule]] += 1
        covered = [float(w[n_covering > 0].sum()) for w in self._weights]
        # Weights that only this rule covers: if it were added (fresh), or as a member of the subset (sole).
        fresh, sole = (self._weights_by_rule(np.flatnonzero(n_covering == n)) for n in (0, 1))
        length = float(self._lengths(*self._sums(is_in), *(np.array([c]) for c in covered))[0])
        while True:
            sign = np.where(is_in, -1, 1)
            right, wrong = (c + sign * np.where(is_in, s, f) for c, s, f in zip(covered, sole, fresh, strict=True))
            n_in, bits = self._sums(is_in)
            lengths = self._lengths(n_in + sign, bits + sign * self._bits, right, wrong)
            rule = int(np.flatnonzero(lengths <= lengths.min() + ROUNDING)[0])
            if lengths[rule] >= length - ROUNDING:
                return length, np.flatnonzero(is_in).tolist()
            length, covered = float(lengths[rule]), [float(right[rule]), float(wrong[rule])]
            rows = self._rows_of_rule[rule]
            before = n_covering[rows]
            after = before + sign[rule]
            for n, weights in ((0, fresh), (1, sole)):
                weights += self._weights_by_rule(rows[after == n]) - self._weights_by_rule(rows[before == n])
            n_covering[rows] = after
            is_in = is_in ^ (np.arange(len(is_in)) == rule)

    def _sums(self, is_in: Truth) -> tuple[NDArray[np.int64], FloatArray]:
        """Return the number of rules in a subset, and their bits."""
        import numpy as np

        return np.array([np.count_nonzero(is_in)]), np.array([self._bits[is_in].sum()])

    def _weights_by_rule(self, rows: Rows) -> FloatArray:
        """Return the weight of these rows that each rule covers: the class in the first row, others in the second."""
        import numpy as np

        starts = self._start_of_row[rows]
        n_rules = self._start_of_row[rows + 1] - starts
        ends = np.cumsum(n_rules)
        entries = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + n_rules, n_rules)
        rules = self._rules_of_rows[entries]
        return np.array([weights_by_code(rules, np.repeat(w[rows], n_rules), len(self._bits)) for w in self._weights])
