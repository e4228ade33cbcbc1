"""The best splits of all open nodes of a level, one attribute at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecli.kernels.args import Found, Tables
from treecli.kernels.codes import NO_SIDE

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_GAIN = -np.inf
"""The gain of a split that cannot be made."""


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
    first: Codes | None = None
    """As in Candidates."""

    def args(self) -> Found:
        """The arrays as kernels fill them."""
        found = Found()
        found.gain, found.split_info = self.gain, self.split_info
        found.lower, found.upper, found.missing_side = self.lower, self.upper, self.missing_side
        found.chi2, found.freedom = self.test.chi2, self.test.freedom
        if self.improvement is not None:
            found.improvement = self.improvement
        if self.first is not None:
            found.first = self.first
        return found


def room_for_cuts(n_nodes: int, *, is_exact: bool = False) -> Cuts:
    """Room for the cuts of so many nodes; `is_exact`: with their improvements."""
    improvement = np.empty(n_nodes) if is_exact else None
    sides = np.full(n_nodes, NO_SIDE, np.int32)
    values = np.zeros(n_nodes), np.ones(n_nodes)
    first = np.zeros(n_nodes, np.int32)
    return Cuts(np.empty(n_nodes), np.zeros(n_nodes), *values, sides, empty_test(n_nodes), improvement, first)


@dataclass(frozen=True, slots=True)
class CountTables:
    """The outcomes of each value that occurs at a node (RainForest's AVC-sets), for one attribute.

    Node i has the entries from start[i] to start[i + 1]: labels by their codes, or rising numbers. Outcomes add up:
    class weights, or weight, sum and sum of squares of a numeric target about the node's mean. `weights` are
    those of all the node's cases, also where the value is missing. Where missing values count as a value, they are the
    last entry, with the code `n_labels`, or the number NaN.
    """

    n_labels: int
    start: Indices
    code: Codes
    outcomes: Floats
    n_rows: Indices
    """How many cases an entry holds; 0 where that does not matter."""
    weights: Floats
    value: Floats | None = None
    """The number of each entry, where the attribute is an ordered one."""

    def args(self) -> Tables:
        """The tables as kernels read them."""
        tables = Tables()
        tables.start, tables.code, tables.outcomes = self.start, self.code, self.outcomes
        tables.n_rows, tables.weights = self.n_rows, self.weights
        return tables

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
