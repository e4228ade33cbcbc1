"""Argument objects of the search for thresholds one level ahead; ahead_args.pxd declares the same fields in C."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.kernels.args import At, Cases, Found, Order, Plan, Scratch
    from treecli.kernels.mixed_args import Columns

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]
    Indices = NDArray[np.int64]
    Bytes = NDArray[np.uint8]


@cython.cclass
class Blocks:
    """The cases of each node in the order of every attribute, and their division into blocks.

    A block of an ordered attribute ends where the value changes; one of a nominal attribute holds the cases of a label.
    """

    case: Codes
    """By attribute; unused rows for nominal ones."""
    value: Floats
    block_of: Codes
    """By attribute and case: the block in its node."""
    begin: Codes
    """By attribute: where the blocks of node i begin in the order, and the last one ends, from start[i] + i on."""
    n_blocks: Codes
    """By attribute and node."""
    run_of: Codes
    """By attribute and case: the run in its node, cases of one class that follow each other. Only for classes."""
    run: Codes
    """By attribute, like `begin`: RUN_CODES * the class of a run + RUN_ALONE if no other class has values of the run
    + RUN_ENDS if a cut may follow; runs of equal values follow each other."""
    n_runs: Codes
    """By attribute and node."""
    in_runs: Bytes
    """By attribute and node: whether there are few runs, which then are the blocks."""
    most: int
    """The largest number of entries of `counted` that a node needs."""


@cython.cclass
class Short:
    """Scratch for a short range of thresholds: the cuts that can be the best of one side, and what its sides leave."""

    n_cuts: int
    attribute: Codes
    run: Codes
    """By cut: the last run before it."""
    count: Floats
    """By branch, two for each cut: the outcomes, and the spread."""
    spread: Floats
    begin: int
    """The places of the cases of the range in the order of the thresholds' attribute."""
    end: int
    reached: Floats
    """By run of one attribute: positive if a case of the side is in it at some threshold of the range."""
    left: Floats
    """By threshold: what the left side leaves, and what its further split gains."""
    gained: Floats


@cython.cclass
class Ahead:
    """Thresholds of one ordered attribute, the nodes that they split, and scratch for one thread.

    No value is missing. Arrays by case have room for the cases of all nodes.
    """

    attribute: int
    blocks: Blocks
    start: Indices
    """Node i has the thresholds start[i] to start[i + 1] (exclusive), in ascending order."""
    number: Floats
    own: Floats
    """The gain of each threshold by itself."""
    worth: Floats
    """The gain with further splits; -inf where it is less than that of the best one."""
    floor: Floats
    """By node: the worth of some split; only better thresholds are of interest."""
    slack: Floats
    """By node: the difference up to which gains are equal."""
    is_limited: bool
    """Whether further splits have limits, which the bounds do not have."""
    progress: Indices
    """The cases and blocks that were passed and the thresholds that were decided."""
    most_steps: int
    first_left: Codes
    """By case: the first threshold of its node that the case is not above."""
    n_left: Codes
    """By threshold: how many cases are not above it."""
    counted: Floats
    """Row i has the outcomes of all blocks in the first i * counted_step cases of the node, in the order of the
    thresholds' attribute; the last row has those of all cases."""
    counted_begin: Indices
    """By attribute: the place of its first block in a row of `counted`; last that of the sums."""
    counted_step: int
    count: Floats
    """By block of one attribute: the outcomes of the cases of one side."""
    run_weight: Floats
    """By run of one attribute: the weight of the cases of one side."""
    mass_of_case: Floats
    """About how much each case adds to the spread that the best split of its node leaves."""
    mass: Floats
    """By threshold: the sum of the masses of the cases that are not above it."""
    sums: Floats
    """Outcomes of cases of one side."""
    below: Floats
    """By block: the spread of the cases of one side up to the end of the block, and of those after it."""
    above: Floats
    inside: Floats
    """By block: a lower bound of what a cut within it leaves."""
    bound: Floats
    """By side of a range and attribute: the least that a split on the attribute leaves of the spread."""
    first_bound: Floats
    """By node and attribute: the bound of all sides; attributes with the lowest are tried first."""
    kept_bound: Floats
    """By branch, two for each node: the bounds of the threshold with the largest worth."""
    kept_at: Indices
    """By node: that threshold, or -1."""
    is_done: Bytes
    pending: Indices
    place: Codes
    """By case: its place in `side`, or -1."""
    side: Cases
    """The cases of one side of a threshold; their outcomes are row 0 of its totals."""
    outcomes: Floats
    """The outcomes of a side in the tree's format."""
    node: int
    """The side that is looked at: one of the two branches of a threshold of a node."""
    threshold: int
    branch: int
    is_taken: bool
    """Whether `side` has the cases of the side that is looked at."""
    part: Order
    """The cases of `side` in the order of one attribute."""
    n_side: int
    weight: float
    is_looked_up: bool
    """Whether the logarithms of all sums are in plan.xlog2_of."""
    least: float
    """The least spread found so far on the side that is looked at."""
    """Of the side that is looked at, as is `spread`."""
    spread: float
    short: Short
    columns: Columns
    free: Plan
    """The plan without limits on branches."""
    at: At
    found: Found
    scratch: Scratch
