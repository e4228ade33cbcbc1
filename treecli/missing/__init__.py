"""What becomes of a case whose value is missing: each way is a file with a POLICY."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """How missing values count in the search for a split, and where they go once it is found.

    `is_value`: they are a value like any other, with branches of their own; otherwise a split is scored on the
    known values alone, times their share. `spreads`: a case goes down every branch, with fractions of its weight;
    otherwise it goes where the split says and, failing that, down the heaviest branch. `is_refused`: there may be none.
    `stays`: a case ends at the node. `by_surrogates`: it goes where the best test on another attribute sends it.
    """

    is_value: bool
    spreads: bool
    is_refused: bool = False
    stays: bool = False
    by_surrogates: bool = False
