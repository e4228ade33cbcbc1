"""Policies for missing values: each is a module with a POLICY."""

from __future__ import annotations

from treecli.records import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """How missing values count in the search for a split, and where cases with missing values go.

    `is_value`: missing is a value with its own branches; otherwise a split is scored on the known values only, times
    their share. `spreads`: a case goes down every branch with a fraction of its weight; otherwise it takes the branch
    that the split assigns, or else the heaviest branch. `is_refused`: missing values are an error. `stays`: a case
    stops at the node. `by_surrogates`: the best test on another attribute sends it.
    """

    is_value: bool
    spreads: bool
    is_refused: bool = False
    stays: bool = False
    by_surrogates: bool = False
