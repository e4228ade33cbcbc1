"""The best splits of all open nodes of a level, one attribute at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecli.kernels.args import Found, Tables
from treecli.kernels.codes import NO_SIDE
from treecli.records import dataclass

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
    """The logarithm of the Bonferroni multiplier; None if p-values are not adjusted."""

    def taken(self, nodes: Indices) -> Test:
        """Return the tests of these nodes, in this order."""
        multiplier = None if self.log_multiplier is None else self.log_multiplier[nodes]
        return Test(self.chi2[nodes], self.freedom[nodes], multiplier)

    def p_values(self) -> Floats:
        """Return the p-values under independence of branches and classes."""
        from treecli.kernels import pearson

        if self.log_multiplier is not None:
            return np.exp(self.log_p_values())
        out = np.empty(len(self.chi2))
        pearson.p_values(self.chi2, self.freedom, out)
        return out

    def log_p_values(self) -> Floats:
        """Return the natural logarithms of the p-values; finite even if a p-value underflows."""
        from treecli.kernels import pearson

        out = np.empty(len(self.chi2))
        pearson.log_p_values(self.chi2, self.freedom, out)
        return out if self.log_multiplier is None else np.minimum(out + self.log_multiplier, 0.0)


@dataclass(frozen=True, slots=True)
class Cuts:
    """The best cut of a numeric attribute at every open node; it lies between the values `lower` and `upper`."""

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
    cost: Floats | None = None
    """As in Candidates."""

    def args(self) -> Found:
        """Return the arrays as the object that kernels fill."""
        found = Found()
        found.gain, found.split_info = self.gain, self.split_info
        found.lower, found.upper, found.missing_side = self.lower, self.upper, self.missing_side
        found.chi2, found.freedom = self.test.chi2, self.test.freedom
        if self.improvement is not None:
            found.improvement = self.improvement
        if self.first is not None:
            found.first = self.first
        if self.cost is not None:
            found.cost = self.cost
        return found


def room_for_cuts(n_nodes: int, *, is_exact: bool = False) -> Cuts:
    """Allocate the cuts of `n_nodes` nodes; with `is_exact`, also their improvements."""
    improvement = np.empty(n_nodes) if is_exact else None
    sides = np.full(n_nodes, NO_SIDE, np.int32)
    gain, split_info, cost = np.empty(n_nodes), np.zeros(n_nodes), np.zeros(n_nodes)
    values = np.zeros(n_nodes), np.ones(n_nodes)
    first = np.zeros(n_nodes, np.int32)
    return Cuts(gain, split_info, *values, sides, empty_test(n_nodes), improvement, first, cost)


@dataclass(frozen=True, slots=True)
class CountTables:
    """For one attribute, the outcomes of each value that occurs at a node (RainForest's AVC-sets).

    Node i has the entries start[i] to start[i + 1] (exclusive): labels in the order of their codes, or numbers in
    ascending order. Outcomes are additive: class weights, or the weight, sum and sum of squares of a numeric target
    about the node's mean. `weights` includes the cases whose value is missing. If missing values count as a value,
    they are the last entry, with code `n_labels` or number NaN.
    """

    n_labels: int
    start: Indices
    code: Codes
    outcomes: Floats
    n_rows: Indices
    """The number of cases of each entry; 0 if not needed."""
    weights: Floats
    value: Floats | None = None
    """The numeric value of each entry; only for ordered attributes."""

    def args(self) -> Tables:
        """Return the tables as the object that kernels read."""
        tables = Tables()
        tables.start, tables.code, tables.outcomes = self.start, self.code, self.outcomes
        tables.n_rows, tables.weights = self.n_rows, self.weights
        return tables

    def holds_missing(self) -> Flags:
        """Return whether each node has an entry for missing values."""
        last = self.start[1:] - 1
        if not len(self.code):
            return np.zeros(len(last), bool)
        return np.asarray((last >= self.start[:-1]) & (self.code[np.maximum(last, 0)] == self.n_labels))


@dataclass(frozen=True, slots=True)
class Candidates:
    """The best split on one attribute at every open node; gain is NO_GAIN if there is none.

    If `parts_missing` is set, the split is not of this kind but separates known values from missing ones.
    `missing_to` is the branch of missing values, or negative if the policy decides.
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
    """If the labels of the table are bins: the upper bound of each bin except the last."""
    printed: Floats | None = None
    """The thresholds as printed by another program that tests with a tolerance."""
    improvement: Floats | None = None
    """The gain times the node's weight, in arithmetics that compare it exactly. In scikit-learn's arithmetic it is
    defined up to a constant per node, and NaN if not comparable."""
    first: Codes | None = None
    """The branch with the smaller mean of the target, or of the class numbers."""
    cost: Floats | None = None
    """The bits that the choice of a threshold costs; the gain is reduced by this divided by the node's weight."""

    def taken(self, nodes: Indices) -> Candidates:
        """Return the candidates at these nodes, in this order."""
        values = {name: getattr(self, name) for name in _BY_NODE}
        own: dict[str, Any] = {name: None if value is None else value[nodes] for name, value in values.items()}
        return replace(self, test=self.test.taken(nodes), **own)


_BY_NODE = (
    *("gain", "split_info", "n_branches", "missing_to", "parts_missing"),
    *("number", "table", "printed", "improvement", "first", "cost"),
)
"""Fields of candidates with one entry per node."""


def empty_test(n_nodes: int) -> Test:
    """Return a Test of zeros for `n_nodes` nodes."""
    return Test(np.zeros(n_nodes), np.zeros(n_nodes, np.int64))


def joined(portions: list[Candidates]) -> Candidates:
    """Concatenate the candidates of several portions of the open nodes."""
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
        cost=None if first.cost is None else together("cost"),
    )
