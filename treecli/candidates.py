"""What the search for a split is given, and what it gives back, for all open nodes of a level at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_GAIN = -np.inf
"""The gain of a split that cannot be made."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every search while one tree is grown."""

    impurity: int
    is_numeric: bool
    min_leaf: float
    tolerance: float
    missing_is_value: bool
    wants_chi2: bool
    by_ratio: bool
    """One label against the rest: the label is chosen by gain ratio, not by gain."""
    zero_gain: bool
    value_gap: float
    branch_share: float
    most_branch_share: float
    cut_cost: bool
    min_rows: float
    """At least two branches hold this many cases, whatever they weigh."""
    most_exhaustive: int
    is_strict: bool
    by_shares: bool
    """Improvements are reckoned as rpart reckons them, and compared to the last bit."""
    by_remainders: bool
    """Impurities are reckoned as scikit-learn reckons them: about 0, and compared to the last bit."""
    is_single: bool
    """Values have no more than 32 bits."""
    merge_alpha: float
    """Labels are merged while the p-value of their difference is above this."""


@dataclass(frozen=True, slots=True)
class Test:
    """Pearson's chi-square statistic of each node's best split, with its degrees of freedom."""

    chi2: Floats
    freedom: Indices
    log_multiplier: Floats | None = None
    """The logarithm of the number of tests of which this is the best, where p-values are to be adjusted for that."""

    def p_values(self) -> Floats:
        """The chance of a statistic this large where branches and classes have nothing to do with each other."""
        from treecli.kernels import pearson

        if self.log_multiplier is not None:
            return np.exp(self.log_p_values())
        out = np.empty(len(self.chi2))
        pearson.p_values(self.chi2, self.freedom, out)
        return out

    def log_p_values(self) -> Floats:
        """The natural logarithms of the p-values, finite also where these are too small for a number."""
        from treecli.kernels import pearson

        out = np.empty(len(self.chi2))
        pearson.log_p_values(self.chi2, self.freedom, out)
        return out if self.log_multiplier is None else np.minimum(out + self.log_multiplier, 0.0)


@dataclass(frozen=True, slots=True)
class Cuts:
    """The best cut of a numeric attribute at every open node: between `lower` and `upper`."""

    gain: Floats
    split_info: Floats
    lower: Floats
    upper: Floats
    missing_side: Codes
    test: Test
    improvement: Floats | None = None
    """As in Candidates."""


@dataclass(frozen=True, slots=True)
class CountTables:
    """The outcomes of each label that occurs at a node (RainForest's AVC-sets), for one attribute.

    Node i owns the entries from start[i] to start[i + 1]. Outcomes add up: class weights, or weight, sum and sum
    of squares of a numeric target's difference from the node's mean. `weights` are those of all the node's cases,
    also where the value is missing. Where missing values count as a label, its code is `n_labels`.
    """

    n_labels: int
    start: Indices
    code: Codes
    outcomes: Floats
    n_rows: Indices
    """How many cases an entry holds; 0 where that does not matter."""
    weights: Floats

    def holds_missing(self) -> Flags:
        """Whether missing values are one of the labels that occur at a node."""
        last = self.start[1:] - 1
        if not len(self.code):
            return np.zeros(len(last), bool)
        return np.asarray((last >= self.start[:-1]) & (self.code[np.maximum(last, 0)] == self.n_labels))


@dataclass(frozen=True, slots=True)
class Candidates:
    """The best split on one attribute at every open node; gain is NO_GAIN where there is none.

    Where `parts_missing`, the split is not of this kind, but parts known values from missing ones. `missing_to` is
    the branch that missing values take, or negative where the policy decides.
    """

    kind: str
    gain: Floats
    split_info: Floats
    test: Test
    n_branches: Codes
    missing_to: Codes
    parts_missing: Flags
    number: Floats | None = None
    table: NDArray[np.int32] | None = None
    bounds: Floats | None = None
    """Where the labels of the table are bins: the largest value of each but the last."""
    printed: Floats | None = None
    """The thresholds as another program prints them, where it tests with a tolerance."""
    improvement: Floats | None = None
    """The gain of all cases together, where the arithmetic is exact enough to tell it from others by its last bit; in
    scikit-learn's up to a constant of the node, and NaN where it does not say."""
    first: Codes | None = None
    """The branch with the smaller mean of the target, or of the class numbers."""


def empty_test(n_nodes: int) -> Test:
    """Room for the statistics of this many nodes."""
    return Test(np.zeros(n_nodes), np.zeros(n_nodes, np.int64))


def joined(portions: list[Candidates]) -> Candidates:
    """The candidates of several portions of the open nodes, as one."""
    if len(portions) == 1:
        return portions[0]
    first = portions[0]

    def together(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(portion, name) for portion in portions])

    return Candidates(
        first.kind,
        together("gain"),
        together("split_info"),
        Test(
            np.concatenate([portion.test.chi2 for portion in portions]),
            np.concatenate([portion.test.freedom for portion in portions]),
            None
            if first.test.log_multiplier is None
            else np.concatenate([portion.test.log_multiplier for portion in portions]),
        ),
        together("n_branches"),
        together("missing_to"),
        together("parts_missing"),
        None if first.number is None else together("number"),
        None if first.table is None else together("table"),
        bounds=first.bounds,
        improvement=None if first.improvement is None else together("improvement"),
        first=None if first.first is None else together("first"),
    )
