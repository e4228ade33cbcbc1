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
    """All lists: that of attribute a begins at a * stride."""
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
    spare: Any
    """Room for the entries of the right branch, and one more."""
    place: Indices
    """Of the open nodes of a chain (peel_packed): where the next entry of each goes,"""
    group: Indices
    """and the number of the value of its last entry."""
    terms: Floats
    """The tables of scan_few: k log2 k of both sides, by the number of cases on the left; of all and of each class."""
    before: float
    """The weight of the node's cases times their impurity."""
    slack: float
    """A score must exceed the best so far by more."""
    most: float
    """The score of the best cut of the attribute searched last."""
    floor: float
    """Scores below it are passed over; that of another attribute is clearly above."""
    is_ambiguous: bool
    """Whether a score was so near to the floor that passing over others might have changed the choice."""


@cython.cclass
class Spans:
    """The blocks of each attribute's list, or runs of blocks: the cases that remain, and bounds on their cuts.

    The height of a cut is the number of cases of the first class in the span before it, less their share of all cases
    there.
    """

    size: Codes
    """The remaining cases of each span of each attribute."""
    first: Codes
    """Those of the first class."""
    known: Codes
    """The number of remaining cases when the next three were set; heights are updated for each case that leaves."""
    top: Floats
    """The greatest height of a cut,"""
    bottom: Floats
    """the least,"""
    share: Floats
    """and the share that they are for: that of the first class in the node."""
    n_before: Codes
    """Of the spans of the list that is scanned: the cases before each,"""
    first_before: Codes
    """those of the first class,"""
    excess: Floats
    """and by how much the square of D / n (see scan_remaining) may exceed the bar, times left * right."""


@cython.cclass
class Peeling:
    """The cases that remain at a node from which few leave at a time, and the blocks of its lists; one for each thread.

    A list of the node is divided into blocks of 2 ** block_bits entries. Entries stay where they are while cases leave;
    only the counts of their blocks change. Lists.goes_left tells which rows remain.
    """

    least: int
    """The least number of cases of a node that is peeled."""
    many: int
    """A chain begins with the last of so many splits in a row that peel."""
    lo: int
    """The place of the node's first case in every list."""
    n_opened: int
    """The number of its cases, with those that have left since."""
    n: int
    """The number of cases that remain."""
    block_bits: int
    stretch_bits: int
    state: Codes
    """For each row of the data: its number among the cases that remain or, once it has left, -1 - its child."""
    block: Any
    """For each list and each case of the node, by its number: the block that it is in."""
    blocks: Spans
    stretches: Spans
    """Runs of 2 ** stretch_bits blocks."""
    last: Indices
    """For each attribute: the place of the entry after the best cut of the node before, or -1."""
    n_first: int
    """Of the node that is scored: the cases of the first class,"""
    share: float
    """their share of all,"""
    scale: float
    """score_classes.score_scale,"""
    per_pair: float
    """1 divided by the square of n,"""
    per_first: float
    """and by the height of a case of the first class,"""
    per_second: float
    """and of the second,"""
    before: float
    """Search.before"""
    min_side: int
    """and Search.min_side."""
    least_score: float
    """Cuts that score less are passed over: those with D * D / (left * right) below the bar,"""
    bar: float
    least_of_corners: float
    """least_score less what rounding changes of it,"""
    outer_bar: float
    """below this one if both sides have `outer` cases or more,"""
    inner_bar: float
    """and below this one if they have `inner` or more."""
    outer: int
    inner: int
    n_before: int
    """The cases before the block that was looked up last,"""
    first_before: int
    """and those of the first class."""
    own_bar: float
    """The bar of the cases in a row that were looked at last."""
    is_entropy: bool
    begin: Indices
    """For each attribute: the place of its first entry that may remain."""
    end: Indices
    """The place after the last."""
    n_left: Indices
    """The number of cases on the left of the best cut of each attribute; 0 without a cut."""
    neighbour: Codes
    """The rows on both sides of that cut."""
    floor: float
    """Scores below it are passed over; some score is clearly above."""
    is_ambiguous: bool
    """Whether a score was so near to the floor that passing over others might have changed the choice."""
    is_close: bool
    """Whether a best score exceeded the one before it so little that the choice depends on where the scan began."""
    is_scanned: Codes
    """Whether the best cut of each attribute is known; if it is not,"""
    most: Floats
    """an upper bound on the gain."""
    least_side: Indices
    """The least number of cases on both sides of the cuts in the block of each attribute's known cut."""
    least_gain: float
    """No attribute with less gain wins."""
    low: float
    """For that bound: the limit on scores,"""
    high: float
    """and the limit if both sides have `edge` cases or more."""
    edge: int
    skipped: int
    """The block that is not scanned, because it has been; -1: none."""
    child: Codes
    """The open children that cases have left for: node, number of cases, depth."""
    n_nodes: int
    n_peels: int
    """The peels in a row above the cases that remain, as far as it matters: `many` if the chain goes on, else 0."""
