"""Argument objects of the kernels for surrogates; surrogate_args.pxd declares the same fields with their C types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]
    Indices = NDArray[np.int64]


@cython.cclass
class Splits:
    """The two-way splits of some nodes that need surrogates."""

    branch: Codes
    """By case: 0 or 1, or negative if the value is missing; such cases are ignored."""
    first: Codes
    """By node: the branch with the smaller mean."""
    weight: Floats
    """By branch and node: the weight of the cases with a branch."""
    is_asked: NDArray[np.uint8]
    """By node: only these are processed."""
    step: NDArray[np.int8]
    """By case: 1, -1 or 0 for branch 0, branch 1 and no branch; empty if not all weights are 1."""
    has_slip: bool
    """A table is a surrogate if it sends two cases or more wrong and two right, as in rpart."""


@cython.cclass
class Agreement:
    """The best surrogate on one column at each place, and the weight on which it agrees with the split; 0 if none.

    A cut lies between `lower` and `upper`, and sends values below it to `low_branch`; `table` routes labels. `sides`
    and `n_cases` are scratch: branches × labels.
    """

    agreeing: Floats
    lower: Floats
    upper: Floats
    low_branch: Codes
    table: Codes
    sides: Floats
    n_cases: Indices


@cython.cclass
class Surrogates:
    """The surrogates of nodes that are grown depth first, the best of a node first; and scratch for one node.

    `splits` has one node, and `found` a place for each attribute. The fields from `node` on have an entry for each of
    the `n_kept` surrogates, and `table` the `n_entries` entries of their tables, one after the other.
    """

    splits: Splits
    found: Agreement
    lacking: Codes
    """Room for the cases of a node that have no branch."""
    most: int
    """The most surrogates of a node."""
    n_kept: int
    n_entries: int
    node: Codes
    attribute: Codes
    lower: Floats
    upper: Floats
    low_branch: Codes
    agreement: Floats
    adjusted: Floats
    table: Codes
