"""Argument objects of the packed kernels; packed_args.pxd declares the same fields with their C types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]
    Indices = NDArray[np.int64]
    Bytes = NDArray[np.uint8]


@cython.cclass
class Lists:
    """The cases in the order of each attribute, as packed_lists describes them, and the targets of all rows.

    All threads share the lists; each writes only at the places of its own nodes.
    """

    entry: Any
    """All lists, twice: the list of attribute a begins at a * stride in each half."""
    half: int
    """Where the second half begins."""
    stride: int
    """The number of cases."""
    n_attributes: int
    row_shift: int
    """How many bits of an entry are not the row's."""
    goes_left: Bytes
    """Whether each row takes the left branch of its node."""
    target_of_row: Floats
    xlog2_of: Floats
    """n log2 n for every number of cases."""
    close: Codes
    """The row of `values` for an attribute with values too close for a threshold between them; -1 for the others."""
    values: Floats
    is_single: bool
    """Whether values are far enough apart is decided in 32 bits."""
    min_side: int
    """The least number of cases of a branch."""


@cython.cclass
class Subtree:
    """Nodes in the order in which they were made, the root first; the two children of a node follow each other."""

    attribute: Codes
    """-1 for a leaf."""
    first_child: Indices
    """0 for a leaf."""
    neighbour: Codes
    """The rows whose values lie on both sides of the cut."""
    cost: Floats
    """The bits that the choice of a threshold costs."""
    outcomes: Floats
    sums: Floats
    """Of a numeric target: the centre of each node, and sum and sum of squares of the differences from it."""


@cython.cclass
class Search:
    """The node that is being split, and the cuts found for it; one for each thread."""

    node: int
    lo: int
    """The place of its first case in every list."""
    hi: int
    """The place after its last case."""
    source: int
    """Where the half of the lists begins that has its cases."""
    depth: int
    min_side: int
    """The least number of cases of a branch of this node; as many as it has where no cut is allowed."""
    live: Codes
    """The attributes that are not constant."""
    first: int
    """The first place in `live` that is searched."""
    last: int
    """The place after the last one."""
    cut: Indices
    """The place of the last case on the left for each attribute, NO_CUT or CONSTANT."""
    counts: Indices
    """Room for the class counts of both sides."""
    before: float
    """The weight of the node's cases times their impurity."""
    slack: float
    """A score must exceed the best so far by more."""
    most: float
    """The score of the best cut of the attribute searched last."""
